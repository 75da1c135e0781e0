package wrappers

import (
	"fmt"
	"go/format"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Source returns the Go package of a server with just the given tools: what a
// script imports as "servers/<package>". The text is deterministic. It is
// plain Go over encoding/json and the host package that the worker provides;
// doc adds the doc comments, which people and editors want and a worker only
// has to skip.
//
// Every struct of parameters has a hidden field set_ (set1_, set2_ … beyond 64
// fields): the front end sets bit i when the script writes field i, so that a
// field that was written is sent even when it is zero. Results have a hidden
// field res_, the whole result as it arrived.
func (s *Server) Source(tools []*Tool, doc bool) string {
	return s.source(tools, doc, "usetools/host")
}

func (s *Server) source(tools []*Tool, doc bool, host string) string {
	s.load()
	tools = slices.Clone(tools)
	slices.SortFunc(tools, func(a, b *Tool) int { return strings.Compare(a.ID, b.ID) })
	tools = slices.Compact(tools)
	g := &generator{doc: doc, encoders: map[string]bool{}, declared: map[string]bool{}}
	if doc {
		g.f("// Package %s is the Go view of the MCP server %q.\n", s.Package, s.Name)
	}
	g.f("package %s\n\nimport (\n\"encoding/json\"\n\n%q\n)\n\n", s.Package, host)
	g.image = "host.Image"
	if s.byFunc["Image"] == nil {
		g.comment("Image is an image that a tool returned.")
		g.f("type Image = host.Image\n\n")
		g.image = "Image"
	}
	for _, t := range tools {
		g.tool(t)
	}
	g.f("var _ = json.Marshal\n")
	if !doc {
		return g.b.String()
	}
	out, err := format.Source([]byte(g.b.String()))
	if err != nil { // generated text always parses; a reader is better served by the text than by a panic
		return g.b.String()
	}
	return string(out)
}

// generator writes one package.
type generator struct {
	b        strings.Builder
	doc      bool
	image    string          // the type of images inside the package
	encoders map[string]bool // written encode functions
	declared map[string]bool // written structs
	queue    []func()
}

func (g *generator) f(format string, args ...any) { fmt.Fprintf(&g.b, format, args...) }

func (g *generator) comment(text string) {
	if !g.doc || text == "" {
		return
	}
	for _, l := range wrap(text, 96) {
		g.f("%s\n", strings.TrimRight("// "+l, " "))
	}
}

// tool writes a tool's function, its types and what they need.
func (g *generator) tool(t *Tool) {
	if g.doc {
		g.comment(t.doc())
	}
	g.f("%s {\n", t.funcLine(""))
	g.f("var r %s\n", t.result)
	switch {
	case t.input == nil:
		g.f("args := []byte(\"{}\")\n")
	default:
		p := "p"
		if t.params == "" {
			p = ""
		}
		g.f("args, err := json.Marshal(%s(%s))\nif err != nil {\nreturn r, host.BadArgs(%q, err)\n}\n", g.encoder(t.input, t.params), p, t.Go())
	}
	g.f("res, err := host.Call(%q, args)\nr.res_ = res\n", t.ID)
	if t.typed() {
		g.f("if err != nil {\nreturn r, err\n}\n")
		g.decode(t)
	}
	g.f("return r, err\n}\n\n")
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

// typed reports whether the result has fields of its own.
func (t *Tool) typed() bool { return t.output != nil || t.single != nil }

// decode fills the result's fields. A result that is not what its schema
// promised is mended where that loses nothing; the rest stays zero, with a
// warning.
func (g *generator) decode(t *Tool) {
	target := "&r"
	if t.single != nil {
		target = "&r.Result"
	}
	if t.unwrap {
		g.f("data := host.Wrapped(%q, res, %v)\n", t.ID, t.output.fields[0].typ.kind == kindString)
	} else {
		g.f("data := host.Fields(%q, res)\n", t.ID)
	}
	g.f("if data != nil && json.Unmarshal(data, %s) != nil {\n", target)
	g.f("r = %s{res_: res}\n", t.result)
	g.f("if data = host.Mend(%q, data, %q); data != nil {\nif err := json.Unmarshal(data, %s); err != nil {\nhost.Warn(%q + err.Error())\n}\n}\n}\n", t.ID, t.shape(), target, t.ID+": decoding the result: ")
}

// shape describes a result's type to host.Mend.
func (t *Tool) shape() string {
	var objects []string
	index := map[*object]int{}
	var of func(t *typ) string
	add := func(o *object) string {
		i, ok := index[o]
		if !ok {
			i = len(objects)
			index[o] = i
			objects = append(objects, "")
			var b strings.Builder
			for _, f := range o.fields {
				b.WriteString(strconv.Quote(f.property) + of(f.typ))
			}
			objects[i] = b.String()
		}
		return "{" + strconv.Itoa(i) + "}"
	}
	of = func(t *typ) string {
		switch t.kind {
		case kindList:
			return "[" + of(t.elem)
		case kindMap:
			return "<" + of(t.elem)
		case kindStruct:
			return add(t.object)
		}
		return "asifb"[t.kind : t.kind+1]
	}
	root := ""
	if t.single != nil {
		root = of(t.single)
	} else {
		root = add(t.output)
	}
	return strings.Join(append([]string{root}, objects...), "\n")
}

// funcLine is the function's signature, its types qualified by qual ("" inside
// the package, "git." for readers outside).
func (t *Tool) funcLine(qual string) string {
	t.server.load()
	p := ""
	if t.params != "" {
		p = "p " + qual + t.params
	}
	return fmt.Sprintf("func %s%s(%s) (%s%s, error)", qual, t.Func, p, qual, t.result)
}

// resultType writes the result struct and the methods that all results have.
func (g *generator) resultType(t *Tool) {
	g.comment(t.result + " is the result of " + t.Func + ".")
	g.f("type %s struct {\n", t.result)
	switch {
	case t.output != nil:
		g.fields(t.output.fields, "")
	case t.single != nil:
		g.f("Result %s\n", g.typ(t.single))
	}
	g.f("res_ *host.Result\n}\n\n")
	for _, m := range t.methods {
		switch m {
		case "Text":
			g.comment("Text is the result as text, as the tool wrote it.")
			g.f("func (r %s) Text() string { return host.Text(r.res_) }\n\n", t.result)
		case "JSON":
			g.comment("JSON decodes the result, or its text where that is JSON, into v.")
			g.f("func (r %s) JSON(v any) error {\ndata, err := host.JSON(r.res_)\nif err != nil {\nreturn err\n}\nreturn json.Unmarshal(data, v)\n}\n\n", t.result)
		case "Raw":
			g.comment("Raw is the whole MCP result as the server sent it.")
			g.f("func (r %s) Raw() []byte { return host.Raw(r.res_) }\n\n", t.result)
		case "Images":
			g.comment("Images lists the images in the result.")
			g.f("func (r %s) Images() []%s { return host.Images(r.res_) }\n\n", t.result, g.image)
		case "String":
			g.f("func (r %s) String() string { return host.Text(r.res_) }\n\n", t.result)
		}
	}
	switch {
	case !t.typed() || t.observed:
		// Returned as a whole, a result of which nothing is promised is its
		// JSON or its text, whatever its fields hold.
		g.f("func (r %s) MarshalJSON() ([]byte, error) { return host.Value(r.res_) }\n\n", t.result)
	case t.single != nil || t.unwrap:
		g.f("func (r %s) MarshalJSON() ([]byte, error) { return json.Marshal(r.Result) }\n\n", t.result)
	}
}

// object writes a struct declaration; that of an argument has the hidden
// presence fields.
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
			g.f("%s uint64\n", presence(i))
		}
	}
	g.f("}\n\n")
	for _, a := range d.aliases {
		if a != d.name {
			g.f("type %s = %s\n\n", a, d.name)
		}
	}
}

