package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/present"
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
			choice(e, "by", "`WHAT` the tools are grouped by:", "server", "server", "category"),
			&cli.BoolFlag{Name: "names", Usage: "print only the IDs of the tools"},
			&cli.BoolFlag{Name: "stats", Usage: "print only numbers"},
		},
		Action: e.tools,
	}
}

func (e *env) tools(ctx context.Context, c *cli.Command) error {
	if err := pointless(c, c.Bool("names"), "with -names, which lists IDs: omit it", "by", "stats"); err != nil {
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
	err = e.output(c, o, present.ToolList(o))
	if failed := func(s catalog.OverviewServer) bool { return s.Error != nil }; slices.ContainsFunc(o.Servers, failed) {
		path := e.files(c).Path()
		if info, err := os.Stat(path); err == nil {
			e.say(c, "failures are those of %s, when %s was built; build-registry asks all servers again",
				info.ModTime().Format(time.DateTime), path)
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
	if len(ids) == 0 {
		e.say(c, "there are no tools")
	}
	if c.Bool("json") {
		return e.print(map[string]any{"names": ids, "total": len(ids)})
	}
	for _, id := range ids {
		fmt.Fprintln(e.stdout, id)
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
	return e.output(c, map[string]any{"by": "category", "branches": branches, "total": total}, present.Categories(branches))
}

// categories prints how many tools the categories have, those without tools last.
func (e *env) categories(c *cli.Command, list []discovery.CategoryCount) error {
	total := 0
	for _, n := range list {
		total += n.Tools
	}
	for _, k := range discovery.KnownCategories() {
		if !slices.ContainsFunc(list, func(n discovery.CategoryCount) bool { return n.Name == k.Name }) {
			list = append(list, discovery.CategoryCount{CategoryInfo: k, Servers: []string{}})
		}
	}
	t := &present.Table{Columns: []present.Column{{Title: "category"}, {Title: "tools", Number: true}, {Title: "about"}}}
	for _, n := range list {
		t.Rows = append(t.Rows, present.Cells(n.Name, fmt.Sprint(n.Tools), n.About))
	}
	return e.output(c, map[string]any{"categories": list, "total": total}, present.Document{t})
}

// executeTokens is the largest number of tokens that the one tool execute takes in a model's
// context, however many tools there are.
const executeTokens = serve.DefaultListTokens

func (e *env) stats(c *cli.Command, stats *discovery.Stats) error {
	saved := max(0, stats.Total.SchemaTokens-executeTokens)
	t := &present.Table{Header: true, Columns: []present.Column{{Title: "server"}}}
	for _, title := range []string{"tools", "tokens", "typed", "untyped", "annotated", "read-only", "destructive", "stale"} {
		t.Columns = append(t.Columns, present.Column{Title: title, Number: true})
	}
	for _, s := range append(stats.Servers, discovery.ServerStats{Name: "all", Numbers: stats.Total}) {
		row := present.Cells(s.Name)
		for _, n := range []int{s.Tools, s.SchemaTokens, s.WithOutput, s.WithoutOutput, s.Annotated, s.ReadOnly, s.Destructive, s.Stale} {
			row.Cells = append(row.Cells, present.Words(present.Plain, fmt.Sprint(n)))
		}
		row.Cells[0][0].Style = present.Good
		if s.Stale > 0 {
			row.Cells[0][0].Style, row.Cells[8][0].Style = present.Warn, present.Warn
		}
		t.Rows = append(t.Rows, row)
	}
	d := present.Document{t}
	if stats.Total.SchemaTokens > 0 {
		d = append(d, &present.Paragraph{Text: present.Words(present.Plain,
			fmt.Sprintf("With execute alone, a context holds at most %d tokens instead of about %d: %d saved (%.0f %%).",
				executeTokens, stats.Total.SchemaTokens, saved, 100*float64(saved)/float64(stats.Total.SchemaTokens)))})
	}
	return e.output(c, struct {
		*discovery.Stats
		Execute int `json:"executeTokens"`
		Saved   int `json:"saved"`
	}{stats, executeTokens, saved}, d)
}
