package wrappers

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/jsontree"
)

var update = flag.Bool("update", false, "rewrite golden files")

// realServers is a registry of the tools/list answers of 48 real servers.
func realServers(tb testing.TB) *registry.Registry {
	tb.Helper()
	files, err := filepath.Glob("testdata/schemas/*.json")
	if err != nil || len(files) == 0 {
		tb.Fatal("no schemas", err)
	}
	reg := &registry.Registry{}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			tb.Fatal(err)
		}
		var tools []registry.Tool
		if json.Unmarshal(raw, &tools) != nil {
			var o struct{ Tools []registry.Tool }
			if err := json.Unmarshal(raw, &o); err != nil {
				tb.Fatal(f, err)
			}
			tools = o.Tools
		}
		for _, t := range tools {
			t.Server = strings.TrimSuffix(filepath.Base(f), ".json")
			if string(t.Output) == "null" {
				t.Output = nil
			}
			reg.Tools = append(reg.Tools, t)
		}
	}
	reg.Normalize()
	return reg
}

// seldom is a server with schemas as few real ones have them.
func seldom(tb testing.TB) *registry.Registry {
	tb.Helper()
	raw, err := os.ReadFile("testdata/seldom.json")
	if err != nil {
		tb.Fatal(err)
	}
	reg := &registry.Registry{}
	if err := json.Unmarshal(raw, &reg.Tools); err != nil {
		tb.Fatal(err)
	}
	for i := range reg.Tools {
		reg.Tools[i].Server = "seldom"
	}
	reg.Normalize()
	return reg
}

// TestSeldomSchemasReadAsAModelWouldWriteThem keeps what is shown of schemas
// that few servers have: it was looked through by eye.
func TestSeldomSchemasReadAsAModelWouldWriteThem(t *testing.T) {
	s, _ := NewView(seldom(t)).Server("seldom")
	var b strings.Builder
	for _, tl := range s.Tools {
		fmt.Fprintf(&b, "%s\n", tl.Doc())
		if _, err := check(s.Source([]*Tool{tl}, false), stubImporter{}); err != nil {
			t.Errorf("%s: %v", tl.ID, err)
		}
	}
	file := filepath.Join("testdata", "golden", "seldom.txt")
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("-want +got (run with -update if meant)\n%s", diff)
	}
}

func tool(server, name, input, output string) registry.Tool {
	t := registry.Tool{Server: server, Name: name, Input: json.RawMessage(input)}
	if output != "" {
		t.Output = json.RawMessage(output)
	}
	return t
}

func view(tools ...registry.Tool) *View {
	reg := &registry.Registry{Tools: tools}
	reg.Normalize()
	return NewView(reg)
}

// stubs are the packages that generated code imports, as far as it uses them.
var stubs = map[string]string{
	"usetools/host": `package host
type Result struct{ _ int }
type Image struct { MIMEType string; Data []byte }
func Do(tool, plan string, p, r any, shape string) error
func Text(r *Result) string
func Decode(r *Result, v any) error
func Encode(v any) ([]byte, error)
func Value(r *Result) ([]byte, error)
func Raw(r *Result) []byte
func Images(r *Result) []Image`,
}

type stubImporter map[string]*types.Package

func (m stubImporter) Import(path string) (*types.Package, error) {
	if p := m[path]; p != nil {
		return p, nil
	}
	src, ok := stubs[path]
	if !ok {
		return nil, fmt.Errorf("generated code imports %q", path)
	}
	p, err := check(src, m)
	m[path] = p
	return p, err
}

func check(src string, imp types.Importer) (*types.Package, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "gen.go", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	conf := types.Config{Importer: imp, GoVersion: "go1.26"}
	return conf.Check("servers/"+f.Name.Name, fset, []*ast.File{f}, nil)
}

func TestEveryRealToolGeneratesCodeThatCompiles(t *testing.T) {
	v := NewView(realServers(t))
	imp := stubImporter{}
	n := 0
	for _, s := range v.Servers() {
		for _, doc := range []bool{false, true} {
			if _, err := check(s.Source(s.Tools, doc), imp); err != nil {
				t.Errorf("%s (doc %v): %v", s.Name, doc, err)
			}
		}
		for _, tl := range s.Tools { // alone, as a script would get it
			n++
			if _, err := check(s.Source([]*Tool{tl}, false), imp); err != nil {
				t.Errorf("%s: %v", tl.ID, err)
			}
		}
	}
	if n != 869 {
		t.Errorf("%d tools, want 869", n)
	}
}

