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
	"unicode/utf8"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/internal/join"
	"github.com/usetools/usetools/cmd/internal/lifetime"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

func (e *env) runsCommand() *cli.Command {
	c := &cli.Command{
		Name:  "runs",
		Usage: "list, show, compare and remove recorded runs",
		Description: `The last runs, the newest first: of each its ID, when it began, how it ended, how
long it took, its calls and how many of them failed, the tools that it called,
and its first phrase. Filters choose from all records. With -json a run is an
object on one line:

  {"run", "time", "status", "ms", "name", "subject", "session", "dry", "calls",
   "failed", "tools": [], "title", "error", "damaged", "attempts"}

A record that cannot be read is {"unreadable": "why"}. show -json prints {"begin",
"status", "tools", "calls": [{"n", "tool", "place", "args", "done": {"result"}}],
"notes", "end"}, with what a record has in each; diff -json {"a", "b", "same",
"status", "script", "inputs", "phrases", "calls", "stdout", "value", "error"},
without what is the same. A status is one that a run ends with (ok, compile_error,
timeout …), waiting or uncertain for one that goes on once people have answered,
running, or died for a run whose process was ended before it could say how. -queue
-json prints {"run", "pool", "queued", "state", "name", "subject", "again", "runner",
"front"} of what a cluster has not ended: waiting, running, died or ended just now.

Of a call that was sent, and whose answer never came, nobody knows whether it was
made: show has all that is known. Somebody looks, and settle says it: with happened
and -result the script gets that result, with not the call is made again when harness
resume goes on. close ends such a run, or one that waits.

  harness runs
  harness runs -status script_error,timeout -since 7d
  harness runs -tool 'git.*' -text 'README'
  harness runs -f                          and what follows, until Ctrl-C
  harness runs show last
  harness runs diff 7f3k last
  harness runs save 7f3k daily-digest
  harness runs settle 7f3k 12              what does the tool say that the config names for that?
  harness runs settle 7f3k 12 happened -result '{"id": 7}'
  harness runs close 7f3k
  harness runs -queue -cluster nats://127.0.0.1:4222
  harness runs cancel 7f3kqm2xab -cluster nats://127.0.0.1:4222
  harness runs rm -older 30d

Of a run ID as much is enough as no other has; last is the newest. The records
are in the folder of -state, else of the variable USETOOLS_STATE, else in
usetools in your state folder.`,
		Flags: append(append(runFilters(), join.Flags()...),
			&cli.IntFlag{Name: "n", Usage: "the last `N` runs; 0: all", Value: 50, Validator: atLeast(0), Local: true},
			&cli.BoolFlag{Name: "f", Usage: "go on with the runs that begin and end, the newest last", Local: true},
			&cli.BoolFlag{Name: "queue", Usage: "with -cluster: what waits for a runner, and what runs where, the oldest first",
				Local: true},
			stateFlag("the `DIR` with the records (default: $USETOOLS_STATE, else usetools in your state folder)")),
		Action: e.runs,
		Commands: []*cli.Command{
			{Name: "show", Usage: "show a run: script, calls in time, output, value", ArgsUsage: "RUN", Action: e.onRun(e.showRun),
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "script", Usage: "print the script, and nothing else"},
					&cli.BoolFlag{Name: "f", Usage: "go on with what happens, of a run that is under way"},
					&cli.BoolFlag{Name: "all", Usage: "leave nothing out: all lines, calls and output"},
				}},
			{Name: "diff", Usage: "say in what two runs differ; exit code 1 when they do", ArgsUsage: "RUN RUN",
				Action: e.onRun(e.diffRuns), Flags: []cli.Flag{&cli.BoolFlag{Name: "all", Usage: "leave nothing out"}}},
			{Name: "save", Usage: "keep the script of a run under a name, for RunScript", ArgsUsage: "RUN NAME",
				Action: e.onRun(e.saveRun), Flags: []cli.Flag{
					&cli.StringFlag{Name: "about", Usage: "`WHAT` it does, in a line; scripts are searched by it"},
					&cli.BoolFlag{Name: "with-record", Usage: "keep the record with it, for harness scripts -replay"},
				}},
			{Name: "settle", Usage: "say what became of a call of which nobody knows it", ArgsUsage: "RUN CALL [happened|not]",
				Action: e.onRun(e.settleRun), Flags: []cli.Flag{
					&cli.StringFlag{Name: "result", Usage: "what the tool would have answered, `JSON` or @FILE: its result, its " +
						"structured value, or a text; happened wants it"},
					&cli.BoolFlag{Name: "force", Usage: "take a result that does not fit the tool's output schema"},
					&cli.StringFlag{Name: "who", Usage: "who says it (default: the user of this system)"},
				}},
			{Name: "close", Usage: "end a run that waits, is uncertain or died: nothing goes on with it", ArgsUsage: "RUN",
				Action: e.onRun(e.closeRun), Flags: []cli.Flag{
					&cli.StringFlag{Name: "why", Usage: "`TEXT` for the record"},
					&cli.StringFlag{Name: "who", Usage: "who says it (default: the user of this system)"},
				}},
			{Name: "cancel", Usage: "end a run of a cluster that is queued or under way, wherever that is", ArgsUsage: "RUN",
				Action: e.cancelRun},
			{Name: "rm", Usage: "remove records", ArgsUsage: "[RUN…]", Action: e.removeRuns,
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "older", Usage: "those of runs that began longer than `D` ago: 30d, 12h"},
					&cli.BoolFlag{Name: "all", Usage: "all of them"},
					&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask before all are removed"},
				}},
		},
	}
	for _, sub := range c.Commands {
		sub.OnUsageError = wrongUsage
	}
	return c
}

