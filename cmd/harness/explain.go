package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/discovery"
)

func (e *env) explainCommand() *cli.Command {
	return &cli.Command{
		Name:      "explain",
		Usage:     "show why a phrase means a tool, or none",
		ArgsUsage: "PHRASE…",
		Description: `How the phrase was read, what each leg of the search says about the first
candidates, and what each feature adds to their scores. With -json one object
a phrase: what resolve prints, and reason, found, read, tools.

  harness explain "show the commit history"`,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "k", Usage: "explain `N` candidates", Value: 5},
			&cli.StringFlag{Name: "server", Usage: "only tools of this `SERVER`"},
		},
		Action: e.explain,
	}
}

func (e *env) explain(ctx context.Context, c *cli.Command) error {
	if !c.Args().Present() {
		return usageError{"explain wants at least one PHRASE"}
	}
	k := c.Int("k")
	if k < 1 || k > 30 {
		return usageError{fmt.Sprintf("-k %d: want 1 to 30", k)}
	}
	known, err := e.known(ctx, c)
	if err != nil {
		return err
	}
	if err := known.hasServer(c.String("server")); err != nil {
		return err
	}
	missed := false
	for _, phrase := range c.Args().Slice() {
		x, err := known.catalog.Explain(ctx, phrase, &discovery.ResolveOptions{Server: c.String("server"), Candidates: k, Alone: true})
		if err != nil {
			return err
		}
		missed = missed || x.Verdict != discovery.Resolved
		if c.Bool("json") {
			if err := e.print(x); err != nil {
				return err
			}
			continue
		}
		e.showExplanation(&x)
		e.showNeighbours(known.index, &x)
	}
	if missed {
		return exit(exitNotFound)
	}
	return nil
}

// showExplanation prints a table with one column per candidate: its legs, and
// what every feature adds to its score.
func (e *env) showExplanation(x *discovery.Explanation) {
	fmt.Fprintf(e.stdout, "%s, confidence %.2f  %s\n  %s\n", x.Verdict, x.Confidence, strings.TrimSpace(x.Phrase), x.Reason)
	if x.Note != "" && x.Note != x.Reason {
		fmt.Fprintf(e.stdout, "  %s\n", x.Note)
	}
	if r := x.Read; r != nil {
		fmt.Fprintf(e.stdout, "  read as %q: verb %s, object %s\n", strings.Join(strings.Fields(r.Phrase), " "),
			orNone(r.Verbs), orNone(r.Objects))
	}
	if len(x.Tools) == 0 {
		return
	}
	for i := range x.Tools {
		fmt.Fprintf(e.stdout, "  [%d] score %.2f  %s\n", i+1, x.Candidates[i].Score, x.Tools[i].ID)
	}
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, value func(i int) string) {
		fmt.Fprintf(w, "  %s\t", name)
		for i := range x.Tools {
			fmt.Fprintf(w, "%s\t", value(i))
		}
		fmt.Fprintln(w)
	}
	number := func(name string, value func(*discovery.Legs) float64) {
		row(name, func(i int) string { return fmt.Sprintf("%.2f", value(&x.Tools[i])) })
	}
	row("", func(i int) string { return fmt.Sprintf("[%d]", i+1) })
	number("bm25", func(l *discovery.Legs) float64 { return l.BM25 })
	number("full", func(l *discovery.Legs) float64 { return l.Full })
	number("name", func(l *discovery.Legs) float64 { return l.Name })
	number("sentence", func(l *discovery.Legs) float64 { return l.Sentence })
	number("fused", func(l *discovery.Legs) float64 { return l.Fused })
	for f, c := range x.Tools[0].Features {
		number("+ "+c.Feature, func(l *discovery.Legs) float64 { return l.Features[f].Adds })
	}
	number("= score", func(l *discovery.Legs) float64 { return l.Score })
	w.Flush()
}

// showNeighbours prints the tools whose texts are most like the first
// candidate's: those it is mistaken for.
func (e *env) showNeighbours(index *discovery.Index, x *discovery.Explanation) {
	if len(x.Candidates) == 0 {
		return
	}
	near, err := index.Similar(x.Candidates[0].ID, 3)
	if err != nil || len(near) == 0 {
		return
	}
	var list []string
	for _, c := range near {
		list = append(list, fmt.Sprintf("%s (cosine %.2f)", c.ID, c.Score))
	}
	fmt.Fprintf(e.stdout, "  most like %s: %s\n", x.Candidates[0].ID, strings.Join(list, ", "))
}

func orNone(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, " ")
}
