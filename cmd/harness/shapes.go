package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/registry/text"
	"github.com/usetools/usetools/wrappers/observe"
)

func (e *env) shapesCommand() *cli.Command {
	return &cli.Command{
		Name:  "shapes",
		Usage: "list and forget what was learnt of the types of results",
		Description: `What a tool answers whose server does not say it is told to scripts from the first
answer on, and a tool that only reads gets a typed result once its answers have
had one shape several times. Kept are names of properties and types, no values.
The flag -no-observe, or "usetools": {"observe": false} in a config, switches it
off. What clients of serve with tokens of their own taught is not in the list: it
is kept for each of several tokens apart.

  harness shapes                           list them
  harness shapes forget git.git_log        learn a tool anew
  harness shapes forget -all               learn all anew`,
		Action: e.listShapes,
		Commands: []*cli.Command{
			{Name: "forget", Usage: "forget tools", ArgsUsage: "TOOL…", Action: e.forgetShapes,
				Flags: []cli.Flag{&cli.BoolFlag{Name: "all", Usage: "forget everything"}}},
		},
	}
}

// shapes is what was learnt of the tools of the registry that the flags name.
func (e *env) shapes(c *cli.Command) (*observe.Store, error) {
	path := e.files(c).Path()
	if path == "" {
		return nil, usageError{"shapes are learnt per registry: name one with -registry, or a config with -config"}
	}
	at, err := observe.Path(path)
	if err != nil {
		return nil, err
	}
	return observe.Open(at)
}

func (e *env) listShapes(_ context.Context, c *cli.Command) error {
	if c.Args().Present() {
		return usageError{fmt.Sprintf("there is no command shapes %q; forget is known", c.Args().First())}
	}
	s, err := e.shapes(c)
	if err != nil {
		return err
	}
	list := s.List()
	if c.Bool("json") {
		return e.print(map[string]any{"shapes": list})
	}
	if len(list) == 0 {
		e.nothing(c, "nothing was learnt yet")
	}
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	for _, x := range list {
		state := "still learning"
		if x.Schema != nil {
			state = "typed"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", x.Tool, text.Count(x.Results, "result"), state, x.Outline)
	}
	return w.Flush()
}

func (e *env) forgetShapes(_ context.Context, c *cli.Command) error {
	s, err := e.shapes(c)
	if err != nil {
		return err
	}
	tools := c.Args().Slice()
	if c.Bool("all") && len(tools) > 0 {
		return usageError{"shapes forget wants TOOLs or -all, not both"}
	}
	if c.Bool("all") {
		for _, x := range s.List() {
			tools = append(tools, x.Tool)
		}
	} else if len(tools) == 0 {
		return usageError{"shapes forget wants at least one TOOL, or -all"}
	}
	missed := false
	for _, id := range tools {
		if !s.Forget(id) {
			missed = true
			fmt.Fprintf(e.stderr, "harness: nothing was learnt of %q; harness shapes lists what was\n", id)
		}
	}
	if err := s.Save(); err != nil {
		return err
	}
	if missed {
		return exit(exitNotFound)
	}
	return nil
}
