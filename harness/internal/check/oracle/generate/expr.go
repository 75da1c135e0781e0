package generate

import (
	"fmt"
	"strconv"
	"strings"
)

// A variable is a variable that expressions may read.
type variable struct {
	name  string
	typ   *typ
	fixed bool // may not be assigned
	own   bool // owns its value, so changes are not visible elsewhere
}

func (g *program) declare(name string, t *typ) {
	g.scope = append(g.scope, variable{name: name, typ: t})
}

// visible returns the wanted variables that are not shadowed.
func (g *program) visible(want func(variable) bool) []variable {
	var out []variable
	seen := map[string]bool{}
	for i := len(g.scope) - 1; i >= 0; i-- {
		v := g.scope[i]
		if !seen[v.name] && want(v) {
			out = append(out, v)
		}
		seen[v.name] = true
	}
	return out
}

// expr returns an expression of type t, possibly a constant.
func (g *program) expr(t *typ, depth int) string {
	if depth <= 0 || g.chance(25) {
		if g.chance(60) {
			if s := g.path(t); s != "" {
				return s
			}
		}
		return g.literal(t, depth)
	}
	return g.variable(t, depth)
}

// variable returns a non-constant expression of type t.
func (g *program) variable(t *typ, depth int) string {
	if depth <= 0 || g.chance(35) {
		if s := g.path(t); s != "" {
			return s
		}
	}
	if depth <= 0 {
		return "id[" + t.text + "](" + g.literal(t, 0) + ")"
	}
	if g.chance(55) {
		if s := g.operation(t, depth-1); s != "" {
			return s
		}
	}
	return g.wrapped(t, depth-1)
}

// path returns a variable, field or element of type t, or "".
func (g *program) path(t *typ) string {
	var found []string
	for _, v := range g.visible(func(variable) bool { return true }) {
		g.paths(&found, v.name, v.typ, t, 2)
	}
	if len(found) == 0 {
		return ""
	}
	return pick(g, found)
}

func (g *program) paths(found *[]string, path string, have, want *typ, depth int) {
	if have.text == want.text {
		*found = append(*found, path)
	}
	if depth == 0 {
		return
	}
	switch have.kind {
	case structure:
		for _, f := range have.fields {
			g.paths(found, path+"."+f.name, f.typ, want, depth-1)
		}
	case array:
		g.paths(found, path+"["+strconv.Itoa(g.IntN(have.length))+"]", have.elem, want, depth-1)
	}
}

// wrapped returns an expression of type t from a construct that works for every type.
func (g *program) wrapped(t *typ, depth int) string {
	for range 8 {
		switch g.IntN(10) {
		case 0, 1:
			if s := g.call(t, depth); s != "" {
				return s
			}
		case 2:
			if g.on("trace") && t.printable() && t.kind != failure && t.kind != empty && t.kind != pointer {
				return fmt.Sprintf("tr[%s](%q, %s)", t.text, g.fresh("t"), g.expr(t, depth))
			}
		case 3:
			if g.on("generic") {
				return fmt.Sprintf("either[%s](%s, %s, %s)", t.text, g.expr(g.typed("bool"), depth), g.expr(t, depth), g.expr(t, depth))
			}
		case 4:
			if g.on("closure") {
				return fmt.Sprintf("func() %s { return %s }()", t.text, g.expr(t, depth))
			}
		case 5:
			return fmt.Sprintf("[]%s{%s, %s}[%s]", t.text, g.expr(t, depth), g.expr(t, depth), pick(g, []string{"0", "1"}))
		case 6:
			if g.on("map") {
				return fmt.Sprintf("map[string]%s{%q: %s}[%q]", t.text, "a", g.expr(t, depth), pick(g, []string{"a", "b"}))
			}
		case 7:
			if g.on("pointer") {
				return fmt.Sprintf("(*new(%s(%s)))", conv(t), g.expr(t, depth))
			}
		case 8:
			if g.on("any") && t.kind != empty && t.kind != iface && t.kind != failure {
				return fmt.Sprintf("any(%s(%s)).(%s)", conv(t), g.variable(t, depth), t.text)
			}
		case 9:
			if g.on("interface") && t.kind != pointer {
				return fmt.Sprintf("struct{ v %s; n int }{v: %s}.v", t.text, g.expr(t, depth))
			}
		}
	}
	return "id[" + t.text + "](" + g.expr(t, depth) + ")"
}

// conv returns a type's text, in parentheses if a conversion needs them.
func conv(t *typ) string {
	if strings.HasPrefix(t.text, "*") {
		return "(" + t.text + ")"
	}
	return t.text
}

