package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/present"
)

func (e *env) resolveCommand() *cli.Command {
	return &cli.Command{
		Name:      "resolve",
		Usage:     "show which tool a phrase means",
		ArgsUsage: "PHRASE…|-",
		Description: `'-' reads one phrase per line from stdin. -json prints one JSON object per phrase: an
element of a Result's tools, with the verdict of the phrase alone. A phrase is resolved
with a confidence of .6, for tools that may be destructive of .75. Exit code 2 if a
phrase was not resolved.

  harness resolve "show the commit history"
  harness resolve -json - < phrases.txt`,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "k", Usage: "list at most `N` candidates", Value: 10, DefaultText: "10, with -explain 5",
				Validator: func(k int) error {
					if k < 1 || k > 30 {
						return errors.New("want 1 to 30")
					}
					return nil
				}},
			&cli.StringFlag{Name: "server", Usage: "only tools of this `SERVER`"},
			&cli.BoolFlag{Name: "explain", Usage: "show why a phrase means a tool, or none"},
		},
		Action: on(e.known, e.resolve),
	}
}

func (e *env) resolve(ctx context.Context, c *cli.Command, known *known) error {
	phrases := c.Args().Slice()
	k := c.Int("k")
	if c.Bool("explain") && !c.IsSet("k") {
		k = 5
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
	if loose(phrases) && r.missed {
		e.say(c, "each argument is a phrase; to resolve one phrase, quote it: harness resolve %q", strings.Join(phrases, " "))
	}
	return r.end()
}

// loose reports whether some phrases look like one whose quotes are missing.
func loose(phrases []string) bool {
	return len(phrases) > 1 && !slices.ContainsFunc(phrases, func(p string) bool { return strings.ContainsAny(p, " ._/") })
}

// resolver resolves phrases and prints the results.
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
		return r.show(r.explanation(&x))
	}
	res, err := r.catalog.Resolve(r.ctx, phrase, r.opts)
	if err != nil {
		return err
	}
	r.missed = r.missed || res.Verdict != discovery.Resolved
	if r.json {
		u := outcome.ToolUse{Resolution: res}
		if t, ok := r.view.Tool(res.Tool); ok {
			u.Go = t.Go()
		}
		return r.printLine(u)
	}
	d := r.resolution(&res)
	for _, line := range r.skillsFor(phrase) {
		d = append(d, &present.Paragraph{Text: present.Words(present.Plain, line)})
	}
	return r.show(d)
}

// verdict returns a phrase's verdict in a line, with notes below it.
func verdict(x *discovery.Resolution, notes ...string) present.Document {
	style := present.Warn
	if x.Verdict == discovery.Resolved {
		style = present.Good
	}
	by := ""
	if x.By != "" && x.By != discovery.ByPhrase {
		by = fmt.Sprintf(" (by %s)", x.By)
	}
	d := present.Document{&present.Heading{Level: 2, Text: present.Words(style, string(x.Verdict)).Add(present.Plain,
		fmt.Sprintf(", confidence %.2f%s  %s", x.Confidence, by, strings.TrimSpace(x.Phrase)))}}
	for i, note := range notes {
		if note != "" && !slices.Contains(notes[:i], note) {
			d = append(d, &present.Paragraph{Text: present.Words(present.Plain, note)})
		}
	}
	return d
}

// resolution shows the tools that a phrase may mean.
func (r *resolver) resolution(res *discovery.Resolution) present.Document {
	t := &present.Table{Inset: true, Columns: present.Columns("score", "tool", "Go name", "description")}
	add := func(c discovery.Candidate, below ...present.Text) {
		if tool, ok := r.view.Tool(c.ID); ok {
			row := present.Cells(fmt.Sprintf("score %.2f", c.Score), c.ID, tool.Go(), r.index.Short(tool.ID))
			row.Cells[1][0].Style, row.Below = present.Tool, below
			t.Rows = append(t.Rows, row)
		}
	}
	if res.Verdict == discovery.Resolved {
		for _, c := range res.Candidates[:min(3, len(res.Candidates))] {
			add(c)
		}
		return append(verdict(res, res.Note), t)
	}
	notes := []string{res.Note, res.Reason}
	if res.NoTool && len(res.Candidates) > 0 {
		notes = append(notes, "the nearest tools, which may do something else:")
	}
	for i, d := range r.index.Offer(res) {
		var below []present.Text
		if only := d.Distinction(); only != "" {
			below = []present.Text{present.Words(present.Dim, "only here: "+only)}
		}
		add(res.Candidates[i], below...)
	}
	return append(verdict(res, notes...), t)
}

// explanation shows why a phrase means a tool: a table with one column per candidate, its
// scores, and the contribution of each feature.
func (r *resolver) explanation(x *discovery.Explanation) present.Document {
	d := verdict(&x.Resolution, x.Reason, x.Note)
	say := func(format string, args ...any) {
		d = append(d, &present.Paragraph{Text: present.Words(present.Plain, fmt.Sprintf(format, args...))})
	}
	if read := x.Read; read != nil {
		say("read as %q: verb %s, object %s", strings.Join(strings.Fields(read.Phrase), " "), orNone(read.Verbs), orNone(read.Objects))
	}
	if len(x.Tools) == 0 {
		return d
	}
	found := &present.Table{Inset: true, Columns: present.Columns("candidate", "tool")}
	scores := &present.Table{Inset: true, Header: true, Columns: []present.Column{{Number: true}}}
	for i := range x.Tools {
		found.Rows = append(found.Rows, present.Cells(fmt.Sprintf("[%d] score %.2f", i+1, x.Candidates[i].Score), x.Tools[i].ID))
		scores.Columns = append(scores.Columns, present.Column{Title: fmt.Sprintf("[%d]", i+1), Number: true})
	}
	number := func(name string, value func(*discovery.Legs) float64) {
		row := present.Cells(name)
		for i := range x.Tools {
			row.Cells = append(row.Cells, present.Words(present.Plain, fmt.Sprintf("%.2f", value(&x.Tools[i]))))
		}
		scores.Rows = append(scores.Rows, row)
	}
	number("bm25", func(l *discovery.Legs) float64 { return l.BM25 })
	number("full", func(l *discovery.Legs) float64 { return l.Full })
	number("name", func(l *discovery.Legs) float64 { return l.Name })
	number("sentence", func(l *discovery.Legs) float64 { return l.Sentence })
	number("fused", func(l *discovery.Legs) float64 { return l.Fused })
	for f, c := range x.Tools[0].Features {
		number("+ "+c.Feature, func(l *discovery.Legs) float64 { return l.Features[f].Adds })
	}
	number("= score", func(l *discovery.Legs) float64 { return l.Score })
	d = append(d, found, scores)
	if near, err := r.index.Similar(x.Candidates[0].ID, 3); err == nil && len(near) > 0 {
		var list []string
		for _, c := range near {
			list = append(list, fmt.Sprintf("%s (cosine %.2f)", c.ID, c.Score))
		}
		say("most like %s: %s", x.Candidates[0].ID, strings.Join(list, ", "))
	}
	if first, _ := r.view.Tool(x.Tools[0].ID); first != nil && x.Verdict != discovery.Resolved {
		say("if [1] is meant, use its function %s in the script, or store the phrase: harness phrases set %q %s",
			first.Go(), strings.TrimSpace(x.Phrase), first.ID)
	}
	return d
}

func orNone(words []string) string {
	return cmp.Or(strings.Join(words, " "), "none")
}
