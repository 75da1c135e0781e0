package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/harness/bench"
)

func (e *env) benchCommand() *cli.Command {
	return &cli.Command{
		Name:      "bench",
		Usage:     "measure the server on this machine, with your config",
		ArgsUsage: "[-compare SCRIPT...]",
		Description: `Starts harness serve with the flags that are given, and once more over a small
server that answers at once, and measures what clients meet. A busy machine
gives other numbers: look at several runs.

With -compare it runs scripts of yours, which may call tools that only read,
and measures what the same calls cost a model that has all tools in its
context, and one that searches for tools and calls them; and what becomes of
faulty scripts. No model is asked: its part is the fewest turns that a perfect
one needs.

  harness bench -n 20
  harness bench -compare -config examples/compare/.mcp.json examples/git_digest/main.go`,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "n", Usage: "do each thing `N` times", Value: 100, Validator: atLeast(1)},
			&cli.IntFlag{Name: "spares", Usage: "`N` processes wait ready", Value: 2, Validator: atLeast(0)},
			&cli.BoolFlag{Name: "compare", Usage: "compare with other ways of giving a model tools"},
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
	if err := pointless(c, c.Bool("compare"), "with -compare: leave it out", "n", "spares"); err != nil {
		return err
	}
	if c.Bool("compare") {
		return e.compare(ctx, c)
	}
	if c.Args().Present() {
		return usageError{fmt.Sprintf("bench takes no script without -compare, and got %q", c.Args().First())}
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
	if c.Bool("json") {
		return errors.Join(err, e.print(map[string]any{"rows": rows}))
	}
	table := [][]string{{"what", "goal", "measured"}}
	for _, r := range rows {
		table = append(table, []string{r.What, r.Goal, r.Value()})
	}
	return errors.Join(err, e.paintedTable(table, func(row, column int) string {
		met, known := rows[row-1].Met()
		switch {
		case column != 2 || !known:
			return ""
		case met:
			return good
		}
		return doubt
	}))
}

// compare prints what scripts cost beside the other ways.
func (e *env) compare(ctx context.Context, c *cli.Command) error {
	if !c.Args().Present() {
		return usageError{"bench -compare wants a SCRIPT or more, with calls to compare"}
	}
	files := e.files(c)
	files.NoMemory, files.NoUsage = true, true
	defer files.Close()
	o := &bench.CompareOptions{}
	for _, name := range c.Args().Slice() {
		script, err := e.source(name)
		if err != nil {
			return err
		}
		o.Scripts = append(o.Scripts, bench.Task{Name: taskName(name), Script: script})
	}
	if !c.Bool("q") {
		o.Progress = func(what string) { fmt.Fprintln(e.stderr, "harness:", what) }
	}
	var err error
	if o.Catalog, err = files.Catalog(ctx); err != nil {
		return err
	}
	res, err := bench.Compare(ctx, o)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return e.print(res)
	}
	rows := res.Rows()
	plain := strings.NewReplacer("*", "", "`", "")
	for _, row := range rows[1:] {
		fmt.Fprintln(e.stdout, e.paint(head, row[0]))
		for i, cell := range row[1:] {
			fmt.Fprintf(e.stdout, "  %-22s%s\n", rows[0][i+1], plain.Replace(cell))
		}
	}
	fmt.Fprintln(e.stdout, "\nTokens are estimates. Turns of the model are the fewest that do it, the last "+
		"answer\nincluded; times are without the model's. No model was asked.")
	return nil
}

// taskName is a script's name in a table: its folder's, where it is a main.go.
func taskName(file string) string {
	name := filepath.Base(file)
	if dir := filepath.Base(filepath.Dir(file)); name == "main.go" && dir != "." && dir != string(filepath.Separator) {
		return dir
	}
	return strings.TrimSuffix(name, ".go")
}
