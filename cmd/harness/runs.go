package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/internal/join"
	"github.com/usetools/usetools/cmd/internal/lifetime"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

func (e *env) runsCommand() *cli.Command {
	return &cli.Command{
		Name:  "runs",
		Usage: "list, show, compare and remove recorded runs",
		Description: `The last runs, the newest first, each with its ID, when it began, status, time taken,
number of calls and of failed ones, tools, and first phrase. Filters choose from all
records. With -json a run is an object on one line:

  {"run", "time", "status", "ms", "name", "subject", "session", "dry", "calls",
   "failed", "tools": [], "title", "error", "damaged", "attempts"}

A record that cannot be read is {"unreadable": "why"}. show -json prints {"begin",
"status", "tools", "calls": [{"n", "tool", "place", "args", "done": {"result"}}],
"notes", "end"}; diff -json {"a", "b", "same", "status", "script", "inputs",
"phrases", "calls", "stdout", "value", "error"}, without equal parts. A status is that
of a finished run (ok, compile_error, timeout …), waiting or uncertain for a run that
resumes after people have answered, running, or died for a run whose process ended
without a result. -queue -json prints {"run", "pool", "queued", "state", "name",
"subject", "again", "runner", "front"} of the unfinished runs of a cluster.

The outcome of an effect call that was sent and never answered is unknown; show has
all facts about it. Look first, then settle the call: with happened and -result the
script gets that result, with not harness resume sends the call again. close ends such
a run, or a run whose calls need approval.

  harness runs
  harness runs -status script_error,timeout -since 7d
  harness runs -tool 'git.*' -text 'README'
  harness runs -f                          and later runs, until Ctrl-C
  harness runs show last
  harness runs diff 7f3k last
  harness runs save 7f3k daily-digest
  harness runs settle 7f3k 12              ask the tool that the config names for this
  harness runs settle 7f3k 12 happened -result '{"id": 7}'
  harness runs close 7f3k
  harness runs -queue -cluster nats://127.0.0.1:4222
  harness runs cancel 7f3kqm2xab -cluster nats://127.0.0.1:4222
  harness runs rm -older 30d

The beginning of a run ID is enough if it is unique; last is the newest run. The
records are in the folder of -state, else of the variable USETOOLS_STATE, else in
usetools in your state folder.`,
		Flags: append(append(runFilters(), join.Flags()...),
			&cli.IntFlag{Name: "n", Usage: "the last `N` runs (0 for all)", Value: 50, Validator: atLeast(0), Local: true},
			&cli.BoolFlag{Name: "f", Usage: "also print runs as they begin and end, the newest last", Local: true},
			&cli.BoolFlag{Name: "queue", Usage: "with -cluster: the queued and running runs, the oldest first",
				Local: true},
			recordsFlag()),
		Action: e.runs,
		Commands: []*cli.Command{
			{Name: "show", Usage: "show a run: script, calls in time, output, value", ArgsUsage: "RUN", Action: e.onRun(e.showRun),
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "script", Usage: "print only the script"},
					&cli.BoolFlag{Name: "f", Usage: "also print the calls of a running run as they happen"},
					&cli.BoolFlag{Name: "all", Usage: "show all lines, calls and output"},
				}},
			{Name: "diff", Usage: "compare two runs; the exit code is 1 if they differ", ArgsUsage: "RUN RUN",
				Action: e.onRun(e.diffRuns), Flags: []cli.Flag{&cli.BoolFlag{Name: "all", Usage: "show all differences"}}},
			{Name: "save", Usage: "keep the script of a run under a name, for RunScript", ArgsUsage: "RUN NAME",
				Action: e.onRun(e.saveRun), Flags: []cli.Flag{
					&cli.StringFlag{Name: "about", Usage: "a `LINE` about the script; scripts are searched by it"},
					&cli.BoolFlag{Name: "with-record", Usage: "keep the record with the script, for harness scripts -replay"},
				}},
			{Name: "settle", Usage: "settle a call whose outcome is unknown", ArgsUsage: "RUN CALL [happened|not]",
				Action: e.onRun(e.settleRun), Flags: []cli.Flag{
					&cli.StringFlag{Name: "result", Usage: "the answer of the tool, `JSON` or @FILE: its result, its structured " +
						"value, or a text; required with happened"},
					&cli.BoolFlag{Name: "force", Usage: "accept a result that does not fit the tool's output schema"},
					whoFlag("`NAME` of the person (default: the user of this system)"),
				}},
			{Name: "close", Usage: "end a run that is waiting, uncertain or died: it cannot be resumed", ArgsUsage: "RUN",
				Action: e.onRun(e.closeRun), Flags: []cli.Flag{
					&cli.StringFlag{Name: "why", Usage: "`TEXT` for the record"},
					whoFlag("`NAME` of the person (default: the user of this system)"),
				}},
			{Name: "cancel", Usage: "end a queued or running run of a cluster", ArgsUsage: "RUN",
				Action: e.cancelRun},
			{Name: "rm", Usage: "remove records", ArgsUsage: "[RUN…]", Action: e.removeRuns,
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "older", Usage: "runs that began more than `D` ago: 30d, 12h"},
					&cli.BoolFlag{Name: "all", Usage: "all records"},
					&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask before all are removed"},
				}},
		},
	}
}

