package present

import (
	"encoding/json"

	"github.com/usetools/usetools/harness/record"
)

// Record is a full record as one JSON object. Values are as they were written, wherever they are
// stored; redacted values are partial. If only its digest is kept, a value is the text
// "blob:hmac:DIGEST:BYTES". A value that is not JSON is a text.
type Record struct {
	Begin    *Begin            `json:"begin"`
	Status   string            `json:"status"` // the status of End, or running or died
	Attempts []*record.Attempt `json:"attempts,omitempty"`
	Tools    *Tools            `json:"tools,omitempty"`
	Calls    []*Call           `json:"calls"`
	Notes    []*record.Note    `json:"notes"`
	Children []*Child          `json:"children,omitempty"`
	End      *End              `json:"end,omitempty"`
	Lines    []any             `json:"lines,omitempty"` // lines of all other types, unchanged
	Damaged  string            `json:"damaged,omitempty"`
}

// The lines of a record with the values of their fields.
type (
	Begin struct {
		*record.Begin
		Script string                     `json:"script"`
		Inputs map[string]json.RawMessage `json:"inputs,omitempty"`
		Stored map[string]json.RawMessage `json:"stored,omitempty"`
	}
	Tools struct {
		*record.Tools
		Units []Unit `json:"units"`
	}
	Unit struct {
		record.Unit
		Source string `json:"source"`
	}
	// Call has all lines about a call. In a dry run, Guess replaces the others.
	Call struct {
		*record.Call
		Args   json.RawMessage `json:"args,omitempty"`
		Done   *Done           `json:"done,omitempty"`
		Settle *Settle         `json:"settle,omitempty"`
		Guess  *Guess          `json:"guess,omitempty"`
	}
	Done struct {
		*record.Done
		Result json.RawMessage `json:"result,omitempty"`
	}
	Settle struct {
		*record.Settle
		Result json.RawMessage `json:"result,omitempty"`
	}
	Guess struct {
		*record.Guess
		Args   json.RawMessage `json:"args"`
		Result json.RawMessage `json:"result"`
	}
	Child struct {
		*record.Child
		Script string                     `json:"script"`
		Inputs map[string]json.RawMessage `json:"inputs,omitempty"`
	}
	End struct {
		*record.End
		Value json.RawMessage `json:"value,omitempty"`
	}
)

// FullRecord returns everything in a record.
func FullRecord(r *record.Run) *Record {
	out := recordHead(r)
	for _, m := range r.Calls {
		out.Calls = append(out.Calls, fullCall(r, m))
	}
	out.Notes = append(out.Notes, r.Notes...)
	for _, c := range r.Children {
		out.Children = append(out.Children, fullChild(r, c))
	}
	return out
}

// recordHead returns a record without its calls, notes and children.
func recordHead(r *record.Run) *Record {
	b := r.Begin
	out := &Record{Begin: &Begin{b, textOf(r, b.Script), valuesOf(r, b.Inputs), valuesOf(r, b.Stored)}, Status: r.Summary().Status,
		Attempts: r.Attempts, Calls: []*Call{}, Notes: []*record.Note{}}
	if r.Tools != nil {
		out.Tools = &Tools{r.Tools, []Unit{}}
		for _, u := range r.Tools.Units {
			out.Tools.Units = append(out.Tools.Units, Unit{u, textOf(r, u.Source)})
		}
	}
	for _, l := range r.Lines {
		switch l := l.(type) {
		case *record.Other:
			out.Lines = append(out.Lines, l.JSON)
		case *record.Begin, *record.Attempt, *record.Tools, *record.Call, *record.Done, *record.Settle, *record.Guess,
			*record.Child, *record.Note, *record.End:
		default:
			out.Lines = append(out.Lines, l)
		}
	}
	if r.End != nil {
		out.End = &End{r.End, rawOf(r, r.End.Value)}
	}
	if r.Damaged != nil {
		out.Damaged = r.Damaged.Error()
	}
	return out
}

func fullCall(r *record.Run, m *record.Made) *Call {
	c := &Call{Call: m.Call}
	if m.Call != nil {
		c.Args = rawOf(r, m.Call.Args)
	}
	if m.Done != nil {
		c.Done = &Done{m.Done, rawOf(r, m.Done.Result)}
	}
	if m.Settle != nil {
		c.Settle = &Settle{m.Settle, rawOf(r, m.Settle.Result)}
	}
	if m.Guess != nil {
		c.Guess = &Guess{m.Guess, rawOf(r, m.Guess.Args), rawOf(r, m.Guess.Result)}
	}
	return c
}

func fullChild(r *record.Run, c *record.Child) *Child {
	return &Child{c, textOf(r, c.Script), valuesOf(r, c.Inputs)}
}

func valuesOf(r *record.Run, in record.Values) map[string]json.RawMessage {
	if in == nil {
		return nil
	}
	out := map[string]json.RawMessage{}
	for name, d := range in {
		out[name] = rawOf(r, d)
		if d.IsZero() {
			out[name] = json.RawMessage("null")
		}
	}
	return out
}

// rawOf returns a value of a record as JSON, or nil without a value.
func rawOf(r *record.Run, d record.Data) json.RawMessage {
	b := value(r, d)
	switch {
	case b == nil && d.IsZero():
		return nil
	case b == nil:
		b, _ = d.MarshalJSON() // cannot fail
		return b
	case !json.Valid(b):
		return record.String(string(b)).JSON
	}
	return b
}