func TestGenerationIsTheSameEveryTime(t *testing.T) {
	reg := realServers(t)
	a, b := NewView(reg), NewView(reg)
	for i, s := range a.Servers() {
		if diff := cmp.Diff(s.Source(s.Tools, true), b.Servers()[i].Source(b.Servers()[i].Tools, true)); diff != "" {
			t.Fatalf("%s differs between two views:\n%s", s.Name, diff)
		}
	}
}

func TestGeneratedSource(t *testing.T) {
	v := NewView(realServers(t))
	for _, name := range []string{"memory", "mcp-server-time", "calculator"} {
		s, _ := v.Server(name)
		got := s.Source(s.Tools, true)
		file := filepath.Join("testdata", "golden", name+".go.txt")
		if *update {
			os.MkdirAll(filepath.Dir(file), 0o755)
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s: -want +got (run with -update if meant)\n%s", name, diff)
		}
	}
}

func TestNamesOfToolsAndServers(t *testing.T) {
	for name, want := range map[string]string{
		"git_log": "GitLog", "get-user-by-id": "GetUserByID", "HTTPServer": "HTTPServer", "fetchURL": "FetchURL",
		"searchCode": "SearchCode", "a.b/c d": "ABCD", "2fa": "X2fa", "日本": "X日本", "": "X", "$meta": "Meta",
		"type": "Type", "API-get-self": "APIGetSelf", "x": "X", "étude": "Étude", "list_s3_buckets": "ListS3Buckets",
		"paper_ids": "PaperIDs", "image_urls": "ImageURLs", "status": "Status", "css": "CSS",
	} {
		if got := identifier(name); got != want || !token.IsIdentifier(got) || !token.IsExported(got) {
			t.Errorf("identifier(%q) = %q, want %q", name, got, want)
		}
	}
	keys := []string{"1password", "go", "git", "git-2", "git-cyanheads", "github-mcp-server", "main", "mcp",
		"mcp-server-time", "server", "sqlite", "sqlite-mcp", "string", "日本"}
	got := packageNames(keys)
	want := map[string]string{
		"1password": "s1password", "go": "goserver", "git": "git", "git-2": "git2", "git-cyanheads": "gitcyanheads",
		"github-mcp-server": "github", "main": "mainserver", "mcp": "mcp", "mcp-server-time": "time", "server": "server",
		"sqlite": "sqlite", "sqlite-mcp": "sqlitemcp", "string": "stringserver", "日本": "server2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("packages -want +got\n%s", diff)
	}
}

func TestFunctionNamesDoNotRepeatThePackage(t *testing.T) {
	for _, c := range []struct {
		server string
		tools  []string
		late   []string
		want   []string
	}{
		{"git", []string{"git_diff", "git_log"}, []string{"log", "git_Diff"}, []string{"Diff", "Log", "Log2", "GitDiff"}},
		{"git", []string{"git", "git_log", "log"}, nil, []string{"Git", "GitLog", "Log"}},
		{"mcp-server-git", []string{"git_log"}, nil, []string{"Log"}},
		{"git-cyanheads", []string{"git_log"}, nil, []string{"Log"}},
		{"x", []string{"x_1", "x_y"}, nil, []string{"X1", "Y"}},
		{"a", []string{"do-it", "doIt", "do_it"}, nil, []string{"DoIt", "DoIt2", "DoIt3"}},
	} {
		m := functionNames(c.server, c.tools, c.late)
		var got []string
		for _, tl := range slices.Concat(c.tools, c.late) {
			got = append(got, m[tl])
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s %v: -want +got\n%s", c.server, c.tools, diff)
		}
	}
}

func TestForgivingLookUpFindsExactlyOneOrNone(t *testing.T) {
	v := view(tool("git", "git_log", `{"type":"object"}`, ""), tool("git", "git_show", "", ""),
		tool("git", "git_show_branch", "{}", ""))
	s, _ := v.Package("git")
	for name, want := range map[string]string{
		"Log": "git.git_log", "log": "git.git_log", "git_log": "git.git_log", "GitLog": "git.git_log", "LOG": "git.git_log",
		"Show": "git.git_show", "ShowBranch": "git.git_show_branch", "Shw": "", "": "",
	} {
		got, ok := s.Func(name)
		if ok != (want != "") || ok && got.ID != want {
			t.Errorf("Func(%q) = %v, %v, want %q", name, got, ok, want)
		}
	}
	if near := s.Near("Shw", 2); len(near) == 0 || near[0].Func != "Show" {
		t.Errorf("Near(Shw) = %v", near)
	}
	if ts := s.Type("LogParams"); len(ts) != 0 {
		t.Errorf("a tool without properties has params: %v", ts)
	}
	if ts := s.Type("LogResult"); len(ts) != 1 || ts[0].Func != "Log" {
		t.Errorf("Type(LogResult) = %v", ts)
	}
	if tl, ok := v.Tool("git.git_show"); !ok || tl.Go() != "git.Show" {
		t.Errorf("Tool(git.git_show) = %v, %v", tl, ok)
	}
}

