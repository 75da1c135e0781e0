package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/build"
)

func acceptCommand(stdout io.Writer) *cli.Command {
	return &cli.Command{
		Name:      "accept",
		Usage:     "accept changed definitions of pinned tools; without TOOL, show them",
		ArgsUsage: "[TOOL]...",
		Description: `A server with "usetools": {"pin": true} in its config entry has pinned tools: one
whose description or schema changes is not called until the change is accepted.`,
		Action: func(_ context.Context, c *cli.Command) error {
			file := registryFile(c)
			reg, err := registry.Load(file)
			if err != nil {
				return err
			}
			if !c.Args().Present() {
				return showHeld(stdout, reg, build.HistoryFile(file))
			}
			if err := reg.Accept(c.Args().Slice()...); err != nil {
				return err
			}
			if err := reg.Save(file); err != nil {
				return err
			}
			fmt.Fprintf(stdout, "accepted %s\n", strings.Join(c.Args().Slice(), ", "))
			return nil
		},
	}
}

// showHeld prints the tools that wait to be accepted, as they were and as they
// are, so that they can be read first.
func showHeld(w io.Writer, reg *registry.Registry, history string) error {
	entries, err := build.History(history, 1000)
	if err != nil {
		return err
	}
	n := 0
	for i := range reg.Tools {
		t := &reg.Tools[i]
		if !reg.Held(t) {
			continue
		}
		n++
		fmt.Fprintf(w, "%s\n", t.ID)
		if c := lastChange(entries, t.ID); c != nil {
			printDefinition(w, "was", c.Before)
			printDefinition(w, "is", c.After)
			continue
		}
		printDefinition(w, "is", build.Definition{Description: t.Description, Input: t.Input, Output: t.Output, Annotations: t.Annotations})
	}
	if n == 0 {
		fmt.Fprintln(w, "no tool waits to be accepted")
	}
	return nil
}

// lastChange returns the latest change of a tool in a history, or nil.
func lastChange(entries []build.Entry, id string) *build.Change {
	for i := len(entries) - 1; i >= 0; i-- {
		for _, c := range entries[i].Changed {
			if c.ID == id {
				return &c
			}
		}
	}
	return nil
}

// printDefinition prints what there is of a definition.
func printDefinition(w io.Writer, when string, d build.Definition) {
	if d.Description != "" {
		fmt.Fprintf(w, "  %s description: %q\n", when, d.Description)
	}
	for _, s := range []struct {
		name   string
		schema json.RawMessage
	}{{"inputSchema", d.Input}, {"outputSchema", d.Output}} {
		if len(s.schema) > 0 {
			fmt.Fprintf(w, "  %s %s: %s\n", when, s.name, s.schema)
		}
	}
	if d.Annotations != nil {
		if b, err := json.Marshal(d.Annotations); err == nil {
			fmt.Fprintf(w, "  %s annotations: %s\n", when, b)
		}
	}
}

func historyCommand(stdout io.Writer) *cli.Command {
	return &cli.Command{
		Name:  "history",
		Usage: "print which tools rebuilds added, removed and changed",
		Flags: []cli.Flag{&cli.IntFlag{Name: "n", Usage: "print the last `N` rebuilds", Value: 20}},
		Action: func(_ context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return usageError{fmt.Errorf("history takes no argument, got %q; -n N prints the last N rebuilds", c.Args().First())}
			}
			if c.Int("n") < 1 {
				return usageError{fmt.Errorf("-n %d: want 1 or more", c.Int("n"))}
			}
			entries, err := build.History(build.HistoryFile(registryFile(c)), c.Int("n"))
			if err != nil {
				return err
			}
			if c.Bool("json") {
				enc := json.NewEncoder(stdout)
				enc.SetEscapeHTML(false)
				for _, e := range entries {
					if err := enc.Encode(e); err != nil {
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
