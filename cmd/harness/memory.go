package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/discovery/memory"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/usage"
	"github.com/usetools/usetools/registry/text"
	"github.com/usetools/usetools/wrappers/observe"
)

func (e *env) memoryCommand() *cli.Command {
	return &cli.Command{
		Name:  "memory",
		Usage: "show and remove what earlier runs taught",
		Description: `Three files per registry, in the cache folder on this machine, keep what earlier
runs taught: the tools that phrases led to, the types of results, and how often tools
were used. Nothing leaves the machine.

  harness memory phrases
  harness memory shapes
  harness memory usage`,
		Commands: []*cli.Command{e.phrasesCommand(), e.shapesCommand(), e.usageCommand()},
	}
}

// kept opens a file with data learned about the registry that the flags name.
func kept[T any](e *env, c *cli.Command, path func(registry string) (string, error), open func(path string) (T, error)) (T, error) {
	var none T
	registry := e.files(c).Path()
	if registry == "" {
		return none, usageError{"each registry has its own memory: name one with -registry, or a config with -config"}
	}
	at, err := path(registry)
	if err != nil {
		return none, err
	}
	return open(at)
}

// phrases opens the memory of phrases. The registry file, which shows whether tools have
// changed since, may be missing.
func (e *env) phrases(_ context.Context, c *cli.Command) (*memory.Memory, error) {
	return kept(e, c, memory.Path, func(at string) (*memory.Memory, error) { return memory.New(at, nil), nil })
}

// shapes opens the store of inferred result types.
func (e *env) shapes(_ context.Context, c *cli.Command) (*observe.Store, error) {
	s, err := kept(e, c, observe.Path, observe.Open)
	if err == nil {
		s.Shared() // its types are listed and removed, too
	}
	return s, err
}

func (e *env) usageLog(_ context.Context, c *cli.Command) (*usage.Log, error) {
	return kept(e, c, usage.Path, func(at string) (*usage.Log, error) { return usage.Open(at), nil })
}

// rmCommand returns the command that removes the named entries of a store, or all if names
// is nil. rm returns the names that the store does not have.
func rmCommand[T any](args string, open func(context.Context, *cli.Command) (T, error), rm func(from T, names []string) (unknown []string, err error)) *cli.Command {
	wants, some := "-all", ""
	if args != "" {
		wants, some = args+" or -all", "["+args+"]"
	}
	return &cli.Command{Name: "rm", Usage: "forget " + wants, ArgsUsage: some,
		Flags: []cli.Flag{&cli.BoolFlag{Name: "all", Usage: "forget everything"}},
		Action: func(ctx context.Context, c *cli.Command) error {
			names := c.Args().Slice()
			if all := c.Bool("all"); all == (len(names) > 0) {
				return usageError{fmt.Sprintf("%s wants %s", c.FullName(), wants)}
			} else if all {
				names = nil
			}
			from, err := open(ctx, c)
			if err != nil {
				return err
			}
			unknown, err := rm(from, names)
			if err != nil {
				return err
			}
			if len(unknown) > 0 {
				return notFound("nothing is stored for %q; %s lists all entries", strings.Join(unknown, ", "), strings.TrimSuffix(c.FullName(), " rm"))
			}
			return nil
		}}
}

func (e *env) phrasesCommand() *cli.Command {
	return &cli.Command{
		Name:  "phrases",
		Usage: "list and edit what phrases meant in earlier runs",
		Description: `If a phrase led to a tool in two successful runs, it means that tool next time,
while the tool exists unchanged.

  harness memory phrases
  harness memory phrases set "history" git.git_log      decide it by hand
  harness memory phrases rm "history"                   forget one
  harness memory phrases rm -all                        forget all

The flag -no-memory, or "usetools": {"memory": false} in a config, disables this.`,
		Action: on(e.phrases, e.listPhrases),
		Commands: []*cli.Command{
			{Name: "set", Usage: "make a phrase mean a tool", ArgsUsage: "PHRASE TOOL", Action: on(e.known, e.setPhrase)},
			rmCommand("PHRASE…", e.phrases, func(m *memory.Memory, names []string) ([]string, error) {
				if names == nil {
					return nil, m.ForgetAll()
				}
				return m.Forget(names...)
			}),
		},
	}
}

