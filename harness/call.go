package harness

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/bridge"
	"github.com/usetools/usetools/harness/internal/room"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/text"
	"github.com/usetools/usetools/wrappers"
)

// Call authorises, validates and makes one call of the running script.
func (r *run) Call(ctx context.Context, asked *worker.Call) (*worker.Answer, error) {
	raw, err := r.call(ctx, asked.Tool, asked.Args)
	return &worker.Answer{Result: raw}, err
}

// Clock is told what the running script has read from its clock.
func (r *run) Clock([]worker.Reading, bool) {}

// Still is asked in a replay.
func (r *run) Still(context.Context, time.Time, int, int) (bool, error) {
	return false, errors.New("this run repeats no other")
}

func (r *run) call(ctx context.Context, id string, args json.RawMessage) (json.RawMessage, error) {
	if isBuiltin(id) {
		return r.callBuiltin(ctx, id, args)
	}
	t := r.allowed[id]
	if t == nil {
		return nil, &worker.DeniedError{Reason: fmt.Sprintf("the script called %.100q, which it does not declare", id)}
	}
	if d := r.decide(t); d.Verdict == IsDenied || d.Verdict == NeedsApproval {
		return nil, &worker.DeniedError{Reason: fmt.Sprintf("%s: %s", id, d.Rule)}
	}
	begin := time.Now()
	r.mu.Lock()
	r.pending = append(r.pending, t.Go())
	r.calls++
	ev := CallEvent{Number: r.calls, Tool: t.Tool, Args: args}
	r.mu.Unlock()
	r.tell(ev)
	res, start, err := r.send(ctx, t, args)
	c := Call{Tool: id, Ms: ms(time.Since(begin) - start), Start: ms(start), cutOff: err != nil && ctx.Err() != nil,
		number: ev.Number}
	var raw json.RawMessage
	switch {
	case err != nil:
		msg := registry.PrintableText(err.Error(), catalog.MaxSaid)
		c.Error = &msg
	case res.IsError:
		msg := cmp.Or(registry.PrintableText(res.Text(), 499), "failed without a message")
		c.Error = &msg
	}
	misfit := ""
	if err == nil {
		raw = res.Raw
		c.Bytes = len(raw)
		if !res.IsError {
			if c.Suspect = bridge.FailureSign(res.Text(), res.Structured); c.Suspect != "" {
				c.text = callText(t, args)
			}
			misfit = r.misfit(t, res)
		}
	}
	r.mu.Lock()
	if misfit != "" && r.misfits[id] == "" {
		r.misfits[id] = misfit
	}
	if err == nil {
		r.sampled(t, args, res, &c)
	}
	if ctx.Err() == nil { // what was still under way when the run ended stays
		i := slices.Index(r.pending, t.Go())
		r.pending = slices.Delete(r.pending, i, i+1)
	}
	r.result.Calls = append(r.result.Calls, c)
	r.mu.Unlock()
	ev.Done = &c
	r.tell(ev)
	return raw, err
}

func (r *run) tell(ev CallEvent) {
	if r.script.OnCall != nil {
		r.script.OnCall(ev)
	}
}

// misfit says why a result does not fit the tool's output schema, "" where it
// does or where there is none.
func (r *run) misfit(t *wrappers.Tool, res *backend.Result) string {
	if err := r.cat.CheckResult(t.Tool, res.Structured); err != nil {
		return text.Cut(err.Error(), 200)
	}
	return ""
}

// doubts warns of results that are not what they claim to be: one line for
// each tool whose results do not fit its output schema, unless the worker has
// named the fields, and one for failures that were reported as successes.
func (r *run) doubts(notes []worker.Note) []string {
	var out []string
	for _, id := range sortedKeys(r.misfits) {
		if !slices.ContainsFunc(notes, func(n worker.Note) bool { return n.Code == bridge.CodeMisfit && n.Tool == id }) {
			out = append(out, fmt.Sprintf("%s: the result does not fit the tool's output schema: %s; JSON(&v) and Raw() have "+
				"it as it came", id, r.misfits[id]))
		}
	}
	n, first := 0, Call{}
	for _, c := range r.result.Calls {
		if c.Suspect != "" {
			if n++; n == 1 || c.number < first.number {
				first = c
			}
		}
	}
	switch n {
	case 0:
	case 1:
		out = append(out, fmt.Sprintf("call %d of %d, %s: reports success, but the result looks like a failure: %s",
			first.number, r.calls, first.text, first.Suspect))
	default:
		out = append(out, fmt.Sprintf("%d of %d calls report success, but the result looks like a failure; the first is "+
			"call %d, %s: %s",
			n, r.calls, first.number, first.text, first.Suspect))
	}
	return out
}

// callText is a call for a reader: harbour.BookBerths({"berth":"B4"}).
func callText(t *wrappers.Tool, args json.RawMessage) string {
	const most = 100 // runes of the arguments
	text := registry.Printable(string(args[:min(len(args), 4*most+1)]), most)
	if text == "{}" {
		text = ""
	}
	return fmt.Sprintf("%s(%s)", t.Go(), text)
}

// starter is a Caller that tells the start of a server from the call.
type starter interface {
	Ready(ctx context.Context, server string) error
}

// leastStart is what counts as waiting for a server's start.
const leastStart = time.Millisecond

// send makes a call, and says how long its server took to start. Its result has
// room until ctx ends.
func (r *run) send(ctx context.Context, t *wrappers.Tool, args json.RawMessage) (res *backend.Result,
	start time.Duration, err error) {
	defer func() {
		if p := recover(); p != nil { // one backend's fault is not the end of the others
			res, err = nil, fmt.Errorf("calling %s failed inside the harness: %.200v", t.ID, p)
		}
	}()
	if r.cat.Calls == nil {
		return nil, 0, errors.New("this harness has no servers to call: give it a config")
	}
	if t.Error != "" { // its program is missing
		return nil, 0, fmt.Errorf("cannot be called: %s", t.Error)
	}
	if err := r.cat.CheckArguments(t.Tool, args); err != nil {
		return nil, 0, err
	}
	h, err := room.UnderWay.Hold(ctx, r.room, t.ID)
	if err != nil {
		return nil, 0, err
	}
	context.AfterFunc(ctx, h.Release)
	defer func() {
		n := 0
		if res != nil {
			n = len(res.Raw)
		}
		if full := h.Come(n); full != nil {
			res, err = nil, full
		}
	}()
	if s, ok := r.cat.Calls.(starter); ok {
		begin := time.Now()
		err := s.Ready(ctx, t.Server)
		if start = time.Since(begin); start < leastStart {
			start = 0
		}
		if err != nil {
			return nil, start, err
		}
	}
	defer r.calling()()
	tenant, shared := r.room.Tenant()
	ctx = backend.WithTenant(ctx, tenant, shared)
	res, err = r.cat.Calls.Call(backend.Expect(ctx, t.Request), t.Server, t.Name, args)
	return res, start, err
}

// calling measures how long calls are under way, until what it returns is called.
func (r *run) calling() (ended func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.callsNow++; r.callsNow == 1 {
		r.callsSince = time.Now()
	}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.callsNow--; r.callsNow == 0 {
			r.result.Timing.Calls += ms(time.Since(r.callsSince))
		}
	}
}
