package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	rt "github.com/usetools/usetools/harness/internal/runtime"
)

// expr emits x in the erased form of its own type.
func (f *fn) expr(x ast.Expr) string {
	if tv := f.value(x); tv.Value != nil {
		return f.constant(tv.Value, f.subst(tv.Type), x)
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return f.expr(x.X)
	case *ast.Ident:
		return f.ident(x)
	case *ast.FuncLit:
		return f.closure(x)
	case *ast.CompositeLit:
		return f.composite(x, f.typeOf(x))
	case *ast.SelectorExpr:
		return f.selector(x)
	case *ast.IndexExpr:
		return f.index(x)
	case *ast.IndexListExpr:
		return f.function(x)
	case *ast.SliceExpr:
		return f.slice(x)
	case *ast.TypeAssertExpr:
		return f.hoist(f.assertion(x, false), f.p.typ(f.typeOf(x)))
	case *ast.CallExpr:
		return f.callValue(x)
	case *ast.StarExpr:
		return f.deref(x)
	case *ast.UnaryExpr:
		return f.unary(x)
	case *ast.BinaryExpr:
		return f.binary(x)
	}
	f.refuse(x, "the expression %T", x)
	return ""
}

func (f *fn) ident(x *ast.Ident) string {
	switch o := f.object(x).(type) {
	case *types.Var:
		if v, ok := f.vars[o]; ok {
			return v.text()
		}
		if name, ok := f.p.globals[o]; ok {
			return name
		}
		if isPackageVariable(o) { // imported with a dot
			return f.p.libraryVariable(o)
		}
		f.refuse(x, "the variable %s here (a bug in the harness)", o.Name())
	case *types.Func:
		return f.function(x)
	case *types.Nil:
		return f.p.null(f.typeOf(x))
	}
	f.refuse(x, "the identifier %s here", x.Name)
	return ""
}

// hoists reports whether emitting x writes statements at once. Values evaluated before must
// then be kept.
func (f *fn) hoists(x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			found = found || !f.value(n.Fun).IsType() && f.value(n).Value == nil
		case *ast.TypeAssertExpr, *ast.SliceExpr:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.BinaryExpr:
			found = found || (n.Op == token.LAND || n.Op == token.LOR) && f.value(n).Value == nil
		}
		return !found
	})
	return found
}

// noteCalls records the last call of a statement, or of the part of it that is emitted next.
// An operand that Go evaluates in order with calls can stay in a text if no call follows
// it.
func (f *fn) noteCalls(n ast.Node) {
	f.lastCall = token.NoPos
	if n == nil {
		return
	}
	ast.Inspect(n, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if tv := f.value(m.Fun); !tv.IsType() && !(tv.IsBuiltin() && inOrder[calledIdent(m.Fun).Name]) {
				f.lastCall = max(f.lastCall, m.Pos())
			}
		case *ast.UnaryExpr:
			if m.Op == token.ARROW {
				f.lastCall = max(f.lastCall, m.Pos())
			}
		}
		return true
	})
}

// inOrder are the builtins that only read variables at the point where they are evaluated.
var inOrder = map[string]bool{"len": true, "cap": true, "complex": true, "real": true, "imag": true, "min": true, "max": true, "make": true, "new": true}

// hoistBeforeCall evaluates a text now if a call follows it.
func (f *fn) hoistBeforeCall(x ast.Expr, text string, t types.Type) string {
	if x.Pos() >= f.lastCall {
		return text
	}
	return f.hoist(text, f.p.typ(t))
}

// operand is an expression and its required type. If the type is nil, the expression keeps
// its own.
type operand struct {
	x  ast.Expr
	to types.Type
}

// operands emits several expressions in order.
func (f *fn) operands(list ...operand) []string {
	out := make([]string, len(list))
	for i, o := range list {
		if o.to == nil {
			out[i] = f.expr(o.x)
		} else {
			out[i] = f.to(o.x, o.to)
		}
	}
	return out
}

func (f *fn) unary(x *ast.UnaryExpr) string {
	switch x.Op {
	case token.AND:
		return f.addressOf(x.X)
	case token.ARROW:
		// The interpreter could not set a value again that was received into an existing
		// variable.
		return f.hoistFresh(f.received(x.X, false), f.p.typ(f.typeOf(x)))
	}
	if x.Op == token.NOT {
		return negate(f.expr(x.X))
	}
	return "(" + x.Op.String() + f.expr(x.X) + ")"
}

// negate emits !x.
func negate(text string) string { return "(!" + text + ")" }

// channel evaluates a channel into a variable: the interpreter needs to see the channel
// type.
func (f *fn) channel(x ast.Expr) string {
	t := f.typeOf(x)
	return f.hoist(f.core(f.expr(x), t), f.p.typ(t.Underlying()))
}

