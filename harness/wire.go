package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

const (
	// wireVersion is that of results and errors between processes.
	wireVersion = 1
	// maxWire bounds a result on the wire, in bytes.
	maxWire = 256 << 20
)

// wireResult is a Result with the parts that its own JSON leaves out. The members of
// this struct hide those of the same name in Result.
type wireResult struct {
	V int `json:"v"`
	Result
	Tools     []wireTool     `json:"tools"`
	Calls     []wireCall     `json:"calls"`
	Scripts   []NestedScript `json:"scripts,omitempty"`
	Decisions []wireDecision `json:"decisions,omitempty"`
	Mended    []wireError    `json:"mended,omitempty"`
	Errors    []wireError    `json:"errors,omitempty"`
	Error     *wireError     `json:"error,omitempty"` // where it is not the first of Errors
	Down      []string       `json:"down,omitempty"`
	LookUp    bool           `json:"look_up,omitempty"`
	Parked    bool           `json:"parked,omitempty"`
	Made      []string       `json:"made,omitempty"`
	MoreMade  int            `json:"more_made,omitempty"`
}

type wireTool struct {
	ToolUse
	NamesServer bool `json:"names_server,omitempty"`
	Shown       bool `json:"shown,omitempty"`
}

type wireCall struct {
	Call
	CutOff  bool   `json:"cut_off,omitempty"`
	Number  int    `json:"number,omitempty"`
	Text    string `json:"text,omitempty"`
	Earlier bool   `json:"earlier,omitempty"`
}

type wireDecision struct {
	policy.Decision
	Whole bool          `json:"whole,omitempty"`
	For   time.Duration `json:"for,omitempty"` // ns
}

type wireError struct {
	Error
	Sent  int               `json:"sent,omitempty"`
	Fixes []Fix             `json:"fixes,omitempty"`
	Shown bool              `json:"shown,omitempty"`
	About worker.Diagnostic `json:"about,omitzero"`
}

// EncodeResult returns all of a Result for another process, which DecodeResult reads:
// more than its JSON has, which is for clients. What its reader is told of the place where
// approvals are given is not in there, as that is of this process.
func EncodeResult(r *Result) ([]byte, error) {
	w := wireResult{V: wireVersion, Result: *r, Scripts: r.Scripts, Mended: wireErrors(r.Mended),
		Errors: wireErrors(r.Errors), Down: r.Down, LookUp: r.LookUp, Parked: r.parked, Made: r.made, MoreMade: r.moreMade}
	if r.Tools != nil {
		w.Tools = make([]wireTool, len(r.Tools))
	}
	for i, t := range r.Tools {
		w.Tools[i] = wireTool{t, t.server, t.shown}
	}
	if r.Calls != nil {
		w.Calls = make([]wireCall, len(r.Calls))
	}
	for i, c := range r.Calls {
		w.Calls[i] = wireCall{c, c.cutOff, c.number, c.text, c.earlier}
	}
	for _, d := range r.Decisions {
		w.Decisions = append(w.Decisions, wireDecision{d, d.Whole, d.For})
	}
	if r.Error != nil && (len(r.Errors) == 0 || r.Error != &r.Errors[0]) {
		w.Error = &wireErrors([]Error{*r.Error})[0]
	}
	return encodeWire(&w)
}

func encodeWire(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // the bytes of values stay as they are
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encoding a result: %w", err)
	}
	if b.Len() > maxWire {
		return nil, fmt.Errorf("encoding a result: %d bytes; the most is %d", b.Len(), maxWire)
	}
	return b.Bytes(), nil
}

func wireErrors(es []Error) (out []wireError) {
	for _, e := range es {
		out = append(out, wireError{e, e.Sent, e.Fixes, e.shown, e.about})
	}
	return out
}

func errorsOf(ws []wireError) (out []Error) {
	for _, w := range ws {
		e := w.Error
		e.Sent, e.Fixes, e.shown, e.about = w.Sent, w.Fixes, w.Shown, w.About
		out = append(out, e)
	}
	return out
}

// DecodeResult returns the Result that EncodeResult wrote. Members that it does not know
// are passed over; another version is an error.
func DecodeResult(b []byte) (*Result, error) {
	var w wireResult
	if err := decodeWire(b, &w, &w.V); err != nil {
		return nil, fmt.Errorf("decoding a result: %w", err)
	}
	r := &w.Result
	r.Scripts, r.Mended, r.Errors, r.Down = w.Scripts, errorsOf(w.Mended), errorsOf(w.Errors), w.Down
	r.LookUp, r.parked, r.made, r.moreMade = w.LookUp, w.Parked, w.Made, w.MoreMade
	if w.Tools != nil {
		r.Tools = make([]ToolUse, len(w.Tools))
	}
	for i, t := range w.Tools {
		t.server, t.shown = t.NamesServer, t.Shown
		r.Tools[i] = t.ToolUse
	}
	if w.Calls != nil {
		r.Calls = make([]Call, len(w.Calls))
	}
	for i, c := range w.Calls {
		c.cutOff, c.number, c.text, c.earlier = c.CutOff, c.Number, c.Text, c.Earlier
		r.Calls[i] = c.Call
	}
	for _, d := range w.Decisions {
		d.Decision.Whole, d.Decision.For = d.Whole, d.For
		r.Decisions = append(r.Decisions, d.Decision)
	}
	switch {
	case w.Error != nil:
		r.Error = &errorsOf([]wireError{*w.Error})[0]
	case len(r.Errors) > 0:
		r.Error = &r.Errors[0]
	}
	return r, nil
}

