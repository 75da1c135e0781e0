package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/bridge"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/text"
	"github.com/usetools/usetools/wrappers"
)

// Call authorises, validates and makes one call of the running script, or answers it from
// the record that is replayed.
func (r *run) Call(ctx context.Context, c *worker.Call) (*worker.Answer, error) {
	path := r.path + c.Path
	if c.Tool == bridge.RunScript {
		ended := r.answers.RunScript()
		raw, err := r.runSaved(ctx, path, c)
		ended(!errors.Is(err, worker.ErrParked))
		return &worker.Answer{Result: raw}, err
	}
	args := registry.ReadArgs(c.Args)
	answer, recorded, err := r.answers.Ask(ctx, path, c, argsData(args).JSON)
	if answer != nil {
		return r.earlier(ctx, recorded, args, answer, err)
	}
	if err == nil {
		err = c.Slot(ctx)
	}
	if err != nil {
		return nil, err
	}
	raw, err := r.call(ctx, path, c, args, recorded)
	return &worker.Answer{Result: raw}, err
}

// call makes a call of the running script. recorded is the recorded call that continues, or
// nil.
func (r *run) call(ctx context.Context, path string, c *worker.Call, args registry.Args, recorded *record.Made) (
	json.RawMessage, error) {
	line := &record.Call{Path: path, Place: c.Place, Tool: c.Tool, Attempt: r.journal.Attempt(), Args: argsData(args)}
	if recorded != nil {
		state, _ := recorded.State(false)
		if state != record.Waiting && (state != record.Unknown || recorded.Class != record.Idempotent) {
			return nil, r.diverge(fmt.Errorf("call %d is %s in the record and cannot be made again", recorded.N, state))
		}
		line.N, line.Key = recorded.Call.N, recorded.Call.Key
	} else {
		line.N = r.journal.NextCall()
	}
	if c.Tool == bridge.OwnDiscovery {
		return r.askHarness(line, c.Args)
	}
	t := r.bound.Allowed[c.Tool]
	if t == nil {
		if why := r.changed[c.Tool]; why != nil {
			return nil, r.diverge(why)
		}
		return nil, r.refuse(line, fmt.Sprintf("the script called %.100q, which it does not declare", c.Tool))
	}
	if d := r.bound.Decide(t); d.Verdict == policy.IsDenied && recorded == nil {
		return nil, r.refuse(line, fmt.Sprintf("%s: %s", c.Tool, d.Rule))
	}
	if recorded != nil && recorded.Round == nil && recorded.Call.Ask == "" {
		if d := r.bound.DecideCall(t, args, r.facts(t, args)); d.Verdict != policy.IsAllowed {
			return nil, r.diverge(fmt.Errorf("call %d of %s may have been made; it now needs approval to be made again: "+
				"%s; settle it first", recorded.N, t.ID, d.Rule))
		}
	}
	r.mu.Lock()
	r.pending = append(r.pending, t.Go())
	r.mu.Unlock()
	res, err := r.makeCall(ctx, t, line, args, recorded)
	var denied *worker.DeniedError
	var changed *changedError
	r.mu.Lock()
	if ctx.Err() == nil && !errors.Is(err, worker.ErrParked) { // calls in progress when the run ends stay listed
		i := slices.Index(r.pending, t.Go())
		r.pending = slices.Delete(r.pending, i, i+1)
	}
	r.mu.Unlock()
	switch {
	case errors.As(err, &denied):
		return nil, r.refuse(line, denied.Reason)
	case errors.As(err, &changed):
		return nil, r.diverge(changed)
	case err != nil:
		return nil, err
	}
	return res.Raw, nil
}

// refuse ends the run because of a forbidden call.
func (r *run) refuse(line *record.Call, why string) error {
	line.Class, line.Tool = record.Effect, text.Cut(line.Tool, 200)
	r.journal.Add(line)
	r.journal.Add(&record.Done{N: line.N, Kind: record.NotSent, Denied: true, Error: why, Message: why})
	return &worker.DeniedError{Reason: why}
}

// argsData returns the arguments of a call as its line records them. Invalid arguments are
// recorded as a text, so that they can be shown.
func argsData(args registry.Args) record.Data {
	if args.Err() != nil {
		return record.String(string(args.JSON()))
	}
	return record.Raw(args.JSON())
}

// States of a call that is about to be sent.
const (
	notSent    = iota
	isSent     // its line is written or being written
	isCanceled // the run has ended
)