// received emits a receive, with or without ok. Receives from timers are counted.
func (f *fn) received(x ast.Expr, ok bool) string {
	ch := f.channel(x)
	f.noteLine(x)
	return receive(ch, f.typeOf(x).Underlying().(*types.Chan).Elem(), ok)
}

func receive(ch string, elem types.Type, ok bool) string {
	switch n, _ := types.Unalias(elem).(*types.Named); {
	case n == nil || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != "time" || n.Obj().Name() != "Time":
		return "<-" + ch
	case ok:
		return "rt.ReceivedOK(" + ch + ")"
	}
	return "rt.Received(" + ch + ")"
}

func (f *fn) addressOf(x ast.Expr) string {
	switch y := ast.Unparen(x).(type) {
	case *ast.CompositeLit:
		return f.addressOfLiteral(y, f.typeOf(y))
	case *ast.Ident:
		if v, ok := f.vars[f.object(y)]; ok {
			return "(" + v.address() + ")"
		}
	case *ast.StarExpr: // &*p is p, unless that is nil
		pre, text := split(f.deref(y))
		return guarded(pre, strings.TrimSuffix(strings.TrimPrefix(text, "(*"), ")"))
	case *ast.SelectorExpr:
		f.writesField(y)
	}
	text := f.expr(x)
	if at, ok := strings.CutPrefix(text, "(*(&"); ok { // a variable of a library
		return "(&" + strings.TrimSuffix(at, "))") + ")"
	}
	return "(&" + text + ")"
}

// addressOfLiteral emits &T{...}, a pointer to a fresh variable.
func (f *fn) addressOfLiteral(c *ast.CompositeLit, t types.Type) string {
	_, isStruct := t.Underlying().(*types.Struct)
	f.addressed = isStruct // for other types the interpreter sets the variable of the previous evaluation
	before, v := split(f.composite(c, t))
	if !isSimple(v) || !isStruct {
		fresh := f.p.fresh("t")
		before, v = fmt.Sprintf("%svar %s %s = %s\n", before, fresh, f.p.typ(t), bare(v)), fresh
	}
	return guarded(before, "(&"+v+")")
}

// deref emits *p with a nil check. The interpreter may accept a nil pointer where the value
// is not used at once.
func (f *fn) deref(x *ast.StarExpr) string {
	return f.pointee(f.core(f.expr(x.X), f.typeOf(x.X)), f.typeOf(x.X))
}

// pointee emits the value that a pointer of type t points to.
func (f *fn) pointee(text string, t types.Type) string {
	pre, p := split(text)
	if !isName(p) {
		v, set := f.temp(f.p.typ(t.Underlying()), p)
		pre, p = pre+set, v
	}
	return guarded(pre+"if "+p+" == nil {\n"+f.lineText()+"rt.BadNil()\n}\n", "(*"+p+")")
}

// isSimple reports whether repeating the text costs nothing.
func isSimple(text string) bool {
	return !strings.ContainsAny(text, "()[]{}+-*/ ") || isNumber(text)
}

// isName reports whether the text is one identifier. The interpreter mistakes the type of
// *x.f for that of **x.f.
func isName(text string) bool { return isSimple(text) && !strings.Contains(text, ".") }

func isNumber(text string) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return text != ""
}

func (f *fn) binary(x *ast.BinaryExpr) string {
	switch x.Op {
	case token.EQL, token.NEQ:
		return f.comparison(x)
	case token.LAND, token.LOR:
		return f.logical(x)
	case token.SHL, token.SHR:
		left := f.to(x.X, f.typeOf(x))
		return "(" + left + " " + x.Op.String() + " " + f.shiftCount(x.Y) + ")"
	}
	t := f.typeOf(x)
	if x.Op == token.LSS || x.Op == token.GTR || x.Op == token.LEQ || x.Op == token.GEQ {
		t = f.typeOf(x.X)
	}
	o := f.operands(operand{x.X, t}, operand{x.Y, t})
	right := inner(o[1], x.Y, x.Op.Precedence()+1)
	if x.Op == token.QUO || x.Op == token.REM {
		right = f.divisor(right, x.Y, t)
	}
	return "(" + inner(o[0], x.X, x.Op.Precedence()) + " " + x.Op.String() + " " + right + ")"
}

// divisor emits y as the divisor of a value of type t. With several goroutines, a check
// reports the line of a division by zero, see noteLine.
func (f *fn) divisor(text string, y ast.Expr, t types.Type) string {
	if b, ok := t.Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger == 0 || f.value(y).Value != nil || !f.p.concurrent || !f.unit.script {
		return text
	}
	d, set := f.temp(f.p.typ(t), bare(text))
	return guarded(set+"if "+d+" == 0 {\n"+f.lineText()+"rt.BadDivisor()\n}\n", d)
}