func TestTypesOfSchemas(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{`{"type":"string"}`, "string"},
		{`{"type":"integer"}`, "int"},
		{`{"type":"number"}`, "float64"},
		{`{"type":"boolean"}`, "bool"},
		{`{"type":["string","null"]}`, "string"},
		{`{"type":["integer","number"]}`, "float64"},
		{`{"type":["string","integer"]}`, "any"},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, "string"},
		{`{"anyOf":[{"type":"string"},{"type":"integer"}]}`, "any"},
		{`{"anyOf":[{"const":"a"},{"const":"b"}]}`, "string"},
		{`{"enum":["a","b"]}`, "string"},
		{`{"enum":[1,2]}`, "int"},
		{`{"type":"array","items":{"type":"string"}}`, "[]string"},
		{`{"type":"array"}`, "[]any"},
		{`{"type":"array","items":[{"type":"string"},{"type":"integer"}]}`, "[]any"},
		{`{"type":"object"}`, "map[string]any"},
		{`{"type":"object","additionalProperties":{"type":"integer"}}`, "map[string]int"},
		{`{"type":"object","properties":{"a":{"type":"string"}}}`, "FTheItem"},
		{`{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}}}}`, "[]FTheItem"},
		{`{"properties":{"a":{"type":"string"}}}`, "FTheItem"},
		{`{"allOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"properties":{"b":{}}}]}`, "FTheItem"},
		{`true`, "any"},
		{`{}`, "any"},
		{`{"$ref":"#/nowhere"}`, "any"},
		{`{"$ref":"https://example.com/x"}`, "any"},
		{`{"$ref":"#"}`, "any"},
		{`{"type":5}`, "any"},
	} {
		root, err := jsontree.Parse([]byte(c.schema), jsontree.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		b := &builder{fn: "F", names: scope{}, root: root, refs: map[string]*typ{}}
		ty := b.convert(root, []string{"the", "item"}, 0)
		for _, o := range b.objects {
			o.decl = &decl{name: o.name}
		}
		g := generator{declared: map[string]bool{}}
		if got := g.typ(ty); got != c.want {
			t.Errorf("%s: %s, want %s", c.schema, got, c.want)
		}
	}
}

func TestRecursiveTypesAreFinite(t *testing.T) {
	for _, schema := range []string{
		`{"type":"object","properties":{"root":{"$ref":"#/$defs/Node"}},"$defs":{"Node":{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#/$defs/Node"}},"next":{"$ref":"#/$defs/Node"}}}}}`,
		`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"$ref":"#/properties/a"}}}}}`,
		`{"type":"object","properties":{"self":{"$ref":"#"}}}`,
		`{"type":"object","properties":{"a":{"$ref":"#/properties/b"},"b":{"$ref":"#/properties/a"}}}`,
		`{"allOf":[{"$ref":"#"}],"properties":{"a":{"type":"string"}}}`,
	} {
		v := view(tool("s", "t", schema, schema))
		s, _ := v.Package("s")
		if _, err := check(s.Source(s.Tools, false), stubImporter{}); err != nil {
			t.Errorf("%s: %v\n%s", schema, err, s.Source(s.Tools, true))
		}
	}
}

func TestOneShapeOneType(t *testing.T) {
	entity := `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`
	v := view(
		tool("m", "create", `{"type":"object","properties":{"entities":{"type":"array","items":`+entity+`}}}`, ""),
		tool("m", "read", `{}`, `{"type":"object","properties":{"entities":{"type":"array","items":`+entity+`}}}`),
	)
	s, _ := v.Package("m")
	src := s.Source(s.Tools, true)
	for _, want := range []string{"type Entity struct", "type CreateEntity = Entity", "type ReadEntity = Entity"} {
		if !strings.Contains(src, want) {
			t.Errorf("no %q in\n%s", want, src)
		}
	}
}

