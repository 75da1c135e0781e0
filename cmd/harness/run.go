package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/internal/lifetime"
	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/serve/remote"
	"github.com/usetools/usetools/registry/backend/mcp"
	"github.com/usetools/usetools/registry/text"
)

func (e *env) runCommand() *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "check a script and run it",
		ArgsUsage: "SCRIPT|-",
		Description: `Prints the script's stdout as it is written, then the value of Return as
indented JSON; everything else goes to stderr. With -json, one Result object.

Exit codes: 0 ok; 1 the script failed; 2 it did not compile, was refused, or a
tool was ambiguous or not found; 3 a limit; 4 denied; 64 usage; 70 the harness
failed, or a resumed run diverged; 75 a call needs approval, or its outcome is
unknown (the output names the commands to continue); 130 canceled.

A call that needs approval (-approve, the config's "approve") is shown at the
terminal, which asks. Elsewhere the run ends as waiting, and -state keeps its record:
harness approvals answers, harness resume resumes. Meanwhile the same script with the
same inputs does not start again (-no-rejoin).

  harness run -config examples/.mcp.json examples/git_digest/main.go
  harness run -input 'paths=["a.txt"]' -timeout 2m script.go
  harness run -watch script.go             run again on each save
  harness run -connect URL script.go       on a running harness serve -http
  harness run -csv script.go >rows.csv     a list that the script returns
  harness run -dry-run script.go           list the calls that it would make
  harness run -record runs/ script.go      and harness replay runs/ replays it
  harness run -state runs/ -approve writes script.go
  echo 'Return(1 + 2)' | harness run -`,
		Flags: append([]cli.Flag{
			&cli.DurationFlag{Name: "timeout", Usage: "time limit of the script", Value: 30 * time.Second,
				Validator: positive},
			&cli.StringSliceFlag{Name: "input",
				Usage: "`NAME=JSON`: a value that the script reads with Input(NAME, &v); NAME=@FILE reads it from a file"},
			memoryFlag("`MB` of memory for the script's process"),
			strictFlag(),
			&cli.StringFlag{Name: "connect",
				Usage: "run it on the harness serve -http at `URL`, whose servers are connected"},
			&cli.StringFlag{Name: "record", Usage: "keep a record of the run in `DIR`, for harness replay"},
			stateFlag("keep a record of the run in `DIR`, where harness runs looks for it"),
			&cli.BoolFlag{Name: "no-rejoin", Usage: "start a new run even if one of the same script and inputs waits (-state)"},
			&cli.BoolFlag{Name: "dry-run", Usage: "make read calls only, and list the other calls"},
			&cli.BoolFlag{Name: "watch", Usage: "run again whenever the script is saved, until Ctrl-C"},
			e.sandboxFlag(),
		}, slices.Concat(e.policyFlags(), valueFlags())...),
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Bool("watch") {
				return e.watch(ctx, c)
			}
			return e.run(ctx, c)
		},
	}
}

func (e *env) checkCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "resolve, generate and type-check a script; run nothing",
		ArgsUsage: "SCRIPT|-",
		Description: `Does what run does before the script's first statement: resolves the phrases,
generates the Go packages of the tools, type-checks and lowers the script. Exit codes
are those of run. -lowered prints the program for the interpreter.

  harness check script.go
  harness check -lowered - <script.go`,
		Flags: []cli.Flag{
			strictFlag(),
			&cli.BoolFlag{Name: "read-only", Usage: "deny tools that are not marked as read-only"},
			e.sandboxFlag(),
			&cli.BoolFlag{Name: "lowered", Usage: "print the program for the interpreter"},
		},
		Action: func(ctx context.Context, c *cli.Command) error { return e.check(ctx, c) },
	}
}

// Values of -sandbox.
const (
	require    = "require"
	bestEffort = "best-effort"
)

func strictFlag() cli.Flag {
	return &cli.BoolFlag{Name: "strict",
		Usage: "refuse tools that no phrase of UseTools declares, and mistakes instead of correcting them with a warning"}
}

func (e *env) sandboxFlag() cli.Flag {
	return choice(e, "sandbox", "`POLICY`: require refuses to run scripts without the full sandbox (Linux); best-effort runs them "+
		"anyway", require, require, bestEffort)
}

// run checks a script and runs it.
func (e *env) run(ctx context.Context, c *cli.Command) error {
	if c.String("connect") != "" {
		return e.connect(ctx, c)
	}
	if err := pointless(c, !c.IsSet("state"), "without -state", "no-rejoin"); err != nil {
		return err
	}
	source, err := e.script(c)
	if err != nil {
		return err
	}
	how, err := e.shower(c)
	if err != nil {
		return err
	}
	s := &harness.Script{Source: source, Strict: c.Bool("strict"),
		Origin: harness.Origin{Name: filepath.Base(c.Args().First())}, Dry: c.Bool("dry-run")}
	if slices.ContainsFunc([]string{"allow", "deny", "approve", "approved", "read-only"}, c.IsSet) {
		s.Policy = policyOf(c)
		if err := s.Policy.Validate(); err != nil {
			return usageError{err.Error()}
		}
	}
	if s.Inputs, err = inputs(c.StringSlice("input")); err != nil {
		return err
	}
	s.Limits.Timeout, s.Limits.Memory = c.Duration("timeout"), e.memoryOf(c)
	return e.runScript(ctx, c, e.files(c), s, how)
}

