package wrappers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/jsontree"
	"github.com/usetools/usetools/registry/text"
)

// View is a registry as Go packages: one package per server, with one function per tool. It is
// safe for concurrent use. The registry must not change while a View of it is in use.
type View struct {
	servers   []*Server // sorted by server name
	byPackage map[string]*Server
	byName    map[string]*Server
	opts      ViewOptions
}

// Server is one MCP server as a Go package.
type Server struct {
	Name    string // the key in the config
	Package string // the Go package name; imported as "servers/" + Package
	Tools   []*Tool
	view    *View
	byFunc  map[string]*Tool
	once    sync.Once
	types   map[string][]*Tool // every declared type name → the tools that need it
}

// Tool is one tool as a Go function.
type Tool struct {
	*registry.Tool
	Func   string // Go name of the function
	server *Server

	params, result string  // names of the two types, or ""
	input          *object // nil if the tool takes no arguments
	output         *object // fields of a typed result; nil for text
	single         *typ    // a result other than an object, as the field Result
	unwrap         bool    // output is the SDKs' wrapper {"result": T}
	nested         []*object
	observed       bool   // the output schema was inferred, not declared
	summary        string // the description without the parts that are in field comments
}

// ViewOptions configure a View. Functions may be nil.
type ViewOptions struct {
	// Observed returns an output schema that was inferred from earlier results of a tool without
	// a declared one (package wrappers/observe). It is called when a server is first used.
	Observed func(toolID string) (schema json.RawMessage, ok bool)
	// Seen returns the result of Tool.Seen, and is called each time.
	Seen func(toolID string) (outline string, results int, ok bool)
	// Class returns the result of Tool.Class.
	Class func(t *registry.Tool) string
}

// NewView returns a View of a registry, which must be normalized.
func NewView(reg *registry.Registry) *View { return NewViewWith(reg, nil) }

// NewViewWith is NewView with options.
func NewViewWith(reg *registry.Registry, opts *ViewOptions) *View {
	reg = reg.Printable()
	v := &View{byPackage: map[string]*Server{}, byName: map[string]*Server{}}
	if opts != nil {
		v.opts = *opts
	}
	var keys []string
	for _, s := range reg.Servers {
		keys = append(keys, s.Name)
	}
	pkgs := packageNames(keys)
	for _, k := range keys {
		s := &Server{Name: k, Package: pkgs[k], view: v, byFunc: map[string]*Tool{}}
		v.servers = append(v.servers, s)
		v.byPackage[s.Package], v.byName[k] = s, s
	}
	for i := range reg.Tools {
		t := &reg.Tools[i]
		if s := v.byName[t.Server]; s != nil {
			s.Tools = append(s.Tools, &Tool{Tool: t, server: s})
		}
	}
	for _, s := range v.servers {
		var names, late []string
		for _, t := range s.Tools {
			if t.New() {
				late = append(late, t.Name)
			} else {
				names = append(names, t.Name)
			}
		}
		fns := functionNames(s.Name, names, late)
		for _, t := range s.Tools {
			t.Func = fns[t.Name]
			s.byFunc[t.Func] = t
		}
	}
	return v
}

// Servers returns all packages, sorted by server name.
func (v *View) Servers() []*Server { return v.servers }

// Package returns the server whose Go package has the given name.
func (v *View) Package(name string) (*Server, bool) { s, ok := v.byPackage[name]; return s, ok }

// Server returns the server with the given config key.
func (v *View) Server(key string) (*Server, bool) { s, ok := v.byName[key]; return s, ok }

// NearPackage returns the server with a package or config key that folds to the same as name, as
// sqlite_db does for sqlitedb. It returns false unless there is exactly one.
func (v *View) NearPackage(name string) (*Server, bool) {
	var found *Server
	f := Fold(name)
	for _, s := range v.servers {
		if Fold(s.Package) == f || Fold(s.Name) == f {
			if found != nil {
				return nil, false
			}
			found = s
		}
	}
	return found, found != nil
}

// Tool returns the Go view of the tool with the given ID.
func (v *View) Tool(id string) (*Tool, bool) {
	// IDs are server + "." + name, and both may contain dots.
	for i := range len(id) {
		if id[i] != '.' {
			continue
		}
		if s := v.byName[id[:i]]; s != nil {
			j, ok := slices.BinarySearchFunc(s.Tools, id, func(t *Tool, id string) int { return cmp.Compare(t.ID, id) })
			if ok {
				return s.Tools[j], true
			}
		}
	}
	return nil, false
}

