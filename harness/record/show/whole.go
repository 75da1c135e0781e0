package show

import (
	"bytes"
	"encoding/json"

	"github.com/usetools/usetools/harness/record"
)

// Record is a whole record as one JSON object. Values that stand beside the record
// are in it; those that were not kept are "blob:hmac:DIGEST:BYTES".
type Record struct {
	Begin    *record.Begin     `json:"begin"`
	Status   string            `json:"status"` // of End, or running or died
	Attempts []*record.Attempt `json:"attempts,omitempty"`
	Tools    *record.Tools     `json:"tools,omitempty"`
	Calls    []Call            `json:"calls"`
	Notes    []*record.Note    `json:"notes"`
	Children []*record.Child   `json:"children,omitempty"`
	End      *record.End       `json:"end,omitempty"`
	Damaged  string            `json:"damaged,omitempty"`
}

// Call is a call with all lines about it.
type Call struct {
	Call   *record.Call   `json:"call,omitempty"`
	Guess  *record.Guess  `json:"guess,omitempty"` // of a dry run, in the place of the others
	Done   *record.Done   `json:"done,omitempty"`
	Settle *record.Settle `json:"settle,omitempty"`
}

// Whole is all that a record has, of a run with a status as New takes it.
func Whole(r *record.Run, status string) *Record {
	w := &whole{r}
	out := &Record{Begin: clone(r.Begin), Status: status, Attempts: r.Attempts, Calls: []Call{}, Notes: r.Notes}
	w.fill(&out.Begin.Script)
	out.Begin.Inputs, out.Begin.Stored = w.values(r.Begin.Inputs), w.values(r.Begin.Stored)
	if r.Tools != nil {
		out.Tools = clone(r.Tools)
		out.Tools.Units = append([]record.Unit(nil), r.Tools.Units...)
		for i := range out.Tools.Units {
			w.fill(&out.Tools.Units[i].Source)
		}
	}
	for _, m := range r.Calls {
		c := Call{Call: clone(m.Call), Guess: clone(m.Guess), Done: clone(m.Done), Settle: clone(m.Settle)}
		if c.Call != nil {
			w.fill(&c.Call.Args)
		}
		if c.Guess != nil {
			w.fill(&c.Guess.Args)
			w.fill(&c.Guess.Result)
		}
		if c.Done != nil {
			w.fill(&c.Done.Result)
		}
		if c.Settle != nil {
			w.fill(&c.Settle.Result)
		}
		out.Calls = append(out.Calls, c)
	}
	if out.Notes == nil {
		out.Notes = []*record.Note{}
	}
	for _, child := range r.Children {
		child = clone(child)
		w.fill(&child.Script)
		child.Inputs = w.values(child.Inputs)
		out.Children = append(out.Children, child)
	}
	if r.End != nil {
		out.End, out.Status = clone(r.End), r.End.Status
		w.fill(&out.End.Value)
	}
	if r.Damaged != nil {
		out.Damaged = r.Damaged.Error()
	}
	return out
}

type whole struct{ r *record.Run }

// fill puts a value that stands beside the record into its place.
func (w *whole) fill(d *record.Data) {
	if d.JSON != nil || d.IsZero() || d.Redacted {
		return
	}
	if b, err := w.r.Value(*d); err == nil && json.Valid(b) {
		*d = record.Raw(bytes.Clone(b))
	}
}

func (w *whole) values(in record.Values) record.Values {
	if in == nil {
		return nil
	}
	out := record.Values{}
	for name, d := range in {
		w.fill(&d)
		out[name] = d
	}
	return out
}

func clone[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}