// runScript runs a script in this process, and prints its result.
func (e *env) runScript(ctx context.Context, c *cli.Command, files *catalog.Files, s *harness.Script, how *shower) (err error) {
	opts := &harness.Options{Catalog: files.Early, Scripts: files.Scripts}
	if opts.Records, opts.Answers, err = recordsOf(c, files); err != nil {
		return err
	}
	kept := opts.Records != nil
	here := e.asksHere(c)
	files.Asks = here || c.IsSet("state")
	if here && !kept {
		opts.Records = store.Memory(1, storeOptions(files)) // to resume runs that need approval at the terminal
	}
	h := e.harness(c, opts)
	if !c.Bool("json") {
		s.Stdout, s.Stderr = e.line.Over(e.stdout), e.line.Over(e.stderr)
	}
	if here {
		s.Ask = e.asksServer
	}
	defer e.tellsOfEffects(ctx, s)()
	before := startsSoFar()
	var res *outcome.Result
	if c.IsSet("state") && !c.Bool("no-rejoin") {
		res, err = e.rejoin(ctx, h, s)
	}
	if res == nil && err == nil {
		res, err = again(ctx, files, s, h.Run)
	}
	if here && err == nil {
		res, err = e.goOn(ctx, h.ResumeForClient, opts.Records, s, res)
	}
	e.endLine()
	if err != nil {
		return err
	}
	if kept {
		res.Next.Command = lines(c)
	}
	if !kept && res.Status == outcome.Waiting {
		return failure{outcome.Denied.ExitCode(), "denied: not answered; with -state DIR the run waits for approval"}
	}
	return e.ended(c, res, s, how, before)
}

// rejoin returns the result of an earlier run of the same script and inputs that must not
// start a second time, and prints its output. If none exists, it returns nil.
func (e *env) rejoin(ctx context.Context, h *harness.Harness, s *harness.Script) (*outcome.Result, error) {
	stdout, stderr := s.Stdout, s.Stderr
	s.Stdout, s.Stderr = nil, nil // an attempt writes only new output
	res, err := h.Rejoin(ctx, s)
	s.Stdout, s.Stderr = stdout, stderr
	if res != nil && stdout != nil {
		e.line.Clear()
		io.WriteString(stdout, res.Stdout)
		io.WriteString(stderr, res.Stderr)
	}
	return res, err
}

// check does everything that run does before the script's first statement.
func (e *env) check(ctx context.Context, c *cli.Command) error {
	source, err := e.script(c)
	if err != nil {
		return err
	}
	how, err := e.shower(c)
	if err != nil {
		return err
	}
	files := e.files(c)
	h := e.harness(c, &harness.Options{Catalog: files.Early, Scripts: files.Scripts})
	s := &harness.Script{Source: source, Strict: c.Bool("strict")}
	if c.Bool("read-only") {
		s.Policy = &policy.Policy{ReadOnly: true}
	}
	before := startsSoFar()
	res, err := again(ctx, files, s, h.Check)
	e.endLine()
	if err != nil {
		return err
	}
	if c.Bool("lowered") && !c.Bool("json") {
		fmt.Fprint(e.stdout, res.Lowered)
		e.report(res, c.Bool("q"))
		if res.Status != outcome.OK {
			return exit(res.Status.ExitCode())
		}
		return nil
	}
	if !c.Bool("lowered") {
		res.Lowered = ""
	}
	err = e.ended(c, res, s, how, before)
	if err == nil && !c.Bool("json") {
		e.say(c, "%s", checked(res))
	}
	return err
}

// again calls do with a script, and a second time if the script did not run because servers
// were unavailable that have since recovered.
func again(ctx context.Context, files *catalog.Files, s *harness.Script,
	do func(context.Context, *harness.Script) (*outcome.Result, error)) (*outcome.Result, error) {
	res, err := do(ctx, s)
	if err == nil && len(res.Down) > 0 && res.Status.ExitCode() == 2 { // the script did not run
		if files.Again(ctx) {
			return do(ctx, s)
		}
		err = ctx.Err() // the user may have ended the wait
	}
	return res, err
}