// TestHostileSchemasStaySmall gives schemas whose parts multiply or nest
// without end: the code that comes of them is bounded.
func TestHostileSchemasStaySmall(t *testing.T) {
	var laughs, wide, alternatives, conflicts strings.Builder
	for i := range 40 {
		fmt.Fprintf(&laughs, `"d%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}}},`, i, i+1, i+1, i+1)
	}
	for i := range 5000 {
		fmt.Fprintf(&wide, `"p%d":{"type":"object","properties":{"x":{"type":"string"}}},`, i)
		fmt.Fprintf(&alternatives, `{"type":"object","properties":{"k%d":{"const":"v%d"}}},`, i, i)
		fmt.Fprintf(&conflicts, `{"type":"object","properties":{"same":{"const":"v%d"}},"required":["same"]},`, i)
	}
	for name, schema := range map[string]string{
		"laughs": `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + laughs.String() +
			`"d40":{"type":"string"}}}`,
		"wide":         `{"type":"object","properties":{` + wide.String() + `"z":{}}}`,
		"alternatives": `{"type":"object","properties":{"u":{"anyOf":[` + alternatives.String() + `{}]}}}`,
		"conflicts": `{"type":"object","oneOf":[` + conflicts.String() + `{}],"properties":{"u":{"oneOf":[` +
			conflicts.String() + `{}]}}}`,
		"deep": `{"type":"object","properties":{"a":` + strings.Repeat(`{"type":"array","items":`, 5000) + `{}` +
			strings.Repeat("}", 5000) + `}}`,
		"deep anyOf": `{"type":"object","properties":{"a":` + strings.Repeat(`{"anyOf":[{"type":"null"},`, 4000) + `{}` +
			strings.Repeat("]}", 4000) + `}}`,
	} {
		v := view(tool("s", "t", schema, schema))
		s, _ := v.Package("s")
		src := s.Source(s.Tools, false)
		if _, err := check(src, stubImporter{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(src) > 3<<20 {
			t.Errorf("%s: %d bytes of code", name, len(src))
		}
		s.Tools[0].Doc()
		t.Logf("%s: %d bytes of schema, %d of code", name, len(schema), len(src))
	}
}

func FuzzSchema(f *testing.F) {
	for _, s := range []string{
		`{"type":"object","properties":{"a":{"type":"string","default":null},"b":{"$ref":"#/properties/a"}},"required":["a"]}`,
		`{"properties":{"x":{"anyOf":[{"type":"array","items":{}},{"type":"null"}]}}}`,
		`{"allOf":[{"$ref":"#/$defs/A"}],"$defs":{"A":{"properties":{"p":{"const":1}},"required":["p"]}}}`,
		`{"properties":{"op":{"oneOf":[{"type":"object","properties":{"k":{"const":"a"},"x":{}},"required":["k"]},{"type":"object","properties":{"k":{"enum":["b"]},"x":{"type":"string"}}}]}},"additionalProperties":{"type":"string"}}`,
		`{"anyOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"a":{"type":"integer"}}}],"prefixItems":[{"type":"integer"}]}`,
		`[]`, `null`, `{"properties":{"type":{"enum":[1,null,"a"]}}}`,
	} {
		f.Add(s, "tool", "a description\nArgs:\n  a: first")
	}
	f.Fuzz(func(t *testing.T, schema, name, description string) {
		tl := tool("s", name, schema, schema)
		tl.Description = description
		v := view(tl)
		s, _ := v.Package("s")
		for _, doc := range []bool{false, true} {
			src := s.Source(s.Tools, doc)
			if _, err := check(src, stubImporter{}); err != nil {
				t.Fatalf("%v\n%s", err, src)
			}
		}
		s.Tools[0].Doc()
	})
}

// bigServer is a server of 353 real tools, as many as the longest list seen.
func bigServer(tb testing.TB) *registry.Registry {
	reg := &registry.Registry{}
	seen := map[string]bool{}
	for i, t := range realServers(tb).Tools {
		if i%2 == 0 && !seen[t.Name] && len(reg.Tools) < 353 {
			seen[t.Name] = true
			t.Server = "big"
			reg.Tools = append(reg.Tools, t)
		}
	}
	reg.Normalize()
	return reg
}

func BenchmarkSource(b *testing.B) {
	reg, all := bigServer(b), realServers(b)
	b.Run("server-353", func(b *testing.B) { // names, types and text
		for b.Loop() {
			s, _ := NewView(reg).Server("big")
			s.Source(s.Tools, false)
		}
		b.ReportMetric(float64(len(reg.Tools)), "tools")
	})
	b.Run("first-tool-of-353", func(b *testing.B) { // types of the whole server are named
		for b.Loop() {
			b.StopTimer()
			s, _ := NewView(reg).Server("big")
			b.StartTimer()
			s.Source(s.Tools[:1], false)
		}
	})
	b.Run("used-tool", func(b *testing.B) { // the mean over all tools
		s, _ := NewView(reg).Server("big")
		s.load()
		n := 0
		for b.Loop() {
			s.Source(s.Tools[n%len(s.Tools):][:1], false)
			n++
		}
	})
	b.Run("names-869", func(b *testing.B) {
		for b.Loop() {
			NewView(all)
		}
	})
	b.Run("doc", func(b *testing.B) {
		s, _ := NewView(reg).Server("big")
		s.load()
		n := 0
		for b.Loop() {
			s.Tools[n%len(s.Tools)].Doc()
			n++
		}
	})
}

// BenchmarkGenerateAndCheck is what a script with five tools of three servers
// adds to a run: their source, and its type check.
func BenchmarkGenerateAndCheck(b *testing.B) {
	v := NewView(realServers(b))
	used := map[string][]string{"mcp-server-git": {"git_log", "git_diff"}, "memory": {"create_entities", "read_graph"},
		"github-mcp-server": {"list_issues"}}
	imp := stubImporter{}
	size := 0
	run := func() {
		size = 0
		for name, tools := range used {
			s, _ := v.Server(name)
			var ts []*Tool
			for _, n := range tools {
				t, ok := v.Tool(name + "." + n)
				if !ok {
					b.Fatal(name, n)
				}
				ts = append(ts, t)
			}
			src := s.Source(ts, false)
			size += len(src)
			if _, err := check(src, imp); err != nil {
				b.Fatal(err)
			}
		}
	}
	run()
	for b.Loop() {
		run()
	}
	b.ReportMetric(float64(size), "bytes")
}

func TestWhatWasSeenIsToldWhereThereIsNoType(t *testing.T) {
	reg := &registry.Registry{Tools: []registry.Tool{
		{Server: "s", Name: "plain", Input: json.RawMessage(`{"type":"object"}`)},
		{Server: "s", Name: "typed", Input: json.RawMessage(`{"type":"object"}`),
			Output: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}}}`)},
	}}
	reg.Normalize()
	outline, n := "", 0
	seen := func(string) (string, int, bool) { n++; return outline, n, n > 1 }
	v := NewViewWith(reg, &ViewOptions{Seen: seen})
	plain, _ := v.Tool("s.plain")
	typed, _ := v.Tool("s.typed")
	if _, _, ok := plain.Seen(); ok {
		t.Error("seen before there was a result")
	}
	outline = "{a int}" // it is asked each time
	if got, results, ok := plain.Seen(); !ok || got != outline || results != 2 {
		t.Errorf("%q, %d, %v", got, results, ok)
	}
	if got, _, ok := typed.Seen(); ok {
		t.Errorf("a typed result was seen as %q", got)
	}
	other, _ := NewView(reg).Tool("s.plain")
	if _, _, ok := other.Seen(); ok {
		t.Error("seen by a view that knows nothing")
	}
}

// TestWhatASchemaLeavesOutIsSaidInTheType has places that may hold anything,
// whose $comment says what that is.
func TestWhatASchemaLeavesOutIsSaidInTheType(t *testing.T) {
	const cut = `{"$comment":"invoice, not typed this deep"}`
	reg := &registry.Registry{Tools: []registry.Tool{{Server: "s", Name: "x", Input: []byte(`{}`), Output: []byte(
		`{"type":"object","properties":{"one":` + cut + `,"many":{"type":"array","items":` + cut +
			`},"either":{"anyOf":[{"type":"string"},` + cut + `]}}}`)}}}
	reg.Normalize()
	tool, _ := NewView(reg).Tool("s.x")
	doc := tool.Doc()
	for _, want := range []string{"One any // invoice, not typed this deep",
		"Many []any // each invoice, not typed this deep",
		"Either any // string or invoice, not typed this deep"} {
		if !strings.Contains(doc, want) {
			t.Errorf("%s lacks %q", doc, want)
		}
	}
}
