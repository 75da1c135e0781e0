package wrappers

import (
	"cmp"
	"fmt"
	"go/format"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/wrappers/wire"
)

// Source returns the Go package of a server with only the given tools. A script imports it as
// "servers/<package>". The text is deterministic plain Go over the host package that the worker
// provides. doc adds doc comments, which people and editors want and a worker only skips.
//
// Every struct of parameters has a hidden field set_ (set1_, set2_ … beyond 64 fields): the front
// end sets bit i if the script writes field i, so that a written field is sent even if it is
// zero. Results have a hidden field res_, the complete result as it arrived. The hidden constant
// wire.Effects lists the functions that may change something, if the view has classes.
func (s *Server) Source(tools []*Tool, doc bool) string {
	return s.source(tools, doc, "usetools/host")
}

func (s *Server) source(tools []*Tool, doc bool, host string) string {
	s.load()
	tools = slices.Clone(tools)
	slices.SortFunc(tools, func(a, b *Tool) int { return strings.Compare(a.ID, b.ID) })
	tools = slices.Compact(tools)
	g := &generator{doc: doc, declared: map[string]bool{}}
	if doc {
		g.f("// Package %s is the Go view of the MCP server %q.\n", s.Package, s.Name)
	}
	g.f("package %s\n\nimport %q\n\n", s.Package, host)
	g.image = "host.Image"
	if s.byFunc["Image"] == nil {
		g.comment("Image is an image that a tool returned.")
		g.f("type Image = host.Image\n\n")
		g.image = "Image"
	}
	effects := ""
	for _, t := range tools {
		g.tool(t)
		if t.Mark() != "" {
			effects += " " + t.Func
		}
	}
	if effects != "" {
		g.f("const %s = %q\n", wire.Effects, effects)
	}
	text := registry.PrintableGo([]byte(g.b.String()))
	if !doc {
		return string(text)
	}
	out, err := format.Source(text)
	if err != nil { // generated text always parses; if not, the text helps more than a panic
		return string(text)
	}
	return string(out)
}

// generator writes one package.
type generator struct {
	b        strings.Builder
	doc      bool
	image    string          // the type of images inside the package
	declared map[string]bool // written structs
	queue    []func()
}

func (g *generator) f(format string, args ...any) { fmt.Fprintf(&g.b, format, args...) }

func (g *generator) comment(text string) {
	if !g.doc || text == "" {
		return
	}
	for _, l := range wrap(text, width) {
		g.f("%s\n", strings.TrimRight("// "+l, " "))
	}
}

// tool writes a tool's function and its types.
func (g *generator) tool(t *Tool) {
	if g.doc {
		g.comment(t.doc())
	}
	p := "nil"
	if t.params != "" {
		p = "p"
	}
	g.f("%s {\nvar r %s\nerr := host.Do(%q, %q, %s, &r, %q)\nreturn r, err\n}\n\n", t.funcLine(""), t.result, t.ID,
		t.plan(), p, t.shape())
	if t.params != "" {
		g.comment(t.params + " holds the arguments of " + t.Func + ".")
		g.object(t.input.decl)
	}
	g.resultType(t)
	for len(g.queue) > 0 {
		next := g.queue[0]
		g.queue = g.queue[1:]
		next()
	}
}

// typed reports whether the result has fields.
func (t *Tool) typed() bool { return t.output != nil || t.single != nil }

// shape describes a result's type to the host, in the form of host.Mend after a mark. It is "" if
// nothing is decoded. The marks: ":" for the fields, "." if the value is that of the only field,
// "=" if it is in the envelope {"result": T} of the Python SDKs, "s" if T is also a string.
func (t *Tool) shape() string {
	if !t.typed() {
		return ""
	}
	l := objectLines{}
	var of func(t *typ) string
	row := func(o *object) string {
		var b strings.Builder
		for _, f := range o.fields {
			b.WriteString(strconv.Quote(f.property) + of(f.typ))
		}
		return b.String()
	}
	of = func(t *typ) string { return t.code(false, func(o *object) string { return l.add(o, row) }) }
	mark, root := ":", ""
	switch {
	case t.single != nil:
		mark, root = ".", of(t.single)
	default:
		root = l.add(t.output, row)
	}
	if t.unwrap {
		mark = "="
		if t.output.fields[0].typ.kind == kindString {
			mark = "s"
		}
	}
	return strings.Join(append([]string{mark + root}, l.lines...), "\n")
}

