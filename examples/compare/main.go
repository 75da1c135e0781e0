// Command compare measures what scripts cost a model beside two other ways of giving
// it tools: all of them in its context, or a search. See README.md.
//
//	go run ./examples/compare [-config FILE] [-json] SCRIPT…
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/usetools/usetools/examples/compare/ways"
	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
)

func main() {
	harness.RunWorker()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	config := flag.String("config", "", "config `FILE` with MCP servers (default: as harness finds it)")
	asJSON := flag.Bool("json", false, "print JSON")
	flag.Parse()
	if flag.NArg() == 0 {
		return fmt.Errorf("no scripts; name one or more that call tools")
	}
	files := &catalog.Files{NoMemory: true, NoUsage: true}
	if *config != "" {
		files.Configs = []string{*config}
	}
	defer files.Close()
	o := &ways.CompareOptions{Progress: func(what string) { fmt.Fprintln(os.Stderr, "compare:", what) }}
	for _, name := range flag.Args() {
		script, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		o.Scripts = append(o.Scripts, ways.Task{Name: taskName(name), Script: string(script)})
	}
	var err error
	if o.Catalog, err = files.Catalog(ctx); err != nil {
		return err
	}
	res, err := ways.Compare(ctx, o)
	if err != nil {
		return err
	}
	if *asJSON {
		out := json.NewEncoder(os.Stdout)
		out.SetIndent("", "  ")
		return out.Encode(res)
	}
	rows := res.Rows()
	plain := strings.NewReplacer("*", "", "`", "")
	for _, row := range rows[1:] {
		fmt.Println(row[0])
		for i, cell := range row[1:] {
			fmt.Printf("  %-22s%s\n", rows[0][i+1], plain.Replace(cell))
		}
	}
	fmt.Println("\nTokens are estimates. Turns of the model are the fewest that do it, the last\n" +
		"answer included; times are without the model's. No model was asked.")
	return nil
}

// taskName returns a script's name in the table. For a main.go, it is the name of its
// folder.
func taskName(file string) string {
	name := filepath.Base(file)
	if dir := filepath.Base(filepath.Dir(file)); name == "main.go" && dir != "." && dir != string(filepath.Separator) {
		return dir
	}
	return strings.TrimSuffix(name, ".go")
}
