package wrappers

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/usetools/usetools/registry/jsontree"
	"github.com/usetools/usetools/wrappers/wire"
)

var cases = flag.Int("cases", 0,
	"random calls of each of the 869 tools through the real compiler; 0: one of each of a few servers")

// someServers are what a quick run looks at: every kind of schema is there.
var someServers = []string{"git-cyanheads", "mongodb", "awslabs-dynamodb", "mcp-server-time", "memory", "redis",
	"seldom"}

// TestWhatAScriptWritesArrives generates the packages of real servers, lets
// the real compiler and go vet look at them, calls every tool with random
// arguments that its schema allows, and compares what arrives.
func TestWhatAScriptWritesArrives(t *testing.T) {
	reg := realServers(t)
	reg.Tools = append(reg.Tools, seldom(t).Tools...)
	reg.Normalize()
	v := NewView(reg)
	n := *cases
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	dir := newGOPATH(t)
	var sent []call
	var packages []string
	for _, s := range v.Servers() {
		if n == 0 && !slices.Contains(someServers, s.Name) {
			continue
		}
		dir.write("servers/"+s.Package+"/gen.go", s.Source(s.Tools, true))
		src, cs := callsOf(t, s, max(n, 1), rnd)
		dir.write("servers/"+s.Package+"/calls.go", src)
		sent = append(sent, cs...)
		packages = append(packages, s.Package)
	}
	dir.write("run/main.go", mainOf(packages))
	dir.run("go", "vet", "./src/servers/...")
	out := dir.run("go", "run", "run")
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != len(sent) {
		t.Fatalf("%d calls arrived, want %d", len(lines), len(sent))
	}
	schemas := map[*Tool]*jsonschema.Resolved{}
	for i, line := range lines {
		c := sent[i]
		id, args, _ := strings.Cut(line, "\t")
		if id != c.tool.ID {
			t.Fatalf("call %d: %s, want %s", i, id, c.tool.ID)
		}
		got := decodeExact(t, args)
		if diff := cmp.Diff(c.args, got, cmp.Comparer(sameNumber)); diff != "" {
			t.Errorf("%s: -written +arrived\n%s", id, diff)
		}
		if schemas[c.tool] == nil {
			schemas[c.tool] = resolveSchema(t, c.tool)
		}
		if err := schemas[c.tool].Validate(asFloats(got)); err != nil {
			t.Errorf("%s: %s\n%v", id, args, err)
		}
	}
	t.Logf("%d calls of %d servers", len(sent), len(packages))
}

// call is one call as it was written.
type call struct {
	tool *Tool
	args any
}

// goPath is a folder in which the go command finds packages without a module.
type goPath struct {
	t   *testing.T
	dir string
}

func newGOPATH(t *testing.T) *goPath {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	p := &goPath{t, t.TempDir()}
	code, err := os.ReadFile("wire/wire.go")
	if err != nil {
		t.Fatal(err)
	}
	p.write("wire/wire.go", string(code))
	p.write("usetools/host/host.go", `package host
import ("encoding/json"; "fmt"; "os"; "reflect"; "wire")
type Result struct{ _ int }
type Image struct { MIMEType string; Data []byte }
func Do(tool, plan string, p, r any, shape string) error {
	m, err := wire.Arguments(plan, reflect.ValueOf(p))
	if err != nil { panic(err) }
	args, err := json.Marshal(m)
	if err != nil { panic(err) }
	fmt.Fprintf(os.Stdout, "%s\t%s\n", tool, args)
	return nil
}
func Text(r *Result) string { return "" }
func Decode(r *Result, v any) error { return nil }
func Encode(v any) ([]byte, error) { return nil, nil }
func Value(r *Result) ([]byte, error) { return nil, nil }
func Raw(r *Result) []byte { return nil }
func Images(r *Result) []Image { return nil }
`)
	return p
}

func (p *goPath) write(name, src string) {
	p.t.Helper()
	file := filepath.Join(p.dir, "src", filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *goPath) run(name string, args ...string) string {
	p.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "GO111MODULE=off", "GOFLAGS=", "GOPATH="+p.dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("%s: %v\n%.3000s", strings.Join(cmd.Args, " "), err, stderr.String())
	}
	return string(out)
}

func mainOf(packages []string) string {
	var imports, calls strings.Builder
	for i, p := range packages {
		fmt.Fprintf(&imports, "import p%d %q\n", i, "servers/"+p)
		fmt.Fprintf(&calls, "for _, call := range p%d.Calls { call() }\n", i)
	}
	return "package main\n" + imports.String() + "func main() {\n" + calls.String() + "}\n"
}