// Path returns the package's import path in a script, "servers/" + Package.
func (s *Server) Path() string { return "servers/" + s.Package }

// NearPackages returns up to n servers with packages nearest to a name, for "did you mean": the
// best first, and longer ones first among equals.
func (v *View) NearPackages(name string, n int) []*Server {
	f := Fold(name)
	longest := slices.SortedStableFunc(slices.Values(v.servers), func(a, b *Server) int {
		return cmp.Compare(len(b.Package), len(a.Package))
	})
	return nearest(longest, n, func(s *Server) (int, bool) {
		p := Fold(s.Package)
		d := edits(f, p)
		if strings.HasPrefix(p, f) || strings.HasPrefix(f, p) || 2*min(len(f), len(p)) >= max(len(f), len(p)) &&
			(strings.Contains(p, f) || strings.Contains(f, p)) {
			d = min(d, 1)
		}
		return d, f != "" && d <= max(1, max(len(f), len(p))/3)
	})
}

// nearest returns up to n elements that are near enough, in ascending order of distance.
func nearest[T comparable](all []T, n int, distance func(T) (d int, near bool)) []T {
	at := map[T]int{}
	near := slices.DeleteFunc(slices.Clone(all), func(x T) bool {
		d, near := distance(x)
		at[x] = d
		return !near
	})
	slices.SortStableFunc(near, func(a, b T) int { return cmp.Compare(at[a], at[b]) })
	return near[:min(n, len(near))]
}

// Named returns the tools of all servers that an unqualified name may mean: the tool's name, its
// function's with the package's before it, or the name that clients use (git_log, GitLog,
// mcp__git__git_log).
func (v *View) Named(name string) []*Tool {
	f := Fold(name)
	var out []*Tool
	for _, s := range v.servers {
		for _, t := range s.Tools {
			if f != "" && (Fold(t.Name) == f || Fold(s.Package+t.Func) == f || Fold("mcp"+s.Name+t.Name) == f ||
				Fold("mcp"+s.Package+t.Name) == f) {
				out = append(out, t)
			}
		}
	}
	return out
}

// Func returns the tool with a function name: exactly that name, otherwise the only tool with a
// function or tool name that folds to it, with or without the server's prefix (git_log and GitLog
// for Log).
func (s *Server) Func(name string) (*Tool, bool) {
	if t := s.byFunc[name]; t != nil {
		return t, true
	}
	var found *Tool
	f := Fold(name)
	for _, t := range s.Tools {
		if Fold(t.Func) == f || Fold(t.Name) == f || Fold(s.Package+t.Func) == f {
			if found != nil && found != t {
				return nil, false
			}
			found = t
		}
	}
	return found, found != nil
}

// Type returns the tools that a type name of the package belongs to, sorted by ID: one for
// LogParams, several for a nested type that tools share, none for an unknown name.
func (s *Server) Type(name string) []*Tool {
	s.load()
	return s.types[name]
}

// Near returns up to n tools with function names nearest to name, the best first, for "did you
// mean".
func (s *Server) Near(name string, n int) []*Tool {
	f := Fold(name)
	return nearest(s.Tools, n, func(t *Tool) (int, bool) {
		g := Fold(t.Func)
		d := edits(f, g) * 2
		if strings.Contains(g, f) || strings.Contains(f, g) {
			d = min(d, 3)
		}
		for _, w := range Words(name) {
			if len(w) > 2 && slices.Contains(Words(t.Func), w) {
				d -= 2
			}
		}
		return d, d <= max(len(f), len(g))
	})
}

// edits is text.Edits of the first 64 bytes of two names.
func edits(a, b string) int { return text.Edits(text.FirstBytes(a, 64), text.FirstBytes(b, 64)) }

// Go returns the function's name as a script writes it: git.Log.
func (t *Tool) Go() string { return t.server.Package + "." + t.Func }

// Class returns what a call of the tool does (read, again or effect), or "" if ViewOptions.Class
// is nil.
func (t *Tool) Class() string {
	if f := t.server.view.opts.Class; f != nil {
		return f(t.Tool)
	}
	return ""
}

// Mark returns the comment after the tool's signature that states its class, or "" if the tool
// only reads.
func (t *Tool) Mark() string {
	if c := t.Class(); c != "" && c != "read" {
		return " // " + c
	}
	return ""
}

// Package returns the package that the function is in.
func (t *Tool) Package() *Server { return t.server }

