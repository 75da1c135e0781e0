package generate

import (
	"fmt"
	"strings"
)

// statements returns up to n statements for the current block. Their declarations stay in
// scope.
func (g *program) statements(n, depth int) string {
	var b strings.Builder
	for range 1 + g.IntN(n) {
		b.WriteString(g.statement(depth))
		b.WriteString("\n")
	}
	return b.String()
}

// block returns statements in a new block that ends by printing its variables.
func (g *program) block(n, depth int, inside ...variable) string {
	before := len(g.scope)
	g.scope = append(g.scope, inside...)
	s := g.statements(n, depth)
	var b strings.Builder
	b.WriteString(s)
	for _, v := range g.visible(func(variable) bool { return true }) {
		if g.index(v.name) >= before && (strings.HasPrefix(v.name, "v") && !strings.Contains(s, "_ = "+v.name+"\n")) {
			b.WriteString(g.show(v.name, v.typ) + "\n")
		}
	}
	g.scope = g.scope[:before]
	return b.String()
}

// index returns the index of the innermost variable of that name in the scope.
func (g *program) index(name string) int {
	for i := len(g.scope) - 1; i >= 0; i-- {
		if g.scope[i].name == name {
			return i
		}
	}
	return -1
}

func (g *program) statement(depth int) string {
	if depth <= 0 {
		return g.simple()
	}
	for range 10 {
		s := ""
		switch g.IntN(14) {
		case 0, 1, 2, 3:
			return g.simple()
		case 4:
			s = g.ifStatement(depth - 1)
		case 5, 6:
			s = g.loop(depth - 1)
		case 7:
			if g.on("switch") {
				s = g.switchStatement(depth - 1)
			}
		case 8:
			if g.on("closure") {
				s = g.closure(depth - 1)
			}
		case 9:
			s = g.exit()
		case 10:
			if g.on("defer") && g.fn != nil {
				s = g.deferred(depth - 1)
			}
		case 11:
			s = "{\n" + g.block(2, depth-1) + "}"
		case 12:
			if g.on("any") {
				s = g.typeSwitch(depth - 1)
			}
		case 13:
			s = g.mutation()
		}
		if s != "" {
			return s
		}
	}
	return g.simple()
}

// simple returns a declaration, an assignment, or a print statement.
func (g *program) simple() string {
	switch g.IntN(8) {
	case 0, 1, 2:
		return g.declaration()
	case 3, 4:
		if s := g.assignment(); s != "" {
			return s
		}
	case 5:
		if vars := g.visible(func(v variable) bool { return v.typ.printable() }); len(vars) > 0 {
			v := pick(g, vars)
			return g.show(v.name, v.typ)
		}
	case 6:
		t := g.typ("printable", 1)
		return g.show(g.expr(t, 2), t)
	}
	return g.declaration()
}

func (g *program) declaration() string {
	t := g.randomType(2)
	name := g.fresh("v")
	if vars := g.visible(func(v variable) bool { return strings.HasPrefix(v.name, "v") }); g.on("shadow") && len(vars) > 0 && g.chance(10) {
		if v := pick(g, vars); g.IntN(3) == 0 {
			// A shadowing variable needs a new block.
			s := fmt.Sprintf("{\n%s := %s\n%s\n}", v.name, g.variable(v.typ, 2), g.show(v.name, v.typ))
			return s
		}
	}
	own := !t.shared()
	var s string
	switch g.IntN(5) {
	case 0:
		s = fmt.Sprintf("var %s %s", name, t.text)
		own = true
	case 1:
		s = fmt.Sprintf("var %s %s = %s", name, t.text, g.expr(t, 2))
	case 2:
		u := g.randomType(1)
		other := g.fresh("v")
		s = fmt.Sprintf("var %s, %s = %s, %s\n_ = %s", name, other, g.literal(t, 2), g.variable(u, 2), other)
		g.scope = append(g.scope, variable{name: other, typ: u, own: !u.shared()})
	case 3:
		s = fmt.Sprintf("%s := %s", name, g.literal(t, 1))
		own = own || t.elem == nil || !t.elem.shared()
	default:
		s = fmt.Sprintf("%s := %s", name, g.variable(t, 2))
	}
	g.scope = append(g.scope, variable{name: name, typ: t, own: own})
	return s + "\n_ = " + name
}