// callsOf writes n random calls of each tool of a server, with the presence
// bits that the emitter of lowered scripts would set.
func callsOf(t *testing.T, s *Server, n int, rnd *rand.Rand) (string, []call) {
	var b strings.Builder
	var out []call
	fmt.Fprintf(&b, "package %s\n\nfunc ptr_[T any](v T) *T { return &v }\n\nvar Calls = []func(){\n", s.Package)
	for _, tl := range s.Tools {
		schema := resolveSchema(t, tl)
		for range n {
			args := randomArgs(t, tl, schema, rnd)
			arg := ""
			if tl.params != "" {
				arg = literal(tl.input, tl.params, args)
			}
			fmt.Fprintf(&b, "func() { %s(%s) },\n", tl.Func, arg)
			out = append(out, call{tl, args})
		}
	}
	b.WriteString("}\n")
	return b.String(), out
}

func resolveSchema(t *testing.T, tl *Tool) *jsonschema.Resolved {
	t.Helper()
	var schema jsonschema.Schema
	if err := json.Unmarshal(tl.Input, &schema); err != nil {
		t.Fatal(tl.ID, err)
	}
	r, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(tl.ID, err)
	}
	return r
}

// randomArgs returns arguments that a schema allows.
func randomArgs(t *testing.T, tl *Tool, schema *jsonschema.Resolved, rnd *rand.Rand) map[string]any {
	root := parseSchema(tl.Input)
	r := &random{Rand: rnd, b: &builder{root: root}}
	var err error
	for range 200 {
		r.b.steps = 0
		args, ok := r.value(root, 0).(map[string]any)
		if !ok {
			args = map[string]any{}
		}
		if err = schema.Validate(asFloats(args)); err == nil {
			return args
		}
	}
	t.Fatalf("%s: found no arguments: %v", tl.ID, err)
	return nil
}

// random makes values of schemas.
type random struct {
	*rand.Rand
	b *builder
}

func (r *random) value(s *jsontree.Value, depth int) any {
	s = r.b.resolve(s)
	if c := s.Get("const"); c != nil {
		return plain(c)
	}
	if e := s.List("enum"); len(e) > 0 {
		return plain(e[r.IntN(len(e))])
	}
	for _, k := range []string{"anyOf", "oneOf"} {
		if alts := s.List(k); len(alts) > 0 && s.Get("properties") == nil {
			return r.value(alts[r.IntN(len(alts))], depth+1)
		}
	}
	name, nullable := schemaType(s)
	if nullable && (name == "" && s.Get("type") != nil && s.Get("type").Kind == jsontree.String || r.IntN(4) == 0) {
		return nil
	}
	if ts := s.List("type"); name == "" && len(ts) > 0 {
		name = ts[r.IntN(len(ts))].Text
	}
	switch name {
	case "string":
		return r.text(s)
	case "integer", "number":
		return r.number(s, name)
	case "boolean":
		return r.IntN(2) == 0
	case "array":
		return r.list(s, depth)
	case "object":
		return r.object(s, depth)
	}
	return []any{"free", json.Number("7"), true, map[string]any{"a": json.Number("1.5")}, []any{"x"}}[r.IntN(5)]
}

func (r *random) text(s *jsontree.Value) string {
	if p := s.Str("pattern"); p != "" {
		if re, err := syntax.Parse(p, syntax.Perl); err == nil {
			return r.matching(re.Simplify())
		}
	}
	low, high := intOf(s, "minLength", 0), intOf(s, "maxLength", 1<<20)
	words := []string{"", "a", "two words", `quote " back ` + "`" + ` \ slash`, "line\nbreak", "<&>", "日本", "0", "null",
		"\u2028"}
	out := words[r.IntN(len(words))]
	for len([]rune(out)) < low {
		out += "x"
	}
	return string([]rune(out)[:min(high, len([]rune(out)))])
}

func (r *random) matching(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		return string(re.Rune[0])
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "z"
	case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
		var out string
		for _, sub := range re.Sub {
			out += r.matching(sub)
		}
		return out
	case syntax.OpAlternate:
		return r.matching(re.Sub[r.IntN(len(re.Sub))])
	}
	return ""
}

func intOf(s *jsontree.Value, key string, otherwise int) int {
	if v := s.Get(key); v != nil {
		if n, err := strconv.Atoi(v.Text); err == nil {
			return n
		}
	}
	return otherwise
}

func (r *random) number(s *jsontree.Value, name string) any {
	bound := func(key string, otherwise float64) float64 {
		if v := s.Get(key); v != nil {
			if f, err := strconv.ParseFloat(v.Text, 64); err == nil {
				return f
			}
		}
		return otherwise
	}
	low, high := bound("minimum", bound("exclusiveMinimum", -1000)),
		bound("maximum", bound("exclusiveMaximum", math.Inf(1)))
	if math.IsInf(high, 1) {
		high = max(low, 0) + 1000
	}
	x := low + r.Float64()*(high-low)
	if low <= 0 && high >= 0 && r.IntN(3) == 0 {
		x = 0
	}
	if name == "integer" || r.IntN(2) == 0 {
		x = math.Trunc(x)
	}
	return json.Number(strconv.FormatFloat(x, 'f', -1, 64))
}

