package serve

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness"
)

//lint:file-ignore SA1019 clients still speak the revisions that log through the protocol

func executeTool(description string) *mcp.Tool {
	return &mcp.Tool{Name: "execute", Description: description, InputSchema: schema(executeSchema)}
}

// execute checks one script, waits for a place and runs it.
func (c *session) execute(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	begin := time.Now()
	args, err := parseArgs(req.Params.Arguments)
	if err != nil {
		c.s.metrics.ran("bad_request", time.Since(begin))
		return failure(err), nil
	}
	approved, refused := c.approvals(req, args.hash())
	if refused != nil {
		c.account(args, nil, begin).end(harness.Denied, refused.result())
		return failure(refused), nil
	}
	release, err := c.s.queue.acquire(ctx, c.tenant(), c.id)
	if err != nil {
		c.s.metrics.ran("busy", time.Since(begin))
		return failure(err), nil
	}
	defer release() // when there is an answer: that takes memory, too
	c.s.metrics.waited(time.Since(begin))
	res, err := c.runScript(ctx, req, args, approved, begin)
	if err != nil {
		return failure(err), nil
	}
	if !c.s.tasks.is(taskOf(ctx)) {
		if ask := c.askApproval(req, args, res); ask != nil {
			return ask, nil
		}
	}
	if wantsWhole(req) {
		return whole(res), nil
	}
	return c.answer(res), nil
}

// runScript runs a script, which came at begin, with the catalog of the moment,
// and records what happened.
func (c *session) runScript(ctx context.Context, req *mcp.CallToolRequest, args *executeArgs, approved []string,
	begin time.Time) (res *harness.Result, err error) {
	s := c.s
	cat, done, err := c.catalog(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	told := c.account(args, cat.Registry, begin)
	if err := told.audit.ready(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()

	told.span, ctx = s.otel.begin(ctx, req)
	told.client, told.task = c.notify(ctx, req), taskOf(ctx)
	defer told.client.close()
	script := c.script(approved, told)
	script.Source, script.Strict, script.Catalog, script.Dry = args.Script, s.opts.Strict, cat, args.DryRun
	script.Inputs, script.Stdout = args.Inputs, told.client
	if c.keeps {
		script.Stored = s.kept.forScript(c.id, args.Script)
	}
	if args.Timeout > 0 {
		script.Limits.Timeout = min(args.Timeout, s.opts.Limits.Timeout)
	}
	func() {
		defer s.recovered("execute", &err)
		res, err = s.harness.Run(ctx, script)
	}()
	status := internalError
	if err == nil {
		status = res.Status
	} else if ctx.Err() != nil {
		status = harness.Canceled
	}
	told.end(status, res)
	if err != nil {
		s.log.Error("running a script", "session", c.id, "error", err)
		return nil, err
	}
	s.handled(weight(res))
	s.log.Debug("script", "session", c.id, "status", status, "ms", res.Timing.Total, "calls", len(res.Calls))
	return res, nil
}

// internalError is the status of a run that the harness did not bring to an end.
const internalError harness.Status = "internal_error"

// script is what scripts of the session, and its calls without one, have in common.
func (c *session) script(approved []string, told *account) *harness.Script {
	return &harness.Script{Policy: c.policy(), Approved: approved, Results: c.results, Session: c.id,
		Subject: c.owner.subject(), Anonymous: c.owner == nobody, OnLine: told.line}
}

// policy is that of the server with the token's rules.
func (c *session) policy() *harness.Policy { return c.s.opts.Policy.With(c.token, nil) }

// weight is about how many bytes a run has moved.
func weight(res *harness.Result) int {
	n := len(res.Value) + len(res.Stdout)
	for _, c := range res.Calls {
		n += c.Bytes
	}
	return n
}