// load reads the schemas of all tools of a server and names their types.
func (s *Server) load() {
	s.once.Do(func() {
		names := scope{}
		for _, t := range s.Tools {
			names.add(t.Func)
		}
		for _, m := range hostNames {
			names.add(m)
		}
		for _, t := range s.Tools {
			t.result = names.take(t.Func + "Result")
		}
		schemas := parse(s.Tools)
		for _, t := range s.Tools {
			t.read(names, schemas)
		}
		s.share(names)
		s.types = map[string][]*Tool{}
		for _, t := range s.Tools {
			for _, n := range t.typeNames() {
				if !slices.Contains(s.types[n], t) {
					s.types[n] = append(s.types[n], t)
				}
			}
		}
	})
}

// hostNames are the names that every generated package has besides those of its tools.
var hostNames = []string{"Image"}

// parsed has parsed schemas by their text. Many tools of an API return the same, which is parsed
// once.
type parsed map[string]*jsontree.Value

// parse reads the schemas of tools, on all processors.
func parse(tools []*Tool) parsed {
	out := parsed{}
	for _, t := range tools {
		out[string(t.Input)], out[string(t.Output)] = nil, nil
	}
	texts := slices.Collect(maps.Keys(out))
	values := make([]*jsontree.Value, len(texts))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(texts); i = next.Add(1) - 1 {
				values[i] = parseSchema(json.RawMessage(texts[i]))
			}
		})
	}
	wg.Wait()
	for i, text := range texts {
		out[text] = values[i]
	}
	return out
}

// read turns a tool's schemas into types.
func (t *Tool) read(names scope, schemas parsed) {
	t.summary = strings.TrimSpace(t.Marked())
	if t.summary == "" {
		t.summary = t.Title
	}
	b := &builder{fn: t.Func, names: names}
	if root := schemas[string(t.Input)]; root != nil {
		b.root, b.refs = root, map[string]*typ{}
		o := &object{root: true, argument: true}
		b.fill(o, b.resolve(root), 0)
		if len(o.fields) > 0 {
			t.input = o
		}
		if slices.ContainsFunc(o.fields, func(f *field) bool { return f.fixed == "" }) {
			t.params = names.take(t.Func + "Params")
			o.name = t.params
		}
		t.document(o)
	}
	b.result = true
	t.readOutput(b, schemas[string(t.Output)])
	if observed := t.server.view.opts.Observed; !t.typed() && observed != nil {
		var schema json.RawMessage
		if schema, t.observed = observed(t.ID); t.observed {
			b.observed = true
			t.readOutput(b, parseSchema(schema))
		}
	}
	t.nested = b.objects
	for _, o := range append([]*object{t.input, t.output}, t.nested...) {
		if o != nil {
			o.decl = &decl{name: o.name, fields: o.fields, union: o.union, argument: o.argument}
		}
	}
}

// Untyped reports whether the server declares no usable output schema; then
// ViewOptions.Observed may give one.
func (t *Tool) Untyped() bool {
	t.server.load()
	return t.observed || !t.typed()
}

// Seen returns the shape of the tool's earlier results on one line (observe.Sighting describes
// the form), and the number of these results. ok is false if the result has typed fields or no
// result was observed. The answer changes as results are observed.
func (t *Tool) Seen() (outline string, results int, ok bool) {
	t.server.load()
	if seen := t.server.view.opts.Seen; seen != nil && !t.typed() {
		return seen(t.ID)
	}
	return "", 0, false
}

// document gives uncommented fields their text in the description.
func (t *Tool) document(o *object) {
	properties := map[string]bool{}
	for _, f := range o.fields {
		properties[f.property] = true
	}
	docs, rest := splitArgs(t.summary, properties)
	for _, f := range o.fields {
		if f.doc == "" {
			f.doc = docs[f.property]
		}
	}
	t.summary = rest
}

// parseSchema returns the document of a schema, or nil for an empty one. An unreadable schema
// allows anything.
func parseSchema(raw json.RawMessage) *jsontree.Value {
	if len(raw) == 0 {
		return nil
	}
	switch v, _ := jsontree.Parse(raw, jsontree.Limits{Depth: maxDepth}); {
	case v == nil:
	case v.Kind == jsontree.Object:
		return v
	case v.Kind == jsontree.Null:
		return nil
	}
	return &jsontree.Value{Kind: jsontree.Object}
}

