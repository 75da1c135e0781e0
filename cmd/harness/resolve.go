package main

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/outcome"
)

func (e *env) resolveCommand() *cli.Command {
	return &cli.Command{
		Name:      "resolve",
		Usage:     "show which tool a phrase means",
		ArgsUsage: "PHRASE…|-",
		Description: `'-' reads one phrase a line from stdin and prints one JSON object a line (with
-json; without it a line of text). The object is an element of a Result's
tools, with the verdict of the phrase alone: a tool that does not say that it
destroys nothing is resolved with a confidence of .75, others with .6. Exit code
2 when any phrase was not resolved.

  harness resolve "show the commit history"
  harness resolve -json - < phrases.txt`,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "k", Usage: "list at most `N` candidates", Value: 10, DefaultText: "10, with -explain 5"},
			&cli.StringFlag{Name: "server", Usage: "only tools of this `SERVER`"},
			&cli.BoolFlag{Name: "explain", Usage: "show why a phrase means a tool, or none"},
		},
		Action: e.resolve,
	}
}

func (e *env) resolve(ctx context.Context, c *cli.Command) error {
	phrases := c.Args().Slice()
	k := c.Int("k")
	if c.Bool("explain") && !c.IsSet("k") {
		k = 5
	}
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
	r := &resolver{env: e, ctx: ctx, known: known, json: c.Bool("json"), explain: c.Bool("explain"),
		opts: &discovery.ResolveOptions{Server: c.String("server"), Candidates: k, Alone: true}}
	if len(phrases) == 1 && phrases[0] == "-" {
		in := bufio.NewScanner(e.stdin)
		in.Buffer(nil, maxScript)
		for in.Scan() {
			if err := r.print(in.Text()); err != nil {
				return err
			}
		}
		if err := in.Err(); err != nil {
			return fmt.Errorf("reading phrases: %w", err)
		}
		return r.end()
	}
	for _, p := range phrases {
		if err := r.print(p); err != nil {
			return err
		}
	}
	if loose(phrases) && r.missed && !c.Bool("q") {
		fmt.Fprintf(e.stderr, "harness: each argument is a phrase of its own; to ask for one, quote it: harness resolve %q\n",
			strings.Join(phrases, " "))
	}
	return r.end()
}

// loose reports whether some phrases look like one whose quotes are missing.
func loose(phrases []string) bool {
	return len(phrases) > 1 && !slices.ContainsFunc(phrases, func(p string) bool { return strings.ContainsAny(p, " ._/") })
}

// resolver prints what phrases come to.
type resolver struct {
	*env
	ctx context.Context
	*known
	opts          *discovery.ResolveOptions
	json, explain bool
	missed        bool
}

func (r *resolver) end() error {
	if r.missed {
		return exit(exitNotFound)
	}
	return nil
}

func (r *resolver) print(phrase string) error {
	if r.explain {
		x, err := r.catalog.Explain(r.ctx, phrase, r.opts)
		if err != nil {
			return err
		}
		r.missed = r.missed || x.Verdict != discovery.Resolved
		if r.json {
			return r.printLine(x)
		}
		r.showExplanation(&x)
		r.showNeighbours(&x)
		return nil
	}
	res, err := r.catalog.Resolve(r.ctx, phrase, r.opts)
	if err != nil {
		return err
	}
	u := outcome.ToolUse{Resolution: res}
	if t, ok := r.view.Tool(res.Tool); ok {
		u.Go = t.Go()
	}
	r.missed = r.missed || res.Verdict != discovery.Resolved
	if r.json {
		return r.printLine(u)
	}
	by := ""
	if res.By != "" && res.By != discovery.ByPhrase {
		by = fmt.Sprintf(" (by %s)", res.By)
	}
	fmt.Fprintf(r.stdout, "%s, confidence %.2f%s  %s\n", res.Verdict, res.Confidence, by, strings.TrimSpace(phrase))
	if res.Note != "" {
		fmt.Fprintf(r.stdout, "  %s\n", res.Note)
	}
	if res.Verdict == discovery.Resolved {
		for _, cand := range res.Candidates[:min(3, len(res.Candidates))] {
			r.candidate(cand)
		}
		return nil
	}
	if res.Reason != "" && res.Reason != res.Note {
		fmt.Fprintf(r.stdout, "  %s\n", res.Reason)
	}
	if res.NoTool && len(res.Candidates) > 0 {
		fmt.Fprintln(r.stdout, "  nearest, does something else:")
	}
	for i, d := range r.index.Offer(&res) {
		r.candidate(res.Candidates[i])
		if telling := d.Distinction(); telling != "" {
			fmt.Fprintf(r.stdout, "              only here: %s\n", telling)
		}
	}
	return nil
}

// candidate prints a tool that the phrase may mean.
func (r *resolver) candidate(c discovery.Candidate) {
	if t, ok := r.view.Tool(c.ID); ok {
		fmt.Fprintf(r.stdout, "  score %.2f  %s  %s  %s\n", c.Score, c.ID, t.Go(), r.index.Short(t.ID))
	}
}

// showExplanation prints a table with one column per candidate: its legs, and
// what every feature adds to its score.
func (r *resolver) showExplanation(x *discovery.Explanation) {
	fmt.Fprintf(r.stdout, "%s, confidence %.2f  %s\n  %s\n", x.Verdict, x.Confidence, strings.TrimSpace(x.Phrase), x.Reason)
	if x.Note != "" && x.Note != x.Reason {
		fmt.Fprintf(r.stdout, "  %s\n", x.Note)
	}
	if read := x.Read; read != nil {
		fmt.Fprintf(r.stdout, "  read as %q: verb %s, object %s\n", strings.Join(strings.Fields(read.Phrase), " "),
			orNone(read.Verbs), orNone(read.Objects))
	}
	if len(x.Tools) == 0 {
		return
	}
	for i := range x.Tools {
		fmt.Fprintf(r.stdout, "  [%d] score %.2f  %s\n", i+1, x.Candidates[i].Score, x.Tools[i].ID)
	}
	w := tabwriter.NewWriter(r.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
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

// showNeighbours prints the tools whose texts are most like the first candidate's.
func (r *resolver) showNeighbours(x *discovery.Explanation) {
	if len(x.Candidates) == 0 {
		return
	}
	near, err := r.index.Similar(x.Candidates[0].ID, 3)
	if err != nil || len(near) == 0 {
		return
	}
	var list []string
	for _, c := range near {
		list = append(list, fmt.Sprintf("%s (cosine %.2f)", c.ID, c.Score))
	}
	fmt.Fprintf(r.stdout, "  most like %s: %s\n", x.Candidates[0].ID, strings.Join(list, ", "))
}

func orNone(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, " ")
}
