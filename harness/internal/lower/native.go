package lower

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/usetools/usetools/harness/internal/native"
	"github.com/usetools/usetools/harness/internal/stdlib/source"
)

// A function that the library calls again and again, to compare, select or search, and
// that only computes, is handed over as a description too, of which package native
// makes closures:
//
//	sort.Slice(a, func(i, j int) bool { return a[i] < a[j] })
//
//	var t_3 func(int, int) bool = rt.NativeIndices(0, make_2(a_1), a_1)
//	p_sort.Slice(a_1, t_3)
//
// 0 is the number of the description, the variables behind make_2 are what it captures.
// The function of the interpreter stays, for calls that panic.

// Bounds of one description.
const (
	maxNative      = 300 // operations
	maxNativeCalls = 4   // functions of the script inside of each other
)

// A describer describes one function.
type describer struct {
	f        *fn
	unit     *unit
	env      env
	lit      *ast.FuncLit // nil: none
	out      *native.Func
	captured []string // how the variables that it captures are handed over
	vars     map[types.Object]*native.Expr
	assigned map[types.Object]assigned // here
	written  bool                      // some that is not its own
	read     bool                      // a basic value is read by a pointer
	total    int                       // operations so far
	calls    int                       // functions of the script around here
	locals   int                       // so far
	no       bool                      // it does more than compute
}

// assigned is the value of a variable since it was assigned to, and, where it is not the
// function's own, the variable: it gets the value when the function returns, so that a
// function that fails has changed nothing.
type assigned struct{ value, variable *native.Expr }

func (f *fn) describer(params int) *describer {
	return &describer{f: f, unit: f.unit, env: f.env, out: &native.Func{Params: params}, vars: map[types.Object]*native.Expr{},
		assigned: map[types.Object]assigned{}}
}

// native describes a function that is an argument: its number in Program.Natives, and
// the variables to be handed over with it. ok is false when it does more than compute.
func (f *fn) native(x ast.Expr) (number int, captured []string, ok bool) {
	sig, isFunc := f.typeOf(x).Underlying().(*types.Signature)
	if !isFunc || sig.Results().Len() != 1 || sig.Variadic() || f.usage == nil {
		return 0, nil, false
	}
	result := sig.Results().At(0).Type()
	if class := native.ClassOf(result); class != native.Bool && class != native.Int {
		return 0, nil, false
	}
	d := f.describer(sig.Params().Len())
	var args []*native.Expr
	for v := range sig.Params().Variables() {
		args = append(args, d.variable(v.Type(), false))
	}
	if lit := f.funcLit(x); lit != nil {
		d.lit = lit
		d.out.Body = d.function(lit.Type, lit.Body, args)
	} else if id := calledIdent(x); id != nil {
		fo, ok := f.use(id).(*types.Func)
		if !ok {
			return 0, nil, false
		}
		if r := fo.Signature().Recv(); r != nil && (len(args) != fo.Signature().Params().Len()+1 ||
			!types.Identical(r.Type(), args[0].Type)) { // t.Before, or T.Before of what T embeds
			return 0, nil, false
		}
		d.out.Body = d.named(fo, result, args)
	}
	if d.no || d.out.Body == nil || native.ClassOf(d.out.Body.Type) != native.ClassOf(result) || d.written && d.read {
		return 0, nil, false
	}
	f.p.out.Natives = append(f.p.out.Natives, d.out)
	return len(f.p.out.Natives) - 1, d.captured, true
}

// funcLit is the func literal that x is, or that the variable x always has; nil for
// others.
func (f *fn) funcLit(x ast.Expr) *ast.FuncLit {
	x = ast.Unparen(x)
	if id, ok := x.(*ast.Ident); ok {
		v := f.use(id)
		if h := f.usage.histories[v]; h != nil && len(h.values) == 1 && !f.usage.mutable[v] {
			x = ast.Unparen(h.values[0])
		}
	}
	lit, _ := x.(*ast.FuncLit)
	return lit
}

// none says that there is no description.
func (d *describer) none() *native.Expr {
	d.no = true
	return &native.Expr{Type: types.Typ[types.Int]}
}

