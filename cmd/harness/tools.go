package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/cmd/internal/lifetime"
	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/registry"
)

func (e *env) toolsCommand() *cli.Command {
	return &cli.Command{
		Name:      "tools",
		Usage:     "list the servers and their tools",
		ArgsUsage: "[SERVER…]",
		Description: `Lists each server with where its tools run (in process: saved lists,
command-line tools, OpenAPI services; external: a command or a URL) and its tools,
by ID and Go name. Names of SERVERS limit the list. On a terminal, lines are cut to
its width and coloured, unless NO_COLOR is set. Exit code 2 if every server failed.

-by category groups the tools by purpose instead. A tool's category is the one
whose description is nearest to the tool's text. A config can override it:
"usetools": {"categories": {"git": "vcs", "github.*_issue*": "tickets"}}

-names prints IDs, one per line. harness search -detail name_only does so for a
category or a prefix.

-stats counts the tools of each server, with an estimate of the tokens that they take
in a model's context: how many declare an output schema, have annotations, are stale.
The last line says what the one tool execute saves. With -by category it counts the
tools of each known category.

  harness tools
  harness tools git
  harness tools -by category
  harness tools -names git | xargs harness describe
  harness tools -stats
  harness -json tools | jq '.servers[] | {name, at, tools: (.tools | length)}'`,
		Flags: []cli.Flag{
			choice("by", "`WHAT` the tools are grouped by", "server", "server", "category"),
			&cli.BoolFlag{Name: "names", Usage: "print only the IDs of the tools"},
			&cli.BoolFlag{Name: "stats", Usage: "print only numbers"},
		},
		Action: e.tools,
	}
}

func (e *env) tools(ctx context.Context, c *cli.Command) error {
	if err := pointless(c, c.Bool("names"), "with -names, which lists IDs: leave it out", "by", "stats"); err != nil {
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
	query := discovery.Query{}
	if c.Args().Present() {
		some := &catalog.Overview{Servers: []catalog.OverviewServer{}}
		for _, name := range c.Args().Slice() {
			one, ok := o.Only(name)
			if !ok {
				return known.hasServer(name)
			}
			some.Servers, some.Total = append(some.Servers, one.Servers...), some.Total+one.Total
		}
		o = some
		query.Keep = func(t *registry.Tool) bool {
			return slices.ContainsFunc(o.Servers, func(s catalog.OverviewServer) bool { return s.Name == t.Server })
		}
	}
	switch byCategory := c.String("by") == "category"; {
	case c.Bool("names"):
		return e.toolNames(c, known.index.Names(query))
	case c.Bool("stats") && byCategory:
		return e.categories(c, known.index.Categories(query))
	case c.Bool("stats"):
		stats := known.index.Stats(query)
		stats.Servers = slices.DeleteFunc(stats.Servers, func(s discovery.ServerStats) bool {
			return !slices.ContainsFunc(o.Servers, func(o catalog.OverviewServer) bool { return o.Name == s.Name })
		})
		return e.stats(c, &stats)
	case byCategory:
		return e.toolsByCategory(c, known, query.Keep)
	}
	if c.Bool("json") {
		err = e.print(o)
	} else {
		err = o.Write(e.stdout, lifetime.Terminal(e.stdout), lifetime.Width(e.stdout))
	}
	if failed := func(s catalog.OverviewServer) bool { return s.Error != nil }; slices.ContainsFunc(o.Servers, failed) {
		path := e.files(c).Path()
		if info, err := os.Stat(path); err == nil {
			e.nothing(c, fmt.Sprintf("failures are those of %s, when %s was built; build-registry asks all servers again",
				info.ModTime().Format(time.DateTime), path))
		}
	}
	allFailed := len(o.Servers) > 0 &&
		!slices.ContainsFunc(o.Servers, func(s catalog.OverviewServer) bool { return s.Error == nil || len(s.Tools) > 0 })
	if err == nil && allFailed {
		return exit(exitNotFound)
	}
	return err
}

func (e *env) toolNames(c *cli.Command, ids []string) error {
	if c.Bool("json") {
		return e.print(map[string]any{"names": ids, "total": len(ids)})
	}
	for _, id := range ids {
		fmt.Fprintln(e.stdout, id)
	}
	if len(ids) == 0 {
		e.nothing(c, "there are no tools")
	}
	return nil
}

// toolsByCategory prints the tools that keep accepts, or all if it is nil.
func (e *env) toolsByCategory(c *cli.Command, known *known, keep func(*registry.Tool) bool) error {
	branches, err := known.catalog.Tree(true, discovery.NameDescription)
	if err != nil {
		return err
	}
	total := 0
	for i := range branches {
		b := &branches[i]
		b.Tools = slices.DeleteFunc(b.Tools, func(t discovery.Entry) bool {
			tool, ok := known.registry.Tool(t.ID)
			return keep != nil && (!ok || !keep(tool))
		})
		total += len(b.Tools)
	}
	branches = slices.DeleteFunc(branches, func(b discovery.Branch) bool { return len(b.Tools) == 0 })
	if c.Bool("json") {
		return e.print(map[string]any{"by": "category", "branches": branches, "total": total})
	}
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	for _, b := range branches {
		fmt.Fprintf(w, "%s (%d)\n", b.Name, len(b.Tools))
		for _, t := range b.Tools {
			fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", t.ID, t.Go, t.Class, t.Short)
		}
	}
	return w.Flush()
}

// categories prints how many tools the categories have, those without tools last.
func (e *env) categories(c *cli.Command, list []discovery.CategoryCount) error {
	total := 0
	have := map[string]bool{}
	for _, n := range list {
		have[n.Name] = true
		total += n.Tools
	}
	for _, k := range discovery.KnownCategories() {
		if !have[k.Name] {
			list = append(list, discovery.CategoryCount{CategoryInfo: k, Servers: []string{}})
		}
	}
	if c.Bool("json") {
		return e.print(map[string]any{"categories": list, "total": total})
	}
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	for _, n := range list {
		row := fmt.Sprintf("%s\t%d", n.Name, n.Tools)
		if n.About != "" {
			row += "\t" + n.About
		}
		fmt.Fprintln(w, row)
	}
	return w.Flush()
}

// executeTokens is the number of tokens that the one tool execute takes in a model's
// context at most, whatever the number of tools.
const executeTokens = serve.DefaultListTokens

func (e *env) stats(c *cli.Command, stats *discovery.Stats) error {
	saved := max(0, stats.Total.SchemaTokens-executeTokens)
	if c.Bool("json") {
		return e.print(struct {
			*discovery.Stats
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
