package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/internal/join"
	"github.com/usetools/usetools/cmd/internal/lifetime"
	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/approval"
	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/serve/remote"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/text"
)

func (e *env) resumeCommand() *cli.Command {
	return &cli.Command{
		Name:      "resume",
		Usage:     "resume a run that waited for approval, was stopped or died",
		ArgsUsage: "RUN",
		Description: `The script runs again from its beginning. Its calls are answered from the record until
all effect calls that were sent have been repeated; then the run continues. No call is
sent twice. A script that makes other calls the second time sends nothing, and ends as
diverged.

At a terminal, pending calls are asked first. Output and exit codes are those of run:
75 if the run waits again, or if a call has an unknown outcome (harness runs settle). A
run that ended at a limit continues with a larger one.

With -cluster, a runner of the -pool resumes the run, with its servers and limits: no
config is needed here.

  harness resume 7f3k
  harness resume last -timeout 5m

The beginning of a run ID is enough if it is unique; last is the newest.`,
		Flags: append([]cli.Flag{
			recordsFlag(),
			&cli.DurationFlag{Name: "timeout", Usage: "time limit of the script (default: that of the run)", HideDefault: true,
				Validator: positive},
			&cli.IntFlag{Name: "memory", Usage: "`MB` of memory for the script's process (default: that of the run)",
				HideDefault: true, Validator: memoryFits},
			&cli.BoolFlag{Name: "copy", Usage: "resume a copied record; resume at most one copy"},
			e.sandboxFlag(),
			poolFlag(),
		}, slices.Concat(valueFlags(), join.Flags())...),
		Action: e.onRun(func(ctx context.Context, c *cli.Command, _ *store.Store, r *record.Run) error {
			return e.resumeRun(ctx, c, r.Begin.ID, nil)
		}),
	}
}

// resumeRun resumes a run, and prints its result. If asked, the run before its calls were
// answered, is not nil, the result may be that of another process that has resumed it since.
func (e *env) resumeRun(ctx context.Context, c *cli.Command, id string, asked *record.Run) error {
	how, err := e.shower(c)
	if err != nil {
		return err
	}
	files := e.files(c)
	defer files.Close()
	files.Asks = true
	store, err := e.store(c, storeOptions(files))
	if err != nil {
		return err
	}
	o := &harness.Options{Catalog: files.Early, Scripts: files.Scripts, Records: store,
		BestEffort: c.String("sandbox") == bestEffort, Version: thisBuild().Version}
	if e.cluster != nil {
		if err := pointless(c, true, "with -cluster: the runner has its own", "sandbox"); err != nil {
			return err
		}
		front, err := e.cluster.Front(&cluster.FrontOptions{Records: store, Pool: c.String("pool"), Version: o.Version})
		if err != nil {
			return err
		}
		defer front.Close()
		o.Elsewhere = front
	}
	h := harness.New(o)
	defer h.Close()
	s := &harness.Script{Origin: harness.Origin{Request: harness.Request{Copy: c.Bool("copy")}}}
	s.Limits.Timeout = c.Duration("timeout")
	if c.IsSet("memory") {
		s.Limits.Memory = e.memoryOf(c)
	}
	if !c.Bool("json") {
		s.Stdout, s.Stderr = e.line.Over(e.stdout), e.line.Over(e.stderr)
	}
	defer e.tellsOfEffects(ctx, s)()
	before := startsSoFar()
	res, err := e.resumed(ctx, c, h, store, s, id)
	if err != nil && asked != nil {
		res, err = resumedElsewhere(ctx, store, asked, err)
		if err == nil && s.Stdout != nil {
			io.WriteString(s.Stdout, res.Stdout)
		}
	}
	e.endLine()
	if err != nil {
		return e.notResumed(c, id, err)
	}
	res.Next.Command = lines(c)
	return e.ended(c, res, s, how, before)
}