// op is an operation.
func (d *describer) op(op native.Op, t types.Type, args ...*native.Expr) *native.Expr {
	if d.total++; d.no || d.total > maxNative || t == nil || native.ClassOf(t) == native.Unknown {
		return d.none()
	}
	return &native.Expr{Op: op, Type: t, Args: args}
}

func (d *describer) typeOf(x ast.Expr) types.Type { return d.f.p.subst(d.unit.info.TypeOf(x), d.env) }

// variable is another variable of the function.
func (d *describer) variable(t types.Type, address bool) *native.Expr {
	x := d.op(native.Var, t)
	x.Index = len(d.out.Vars)
	d.out.Vars = append(d.out.Vars, native.Variable{Type: t, Address: address})
	return x
}

// object is the value of a variable.
func (d *describer) object(o types.Object) *native.Expr {
	if a, ok := d.assigned[o]; ok {
		return a.value
	}
	if x := d.vars[o]; x != nil {
		return x
	}
	v, ok := o.(*types.Var)
	if !ok {
		return d.none()
	}
	f, t := d.f, d.f.subst(v.Type())
	if name, ok := f.p.globals[v]; ok {
		d.vars[o] = d.variable(t, true)
		d.captured = append(d.captured, "&"+name)
	} else if at, ok := f.vars[v]; ok && d.lit != nil {
		address := f.usage.mutable[v] && !f.usage.settled(v, d.lit) || f.p.signedZero(t) // see enclose
		d.vars[o] = d.variable(t, address)
		if address {
			d.captured = append(d.captured, at.address())
		} else {
			d.captured = append(d.captured, at.text())
		}
	} else {
		return d.none()
	}
	return d.vars[o]
}

// let keeps a value for a variable, or for nothing that has a name, while body is
// evaluated.
func (d *describer) let(o types.Object, t types.Type, value *native.Expr, body func(*native.Expr) *native.Expr) *native.Expr {
	class := native.ClassOf(t)
	if class != native.ClassOf(value.Type) || class == native.Place && !isNilExpr(value) && !sameLayout(t, value.Type) {
		return d.none()
	}
	local := d.op(native.Local, t)
	local.Index = d.locals
	d.locals++
	if o != nil {
		d.vars[o] = local
		delete(d.assigned, o)
	}
	in := body(local)
	x := d.op(native.Let, in.Type, value, in)
	x.Index = local.Index
	return x
}

// function is the body of a function with the values of its parameters.
func (d *describer) function(t *ast.FuncType, body *ast.BlockStmt, args []*native.Expr) *native.Expr {
	for _, field := range t.Params.List {
		for _, name := range field.Names {
			if o := d.unit.info.Defs[name]; o != nil {
				d.vars[o] = args[0]
			}
			args = args[1:]
		}
	}
	return d.statements(body.List, d.none)
}

// statements is what they return; next is what follows them.
func (d *describer) statements(list []ast.Stmt, next func() *native.Expr) *native.Expr {
	if len(list) == 0 || d.no {
		return next()
	}
	rest := func() *native.Expr { return d.statements(list[1:], next) }
	switch s := list[0].(type) {
	case *ast.ReturnStmt:
		if len(s.Results) == 1 {
			return d.write(d.expr(s.Results[0]))
		}
	case *ast.BlockStmt:
		return d.statements(s.List, rest)
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			return d.declare(s, 0, rest)
		}
		if len(s.Lhs) == 1 {
			return d.assign(s.Lhs[0], s.Tok, s.Rhs[0], rest)
		}
	case *ast.IncDecStmt:
		return d.assign(s.X, s.Tok, nil, rest)
	case *ast.IfStmt:
		choose := func() *native.Expr {
			is := d.expr(s.Cond)
			before := maps.Clone(d.assigned)
			then, other := d.statements(s.Body.List, rest), (*native.Expr)(nil)
			d.assigned = before
			if s.Else == nil {
				other = rest()
			} else {
				other = d.statements([]ast.Stmt{s.Else}, rest)
			}
			return d.op(native.Cond, then.Type, is, then, other)
		}
		if s.Init != nil {
			return d.statements([]ast.Stmt{s.Init}, choose)
		}
		return choose()
	case *ast.SwitchStmt:
		cases := func() *native.Expr {
			if s.Tag == nil {
				return d.cases(s.Body.List, nil, rest)
			}
			t := d.typeOf(s.Tag)
			return d.let(nil, t, d.expr(s.Tag), func(tag *native.Expr) *native.Expr { return d.cases(s.Body.List, tag, rest) })
		}
		if s.Init != nil {
			return d.statements([]ast.Stmt{s.Init}, cases)
		}
		return cases()
	}
	return d.none()
}

