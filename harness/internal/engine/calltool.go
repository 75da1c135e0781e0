package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/wrappers"
)

// UnknownToolError is returned for a tool ID that the registry does not have.
type UnknownToolError struct{ ID string }

func (e *UnknownToolError) Error() string { return fmt.Sprintf("unknown tool %.100q", e.ID) }

// Call makes one call outside of a script, see Harness.CallTool.
func (e *Engine) Call(ctx context.Context, c *catalog.Catalog, id string, raw json.RawMessage, s *Script,
	approved bool) (*backend.Result, policy.Decision, error) {
	view, err := c.View()
	if err != nil {
		return nil, policy.Decision{}, err
	}
	t, ok := view.Tool(id)
	if !ok {
		return nil, policy.Decision{}, &UnknownToolError{id}
	}
	if approved {
		s.approved = []string{id}
	}
	begin := time.Now()
	r := &run{e: e, script: s, direct: true, answers: noAnswers{}, tree: &tree{}, room: s.Room,
		misfits: map[string]string{}, result: &outcome.Result{Status: outcome.OK, Tools: []outcome.ToolUse{}}}
	r.bound = r.bind()
	r.bound.Catalog, r.bound.View, r.bound.Allowed = c, view, map[string]*wrappers.Tool{id: t}
	args := registry.ReadArgs(raw)
	r.beginFlow(string(raw)) // the client wrote the arguments
	r.plan()
	d := r.bound.DecideCall(t, args, r.facts(t, args))
	if d.Verdict == policy.IsDenied || d.Verdict == policy.NeedsApproval {
		return nil, d, nil
	}
	known := r.tree.flow
	if r.tree, err = e.begin(s, false); err != nil {
		return nil, d, err
	}
	r.tree.flow = known
	r.journal = r.tree.journal
	r.recordTools(&worker.Tools{}) // a failed write stops further sending
	res, err := r.makeCall(ctx, t, &record.Call{N: r.journal.NextCall(), Tool: id, Args: argsData(args)}, args, nil)
	for _, c := range r.result.Calls { // empty in a dry run
		if c.Error != nil {
			r.result.Status, r.result.ExitCode = outcome.ScriptError, outcome.ScriptError.ExitCode()
			r.result.Error = &outcome.Error{Kind: outcome.KindRuntime, Message: *c.Error}
		}
	}
	r.result.Timing.Total = ms(time.Since(begin))
	r.endFlow(true)
	r.journal.End(r.result)
	if c.Usage != nil {
		_ = c.Usage.Add(r.usageEntry(begin)) // a failed count is ignored
	}
	return res, d, err
}