// recordsOf returns the store for a run's record (-record names a folder for records
// alone), and the store in which a dry run looks for answers of earlier runs. Each may be
// nil.
func recordsOf(c *cli.Command, files *catalog.Files) (records, answers *store.Store, err error) {
	state, given, err := stateDir(c)
	if err != nil && (given || c.Bool("dry-run")) {
		return nil, nil, err
	}
	o := storeOptions(files)
	dir := c.String("record")
	switch {
	case dir != "" && given:
		return nil, nil, usageError{"-record and -state both set the folder of the record: use one"}
	case given:
		dir = state
	}
	if dir != "" {
		if records, err = store.Open(dir, o); err != nil {
			return nil, nil, err
		}
	}
	if _, err := os.Stat(state); err == nil && c.Bool("dry-run") && !given {
		answers, err = store.Open(state, o)
		return records, answers, err
	}
	return records, nil, nil
}

// storeOptions returns the config's settings for records.
func storeOptions(files *catalog.Files) *store.StoreOptions {
	return &store.StoreOptions{Redact: files.Redact, Unfinished: files.Unfinished, Unkept: files.Private}
}

// starts counts the servers that were started, and the time that took.
type starts struct {
	servers int
	took    time.Duration
}

func startsSoFar() starts {
	n, took := mcp.Started()
	return starts{n, took}
}

// took reports where the time of a run went: "6 calls in 0.4 s; starting 5 servers took
// 27 s". It returns "" without calls and starts.
func took(res *outcome.Result, before starts) string {
	var parts []string
	if n := len(res.Calls); n > 0 {
		parts = append(parts, fmt.Sprintf("%s in %s", text.Count(n, "call"), inSeconds(res.Timing.Calls/1000)))
	}
	now := startsSoFar()
	if n := now.servers - before.servers; n > 0 {
		parts = append(parts, fmt.Sprintf("starting %s took %s", text.Count(n, "server"),
			inSeconds((now.took-before.took).Seconds())))
	}
	return strings.Join(parts, "; ")
}

// inSeconds formats a time given in seconds.
func inSeconds(s float64) string {
	switch {
	case s < .1:
		return fmt.Sprintf("%.0f ms", max(1, 1000*s))
	case s < 10:
		return fmt.Sprintf("%.1f s", s)
	}
	return fmt.Sprintf("%.0f s", s)
}

// checked returns the message of a check without errors.
func checked(res *outcome.Result) string {
	var tools []string
	for _, u := range res.Tools {
		if tool := u.Tool + " (" + u.Go + ")"; u.Tool != "" && !slices.Contains(tools, tool) {
			tools = append(tools, tool)
		}
	}
	if len(tools) == 0 {
		return "ok: the script compiles; it declares no tools; nothing was run"
	}
	return "ok: the script compiles; tools: " + strings.Join(tools, ", ") + "; nothing was run"
}

// inputs reads the values of -input.
func inputs(args []string) (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok || name == "" {
			return nil, usageError{fmt.Sprintf("-input %q: want NAME=JSON or NAME=@FILE", arg)}
		}
		if _, twice := out[name]; twice {
			return nil, usageError{fmt.Sprintf("-input %s is given twice", name)}
		}
		data := []byte(value)
		if file, ok := strings.CutPrefix(value, "@"); ok {
			var err error
			if data, err = os.ReadFile(file); err != nil {
				return nil, usageError{fmt.Sprintf("-input %s: %v", name, err)}
			}
		}
		if !json.Valid(data) {
			return nil, usageError{fmt.Sprintf("-input %s: the value is not JSON (a text needs quotes: '%s=\"…\"')", name, name)}
		}
		out[name] = data
	}
	return out, nil
}

// showResult prints a result as JSON, or the parts that are not yet printed: the value, the
// output of a lookup, and the problems. It returns the exit code as an error.
func (e *env) showResult(c *cli.Command, res *remote.Result, s *shower) (err error) {
	if c.Bool("json") {
		if s.images != "" {
			if res.Value, err = s.withoutImages(res.Value); err != nil {
				return err
			}
		}
		err = e.print(res.Result)
	} else {
		if res.Stdout != "" && !strings.HasSuffix(res.Stdout, "\n") && res.Value != nil {
			fmt.Fprintln(e.stdout)
		}
		if res.Value != nil {
			err = s.value(res.Value)
		}
		if res.LookUp {
			e.showGo(res.Shown)
		}
		e.warn(res.Result, s.quiet)
		if res.Status != outcome.OK {
			io.WriteString(e.stderr, res.Problems)
		}
	}
	if err == nil && res.Status != outcome.OK {
		err = exit(res.Status.ExitCode())
	}
	return err
}

// report prints warnings and errors.
func (e *env) report(res *outcome.Result, quiet bool) {
	e.warn(res, quiet)
	if res.Status != outcome.OK {
		io.WriteString(e.stderr, res.Problems(true, lifetime.Terminal(e.stderr)))
	}
}

func (e *env) warn(res *outcome.Result, quiet bool) {
	if quiet {
		return
	}
	for _, w := range res.Warnings {
		fmt.Fprintln(e.stderr, "warning:", w)
	}
}