func (e *env) listPhrases(_ context.Context, c *cli.Command, m *memory.Memory) error {
	all, err := m.List()
	if err != nil {
		return err
	}
	if len(all) == 0 {
		e.say(c, "no phrase is stored yet")
	}
	t := &present.Table{Columns: present.Columns("phrase", "tool", "uses", "last", "why")}
	for _, x := range all {
		means := x.Tool
		if x.Conflicting() {
			means = "(led to different tools)"
		}
		t.Rows = append(t.Rows, present.Cells(x.Phrase, means, text.Count(x.Uses, "use"), x.Used, x.Why()))
	}
	return e.output(c, map[string]any{"phrases": all}, present.Document{t})
}

func (e *env) setPhrase(ctx context.Context, c *cli.Command, known *known) error {
	m, err := e.phrases(ctx, c)
	if err != nil {
		return err
	}
	name := c.Args().Get(1)
	found, err := known.catalog.Describe([]string{name}, discovery.NameOnly)
	if err != nil {
		return err
	}
	switch len(found.Tools) {
	case 0:
		return noTool(known.catalog, name)
	case 1:
		t, _ := known.registry.Tool(found.Tools[0].ID)
		return m.Set(c.Args().First(), t.ID, t.Hash)
	}
	return usageError{fmt.Sprintf("%d servers have a tool %q; name one as %q", len(found.Tools), name, found.Tools[0].ID)}
}

func (e *env) shapesCommand() *cli.Command {
	return &cli.Command{
		Name:  "shapes",
		Usage: "list and forget the inferred types of results",
		Description: `If a server does not declare what a tool answers, scripts learn it from the
first answer on, and a tool that only reads gets a typed result after several answers
of one shape. Only names of properties and types are kept, no values. The flag
-no-observe, or "usetools": {"observe": false} in a config, disables this. If harness
serve has several tokens, each has its own types, which this list omits. Outlines of
answers are shown to all of them, unless a tool of the server is private.

  harness memory shapes
  harness memory shapes rm git.git_log      learn a tool again
  harness memory shapes rm -all             learn all again`,
		Action: on(e.shapes, e.listShapes),
		Commands: []*cli.Command{rmCommand("TOOL…", e.shapes, func(s *observe.Store, tools []string) (unknown []string, err error) {
			if tools == nil {
				for _, x := range s.List() {
					tools = append(tools, x.Tool)
				}
			}
			for _, id := range tools {
				if !s.Forget(id) {
					unknown = append(unknown, id)
				}
			}
			return unknown, s.Save()
		})},
	}
}

func (e *env) listShapes(_ context.Context, c *cli.Command, s *observe.Store) error {
	list := s.List()
	if len(list) == 0 {
		e.say(c, "no result type has been inferred yet")
	}
	t := &present.Table{Columns: present.Columns("tool", "results", "state", "outline")}
	for _, x := range list {
		state := "still learning"
		if x.Schema != nil {
			state = "typed"
		}
		t.Rows = append(t.Rows, present.Cells(x.Tool, text.Count(x.Results, "result"), state, x.Outline))
	}
	return e.output(c, map[string]any{"shapes": list}, present.Document{t})
}

func (e *env) usageCommand() *cli.Command {
	return &cli.Command{
		Name:  "usage",
		Usage: "show which tools scripts used, which failed, which phrases found no tool",
		Description: `For each run, a file on this machine has its tools, how often they were called
and failed, how long they took, and the phrases; no arguments, results or output. The
flag -no-usage, or "usetools": {"usage": false} in a config, disables this.

  harness memory usage                      tools, the most used first, and phrases
  harness memory usage -by server -days 7
  harness memory usage -by day
  harness memory usage -unused              tools that no run has called
  harness memory usage rm -all              forget it all`,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "days", Usage: "only the last `N` days (default: all)", HideDefault: true, Validator: atLeast(1)},
			choice(e, "by", "`WHAT` the rows are:", "tool", "tool", "server", "day"),
			&cli.BoolFlag{Name: "unused", Usage: "list the tools that were not used"},
		},
		Commands: []*cli.Command{rmCommand("", e.usageLog, func(log *usage.Log, _ []string) ([]string, error) {
			return nil, log.Clear()
		})},
		Action: e.usage,
	}
}