func decodeWire(b []byte, to any, version *int) error {
	if len(b) > maxWire {
		return fmt.Errorf("%d bytes; the most is %d", len(b), maxWire)
	}
	if err := json.Unmarshal(b, to); err != nil {
		return err
	}
	if *version != wireVersion {
		return fmt.Errorf("version %d; want %d", *version, wireVersion)
	}
	return nil
}

// wireFault is an error of Run or Resume.
type wireFault struct {
	V       int            `json:"v"`
	Message string         `json:"message"`
	Is      []string       `json:"is,omitempty"` // names in wireSentinels
	Catalog string         `json:"catalog,omitempty"`
	NoGo    *wireNoGo      `json:"not_resumable,omitempty"`
	Running *wireRunning   `json:"running,omitempty"`
	Once    *OnceError     `json:"once,omitempty"`
	Unknown []*record.Call `json:"unknown,omitempty"` // of a *record.UnknownError
}

type wireNoGo struct{ Run, Why string }

type wireRunning struct {
	Run, Host string
	PID       int
}

var wireSentinels = map[string]error{
	"canceled": context.Canceled, "deadline": context.DeadlineExceeded, "not_found": store.ErrNotFound,
	"taken": store.ErrTaken, "ended": store.ErrEnded, "copy": store.ErrCopy, "ambiguous": store.ErrAmbiguous,
}

// EncodeError returns an error of Run or Resume for another process.
func EncodeError(err error) ([]byte, error) {
	w := wireFault{V: wireVersion, Message: err.Error()}
	for _, name := range sortedKeys(wireSentinels) {
		if errors.Is(err, wireSentinels[name]) {
			w.Is = append(w.Is, name)
		}
	}
	var catalogError *catalog.Error
	var noGo *NotResumableError
	var running *store.RunningError
	var unknown *record.UnknownError
	if errors.As(err, &catalogError) {
		w.Catalog = catalogError.Error()
	}
	if errors.As(err, &noGo) {
		w.NoGo = &wireNoGo{noGo.Run, noGo.Why}
	}
	if errors.As(err, &running) {
		w.Running = &wireRunning{running.Run, running.Host, running.PID}
	}
	errors.As(err, &w.Once)
	if errors.As(err, &unknown) {
		for _, m := range unknown.Calls {
			w.Unknown = append(w.Unknown, m.Line())
		}
	}
	return encodeWire(&w)
}

// DecodeError returns the error that EncodeError wrote as failed, with the same text, and
// in it, for errors.As and errors.Is, a *NotResumableError, *OnceError, *catalog.Error,
// *store.RunningError, *record.UnknownError (with the lines of its calls alone),
// store.ErrNotFound, store.ErrTaken, store.ErrEnded, store.ErrCopy,
// store.ErrAmbiguous or an error of a context. err: it cannot be read.
func DecodeError(b []byte) (failed, err error) {
	var w wireFault
	if err := decodeWire(b, &w, &w.V); err != nil {
		return nil, fmt.Errorf("decoding an error: %w", err)
	}
	e := &fault{message: w.Message}
	for _, name := range w.Is {
		if s := wireSentinels[name]; s != nil {
			e.in = append(e.in, s)
		}
	}
	if w.Catalog != "" {
		e.in = append(e.in, &catalog.Error{Err: errors.New(w.Catalog)})
	}
	if w.NoGo != nil {
		e.in = append(e.in, &NotResumableError{w.NoGo.Run, w.NoGo.Why})
	}
	if w.Running != nil {
		e.in = append(e.in, &store.RunningError{Run: w.Running.Run, Host: w.Running.Host, PID: w.Running.PID})
	}
	if w.Once != nil {
		e.in = append(e.in, w.Once)
	}
	if len(w.Unknown) > 0 {
		u := &record.UnknownError{}
		for _, c := range w.Unknown {
			if c == nil {
				return nil, errors.New("decoding an error: an unknown call without its line")
			}
			u.Calls = append(u.Calls, &record.Made{Call: c})
		}
		e.in = append(e.in, u)
	}
	return e, nil
}

// fault is an error of another process.
type fault struct {
	message string
	in      []error
}

func (f *fault) Error() string   { return f.message }
func (f *fault) Unwrap() []error { return f.in }