func (g *program) assignment() string {
	vars := g.visible(func(v variable) bool { return !v.fixed })
	if len(vars) == 0 {
		return ""
	}
	v := pick(g, vars)
	switch {
	case v.typ.kind == integer && g.chance(50):
		if g.chance(30) {
			return v.name + pick(g, []string{"++", "--"})
		}
		return fmt.Sprintf("%s %s= %s", v.name, pick(g, []string{"+", "-", "*", "|", "^", "&"}), g.expr(v.typ, 2))
	case v.typ.kind == text && g.chance(50):
		// In a loop, s += s would grow without end.
		return fmt.Sprintf("if len(%s) < 1000 {\n%s += %s\n}", v.name, v.name, g.expr(v.typ, 1))
	case v.typ.kind == slice && v.own && g.chance(60):
		return fmt.Sprintf("%s = append(%s, %s)", v.name, v.name, g.expr(v.typ.elem, 2))
	}
	for _, w := range vars {
		if w.name != v.name && w.typ.text == v.typ.text && g.chance(50) {
			if v.typ.shared() {
				return ""
			}
			return fmt.Sprintf("%s, %s = %s, %s", v.name, w.name, w.name, g.expr(v.typ, 1))
		}
	}
	if v.own && v.typ.shared() {
		return "" // it would no longer own its value
	}
	return fmt.Sprintf("%s = %s", v.name, g.expr(v.typ, 2))
}

// mutation changes a part of a variable that owns it, or calls a method with a pointer
// receiver.
func (g *program) mutation() string {
	vars := g.visible(func(v variable) bool { return v.own && !v.fixed })
	if len(vars) == 0 {
		return ""
	}
	v := pick(g, vars)
	switch v.typ.kind {
	case slice:
		return fmt.Sprintf("if len(%[1]s) > 0 {\n%[1]s[len(%[1]s)-1] = %[2]s\n}", v.name, g.expr(v.typ.elem, 2))
	case array:
		return fmt.Sprintf("%s[%s] = %s", v.name, "uint("+g.variable(g.typed("int"), 1)+")%"+fmt.Sprint(v.typ.length), g.expr(v.typ.elem, 1))
	case mapping:
		if v.typ.key.kind == integer || v.typ.key.kind == text {
			return fmt.Sprintf("if %[1]s != nil {\n%[1]s[%[2]s] = %[3]s\n}", v.name, g.expr(v.typ.key, 1), g.expr(v.typ.elem, 2))
		}
	case structure:
		for _, m := range v.typ.methods {
			if m.pointer && g.chance(50) {
				return fmt.Sprintf("%s.%s(%s)", v.name, m.name, g.args(m.params, 1))
			}
		}
		f := pick(g, v.typ.fields)
		return fmt.Sprintf("%s.%s = %s", v.name, f.name, g.expr(f.typ, 2))
	}
	return ""
}

func (g *program) ifStatement(depth int) string {
	c := g.expr(g.typed("bool"), 2)
	s := "if " + c + " {\n" + g.block(2, depth) + "}"
	if g.chance(25) {
		t := g.typ("comparable", 0)
		name := g.fresh("v")
		in := variable{name: name, typ: t, own: !t.shared()}
		head := fmt.Sprintf("if %s := (%s); %s == %s && (%s) {\n", name, g.variable(t, 1), name, name, c)
		s = head + g.block(2, depth, in) + "}"
	}
	if g.chance(50) {
		s += " else {\n" + g.block(2, depth) + "}"
	}
	return s
}

// loop returns a loop of any kind. It burns fuel and may exit early.
func (g *program) loop(depth int) string {
	label := ""
	if g.on("label") && g.chance(30) {
		label = g.fresh("L")
	}
	head, vars := g.loopHead()
	outer := g.loops
	g.loops = append(append([]string(nil), g.loops...), label)
	body := g.block(3, depth, vars...)
	g.loops = outer
	for _, v := range vars {
		body = "_ = " + v.name + "\n" + body
	}
	s := head + " {\nstep()\n" + body + "}"
	if label != "" {
		if !strings.Contains(body, " "+label+"\n") {
			s = strings.Replace(s, "step()\n", "step()\nif fuel < 10 {\ncontinue "+label+"\n}\n", 1)
		}
		s = label + ":\n" + s
	}
	return s
}