// runFilters are the flags that choose runs.
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

// filter is what the flags choose.
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
		err = errors.New("it is no folder")
		fallthrough
	case err != nil:
		return nil, usageError{fmt.Sprintf("reading the records in %s: %v", dir, err)}
	}
	return store.Open(dir, o)
}

// noRuns says where there is no record, and which flag names another folder.
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
	list := &runList{e: e, json: c.Bool("json"), now: now, ascii: ascii(), width: columns(e.stdout, 0)}
	if c.Bool("f") {
		return e.followRuns(ctx, store, f, list)
	}
	if err := list.print(until(ctx, store.List(ctx, f))); err != nil {
		return err
	}
	if list.rows == 0 && ctx.Err() == nil {
		if anyRun(ctx, store) {
			e.nothing(c, "no run fits these filters")
		} else {
			e.nothing(c, noRuns(c))
		}
	}
	return ctx.Err()
}

// until are runs until ctx ends, which is no fault of theirs.
func until(ctx context.Context, runs iter.Seq2[*record.Summary, error]) iter.Seq2[*record.Summary, error] {
	return func(yield func(*record.Summary, error) bool) {
		for s, err := range runs {
			if ctx.Err() != nil || !yield(s, err) {
				return
			}
		}
	}
}

// anyRun reports whether there is a record.
func anyRun(ctx context.Context, records *store.Store) bool {
	for range records.List(ctx, &store.Filter{Limit: 1}) {
		return true
	}
	return false
}

