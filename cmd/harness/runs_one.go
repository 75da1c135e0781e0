package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/internal/lifetime"
	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

func (e *env) showRun(ctx context.Context, c *cli.Command, store *store.Store, r *record.Run) error {
	if c.Bool("script") && c.Bool("f") {
		return usageError{"-f does nothing with -script: omit one of them"}
	}
	if err := pointless(c, c.Bool("json"), "with -json: omit one of them", "script", "f", "all"); err != nil {
		return err
	}
	switch {
	case c.Bool("json"):
		return e.print(present.FullRecord(r))
	case c.Bool("script"):
		source, err := source(r)
		if err != nil {
			return err
		}
		if lifetime.Terminal(e.stdout) {
			source = registry.PrintableText(source, len(source))
		}
		_, err = io.WriteString(e.stdout, source)
		return err
	}
	o := e.display(c)
	if err := present.New(r).Text(e.stdout, o); err != nil {
		return err
	}
	unresolved := outcome.UnresolvedDocument(r, &outcome.Next{Command: lines(c)})
	if err := unresolved.Terminal(e.stdout, o); err != nil || !c.Bool("f") {
		return err
	}
	return followRun(ctx, store, r, e.stdout, o)
}

// source returns the script of a run.
func source(r *record.Run) (string, error) {
	source, err := r.Text(r.Begin.Script)
	if err != nil {
		return "", fmt.Errorf("reading the script of run %s: %w", r.Begin.ID, err)
	}
	return source, nil
}

// pollEvery is the interval between reads of a record.
const pollEvery = 300 * time.Millisecond

// followRun writes the events of a run until it ends.
func followRun(ctx context.Context, store *store.Store, r *record.Run, w io.Writer, o *present.Options) error {
	for r.End == nil && r.Running {
		seen := len(r.Lines)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollEvery):
		}
		again, err := store.Load(r.Begin.ID)
		if err != nil {
			return err
		}
		r = again
		if err := present.New(r).Follow(w, seen, o); err != nil {
			return err
		}
	}
	return nil
}

func (e *env) diffRuns(ctx context.Context, c *cli.Command, store *store.Store, a *record.Run) error {
	if err := pointless(c, c.Bool("json"), "with -json, which leaves nothing out", "all"); err != nil {
		return err
	}
	b, err := e.loadRun(ctx, c, store, c.Args().Get(1))
	if err != nil {
		return err
	}
	d := present.Compare(present.New(a), present.New(b))
	if c.Bool("json") {
		err = e.print(d)
	} else if !d.Same || !c.Bool("q") {
		err = d.Document(c.Bool("all")).Terminal(e.stdout, e.display(c))
	}
	if err == nil && !d.Same {
		return exit(1)
	}
	return err
}

func (e *env) saveRun(ctx context.Context, c *cli.Command, store *store.Store, r *record.Run) error {
	name := c.Args().Get(1)
	if err := library.CheckName(name); err != nil {
		return usageError{err.Error()}
	}
	if err := recordsApart(c); err != nil {
		return err
	}
	_, lib, err := e.saved(ctx, c)
	if err != nil {
		return err
	}
	warning, err := harness.SaveRun(lib, r, name, c.String("about"))
	var no *harness.NotSavedError
	if errors.As(err, &no) {
		return usageError{no.Error()}
	}
	if err == nil && c.Bool("with-record") {
		err = store.Copy(r.Begin.ID, lib.Record(name))
	}
	if err != nil {
		return err
	}
	return e.saySaved(c, name, warning)
}

func (e *env) removeRuns(ctx context.Context, c *cli.Command) error {
	ways := 0
	for _, is := range []bool{c.Args().Present(), c.IsSet("older"), c.Bool("all")} {
		if is {
			ways++
		}
	}
	if ways != 1 {
		return usageError{"runs rm wants one of RUNs, -older D or -all"}
	}
	records, err := e.store(c, nil)
	if err != nil {
		return err
	}
	if c.Args().Present() {
		return e.removeNamed(ctx, c, records)
	}
	f := &store.Filter{}
	if c.IsSet("older") {
		d, err := present.Age(c.String("older"))
		if err != nil {
			return usageError{fmt.Sprintf("-older %q: %v; want 30d or 12h", c.String("older"), err)}
		}
		f.Until = time.Now().Add(-d)
	}
	var ids []string
	under := 0
	for s, err := range records.List(ctx, f) {
		switch {
		case err != nil:
			e.say(c, "not removed: %v", err)
		case s.Status == record.Running:
			under++
		default:
			ids = append(ids, s.ID)
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if under > 0 {
		e.say(c, "%s running: kept", text.Count(under, "run"))
	}
	if c.Bool("all") && len(ids) > 0 && !c.Bool("yes") {
		question := fmt.Sprintf("remove the records of all %s in %s?", text.Count(len(ids), "run"), records.Dir())
		if err := e.sure(ctx, question); err != nil {
			return err
		}
	}
	return e.removed(c, records, ids)
}

// sure asks the person at the terminal for confirmation. It returns an error that names
// -yes without a terminal.
func (e *env) sure(ctx context.Context, question string) error {
	if !e.typed() {
		return usageError{"-all needs a terminal to ask; elsewhere add -yes"}
	}
	if !e.agreed(ctx, question) {
		return failure{1, "nothing was removed"}
	}
	return nil
}

// removeNamed removes the runs that the arguments name, or none if one of them cannot be
// removed.
func (e *env) removeNamed(ctx context.Context, c *cli.Command, store *store.Store) error {
	var ids []string
	for _, arg := range c.Args().Slice() {
		r, err := e.loadRun(ctx, c, store, arg)
		if err != nil {
			return err
		}
		if r.Running {
			return failure{1, fmt.Sprintf("run %s is running: nothing was removed", r.Begin.ID)}
		}
		if !slices.Contains(ids, r.Begin.ID) {
			ids = append(ids, r.Begin.ID)
		}
	}
	return e.removed(c, store, ids)
}

// removed removes records and prints their number.
func (e *env) removed(c *cli.Command, records *store.Store, ids []string) error {
	if err := records.Remove(ids...); err != nil {
		if errors.Is(err, store.ErrRunning) {
			return failure{1, err.Error()}
		}
		return err
	}
	if c.Bool("json") {
		if ids == nil {
			ids = []string{}
		}
		return e.print(map[string]any{"removed": ids})
	}
	e.say(c, "removed %s", text.Count(len(ids), "record"))
	return nil
}
