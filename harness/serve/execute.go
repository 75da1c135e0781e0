package serve

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/serve/guard"
	"github.com/usetools/usetools/harness/serve/observe"
	"github.com/usetools/usetools/harness/serve/transport"
	"github.com/usetools/usetools/registry"
)

//lint:file-ignore SA1019 clients still speak the revisions that log through the protocol

func executeTool(description string) *mcp.Tool {
	return &mcp.Tool{Name: "execute", Description: description, InputSchema: schema(executeSchema)}
}

// execute checks one script, waits for its turn and runs it. If the run is pending, it asks the
// client's user and resumes the run.
func (c *session) execute(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	begin := time.Now()
	args, err := parseArgs(req.Params.Arguments)
	if err != nil {
		c.s.metrics.Ran("bad_request", time.Since(begin))
		return failure(err), nil
	}
	runs, state := c.runOrRejoin, &waitState{}
	if req.Params.RequestState != "" {
		if state, err = c.answers(req, args); err == nil {
			defer c.s.resumer.hold(state.Run)()
			err = c.recordAnswers(ctx, state, req.Params.InputResponses)
		}
		if err != nil {
			c.account(args, nil, begin).End(outcome.Denied, nil)
			return failure(err), nil
		}
		runs = c.resumption(state.Run)
	}
	args.Request = c.s.records.RequestDigest(c.owner.Subject(), args.Script, args.Inputs, args.DryRun)
	done := func(*outcome.Result) {}
	if c.rejoins() && !args.DryRun {
		done = c.s.harness.Answering(ctx, args.Request)
	}
	res, release, err := c.runInTurn(ctx, req, args, runs, begin)
	defer func() { done(res) }()
	for round := 1; err == nil && res.Status == outcome.Waiting && round <= maxRounds; round++ {
		if req.ProtocolVersion() > transport.LastStateful {
			if ask := c.asksClient(req, args, res, state); ask != nil {
				release()
				return ask, nil
			}
			break
		}
		asked := c.questions(res, elicits(req), state.Asks)
		if len(asked) == 0 {
			break
		}
		state.Asks = slices.AppendSeq(state.Asks, maps.Keys(asked))
		release()
		defer c.s.resumer.hold(res.Run)()
		got := elicit(ctx, req, asked)
		err = c.saveAnswers(res, func(key string) bool { return asked[key] != nil }, got)
		if err == nil {
			res, release, err = c.runInTurn(ctx, req, args, c.resumption(res.Run), begin)
		}
	}
	if release != nil {
		defer release() // once there is an answer, which also takes memory
	}
	if err != nil {
		return failure(err), nil
	}
	res.Next = c.next(req)
	if wantsUncut(req) {
		return uncut(res), nil
	}
	return c.answer(res), nil
}

// next returns how the client of a request can resume a run.
func (c *session) next(req *mcp.CallToolRequest) outcome.Next {
	away, page := false, ""
	if extra := req.GetExtra(); extra != nil {
		away, page = extra.Header.Get(awayHeader) != "", extra.Header.Get(pageHeader)
	}
	return c.s.next(away, page)
}

// next returns how a client can resume a run. away says that it is on another machine: it gets no
// commands, because they name files of this one. page is the console's URL.
func (s *Server) next(away bool, page string) outcome.Next {
	own := s.opts.Approvals != ApprovalsConsole
	if away || !own || s.opts.Command == nil {
		return outcome.Next{Page: page, Asks: !away && own && page == ""}
	}
	return outcome.Next{Command: s.opts.Command}
}

// runs is a function that runs or resumes a script.
type runs func(context.Context, *harness.Script) (*outcome.Result, error)

// runInTurn runs a script when its turn comes. The turn lasts until release is called.
func (c *session) runInTurn(ctx context.Context, req *mcp.CallToolRequest, args *executeArgs, runs runs,
	begin time.Time) (res *outcome.Result, release func(), err error) {
	asked := time.Now()
	release, err = c.s.queue.Acquire(ctx, c.tenant(), c.id)
	if err != nil {
		c.s.metrics.Ran("busy", time.Since(begin))
		return nil, func() {}, err
	}
	c.s.metrics.Waited(time.Since(asked))
	res, err = c.runScript(ctx, req, args, runs, begin)
	return res, release, err
}

