package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry/backend"
)

// UnknownToolError is returned for an ID that the registry does not have.
type UnknownToolError struct{ ID string }

func (e *UnknownToolError) Error() string { return fmt.Sprintf("there is no tool %.100q", e.ID) }

// CallTool makes one call outside of a script, authorised and validated as
// those of scripts are, and recorded as a run of its own. Its result counts in
// the Script's Results until ctx ends. Where the decision is not in favour
// nothing was called and the result is nil; the errors are a *UnknownToolError, an
// *ArgumentsError and those of the server.
func CallTool(ctx context.Context, c *Catalog, id string, args json.RawMessage, s *Script) (*backend.Result, Decision,
	error) {
	view, err := c.View()
	if err != nil {
		return nil, Decision{}, err
	}
	t, ok := view.Tool(id)
	if !ok {
		return nil, Decision{}, &UnknownToolError{id}
	}
	if s == nil {
		s = &Script{}
	}
	j := newJournal(s)
	r := &run{script: s, cat: c, view: view, journal: j, room: s.room(), misfits: map[string]string{},
		result: &Result{Status: OK}}
	d := r.decide(t)
	if d.Verdict == IsDenied || d.Verdict == NeedsApproval {
		return nil, d, nil
	}
	begin := time.Now()
	res, err := r.make(ctx, t, &record.Call{N: j.next(), Tool: id}, args)
	if done := r.result.Calls[0]; done.Error != nil {
		r.result.Status = ScriptError
	}
	if c.Usage != nil {
		_ = c.Usage.Add(r.used(begin)) // what cannot be counted harms nobody
	}
	return res, d, err
}