// inner removes the parentheses of an operand that binds at least as tightly as precedence:
// they cost the interpreter a step.
func inner(text string, x ast.Expr, precedence int) string {
	if b, ok := ast.Unparen(x).(*ast.BinaryExpr); ok && b.Op.Precedence() >= precedence {
		return bare(text)
	}
	return text
}

func isUntyped(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsUntyped != 0
}

// logical emits && and || outside of conditions: the interpreter mixes up the branches when
// one is an operand.
func (f *fn) logical(x *ast.BinaryExpr) string {
	t := f.hoist(f.expr(x.X), "bool")
	first := t
	if x.Op == token.LOR {
		first = negate(t)
	}
	f.w("if %s {\n", first)
	f.w("%s = %s\n", t, f.expr(x.Y))
	f.w("}\n")
	return t
}

// condition emits a bool for an if or for statement. && and || are kept as long as their
// right sides are plain.
func (f *fn) condition(x ast.Expr) string {
	b, ok := ast.Unparen(x).(*ast.BinaryExpr)
	if !ok || b.Op != token.LAND && b.Op != token.LOR || f.value(b).Value != nil || f.hoists(b.Y) && !f.hoistsOnlyLogic(b.Y) {
		if u, ok := ast.Unparen(x).(*ast.UnaryExpr); ok && u.Op == token.NOT && f.value(u).Value == nil {
			return negate(f.condition(u.X))
		}
		return f.expr(x)
	}
	plain := true
	written := f.capture(func() { plain = !isGuarded(f.condition(b.Y)) })
	if written != "" || !plain {
		return f.logical(b)
	}
	left := f.condition(b.X)
	return "(" + left + " " + b.Op.String() + " " + f.condition(b.Y) + ")"
}

// hoistsOnlyLogic reports whether x would write statements only because of && and ||.
func (f *fn) hoistsOnlyLogic(x ast.Expr) bool {
	b, ok := ast.Unparen(x).(*ast.BinaryExpr)
	if !ok || b.Op != token.LAND && b.Op != token.LOR {
		return !f.hoists(x)
	}
	return f.hoistsOnlyLogic(b.X) && f.hoistsOnlyLogic(b.Y)
}

// side is one side of a comparison.
type side struct {
	text string
	typ  types.Type
	null bool // the literal nil
}

func (f *fn) comparison(x *ast.BinaryExpr) string {
	return f.equal(f.side(x.X, x.Y), f.side(x.Y, x.X), x.Op)
}

// side emits x for a comparison with other.
func (f *fn) side(x, other ast.Expr) side {
	if f.isNil(x) {
		return side{"nil", f.typeOf(other), true}
	}
	t := f.typeOf(x)
	return side{f.expr(x), types.Default(t), false}
}

// equal emits == or != with Go's rules for interfaces.
func (f *fn) equal(a, b side, op token.Token) string {
	wanted := func(text string) string {
		if op == token.NEQ {
			return negate(text)
		}
		return text
	}
	if a.null {
		a, b = b, a
	}
	if b.null {
		if isInterface(a.typ) && !f.p.keepsInterface(a.typ) {
			return wanted("rt.IsNil(" + a.text + ")")
		}
		return "(" + f.core(a.text, a.typ) + " " + op.String() + " nil)"
	}
	if isInterface(a.typ) || isInterface(b.typ) {
		return wanted("rt.Equal(" + f.convert(a.text, a.typ, anyType) + ", " + f.convert(b.text, b.typ, anyType) + ")")
	}
	switch a.typ.Underlying().(type) {
	case *types.Chan:
		return wanted("rt.Equal(rt.Channel(" + a.text + "), rt.Channel(" + b.text + "))")
	case *types.Struct, *types.Array:
		if f.p.needsBox(a.typ) && hasBlank(a.typ) {
			return wanted("rt.Equal(" + f.p.box(a.text, a.typ) + ", " + f.p.box(b.text, a.typ) + ")")
		}
		return wanted("rt.Equal(" + a.text + ", " + b.text + ")")
	}
	return "(" + a.text + " " + op.String() + " " + b.text + ")"
}

// hasBlank reports whether t has a field that == ignores but that its erased form compares.
func hasBlank(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return hasBlank(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if f := u.Field(i); f.Name() == "_" || rt.Invisible(f) || hasBlank(f.Type()) {
				return true
			}
		}
	}
	return false
}