// presence names the i-th hidden field of 64 presence bits.
func presence(i int) string {
	if i == 0 {
		return "set_"
	}
	return "set" + strconv.Itoa(i) + "_"
}

// fields writes a struct's fields; required is the remark on those that must
// be given, "" in results.
func (g *generator) fields(fs []*field, required string) {
	for _, f := range fs {
		if g.doc {
			if c := f.remark(required); c != "" {
				g.comment(f.name + ": " + c)
			}
		}
		g.f("%s %s %s\n", f.name, g.typ(f.typ), f.tag(required != ""))
	}
}

// tag is a field's struct tag. Besides the property's name it tells the
// checker of scripts what has to be written (use:"required", or use:"variant"
// for fields of which one is) and which values are allowed (enum).
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

// omits reports whether a field of a result is left out, when a script returns
// the struct, where the server had nothing: a text, list or map that may be
// missing and is empty. Numbers and booleans stay, since 0 and false say
// something.
func (f *field) omits() bool {
	return !f.required && !f.extra && tagSafe(f.property) && (f.typ.pointer || f.typ.kind == kindString || f.typ.kind == kindList || f.typ.kind == kindMap || f.typ.kind == kindAny)
}

// maxEnumTag bounds the allowed values in a tag, in bytes; longer lists are
// left to the validation of the call.
const maxEnumTag = 4 << 10