// plan returns how the arguments are sent, in the form of package wire.
func (t *Tool) plan() string {
	if t.input == nil {
		return ""
	}
	l := objectLines{}
	var of func(t *typ) string
	row := func(o *object) string {
		var b strings.Builder
		if o.union {
			b.WriteString("|")
		}
		for _, f := range o.fields {
			name := f.property
			if o.union {
				name = f.name
			}
			b.WriteString(strconv.Quote(name) + f.marks() + of(f.typ))
		}
		return b.String()
	}
	of = func(t *typ) string { return t.code(true, func(o *object) string { return l.add(o, row) }) }
	l.add(t.input, row)
	return strings.Join(l.lines, "\n")
}

// marks returns when the field of an argument is sent, in the form of package wire.
func (f *field) marks() string {
	s := ""
	if f.extra {
		return "+"
	}
	if unset := cmp.Or(f.fixed, f.unset); unset != "" {
		s = "=" + strconv.Quote(unset)
	}
	if f.nullable && (f.typ.kind == kindList || f.typ.kind == kindMap) {
		s += "?"
	}
	switch {
	case f.typ.pointer && !(f.required && f.nullable):
		s += "^"
	case f.required && f.fixed == "":
		s += "!"
	}
	return s
}

// objectLines collects the lines of the objects that a type refers to.
type objectLines struct {
	index map[*object]int
	lines []string
}

// add returns the reference to an object; row returns the object's line.
func (l *objectLines) add(o *object, row func(*object) string) string {
	i, ok := l.index[o]
	if !ok {
		if l.index == nil {
			l.index = map[*object]int{}
		}
		i = len(l.lines)
		l.index[o] = i
		l.lines = append(l.lines, "")
		l.lines[i] = row(o)
	}
	return "{" + strconv.Itoa(i) + "}"
}

// code returns a type for plans, which have pointers, or for shapes, which do not.
func (t *typ) code(pointers bool, object func(*object) string) string {
	s := ""
	if pointers && t.pointer {
		s = "*"
	}
	switch t.kind {
	case kindList:
		return s + "[" + t.elem.code(pointers, object)
	case kindMap:
		return s + "<" + t.elem.code(pointers, object)
	case kindStruct:
		return s + object(t.object)
	}
	return s + "asifb"[t.kind:t.kind+1]
}

// funcLine returns the function's signature, with types qualified by qual: "" inside the package,
// "git." for readers outside.
func (t *Tool) funcLine(qual string) string {
	t.server.load()
	p := ""
	if t.params != "" {
		p = "p " + qual + t.params
	}
	return fmt.Sprintf("func %s%s(%s) (%s%s, error)", qual, t.Func, p, qual, t.result)
}

// methods are the methods of every result. If the server declares an output property with such a
// name, the property wins. If it was only observed, the method wins, so that scripts that use it
// still work.
var methods = []struct{ name, types, call, doc string }{
	{"Text", "() string", "Text(r.res_)", "Text is the result as text, as the tool wrote it."},
	{"JSON", "(v any) error", "Decode(r.res_, v)", "JSON decodes the result, or its text where that is JSON, into v."},
	{"Raw", "() []byte", "Raw(r.res_)", "Raw is the whole MCP result as the server sent it."},
	{"Images", "() []Image", "Images(r.res_)", "Images lists the images in the result."},
	{"String", "() string", "Text(r.res_)", ""},
}

// resultType writes the result struct and the methods that all results have.
func (g *generator) resultType(t *Tool) {
	g.comment(t.result + " is the result of " + t.Func + ".")
	g.f("type %s struct {\n", t.result)
	switch {
	case t.output != nil && len(t.output.fields) > 0:
		g.fields(t.output.fields, "")
	case t.single != nil:
		g.f("Result %s\n", g.typ(t.single))
	default: // reflect cannot make a type of only res_, whose value would be the pointer itself
		g.f("none_ bool\n")
	}
	g.f("res_ *host.Result\n}\n\n")
	for _, m := range methods {
		if t.output != nil && slices.ContainsFunc(t.output.fields, func(f *field) bool { return f.name == m.name }) {
			continue
		}
		g.comment(m.doc)
		g.f("func (r %s) %s%s { return host.%s }\n\n", t.result, m.name, strings.ReplaceAll(m.types, "Image", g.image), m.call)
	}
	switch {
	case !t.typed() || t.observed:
		// The JSON of a result without a promised type is its JSON or its text, whatever its
		// fields hold.
		g.f("func (r %s) MarshalJSON() ([]byte, error) { return host.Value(r.res_) }\n\n", t.result)
	case t.single != nil || t.unwrap:
		g.f("func (r %s) MarshalJSON() ([]byte, error) { return host.Encode(r.Result) }\n\n", t.result)
	}
}

