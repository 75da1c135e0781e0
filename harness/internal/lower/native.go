package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"strings"

	"github.com/usetools/usetools/harness/internal/native"
	"github.com/usetools/usetools/harness/internal/stdlib/source"
)

// A pure function that the library sorts by is also passed as an expression, from which
// package native makes a closure:
//
//	sort.Slice(a, func(i, j int) bool { return a[i] < a[j] })
//
//	if !rt.SortBy(0, rt.Raw(a_1), a_1) {
//		p_sort.Slice(a_1, make_2(a_1))
//	}
//
// 0 is the number of the expression. After the slice follow the variables that it reads. rt
// returns false and changes nothing if the interpreter must sort: the comparison panics, or
// has no closure.

// maxNativeCalls is the maximum depth of nested calls of script functions in an expression.
const maxNativeCalls = 4

// sorters maps the sorting functions of the library and of the harness's sources of it to
// the functions of rt that sort by an expression.
var sorters = map[string]string{
	"sort.Slice": "SortBy", "sort.SliceStable": "SortStableBy",
	"slices.SortFunc": "SortBy", "slices.SortStableFunc": "SortStableBy",
	"sort.Sort": "SortBy", "sort.Stable": "SortStableBy",
	"container/heap.order": "HeapOrder", "container/heap.fix": "HeapFix",
}

// sorted handles a call x of a sorter with a pure comparison. It emits the slice, and
// returns the call with a variable for the slice and the call of rt to try first. For other
// calls try is "".
func (f *fn) sorted(x *ast.CallExpr) (of *ast.CallExpr, try string) {
	id := calledIdent(x.Fun)
	if id == nil || f.usage == nil {
		return x, ""
	}
	fo, _ := f.use(id).(*types.Func)
	if fo == nil || len(x.Args) != fo.Signature().Params().Len() {
		return x, ""
	}
	symbol := sorters[strings.TrimPrefix(fo.FullName(), source.Prefix)]
	if symbol == "" {
		return x, ""
	}
	t := f.typeOf(x.Args[0])
	isHeap, ofPointer := source.Is(fo.Pkg()), isPointer(t)
	list := t
	if ofPointer && isHeap {
		list = deref(t)
	}
	_, isSlice := list.Underlying().(*types.Slice)
	if _, isFolded := folded(list); !isSlice || isFolded || isInterface(list) {
		return x, ""
	}
	d := &describer{f: f, unit: f.unit, env: f.env, out: &native.Func{}, vars: map[types.Object]*native.Expr{}}
	if !d.describe(x, fo, list) {
		return x, ""
	}
	number := len(f.p.out.Natives)
	f.p.out.Natives = append(f.p.out.Natives, d.out)

	args := append([]ast.Expr(nil), x.Args...)
	text := f.simple(f.operands(operand{x.Args[0], nil})[0], f.p.typ(t))
	args[0] = f.standIn(x, text, t)
	if ofPointer {
		text = f.hoist("(*"+text+")", f.p.typ(list))
	}
	passed := []string{fmt.Sprint(number), "rt.Raw(" + text + ")"}
	if isHeap {
		for i, a := range args[1:] {
			index := f.simple(f.operands(operand{a, types.Typ[types.Int]})[0], "int")
			args[i+1] = f.standIn(x, index, types.Typ[types.Int])
			passed = append(passed, index)
		}
	}
	if d.ofList {
		passed = append(passed, text)
	}
	passed = append(passed, d.captured...)
	return f.withArgs(x, args), "rt." + symbol + "(" + strings.Join(passed, ", ") + ")"
}

// A describer builds the expression of a comparison.
type describer struct {
	f        *fn
	unit     *unit
	env      env
	lit      *ast.FuncLit // the comparison, or nil if it is not a func literal
	out      *native.Func
	ofList   bool     // the first variable is the slice
	captured []string // arguments for the other variables
	// vars are the values of variables. A pure function changes no variable, so an
	// expression may be evaluated where the variable is used.
	vars  map[types.Object]*native.Expr
	calls int // nesting depth of calls of script functions
}

// describe builds the expression for call x of the sorter fo, of a slice of type list.
func (d *describer) describe(x *ast.CallExpr, fo *types.Func, list types.Type) (ok bool) {
	defer func() {
		if r := recover(); r == native.ErrUnfit {
			ok = false
		} else if r != nil {
			panic(r)
		}
	}()
	i, j, result := native.Index(0), native.Index(1), types.Type(types.Typ[types.Bool])
	switch compare := x.Args[len(x.Args)-1]; {
	case len(x.Args) == 1 || source.Is(fo.Pkg()):
		d.out.Body = d.method(list, i, j)
	case fo.Pkg().Path() == "sort":
		d.out.Body = d.argument(compare, result, i, j)
	default:
		result = types.Typ[types.Int]
		of := d.list(list)
		a, b := native.Elem(of, i), native.Elem(of, j)
		a.Fails, b.Fails = false, false // a sort passes valid indices
		d.out.Body = d.argument(compare, result, a, b)
	}
	native.Require(native.ClassOf(d.out.Body.Type) == native.ClassOf(result))
	return true
}