// tagSafe reports whether encoding/json takes a property's name as a tag; it
// has the same rule.
func tagSafe(p string) bool {
	for _, r := range p {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return p != ""
}

// typ renders a Go type and queues the structs in it.
func (g *generator) typ(t *typ) string {
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
		s = "[]" + g.typ(t.elem)
	case kindMap:
		s = "map[string]" + g.typ(t.elem)
	case kindStruct:
		s = t.object.decl.name
		if d := t.object.decl; !g.declared[d.name] {
			g.queue = append(g.queue, func() { g.object(d) })
		}
	default:
		s = "any"
	}
	if t.pointer {
		s = "*" + s
	}
	return s
}

// encoder returns the name of the function that turns a struct of arguments
// into the object that is sent, and queues its text.
func (g *generator) encoder(o *object, goType string) string {
	name := "encode_" + o.name
	if o.name == "" {
		name = "encode_" + strconv.Itoa(len(g.encoders))
	}
	if g.encoders[name] {
		return name
	}
	g.encoders[name] = true
	g.queue = append(g.queue, func() {
		param := ""
		if goType != "" {
			param = "p " + goType
		}
		body := g.encodeFields(o)
		g.f("func %s(%s) map[string]any {\nm := map[string]any{}\n%sreturn m\n}\n\n", name, param, body)
	})
	return name
}

func (g *generator) encodeFields(o *object) string {
	var b strings.Builder
	for i, f := range o.fields {
		x := "p." + f.name
		switch {
		case f.extra:
			fmt.Fprintf(&b, "for k, v := range %s {\nif m[k] == nil {\nm[k] = %s\n}\n}\n", x, g.encode(f.typ.elem, "v"))
			continue
		case f.fixed != "":
			fmt.Fprintf(&b, "m[%q] = json.RawMessage(%q)\n", f.property, f.fixed)
			if o.name == "" {
				continue
			}
		}
		put := fmt.Sprintf("m[%q] = %s\n", f.property, g.encode(f.typ, x))
		if f.nullable && (f.typ.kind == kindList || f.typ.kind == kindMap) {
			put = fmt.Sprintf("m[%q] = nil\nif %s != nil {\n%s}\n", f.property, x, put)
		}
		switch {
		case f.typ.pointer && !(f.required && f.nullable):
			fmt.Fprintf(&b, "if %s != nil {\n%s}\n", x, put)
		case f.required && f.fixed == "":
			b.WriteString(put)
		default:
			fmt.Fprintf(&b, "if p.%s&%#x != 0 || %s {\n%s}\n", presence(i/64), uint64(1)<<(i%64), g.nonZero(f.typ, x), put)
		}
	}
	return b.String()
}

// encodeUnion sends the one alternative that was written. Two, or none, are
// sent in a form that no schema allows, so that the call is refused.
func (g *generator) encodeUnion(o *object, goType string) string {
	name := "encode_" + o.name
	if g.encoders[name] {
		return name
	}
	g.encoders[name] = true
	g.queue = append(g.queue, func() {
		var b strings.Builder
		for i, f := range o.fields {
			written := fmt.Sprintf("p.%s != nil", f.name)
			if !f.typ.pointer {
				written = fmt.Sprintf("p.%s&%#x != 0 || %s", presence(i/64), uint64(1)<<(i%64), g.nonZero(f.typ, "p."+f.name))
			}
			fmt.Fprintf(&b, "if %s {\nm[%q] = %s\n}\n", written, f.name, g.encode(f.typ, "p."+f.name))
		}
		g.f("func %s(p %s) any {\nm := map[string]any{}\n%sif len(m) == 1 {\nfor _, v := range m {\nreturn v\n}\n}\nreturn m\n}\n\n", name, goType, b.String())
	})
	return name
}