// runFilters returns the flags that filter runs.
func runFilters() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "status", Usage: "only runs with `STATUS`, or " + present.NotOK + "; may be repeated, or several with commas",
			Local: true},
		&cli.StringFlag{Name: "tool", Usage: "only runs that called a tool like `PATTERN`, as git.* or *.create_*",
			Local: true},
		&cli.StringFlag{Name: "server", Usage: "only runs that called a tool of `SERVER`", Local: true},
		&cli.StringFlag{Name: "script", Usage: "only runs of the saved script or file `NAME`", Local: true},
		&cli.StringFlag{Name: "text", Usage: "only runs with `TEXT` in script, phrases, output, arguments or errors",
			Local: true},
		&cli.StringFlag{Name: "since", Usage: "only runs that began at `WHEN` or later: 2h, 7d, 15:04, 2006-01-02, " +
			"2006-01-02T15:04:05Z", Local: true},
		&cli.StringFlag{Name: "until", Usage: "only runs that began before `WHEN`", Local: true},
		&cli.StringFlag{Name: "session", Usage: "only runs of the MCP session `ID`", Local: true},
	}
}

// filter returns the filter that the flags describe.
func filter(c *cli.Command, now time.Time) (*store.Filter, error) {
	q := present.Query{Status: c.StringSlice("status"), Tool: c.String("tool"), Server: c.String("server"),
		Script: c.String("script"), Text: c.String("text"), Session: c.String("session"), Since: c.String("since"),
		Until: c.String("until")}
	f, err := q.Filter(outcome.Statuses, now)
	if err != nil {
		return nil, usageError{"-" + err.Error()}
	}
	f.Limit = c.Int("n")
	return f, nil
}

// store opens the records that the flags name. Without a flag, a folder that does not
// exist is an empty store; it is not created.
func (e *env) store(c *cli.Command, o *store.StoreOptions) (*store.Store, error) {
	cl, err := e.connected(context.Background(), c, nil)
	switch {
	case err != nil:
		return nil, err
	case cl != nil:
		return cl.Store(o), nil
	}
	dir, given, err := stateDir(c)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !given:
		return store.Memory(0, o), nil
	case err == nil && !info.IsDir():
		err = errors.New("it is not a folder")
		fallthrough
	case err != nil:
		return nil, usageError{fmt.Sprintf("reading the records in %s: %v", dir, err)}
	}
	return store.Open(dir, o)
}

// noRuns returns a message that names the empty folder, and the flag for another one.
func noRuns(c *cli.Command) string {
	dir, _, err := stateDir(c)
	if join.URL(c) != "" || err != nil {
		return "no run has left a record there yet"
	}
	return fmt.Sprintf("no run has left a record in %s; -state DIR looks where harness run and serve kept theirs "+
		"(-record DIR, -state DIR)", dir)
}

func (e *env) runs(ctx context.Context, c *cli.Command) error {
	if c.Bool("queue") {
		return e.queuedRuns(ctx, c)
	}
	now := time.Now()
	f, err := filter(c, now)
	if err != nil {
		return err
	}
	store, err := e.store(c, nil)
	if err != nil {
		return err
	}
	if c.Bool("f") && store.Dir() == "" && join.URL(c) == "" {
		return usageError{"there is no folder with records yet; -state DIR names one to follow"}
	}
	var follow iter.Seq2[*record.Summary, error]
	if c.Bool("f") {
		follow = store.Follow(ctx, f) // begins before the list, so that no run is missed
	}
	var rows []*record.Summary
	for s, bad := range store.List(ctx, f) {
		if ctx.Err() != nil {
			break
		}
		rows = append(rows, listed(s, bad))
	}
	if c.Bool("f") {
		slices.Reverse(rows)
	}
	if err := e.listRuns(c, rows, true); err != nil {
		return err
	}
	switch {
	case c.Bool("f"):
		return e.followRuns(ctx, c, rows, follow)
	case len(rows) > 0 || ctx.Err() != nil:
	case anyRun(ctx, store):
		e.say(c, "no run matches these filters")
	default:
		e.say(c, "%s", noRuns(c))
	}
	return ctx.Err()
}