// runScript runs a script, which was received at begin, with the current catalog, and accounts for
// it. req is nil if no client waits.
func (c *session) runScript(ctx context.Context, req *mcp.CallToolRequest, args *executeArgs, runs runs,
	begin time.Time) (res *outcome.Result, err error) {
	s := c.s
	cat, done, err := c.catalog(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	stored, err := s.kept.forScript(ctx, c.tenant(), c.keptFor(), args.Script, args.Inputs)
	if err != nil {
		return nil, err
	}
	account := c.account(args, cat.Registry, begin)
	if err := account.Ready(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()

	script := c.script(account)
	if req != nil {
		account.Span, ctx = s.opts.Telemetry.Request(ctx, req.Params.Name)
		if s.opts.Elsewhere != nil {
			account.Span.Elsewhere()
		}
		account.Client = observe.NewNotifier(ctx, req, s.metrics)
		defer account.Client.Close()
		script.Stdout, script.Ask = account.Client, c.relays(req)
		script.Origin.Request.NoAsk = s.records.Dir() == "" && elicits(req) == elicitModes{} && len(cat.Rights) == 0
	}
	script.Source, script.Strict, script.Catalog, script.Dry = args.Script, s.opts.Strict, cat, args.DryRun
	script.Inputs, script.Origin.Request.Digest, script.Origin.Request.Once = args.Inputs, args.Request, args.Once
	script.Origin.Stored = stored
	if args.Timeout > 0 {
		script.Limits.Timeout = min(args.Timeout, s.opts.Limits.Timeout)
	}
	func() {
		defer s.metrics.Recovered("execute", &err)
		res, err = runs(ctx, script)
	}()
	status := internalError
	var once *harness.OnceError
	if err == nil {
		status = res.Status
	} else if errors.As(err, new(*guard.BusyError)) {
		status = "busy"
	} else if ctx.Err() != nil {
		status = outcome.Canceled
	} else if errors.As(err, &once) {
		status = outcome.Denied
	}
	account.End(status, res)
	if err != nil {
		if status == internalError {
			s.log.Error("running a script", "session", c.id, "error", err)
		}
		return nil, err
	}
	s.resumer.watch(res)
	s.memory.Handled(weight(res))
	s.log.Debug("script", "session", c.id, "status", status, "ms", res.Timing.Total, "calls", len(res.Calls))
	return res, nil
}

// rejoins reports whether repeated requests are recognised.
func (c *session) rejoins() bool { return !c.s.opts.NoRejoin && c.owner != guard.Anonymous }

// runOrRejoin runs a script, unless the request is a repetition whose earlier run answers it.
func (c *session) runOrRejoin(ctx context.Context, script *harness.Script) (*outcome.Result, error) {
	known := c.rejoins() || script.Origin.Request.Once != ""
	for try := 1; ; try++ {
		if known {
			if res, err := c.rejoin(ctx, script); res != nil || err != nil {
				return res, err
			}
		}
		res, err := c.s.harness.Run(ctx, script)
		var running *store.RunningError
		switch { // another request began it meanwhile
		case script.Origin.Request.Once != "" && (errors.Is(err, harness.ErrSentAgain) || errors.As(err, &running)):
			continue
		case known && try < 3 && errors.Is(err, harness.ErrSentAgain):
			continue
		}
		return res, err
	}
}

// resumption returns a function that resumes a run, or returns its result if another process resumed
// it.
func (c *session) resumption(run string) runs {
	return func(ctx context.Context, script *harness.Script) (*outcome.Result, error) {
		waits, err := c.recorded(ctx, run)
		if err != nil {
			return nil, err
		}
		if waits.End != nil && waits.End.Status == string(outcome.Waiting) && len(waits.Open()) > 0 {
			return outcome.FromRecord(waits)
		}
		res, err := c.s.harness.ResumeForClient(ctx, run, script)
		var running *store.RunningError
		var ended *harness.NotResumableError
		over := false
		if errors.As(err, &ended) { // it may have ended meanwhile
			now, e := c.recorded(ctx, run)
			over = e == nil && now.End != nil
		}
		if over || errors.As(err, &running) {
			if res, err = c.waitResult(ctx, run); err == nil && !res.Unsettled() {
				c.s.harness.Deliver(run) // its client gets it now
			}
		}
		return res, err
	}
}

// runPollEvery is how often a run of another process is polled.
const runPollEvery = 100 * time.Millisecond

// waitResult waits until no process works on a run, and returns its result.
func (c *session) waitResult(ctx context.Context, id string) (*outcome.Result, error) {
	tick := time.NewTicker(runPollEvery)
	defer tick.Stop()
	for {
		run, err := c.recorded(ctx, id)
		if err != nil {
			return nil, err
		}
		if !run.Running {
			return outcome.FromRecord(run)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("run %s is still under way: %w", id, ctx.Err())
		}
	}
}

// account begins the account of a request that was received at a time.
func (c *session) account(args *executeArgs, tools *registry.Registry, begun time.Time) *observe.Account {
	return observe.NewAccount(c.s.metrics, c.s.audit, &observe.Request{Session: c.id, Token: c.owner.Token(),
		Script: args.Script, Inputs: args.Inputs, Tools: tools}, begun)
}

// internalError is the status of a run that the harness could not finish.
const internalError outcome.Status = "internal_error"

// script returns the settings common to the session's scripts and its calls without one.
func (c *session) script(account *observe.Account) *harness.Script {
	return &harness.Script{Policy: c.policy(), OnProgress: account.Progress, Origin: c.origin()}
}

func (c *session) origin() harness.Origin {
	return harness.Origin{Session: c.id, Shared: c.shared, Subject: c.owner.Subject(), Tenant: c.owner.Key(),
		Anonymous: c.owner == guard.Anonymous, Results: c.results}
}

// policy returns the server's policy with the token's rules.
func (c *session) policy() *policy.Policy { return c.s.opts.Policy.With(c.token, nil) }

// weight estimates how many bytes a run has moved.
func weight(res *outcome.Result) int {
	n := len(res.Value) + len(res.Stdout)
	for _, c := range res.Calls {
		n += c.Bytes
	}
	return n
}