// object writes a struct declaration. Structs of arguments get the hidden presence fields.
func (g *generator) object(d *decl) {
	if g.declared[d.name] {
		return
	}
	g.declared[d.name] = true
	g.f("type %s struct {\n", d.name)
	required := ""
	if d.argument {
		required = "required"
	}
	g.fields(d.fields, required)
	if d.argument {
		for i := 0; i*64 < len(d.fields); i++ {
			g.f("%s uint64\n", wire.Mask(i))
		}
	}
	g.f("}\n\n")
	for _, a := range d.aliases {
		if a != d.name {
			g.f("type %s = %s\n\n", a, d.name)
		}
	}
}

// fields writes a struct's fields. required is the remark on required fields, "" in results.
func (g *generator) fields(fs []*field, required string) {
	for _, f := range fs {
		if g.doc {
			if c := f.comment(required, 0); c != "" {
				g.comment(f.name + ": " + c)
			}
		}
		g.f("%s %s %s\n", f.name, g.typ(f.typ), f.tag(required != ""))
	}
}

// tag returns a field's struct tag. Besides the property's name it has what the checker of
// scripts needs: use:"required", or use:"variant" if exactly one of the alternatives is
// written, and the allowed values (enum).
func (f *field) tag(argument bool) string {
	name := f.property
	switch {
	case f.extra || !tagSafe(name):
		name = "-"
	case name == "-":
		name = "-,"
	}
	if !argument && f.omits() {
		name = strings.TrimSuffix(name, ",") + ",omitempty"
	}
	tag := "json:" + strconv.Quote(name)
	if argument && f.required && f.fixed == "" {
		tag += ` use:"required"`
	}
	if argument && f.variant {
		tag += ` use:"variant"`
	}
	if e := "[" + strings.Join(f.enum, ",") + "]"; argument && len(f.enum) > 0 && len(e) <= maxEnumTag {
		tag += " enum:" + strconv.Quote(e)
	}
	if strings.ContainsRune(tag, '`') {
		return strconv.Quote(tag)
	}
	return "`" + tag + "`"
}

// omits reports whether a result field is omitted, when a script returns the struct, if the
// server sent nothing for it: an empty and optional text, list or map. Numbers and booleans are
// kept, because 0 and false may be information.
func (f *field) omits() bool {
	return !f.required && !f.extra && tagSafe(f.property) &&
		(f.typ.pointer || f.typ.kind == kindString || f.typ.kind == kindList || f.typ.kind == kindMap ||
			f.typ.kind == kindAny)
}

// maxEnumTag bounds the allowed values in a tag, in bytes. Longer lists are checked only when the
// call is validated.
const maxEnumTag = 4 << 10

// tagSafe reports whether encoding/json accepts a property's name in a tag. It applies the same
// rule.
func tagSafe(p string) bool {
	for _, r := range p {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return p != ""
}

// typ returns a Go type and queues the structs in it.
func (g *generator) typ(t *typ) string {
	return t.text(func(o *object) string {
		if d := o.decl; !g.declared[d.name] {
			g.queue = append(g.queue, func() { g.object(d) })
		}
		return o.decl.name
	})
}

// text returns the Go type; object returns the text for a struct.
func (t *typ) text(object func(*object) string) string {
	s := ""
	switch t.kind {
	case kindString:
		s = "string"
	case kindInt:
		s = "int"
	case kindFloat:
		s = "float64"
	case kindBool:
		s = "bool"
	case kindList:
		s = "[]" + t.elem.text(object)
	case kindMap:
		s = "map[string]" + t.elem.text(object)
	case kindStruct:
		s = object(t.object)
	default:
		s = "any"
	}
	if t.pointer {
		s = "*" + s
	}
	return s
}
