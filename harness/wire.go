package harness

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/rerun"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// wireFault is the wire form of an error of Run or Resume.
type wireFault struct {
	V            int               `json:"v"`
	Message      string            `json:"message"`
	Is           []string          `json:"is,omitempty"` // names in wireSentinels
	Catalog      string            `json:"catalog,omitempty"`
	NotResumable *wireNotResumable `json:"not_resumable,omitempty"`
	Running      *wireRunning      `json:"running,omitempty"`
	Once         *OnceError        `json:"once,omitempty"`
	Unknown      []*record.Call    `json:"unknown,omitempty"` // of a *record.UnknownError
}

type wireNotResumable struct{ Run, Why string }

type wireRunning struct {
	Run, Host string
	PID       int
}

var wireSentinels = map[string]error{
	"canceled": context.Canceled, "deadline": context.DeadlineExceeded, "not_found": store.ErrNotFound,
	"taken": store.ErrTaken, "ended": store.ErrEnded, "copy": store.ErrCopy, "ambiguous": store.ErrAmbiguous,
}

// EncodeError encodes an error of Run or Resume for another process.
func EncodeError(err error) ([]byte, error) {
	w := wireFault{V: outcome.WireVersion, Message: err.Error()}
	for _, name := range slices.Sorted(maps.Keys(wireSentinels)) {
		if errors.Is(err, wireSentinels[name]) {
			w.Is = append(w.Is, name)
		}
	}
	var catalogError *catalog.Error
	var noGo *rerun.NotResumableError
	var running *store.RunningError
	var unknown *record.UnknownError
	if errors.As(err, &catalogError) {
		w.Catalog = catalogError.Error()
	}
	if errors.As(err, &noGo) {
		w.NotResumable = &wireNotResumable{noGo.Run, noGo.Why}
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
	return outcome.EncodeWire(&w)
}

// DecodeError decodes an error that EncodeError encoded. failed has the same text. For errors.As
// and errors.Is it wraps a *NotResumableError, *OnceError, *catalog.Error, *store.RunningError,
// *record.UnknownError (with only the lines of its calls), store.ErrNotFound, store.ErrTaken,
// store.ErrEnded, store.ErrCopy, store.ErrAmbiguous or an error of a context. err is set if b
// cannot be decoded.
func DecodeError(b []byte) (failed, err error) {
	var w wireFault
	if err := outcome.DecodeWire(b, &w, &w.V); err != nil {
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
	if w.NotResumable != nil {
		e.in = append(e.in, &rerun.NotResumableError{Run: w.NotResumable.Run, Why: w.NotResumable.Why})
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

// fault is an error that came from another process.
type fault struct {
	message string
	in      []error
}

func (f *fault) Error() string   { return f.message }
func (f *fault) Unwrap() []error { return f.in }