// list returns the expression of the slice, of type t, that the script sorts.
func (d *describer) list(t types.Type) *native.Expr {
	d.ofList = true
	return d.variable(t, false)
}

// argument returns a call of the function that x denotes.
func (d *describer) argument(x ast.Expr, result types.Type, args ...*native.Expr) *native.Expr {
	if d.lit = d.f.funcLit(x); d.lit != nil {
		return d.literal(d.lit, args)
	}
	id := calledIdent(x)
	native.Require(id != nil)
	fo, ok := d.f.use(id).(*types.Func)
	native.Require(ok)
	if r := fo.Signature().Recv(); r != nil { // t.Before, or T.Before promoted from an embedded type
		native.Require(len(args) == fo.Signature().Params().Len()+1 && types.Identical(r.Type(), args[0].Type))
	}
	return d.named(fo, result, args)
}

// method returns a call of the method Less of a slice of type t, whose methods Len and Swap
// are the usual ones.
func (d *describer) method(t types.Type, i, j *native.Expr) *native.Expr {
	var methods [3]*types.Func
	for i, name := range []string{"Len", "Swap", "Less"} {
		obj, path, _ := types.LookupFieldOrMethod(t, true, d.unit.pkg, name)
		m, ok := obj.(*types.Func)
		native.Require(ok && len(path) == 1 && d.f.p.decls[m] != nil && !d.f.p.isPlaced(m) && m.Signature().RecvTypeParams() == nil)
		methods[i] = m
	}
	native.Require(d.f.p.isUsual(methods[0], "len($)") && d.f.p.isUsual(methods[1], "$[1], $[2] = $[2], $[1]") && !takesAddress(methods[2]))
	return d.named(methods[2], types.Typ[types.Bool], []*native.Expr{d.list(t), i, j})
}

// isUsual reports whether the body of a method is the one statement text, with $ for its
// receiver and $1, $2 for its parameters.
func (p *program) isUsual(m *types.Func, text string) bool {
	decl, sig := p.decls[m], m.Signature()
	if decl.decl.Body == nil || len(decl.decl.Body.List) != 1 || decl.unit.pkg.Scope().Lookup("len") != nil {
		return false
	}
	names := []string{"$", sig.Recv().Name()}
	if isPointer(sig.Recv().Type()) {
		names[1] = "(*" + names[1] + ")"
	}
	for i := range sig.Params().Len() {
		names = append(names, fmt.Sprint(i+1), sig.Params().At(i).Name())
	}
	say := func(list []ast.Expr) string {
		var all []string
		for _, x := range list {
			all = append(all, types.ExprString(x))
		}
		return strings.Join(all, ", ")
	}
	got := ""
	switch s := decl.decl.Body.List[0].(type) {
	case *ast.ReturnStmt:
		got = say(s.Results)
	case *ast.AssignStmt:
		got = say(s.Lhs) + " " + s.Tok.String() + " " + say(s.Rhs)
	}
	return got == strings.NewReplacer(names...).Replace(text)
}

// funcLit returns the func literal that x is, or that the variable x always has. Otherwise
// it returns nil.
func (f *fn) funcLit(x ast.Expr) *ast.FuncLit {
	x = ast.Unparen(x)
	if id, ok := x.(*ast.Ident); ok {
		if v := f.use(id); f.usage.initial[v] != nil && !f.usage.mutable[v] {
			x = ast.Unparen(f.usage.initial[v])
		}
	}
	lit, _ := x.(*ast.FuncLit)
	return lit
}

func (d *describer) typeOf(x ast.Expr) types.Type { return d.f.p.subst(d.unit.info.TypeOf(x), d.env) }

// variable adds a variable of the script.
func (d *describer) variable(t types.Type, address bool) *native.Expr {
	d.out.Vars = append(d.out.Vars, native.Var{Type: t, Address: address})
	return native.Variable(len(d.out.Vars)-1, t)
}

