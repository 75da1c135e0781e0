// Package approval lists, shows and answers the calls of runs that need a person.
//
// A [Call] is one of three: a call that was not sent yet, a call whose server asks a question
// before it answers, or all effect calls of a dry run. [List] finds the calls of a store, [Load]
// one by its ID, [Open] those of a run. [Call.Document] shows a call to a person,
// [Call.MarshalJSON] to a program. [store.Store.Answer] signs and saves the answer; the store
// checks signature and digest whenever it loads the run.
//
// A call whose outcome is unknown needs a person too: [Settle] records what happened.
package approval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// Call is a call of a run that needs or needed a person: see its State.
type Call struct {
	*record.Asked
	ID     string // of the approval: the run's ID, a dot and A
	Run    *record.Summary
	Record *record.Run // nil if the call is a Head
}

// New returns the call that an Ask of a run is about.
func New(r *record.Run, a *record.Asked) *Call {
	return &Call{a, record.ApprovalID(r.Begin.ID, a.A), r.Summary(), r}
}

// Open returns the calls of a run that can be answered.
func Open(r *record.Run) []*Call { return open(r.Summary(), r) }

func open(sum *record.Summary, r *record.Run) (out []*Call) {
	for _, a := range r.Open() {
		out = append(out, &Call{a, record.ApprovalID(sum.ID, a.A), sum, r})
	}
	return out
}

// List returns the calls that can be answered in the runs that match the filter, latest run first.
// If the filter is nil, it reads all runs. A record that cannot be read is yielded as an error, and
// the list continues.
func List(ctx context.Context, s *store.Store, f *store.Filter) iter.Seq2[*Call, error] {
	most := int64(record.MaxRecord)
	if f != nil && f.Bytes > 0 {
		most = f.Bytes
	}
	return func(yield func(*Call, error) bool) {
		for sum, err := range s.List(ctx, f) {
			if err == nil && !mayAsk(sum) {
				continue
			}
			var r *record.Run
			if err == nil {
				r, err = s.LoadListed(sum, most)
			}
			if errors.Is(err, store.ErrNotFound) {
				continue
			}
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}
			for _, c := range open(sum, r) {
				if !yield(c, nil) {
					return
				}
			}
		}
	}
}

// mayAsk reports whether a run may have a call that needs a person.
func mayAsk(s *record.Summary) bool {
	return s.Dry || record.Resumable(s.Status) || s.Status == record.Running || s.Status == record.Died
}

// Load returns a call by its ID or a unique prefix of it. The ID of a run is enough if only one
// call of the run can be answered. The error is store.ErrNotFound or store.ErrAmbiguous if the ID
// does not name one call.
func Load(s *store.Store, id string) (*Call, error) {
	r, a, err := s.Asked(id)
	if err != nil {
		return nil, err
	}
	return New(r, a), nil
}

// Head returns the call without its record, arguments and question, small enough to keep in memory.
func (c *Call) Head() *Call {
	a := *c.Asked
	ask := *a.Ask
	ask.Args, a.Ask = record.Data{}, &ask
	if ask.Question != nil {
		ask.Question = json.RawMessage("{}")
	}
	return &Call{&a, c.ID, c.Run, nil}
}

// IsLedger reports whether the call stands for all effect calls of a dry run.
func (c *Call) IsLedger() bool { return c.A == record.Ledger }

// Line returns the line of the script that makes the call, or 0 if it is unknown.
func (c *Call) Line() int { return record.PlaceLine(c.Place) }

// At returns where the script makes the call: "line 12 of the saved script digest".
func (c *Call) At() string { return present.At(c.Record, c.Path, c.Place) }

// MarshalJSON returns the call as commands print it. Arguments that the record did not keep are
// null.
func (c *Call) MarshalJSON() ([]byte, error) {
	args, err := c.Record.Value(c.Args)
	if errors.Is(err, record.ErrNotKept) {
		args, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err = enc.Encode(struct {
		ID       string          `json:"id"`
		Run      string          `json:"run"`
		Tool     string          `json:"tool"`
		Class    record.Class    `json:"class"`
		Args     json.RawMessage `json:"args"`
		Why      string          `json:"why"`
		Line     int             `json:"line"`
		Script   string          `json:"script,omitempty"` // the saved script, if the call is in one
		Path     string          `json:"path,omitempty"`   // the goroutine, as the record has it
		Until    time.Time       `json:"until"`
		AllCalls bool            `json:"whole,omitempty"`
		Question json.RawMessage `json:"question,omitempty"`
		Answer   *record.Answer  `json:"answer,omitempty"`
	}{c.ID, c.Run.ID, c.Tool, c.Class, args, c.Why, c.Line(), present.Script(c.Record, c.Path), c.Path, c.Until, c.AllCalls,
		c.Question, c.Answer})
	return b.Bytes(), err
}
