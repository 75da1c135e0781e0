package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/harness/bench"
	"github.com/usetools/usetools/harness/present"
)

func (e *env) benchCommand() *cli.Command {
	return &cli.Command{
		Name:  "bench",
		Usage: "measure the server on this machine, with your config",
		Description: `Starts harness serve with your config, and once more with a small echo server, and
measures them as a client. Numbers depend on the load of the machine: compare several
runs.

  harness bench -n 20`,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "n", Usage: "measure each operation `N` times", Value: 100, Validator: atLeast(1)},
			&cli.IntFlag{Name: "spares", Usage: "keep `N` spare workers", Value: 2, Validator: atLeast(0)},
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
	o := &bench.Options{Program: exe, Command: []string{exe}, Echo: []string{"bench", "-echo"}, N: c.Int("n"),
		Spares: c.Int("spares")}
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
	t := &present.Table{Header: true, Columns: present.Columns("what", "goal", "measured")}
	for _, r := range rows {
		row := present.Cells(r.What, r.Goal, r.Value())
		if met, known := r.Met(); known && met {
			row.Cells[2][0].Style = present.Good
		} else if known {
			row.Cells[2][0].Style = present.Warn
		}
		t.Rows = append(t.Rows, row)
	}
	return errors.Join(err, e.output(c, map[string]any{"rows": rows}, present.Document{t}))
}
