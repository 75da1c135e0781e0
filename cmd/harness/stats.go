package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/serve"
)

// executeTokens is what the one tool execute takes at most of a model's
// context, whatever the number of tools.
const executeTokens = serve.DefaultDescribeTokens

func (e *env) statsCommand() *cli.Command {
	return &cli.Command{
		Name:  "stats",
		Usage: "count tools, and the tokens that their schemas would take",
		Description: `Per server: its tools, about how many tokens they take in a model's context,
how many say what they answer (an output schema), carry annotations, are stale.
Last, what a model's context saves with the one tool execute in their place.

  harness stats
  harness -json stats | jq .saved`,
		Action: e.stats,
	}
}

func (e *env) stats(ctx context.Context, c *cli.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	known, err := e.known(ctx, c)
	if err != nil {
		return err
	}
	stats := known.index.Stats(discovery.Query{})
	saved := max(0, stats.Total.SchemaTokens-executeTokens)
	if c.Bool("json") {
		return e.print(struct {
			discovery.Stats
			Execute int `json:"executeTokens"`
			Saved   int `json:"saved"`
		}{stats, executeTokens, saved})
	}
	names := len("server")
	for _, s := range stats.Servers {
		names = max(names, len(s.Name))
	}
	fmt.Fprintln(e.stdout, e.paint(head,
		fmt.Sprintf("%-*s  tools   tokens  typed  untyped  annotated  read-only  destructive  stale", names, "server")))
	row := func(name string, n discovery.Numbers) {
		name, colour, stale := fmt.Sprintf("%-*s", names, name), good, fmt.Sprintf("%5d", n.Stale)
		if n.Stale > 0 {
			colour, stale = doubt, e.paint(doubt, stale)
		}
		fmt.Fprintf(e.stdout, "%s  %5d  %7d  %5d  %7d  %9d  %9d  %11d  %s\n", e.paint(colour, name), n.Tools, n.SchemaTokens,
			n.WithOutput, n.WithoutOutput, n.Annotated, n.ReadOnly, n.Destructive, stale)
	}
	for _, s := range stats.Servers {
		row(s.Name, s.Numbers)
	}
	row("all", stats.Total)
	if stats.Total.SchemaTokens > 0 {
		fmt.Fprintf(e.stdout, "with execute alone a context holds at most %d tokens instead of about %d: %d saved (%.0f %%)\n",
			executeTokens, stats.Total.SchemaTokens, saved, 100*float64(saved)/float64(stats.Total.SchemaTokens))
	}
	return nil
}