func (e *env) usage(ctx context.Context, c *cli.Command) error {
	if err := pointless(c, c.Bool("unused"), "with -unused, which lists tools: omit it", "by"); err != nil {
		return err
	}
	log, err := e.usageLog(ctx, c)
	if err != nil {
		return err
	}
	known, err := e.known(ctx, c)
	if err != nil {
		return err
	}
	var since time.Time
	if d := c.Int("days"); d > 0 {
		since = time.Now().AddDate(0, 0, -d)
	}
	runs, err := log.Runs(since)
	if err != nil {
		return err
	}
	var ids []string
	serverOf := map[string]string{}
	for i := range known.registry.Tools {
		t := &known.registry.Tools[i]
		ids = append(ids, t.ID)
		serverOf[t.ID] = t.Server
	}
	s := usage.Summarize(runs, ids, func(id string) string {
		if server, ok := serverOf[id]; ok {
			return server
		}
		server, _, _ := strings.Cut(id, ".") // the tool may be gone
		return server
	})
	if c.Bool("unused") && !c.Bool("json") {
		for _, id := range s.Unused {
			fmt.Fprintln(e.stdout, id)
		}
		return nil
	}
	return e.output(c, s, usageDocument(&s, c.String("by")))
}

// usageDocument shows how often tools were used, in a row for each tool, server or day.
func usageDocument(s *usage.Summary, by string) present.Document {
	plain := func(format string, args ...any) present.Text {
		return present.Words(present.Plain, fmt.Sprintf(format, args...))
	}
	if s.Runs == 0 {
		return present.Document{&present.Heading{Level: 2, Text: plain("no run that needed tools is recorded")}}
	}
	t := &present.Table{Header: true, Columns: present.Columns(by, "runs", "calls", "failed")}
	d := present.Document{&present.Heading{Level: 2, Text: plain("%s since %s, %d not ok; %d of %s used", text.Count(s.Runs, "run"),
		s.Since, s.Failed, len(s.Tools), text.Count(len(s.Tools)+len(s.Unused), "tool"))}, t}
	rows := s.Tools
	if by == "server" {
		rows = s.Servers
	}
	if by == "day" {
		for _, x := range s.Days {
			t.Rows = append(t.Rows, present.Cells(x.Day, fmt.Sprint(x.Runs), fmt.Sprint(x.Calls), fmt.Sprint(x.Failed)))
		}
	} else {
		t.Columns = append(t.Columns, present.Columns("mean ms", "slowest ms", "last")...)
		for _, x := range rows {
			t.Rows = append(t.Rows, present.Cells(x.Name, fmt.Sprint(x.Runs), fmt.Sprint(x.Calls), fmt.Sprint(x.Failed),
				fmt.Sprintf("%.1f", x.Mean), fmt.Sprintf("%.1f", x.Max), x.Last))
		}
	}
	for i := range t.Columns[1:min(len(t.Columns), 6)] {
		t.Columns[i+1].Number = true
	}
	if len(s.Phrases) == 0 {
		return d
	}
	list := &present.List{Most: 20, Noun: "phrase"}
	for _, p := range s.Phrases {
		item := plain("%q %s, %d×", p.Phrase, p.Verdict, p.Times)
		if p.Reworded != "" {
			item[0].Text += fmt.Sprintf("; then %q found %s", p.Reworded, p.Tool)
		}
		list.Items = append(list.Items, item)
	}
	return append(d, &present.Heading{Level: 2, Text: plain("phrases that found no tool by themselves")}, list)
}
