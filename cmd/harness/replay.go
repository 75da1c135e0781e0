package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

func (e *env) replayCommand() *cli.Command {
	return &cli.Command{
		Name:      "replay",
		Usage:     "run scripts again from their records, without a server",
		ArgsUsage: "RECORD|DIR [SCRIPT|-]",
		Description: `Runs the script of a record again. Its calls are answered from the record: no
server is started or asked, and sleeps take no time. Where the value, the output
and the calls are those of the record the exit code is 0; else it is 1, and the
first difference is printed. RECORD is a file, or the ID of a run as harness runs
prints it; of a DIR all records are replayed.

With SCRIPT, another version of the script is run, whose calls are told apart by
tool and arguments alone. With -registry the script is checked against the tools
of that registry, and not against those that the record has: does it still
compile, and do the same, with the schemas of today?

  harness run -record runs/ report.go
  harness replay runs/
  harness replay last report.go
  harness replay -registry tool_registry.json runs/`,
		Flags: []cli.Flag{
			stateFlag("look for RECORD in `DIR` (default: USETOOLS_STATE, or usetools in the user's state folder)"),
			&cli.DurationFlag{Name: "timeout", Usage: "wall clock of each replay (default: that of the run)",
				Validator: positive, HideDefault: true},
			sandboxFlag(),
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
	h := harness.New(&harness.Options{BestEffort: c.String("sandbox") == bestEffort})
	defer h.Close()
	var all []*harness.ReplayedRecord
	for _, r := range runs {
		all = append(all, harness.ReplayRecord(ctx, h.Replay, p, r.name, r.load))
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if c.Bool("json") {
		for _, r := range all {
			if err := e.printLine(r); err != nil {
				return err
			}
		}
	} else if single {
		e.showReplay(all[0], c.Bool("q"))
	} else {
		e.showReplays(all, c.Bool("q"))
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

// recorded is a record to be loaded.
type recorded struct {
	name string // of its file, or the ID that it was asked for by
	load func() (*record.Run, error)
}

func recordedIn(file string) recorded {
	return recorded{file, func() (*record.Run, error) { return store.LoadFile(file) }}
}

// records are those that an argument means. single: it means one.
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
	case !errors.Is(err, fs.ErrNotExist), strings.ContainsAny(arg, `./\`): // the ID of a run has none of these
		return nil, false, usageError{err.Error()}
	}
	_, r, err := e.openRun(ctx, c, arg)
	return []recorded{{arg, func() (*record.Run, error) { return r, nil }}}, true, err
}

// showReplay prints what one replay came to.
func (e *env) showReplay(r *harness.ReplayedRecord, quiet bool) {
	switch {
	case r.Error != "":
		fmt.Fprintf(e.stderr, "harness: %s cannot be replayed: %s\n", registry.Printable(r.Record, 1000), registry.PrintableText(r.Error, 2000))
	case r.Skipped != "":
		fmt.Fprintf(e.stderr, "harness: %s: %s\n", r.Run, r.Skipped)
	case r.Difference != nil:
		d := r.Difference
		fmt.Fprintf(e.stdout, "%s differs: %s\n", r.Run, registry.PrintableText(d.Text, 4000))
		if d.Want != "" || d.Got != "" {
			fmt.Fprintf(e.stdout, "  record: %s\n  now:    %s\n", indented(d.Want), indented(d.Got))
		}
	case !quiet:
		fmt.Fprintf(e.stdout, "%s: the same, %s, %.0f ms\n", r.Run, text.Count(r.Calls, "call"), r.Ms)
	}
}

// indented is a text of several lines below a word.
func indented(s string) string {
	return strings.ReplaceAll(strings.TrimRight(registry.PrintableText(s, 4000), "\n"), "\n", "\n          ")
}

// showReplays prints what the replays of a folder came to, as a table of tests.
func (e *env) showReplays(all []*harness.ReplayedRecord, quiet bool) {
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	bad := 0
	for _, r := range all {
		state, why := "same", ""
		switch {
		case r.Error != "":
			state, why = "error", r.Error
		case r.Skipped != "":
			state, why = "skipped", r.Skipped
		case r.Difference != nil:
			state, why = "DIFFERS", r.Difference.Text
		}
		if slices.Contains([]string{"error", "DIFFERS"}, state) {
			bad++
		} else if quiet {
			continue
		}
		name := r.Run
		if name == "" {
			name = registry.Printable(filepath.Base(r.Record), 100)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%.0f ms\t%s\n", state, name, text.Count(r.Calls, "call"), r.Ms,
			registry.Printable(why, 200))
	}
	w.Flush()
	if !quiet {
		fmt.Fprintf(e.stderr, "harness: as recorded: %d of %d\n", len(all)-bad, len(all))
	}
}