// makeCall is the only path of a call: it checks the arguments, asks a person for approval if
// needed, writes the call's line to the record directly before sending, and its outcome
// afterwards. In a dry run an effect call is not sent. recorded is the recorded call that
// continues, or nil.
//
// An effect call is not canceled once it has been sent: if the run ends, its answer is
// awaited and recorded.
func (r *run) makeCall(ctx context.Context, t *wrappers.Tool, line *record.Call, given registry.Args,
	recorded *record.Made) (*backend.Result, error) {
	begin := time.Now()
	line.Time = begin
	line.Class = r.class(t)
	args := given.JSON()
	err := r.bound.Catalog.CheckArguments(t.Tool, given)
	var input json.RawMessage // the answer to its server's question
	if err == nil && recorded != nil {
		if input, err = r.serverInput(t, given, recorded); err != nil {
			return nil, err
		}
	}
	var expires time.Time // when the used approval expires
	if err == nil && recorded == nil && !r.unsent(line.Class) {
		line.Ask, expires, err = r.approve(t, line, given)
		var denied *worker.DeniedError
		var changed *changedError
		if errors.Is(err, worker.ErrParked) || errors.As(err, &denied) || errors.As(err, &changed) {
			return nil, err
		}
		if err == nil && line.Ask != "" {
			if err := r.confirmTool(ctx, t); err != nil {
				return nil, err
			}
		}
	}
	r.mu.Lock()
	r.calls++
	number := r.calls
	r.mu.Unlock()
	if err == nil && r.unsent(line.Class) {
		return r.answerDry(t, line, given)
	}
	effect := line.Class != record.Read
	if line.Key == "" && effect && r.bound.Catalog.Server(t.Server).Idempotency > 0 {
		line.Key = idempotencyKey()
	}
	copied := *line
	r.journal.Tell(record.Progress{Call: &copied})
	done := &record.Done{N: line.N}
	var res *backend.Result
	var start time.Duration
	var sending atomic.Int32
	if recorded != nil { // in an earlier attempt
		sending.Store(isSent)
	}
	ended := backend.NotSent
	if err == nil {
		sendCtx := ctx
		if effect {
			var cancel context.CancelFunc
			sendCtx, cancel = context.WithCancel(context.WithoutCancel(ctx))
			defer cancel()
			defer context.AfterFunc(ctx, func() {
				if sending.CompareAndSwap(notSent, isCanceled) { // a sent call is not canceled
					cancel()
				}
			})()
		}
		how := &backend.Send{Effect: effect, Key: line.Key, Within: r.journal.SentWithin()}
		how.Sending = func(context.Context) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			if !expires.IsZero() && !r.journal.Now().Before(expires.Add(-time.Second)) {
				return fmt.Errorf("its approval expired at %s", expires.Format(time.RFC3339))
			}
			if effect && recorded == nil {
				if why := r.tree.asks.doubtAbout(line, args); why != "" {
					return errors.New(why)
				}
			}
			if recorded == nil && !sending.CompareAndSwap(notSent, isSent) {
				return ctx.Err()
			}
			err := r.journal.Sending(line, recorded)
			if err != nil && recorded == nil {
				sending.Store(notSent)
			}
			return err
		}
		r.rounds(t, line, recorded, input, how)
		res, start, err = r.send(sendCtx, ctx, t, given, how)
		ended = how.Outcome(err)
	}
	if asks := (*backend.InputRequiredError)(nil); errors.As(err, &asks) && r.canWait() {
		if err = r.question(line, args, asks); errors.Is(err, worker.ErrParked) {
			return nil, err
		}
		ended = backend.Unknown // it waits for an answer that cannot come
	}
	done.Time, done.Ms, done.Start = time.Now(), ms(time.Since(begin)-start), ms(start)
	done.Kind, done.Cut = kindOfCall(ended), ctx.Err() != nil
	if recorded != nil && done.Kind == record.NotSent { // the call keeps its state
		if state, _ := recorded.State(false); state == record.Unknown {
			r.addUnresolved(line, args, "its outcome is unknown, and it could not be made again: "+err.Error())
			return nil, worker.ErrParked
		}
		return nil, r.diverge(fmt.Errorf("call %d (%s) cannot be resumed now: %w", line.N, t.ID, err))
	}
	if sending.Load() != isSent { // the script gets its answer nevertheless
		r.journal.Add(line)
	}
	// An unknown outcome is returned to the script only if the script handles it.
	lost := effect && done.Kind == record.Uncertain && r.canWait()
	if lost && r.handlesUncertain && !done.Cut {
		err, lost = &worker.CallError{Code: bridge.CodeUncertain, Err: err}, false
	}
	done.Cut = done.Cut || lost
	c := outcome.Call{Tool: t.ID, Class: line.Class, Ms: done.Ms, Start: done.Start, Number: number,
		CutOff: err != nil && ctx.Err() != nil && (lost || !effect || done.Kind != record.Uncertain)}
	misfit := ""
	switch {
	case err != nil:
		done.Error = err.Error()
		msg := registry.PrintableText(done.Error, catalog.MaxErrorText)
		c.Error = &msg
	default:
		done.Result, done.Bytes, done.Failed = record.Raw(res.Raw), len(res.Raw), res.IsError
		c.Bytes = len(res.Raw)
		if res.IsError {
			msg := cmp.Or(registry.PrintableText(res.Text(), 499), "failed without a message")
			c.Error = &msg
			break
		}
		if c.Suspect = res.FailureSign(); c.Suspect != "" {
			c.Text = callText(t, args)
		}
		done.Suspect = c.Suspect
		misfit = r.misfit(t, res)
	}
	if c.Error != nil {
		done.Message = *c.Error
	}
	if effect {
		r.tree.asks.addDoubt(line, done.Kind, args)
	}
	r.journal.Add(done) // a failed write stops further sending, see add
	if r.tree.flow != nil {
		var raw json.RawMessage
		if res != nil {
			raw = res.Raw
		}
		r.tree.flow.addResult(r.journal.ID(), line, done, raw)
	}
	r.journal.Tell(record.Progress{Call: &copied, Done: done})
	if lost {
		r.addUnresolved(line, args, err.Error())
		err = worker.ErrParked
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if misfit != "" && r.misfits[t.ID] == "" {
		r.misfits[t.ID] = misfit
	}
	if err == nil {
		r.addSample(t, args, res, &c)
	}
	r.result.Calls = append(r.result.Calls, c)
	if effect && (done.Kind == record.Unread || done.Kind == record.Answered && c.Error == nil) {
		r.result.AddEffect(r.placed(line.Place).At(), t.ID, args)
	}
	return res, err
}

