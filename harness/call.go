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
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/text"
	"github.com/usetools/usetools/wrappers"
)

// Call authorises, validates and makes one call of the running script, or answers
// it from the record that is replayed.
func (r *run) Call(ctx context.Context, c *worker.Call) (*worker.Answer, error) {
	path, replay := r.path+c.Path, r.tree.replay
	switch {
	case c.Tool == bridge.RunScript:
		if replay != nil {
			replay.runs(r)
		}
		raw, err := r.runSaved(ctx, path, c)
		if replay != nil {
			replay.ran(r)
		}
		return &worker.Answer{Result: raw}, err
	case replay != nil:
		return replay.call(ctx, r, path, c)
	}
	raw, err := r.call(ctx, path, c)
	return &worker.Answer{Result: raw}, err
}

// call makes a call of the running script.
func (r *run) call(ctx context.Context, path string, c *worker.Call) (json.RawMessage, error) {
	line := &record.Call{N: r.journal.next(), Path: path, Place: c.Place, Tool: c.Tool}
	if c.Tool == bridge.OwnDiscovery {
		return r.askHarness(line, c.Args)
	}
	t := r.allowed[c.Tool]
	if t == nil {
		return nil, r.refuse(line, c.Args, fmt.Sprintf("the script called %.100q, which it does not declare", c.Tool))
	}
	if d := r.decideCall(t, c.Args); d.Verdict == IsDenied || d.Verdict == NeedsApproval {
		return nil, r.refuse(line, c.Args, fmt.Sprintf("%s: %s", c.Tool, d.Rule))
	}
	r.mu.Lock()
	r.pending = append(r.pending, t.Go())
	r.mu.Unlock()
	res, err := r.make(ctx, t, line, c.Args)
	r.mu.Lock()
	if ctx.Err() == nil { // what was still under way when the run ended stays
		i := slices.Index(r.pending, t.Go())
		r.pending = slices.Delete(r.pending, i, i+1)
	}
	r.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return res.Raw, nil
}

// refuse is the end of a run that makes a call which it may not make.
func (r *run) refuse(line *record.Call, args json.RawMessage, why string) error {
	line.Class, line.Tool = record.Effect, text.Cut(line.Tool, 200)
	line.Args, _ = argumentsOf(args)
	r.journal.add(line)
	r.journal.add(&record.Done{N: line.N, Kind: record.NotSent, Denied: true, Error: why, Message: why})
	return &worker.DeniedError{Reason: why}
}

// argumentsOf are the arguments of a call as its line has them: in their form, or,
// with an error that says why they have none, as a text, so that they can be seen.
func argumentsOf(args json.RawMessage) (record.Data, error) {
	formed, err := record.Arguments(args)
	if err != nil {
		return record.String(string(args)), err
	}
	return record.Raw(formed), nil
}

// make is the one way of a call: its arguments get their form, its line goes to
// the record directly before its first byte leaves, and what became of it after
// that. In a dry run what is no read is not sent.
func (r *run) make(ctx context.Context, t *wrappers.Tool, line *record.Call, args json.RawMessage) (*backend.Result,
	error) {
	begin := time.Now()
	r.mu.Lock()
	r.calls++
	number := r.calls
	r.mu.Unlock()
	line.Time = begin
	line.Class, _ = r.cat.Class(t.Tool)
	var err error
	if line.Args, err = argumentsOf(args); err == nil {
		args = line.Args.JSON
	}
	if err == nil && r.unsent(line.Class) {
		if err = r.cat.CheckArguments(t.Tool, args); err == nil {
			return r.answerDry(t, line, args)
		}
	}
	told := *line
	r.journal.say(&told)
	done := &record.Done{N: line.N}
	var res *backend.Result
	var start time.Duration
	sent := false
	if err == nil {
		sending := func(ctx context.Context) error {
			line.Time = time.Now()
			if err := r.journal.add(line); err != nil {
				return err
			}
			sent = true
			if line.Class == record.Read {
				return nil
			}
			return r.journal.sync()
		}
		res, start, err = r.send(ctx, t, args, &backend.Send{Effect: line.Class != record.Read, Sending: sending})
	}
	done.Time, done.Ms, done.Start = time.Now(), ms(time.Since(begin)-start), ms(start)
	done.Kind, done.Cut = kindOfCall(err, sent), ctx.Err() != nil
	if !sent { // the script has its answer all the same
		r.journal.add(line)
	}
	c := Call{Tool: t.ID, Class: line.Class, Ms: done.Ms, Start: done.Start, cutOff: err != nil && ctx.Err() != nil,
		number: number}
	misfit := ""
	switch {
	case err != nil:
		done.Error = err.Error()
		msg := registry.PrintableText(done.Error, catalog.MaxSaid)
		c.Error = &msg
	default:
		done.Result, done.Bytes, done.Failed = record.Raw(res.Raw), len(res.Raw), res.IsError
		c.Bytes = len(res.Raw)
		if res.IsError {
			msg := cmp.Or(registry.PrintableText(res.Text(), 499), "failed without a message")
			c.Error = &msg
			break
		}
		if c.Suspect = bridge.FailureSign(res.Text(), res.Structured); c.Suspect != "" {
			c.text = callText(t, args)
		}
		done.Suspect = c.Suspect
		misfit = r.misfit(t, res)
	}
	if c.Error != nil {
		done.Message = *c.Error
	}
	r.journal.add(done) // what cannot be written ends the sending, see add
	r.journal.say(done)
	r.mu.Lock()
	defer r.mu.Unlock()
	if misfit != "" && r.misfits[t.ID] == "" {
		r.misfits[t.ID] = misfit
	}
	if err == nil {
		r.sampled(t, args, res, &c)
	}
	r.result.Calls = append(r.result.Calls, c)
	return res, err
}

// kindOfCall is what is known of a call that has ended.
func kindOfCall(err error, sent bool) record.Kind {
	switch backend.OutcomeOf(err, sent) {
	case backend.NotSent:
		return record.NotSent
	case backend.Unread:
		return record.Unread
	case backend.Unknown:
		return record.Uncertain
	}
	return record.Answered
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
func (r *run) send(ctx context.Context, t *wrappers.Tool, args json.RawMessage, how *backend.Send) (res *backend.Result,
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
	ctx = backend.WithSend(backend.WithTenant(ctx, tenant, shared), how)
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
