package generate

import (
	"fmt"
	"strconv"
	"strings"
)

type kind int

const (
	boolean kind = iota
	integer
	float
	text
	slice
	array
	mapping
	pointer
	structure
	iface // with methods
	empty // any
	failure
	function
)

// A typ is a type of the generated program.
type typ struct {
	text      string
	kind      kind
	bits      int // of an integer; 0 for int and uint
	unsigned  bool
	key, elem *typ
	length    int
	fields    []field
	methods   []method
	impls     []*typ // of an interface: the types that implement it
	declared  bool
	stringer  bool // has String or Error with a value receiver
}

type field struct {
	name     string
	typ      *typ
	embedded bool
}

type method struct {
	name    string
	params  []*typ
	result  *typ
	pointer bool // has a pointer receiver
}

var basics = []*typ{
	{text: "int", kind: integer}, {text: "int", kind: integer}, {text: "string", kind: text}, {text: "bool", kind: boolean},
	{text: "float64", kind: float},
	{text: "int8", kind: integer, bits: 8}, {text: "uint8", kind: integer, bits: 8, unsigned: true},
	{text: "int16", kind: integer, bits: 16}, {text: "uint32", kind: integer, bits: 32, unsigned: true},
	{text: "rune", kind: integer, bits: 32}, {text: "uint64", kind: integer, bits: 64, unsigned: true},
	{text: "uint", kind: integer, unsigned: true}, {text: "int64", kind: integer, bits: 64},
	{text: "byte", kind: integer, bits: 8, unsigned: true}, {text: "float32", kind: float},
}

// typed returns the type with a text: a basic or declared type, or a composite of them.
func (g *program) typed(s string) *typ {
	if t := g.types[s]; t != nil {
		return t
	}
	t := g.parse(s)
	g.types[s] = t
	return t
}

func (g *program) parse(s string) *typ {
	for _, b := range basics {
		if b.text == s {
			return b
		}
	}
	switch {
	case s == "any":
		return &typ{text: s, kind: empty}
	case s == "error":
		return &typ{text: s, kind: failure}
	case strings.HasPrefix(s, "[]"):
		return &typ{text: s, kind: slice, elem: g.typed(s[2:])}
	case strings.HasPrefix(s, "*"):
		return &typ{text: s, kind: pointer, elem: g.typed(s[1:])}
	case strings.HasPrefix(s, "["):
		n, elem, _ := strings.Cut(s[1:], "]")
		length, _ := strconv.Atoi(n)
		return &typ{text: s, kind: array, length: length, elem: g.typed(elem)}
	case strings.HasPrefix(s, "map["):
		key, elem, _ := strings.Cut(s[4:], "]") // a key is neither a slice nor a map; an array key is a named type
		return &typ{text: s, kind: mapping, key: g.typed(key), elem: g.typed(elem)}
	}
	panic(fmt.Sprintf("unknown type %q", s))
}

// typ returns a random type of a class: any, comparable, printable, or plain, which is
// printable inside another type too.
func (g *program) typ(which string, depth int) *typ {
	for range 50 {
		t := g.randomType(depth)
		if which == "comparable" && !t.comparable() || which == "printable" && !t.printable() || which == "plain" && !t.prints(false) {
			continue
		}
		return t
	}
	return g.typed("int")
}

func (g *program) randomType(depth int) *typ {
	if depth > 0 {
		switch g.IntN(10) {
		case 0, 1:
			return g.typed("[]" + g.randomType(depth-1).text)
		case 2:
			if g.on("array") {
				return g.typed(fmt.Sprintf("[%d]%s", 1+g.IntN(3), g.randomType(depth-1).text))
			}
		case 3:
			if k := g.randomType(0); g.on("map") && k.keyable() {
				return g.typed("map[" + k.text + "]" + g.randomType(depth-1).text)
			}
		case 4:
			if t := g.randomType(0); g.on("pointer") && t.kind == structure {
				return g.typed("*" + t.text)
			}
		case 5:
			if g.on("any") {
				return g.typed(pick(g, []string{"any", "error"}))
			}
		}
	}
	if len(g.named) > 0 && g.chance(45) {
		return pick(g, g.named)
	}
	t := pick(g, basics)
	if t.kind == float && !g.on("float") || t.bits != 0 && !g.on("narrow") {
		return g.typed("int")
	}
	return g.typed(t.text)
}

// comparable reports whether == compiles and cannot panic.
func (t *typ) comparable() bool {
	switch t.kind {
	case slice, mapping, function, iface, empty:
		return false
	case array:
		return t.elem.comparable()
	case structure:
		for _, f := range t.fields {
			if !f.typ.comparable() {
				return false
			}
		}
	}
	return true
}

// keyable reports whether a map with such keys always prints in the same order.
func (t *typ) keyable() bool {
	switch t.kind {
	case integer, text, boolean:
		return true
	case structure:
		for _, f := range t.fields {
			if !f.typ.keyable() {
				return false
			}
		}
		return true
	}
	return false
}

// printable reports whether fmt prints no address for any value of the type in the program.
func (t *typ) printable() bool { return t.prints(true) }

func (t *typ) prints(top bool) bool {
	switch t.kind {
	case pointer:
		return top && t.elem.prints(false)
	case function, iface:
		return false
	case slice, array:
		return t.elem.prints(false)
	case mapping:
		return t.key.prints(false) && t.elem.prints(false)
	case structure:
		for _, f := range t.fields {
			if !f.typ.prints(false) {
				return false
			}
		}
	case failure:
		return top // it may contain a pointer in an unexported field
	}
	return true
}