func (g *program) loopHead() (string, []variable) {
	i, x := g.fresh("i"), g.fresh("x")
	index := variable{name: i, typ: g.typed("int"), fixed: true, own: true}
	n := 1 + g.IntN(3)
	switch g.IntN(8) {
	case 0:
		return fmt.Sprintf("for %s := 0; %s < %d; %s++", i, i, n, i), []variable{index}
	case 1:
		t := g.typed(pick(g, []string{"int", "uint8", "int64"}))
		if !g.on("narrow") {
			t = index.typ
		}
		index.typ = t
		return fmt.Sprintf("for %s := range %s(%d)", i, t.text, n), []variable{index}
	case 2:
		t := g.typed("[]" + g.randomType(1).text)
		in := variable{name: x, typ: t.elem, own: !t.elem.shared()}
		return fmt.Sprintf("for %s, %s := range (%s)", i, x, g.expr(t, 2)), []variable{index, in}
	case 3:
		in := variable{name: x, typ: g.typed("rune"), own: true}
		return fmt.Sprintf("for %s, %s := range (%s)", i, x, g.expr(g.typed("string"), 2)), []variable{index, in}
	case 4:
		if g.on("array") {
			t := g.typed(fmt.Sprintf("[%d]%s", n, g.randomType(0).text))
			in := variable{name: x, typ: t.elem, own: !t.elem.shared()}
			amp := pick(g, []string{"", "&"})
			if amp == "&" {
				return fmt.Sprintf("for %s, %s := range (&%s)", i, x, t.text+"{"+g.several(t.elem, n, 1)+"}"), []variable{index, in}
			}
			return fmt.Sprintf("for %s, %s := range (%s)", i, x, g.expr(t, 2)), []variable{index, in}
		}
	case 5:
		if g.on("rangefunc") {
			t := g.randomType(1)
			in := variable{name: x, typ: t, own: !t.shared()}
			seq := fmt.Sprintf("func(yield func(int, %[1]s) bool) {\nfor i, x := range []%[1]s{%[2]s} {\nif !yield(i, x) {\nreturn\n}\n}\n}", t.text, g.several(t, n, 1))
			return fmt.Sprintf("for %s, %s := range (%s)", i, x, seq), []variable{index, in}
		}
	case 6:
		if g.on("map") {
			t := g.typed("map[string]" + g.randomType(0).text)
			in := variable{name: x, typ: t.elem, own: !t.elem.shared()}
			return fmt.Sprintf("for _, %s := range (%s{\"only\": %s})", x, t.text, g.expr(t.elem, 1)), []variable{in}
		}
	}
	return fmt.Sprintf("for %s := range %d", i, n), []variable{index}
}

// exit returns a conditional exit from a loop or the function.
func (g *program) exit() string {
	c := g.variable(g.typed("bool"), 1)
	if len(g.loops) > 0 && g.chance(70) {
		to := ""
		if label := pick(g, g.loops); label != "" {
			to = " " + label
		}
		return "if " + c + " {\n" + pick(g, []string{"break", "continue"}) + to + "\n}"
	}
	if g.fn != nil {
		return "if " + c + " {\n" + g.fn.leave(g) + "\n}"
	}
	return ""
}

func (g *program) switchStatement(depth int) string {
	var b strings.Builder
	t := g.typed(pick(g, []string{"int", "string"}))
	tagged := g.chance(60)
	if tagged {
		fmt.Fprintf(&b, "switch %s {\n", g.variable(t, 2))
	} else {
		b.WriteString("switch {\n")
	}
	n := 1 + g.IntN(3)
	outer := g.loops
	g.loops = nil // break would leave the switch, and needs a label to leave the loop
	for i := range n {
		c := g.variable(g.typed("bool"), 1)
		if tagged {
			c = g.variable(t, 1)
			if g.chance(30) {
				c += ", " + g.variable(t, 1)
			}
		}
		fmt.Fprintf(&b, "case %s:\n%s", c, g.block(2, depth))
		if i < n-1 && g.chance(20) {
			b.WriteString("fallthrough\n")
		} else if g.chance(15) {
			b.WriteString("if " + g.variable(g.typed("bool"), 1) + " {\nbreak\n}\nfmt.Println(\"after break\")\n")
		} else if g.fn != nil && g.chance(40) {
			b.WriteString(g.fn.leave(g) + "\n")
		}
	}
	if g.chance(60) {
		b.WriteString("default:\n" + g.block(2, depth))
	}
	g.loops = outer
	return b.String() + "}"
}