// object returns the value of a variable.
func (d *describer) object(o types.Object) *native.Expr {
	if x := d.vars[o]; x != nil {
		return x
	}
	v, ok := o.(*types.Var)
	native.Require(ok)
	f, t := d.f, d.f.subst(v.Type())
	if name, ok := f.p.globals[v]; ok {
		d.vars[o] = d.variable(t, true)
		d.captured = append(d.captured, "&"+name)
		return d.vars[o]
	}
	at, ok := f.vars[v]
	native.Require(ok && d.lit != nil)
	address, text := f.usage.mutable[v] && !f.usage.isSettled(v, d.lit) || f.p.signedZero(t), at.text() // see enclose
	if address {
		text = at.address()
	}
	d.vars[o] = d.variable(t, address)
	d.captured = append(d.captured, text)
	return d.vars[o]
}

// let returns body, with a value for a variable of type t.
func (d *describer) let(o types.Object, t types.Type, value *native.Expr, body func() *native.Expr) *native.Expr {
	class := native.ClassOf(t)
	native.Require(class == native.ClassOf(value.Type) && (class != native.Place || value.IsNil || native.SameLayout(t, value.Type)))
	d.vars[o] = value
	return native.Before(value, body())
}

func unfit() *native.Expr { panic(native.ErrUnfit) }

// statements returns the value that the statements return. next builds the code that
// follows them.
func (d *describer) statements(list []ast.Stmt, next func() *native.Expr) *native.Expr {
	if len(list) == 0 {
		return next()
	}
	rest := func() *native.Expr { return d.statements(list[1:], next) }
	switch s := list[0].(type) {
	case *ast.ReturnStmt:
		if len(s.Results) == 1 {
			return d.expr(s.Results[0])
		}
	case *ast.BlockStmt:
		return d.statements(s.List, rest)
	case *ast.AssignStmt:
		return d.declare(s, 0, rest)
	case *ast.IfStmt:
		choose := func() *native.Expr {
			is, then := d.expr(s.Cond), d.statements(s.Body.List, rest)
			if s.Else == nil {
				return native.Cond(is, then, rest())
			}
			return native.Cond(is, then, d.statements([]ast.Stmt{s.Else}, rest))
		}
		if s.Init != nil {
			return d.statements([]ast.Stmt{s.Init}, choose)
		}
		return choose()
	case *ast.SwitchStmt:
		if s.Init == nil && s.Tag == nil {
			return d.cases(s.Body.List, rest)
		}
	}
	return unfit()
}

// declare returns rest with the variables of x, y := a, b from the i-th on.
func (d *describer) declare(s *ast.AssignStmt, i int, rest func() *native.Expr) *native.Expr {
	if i == len(s.Lhs) {
		return rest()
	}
	id, ok := s.Lhs[i].(*ast.Ident)
	native.Require(ok && s.Tok == token.DEFINE && len(s.Lhs) == len(s.Rhs) && d.unit.info.Defs[id] != nil)
	o := d.unit.info.Defs[id]
	return d.let(o, d.f.p.subst(o.Type(), d.env), d.expr(s.Rhs[i]), func() *native.Expr { return d.declare(s, i+1, rest) })
}

// cases returns the value of the clauses of a switch without a tag.
func (d *describer) cases(list []ast.Stmt, rest func() *native.Expr) *native.Expr {
	if len(list) == 0 {
		return rest()
	}
	c := list[0].(*ast.CaseClause)
	if c.List == nil {
		native.Require(len(list) == 1) // the default is the last
		return d.statements(c.Body, rest)
	}
	is := d.expr(c.List[0])
	for _, x := range c.List[1:] {
		is = native.Binary(token.LOR, types.Typ[types.Bool], is, d.expr(x))
	}
	return native.Cond(is, d.statements(c.Body, rest), d.cases(list[1:], rest))
}

// expr returns the value of an expression.
func (d *describer) expr(x ast.Expr) *native.Expr {
	x = ast.Unparen(x)
	if tv := d.unit.info.Types[x]; tv.Value != nil || tv.IsNil() {
		return native.Const(d.typeOf(x), tv.Value)
	}
	switch x := x.(type) {
	case *ast.Ident:
		return d.object(d.unit.info.Uses[x])
	case *ast.SelectorExpr:
		s := d.unit.info.Selections[x]
		if s == nil {
			return d.object(d.unit.info.Uses[x.Sel])
		}
		obj, path, _ := types.LookupFieldOrMethod(d.typeOf(x.X), true, d.unit.info.Uses[x.Sel].Pkg(), x.Sel.Name)
		_, ok := obj.(*types.Var)
		native.Require(ok)
		return fieldsOf(d.expr(x.X), path)
	case *ast.IndexExpr:
		native.Require(!d.unit.info.Types[x.Index].IsType())
		of := d.expr(x.X)
		if isPointer(of.Type) {
			of = native.Deref(of)
		}
		return native.Elem(of, d.expr(x.Index))
	case *ast.StarExpr:
		return native.Deref(d.expr(x.X))
	case *ast.UnaryExpr:
		return native.Unary(x.Op, d.expr(x.X))
	case *ast.BinaryExpr:
		return native.Binary(x.Op, d.typeOf(x), d.expr(x.X), d.expr(x.Y))
	case *ast.CallExpr:
		return d.call(x)
	}
	return unfit()
}