// shared reports whether a copy shares memory with the original.
func (t *typ) shared() bool {
	switch t.kind {
	case slice, mapping, pointer, function, iface, empty, failure:
		return true
	case array:
		return t.elem.shared()
	case structure:
		for _, f := range t.fields {
			if f.typ.shared() {
				return true
			}
		}
	}
	return false
}

// declareTypes declares a few types, each from those before it.
func (g *program) declareTypes() {
	for range g.IntN(5) {
		switch g.IntN(5) {
		case 0, 1:
			g.declareStruct()
		case 2:
			g.declareNamed()
		case 3:
			if g.on("interface") {
				g.declareInterface()
			}
		default:
			g.declareStruct()
		}
	}
}

func (g *program) declareNamed() {
	under := g.randomType(1)
	for under.declared || under.kind == pointer || under.kind == empty || under.kind == failure {
		under = g.randomType(1)
	}
	t := *under
	t.text, t.declared, t.methods = g.fresh("N"), true, nil
	fmt.Fprintf(&g.decls, "type %s %s\n", t.text, under.text)
	g.finish(&t)
}

func (g *program) declareStruct() {
	t := &typ{text: g.fresh("S"), kind: structure, declared: true}
	fmt.Fprintf(&g.decls, "type %s struct {\n", t.text)
	embedded := map[string]bool{}
	for i := range 1 + g.IntN(4) {
		f := field{name: fmt.Sprint("F", i), typ: g.randomType(1)}
		if g.on("unexported") && g.chance(30) {
			f.name = fmt.Sprint("f", i)
		}
		if f.typ.declared && f.typ.kind != iface && g.on("embed") && g.chance(40) && !embedded[f.typ.text] {
			embedded[f.typ.text] = true
			f.name, f.embedded = f.typ.text, true
			fmt.Fprintln(&g.decls, f.typ.text)
		} else {
			fmt.Fprintln(&g.decls, f.name, f.typ.text)
		}
		t.fields = append(t.fields, f)
	}
	fmt.Fprintln(&g.decls, "}")
	g.finish(t)
}

// finish registers a declared type and declares its methods.
func (g *program) finish(t *typ) {
	g.types[t.text] = t
	g.named = append(g.named, t)
	if g.on("stringer") && g.chance(35) && !t.hasString() {
		t.stringer = true
		name := pick(g, []string{"String", "String", "Error"})
		fmt.Fprintf(&g.decls, "func (x %s) %s() string { return %s }\n", t.text, name, g.describe(t))
	}
	if !g.on("method") {
		return
	}
	for range g.IntN(3) {
		m := method{name: fmt.Sprint("M", g.IntN(3)), result: g.randomType(1), pointer: g.chance(40)}
		if t.method(m.name) {
			continue
		}
		for range g.IntN(3) {
			m.params = append(m.params, g.randomType(1))
		}
		g.declareMethod(t, m)
	}
}

// describe returns a string expression that depends on x without formatting x itself.
func (g *program) describe(t *typ) string {
	switch t.kind {
	case integer:
		return fmt.Sprintf(`fmt.Sprintf("<%s %%d>", int64(x))`, t.text)
	case text:
		return fmt.Sprintf(`"<%s " + string(x) + ">"`, t.text)
	case slice, mapping:
		return fmt.Sprintf(`fmt.Sprint("<%s ", len(x), ">")`, t.text)
	case structure:
		if f := pick(g, t.fields); f.typ.printable() {
			return fmt.Sprintf(`fmt.Sprint("<%s ", x.%s, ">")`, t.text, f.name)
		}
	}
	return fmt.Sprintf(`"<%s>"`, t.text)
}

// hasString reports whether the type declares String or Error, or promotes one.
func (t *typ) hasString() bool {
	for _, f := range t.fields {
		if f.embedded && (f.typ.stringer || f.typ.hasString()) {
			return true
		}
	}
	return t.stringer
}

func (t *typ) method(name string) bool {
	for _, m := range t.methods {
		if m.name == name {
			return true
		}
	}
	return false
}

// declareInterface declares an interface with one method, and two types that implement it.
func (g *program) declareInterface() {
	t := &typ{text: g.fresh("I"), kind: iface, declared: true}
	m := method{name: "Do" + t.text, result: g.randomType(1)}
	if g.chance(60) {
		m.params = []*typ{g.randomType(1)}
	}
	t.methods = []method{m}
	g.types[t.text] = t
	fmt.Fprintf(&g.decls, "type %s interface { %s(%s) %s }\n", t.text, m.name, list(m.params), m.result.text)
	for range 1 + g.IntN(2) {
		impl := &typ{text: g.fresh("T"), kind: structure, declared: true, fields: []field{{name: "V", typ: g.randomType(1)}}}
		if g.chance(30) {
			u := g.typed(pick(g, []string{"int", "string", "[]int"}))
			c := *u
			impl, c.text, c.declared = &c, impl.text, true
			fmt.Fprintf(&g.decls, "type %s %s\n", impl.text, u.text)
		} else {
			fmt.Fprintf(&g.decls, "type %s struct { V %s }\n", impl.text, impl.fields[0].typ.text)
		}
		g.types[impl.text] = impl
		m.pointer = impl.kind == structure && g.chance(40)
		g.declareMethod(impl, m)
		if m.pointer {
			impl = g.typed("*" + impl.text)
		} else {
			g.named = append(g.named, impl)
		}
		t.impls = append(t.impls, impl)
	}
	g.named = append(g.named, t)
}

func list(types []*typ) string {
	var out []string
	for _, t := range types {
		out = append(out, t.text)
	}
	return strings.Join(out, ", ")
}
