package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/internal/output"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/build"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/wrappers"
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

// acceptance is a registry and its pins.
type acceptance struct {
	job    *job
	reg    *registry.Registry
	pins   *registry.Pins
	pinned map[string]bool
}

func newAcceptance(c *cli.Command, stdout, stderr io.Writer) (*acceptance, error) {
	j := &job{configs: c.StringSlice("config"), file: registryFile(c), stdout: stdout, stderr: stderr}
	if len(j.configs) == 0 {
		j.configs = config.Search(".").Files
	}
	a := &acceptance{job: j}
	if len(j.configs) > 0 {
		cfg, err := config.Load(j.configs...)
		if err != nil {
			return nil, usageError{err}
		}
		a.pinned = build.Pinned(cfg.Servers)
	}
	var err error
	if a.reg, err = registry.Load(j.file); err != nil {
		return nil, err
	}
	a.read()
	return a, nil
}

// read reads the pins.
func (a *acceptance) read() {
	a.pins = registry.LoadPins(a.job.pins())
	a.pins.Hold(a.reg, a.reg, a.pinned, func(string) bool { return false })
}

// show prints the tools that wait to be accepted, and how they changed.
func (a *acceptance) show() error {
	if a.pins.Err != nil {
		return a.pins.Err
	}
	ids := a.pins.Waiting(a.reg)
	for _, id := range ids {
		a.showChange(id)
	}
	if len(ids) == 0 {
		fmt.Fprintln(a.job.stdout, "no tool waits to be accepted")
	}
	return nil
}

// accept shows how tools changed, asks, and accepts what was shown.
func (a *acceptance) accept(ctx context.Context, ids []string, yes bool) error {
	shown := map[string]build.Change{}
	for _, id := range ids {
		shown[id] = a.showChange(id)
	}
	if err := a.pins.Acceptable(a.reg, ids...); err != nil {
		return err
	}
	if !yes {
		fmt.Fprintf(a.job.stdout, "accept %s? [y/N] ", strings.Join(ids, ", "))
		line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
		if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
			fmt.Fprintln(a.job.stdout)
			return errors.New("nothing was accepted; -yes accepts without asking")
		}
		a.read() // a build may have been at work meanwhile
		for _, id := range ids {
			if !reflect.DeepEqual(shown[id], a.change(id)) {
				return fmt.Errorf("%s has changed again: read it, and accept it again", id)
			}
		}
	}
	if err := a.pins.Accept(a.reg, ids...); err != nil {
		return err
	}
	if err := a.pins.Save(a.job.pins()); err != nil {
		return err
	}
	if a.reg.Embedder != nil {
		if err := a.job.embed(ctx, a.reg); err != nil {
			a.job.say("%v; the next run makes the vectors", err)
		}
	}
	if err := a.reg.Save(a.job.file); err != nil {
		return err
	}
	fmt.Fprintf(a.job.stdout, "accepted %s\n", strings.Join(ids, ", "))
	return nil
}

// change is how a tool changed.
func (a *acceptance) change(id string) build.Change {
	t, ok := a.reg.Tool(id)
	if !ok {
		return build.Change{ID: id}
	}
	accepted, now, _ := a.pins.Change(t.Server, t.Name)
	return build.Compare(id, accepted, now)
}

func (a *acceptance) showChange(id string) build.Change {
	c := a.change(id)
	if len(c.What) == 0 {
		return c
	}
	w := a.job.stdout
	fmt.Fprintln(w, id)
	showText(w, "title", c.Before.Title, c.After.Title)
	showText(w, "description", c.Before.Description, c.After.Description)
	showText(w, "what a call sends", c.Before.Request, c.After.Request)
	showText(w, "instructions of its server", c.Before.Instructions, c.After.Instructions)
	showLines(w, "inputSchema", jsonLines(c.Before.Input), jsonLines(c.After.Input))
	showLines(w, "outputSchema", jsonLines(c.Before.Output), jsonLines(c.After.Output))
	showLines(w, "annotations", jsonLines(marshaled(c.Before.Annotations)), jsonLines(marshaled(c.After.Annotations)))
	if t, ok := a.reg.Tool(id); ok && t.New() {
		showLines(w, "functions", a.functions(t, false), a.functions(t, true))
	}
	return c
}

// functions are the Go functions of a new tool's server: those of its other
// tools, or of all when it is accepted.
func (a *acceptance) functions(t *registry.Tool, accepted bool) (lines []string) {
	reg := &registry.Registry{Servers: a.reg.Servers}
	for _, x := range a.reg.Tools {
		if x.ID == t.ID {
			if !accepted {
				continue
			}
			x.Held = false
		}
		reg.Tools = append(reg.Tools, x)
	}
	s, _ := wrappers.NewView(reg).Server(t.Server)
	for _, x := range s.Tools {
		lines = append(lines, fmt.Sprintf("%s.%s: %s", s.Package, x.Func, x.Name))
	}
	slices.Sort(lines)
	return lines
}

// showText prints how a text changed; characters that would not be seen are
// written as escapes.
func showText(w io.Writer, name, before, after string) {
	lines := func(text string) (out []string) {
		if text == "" {
			return nil
		}
		for line := range strings.SplitSeq(text, "\n") {
			out = append(out, string(registry.PrintableGo(fmt.Appendf(nil, "%q", line))))
		}
		return out
	}
	showLines(w, name, lines(before), lines(after))
}

// showLines prints the lines that changed, without those around them.
func showLines(w io.Writer, name string, before, after []string) {
	for len(before) > 0 && len(after) > 0 && before[0] == after[0] {
		before, after = before[1:], after[1:]
	}
	for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	if len(before)+len(after) == 0 {
		return
	}
	fmt.Fprintf(w, "  %s\n", name)
	for _, line := range before {
		fmt.Fprintf(w, "  - %s\n", line)
	}
	for _, line := range after {
		fmt.Fprintf(w, "  + %s\n", line)
	}
}

func marshaled(a *registry.Annotations) json.RawMessage {
	if a == nil {
		return nil
	}
	b, _ := json.Marshal(a) // texts and booleans always marshal
	return b
}

func jsonLines(raw json.RawMessage) []string {
	if len(raw) == 0 {
		return nil
	}
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return []string{fmt.Sprintf("%q", raw)}
	}
	return strings.Split(string(registry.PrintableJSON(b.Bytes())), "\n")
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