func (r *random) list(s *jsontree.Value, depth int) any {
	out := []any{}
	low := intOf(s, "minItems", 0)
	high := low + 2
	if depth > 6 {
		high = low
	}
	places, item := s.List("prefixItems"), s.Get("items")
	if item != nil && item.Kind == jsontree.List {
		places, item = item.Items, s.Get("additionalItems")
	}
	n := low + r.IntN(high-low+1)
	if len(places) > 0 {
		n = max(n, len(places))
		if item == nil || item.Kind == jsontree.Bool {
			n = len(places)
		}
	}
	rest := item
	for i := range min(n, intOf(s, "maxItems", n)) {
		item := rest
		if i < len(places) {
			item = places[i]
		}
		v := r.value(item, depth+1)
		if v == nil {
			continue
		}
		out = append(out, v)
	}
	return out
}

func (r *random) object(s *jsontree.Value, depth int) any {
	s = r.b.spread(s)
	out := map[string]any{}
	required := map[string]bool{}
	for _, x := range s.List("required") {
		required[x.Text] = true
	}
	if props := s.Get("properties"); props != nil {
		for i, p := range props.Keys {
			if !required[p] && (depth > 6 || r.IntN(2) == 0) {
				continue
			}
			v := r.value(props.Items[i], depth+1)
			if v != nil || required[p] {
				out[p] = v
			}
		}
	}
	if depth == 0 && s.Get("type") != nil && len(out) == 0 && s.Get("properties") == nil &&
		s.Get("additionalProperties") == nil {
		return out // a tool without properties takes nothing
	}
	if extra := mapValue(s); depth < 7 &&
		(extra != nil || len(out) == 0 && s.Get("properties") == nil && s.Get("additionalProperties") == nil) {
		for i := range r.IntN(3) {
			if v := r.value(extra, depth+1); v != nil {
				out["key "+strconv.Itoa(i)] = v
			}
		}
	}
	return out
}

// plain is a schema's value as encoding/json decodes it.
func plain(v *jsontree.Value) any {
	d := json.NewDecoder(strings.NewReader(v.JSON()))
	d.UseNumber()
	var out any
	d.Decode(&out) // its own output
	return out
}

// literal is a Go literal of a struct, with presence bits.
func literal(o *object, name string, v map[string]any) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s{", name)
	set := make([]uint64, len(o.fields)/64+1)
	write := func(i int, lit string) {
		fmt.Fprintf(&b, "%s: %s, ", o.fields[i].name, lit)
		set[i/64] |= 1 << (i % 64)
	}
	rest := maps.Clone(v)
	for i, f := range o.fields {
		if o.union {
			if f.typ.kind == kindStruct && isVariant(f.typ.object, v) {
				write(i, "&"+literal(f.typ.object, f.typ.object.name, v))
				break
			}
			continue
		}
		if f.extra {
			write(i, goLiteral(f.typ, rest))
			break
		}
		x, ok := v[f.property]
		if !ok || f.fixed != "" && len(v)%2 == 0 { // a constant is written or not
			delete(rest, f.property)
			continue
		}
		delete(rest, f.property)
		write(i, goLiteral(f.typ, x))
	}
	for i, bits := range set {
		if i*64 < len(o.fields) {
			fmt.Fprintf(&b, "%s: %#x, ", wire.Mask(i), bits)
		}
	}
	return b.String() + "}"
}

func isVariant(o *object, v map[string]any) bool {
	for _, f := range o.fields {
		if f.fixed != "" && fmt.Sprintf("%q", v[f.property]) != f.fixed {
			return false
		}
	}
	return true
}

func goLiteral(t *typ, v any) string {
	if t.pointer {
		if v == nil {
			return "nil"
		}
		inner := *t
		inner.pointer = false
		return "ptr_(" + goLiteral(&inner, v) + ")"
	}
	g := generator{declared: map[string]bool{}}
	switch v := v.(type) {
	case nil:
		return "nil"
	case string:
		return strconv.Quote(v)
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return v.String()
	case []any:
		elem := t.elem
		if t.kind == kindAny {
			elem = &typ{}
		}
		var items []string
		for _, x := range v {
			items = append(items, goLiteral(elem, x))
		}
		return "[]" + g.typ(elem) + "{" + strings.Join(items, ", ") + "}"
	}
	m := v.(map[string]any)
	if t.kind == kindStruct {
		return literal(t.object, t.object.decl.name, m)
	}
	elem := t.elem
	if t.kind == kindAny {
		elem = &typ{}
	}
	var items []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		items = append(items, strconv.Quote(k)+": "+goLiteral(elem, m[k]))
	}
	return "map[string]" + g.typ(elem) + "{" + strings.Join(items, ", ") + "}"
}

func decodeExact(t *testing.T, s string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return v
}

// asFloats is a value as the validator wants it.
func asFloats(v any) any {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	var out any
	if err := json.Unmarshal(b, &out); err != nil {
		panic(err)
	}
	return out
}

func sameNumber(a, b json.Number) bool {
	x, _ := a.Float64()
	y, _ := b.Float64()
	return a == b || x == y
}