// followRuns prints the runs that there are, the newest last, and then those that
// begin and end.
func (e *env) followRuns(ctx context.Context, store *store.Store, f *store.Filter, list *runList) error {
	follow := store.Follow(ctx, f) // knows what there is now
	type item struct {
		s   *record.Summary
		err error
	}
	var before []item
	for s, err := range until(ctx, store.List(ctx, f)) {
		before = append(before, item{s, err})
	}
	slices.Reverse(before)
	told := map[string]string{} // the status of what began since
	err := list.print(func(yield func(*record.Summary, error) bool) {
		for _, it := range before {
			if it.err == nil {
				told[it.s.ID] = it.s.Status
			}
			if !yield(it.s, it.err) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	for s, err := range follow {
		if ctx.Err() != nil || err == nil && told[s.ID] == s.Status {
			continue
		}
		if err == nil {
			told[s.ID] = s.Status
		}
		list.now = time.Now()
		if err := list.one(s, err); err != nil {
			return err
		}
	}
	return nil // Ctrl-C is how it ends
}

// runList prints runs, a line each.
type runList struct {
	e      *env
	json   bool
	ascii  bool
	now    time.Time
	width  int   // columns; 0: lines are not cut
	widths []int // of columns, that of tools last
	rows   int
}

// lookAhead are the runs of which the widths of columns are made.
const lookAhead = 50

// print prints runs, and of the first ones how wide the columns are.
func (l *runList) print(runs iter.Seq2[*record.Summary, error]) error {
	if l.json {
		for s, err := range runs {
			if err := l.one(s, err); err != nil {
				return err
			}
		}
		return nil
	}
	type row struct {
		s   *record.Summary
		err error
	}
	head := []string{"run", "when", "status", "took", "calls", "failed"}
	l.widths = nil
	for _, h := range append(head, "tools") {
		l.widths = append(l.widths, len(h))
	}
	var first []row
	flush := func() error {
		if first == nil {
			return nil
		}
		l.line(head, "tools", "title", func(_ int, s string) string { return l.e.paint("1", s) })
		for _, r := range first {
			if err := l.one(r.s, r.err); err != nil {
				return err
			}
		}
		first = nil
		return nil
	}
	n := 0
	for s, err := range runs {
		if n++; n > lookAhead {
			if err := errors.Join(flush(), l.one(s, err)); err != nil {
				return err
			}
			continue
		}
		first = append(first, row{s: s, err: err})
		if err == nil {
			for i, cell := range append(l.cells(s), l.tools(s)) {
				l.widths[i] = max(l.widths[i], utf8.RuneCountInString(cell))
			}
		}
	}
	return flush()
}

// one prints a run.
func (l *runList) one(s *record.Summary, err error) error {
	l.rows++
	if l.json {
		if err != nil {
			return l.e.printLine(map[string]string{"unreadable": err.Error()})
		}
		if s.Tools == nil {
			s.Tools = []string{}
		}
		return l.e.printLine(s)
	}
	if err != nil {
		_, err = fmt.Fprintln(l.e.stdout, l.e.paint(bad, present.Visible("unreadable: "+err.Error(), 500, l.ascii)))
		return err
	}
	return l.line(l.cells(s), l.tools(s), l.title(s), func(i int, cell string) string {
		switch {
		case i == 0:
			return l.e.paint(doubt, cell)
		case i == 2 && s.Status == "ok":
			return cell
		case i == 2:
			return l.e.paint(present.StatusColour(s.Status), cell)
		case i == 5:
			return l.e.paint(bad, cell)
		}
		return cell
	})
}

func (l *runList) cells(s *record.Summary) []string {
	took, failed := present.Duration(s.Ms), ""
	if s.Failed > 0 {
		failed = strconv.Itoa(s.Failed)
	}
	cells := []string{s.ID, l.when(s.Time), s.Status, took, strconv.Itoa(s.Calls), failed}
	for i := range cells {
		cells[i] = present.Visible(cells[i], 40, l.ascii)
	}
	return cells
}

// when says when a run began: of the last day how long ago, else the date.
func (l *runList) when(t time.Time) string {
	local := t.In(l.now.Location())
	switch d := l.now.Sub(t); {
	case d >= 0 && d < 24*time.Hour:
		return present.Ago(t, l.now)
	case d >= 0 && d < 300*24*time.Hour:
		return local.Format("Jan _2 15:04")
	}
	return local.Format(time.DateOnly)
}

// maxToolsShown is how many tools of a run stand in its line.
const maxToolsShown = 3

func (l *runList) tools(s *record.Summary) string {
	names := s.Tools[:min(len(s.Tools), maxToolsShown)]
	out := strings.Join(names, ", ")
	if n := len(s.Tools) - len(names); n > 0 {
		out += fmt.Sprintf(" +%d", n)
	}
	return present.Visible(out, maxCell, l.ascii)
}

func (l *runList) title(s *record.Summary) string {
	var parts []string
	for _, p := range []struct {
		is   bool
		what string
	}{{s.Damaged, "damaged"}, {s.Dry, "dry run"}, {s.Attempts > 1, text.Count(s.Attempts, "attempt")}} {
		if p.is {
			parts = append(parts, "["+p.what+"]")
		}
	}
	if s.Name != "" && s.Name != "-" { // of stdin
		parts = append(parts, s.Name+":")
	}
	parts = append(parts, s.Title)
	if s.Error != "" {
		parts = append(parts, "("+s.Error+")")
	}
	return strings.Join(parts, " ")
}

// maxCell bounds tools and titles where there is no width, in characters.
const maxCell = 120

// line prints the cells of a row: numbers to the right, then tools and title, cut
// to the width.
func (l *runList) line(cells []string, tools, title string, paint func(column int, cell string) string) error {
	var b strings.Builder
	used := 0
	for i, cell := range cells {
		pad := strings.Repeat(" ", max(l.widths[i]-utf8.RuneCountInString(cell), 0))
		used += max(l.widths[i], utf8.RuneCountInString(cell)) + 2
		if i >= 3 {
			b.WriteString(pad + paint(i, cell) + "  ")
		} else {
			b.WriteString(paint(i, cell) + pad + "  ")
		}
	}
	wide, room := min(l.widths[len(cells)], maxCell), maxCell
	if l.width > 0 {
		wide = min(wide, max((l.width-used)/2, least))
		room = max(l.width-used-wide-2, least)
	}
	tools = present.Visible(tools, wide, l.ascii)
	tools += strings.Repeat(" ", max(wide-utf8.RuneCountInString(tools), 0))
	b.WriteString(paint(len(cells), tools) + "  " + paint(len(cells)+1, present.Visible(title, room, l.ascii)))
	_, err := io.WriteString(l.e.stdout, strings.TrimRight(b.String(), " ")+"\n")
	return err
}

// columns is how wide the output is: of a terminal, or as COLUMNS says, else as
// given.
func columns(w io.Writer, otherwise int) int {
	if n := lifetime.Width(w); n > 0 {
		return n
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 && n < 1<<16 {
		return n
	}
	return otherwise
}

// ascii reports whether the locale has other characters than UTF-8's.
func ascii() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(os.Getenv(name)); v != "" {
			return !strings.Contains(v, "utf-8") && !strings.Contains(v, "utf8")
		}
	}
	return runtime.GOOS != "windows" && runtime.GOOS != "darwin"
}

// last is the word for the newest run.
const last = "last"

// onRun returns the action of a command on one run, which its first argument names.
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
			if err == nil { // of one that cannot be read nothing can be shown
				return records.Load(s.ID)
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, e.noRun(noRuns(c))
	}
	r, err := records.Load(id)
	return r, e.notFound(ctx, c, records, err, "runs")
}

// notFound returns an error that is not about an unknown ID as it is. Else it says which
// command lists the IDs, and returns the exit code.
func (e *env) notFound(ctx context.Context, c *cli.Command, records *store.Store, err error, list string) error {
	switch {
	case !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrAmbiguous):
		return err
	case !anyRun(ctx, records):
		return e.noRun(noRuns(c))
	}
	return e.noRun(fmt.Sprintf("%v in %s; those there: %s", err, cmp.Or(records.Dir(), "the cluster"), lines(c)(list)))
}

// noRun says which run there is not.
func (e *env) noRun(why string) error {
	fmt.Fprintln(e.stderr, "harness:", registry.Printable(why, 2000))
	return exit(exitNotFound)
}

// display is how a run is written.
func (e *env) display(c *cli.Command) *present.Options {
	return &present.Options{Width: columns(e.stdout, 80), Colour: lifetime.Terminal(e.stdout), ASCII: ascii(),
		All: c.Bool("all"), Now: time.Now(), Command: lines(c)}
}
