package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/harness/bench"
)

func (e *env) benchCommand() *cli.Command {
	return &cli.Command{
		Name:  "bench",
		Usage: "measure the server on this machine, with your config",
		Description: `Starts harness serve with the flags that are given, and once more over a small
server that answers at once, and measures what clients meet. A busy machine
gives other numbers: look at several runs.`,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "n", Usage: "do each thing `N` times", Value: 100, Validator: func(n int) error {
				if n < 1 {
					return fmt.Errorf("-n %d: want 1 or more", n)
				}
				return nil
			}},
			&cli.IntFlag{Name: "spares", Usage: "`N` processes wait ready", Value: 2},
			&cli.BoolFlag{Name: "echo", Hidden: true},
		},
		Action: e.bench,
	}
}

func (e *env) bench(ctx context.Context, c *cli.Command) error {
	if c.Bool("echo") {
		return bench.Echo(ctx)
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	o := &bench.Options{Program: exe, Command: []string{exe}, Echo: []string{"bench", "-echo"}, N: c.Int("n"), Spares: c.Int("spares")}
	for _, f := range c.StringSlice("config") {
		o.Command = append(o.Command, "-config", f)
	}
	if r := c.String("registry"); r != "" {
		o.Command = append(o.Command, "-registry", r)
	}
	o.Command = append(o.Command, "-no-memory")
	if !c.Bool("q") {
		o.Progress = func(what string) { fmt.Fprintln(e.stderr, "harness:", what) }
	}
	rows, err := bench.Run(ctx, o)
	if c.Bool("json") {
		return errors.Join(err, e.print(map[string]any{"rows": rows}))
	}
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "what\tgoal\tmeasured")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\n", r.What, r.Goal, r.Value())
	}
	w.Flush()
	return err
}
