package generate

import (
	"fmt"
	"strings"
)

// A fn is a function of the generated program for use in expressions. It changes nothing that
// its caller sees.
type fn struct {
	name    string
	params  []*typ
	results []*typ
	named   bool // its results have names
}

func (g *program) declareFunc() {
	f := &fn{name: g.fresh("f"), named: g.chance(40)}
	for range g.IntN(3) {
		f.params = append(f.params, g.randomType(1))
	}
	f.results = []*typ{g.randomType(1)}
	g.decls.WriteString("func " + f.name + g.signature(f, "") + "\n")
	g.funcs = append(g.funcs, f)
}

func (g *program) declareMethod(t *typ, m method) {
	receiver := "x"
	f := &fn{params: m.params, results: []*typ{m.result}, named: g.chance(30)}
	star, rest := "", ""
	if m.pointer {
		star = "*"
		if i := g.IntN(len(t.fields) + 1); t.kind == structure && i < len(t.fields) {
			rest = fmt.Sprintf("x.%s = %s\n", t.fields[i].name, g.literal(t.fields[i].typ, 1))
		}
	}
	fmt.Fprintf(&g.decls, "func (%s %s%s) %s%s\n", receiver, star, t.text, m.name, g.signature(f, rest, variable{name: receiver, typ: g.typed(star + t.text), fixed: true}))
	t.methods = append(t.methods, m)
}

// signature returns a function's declaration without its name.
func (g *program) signature(f *fn, first string, scope ...variable) string {
	var params []string
	for _, p := range f.params {
		v := variable{name: g.fresh("p"), typ: p, fixed: p.shared(), own: !p.shared()}
		scope = append(scope, v)
		params = append(params, v.name+" "+p.text)
	}
	results := f.results[0].text
	if f.named {
		results = "(r " + results + ")"
		scope = append(scope, variable{name: "r", typ: f.results[0]})
	}
	outer, loops, fn := g.scope, g.loops, g.fn
	g.scope, g.loops, g.fn = nil, nil, f
	body := g.block(3, 2, scope...)
	g.scope = scope
	last := f.leave(g)
	g.scope, g.loops, g.fn = outer, loops, fn
	return fmt.Sprintf("(%s) %s {\nstep()\n%s%s%s\n}", strings.Join(params, ", "), results, first, body, last)
}

// leave returns a return statement.
func (f *fn) leave(g *program) string {
	if f.named && g.chance(40) {
		return "return"
	}
	var out []string
	for _, t := range f.results {
		out = append(out, g.expr(t, 2))
	}
	return "return " + strings.Join(out, ", ")
}
