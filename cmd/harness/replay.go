package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

func (e *env) replayCommand() *cli.Command {
	return &cli.Command{
		Name:      "replay",
		Usage:     "replay runs from their records, without servers",
		ArgsUsage: "RECORD|DIR [SCRIPT|-]",
		Description: `Runs the script of a record again. Its calls are answered from the record: no server
is started or called, and sleeps take no time. The exit code is 0 if the value, the
output and the calls are those of the record; else it is 1, and the first difference
is printed. RECORD is a file or the ID of a run; for a DIR, all its records are
replayed.

SCRIPT replays another version of the script; its calls are matched by tool and
arguments. -registry checks the script against the tools of that registry instead of
those in the record: does it still compile, and do the same, with today's schemas?

  harness run -record runs/ report.go
  harness replay runs/
  harness replay last report.go
  harness replay -registry tool_registry.json runs/`,
		Flags: []cli.Flag{
			stateFlag("look for RECORD in `DIR` (default: USETOOLS_STATE, or usetools in the user's state folder)"),
			&cli.DurationFlag{Name: "timeout", Usage: "time limit of each replay (default: that of the run)",
				Validator: positive, HideDefault: true},
			e.sandboxFlag(),
		},
		Action: e.replay,
	}
}

func (e *env) replay(ctx context.Context, c *cli.Command) error {
	p := harness.Replay{Timeout: c.Duration("timeout")}
	var err error
	if c.Args().Len() == 2 {
		if p.Source, err = e.source(c.Args().Get(1)); err != nil {
			return err
		}
	}
	if path := c.String("registry"); path != "" {
		reg, err := registry.Load(path)
		if err != nil {
			return err
		}
		p.Catalog = &catalog.Catalog{Registry: reg}
	}
	runs, single, err := e.records(ctx, c, c.Args().First())
	if err != nil {
		return err
	}
	h := e.harness(c, &harness.Options{})
	var all []*harness.ReplayedRecord
	for _, r := range runs {
		all = append(all, harness.ReplayRecord(ctx, h.Replay, p, r.name, r.load))
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	switch quiet := c.Bool("q"); {
	case c.Bool("json"):
		err = printLines(e, all)
	case single && all[0].Error != "":
		return usageError{fmt.Sprintf("%s cannot be replayed: %s", all[0].Record, all[0].Error)}
	case single && all[0].Skipped != "":
		e.say(c, "%s: %s", all[0].Run, all[0].Skipped)
	case single && !(quiet && all[0].Same):
		err = e.show(replayed(all[0]))
	case !single:
		d, same := replays(all, quiet)
		err = e.show(d)
		e.say(c, "as recorded: %d of %d", same, len(all))
	}
	if err != nil {
		return err
	}
	for _, r := range all {
		switch {
		case r.Error != "" && single:
			return exit(exitUsage)
		case !r.Same && r.Skipped == "":
			return exit(1)
		}
	}
	return nil
}

// recorded is a record to load.
type recorded struct {
	name string // its file, or its ID on the command line
	load func() (*record.Run, error)
}

func recordedIn(file string) recorded {
	return recorded{file, func() (*record.Run, error) { return store.LoadFile(file) }}
}

// records returns the records that an argument names. single reports whether it names
// exactly one.
func (e *env) records(ctx context.Context, c *cli.Command, arg string) (all []recorded, single bool, err error) {
	info, err := os.Stat(arg)
	switch {
	case err == nil && !info.IsDir():
		return []recorded{recordedIn(arg)}, true, nil
	case err == nil:
		files, err := fs.Glob(os.DirFS(arg), "*.run.jsonl")
		if err == nil && len(files) == 0 {
			err = usageError{fmt.Sprintf("there are no records in %s; harness run -record %s SCRIPT makes one", arg, arg)}
		}
		for _, file := range files {
			all = append(all, recordedIn(filepath.Join(arg, file)))
		}
		return all, false, err
	case !errors.Is(err, fs.ErrNotExist), strings.ContainsAny(arg, `./\`): // the ID of a run contains neither
		return nil, false, usageError{err.Error()}
	}
	_, r, err := e.openRun(ctx, c, arg)
	return []recorded{{arg, func() (*record.Run, error) { return r, nil }}}, true, err
}

// replayed shows the replay of one record.
func replayed(r *harness.ReplayedRecord) (d present.Document) {
	x := r.Difference
	if x == nil {
		return present.Document{&present.Heading{Level: 2, Text: present.Words(present.Good, r.Run).Add(present.Plain,
			fmt.Sprintf(": the same, %s, %.0f ms", text.Count(r.Calls, "call"), r.Ms))}}
	}
	d = present.Document{&present.Heading{Level: 2, Text: present.Words(present.Bad, r.Run).Add(present.Plain, " differs: "+x.Text)}}
	if x.Want != "" || x.Got != "" {
		d = append(d, &present.Contrast{Name: "record (-) and replay (+)", A: x.Want, B: x.Got})
	}
	return d
}

// replays shows the replays of several records in a table; quiet omits those without a problem.
func replays(all []*harness.ReplayedRecord, quiet bool) (d present.Document, same int) {
	t := &present.Table{Columns: present.Columns("result", "run", "calls", "ms", "why")}
	t.Columns[4].Wrap = true
	for _, r := range all {
		state, style, why := "same", present.Good, ""
		switch {
		case r.Error != "":
			state, style, why = "error", present.Bad, r.Error
		case r.Skipped != "":
			state, style, why = "skipped", present.Warn, r.Skipped
		case r.Difference != nil:
			state, style, why = "DIFFERS", present.Bad, r.Difference.Text
		}
		if style != present.Bad {
			if same++; quiet {
				continue
			}
		}
		row := present.Cells(state, cmp.Or(r.Run, filepath.Base(r.Record)), text.Count(r.Calls, "call"), fmt.Sprintf("%.0f ms", r.Ms), why)
		row.Cells[0][0].Style = style
		t.Rows = append(t.Rows, row)
	}
	return present.Document{t}, same
}