// composite emits T{...}.
func (f *fn) composite(x *ast.CompositeLit, t types.Type) string {
	if ptr, ok := t.Underlying().(*types.Pointer); ok && x.Type == nil {
		return f.addressOfLiteral(x, ptr.Elem())
	}
	typ := f.p.typ(t)
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return f.structLiteral(x, t, u, typ)
	case *types.Map:
		return f.mapLiteral(x, t, u)
	case *types.Slice:
		return f.ofLibrary(f.refold(f.listLiteral(x, f.p.typ(u), u.Elem()), u, t), t)
	case *types.Array:
		return f.listLiteral(x, typ, u.Elem())
	}
	f.refuse(x, "a composite literal of type %s", typeName(t))
	return ""
}

// element emits an element of a composite literal, which may omit its own type.
func (f *fn) element(x ast.Expr, t types.Type) string {
	var text string
	if c, ok := x.(*ast.CompositeLit); ok && c.Type == nil {
		text = f.composite(c, t)
	} else {
		text = f.to(x, t)
	}
	return f.part(text, t)
}

// part makes a text usable as an element of a composite literal. There the interpreter
// mistakes an operand in parentheses, or one that contains (*p), for a type, and crashes on
// a field of an element.
func (f *fn) part(text string, t types.Type) string {
	before, text := split(bare(text))
	if !strings.HasPrefix(text, "(") && !strings.Contains(text, "(*") && !strings.Contains(text, "].") {
		return guarded(before, text)
	}
	v, set := f.temp(f.p.typ(t), text)
	return guarded(before+set, v)
}

func (f *fn) structLiteral(x *ast.CompositeLit, t types.Type, u *types.Struct, typ string) string {
	addressed := f.addressed
	f.addressed = false
	library := f.p.isLibrary(t)
	var parts []string
	for i, e := range x.Elts {
		field := i
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			field = fieldIndex(u, kv.Key.(*ast.Ident).Name)
			e = kv.Value
		}
		text := f.element(e, u.Field(field).Type())
		if u.Field(field).Name() == "_" { // stores nothing
			f.discard(text, u.Field(field).Type())
			continue
		}
		parts = append(parts, fieldName(u, field, library)+": "+text)
	}
	return f.literal(typ, append(parts, f.presence(x, u)...), addressed)
}

// literal gives a composite literal a variable of its own, just before the statement: as an
// operand or after return, the interpreter loses it.
func (f *fn) literal(typ string, parts []string, addressed bool) string {
	before, text := split(typ + "{" + strings.Join(parts, ", ") + "}")
	if addressed {
		t := f.p.fresh("t")
		return guarded(before+"var "+t+" "+typ+" = "+text+"\n", t)
	}
	t, set := f.temp(typ, text)
	return guarded(before+set, t)
}

func fieldIndex(u *types.Struct, name string) int {
	for i := range u.NumFields() {
		if u.Field(i).Name() == name {
			return i
		}
	}
	return -1
}

// mapLiteral fills the map entry by entry: keys of an interface type must be hashed by Go's
// rules, and a large literal would be a deep expression.
func (f *fn) mapLiteral(x *ast.CompositeLit, t types.Type, u *types.Map) string {
	typ := f.p.typ(u)
	m := f.hoist(fmt.Sprintf("make(%s, %d)", typ, len(x.Elts)), typ)
	for _, e := range x.Elts {
		kv := e.(*ast.KeyValueExpr)
		key := f.element(kv.Key, u.Key())
		value := f.element(kv.Value, u.Elem())
		if hasInterface(u.Key()) { // if it has no hash, the interpreter's message differs
			key = f.hoist(key, f.p.typ(u.Key()))
			f.w("rt.Key(%s)\n", key)
		}
		f.w("%s[%s] = %s\n", m, key, value)
	}
	return f.ofLibrary(f.refold(m, u, t), t)
}

// ofLibrary gives a new map or slice the library type t, which has methods:
// url.Values{…}.Encode().
func (f *fn) ofLibrary(text string, t types.Type) string {
	if !f.p.isLibrary(t) {
		return text
	}
	return f.hoist(text, f.p.typ(t))
}

// lookup emits a map, and a key to look up or delete in it.
func (f *fn) lookup(x, index ast.Expr) (m, k string) {
	t := f.typeOf(x)
	u := t.Underlying().(*types.Map)
	o := f.operands(operand{x, nil}, operand{index, u.Key()})
	return f.core(o[0], t), o[1]
}

func (f *fn) listLiteral(x *ast.CompositeLit, typ string, elem types.Type) string {
	addressed := f.addressed
	f.addressed = false
	var parts []string
	for _, e := range x.Elts {
		key := ""
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			key = constantText(f.value(kv.Key).Value, types.Typ[types.Int]) + ": "
			e = kv.Value
		}
		parts = append(parts, key+f.element(e, elem))
	}
	return f.literal(typ, parts, addressed)
}