// declare is x, y := a, b from the i-th on, and what follows.
func (d *describer) declare(s *ast.AssignStmt, i int, rest func() *native.Expr) *native.Expr {
	if i == len(s.Lhs) {
		return rest()
	}
	id, ok := s.Lhs[i].(*ast.Ident)
	if !ok || s.Tok != token.DEFINE || len(s.Lhs) != len(s.Rhs) || d.unit.info.Defs[id] == nil {
		return d.none()
	}
	o := d.unit.info.Defs[id]
	next := func(*native.Expr) *native.Expr { return d.declare(s, i+1, rest) }
	return d.let(o, d.f.p.subst(o.Type(), d.env), d.expr(s.Rhs[i]), next)
}

// assign is x op= y, x++ and x--, and what follows.
func (d *describer) assign(to ast.Expr, op token.Token, x ast.Expr, rest func() *native.Expr) *native.Expr {
	id, ok := ast.Unparen(to).(*ast.Ident)
	if !ok || d.unit.info.Uses[id] == nil {
		return d.none()
	}
	o := d.unit.info.Uses[id]
	old := d.object(o)
	if class := native.ClassOf(old.Type); class == native.Unknown || class == native.Place {
		return d.none()
	}
	variable := d.assigned[o].variable
	if old.Op == native.Var && old.Index >= d.out.Params {
		variable = old
	}
	if variable != nil {
		if d.written = true; !d.out.Vars[variable.Index].Address || d.calls > 0 {
			return d.none()
		}
	}
	value := &native.Expr{Op: native.Const, Type: old.Type, Value: constant.MakeInt64(1)}
	if x != nil {
		value = d.expr(x)
	}
	switch {
	case op == token.INC:
		value = d.binary(token.ADD, old.Type, old, value)
	case op == token.DEC:
		value = d.binary(token.SUB, old.Type, old, value)
	case op != token.ASSIGN:
		value = d.binary(op-token.ADD_ASSIGN+token.ADD, old.Type, old, value)
	}
	return d.let(nil, old.Type, value, func(now *native.Expr) *native.Expr {
		d.assigned[o] = assigned{now, variable}
		return rest()
	})
}

// write is a result with what is written when it is returned.
func (d *describer) write(x *native.Expr) *native.Expr {
	if d.calls > 0 {
		return x
	}
	var all []assigned
	for _, a := range d.assigned {
		if a.variable != nil {
			all = append(all, a)
		}
	}
	slices.SortFunc(all, func(a, b assigned) int { return a.variable.Index - b.variable.Index })
	for _, a := range all {
		x = d.op(native.Store, x.Type, x, a.variable, a.value)
	}
	return x
}

// cases are the clauses of a switch, of a tag or of none.
func (d *describer) cases(list []ast.Stmt, tag *native.Expr, rest func() *native.Expr) *native.Expr {
	var last *ast.CaseClause // the default
	var from func(list []ast.Stmt) *native.Expr
	from = func(list []ast.Stmt) *native.Expr {
		if len(list) == 0 {
			if last != nil {
				return d.statements(last.Body, rest)
			}
			return rest()
		}
		c := list[0].(*ast.CaseClause)
		if c.List == nil {
			last = c
			return from(list[1:])
		}
		var is *native.Expr
		for _, x := range c.List {
			one := d.expr(x)
			if tag != nil {
				one = d.binary(token.EQL, types.Typ[types.Bool], tag, one)
			}
			if is != nil {
				one = d.binary(token.LOR, types.Typ[types.Bool], is, one)
			}
			is = one
		}
		before := maps.Clone(d.assigned)
		then := d.statements(c.Body, rest)
		d.assigned = before
		return d.op(native.Cond, then.Type, is, then, from(list[1:]))
	}
	return from(list)
}