// nonZero is the condition that a value is not its zero value: what was
// written in a way that the front end cannot see is sent when it is not zero.
func (g *generator) nonZero(t *typ, x string) string {
	switch {
	case t.pointer:
		return x + " != nil"
	case t.kind == kindString:
		return x + ` != ""`
	case t.kind == kindInt || t.kind == kindFloat:
		return x + " != 0"
	case t.kind == kindBool:
		return x
	case t.kind == kindStruct:
		return g.isSet(t.object.decl) + "(" + x + ")"
	}
	return x + " != nil"
}

// isSet returns the name of the function that tells whether anything of a
// struct was written, and queues its text.
func (g *generator) isSet(d *decl) string {
	name := "isSet_" + d.name
	if g.encoders[name] {
		return name
	}
	g.encoders[name] = true
	g.queue = append(g.queue, func() {
		var parts []string
		for i := 0; i*64 < len(d.fields); i++ {
			parts = append(parts, "p."+presence(i)+" != 0")
		}
		for _, f := range d.fields {
			parts = append(parts, g.nonZero(f.typ, "p."+f.name))
		}
		g.f("func %s(p %s) bool {\nreturn %s\n}\n\n", name, d.name, strings.Join(parts, " || "))
	})
	return name
}

// encode is the expression that turns a Go value into what json.Marshal
// writes as the schema wants it: structs through their encoders, nil lists and
// maps as empty ones.
func (g *generator) encode(t *typ, x string) string {
	switch t.kind {
	case kindString, kindInt, kindFloat, kindBool, kindAny:
		return x
	}
	return g.container(t) + "(" + x + ")"
}

// container returns the name of the function that encodes a struct, list or
// map type, and queues its text.
func (g *generator) container(t *typ) string {
	if t.kind == kindStruct && !t.pointer {
		if t.object.union {
			return g.encodeUnion(t.object, t.object.decl.name)
		}
		return g.encoder(t.object, t.object.decl.name)
	}
	name := "encode_" + g.mangle(t)
	if g.encoders[name] {
		return name
	}
	g.encoders[name] = true
	g.queue = append(g.queue, func() {
		gt := g.typ(t)
		body := ""
		switch {
		case t.pointer:
			inner := *t
			inner.pointer = false
			body = fmt.Sprintf("if v == nil {\nreturn nil\n}\nreturn %s\n", g.encode(&inner, "*v"))
		case t.kind == kindList && simple(t.elem):
			body = fmt.Sprintf("if v == nil {\nreturn %s{}\n}\nreturn v\n", gt)
		case t.kind == kindList:
			body = fmt.Sprintf("out := make([]any, len(v))\nfor i := range v {\nout[i] = %s\n}\nreturn out\n", g.encode(t.elem, "v[i]"))
		case simple(t.elem):
			body = fmt.Sprintf("if v == nil {\nreturn %s{}\n}\nreturn v\n", gt)
		default:
			body = fmt.Sprintf("out := make(map[string]any, len(v))\nfor k, x := range v {\nout[k] = %s\n}\nreturn out\n", g.encode(t.elem, "x"))
		}
		g.f("func %s(v %s) any {\n%s}\n\n", name, gt, body)
	})
	return name
}

func simple(t *typ) bool { return !t.pointer && t.kind <= kindBool }

// mangle is a type as part of a function's name. Structs stand with the name
// of their own object, since two objects of one shape may encode differently.
func (g *generator) mangle(t *typ) string {
	s := ""
	switch t.kind {
	case kindList:
		s = "list_" + g.mangle(t.elem)
	case kindMap:
		s = "map_" + g.mangle(t.elem)
	case kindStruct:
		s = t.object.name
	default:
		s = g.typ(t)
	}
	if t.pointer {
		s = "ptr_" + s
	}
	return s
}
