package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/internal/lifetime"
	"github.com/usetools/usetools/harness"
)

func (e *env) toolsCommand() *cli.Command {
	return &cli.Command{
		Name:      "tools",
		Usage:     "list the servers and their tools",
		ArgsUsage: "[SERVER…]",
		Description: `Each server with where its tools run (in process: saved lists, command-line
tools, OpenAPI services; external: a command or a URL) and its tools, by ID and
Go name; with SERVERs those alone. On a terminal lines are cut to its width, and
coloured unless NO_COLOR is set. Exit code 2 when every server failed.

  harness tools
  harness tools git
  harness tools -config examples/.mcp.json
  harness -json tools | jq '.servers[] | {name, at, tools: (.tools | length)}'`,
		Action: e.tools,
	}
}

func (e *env) tools(ctx context.Context, c *cli.Command) error {
	known, err := e.known(ctx, c)
	if err != nil {
		return err
	}
	o, err := known.catalog.Overview()
	if err != nil {
		return err
	}
	if c.Args().Present() {
		some := &harness.Overview{Servers: []harness.OverviewServer{}}
		for _, name := range c.Args().Slice() {
			one, ok := o.Only(name)
			if !ok {
				return known.hasServer(name)
			}
			some.Servers, some.Total = append(some.Servers, one.Servers...), some.Total+one.Total
		}
		o = some
	}
	if c.Bool("json") {
		err = e.print(o)
	} else {
		err = o.Write(e.stdout, lifetime.Terminal(e.stdout), lifetime.Width(e.stdout))
	}
	allFailed := len(o.Servers) > 0 &&
		!slices.ContainsFunc(o.Servers, func(s harness.OverviewServer) bool { return s.Error == nil || len(s.Tools) > 0 })
	if err == nil && allFailed {
		return exit(exitNotFound)
	}
	return err
}

func noArguments(c *cli.Command) error {
	if c.Args().Present() {
		return usageError{fmt.Sprintf("%s takes no argument, got %q; harness search finds tools", c.Name, c.Args().First())}
	}
	return nil
}