// fieldsOf returns a field of a value, or of the value that it points to.
func fieldsOf(x *native.Expr, path []int) *native.Expr {
	for _, i := range path {
		if isPointer(x.Type) {
			x = native.Deref(x)
		}
		x = native.Field(x, i)
	}
	return x
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// call returns the value of a call: a conversion, or a call of a pure function.
func (d *describer) call(x *ast.CallExpr) *native.Expr {
	fun, t := ast.Unparen(x.Fun), d.typeOf(x)
	native.Require(!x.Ellipsis.IsValid())
	var args []*native.Expr
	for _, a := range x.Args {
		args = append(args, d.expr(a))
	}
	id := calledIdent(fun)
	if d.unit.info.Types[fun].IsType() {
		return native.Convert(args[0], t)
	}
	native.Require(id != nil)
	if d.unit.info.Types[fun].IsBuiltin() {
		native.Require(id.Name == "len")
		return native.Len(args[0])
	}
	fo, ok := d.unit.info.Uses[id].(*types.Func)
	if !ok {
		lit := d.f.funcLit(fun)
		native.Require(d.lit != nil && lit != nil)
		return d.literal(lit, args)
	}
	if recv := fo.Signature().Recv(); recv != nil {
		sel, ok := fun.(*ast.SelectorExpr)
		native.Require(ok && !d.unit.info.Types[sel.X].IsType() && !isInterface(recv.Type()))
		obj, path, _ := types.LookupFieldOrMethod(d.typeOf(sel.X), true, fo.Pkg(), fo.Name())
		native.Require(obj == fo)
		of := fieldsOf(d.expr(sel.X), path[:len(path)-1])
		if isPointer(of.Type) && !takesAddress(fo) {
			of = native.Deref(of)
		}
		native.Require(isPointer(of.Type) == takesAddress(fo))
		args = append([]*native.Expr{of}, args...)
	}
	return d.named(fo, t, args)
}

// named returns a call of a named function; the receiver is its first argument.
func (d *describer) named(fo *types.Func, t types.Type, args []*native.Expr) *native.Expr {
	name := strings.TrimPrefix(fo.FullName(), source.Prefix)
	switch {
	case name == "cmp.Compare", name == "strings.Compare":
		return native.Compare(t, args[0], args[1])
	case name == "cmp.Less" && native.ClassOf(args[0].Type) != native.Float:
		return native.Binary(token.LSS, t, args[0], args[1])
	case name == "cmp.Or" && len(args) > 0:
		of := args[0]
		for _, x := range args[1:] {
			of = native.Or(of, x)
		}
		return of
	}
	decl, sig := d.f.p.decls[fo], fo.Signature()
	if decl == nil || decl.decl.Body == nil || sig.TypeParams() != nil || sig.RecvTypeParams() != nil {
		return native.Library(name, t, args...)
	}
	return d.inline(decl.unit, nil, sig, decl.decl.Body, args)
}

// literal returns a call of a func literal.
func (d *describer) literal(lit *ast.FuncLit, args []*native.Expr) *native.Expr {
	return d.inline(d.unit, d.env, d.unit.info.TypeOf(lit).(*types.Signature), lit.Body, args)
}

// inline returns a call of a script function with its body expanded. The receiver is its
// first argument.
func (d *describer) inline(u *unit, e env, sig *types.Signature, text *ast.BlockStmt, args []*native.Expr) *native.Expr {
	native.Require(!sig.Variadic() && sig.Results().Len() == 1 && d.calls <= maxNativeCalls)
	around := *d
	d.unit, d.env, d.vars = u, e, maps.Clone(d.vars)
	d.calls++
	defer func() { d.unit, d.env, d.vars, d.calls = around.unit, around.env, around.vars, around.calls }()
	var params []*types.Var
	if r := sig.Recv(); r != nil {
		params = append(params, r)
	}
	for v := range sig.Params().Variables() {
		params = append(params, v)
	}
	native.Require(len(params) == len(args))
	var from func(i int) *native.Expr
	from = func(i int) *native.Expr {
		if i == len(params) {
			return d.statements(text.List, unfit)
		}
		return d.let(params[i], d.f.p.subst(params[i].Type(), d.env), args[i], func() *native.Expr { return from(i + 1) })
	}
	body := from(0)
	native.Require(native.ClassOf(body.Type) == native.ClassOf(d.f.p.subst(sig.Results().At(0).Type(), d.env)))
	return body
}
