package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/internal/output"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/registry/build"
)

func acceptCommand(stdout, stderr io.Writer) *cli.Command {
	return &cli.Command{
		Name:      "accept",
		Usage:     "accept changed definitions of pinned tools; without TOOL, show them",
		ArgsUsage: "[TOOL]...",
		Description: `A server with "usetools": {"pin": true} in its config entry has pinned tools: one
whose title, description, schemas or hints change, or whose server's
instructions do, is not called until the change is accepted. What is accepted
stands in tool_pins.json, beside the first config.

It prints what changed and asks; -yes does not ask.`,
		Flags: []cli.Flag{&cli.BoolFlag{Name: "yes", Usage: "accept without asking", Local: true}},
		Action: func(ctx context.Context, c *cli.Command) error {
			a, err := newAcceptance(c, stdout, stderr)
			if err != nil {
				return err
			}
			if !c.Args().Present() {
				return a.show()
			}
			return a.accept(ctx, c.Args().Slice(), c.Bool("yes"))
		},
	}
}

// acceptance shows changed tools to a person and accepts them.
type acceptance struct {
	*catalog.Acceptance
	job *job
}

func newAcceptance(c *cli.Command, stdout, stderr io.Writer) (*acceptance, error) {
	j := &job{stdout: stdout, stderr: stderr}
	files := &catalog.Files{Configs: c.StringSlice("config"), Registry: registryFile(c),
		Log: func(line string) { j.say("%s", line) }}
	a, err := files.Acceptance()
	var unread *catalog.Error
	if errors.As(err, &unread) {
		return nil, usageError{err}
	}
	if err != nil {
		return nil, err
	}
	return &acceptance{a, j}, nil
}

// show prints the tools that need acceptance, and how they changed.
func (a *acceptance) show() error {
	if a.Pins.Err != nil {
		return a.Pins.Err
	}
	ids := a.Pins.Waiting(a.Registry)
	for _, id := range ids {
		a.showChange(id)
	}
	if len(ids) == 0 {
		fmt.Fprintln(a.job.stdout, "no tool waits to be accepted")
	}
	return nil
}

// accept shows how tools changed, asks, and accepts the changes shown.
func (a *acceptance) accept(ctx context.Context, ids []string, yes bool) error {
	shown := make([]build.Change, len(ids))
	for i, id := range ids {
		shown[i] = a.showChange(id)
	}
	if err := a.Pins.Acceptable(a.Registry, ids...); err != nil {
		return err
	}
	if !yes {
		fmt.Fprintf(a.job.stdout, "accept %s? [y/N] ", strings.Join(ids, ", "))
		line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
		if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
			fmt.Fprintln(a.job.stdout)
			return errors.New("nothing was accepted; -yes accepts without asking")
		}
	}
	if err := a.Accept(ctx, shown...); err != nil {
		return err
	}
	fmt.Fprintf(a.job.stdout, "accepted %s\n", strings.Join(ids, ", "))
	return nil
}

func (a *acceptance) showChange(id string) build.Change {
	c := a.Change(id)
	if len(c.What) == 0 {
		return c
	}
	fmt.Fprintln(a.job.stdout, id)
	parts := c.Parts()
	if t, ok := a.Registry.Tool(id); ok && t.New() {
		before, after := a.Functions(t)
		parts = append(parts, build.Part{Name: "functions", Before: before, After: after})
	}
	for _, p := range parts {
		a.showPart(p)
	}
	return c
}

// showPart prints the changed lines, without context.
func (a *acceptance) showPart(p build.Part) {
	_, before, after, _ := p.Differ()
	if len(before)+len(after) == 0 {
		return
	}
	w := a.job.stdout
	fmt.Fprintf(w, "  %s\n", p.Name)
	for _, line := range before {
		fmt.Fprintf(w, "  - %s\n", line)
	}
	for _, line := range after {
		fmt.Fprintf(w, "  + %s\n", line)
	}
}

func historyCommand(stdout io.Writer) *cli.Command {
	return &cli.Command{
		Name:  "history",
		Usage: "print which tools rebuilds added, removed and changed",
		Flags: []cli.Flag{&cli.IntFlag{Name: "n", Usage: "print the last `N` rebuilds", Value: 20}},
		Action: func(_ context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return usageError{fmt.Errorf("history takes no argument, got %q; -n N prints the last N rebuilds",
					c.Args().First())}
			}
			if c.Int("n") < 1 {
				return usageError{fmt.Errorf("-n %d: want 1 or more", c.Int("n"))}
			}
			entries, err := build.History(build.HistoryFile(registryFile(c)), c.Int("n"))
			if err != nil {
				return err
			}
			if c.Bool("json") {
				for _, e := range entries {
					if err := output.JSON(stdout, e, ""); err != nil {
						return err
					}
				}
				return nil
			}
			if len(entries) == 0 {
				fmt.Fprintln(stdout, "no rebuild has changed anything")
			}
			for _, e := range entries {
				fmt.Fprintln(stdout, e.Time.Local().Format(time.DateTime))
				r := &build.Report{Changed: e.Changed}
				r.Changes.Added, r.Changes.Removed = e.Added, e.Removed
				printChanges(stdout, r)
			}
			return nil
		},
	}
}