// operation returns an operation that results in type t, or "".
func (g *program) operation(t *typ, depth int) string {
	switch t.kind {
	case integer:
		return g.arithmetic(t, depth)
	case float:
		switch g.IntN(4) {
		case 0:
			return fmt.Sprintf("%s(%s)", t.text, g.variable(g.typed(pick(g, []string{"int8", "uint8"})), depth))
		case 1:
			return fmt.Sprintf("max(%s, %s)", g.variable(t, depth), g.expr(t, depth))
		}
		return fmt.Sprintf("(%s %s %s)", g.variable(t, depth), pick(g, []string{"+", "-", "*", "/"}), g.variable(t, depth))
	case text:
		return g.text(t, depth)
	case boolean:
		return g.condition(t, depth)
	case slice:
		switch g.IntN(4) {
		case 0:
			return fmt.Sprintf("append(%s(nil), %s, %s)", conv(t), g.expr(t.elem, depth), g.expr(t.elem, depth))
		case 1:
			x := g.variable(t, depth)
			return fmt.Sprintf("append(%s(nil), %s...)", conv(t), x)
		case 2:
			if s := g.path(t); s != "" {
				return fmt.Sprintf("%s[min(1, len(%s)):]", s, s)
			}
		}
		return fmt.Sprintf("make(%s, %d)", t.text, g.IntN(3))
	case mapping:
		return fmt.Sprintf("%s(nil)", conv(t))
	}
	return ""
}

func (g *program) arithmetic(t *typ, depth int) string {
	a := g.variable(t, depth)
	switch g.IntN(12) {
	case 0, 1, 2, 3:
		return fmt.Sprintf("(%s %s %s)", a, pick(g, []string{"+", "-", "*", "&", "|", "^", "&^"}), g.expr(t, depth))
	case 4:
		return fmt.Sprintf("(%s %s (%s | 1))", a, pick(g, []string{"/", "%"}), g.variable(t, depth))
	case 5:
		return fmt.Sprintf("(%s %s (%s %s %d))", a, pick(g, []string{"<<", ">>"}), g.variable(g.typed("uint8"), depth), pick(g, []string{"&", "%"}), 15+g.IntN(60))
	case 6:
		return fmt.Sprintf("(%s%s)", pick(g, []string{"-", "^", "+"}), a)
	case 7:
		other := g.typed(pick(g, basics).text)
		if other.kind != integer || !g.on("narrow") {
			other = g.typed("int")
		}
		return fmt.Sprintf("%s(%s)", t.text, g.variable(other, depth))
	case 8:
		return fmt.Sprintf("%s(len(%s))", t.text, g.variable(g.typed(pick(g, []string{"string", "[]int", "[]string"})), depth))
	case 9:
		return fmt.Sprintf("%s(%s, %s)", pick(g, []string{"min", "max"}), a, g.expr(t, depth))
	case 10:
		if g.on("trace") {
			return fmt.Sprintf("%s(%s)", t.text, pick(g, []string{"next()", "count()"}))
		}
	}
	return fmt.Sprintf("(%s + %s)", a, g.expr(t, depth))
}

func (g *program) text(t *typ, depth int) string {
	a := g.variable(t, depth)
	switch g.IntN(8) {
	case 0:
		return fmt.Sprintf("%s(strconv.Itoa(%s))", t.text, g.expr(g.typed("int"), depth))
	case 1:
		if p := g.typ("printable", 1); p.kind != pointer {
			return fmt.Sprintf("%s(fmt.Sprint(%s))", t.text, g.expr(p, depth))
		}
	case 2:
		return fmt.Sprintf("%s([]byte(%s))", t.text, a)
	case 3:
		return fmt.Sprintf("%s(strings.%s(string(%s)))", t.text, pick(g, []string{"ToUpper", "TrimSpace", "ToLower"}), a)
	case 4:
		return fmt.Sprintf("%s(%s(%s))", t.text, pick(g, []string{"strings.ToTitle", "strconv.Quote"}), "string("+a+")")
	case 5:
		if s := g.path(t); s != "" {
			return fmt.Sprintf("%s[min(1, len(%s)):]", s, s)
		}
	}
	return fmt.Sprintf("(%s + %s)", a, g.expr(t, depth))
}

func (g *program) condition(t *typ, depth int) string {
	if g.chance(40) {
		op := pick(g, []string{"&&", "||"})
		s := fmt.Sprintf("(%s %s %s)", g.variable(t, depth), op, g.expr(t, depth))
		if g.chance(30) {
			s = "(!" + s + ")"
		}
		return s
	}
	of := g.typ("comparable", 1)
	ops := []string{"==", "!="}
	if of.kind == integer || of.kind == text {
		ops = append(ops, "<", "<=", ">", ">=")
	}
	if of.kind == structure || of.kind == array || of.kind == failure || of.kind == pointer {
		of = g.typed("int")
		ops = []string{"<", ">="}
	}
	s := fmt.Sprintf("(%s %s %s)", g.variable(of, depth), pick(g, ops), g.expr(of, depth))
	if t.declared {
		s = t.text + s
	}
	return s
}

