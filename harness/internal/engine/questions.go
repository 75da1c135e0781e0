package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/internal/journal"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/wrappers"
)

// askLedger asks for approval of all effect calls of a dry run, if one of them needs it.
func askLedger(j *journal.Journal, res *outcome.Result) {
	if !j.Kept() || !res.Dry || res.Status != outcome.OK ||
		!slices.ContainsFunc(res.Ledger, func(u outcome.Unmade) bool { return u.Approval != "" }) {
		return
	}
	x := &record.Ask{A: record.Ledger, Why: "the calls of a dry run",
		Until: j.Now().Add(policy.AskFor).UTC().Truncate(time.Second)}
	run, err := j.Run()
	if err == nil {
		x.Hash = record.LedgerDigest(run)
		err = j.Add(x)
	}
	if err != nil {
		res.Warnings = append(res.Warnings, "the calls of this dry run cannot be approved: "+err.Error())
		return
	}
	res.Approval = record.ApprovalID(j.ID(), x.A)
}

// SetNoResume sets NoResume of a result whose status permits resuming.
func SetNoResume(j *journal.Journal, res *outcome.Result) {
	if !j.Kept() || !res.Resumable() {
		return
	}
	if run, err := j.Run(); err == nil {
		res.NoResume = outcome.Lacks(run)
	}
}

// MaxQuestions is the maximum number of questions that the servers of a run may ask a
// person.
const MaxQuestions = 3

var errAsksTooMuch = fmt.Errorf("servers have asked %d questions in this run already, and no more are passed on",
	MaxQuestions)

// question asks a person a server's question about a call. It returns worker.ErrParked if
// the call waits for the answer. Otherwise the error explains the missing answer.
func (r *run) question(line *record.Call, args json.RawMessage, q *backend.InputRequiredError) error {
	a := r.tree.asks
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.asked >= MaxQuestions {
		return fmt.Errorf("%w; %w", q, errAsksTooMuch)
	}
	a.asked++
	x := &record.Ask{N: line.N, Path: line.Path, Place: line.Place, Class: line.Class, Tool: line.Tool, Args: line.Args,
		Question: q.Requests, Why: fmt.Sprintf("its server asks: %s", registry.Quoted(questionText(q.Requests))),
		Until: r.journal.Now().Add(policy.AskFor).UTC().Truncate(time.Second)}
	a.number++
	x.A = fmt.Sprint(a.number)
	if err := r.journal.Add(x); err != nil {
		return err
	}
	a.pending = append(a.pending, r.waiting(x, args))
	return worker.ErrParked
}

// questionText returns a server's question as text.
func questionText(requests json.RawMessage) string {
	var all map[string]struct {
		Params struct{ Message, URL string } `json:"params"`
	}
	if json.Unmarshal(requests, &all) != nil {
		return "an unreadable question"
	}
	var parts []string
	for _, k := range sortedKeys(all) {
		p := all[k].Params
		parts = append(parts, strings.TrimSpace(p.Message+" "+p.URL))
	}
	return registry.PrintableText(strings.Join(parts, "; "), 2000)
}

// serverInput returns the answer for the server of a recorded call that continues, or nil if there
// is none. The error is worker.ErrParked if the server's question still waits for a person.
func (r *run) serverInput(t *wrappers.Tool, args registry.Args, recorded *record.Made) (input json.RawMessage, err error) {
	if d := r.bound.DecideCall(t, args, r.facts(t, args)); d.Verdict == policy.IsDenied {
		return nil, r.diverge(fmt.Errorf("call %d cannot be resumed: %s: %s", recorded.N, t.ID, d.Rule))
	}
	if recorded.Round != nil && recorded.Round.Task != "" {
		return nil, r.diverge(fmt.Errorf("call %d cannot be resumed: its server turned it into a task, and tasks are no longer supported",
			recorded.N))
	}
	a := r.tree.asks
	x := a.run.Question(recorded)
	switch {
	case x == nil:
		return nil, nil
	case x.Answer == nil:
		a.mu.Lock()
		defer a.mu.Unlock()
		a.pending = append(a.pending, r.waiting(x.Ask, args.JSON()))
		return nil, worker.ErrParked
	case x.Answer.Yes && x.Answer.Input != nil:
		return x.Answer.Input, nil
	}
	if input, err = backend.Declined(x.Question); err != nil {
		return nil, r.diverge(fmt.Errorf("call %d cannot be resumed: %w", recorded.N, err))
	}
	return input, nil
}

// rounds lets the server of a call ask a person. recorded is the recorded call that
// continues, if any, and input the answers for its server.
func (r *run) rounds(t *wrappers.Tool, line *record.Call, recorded *record.Made, input json.RawMessage,
	how *backend.Send) {
	if recorded != nil && recorded.Round != nil {
		how.Continue = &backend.Continue{State: recorded.Round.State, Input: input}
	}
	how.Later = func(state string) error {
		return r.journal.Add(&record.Round{N: line.N, State: state, Attempt: line.Attempt})
	}
	if ask := r.script.Ask; ask != nil {
		how.Ask = func(ctx context.Context, q *backend.Question) (*backend.Reply, error) {
			a := r.tree.asks
			a.mu.Lock()
			a.asked++
			many := a.asked > MaxQuestions
			a.mu.Unlock()
			if many {
				return nil, errAsksTooMuch
			}
			return ask(ctx, t.Server, q)
		}
	}
}
