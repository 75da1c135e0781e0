package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v3"
)

var update = flag.Bool("update", false, "write testdata/words.golden")

// The help of all commands stands in testdata/words.golden, where an editor reads it in one
// sitting. Their messages are in ../testdata/words.txt.
func TestTheWordsOfCommandsAreInOneFile(t *testing.T) {
	var b strings.Builder
	helpOf(&b, app(strings.NewReader(""), io.Discard, io.Discard), "", map[string]bool{})
	const golden = "testdata/words.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != string(want) {
		t.Errorf("go test -run %s -update writes the new words:\n%s", t.Name(), cmp.Diff(string(want), got))
	}
}

// helpOf writes the usage, description and flags of a command and of those below it. A flag that
// several commands share is written once.
func helpOf(b *strings.Builder, c *cli.Command, above string, seen map[string]bool) {
	name := strings.TrimSpace(above + " " + c.Name)
	fmt.Fprintf(b, "== %s %s ==\n%s\n", name, c.ArgsUsage, c.Usage)
	if c.Description != "" {
		fmt.Fprintf(b, "\n%s\n", c.Description)
	}
	fmt.Fprintln(b)
	for _, f := range c.VisibleFlags() {
		if d, ok := f.(cli.DocGenerationFlag); ok {
			line := fmt.Sprintf("-%s: %s\n", f.Names()[0], d.GetUsage())
			if !seen[line] {
				b.WriteString(line)
			}
			seen[line] = true
		}
	}
	fmt.Fprintln(b)
	for _, sub := range c.VisibleCommands() {
		helpOf(b, sub, name, seen)
	}
}
