package outcome

import (
	"bytes"
	"encoding/json"
	"fmt"
)

const (
	// WireVersion is the version of results and errors between processes.
	WireVersion = 1
	// maxWire bounds a result on the wire, in bytes.
	maxWire = 256 << 20
)

// wireResult adds the parts that a Result's own JSON omits, and that its Text and its audit lines
// need. The members of this struct hide those of the same name in Result.
type wireResult struct {
	V int `json:"v"`
	*Result
	Tools    []wireTool     `json:"tools"`
	Scripts  []NestedScript `json:"scripts,omitempty"`
	Errors   []wireError    `json:"errors,omitempty"`
	Error    *wireError     `json:"error,omitempty"` // if it is not the first of Errors
	Down     []string       `json:"down,omitempty"`
	LookUp   bool           `json:"look_up,omitempty"`
	Made     []string       `json:"made,omitempty"`
	MoreMade int            `json:"more_made,omitempty"`
}

type wireTool struct {
	*ToolUse
	NamesServer bool `json:"names_server,omitempty"`
	Shown       bool `json:"shown,omitempty"`
}

type wireError struct {
	*Error
	Shown bool `json:"shown,omitempty"`
}

// Encode encodes a Result for another process. It omits Next, and fields that only a check or a run
// under way uses.
func Encode(r *Result) ([]byte, error) {
	w := wireResult{V: WireVersion, Result: r, Scripts: r.Scripts, Down: r.Down, LookUp: r.LookUp, Made: r.Made, MoreMade: r.MoreMade}
	if r.Tools != nil {
		w.Tools = make([]wireTool, len(r.Tools))
	}
	for i := range r.Tools {
		w.Tools[i] = wireTool{&r.Tools[i], r.Tools[i].NamesServer, r.Tools[i].Shown}
	}
	for i := range r.Errors {
		w.Errors = append(w.Errors, wireError{&r.Errors[i], r.Errors[i].Shown})
	}
	if r.Error != nil && (len(r.Errors) == 0 || r.Error != &r.Errors[0]) {
		w.Error = &wireError{r.Error, r.Error.Shown}
	}
	return EncodeWire(&w)
}

// Decode decodes a Result that Encode encoded. It ignores unknown members. Another version is an
// error.
func Decode(b []byte) (*Result, error) {
	w := wireResult{Result: &Result{}}
	if err := DecodeWire(b, &w, &w.V); err != nil {
		return nil, fmt.Errorf("decoding a result: %w", err)
	}
	r := w.Result
	r.Scripts, r.Down, r.LookUp, r.Made, r.MoreMade = w.Scripts, w.Down, w.LookUp, w.Made, w.MoreMade
	if w.Tools != nil {
		r.Tools = make([]ToolUse, len(w.Tools))
	}
	for i, t := range w.Tools {
		if t.ToolUse != nil {
			r.Tools[i] = *t.ToolUse
		}
		r.Tools[i].NamesServer, r.Tools[i].Shown = t.NamesServer, t.Shown
	}
	for _, e := range w.Errors {
		r.Errors = append(r.Errors, e.error())
	}
	switch {
	case w.Error != nil:
		e := w.Error.error()
		r.Error = &e
	case len(r.Errors) > 0:
		r.Error = &r.Errors[0]
	}
	return r, nil
}

func (w *wireError) error() (e Error) {
	if w.Error != nil {
		e = *w.Error
	}
	e.Shown = w.Shown
	return e
}

// EncodeWire encodes v, which has a version, as JSON for another process.
func EncodeWire(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // keep the bytes of values
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encoding a result: %w", err)
	}
	if b.Len() > maxWire {
		return nil, fmt.Errorf("encoding a result: it has %d bytes; the limit is %d", b.Len(), maxWire)
	}
	return b.Bytes(), nil
}

// DecodeWire decodes into to what EncodeWire encoded. *version is the version member of to.
func DecodeWire(b []byte, to any, version *int) error {
	if len(b) > maxWire {
		return fmt.Errorf("it has %d bytes; the limit is %d", len(b), maxWire)
	}
	if err := json.Unmarshal(b, to); err != nil {
		return err
	}
	if *version != WireVersion {
		return fmt.Errorf("version %d; want %d", *version, WireVersion)
	}
	return nil
}