// expr is the value of an expression.
func (d *describer) expr(x ast.Expr) *native.Expr {
	x = ast.Unparen(x)
	tv := d.unit.info.Types[x]
	switch {
	case d.no:
		return d.none()
	case tv.Value != nil, tv.IsNil():
		c := d.op(native.Const, d.typeOf(x))
		c.Value = tv.Value
		return c
	}
	switch x := x.(type) {
	case *ast.Ident:
		return d.object(d.unit.info.Uses[x])
	case *ast.SelectorExpr:
		s := d.unit.info.Selections[x]
		if s == nil {
			return d.object(d.unit.info.Uses[x.Sel])
		}
		if s.Kind() == types.FieldVal {
			return d.path(d.expr(x.X), d.typeOf(x.X), x.Sel)
		}
	case *ast.IndexExpr:
		if d.unit.info.Types[x.Index].IsType() {
			return d.none()
		}
		of, i := d.expr(x.X), d.expr(x.Index)
		switch m := of.Type.Underlying().(type) {
		case *types.Map:
			if native.ClassOf(i.Type) == native.Place || native.ClassOf(i.Type) != native.ClassOf(m.Key()) {
				return d.none()
			}
			return d.op(native.MapElem, d.typeOf(x), of, i)
		case *types.Pointer:
			of = d.deref(of)
		}
		return d.op(native.Elem, d.typeOf(x), of, i)
	case *ast.StarExpr:
		return d.deref(d.expr(x.X))
	case *ast.UnaryExpr:
		switch x.Op {
		case token.AND:
			return d.address(d.expr(x.X), d.typeOf(x))
		case token.SUB, token.XOR, token.NOT, token.ADD:
			u := d.op(native.Unary, d.typeOf(x), d.expr(x.X))
			u.Token = x.Op
			return u
		}
	case *ast.BinaryExpr:
		return d.binary(x.Op, d.typeOf(x), d.expr(x.X), d.expr(x.Y))
	case *ast.CallExpr:
		return d.call(x)
	}
	return d.none()
}

// deref is what a pointer points to.
func (d *describer) deref(p *native.Expr) *native.Expr {
	t, ok := p.Type.Underlying().(*types.Pointer)
	switch {
	case !ok:
		return d.none()
	case p.Op == native.Address:
		return p.Args[0]
	}
	d.read = d.read || native.ClassOf(t.Elem()) != native.Place
	return d.op(native.Deref, t.Elem(), p)
}

// address is a pointer to a value that is not the function's own.
func (d *describer) address(of *native.Expr, t types.Type) *native.Expr {
	for x := of; ; x = x.Args[0] {
		switch {
		case x.Op == native.Field:
		case x.Op == native.Elem && isArray(x.Args[0].Type):
		case x.Op == native.Deref, x.Op == native.Elem:
			return d.op(native.Address, t, of)
		default:
			return d.none()
		}
	}
}

func isArray(t types.Type) bool {
	_, ok := t.Underlying().(*types.Array)
	return ok
}

// path is a field of a value, or of what it points to.
func (d *describer) path(x *native.Expr, t types.Type, name *ast.Ident) *native.Expr {
	obj, path, _ := types.LookupFieldOrMethod(t, true, d.unit.info.Uses[name].Pkg(), name.Name)
	if _, ok := obj.(*types.Var); !ok {
		return d.none()
	}
	return d.fields(x, path)
}

func (d *describer) fields(x *native.Expr, path []int) *native.Expr {
	for _, i := range path {
		if _, ok := x.Type.Underlying().(*types.Pointer); ok {
			x = d.deref(x)
		}
		s, ok := x.Type.Underlying().(*types.Struct)
		if !ok {
			return d.none()
		}
		x = d.op(native.Field, s.Field(i).Type(), x)
		x.Index = i
	}
	return x
}