// call returns a call that results in t, or "".
func (g *program) call(t *typ, depth int) string {
	var found []func() string
	for _, f := range g.funcs {
		if len(f.results) == 1 && f.results[0].text == t.text {
			found = append(found, func() string { return f.name + "(" + g.args(f.params, depth) + ")" })
		}
	}
	for _, n := range g.named {
		for _, m := range n.methods {
			if m.result.text != t.text {
				continue
			}
			switch {
			case n.kind == iface:
				found = append(found, func() string { return g.literal(n, depth) + "." + m.name + "(" + g.args(m.params, depth) + ")" })
			case m.pointer:
				found = append(found, func() string {
					return "(&" + g.literal(n, 0) + ")." + m.name + "(" + g.args(m.params, depth) + ")"
				})
				if n.kind != structure && n.kind != slice && n.kind != array && n.kind != mapping {
					found = found[:len(found)-1] // its literals have no address
				}
			default:
				found = append(found, func() string {
					return g.variable(n, depth) + "." + m.name + "(" + g.args(m.params, depth) + ")"
				})
			}
		}
	}
	if len(found) == 0 {
		return ""
	}
	return pick(g, found)()
}

func (g *program) args(params []*typ, depth int) string {
	var out []string
	for _, p := range params {
		out = append(out, g.expr(p, depth))
	}
	return strings.Join(out, ", ")
}

var words = []string{"", "a", "go", "x y", "häß", "日本", "a,b", "Q\\\"q", "%d", "<&>", "0", "tab\\t"}

// literal returns a literal of type t, whose elements may be nested expressions.
func (g *program) literal(t *typ, depth int) string {
	switch t.kind {
	case integer:
		n := g.IntN(20)
		if g.chance(10) {
			n = []int{127, 100, 64, 63, 31}[g.IntN(5)]
		}
		return fmt.Sprintf("%s(%d)", t.text, n)
	case float:
		return t.text + "(" + pick(g, []string{"0.5", "1", "2.25", "-3", "1e3", "100.125"}) + ")"
	case text:
		return t.text + "(\"" + pick(g, words) + "\")"
	case boolean:
		return t.text + "(" + pick(g, []string{"true", "false"}) + ")"
	case slice:
		if !t.declared && g.chance(10) {
			return conv(t) + "(nil)"
		}
		return t.text + "{" + g.several(t.elem, g.IntN(4), depth) + "}"
	case array:
		return t.text + "{" + g.several(t.elem, g.IntN(t.length+1), depth) + "}"
	case mapping:
		return t.text + "{" + g.entries(t, depth) + "}"
	case pointer:
		return "&" + g.literal(t.elem, depth)
	case structure:
		return g.composite(t, depth)
	case iface:
		if len(t.impls) == 0 {
			return t.text + "(nil)"
		}
		return t.text + "(" + g.literal(pick(g, t.impls), depth) + ")"
	case empty:
		return g.dynamic(depth)
	case failure:
		switch g.IntN(4) {
		case 0:
			return "error(nil)"
		case 1:
			return fmt.Sprintf("fmt.Errorf(\"w: %%w\", %s)", "errors.New(\"inner\")")
		}
		return fmt.Sprintf("errors.New(%q)", g.fresh("e"))
	}
	panic("no literal of " + t.text)
}

// dynamic returns an expression of type any. At depth 0 it contains no struct, because that may
// contain an any in turn.
func (g *program) dynamic(depth int) string {
	if depth < 0 {
		return "any(" + g.literal(g.typed(pick(g, basics).text), 0) + ")"
	}
	for range 10 {
		t := g.typ("printable", 1)
		if t.kind != pointer && t.kind != empty && t.kind != failure {
			return "any(" + g.expr(t, depth-1) + ")"
		}
	}
	return "any(nil)"
}

func (g *program) several(t *typ, n, depth int) string {
	var out []string
	for range n {
		out = append(out, g.expr(t, depth-1))
	}
	return strings.Join(out, ", ")
}

// entries returns map entries with distinct constant keys, as Go requires.
func (g *program) entries(t *typ, depth int) string {
	var out []string
	for i := range g.IntN(3) {
		var key string
		switch t.key.kind {
		case integer:
			key = strconv.Itoa(i*7 + 1)
		case text:
			key = strconv.Quote(fmt.Sprint("k", i))
		case boolean:
			key = strconv.FormatBool(i == 0)
		default:
			if i > 0 {
				return strings.Join(out, ", ")
			}
			key = g.literal(t.key, 0)
		}
		out = append(out, key+": "+g.expr(t.elem, depth-1))
	}
	return strings.Join(out, ", ")
}

func (g *program) composite(t *typ, depth int) string {
	keyed := g.chance(60)
	var out []string
	for _, f := range t.fields {
		if keyed && g.chance(25) {
			continue
		}
		s := g.expr(f.typ, depth-1)
		if keyed {
			s = f.name + ": " + s
		}
		out = append(out, s)
	}
	s := t.text + "{" + strings.Join(out, ", ") + "}"
	return s
}

func (g *program) zero(t *typ) string {
	switch t.kind {
	case integer, float:
		return "0"
	case text:
		return `""`
	case boolean:
		return "false"
	case structure, array:
		return t.text + "{}"
	}
	return "nil"
}