func (g *program) typeSwitch(depth int) string {
	x := g.fresh("x")
	var b strings.Builder
	fmt.Fprintf(&b, "switch %s := (%s).(type) {\n", x, g.expr(g.typed("any"), 2))
	seen := map[string]bool{}
	outer := g.loops
	g.loops = nil
	for range 1 + g.IntN(3) {
		t := g.typ("printable", 1)
		if t.kind == empty || same(t.text, seen) {
			continue
		}
		in := variable{name: x, typ: t, own: !t.shared()}
		fmt.Fprintf(&b, "case %s:\n_ = %s\n%s\n%s", t.text, x, g.show(x, t), g.block(1, depth, in))
		if g.fn != nil && g.chance(40) {
			b.WriteString(g.fn.leave(g) + "\n")
		}
	}
	g.loops = outer
	fmt.Fprintf(&b, "default:\nfmt.Printf(\"other %%T\\n\", %s)\n}", x)
	return b.String()
}

// same reports whether a type was seen under any of its names.
func same(t string, seen map[string]bool) bool {
	t = strings.ReplaceAll(strings.ReplaceAll(t, "rune", "int32"), "byte", "uint8")
	if seen[t] {
		return true
	}
	seen[t] = true
	return false
}

// closure declares a function that changes a captured variable, and calls it in separate
// statements.
func (g *program) closure(depth int) string {
	name := g.fresh("c")
	f := &fn{name: name, params: []*typ{g.randomType(1)}, results: []*typ{g.typ("printable", 1)}}
	param := g.fresh("p")
	outer, loops := g.fn, g.loops
	g.fn, g.loops = f, nil
	body := g.block(2, depth, variable{name: param, typ: f.params[0], fixed: true})
	last := g.expr(f.results[0], 2)
	g.fn, g.loops = outer, loops
	var b strings.Builder
	fmt.Fprintf(&b, "%s := func(%s %s) %s {\nstep()\n%sreturn %s\n}\n", name, param, f.params[0].text, f.results[0].text, body, last)
	for range 1 + g.IntN(2) {
		v := g.fresh("v")
		fmt.Fprintf(&b, "%s := %s(%s)\n%s\n", v, name, g.args(f.params, 1), g.show(v, f.results[0]))
	}
	return strings.TrimRight(b.String(), "\n")
}

func (g *program) deferred(depth int) string {
	t := g.typ("printable", 1)
	switch g.IntN(3) {
	case 0:
		return fmt.Sprintf("defer fmt.Println(\"deferred\", %s)", g.expr(t, 2))
	case 1:
		p := g.fresh("p")
		return fmt.Sprintf("defer func(%s %s) {\n%s\n}(%s)", p, t.text, g.show(p, t), g.expr(t, 1))
	}
	outer, loops := g.fn, g.loops
	g.fn, g.loops = nil, nil
	s := fmt.Sprintf("defer func() {\n%s}()", g.block(2, depth))
	g.fn, g.loops = outer, loops
	return s
}

// show prints x in one of the ways that its type allows.
func (g *program) show(x string, t *typ) string {
	label := x
	if len(label) > 12 || strings.ContainsAny(label, "\"\\%\n") {
		label = g.fresh("s")
	}
	if t.printable() {
		verbs := []string{"%v", "%v", "%+v", "%T"}
		if t.kind != failure {
			verbs = append(verbs, "%#v")
		}
		switch t.kind {
		case integer:
			verbs = append(verbs, "%d", "%x", "%5d|", "%-4d|", "%b", "%+d", "%08b", "%o")
		case text:
			verbs = append(verbs, "%q", "%s", "%8s|", "%x", "%-6s|", "%.2s")
		case float:
			verbs = append(verbs, "%.2f", "%g", "%8.1f|", "%e")
		case slice, array:
			verbs = append(verbs, "%d", "%q", "%s", "%x", "%3v")
		case structure, mapping, empty:
			verbs = append(verbs, "%d", "%s", "%q")
		}
		if g.chance(40) {
			return fmt.Sprintf("fmt.Println(%q, %s)", label, x)
		}
		v := pick(g, verbs)
		return fmt.Sprintf("fmt.Printf(\"%s %s\\n\", %s)", label, v, x)
	}
	switch t.kind {
	case iface:
		if m := t.methods[0]; m.result.printable() {
			return fmt.Sprintf("if %[1]s != nil {\nfmt.Printf(\"%[2]s %%T %%v\\n\", %[1]s, %[1]s.%[3]s(%[4]s))\n}", x, label, m.name, g.args(m.params, 0))
		}
		return fmt.Sprintf("fmt.Printf(\"%s %%T\\n\", %s)", label, x)
	case slice, array, mapping:
		return fmt.Sprintf("fmt.Println(%q, len(%s))", label, x)
	case structure:
		for _, f := range t.fields {
			if f.typ.printable() {
				return fmt.Sprintf("fmt.Println(%q, (%s).%s)", label, x, f.name)
			}
		}
	}
	return "_ = " + x
}
