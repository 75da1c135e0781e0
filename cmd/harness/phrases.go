package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/discovery/memory"
	"github.com/usetools/usetools/registry/text"
)

func (e *env) phrasesCommand() *cli.Command {
	return &cli.Command{
		Name:  "phrases",
		Usage: "list and edit what phrases meant in earlier runs",
		Description: `A phrase that led to a tool in a run that went well means that tool next time,
while the tool exists unchanged.

  harness phrases                                  list them
  harness phrases set "history" git.git_log        decide it by hand
  harness phrases forget "history"                 forget one
  harness phrases forget -all                      forget all

The flag -no-memory, or "usetools": {"memory": false} in a config, switches the
memory off.`,
		Action: e.listPhrases,
		Commands: []*cli.Command{
			{Name: "set", Usage: "make a phrase mean a tool", ArgsUsage: "PHRASE TOOL", Action: e.setPhrase},
			{Name: "forget", Usage: "forget phrases", ArgsUsage: "PHRASE…", Action: e.forgetPhrases,
				Flags: []cli.Flag{&cli.BoolFlag{Name: "all", Usage: "forget everything"}}},
		},
	}
}

// memory is what was remembered of the registry that the flags name. It needs
// no registry, which could only tell whether tools changed since.
func (e *env) memory(c *cli.Command) (*memory.Memory, error) {
	path := e.files(c).Path()
	if path == "" {
		return nil, usageError{"phrases are remembered per registry: name one with -registry, or a config with -config"}
	}
	at, err := memory.Path(path)
	if err != nil {
		return nil, err
	}
	return memory.New(at, nil), nil
}

func (e *env) listPhrases(_ context.Context, c *cli.Command) error {
	if c.Args().Present() {
		return usageError{fmt.Sprintf("there is no command phrases %q; set and forget are known", c.Args().First())}
	}
	m, err := e.memory(c)
	if err != nil {
		return err
	}
	all, err := m.List()
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return e.print(map[string]any{"phrases": all})
	}
	if len(all) == 0 {
		e.nothing(c, "no run has taught what a phrase means")
	}
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	for _, x := range all {
		means := x.Tool
		if x.Conflicting() {
			means = "(led to different tools)"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", x.Phrase, means, text.Count(x.Uses, "use"), x.Used)
	}
	return w.Flush()
}

func (e *env) setPhrase(ctx context.Context, c *cli.Command) error {
	if c.Args().Len() != 2 {
		return usageError{"phrases set wants a PHRASE and a TOOL"}
	}
	m, err := e.memory(c)
	if err != nil {
		return err
	}
	known, err := e.known(ctx, c)
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
		fmt.Fprintf(e.stderr, "harness: there is no tool %q; harness search finds tools by what they do\n", name)
		return exit(exitNotFound)
	case 1:
		t, _ := known.registry.Tool(found.Tools[0].ID)
		return m.Set(c.Args().First(), t.ID, t.Hash)
	}
	return usageError{fmt.Sprintf("%d servers have a tool %q; name one as %q", len(found.Tools), name, found.Tools[0].ID)}
}

func (e *env) forgetPhrases(_ context.Context, c *cli.Command) error {
	m, err := e.memory(c)
	if err != nil {
		return err
	}
	switch {
	case c.Bool("all") && c.Args().Present():
		return usageError{"phrases forget wants PHRASEs or -all, not both"}
	case c.Bool("all"):
		return m.ForgetAll()
	}
	if !c.Args().Present() {
		return usageError{"phrases forget wants at least one PHRASE, or -all"}
	}
	unknown, err := m.Forget(c.Args().Slice()...)
	if err != nil {
		return err
	}
	for _, p := range unknown {
		fmt.Fprintf(e.stderr, "harness: %q is not remembered; harness phrases lists what is\n", p)
	}
	if len(unknown) > 0 {
		return exit(exitNotFound)
	}
	return nil
}