// resumed resumes a run. At a terminal it asks the person for the pending answers.
func (e *env) resumed(ctx context.Context, c *cli.Command, h *harness.Harness, store *store.Store, s *harness.Script,
	id string) (*outcome.Result, error) {
	if !e.asksHere(c) {
		return h.Resume(ctx, id, s)
	}
	s.Ask = e.asksServer
	r, err := store.Load(id)
	if err != nil {
		return nil, err
	}
	if len(approval.Open(r)) > 0 && !r.Running {
		if stopped, err := e.askOpen(ctx, store, id); stopped || err != nil {
			return nil, errors.Join(err, &unanswered{id, lines(c)})
		}
	}
	res, err := h.Resume(ctx, id, s)
	if err == nil {
		res, err = e.goOn(ctx, h.Resume, store, s, res)
	}
	return res, err
}

// resumedElsewhere waits for the result of a run that another process, such as the server
// of its client, has resumed since it asked. If none has, it returns err.
func resumedElsewhere(ctx context.Context, store *store.Store, asked *record.Run, err error) (*outcome.Result, error) {
	for {
		r, failed := store.Load(asked.Begin.ID)
		switch {
		case failed != nil || !r.Running && len(r.Attempts) == len(asked.Attempts):
			return nil, err
		case !r.Running:
			return outcome.FromRecord(r)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pollEvery):
		}
	}
}

// unanswered is the error for a question that the person at the terminal did not answer.
type unanswered struct {
	run     string
	command func(args ...string) string
}

func (u *unanswered) Error() string {
	return fmt.Sprintf("not answered: run %s still waits for approval: %s", u.run, u.command("approvals", "show", u.run))
}

// notResumed prints why a run cannot be resumed, and returns the exit code.
func (e *env) notResumed(c *cli.Command, id string, err error) error {
	var no *harness.NotResumableError
	var left *unanswered
	var unknown *record.UnknownError
	code := 0
	hint := ""
	switch {
	case errors.As(err, &left):
		err, code = left, outcome.Waiting.ExitCode()
	case errors.Is(err, store.ErrRunning):
		code = outcome.Waiting.ExitCode()
	case errors.As(err, &unknown):
		code, hint = outcome.Uncertain.ExitCode(), "; see: "+lines(c)("runs", "show", id)
	case errors.Is(err, store.ErrCopy):
		code, hint = exitUsage, ": -copy resumes this copy; resume no other one"
	case errors.As(err, &no):
		err, code = no, exitUsage
	case errors.Is(err, store.ErrEnded):
		code = exitUsage
	default:
		return err
	}
	e.tell(err.Error() + hint)
	return exit(code)
}

// asksHere reports whether questions are asked at the terminal.
func (e *env) asksHere(c *cli.Command) bool { return !c.Bool("json") && e.converses() }

// goOn asks the person at the terminal for a run's pending answers and resumes it, until
// it ends or the person does not answer.
func (e *env) goOn(ctx context.Context, resume func(context.Context, string, *harness.Script) (*outcome.Result, error),
	store *store.Store, s *harness.Script, res *outcome.Result) (*outcome.Result, error) {
	for res.Status == outcome.Waiting && len(res.Waiting) > 0 {
		stopped, err := e.askOpen(ctx, store, res.Run)
		if stopped || err != nil {
			return res, err
		}
		if res, err = resume(ctx, res.Run, s); err != nil {
			return nil, err
		}
	}
	return res, nil
}

// askOpen asks for all pending answers of a run, one by one. stopped reports whether the
// person did not answer one.
func (e *env) askOpen(ctx context.Context, records *store.Store, id string) (stopped bool, err error) {
	e.line.Clear()
	for n, asked := 1, map[string]bool{}; ; n++ {
		r, err := records.Load(id) // other processes may answer meanwhile
		if err != nil {
			return false, err
		}
		open := slices.DeleteFunc(approval.Open(r), func(a *approval.Call) bool { return asked[a.A] })
		if len(open) == 0 {
			return false, nil
		}
		a := open[0]
		asked[a.A] = true
		answer, err := e.askApproval(ctx, a, fmt.Sprintf("%d of %d", n, n+len(open)-1))
		if err != nil || answer == nil {
			return true, nil
		}
		err = records.Answer(a.ID, answer)
		switch {
		case errors.Is(err, store.ErrAnswered), errors.Is(err, store.ErrExpired), errors.Is(err, store.ErrEnded):
			fmt.Fprintln(e.stderr, present.Visible(approval.Refused(a, err), 1000, ascii()))
		case err != nil:
			return false, err
		}
	}
}

