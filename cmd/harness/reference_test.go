package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v3"

	"github.com/usetools/usetools/harness/outcome"
)

// TestReferences compares the tables between "<!-- reference: WHAT -->" and "<!-- end -->" in
// the guides with the code; -update writes them. WHAT is one of
//
//	flags COMMAND…     the flags of commands and of the commands below them
//	statuses           the statuses of runs, with their exit codes
//	metrics            the metrics of servers and clusters
//	keys               the keys of "usetools" in configs
func TestReferences(t *testing.T) {
	guides, err := filepath.Glob("help/*.md")
	if err != nil {
		t.Fatal(err)
	}
	place := regexp.MustCompile(`(?s)(<!-- reference: ([^>]*) -->\n).*?(<!-- end -->)`)
	for _, guide := range guides {
		b, err := os.ReadFile(guide)
		if err != nil {
			t.Fatal(err)
		}
		want := place.ReplaceAllStringFunc(string(b), func(s string) string {
			m := place.FindStringSubmatch(s)
			words := strings.Fields(m[2])
			switch words[0] {
			case "flags":
				return m[1] + flagTables(words[1:]) + m[3]
			case "statuses":
				return m[1] + statusTable(t) + m[3]
			case "metrics":
				return m[1] + metricTable(t) + m[3]
			case "keys":
				return m[1] + keyTable(t) + m[3]
			}
			t.Errorf("%s: there is no reference %q", guide, m[2])
			return s
		})
		if want == string(b) {
			continue
		}
		if !*update {
			t.Errorf("%s: go test ./cmd/harness -run %s -update writes:\n%s", guide, t.Name(), gocmp.Diff(string(b), want))
		} else if err := os.WriteFile(guide, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// flagTables returns a table of flags for each command.
func flagTables(names []string) string {
	var b strings.Builder
	root := app(strings.NewReader(""), io.Discard, io.Discard)
	var write func(c *cli.Command, above string)
	write = func(c *cli.Command, above string) {
		name := above + " " + c.Name
		if flags := c.VisibleFlags(); len(flags) > 1 { // -help is one
			fmt.Fprintf(&b, "\n`%s`\n\n| flag | meaning | default |\n| --- | --- | --- |\n", strings.TrimSpace(name+" "+c.ArgsUsage))
			for _, f := range flags {
				d, ok := f.(cli.DocGenerationFlag)
				if !ok || f.Names()[0] == "help" {
					continue
				}
				value := d.TypeName()
				usage := regexp.MustCompile("`([^`]*)`").ReplaceAllStringFunc(d.GetUsage(), func(s string) string {
					value = strings.Trim(s, "`")
					return value
				})
				if !d.TakesValue() {
					value = ""
				}
				fmt.Fprintf(&b, "| `%s` | %s | %s |\n", strings.TrimSpace("-"+f.Names()[0]+" "+value), cell(usage), cell(strings.Trim(d.GetDefaultText(), `"`)))
			}
		}
		for _, sub := range c.VisibleCommands() {
			write(sub, name)
		}
	}
	for _, name := range names {
		write(root.Command(name), root.Name)
	}
	return b.String() + "\n"
}

// statusTable returns a table of the statuses with their comments in package outcome.
func statusTable(t *testing.T) string {
	about := comments(t, "../../harness/outcome/result.go", "")
	var b strings.Builder
	b.WriteString("\n| status | meaning | exit code |\n| --- | --- | --- |\n")
	for _, s := range outcome.Statuses {
		_, text, _ := strings.Cut(about[s], "means that ")
		if text == "" {
			t.Errorf("the status %s has no comment that says what it means", s)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %d |\n", s, cell(text), outcome.Status(s).ExitCode())
	}
	return b.String() + "\n"
}

// keyTable returns a table of the keys of "usetools" in configs.
func keyTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("\n| key | where | what it does |\n| --- | --- | --- |\n")
	for _, from := range []struct{ file, of, where string }{
		{"../../registry/config/entry.go", "settings", "server, file"},
		{"../../harness/catalog/settings.go", "", "file"},
		{"../../discovery/settings.go", "Settings", "file"},
	} {
		about := comments(t, from.file, from.of)
		for _, key := range slices.Sorted(maps.Keys(about)) {
			if about[key] == "" {
				t.Errorf("the key %s has no comment in %s", key, from.file)
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", key, from.where, cell(about[key]))
		}
	}
	return b.String() + "\n"
}

// comments returns comments in a file without the name that they begin with: of the fields of a
// struct by the names in their JSON, or, if of is empty, of the string constants by their values.
func comments(t *testing.T, file, of string) map[string]string {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	add := func(key string, doc *ast.CommentGroup) {
		_, text, _ := strings.Cut(strings.Join(strings.Fields(doc.Text()), " "), " ")
		out[key] = text
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			s, ok := n.Type.(*ast.StructType)
			if !ok || of != n.Name.Name {
				return false
			}
			for _, field := range s.Fields.List {
				tag, _ := strconv.Unquote(field.Tag.Value)
				key, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
				add(key, field.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range n.Specs {
				v, ok := spec.(*ast.ValueSpec)
				if of != "" || n.Tok != token.CONST || !ok || len(v.Values) != 1 {
					continue
				}
				key := strings.ToLower(v.Names[0].Name) // where another constant has the value
				if lit, ok := v.Values[0].(*ast.BasicLit); ok {
					key, _ = strconv.Unquote(lit.Value)
				}
				add(key, v.Doc)
			}
		}
		return true
	})
	return out
}

// metricTable returns a table of the metrics that the source of two packages names.
func metricTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("\n| metric | type | meaning |\n| --- | --- | --- |\n")
	named := regexp.MustCompile(`# HELP usetools_(\w+) ([^\\%]+)\\n# TYPE \w+ (\w+)|` + // written out
		`(?:one|metric)\((?:w, )?"(\w+)", "(\w+)", "([^"]+)"|` + // by a function
		`\{"(\w+)", "([^"]+)", func`) // of each pool
	for _, from := range []struct{ file, prefix string }{
		{"../../harness/serve/observe/metrics.go", "usetools_"},
		{"../../harness/cluster/metrics.go", "usetools_cluster_"},
	} {
		source, err := os.ReadFile(from.file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(source), -1) {
			name, kind, help := m[1]+m[4]+m[7], cmp.Or(m[3]+m[5], "gauge"), m[2]+m[6]+m[8]
			fmt.Fprintf(&b, "| `%s%s` | %s | %s |\n", from.prefix, name, kind, cell(help))
		}
	}
	return b.String() + "\n"
}

// cell returns a text as the cell of a table.
func cell(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", `\|`)
}
