package cmd

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/words.txt")

// answering are the packages whose texts reach models and people in answers, messages and logs.
// The help of harness and the words of pages have files of their own.
var answering = []string{
	"cmd/harness", "cmd/build-registry", "cmd/internal/join", "cmd/internal/progress",
	"harness", "harness/approval", "harness/catalog", "harness/internal/bind", "harness/internal/bridge", "harness/internal/check",
	"harness/internal/engine", "harness/internal/rerun", "harness/internal/worker", "harness/library", "harness/outcome",
	"harness/policy", "harness/record", "harness/record/store", "harness/serve", "harness/serve/guard", "harness/serve/observe",
	"harness/serve/shorten", "harness/serve/transport", "registry/backend", "registry/backend/mcp", "registry/backend/openapi",
	"registry/backend/manifest", "registry/build", "registry/config",
}

// TestWords compares the texts of the answering packages with testdata/words.txt, in which an
// editor reads them in one sitting. To write the file: go test ./cmd -run TestWords -update
func TestWords(t *testing.T) {
	var b strings.Builder
	for _, room := range answering {
		fmt.Fprintf(&b, "# %s\n", room)
		seen := map[string]bool{}
		files, err := filepath.Glob(filepath.Join("..", room, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			for _, s := range texts(t, name) {
				if !seen[s] {
					seen[s] = true
					b.WriteString(s + "\n")
				}
			}
		}
		b.WriteByte('\n')
	}
	const golden = "testdata/words.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); d != "" {
		t.Errorf("texts have changed; read them, then run go test ./cmd -run TestWords -update\n%s", d)
	}
}

// texts returns the string constants of a file that have two words or more, with "…" for the
// values between them. It leaves out the help of harness.
func texts(t *testing.T, name string) (out []string) {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var join func(e ast.Expr) (string, bool)
	join = func(e ast.Expr) (string, bool) {
		switch e := e.(type) {
		case *ast.BasicLit:
			s, err := strconv.Unquote(e.Value)
			return s, e.Kind == token.STRING && err == nil
		case *ast.BinaryExpr:
			x, isX := join(e.X)
			y, isY := join(e.Y)
			if !isX {
				x = "…"
			}
			if !isY {
				y = "…"
			}
			return x + y, e.Op == token.ADD && (isX || isY)
		}
		return "", false
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.Field:
			return false
		case *ast.KeyValueExpr:
			key, _ := n.Key.(*ast.Ident)
			return filepath.ToSlash(filepath.Dir(name)) != "../cmd/harness" || key == nil ||
				!slices.Contains([]string{"Usage", "Description", "ArgsUsage"}, key.Name)
		case ast.Expr:
			s, ok := join(n)
			if ok && strings.Contains(strings.TrimSpace(s), " ") && strings.ContainsAny(s, "abcdefghijklmnopqrstuvwxyz") {
				out = append(out, strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n    "))
			}
			return !ok
		}
		return true
	})
	return out
}
