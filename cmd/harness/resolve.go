package main

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness"
)

func (e *env) resolveCommand() *cli.Command {
	return &cli.Command{
		Name:      "resolve",
		Usage:     "say which tool a phrase means",
		ArgsUsage: "PHRASE… | -",
		Description: `'-' reads one phrase a line from stdin and prints one JSON object a line (with
-json; without it a line of text). The object is an element of a Result's
tools, with the verdict of the phrase alone: a tool that does not say that it
destroys nothing is resolved with a confidence of .75, others with .6. Exit code
2 when any phrase was not resolved.

  harness resolve "show the commit history"
  harness resolve -json - < phrases.txt`,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "k", Usage: "list at most `N` candidates", Value: 10},
			&cli.StringFlag{Name: "server", Usage: "only tools of this `SERVER`"},
		},
		Action: e.resolve,
	}
}

func (e *env) resolve(ctx context.Context, c *cli.Command) error {
	phrases := c.Args().Slice()
	if len(phrases) == 0 {
		return usageError{"resolve wants at least one PHRASE, or - for stdin"}
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
	r := &resolver{env: e, ctx: ctx, known: known, json: c.Bool("json"),
		opts: &discovery.ResolveOptions{Server: c.String("server"), Candidates: k, Alone: true}}
	if len(phrases) == 1 && phrases[0] == "-" {
		in := bufio.NewScanner(e.stdin)
		in.Buffer(nil, maxScript)
		for in.Scan() {
			if err := r.print(in.Text(), r.json); err != nil {
				return err
			}
		}
		if err := in.Err(); err != nil {
			return fmt.Errorf("reading phrases: %w", err)
		}
		return r.end()
	}
	for _, p := range phrases {
		if err := r.print(p, r.json); err != nil {
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
	opts   *discovery.ResolveOptions
	json   bool
	missed bool
}

func (r *resolver) end() error {
	if r.missed {
		return exit(exitNotFound)
	}
	return nil
}

func (r *resolver) print(phrase string, asJSON bool) error {
	res, err := r.catalog.Resolve(r.ctx, phrase, r.opts)
	if err != nil {
		return err
	}
	u := harness.ToolUse{Resolution: res}
	if t, ok := r.view.Tool(res.Tool); ok {
		u.Go = t.Go()
	}
	r.missed = r.missed || res.Verdict != discovery.Resolved
	if asJSON {
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