// askApproval shows a call in full and asks for approval. It returns nil without an error
// if the person does not answer.
func (e *env) askApproval(ctx context.Context, a *approval.Call, which string) (*record.Answer, error) {
	fmt.Fprintf(e.stderr, "\n%s: ", which)
	o := &present.Options{Width: columns(e.stderr, 80), Colour: lifetime.Terminal(e.stderr), ASCII: ascii(), Now: time.Now()}
	if err := a.Document(o.Now).Terminal(e.stderr, o); err != nil {
		return nil, err
	}
	answer := &record.Answer{Yes: true, Who: userName(), How: "terminal", Until: time.Now().Add(record.GrantFor)}
	if a.Question != nil {
		var err error
		answer.Input, err = e.answerQuestions(ctx, a)
		return answer, err
	}
	question, words := "\nSend it? [y/n] ", []string{"yes", "no"}
	switch {
	case a.IsLedger():
		question = "\nMake all these calls? [y/n] "
	case a.AllCalls:
		question, words = fmt.Sprintf("\nSend it? [y/n; a: yes, and all calls of %s in this run] ",
			present.Visible(a.Tool, 200, ascii())), append(words, "all")
	}
	word, err := e.chosen(ctx, question, words...)
	if err != nil {
		return nil, err
	}
	answer.Yes, answer.AllCalls = word != "no", word == "all"
	if !answer.Yes {
		answer.Until = time.Time{}
	}
	return answer, nil
}

// answerQuestions asks the questions that a server has during a call, and returns MCP's
// inputResponses.
func (e *env) answerQuestions(ctx context.Context, a *approval.Call) ([]byte, error) {
	all, err := backend.Questions(a.Question)
	if err != nil {
		return nil, err
	}
	server, _, _ := strings.Cut(a.Tool, ".")
	replies := map[string]*backend.Reply{}
	for _, q := range all {
		reply, err := e.asksServer(ctx, server, q)
		if err != nil {
			return nil, err
		}
		if reply.Action == backend.Cancel {
			return nil, context.Canceled
		}
		replies[q.Key] = reply
	}
	return backend.Answers(replies)
}

// tellsOfEffects prints the unanswered calls when the user ends a script that has sent
// effect calls. stop ends that.
func (e *env) tellsOfEffects(ctx context.Context, s *harness.Script) (stop func()) {
	var mu sync.Mutex
	under := map[int]string{}
	s.OnProgress = func(p record.Progress) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case p.Done != nil:
			delete(under, p.Call.N)
		case p.Call != nil && p.Call.Class != record.Read:
			under[p.Call.N] = p.Call.Tool
		}
	}
	stopped := context.AfterFunc(ctx, func() {
		mu.Lock()
		defer mu.Unlock()
		if len(under) == 0 {
			return
		}
		e.line.Clear()
		tools := slices.Compact(slices.Sorted(maps.Values(under)))
		fmt.Fprintf(e.stderr, "harness: the script is canceled; waiting for the answer of %s (%s); "+
			"Ctrl-C again does not wait\n", text.Count(len(under), "call"), present.Visible(text.List(tools, 3), 500, ascii()))
	})
	return func() { stopped() }
}

// ended prints the result of a run without its output, which is already written, and
// returns the exit code.
func (e *env) ended(c *cli.Command, res *outcome.Result, s *harness.Script, how *shower, before starts) error {
	r := &remote.Result{Result: res, Problems: res.Problems(true, lifetime.Terminal(e.stderr))}
	if res.LookUp {
		r.Shown = res.Shown()
	}
	if s.Dry && !c.Bool("json") {
		io.WriteString(e.stderr, res.LedgerText())
	}
	err := e.showResult(c, r, how)
	var code exit
	if text := took(res, before); text != "" && !c.Bool("json") && (err == nil || errors.As(err, &code)) {
		e.say(c, "%s", text)
	}
	return err
}
