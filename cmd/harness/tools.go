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
		Name:  "tools",
		Usage: "list the servers and their tools",
		Description: `Each server with where its tools run (in process: saved lists, command-line
tools, OpenAPI services; external: a command or a URL) and its tools, by ID and
Go name. Coloured on a terminal, unless NO_COLOR is set. Exit code 2
when every server failed.

  harness tools
  harness tools -config examples/.mcp.json
  harness -json tools | jq '.servers[] | {name, at, tools: (.tools | length)}'`,
		Action: e.tools,
	}
}

func (e *env) tools(ctx context.Context, c *cli.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	known, err := e.known(ctx, c)
	if err != nil {
		return err
	}
	o, err := known.catalog.Overview()
	if err != nil {
		return err
	}
	if c.Bool("json") {
		err = e.print(o)
	} else {
		err = o.Write(e.stdout, lifetime.Terminal(e.stdout))
	}
	allFailed := len(o.Servers) > 0 && !slices.ContainsFunc(o.Servers, func(s harness.OverviewServer) bool { return s.Error == nil || len(s.Tools) > 0 })
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
