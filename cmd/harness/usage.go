package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/harness/usage"
	"github.com/usetools/usetools/registry/text"
)

func (e *env) usageCommand() *cli.Command {
	return &cli.Command{
		Name:  "usage",
		Usage: "show which tools scripts used, which failed, which phrases were refused",
		Description: `Counted is in a file on this machine: per run the tools, how often they were
called, failed and how long they took, and the phrases; no argument, result or
output. Nothing leaves the machine. The flag -no-usage, or "usetools":
{"usage": false} in a config, switches it off.

  harness usage                            tools, the most used first, and phrases
  harness usage -by server -days 7
  harness usage -by day
  harness usage -unused                    tools that no run has called
  harness usage clear                      forget it all`,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "days", Usage: "only the last `N` days (default: all)", HideDefault: true, Validator: atLeast(1)},
			&cli.StringFlag{Name: "by", Usage: "`WHAT` the rows are: tool, server, day", Value: "tool",
				Validator: func(s string) error {
					if s != "tool" && s != "server" && s != "day" {
						return errors.New("want tool, server or day")
					}
					return nil
				}},
			&cli.BoolFlag{Name: "unused", Usage: "list the tools that were not used"},
		},
		Commands: []*cli.Command{{Name: "clear", Usage: "forget what was recorded",
			Action: func(_ context.Context, c *cli.Command) error {
				log, err := e.usageLog(c)
				if err != nil {
					return err
				}
				return log.Clear()
			}}},
		Action: e.usage,
	}
}

func (e *env) usageLog(c *cli.Command) (*usage.Log, error) {
	path := e.files(c).Path()
	if path == "" {
		return nil, usageError{"usage is recorded per registry: name one with -registry, or a config with -config"}
	}
	at, err := usage.Path(path)
	if err != nil {
		return nil, err
	}
	return usage.Open(at), nil
}

func (e *env) usage(ctx context.Context, c *cli.Command) error {
	if c.Args().Present() {
		return usageError{fmt.Sprintf("there is no command usage %q; clear is known", c.Args().First())}
	}
	if err := pointless(c, c.Bool("unused"), "with -unused, which lists tools: leave it out", "by"); err != nil {
		return err
	}
	log, err := e.usageLog(c)
	if err != nil {
		return err
	}
	known, err := e.known(ctx, c)
	if err != nil {
		return err
	}
	var since time.Time
	if d := c.Int("days"); d > 0 {
		since = time.Now().AddDate(0, 0, -d)
	}
	runs, err := log.Runs(since)
	if err != nil {
		return err
	}
	var ids []string
	serverOf := map[string]string{}
	for i := range known.registry.Tools {
		t := &known.registry.Tools[i]
		ids = append(ids, t.ID)
		serverOf[t.ID] = t.Server
	}
	s := usage.Summarize(runs, ids, func(id string) string {
		if server, ok := serverOf[id]; ok {
			return server
		}
		server, _, _ := strings.Cut(id, ".") // a tool that is gone
		return server
	})
	if c.Bool("json") {
		return e.print(s)
	}
	if c.Bool("unused") {
		for _, id := range s.Unused {
			fmt.Fprintln(e.stdout, id)
		}
		return nil
	}
	e.showUsage(&s, c.String("by"))
	return nil
}

func (e *env) showUsage(s *usage.Summary, by string) {
	if s.Runs == 0 {
		fmt.Fprintln(e.stdout, "no run that needed tools is recorded")
		return
	}
	fmt.Fprintf(e.stdout, "%s since %s, %d not ok; %d of %s used\n", text.Count(s.Runs, "run"), s.Since, s.Failed,
		len(s.Tools), text.Count(len(s.Tools)+len(s.Unused), "tool"))
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	rows := s.Tools
	if by == "server" {
		rows = s.Servers
	}
	if by == "day" {
		fmt.Fprintln(w, "day\truns\tcalls\tfailed")
		for _, d := range s.Days {
			fmt.Fprintf(w, "%s\t%d\t%d\t%d\n", d.Day, d.Runs, d.Calls, d.Failed)
		}
	} else {
		fmt.Fprintf(w, "%s\truns\tcalls\tfailed\tmean ms\tslowest ms\tlast\n", by)
		for _, t := range rows {
			fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.1f\t%.1f\t%s\n", t.Name, t.Runs, t.Calls, t.Failed, t.Mean, t.Max, t.Last)
		}
	}
	w.Flush()
	if len(s.Phrases) == 0 {
		return
	}
	fmt.Fprintln(e.stdout, "phrases that found no tool by themselves:")
	for _, p := range s.Phrases[:min(len(s.Phrases), 20)] {
		fmt.Fprintf(e.stdout, "  %q %s, %d×", p.Phrase, p.Verdict, p.Times)
		if p.Reworded != "" {
			fmt.Fprintf(e.stdout, "; then %q found %s", p.Reworded, p.Tool)
		}
		fmt.Fprintln(e.stdout)
	}
}
