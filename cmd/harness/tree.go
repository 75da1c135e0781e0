package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/registry"
)

func (e *env) treeCommand() *cli.Command {
	return &cli.Command{
		Name:  "tree",
		Usage: "show all tools by server, or by category",
		Description: `One line a tool; -detail says how much of it -json shows.

  harness tree
  harness tree -by category
  harness -json tree -detail micro_schema`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "by", Usage: "`WHAT` comes first: server, category", Value: "server",
				Validator: func(s string) error {
					if s != "server" && s != "category" {
						return errors.New("want server or category")
					}
					return nil
				}},
			detailFlag(discovery.NameDescription),
		},
		Action: e.tree,
	}
}

func (e *env) tree(ctx context.Context, c *cli.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	d := discovery.Detail(c.String("detail"))
	if err := pointless(c, !c.Bool("json") && d != discovery.NameOnly && d != discovery.NameDescription,
		"with "+string(d)+" where a tool has one line: add -json; harness describe shows more of a tool",
		"detail"); err != nil {
		return err
	}
	known, err := e.known(ctx, c)
	if err != nil {
		return err
	}
	byCategory := c.String("by") == "category"
	branches, err := known.catalog.Tree(byCategory, d)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return e.print(map[string]any{"by": c.String("by"), "branches": branches, "total": len(known.registry.Tools)})
	}
	for _, b := range branches {
		fmt.Fprintf(e.stdout, "%s (%d)\n", b.Name, len(b.Tools))
		if b.Error != nil {
			fmt.Fprintf(e.stdout, "│   failed: %s\n", registry.Quoted(catalog.OfServer(b.Name, *b.Error)))
		}
		for i, t := range b.Tools {
			arm, name := "├── ", t.Name
			if i == len(b.Tools)-1 {
				arm = "└── "
			}
			if byCategory {
				name = t.ID
			}
			if t.Short != "" {
				name += "  " + t.Short
			}
			fmt.Fprintf(e.stdout, "%s%s\n", arm, name)
		}
	}
	return nil
}

func (e *env) namesCommand() *cli.Command {
	return &cli.Command{
		Name:  "names",
		Usage: "print the IDs of the tools, one a line",
		Description: `For pipes and for shells.

  harness names -server git
  harness names -category database | xargs harness describe`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "server", Usage: "only tools of this `SERVER`"},
			&cli.StringFlag{Name: "category", Usage: "only tools of this `CATEGORY`"},
			&cli.StringFlag{Name: "prefix", Usage: "only tools whose name begins with `PREFIX`"},
		},
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := noArguments(c); err != nil {
				return err
			}
			known, err := e.known(ctx, c)
			if err != nil {
				return err
			}
			q := discovery.Query{Server: c.String("server"), Category: c.String("category"), Prefix: c.String("prefix")}
			names := known.index.Names(q)
			if c.Bool("json") {
				err = e.print(map[string]any{"names": names, "total": len(names)})
			} else {
				for _, n := range names {
					fmt.Fprintln(e.stdout, n)
				}
			}
			if len(names) == 0 && !c.Bool("q") {
				page, _ := known.index.Search(q)
				fmt.Fprintln(e.stderr, "harness: no tool matches:", page.Note)
			}
			return err
		},
	}
}

func (e *env) categoriesCommand() *cli.Command {
	return &cli.Command{
		Name:  "categories",
		Usage: "count the tools by what they are for",
		Description: `A tool's category is the one whose description its text is nearest to. A config
overrules it: "usetools": {"categories": {"git": "vcs", "github.*_issue*": "tickets"}}
-all lists the categories that no tool has, too.

  harness categories
  harness search -category vcs`,
		Flags: []cli.Flag{&cli.BoolFlag{Name: "all", Usage: "also those without a tool"}},
		Action: func(ctx context.Context, c *cli.Command) error {
			if err := noArguments(c); err != nil {
				return err
			}
			known, err := e.known(ctx, c)
			if err != nil {
				return err
			}
			list := known.index.Categories(discovery.Query{})
			have := map[string]bool{}
			for _, n := range list {
				have[n.Name] = true
			}
			for _, k := range discovery.KnownCategories() {
				if c.Bool("all") && !have[k.Name] {
					list = append(list, discovery.CategoryCount{CategoryInfo: k, Servers: []string{}})
				}
			}
			if c.Bool("json") {
				return e.print(map[string]any{"categories": list, "total": len(known.registry.Tools)})
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
		},
	}
}
