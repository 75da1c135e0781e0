package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/discovery"
)

func (e *env) searchCommand() *cli.Command {
	return &cli.Command{
		Name:      "search",
		Usage:     "find tools by what they do",
		ArgsUsage: "[WORDS…]",
		Description: `The best match comes first, with its score. Without WORDS, all tools are listed by ID.
Flags narrow the search; -match substring takes the words literally (ID, name,
category, title, description). -json prints results (each with the reason of the match
and an estimate of its tokens), total, offset, hasMore. Exit code 2 if nothing
matches, with the reason.

  harness search read a file
  harness search -match substring -server git log
  harness search -category database -k 50
  harness -json search -detail micro_schema -k 3 "send an e-mail"`,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "k", Aliases: []string{"limit"}, Usage: "list `N` tools", Value: 10, Validator: atLeast(1)},
			&cli.IntFlag{Name: "offset", Usage: "skip the first `N`", HideDefault: true, Validator: atLeast(0)},
			&cli.StringFlag{Name: "server", Usage: "only tools of this `SERVER`, by its name or its Go package"},
			&cli.StringFlag{Name: "category", Usage: "only tools of this `CATEGORY`"},
			&cli.StringFlag{Name: "prefix", Usage: "only tools whose name begins with `PREFIX`"},
			choice(e, "match", "`HOW` words match:", discovery.Semantic, discovery.Semantic, discovery.Substring),
			e.detailFlag(discovery.NameDescription),
		},
		Action: on(e.known, e.search),
	}
}

func (e *env) search(_ context.Context, c *cli.Command, known *known) error {
	d := discovery.Detail(c.String("detail"))
	page, err := known.catalog.Find(discovery.Query{
		Text: strings.Join(c.Args().Slice(), " "), Match: discovery.Match(c.String("match")),
		Server: c.String("server"), Category: c.String("category"), Prefix: c.String("prefix"),
		Limit: c.Int("k"), Offset: c.Int("offset"), Detail: d,
	})
	if err != nil {
		return usageError{err.Error()}
	}
	if c.Bool("json") {
		err = e.print(page)
	} else {
		for _, h := range page.Results {
			scored := c.Args().Present() // without words all scores are equal
			if scored && d != discovery.Go && d != discovery.CompactSchema && d != discovery.FullSchema {
				fmt.Fprintf(e.stdout, "%.2f  ", h.Score)
			}
			e.showEntry(h.Entry, d)
		}
		for _, line := range known.skillsFor(strings.Join(c.Args().Slice(), " ")) {
			fmt.Fprintln(e.stdout, line)
		}
		if page.HasMore {
			e.say(c, "%d of %d tools; -offset %d shows the next", len(page.Results), page.Total, page.Offset+len(page.Results))
		}
	}
	if err == nil && len(page.Results) == 0 {
		return notFound("no tool matches: %s", page.Note)
	}
	return err
}