// binary is a binary operation.
func (d *describer) binary(op token.Token, t types.Type, a, b *native.Expr) *native.Expr {
	class := native.ClassOf(a.Type)
	if op != token.SHL && op != token.SHR && class != native.ClassOf(b.Type) {
		return d.none()
	}
	if class == native.Place && !isPointer(a.Type) && !isNilExpr(a) && !isNilExpr(b) {
		return d.none()
	}
	x := d.op(native.Binary, t, a, b)
	x.Token = op
	return x
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

func isNilExpr(x *native.Expr) bool { return x.Op == native.Const && x.Value == nil }

// call is a call: a conversion, or one of a function that only computes.
func (d *describer) call(x *ast.CallExpr) *native.Expr {
	fun, t := ast.Unparen(x.Fun), d.typeOf(x)
	var args []*native.Expr
	for _, a := range x.Args {
		args = append(args, d.expr(a))
	}
	if x.Ellipsis.IsValid() || d.no {
		return d.none()
	}
	switch tv := d.unit.info.Types[fun]; {
	case tv.IsType():
		return d.convert(args[0], d.f.p.subst(tv.Type, d.env))
	case tv.IsBuiltin():
		if id := calledIdent(fun); id != nil && id.Name == "len" && !isArray(deref(args[0].Type)) {
			return d.op(native.Len, t, args[0])
		}
		return d.none()
	}
	id := calledIdent(fun)
	if id == nil {
		return d.none()
	}
	fo, ok := d.unit.info.Uses[id].(*types.Func)
	if !ok {
		if d.lit == nil {
			return d.none()
		}
		if lit := d.f.funcLit(fun); lit != nil {
			sig := d.unit.info.TypeOf(lit).(*types.Signature)
			return d.inline(d.unit, d.env, sig, lit.Body, t, args)
		}
		return d.none()
	}
	if recv := fo.Signature().Recv(); recv != nil {
		sel, ok := fun.(*ast.SelectorExpr)
		if !ok || d.unit.info.Types[sel.X].IsType() {
			return d.none()
		}
		of := d.typeOf(sel.X)
		obj, path, _ := types.LookupFieldOrMethod(of, true, fo.Pkg(), fo.Name())
		if obj != fo || isInterface(recv.Type()) {
			return d.none()
		}
		args = append([]*native.Expr{d.receiver(d.expr(sel.X), path, fo)}, args...)
	}
	return d.named(fo, t, args)
}

// receiver is what a method gets that is selected from x on a path.
func (d *describer) receiver(x *native.Expr, path []int, method *types.Func) *native.Expr {
	x = d.fields(x, path[:len(path)-1])
	switch has, wants := isPointer(x.Type), takesAddress(method); {
	case has && !wants:
		return d.deref(x)
	case !has && wants:
		return d.address(x, method.Signature().Recv().Type())
	}
	return x
}

// convert is a conversion.
func (d *describer) convert(x *native.Expr, to types.Type) *native.Expr {
	switch from, class := native.ClassOf(x.Type), native.ClassOf(to); {
	case from == native.Place && class == native.Place:
		if !isNilExpr(x) && !sameLayout(x.Type, to) { // a slice made an array, or the address of one
			return d.none()
		}
		same := *x
		same.Type = to
		return &same
	case from == class, from == native.Int && class == native.Float:
	case from == native.Float && class == native.Int && (d.f.p.typ(to) == "int" || d.f.p.typ(to) == "int64"):
	default:
		return d.none()
	}
	return d.op(native.Convert, to, x)
}

// sameLayout reports whether values of two types lie in memory in the same way.
func sameLayout(a, b types.Type) bool {
	return isPointer(a) && isPointer(b) || types.IdenticalIgnoreTags(a.Underlying(), b.Underlying())
}

// named is a call of a function that has a name; the receiver is its first argument.
func (d *describer) named(fo *types.Func, t types.Type, args []*native.Expr) *native.Expr {
	name := strings.TrimPrefix(fo.FullName(), source.Prefix)
	switch {
	case name == "cmp.Compare":
		return d.op(native.Compare, t, args...)
	case name == "cmp.Less" && native.ClassOf(args[0].Type) != native.Float:
		return d.binary(token.LSS, t, args[0], args[1])
	case name == "cmp.Or" && native.ClassOf(t) == native.Int && len(args) > 0:
		return d.op(native.Or, t, args...)
	case native.Has(name):
		takes := fo.Signature().Params().Len()
		if fo.Signature().Recv() != nil {
			takes++
		}
		if len(args) != takes {
			return d.none()
		}
		x := d.op(native.Library, t, args...)
		x.Name = name
		return x
	}
	decl := d.f.p.decls[fo]
	sig := fo.Signature()
	generic := sig.TypeParams() != nil || sig.RecvTypeParams() != nil
	if decl == nil || decl.decl.Body == nil || generic {
		return d.none()
	}
	return d.inline(decl.unit, nil, sig, decl.decl.Body, t, args)
}

// inline is a call of a function of the script, in its own words, with its arguments,
// of which the receiver is the first, as locals.
func (d *describer) inline(u *unit, e env, sig *types.Signature, text *ast.BlockStmt, t types.Type, args []*native.Expr) *native.Expr {
	if sig.Variadic() || d.calls == maxNativeCalls {
		return d.none()
	}
	saved, savedEnv := d.unit, d.env
	d.unit, d.env = u, e
	d.calls++
	defer func() {
		d.unit, d.env = saved, savedEnv
		d.calls--
	}()
	var params []*types.Var
	if r := sig.Recv(); r != nil {
		params = append(params, r)
	}
	for v := range sig.Params().Variables() {
		params = append(params, v)
	}
	if len(params) != len(args) {
		return d.none()
	}
	var from func(i int) *native.Expr
	from = func(i int) *native.Expr {
		if i == len(params) {
			if body := d.statements(text.List, d.none); native.ClassOf(body.Type) == native.ClassOf(t) {
				return body
			}
			return d.none()
		}
		typ := d.f.p.subst(params[i].Type(), d.env)
		return d.let(params[i], typ, args[i], func(*native.Expr) *native.Expr { return from(i + 1) })
	}
	return from(0)
}

// callbacks are the functions of the library that call an argument again and again, one
// call after the other; functions of rt make that of its description.
var callbacks = map[string]string{
	"sort.Slice": "NativeIndices", "sort.SliceStable": "NativeIndices", "sort.SliceIsSorted": "NativeIndices",
	"sort.Search": "NativeIndex", "strings.FieldsFunc": "NativeRune", "strings.IndexFunc": "NativeRune",
	"strings.ContainsFunc": "NativeRune", "strings.TrimFunc": "NativeRune", "strings.Map": "NativeMap",
}

// nativeCallback makes the function among the arguments of a call of one of them.
func (f *fn) nativeCallback(x *ast.CallExpr, args []string) {
	fo := f.calledFunc(x)
	if fo == nil || callbacks[fo.FullName()] == "" || len(x.Args) != len(args) {
		return
	}
	for i, a := range x.Args {
		if number, captured, ok := f.native(a); ok {
			call := nativeCall(callbacks[fo.FullName()], number, args[i:i+1], captured)
			args[i] = f.hoist(call, f.p.typ(f.typeOf(a)))
		}
	}
}

// calledFunc is the function with a name that x calls, nil for none.
func (f *fn) calledFunc(x *ast.CallExpr) *types.Func {
	if id := calledIdent(x.Fun); id != nil {
		fo, _ := f.use(id).(*types.Func)
		return fo
	}
	return nil
}

// nativeSlices are functions of package slices, of a slice, perhaps a value, and a
// function, and what of rt takes their place. text is what they return, where %[1]s is
// an index that rt's returns, and %[2]s the slice; "" is what rt's returns.
var nativeSlices = map[string]struct{ symbol, text string }{
	"slices.SortFunc": {symbol: "NativeSort"}, "slices.SortStableFunc": {symbol: "NativeSortStable"},
	"slices.IndexFunc": {symbol: "NativeIndexFunc"}, "slices.ContainsFunc": {symbol: "NativeContainsFunc"},
	"slices.BinarySearchFunc": {symbol: "NativeBinarySearch"},
	"slices.MinFunc":          {"NativeMin", "%[2]s[%[1]s]"}, "slices.MaxFunc": {"NativeMax", "%[2]s[%[1]s]"},
	"slices.DeleteFunc": {"NativeDelete", "%[2]s[:%[1]s]"},
}

// nativeSlice emits a call of one of them whose function only computes.
func (f *fn) nativeSlice(x *ast.CallExpr) (out called, ok bool) {
	fo, last := f.calledFunc(x), len(x.Args)-1
	if fo == nil {
		return called{}, false
	}
	how, ok := nativeSlices[strings.TrimPrefix(fo.FullName(), source.Prefix)]
	if !ok || last < 1 { // a call of several results
		return called{}, false
	}
	if _, isFolded := folded(f.typeOf(x.Args[0])); isFolded {
		return called{}, false
	}
	number, captured, ok := f.native(x.Args[last])
	if !ok {
		return called{}, false
	}
	sig := f.signatureOf(ast.Unparen(x.Fun))
	args := f.arguments(x, callee{sig: sig, library: true})
	f.noteLine(x)
	f.noted = 0
	list := f.simple(args[0], f.p.typ(sig.Params().At(0).Type()))
	args[0] = list
	for i, a := range args {
		args[i] = "rt.Raw(" + a + ")"
	}
	f.calls = append(f.calls, Call{Line: f.line(x)})
	out = called{text: nativeCall(how.symbol, number, args, captured), results: sig.Results()}
	if how.text != "" {
		typ := f.p.typ(sig.Results().At(0).Type())
		out.names = []string{f.hoist(fmt.Sprintf(how.text, f.hoist(out.text, "int"), list), typ)}
		out.text = ""
	}
	return out, true
}

// nativeSorters are functions of the library, and of our sources of it, that order a
// value by its methods, and what of rt takes their place when these are those of a
// slice: Len and Swap as everybody writes them, and a Less that only computes.
var nativeSorters = map[string]string{
	"sort.Sort": "NativeSortBy", "sort.Stable": "NativeStableBy",
	source.Prefix + "container/heap.rise": "NativeRise", source.Prefix + "container/heap.sink": "NativeSink",
}

// nativeSorter emits a call of one of them.
func (f *fn) nativeSorter(x *ast.CallExpr) (out called, ok bool) {
	fo := f.calledFunc(x)
	if fo == nil || nativeSorters[fo.FullName()] == "" || len(x.Args) != fo.Signature().Params().Len() {
		return called{}, false
	}
	t := f.typeOf(x.Args[0])
	number, less, swap, captured, ok := f.nativeMethods(deref(t))
	if !ok || isPointer(t) && !source.Is(fo.Pkg()) {
		return called{}, false
	}
	list := []operand{{x.Args[0], nil}}
	for _, a := range x.Args[1:] {
		list = append(list, operand{a, types.Typ[types.Int]})
	}
	args := f.operands(list...)
	f.noteLine(x)
	f.noted = 0
	args[0] = f.simple(args[0], f.p.typ(t))
	if isPointer(t) {
		args[0] = f.hoist("(*"+args[0]+")", f.p.typ(deref(t)))
	}
	all := []string{"rt.Raw(" + args[0] + ")"}
	for _, m := range []*types.Func{less, swap} {
		typ := "func(" + f.p.typ(m.Signature().Recv().Type()) + ", int, int) " + f.p.results(m.Signature())
		all = append(all, f.hoist(f.p.methodName(m), typ))
	}
	f.calls = append(f.calls, Call{Line: f.line(x)})
	call := nativeCall(nativeSorters[fo.FullName()], number, append(all, args[1:]...), captured)
	return called{text: call, results: fo.Signature().Results()}, true
}

// nativeMethods describes Less of a type that is a slice, if Len and Swap are the usual.
func (f *fn) nativeMethods(t types.Type) (number int, less, swap *types.Func, captured []string, ok bool) {
	if _, isSlice := t.Underlying().(*types.Slice); !isSlice || isInterface(t) {
		return 0, nil, nil, nil, false
	}
	var methods [3]*types.Func
	for i, name := range []string{"Len", "Swap", "Less"} {
		obj, path, _ := types.LookupFieldOrMethod(t, true, f.unit.pkg, name)
		m, isFunc := obj.(*types.Func)
		if !isFunc || len(path) != 1 || f.p.decls[m] == nil || f.p.placed(m) || m.Signature().RecvTypeParams() != nil {
			return 0, nil, nil, nil, false
		}
		methods[i] = m
	}
	if !f.p.isUsual(methods[0], "return len($)") || !f.p.isUsual(methods[1], "$[1], $[2] = $[2], $[1]") {
		return 0, nil, nil, nil, false
	}
	d := f.describer(2)
	i, j := d.variable(types.Typ[types.Int], false), d.variable(types.Typ[types.Int], false)
	recv := d.variable(t, false)
	if takesAddress(methods[2]) {
		recv = d.op(native.Address, types.NewPointer(t), recv)
	}
	d.out.Body = d.named(methods[2], types.Typ[types.Bool], []*native.Expr{recv, i, j})
	if d.no {
		return 0, nil, nil, nil, false
	}
	f.p.out.Natives = append(f.p.out.Natives, d.out)
	return len(f.p.out.Natives) - 1, methods[2], methods[1], d.captured, true
}

// A method without parameters of an interface of the script, of which all that the
// script declares by its name only compute, is called by rt:
//
//	s.Area()                   rt.MethodFloat(2, s)
//
// 2 is the number of the dispatch function. For each type there is a description; what
// has none, and what fails, goes through the dispatch function.
var nativeResults = map[string]string{"bool": "MethodBool", "int": "MethodInt", "float64": "MethodFloat", "string": "MethodString"}

// computes reports whether that holds for a method.
func (p *program) computes(name string, sig *types.Signature) bool {
	if sig.Params().Len() != 0 || sig.Results().Len() != 1 || nativeResults[p.typ(sig.Results().At(0).Type())] == "" {
		return false
	}
	var all []*types.Func
	for m := range p.decls {
		if s := m.Signature(); m.Name() == name && s.Recv() != nil && s.Params().Len() == 0 && s.Results().Len() == 1 {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b *types.Func) int { return cmp.Compare(a.Pos(), b.Pos()) })
	for _, m := range all {
		if _, ok := p.method(m.Signature().Recv().Type(), []int{0}, m); !ok {
			return false
		}
	}
	return len(all) > 0
}

// method describes a method that is selected from a value of type t on a path.
func (p *program) method(t types.Type, path []int, m *types.Func) (d *describer, ok bool) {
	if p.decls[m] == nil || m.Signature().Results().Len() != 1 {
		return nil, false
	}
	d = p.newFn(p.decls[m].unit, nil, nil).describer(1)
	result := m.Signature().Results().At(0).Type()
	d.out.Body = d.named(m, result, []*native.Expr{d.receiver(d.variable(t, false), path, m)})
	return d, !d.no
}

// nativeMethod makes a call of a method of an interface one by rt.
func (f *fn) nativeMethod(c *callee) {
	for i, d := range f.p.tables {
		if c.named && c.iface && d.name == c.direct && d.computes {
			symbol := nativeResults[f.p.typ(c.sig.Results().At(0).Type())]
			c.invoke = func(recv string, _ []string) string { return fmt.Sprintf("rt.%s(%d, %s)", symbol, i, recv) }
		}
	}
}

// isUsual reports whether a method is one statement, of its receiver $ and its
// parameters 1 and 2.
func (p *program) isUsual(m *types.Func, text string) bool {
	decl := p.decls[m]
	if decl.decl.Body == nil || len(decl.decl.Body.List) != 1 {
		return false
	}
	names := map[types.Object]string{m.Signature().Recv(): "$"}
	for i := range m.Signature().Params().Len() {
		names[m.Signature().Params().At(i)] = fmt.Sprint(i + 1)
	}
	var say func(list ...ast.Expr) string
	say = func(list ...ast.Expr) string {
		var all []string
		for _, x := range list {
			s := "?"
			switch x := ast.Unparen(x).(type) {
			case *ast.Ident:
				if s = names[decl.unit.info.Uses[x]]; s == "" && decl.unit.info.Types[x].IsBuiltin() {
					s = x.Name
				}
			case *ast.StarExpr:
				s = say(x.X)
			case *ast.IndexExpr:
				s = say(x.X) + "[" + say(x.Index) + "]"
			case *ast.CallExpr:
				s = say(x.Fun) + "(" + say(x.Args...) + ")"
			}
			all = append(all, s)
		}
		return strings.Join(all, ", ")
	}
	switch s := decl.decl.Body.List[0].(type) {
	case *ast.ReturnStmt:
		return "return "+say(s.Results...) == text
	case *ast.AssignStmt:
		return say(s.Lhs...)+" "+s.Tok.String()+" "+say(s.Rhs...) == text
	}
	return false
}

func nativeCall(symbol string, number int, args, captured []string) string {
	all := append([]string{fmt.Sprint(number)}, args...)
	return "rt." + symbol + "(" + strings.Join(append(all, captured...), ", ") + ")"
}