// unreadable is the status of a record that cannot be read; Error says why.
const unreadable = "unreadable"

// listed returns an item of a list of runs.
func listed(s *record.Summary, bad error) *record.Summary {
	if bad != nil {
		s = &record.Summary{Status: unreadable, Error: bad.Error()}
		if u := (*store.UnreadableError)(nil); errors.As(bad, &u) {
			s.ID, s.Time = u.ID, u.Time
		}
	}
	return s
}

// anyRun reports whether there is a record.
func anyRun(ctx context.Context, records *store.Store) bool {
	for range records.List(ctx, &store.Filter{Limit: 1}) {
		return true
	}
	return false
}

// followRuns prints later runs, and changes of the listed ones, until Ctrl-C.
func (e *env) followRuns(ctx context.Context, c *cli.Command, list []*record.Summary, follow iter.Seq2[*record.Summary, error]) error {
	shown := map[string]string{} // the status of each run
	for _, s := range list {
		shown[s.ID] = s.Status
	}
	for s, bad := range follow {
		s = listed(s, bad)
		if ctx.Err() != nil || bad == nil && shown[s.ID] == s.Status {
			continue
		}
		shown[s.ID] = s.Status
		if err := e.listRuns(c, []*record.Summary{s}, false); err != nil {
			return err
		}
	}
	return nil
}

// listRuns prints runs as one table, or as an object on each line.
func (e *env) listRuns(c *cli.Command, rows []*record.Summary, header bool) error {
	if len(rows) == 0 {
		return nil
	}
	if !c.Bool("json") {
		return e.show(present.Runs(rows, time.Now(), header))
	}
	for _, s := range rows {
		if s.Tools == nil {
			s.Tools = []string{}
		}
		var v any = s
		if s.Status == unreadable {
			v = map[string]string{unreadable: s.Error}
		}
		if err := e.printLine(v); err != nil {
			return err
		}
	}
	return nil
}

// columns returns the width of a terminal, else COLUMNS, else otherwise.
func columns(w io.Writer, otherwise int) int {
	if n := lifetime.Width(w); n > 0 {
		return n
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 && n < 1<<16 {
		return n
	}
	return otherwise
}

// ascii reports whether the locale is not UTF-8.
func ascii() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(os.Getenv(name)); v != "" {
			return !strings.Contains(v, "utf-8") && !strings.Contains(v, "utf8")
		}
	}
	return runtime.GOOS != "windows" && runtime.GOOS != "darwin"
}

// last is the argument that names the newest run.
const last = "last"

// onRun returns a command's action on the run that its first argument names.
func (e *env) onRun(do func(context.Context, *cli.Command, *store.Store, *record.Run) error) cli.ActionFunc {
	return func(ctx context.Context, c *cli.Command) error {
		records, r, err := e.openRun(ctx, c, c.Args().First())
		if err != nil {
			return err
		}
		return do(ctx, c, records, r)
	}
}

// openRun opens the record that an argument names.
func (e *env) openRun(ctx context.Context, c *cli.Command, id string) (*store.Store, *record.Run, error) {
	store, err := e.store(c, nil)
	if err != nil {
		return nil, nil, err
	}
	r, err := e.loadRun(ctx, c, store, id)
	return store, r, err
}

func (e *env) loadRun(ctx context.Context, c *cli.Command, records *store.Store, id string) (*record.Run, error) {
	if id == last {
		for s, err := range records.List(ctx, nil) {
			if err == nil { // skip unreadable records
				return records.Load(s.ID)
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, notFound("%s", noRuns(c))
	}
	r, err := records.Load(id)
	return r, e.notFound(ctx, c, records, err, "runs")
}

// notFound returns err unchanged if it is not about an unknown ID. Otherwise it names the
// command that lists the IDs.
func (e *env) notFound(ctx context.Context, c *cli.Command, records *store.Store, err error, list string) error {
	switch {
	case !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrAmbiguous):
		return err
	case !anyRun(ctx, records):
		return notFound("%s", noRuns(c))
	}
	return notFound("%v in %s; those there: %s", err, cmp.Or(records.Dir(), "the cluster"), lines(c)(list))
}

// display returns the options for documents about runs.
func (e *env) display(c *cli.Command) *present.Options {
	return &present.Options{Width: columns(e.stdout, 80), Colour: lifetime.Terminal(e.stdout), ASCII: ascii(),
		All: c.Bool("all"), Now: time.Now(), Command: lines(c)}
}
