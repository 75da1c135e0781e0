package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v3"
)

var update = flag.Bool("update", false, "write testdata/words.golden")

// All that the commands say stands in testdata/words.golden, where an editor reads it in one
// sitting: their help first, then the messages in the order of the source.
func TestTheWordsOfCommandsAreInOneFile(t *testing.T) {
	var b strings.Builder
	help(&b, app(strings.NewReader(""), io.Discard, io.Discard), "", map[string]bool{})
	for _, dir := range []string{".", "../build-registry", "../internal/join", "../internal/progress"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			if found := messages(t, file, dir != "."); len(found) > 0 {
				fmt.Fprintf(&b, "\n== %s ==\n%s\n", strings.TrimPrefix(filepath.ToSlash(file), "../"), strings.Join(found, "\n"))
			}
		}
	}
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

// help writes the usage, description and flags of a command and of those below it. A flag that
// several commands share is written once.
func help(b *strings.Builder, c *cli.Command, above string, seen map[string]bool) {
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
		help(b, sub, name, seen)
	}
}

// messages returns the texts of a file that have several words, without those of help unless
// they are wanted. What is put in at run time is an ellipsis or a verb of package fmt.
func messages(t *testing.T, file string, withHelp bool) (out []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.Field:
			return false
		case *ast.KeyValueExpr:
			key, _ := n.Key.(*ast.Ident)
			return withHelp || key == nil || !slices.Contains([]string{"Usage", "Description", "ArgsUsage"}, key.Name)
		case *ast.BinaryExpr, *ast.BasicLit:
			text, ok := literal(n.(ast.Expr))
			if strings.Contains(strings.TrimSpace(text), " ") && strings.ContainsFunc(text, func(r rune) bool { return r >= 'a' && r <= 'z' }) {
				out = append(out, strconv.Quote(text))
			}
			return !ok
		}
		return true
	})
	return out
}

// literal returns the text of a string that is written in the source, perhaps in parts.
func literal(x ast.Expr) (text string, ok bool) {
	switch x := x.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(x.Value)
		return text, err == nil && x.Kind == token.STRING
	case *ast.BinaryExpr:
		a, okA := literal(x.X)
		b, okB := literal(x.Y)
		if x.Op != token.ADD || !okA && !okB {
			return "", false
		}
		if !okA {
			a = "…"
		}
		if !okB {
			b = "…"
		}
		return a + b, true
	}
	return "", false
}