// readOutput sets the result's type: the fields of an object, or one field Result.
func (t *Tool) readOutput(b *builder, root *jsontree.Value) {
	if root == nil {
		return
	}
	b.root, b.refs, b.steps = root, map[string]*typ{}, 0
	s := b.resolve(root)
	if s = b.spread(s); isObject(s) {
		o := &object{name: t.result, result: true}
		b.fill(o, s, 0)
		t.output, t.unwrap = o, isWrapper(s)
		return
	}
	name, _ := schemaType(s)
	if len(s.Keys) == 0 || name == "" && len(s.List("anyOf"))+len(s.List("oneOf")) == 0 {
		return
	}
	t.single = b.convert(s, []string{"item"}, 0)
}

// isWrapper reports whether an output schema is the envelope {"result": T} that the Python SDKs
// put around values other than objects: one required property "result", and fastmcp's mark or the
// title "…Output" of the official SDK.
func isWrapper(s *jsontree.Value) bool {
	p, req := s.Get("properties"), s.List("required")
	if p == nil || len(p.Keys) != 1 || p.Keys[0] != "result" || len(req) != 1 || req[0].Text != "result" {
		return false
	}
	mark := s.Get("x-fastmcp-wrap-result")
	return mark != nil && mark.Kind == jsontree.Bool && mark.Yes || strings.HasSuffix(s.Str("title"), "Output")
}

// decl is a Go struct declaration. Objects of the same shape share it.
type decl struct {
	name    string
	aliases []string
	fields  []*field
	union   bool
	// argument reports that its values are sent, not only received: a script has to write the
	// required fields.
	argument bool
}

// share declares every nested type under its short name if all nested types of the server with
// that name have the same shape. The long names become aliases. So the result of one tool can be
// passed to another.
func (s *Server) share(names scope) {
	groups := map[string][]*object{}
	var order []string
	for _, t := range s.Tools {
		for _, o := range t.nested {
			if len(groups[o.short]) == 0 {
				order = append(order, o.short)
			}
			groups[o.short] = append(groups[o.short], o)
		}
	}
	for _, short := range order {
		g := groups[short]
		if names[short] > 0 {
			continue
		}
		shape := shapeOf(g[0])
		if slices.ContainsFunc(g[1:], func(o *object) bool { return shapeOf(o) != shape }) {
			continue
		}
		names.add(short)
		d := &decl{name: short, union: g[0].union}
		for _, f := range g[0].fields {
			c := *f
			d.fields = append(d.fields, &c)
		}
		for _, o := range g {
			d.aliases = append(d.aliases, o.name)
			d.argument = d.argument || o.argument
			for i, f := range o.fields { // only what all have in common
				d.fields[i].agree(f)
			}
			o.decl = d
		}
	}
}

// agree removes what another field of the same name and type does not share.
func (f *field) agree(other *field) {
	f.required = f.required && other.required
	if !slices.Equal(f.enum, other.enum) {
		f.enum = nil
	}
	if f.def != other.def {
		f.def = ""
	}
	if f.limits != other.limits {
		f.limits = ""
	}
	if f.fixed != other.fixed {
		f.fixed = ""
	}
}

// shapeOf returns an object's Go shape as text: names, properties and types of its fields,
// recursively.
func shapeOf(o *object) string {
	var b strings.Builder
	var walk func(o *object, stack []*object)
	var ty func(t *typ, stack []*object)
	ty = func(t *typ, stack []*object) {
		if t.pointer {
			b.WriteByte('*')
		}
		fmt.Fprintf(&b, "%d", t.kind)
		if t.elem != nil {
			ty(t.elem, stack)
		}
		if t.object != nil {
			walk(t.object, stack)
		}
	}
	walk = func(o *object, stack []*object) {
		if i := slices.Index(stack, o); i >= 0 || b.Len() > 1<<16 {
			fmt.Fprintf(&b, "^%d", i)
			return
		}
		stack = append(stack, o)
		b.WriteByte('{')
		if o.union {
			b.WriteByte('|')
		}
		for _, f := range o.fields {
			fmt.Fprintf(&b, "%s %q %v ", f.name, f.property, f.extra)
			ty(f.typ, stack)
			b.WriteByte(';')
		}
		b.WriteByte('}')
	}
	walk(o, nil)
	return b.String()
}

// typeNames returns every type name that the tool's declarations add.
func (t *Tool) typeNames() []string {
	out := []string{t.result}
	if t.params != "" {
		out = append(out, t.params)
	}
	for _, o := range t.nested {
		out = append(out, o.decl.name)
		out = append(out, o.decl.aliases...)
	}
	return out
}