// class returns the stricter of the tool's present class and its class when the run began.
func (r *run) class(t *wrappers.Tool) record.Class {
	class, _ := r.bound.Catalog.Class(t.Tool)
	switch was := r.classes[t.ID]; {
	case was == record.Effect, was == record.Idempotent && class == record.Read:
		return was
	}
	return class
}

// kindOfCall returns the recorded kind of an ended call.
func kindOfCall(o backend.Outcome) record.Kind {
	switch o {
	case backend.NotSent:
		return record.NotSent
	case backend.Unread:
		return record.Unread
	case backend.Unknown:
		return record.Uncertain
	}
	return record.Answered
}

// misfit returns why a result does not fit the tool's output schema, or "" if it fits or
// the tool has no schema.
func (r *run) misfit(t *wrappers.Tool, res *backend.Result) string {
	if err := r.bound.Catalog.CheckResult(t.Tool, res); err != nil {
		return text.Cut(err.Error(), 200)
	}
	return ""
}

// doubts returns warnings about results that do not fit their tool's output schema, one for
// each tool, unless the worker has named the fields.
func (r *run) doubts(notes []worker.Note) []string {
	var out []string
	for _, id := range sortedKeys(r.misfits) {
		if !slices.ContainsFunc(notes, func(n worker.Note) bool { return n.Code == bridge.CodeMisfit && n.Tool == id }) {
			out = append(out, fmt.Sprintf("%s: the result does not fit the tool's output schema: %s; JSON(&v) and Raw() return "+
				"it unchanged", id, r.misfits[id]))
		}
	}
	return out
}

// suspects returns a warning about results that claim success but look like failures: one
// for a script, including all that it runs through RunScript.
func (r *run) suspects() []string {
	n, first := 0, outcome.Call{}
	for _, c := range r.result.Calls {
		if c.Suspect != "" {
			if n++; n == 1 || c.Number < first.Number {
				first = c
			}
		}
	}
	all := max(r.calls, len(r.result.Calls))
	switch {
	case n == 0 || r.script.depth > 0:
		return nil
	case n == 1:
		return []string{fmt.Sprintf("call %d of %d, %s: reports success, but the result looks like a failure: %s",
			first.Number, all, first.Text, first.Suspect)}
	}
	return []string{fmt.Sprintf("%d of %d results look like failures; for example call %d: %s", n, all, first.Number, first.Suspect)}
}

// callText returns a call as text: harbour.BookBerths({"berth":"B4"}).
func callText(t *wrappers.Tool, args json.RawMessage) string {
	const most = 100 // runes of the arguments
	text := registry.Printable(string(args), most)
	if text == "{}" {
		text = ""
	}
	return fmt.Sprintf("%s(%s)", t.Go(), text)
}
