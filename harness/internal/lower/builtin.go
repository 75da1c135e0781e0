package lower

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"strings"
)

// Builtin functions. The interpreter lacks min, max and clear, wraps the result of recover,
// and stores elements of an append before it has evaluated them all.

// builtin emits a call of a builtin and returns its value, or "" if it has none.
func (f *fn) builtin(x *ast.CallExpr) string {
	name := calledIdent(x.Fun).Name
	if len(x.Args) == 1 {
		if _, ok := f.typeOf(x.Args[0]).(*types.Tuple); ok {
			return f.builtin(f.spreadBuiltin(x))
		}
	}
	switch name {
	case "append":
		return f.append(x)
	case "len", "cap":
		return f.length(name, x)
	case "make":
		return f.make(x)
	case "new":
		return f.new(x)
	case "copy":
		o := f.operands(operand{x.Args[0], nil}, operand{x.Args[1], nil})
		return f.hoist("copy("+f.core(o[0], f.typeOf(x.Args[0]))+", "+f.core(o[1], f.typeOf(x.Args[1]))+")", "int")
	case "delete":
		m, k := f.lookup(x.Args[0], x.Args[1])
		f.writesMap()
		f.w("delete(%s, %s)\n", m, k)
	case "close":
		ch := f.channel(x.Args[0])
		f.noteLine(x)
		f.w("close(%s)\n", ch)
	case "clear":
		f.w("rt.Clear(%s)\n", f.core(f.expr(x.Args[0]), f.typeOf(x.Args[0])))
	case "panic":
		f.w("rt.Panic(%s, %d)\n", f.to(x.Args[0], anyType), f.unit.fset.Position(x.Pos()).Line)
	case "recover":
		return f.hoist(f.recoverCall(x), "any")
	case "print", "println":
		var list []operand
		for _, a := range x.Args {
			list = append(list, operand{a, anyType})
		}
		args := append([]string{lineOf(f.placeOf(x.Pos()))}, f.operands(list...)...)
		f.w("rt.Builtin%s(%s)\n", strings.ToUpper(name[:1])+name[1:], strings.Join(args, ", "))
	case "min", "max":
		return f.extreme(name, x)
	case "complex":
		part := types.Typ[types.Float64]
		if b, ok := f.typeOf(x).Underlying().(*types.Basic); ok && b.Kind() == types.Complex64 {
			part = types.Typ[types.Float32]
		}
		o := f.operands(operand{x.Args[0], part}, operand{x.Args[1], part})
		return f.hoistBeforeCall(x, "complex("+o[0]+", "+o[1]+")", f.typeOf(x))
	case "real", "imag":
		return f.hoistBeforeCall(x, name+"("+f.expr(x.Args[0])+")", f.typeOf(x))
	default:
		f.refuse(x, "the builtin %s", name)
	}
	return ""
}

// spreadBuiltin replaces the single argument of f(g()) by g's results.
func (f *fn) spreadBuiltin(x *ast.CallExpr) *ast.CallExpr {
	names, tuple := f.callMulti(ast.Unparen(x.Args[0]).(*ast.CallExpr))
	args := make([]ast.Expr, len(names))
	for i, name := range names {
		args[i] = f.standIn(x, name, tuple.At(i).Type())
	}
	return f.withArgs(x, args)
}

func (f *fn) append(x *ast.CallExpr) string {
	t := f.typeOf(x)
	sl, ok := t.Underlying().(*types.Slice)
	if !ok {
		f.refuse(x, "append to a value of type %s", typeName(t))
	}
	typ := f.p.typ(sl)
	if x.Ellipsis.IsValid() {
		from := f.typeOf(x.Args[1])
		if f.isNil(x.Args[1]) || isUntyped(from) && f.value(x.Args[1]).Value == nil {
			from = t
		} else if isUntyped(from) {
			from = types.Typ[types.String]
		}
		o := f.operands(operand{x.Args[0], t}, operand{x.Args[1], from})
		return f.ofLibrary(f.refold(f.hoist("append("+f.core(o[0], t)+", "+f.core(o[1], from)+"...)", typ), sl, t), t)
	}
	list := []operand{{x.Args[0], t}}
	for _, a := range x.Args[1:] {
		list = append(list, operand{a, sl.Elem()})
	}
	o := f.operands(list...)
	base := f.core(o[0], t)
	for i := 1; i < len(o) && len(o) > 2; i++ {
		o[i] = f.part(o[i], sl.Elem())
	}
	switch len(o) {
	case 1:
		return o[0]
	case 2:
		if _, isFolded := folded(sl.Elem()); !isFolded { // the interpreter appends the elements of a slice that is an element
			return f.ofLibrary(f.refold(f.hoist("append("+base+", "+o[1]+")", typ), sl, t), t)
		}
		o[1] = f.part(o[1], sl.Elem())
	}
	return f.ofLibrary(f.refold(f.hoist("append("+base+", "+f.literal(typ, o[1:], false)+"...)", typ), sl, t), t)
}

func (f *fn) length(name string, x *ast.CallExpr) string {
	t := f.typeOf(x.Args[0])
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		f.discard(f.expr(x.Args[0]), t)
		return fmt.Sprint(ptr.Elem().Underlying().(*types.Array).Len())
	}
	return f.hoistBeforeCall(x, name+"("+f.core(f.expr(x.Args[0]), t)+")", types.Typ[types.Int])
}

func (f *fn) make(x *ast.CallExpr) string {
	t := f.typeOf(x.Args[0])
	args := []string{f.p.typ(t.Underlying())}
	var list []operand
	for _, a := range x.Args[1:] {
		list = append(list, operand{a, nil})
	}
	for i, text := range f.operands(list...) {
		if v := f.value(x.Args[i+1]).Value; v != nil {
			text = constantText(v, types.Typ[types.Int])
		}
		args = append(args, "int("+text+")")
	}
	if u, ok := t.Underlying().(*types.Slice); ok && len(x.Args) == 3 {
		args[1], args[2] = f.checkCap(x, args[1], args[2], u.Elem())
	}
	made := args[0]
	if c, ok := t.Underlying().(*types.Chan); ok {
		args[0] = chanOf(f.p.typ(c.Elem()))
	}
	return f.ofLibrary(f.refold(f.hoist("make("+strings.Join(args, ", ")+")", made), t.Underlying(), t), t)
}

// checkCap emits a check that the capacity of a slice is not too large. The interpreter
// makes the slice with reflect, which does not distinguish a capacity from a length.
func (f *fn) checkCap(x *ast.CallExpr, length, capacity string, elem types.Type) (string, string) {
	size := f.p.size(elem)
	switch elem.Underlying().(type) {
	case *types.Slice:
		size = 24
	case *types.Interface:
		size = 16
	}
	if size == 0 {
		return length, capacity
	}
	limit := int64(maxAlloc) / size
	if v := f.value(x.Args[2]).Value; v != nil {
		if n, ok := constant.Int64Val(constant.ToInt(v)); ok && n <= limit {
			return length, capacity
		}
	}
	if call, ok := ast.Unparen(x.Args[2]).(*ast.CallExpr); ok && f.value(call.Fun).IsBuiltin() && calledIdent(call.Fun).Name == "len" {
		return length, capacity // the length of an existing value
	}
	capacity = f.hoist(capacity, "int")
	f.w("if %s > %d {\n%srt.BadMake(%s, %d)\n}\n", capacity, limit, f.lineText(), length, limit)
	return length, capacity
}

// maxAlloc is the maximum size in bytes of one allocation in Go's run-time system on
// linux/amd64 (runtime/malloc.go: heapAddrBits).
const maxAlloc = 1 << 48

// extreme emits min and max as comparisons.
func (f *fn) extreme(name string, x *ast.CallExpr) string {
	t := f.typeOf(x)
	typ := f.p.typ(t)
	b := t.Underlying().(*types.Basic)
	var list []operand
	for _, a := range x.Args {
		list = append(list, operand{a, t})
	}
	o := f.operands(list...)
	r := f.hoist(o[0], typ)
	better, worse := "<", ">"
	if name == "max" {
		better, worse = worse, better
	}
	for _, y := range o[1:] {
		y = f.simple(y, typ)
		text := fmt.Sprintf("if %[1]s %[2]s %[3]s {\n%[3]s = %[1]s\n}", y, better, r)
		if b.Info()&types.IsFloat != 0 { // NaN and signed zeros
			bits := map[types.BasicKind]int{types.Float32: 32, types.Float64: 64}[b.Kind()]
			text += fmt.Sprintf(" else if (%[1]s %[2]s %[3]s) == false {\n%[3]s = rt.%[4]s%[5]d(%[3]s, %[1]s)\n}",
				y, worse, r, strings.ToUpper(name[:1])+name[1:], bits)
		}
		noted, self := f.noted, f.notedSelf
		f.w("%s\n", text)
		f.noted, f.notedSelf = noted, self // comparisons cannot fail
	}
	return r
}

// simple returns a text that can be repeated.
func (f *fn) simple(text, typ string) string {
	if isSimple(text) {
		return text
	}
	return f.hoist(text, typ)
}

// new emits new(T) and new(value).
func (f *fn) new(x *ast.CallExpr) string {
	if tv := f.value(x.Args[0]); tv.IsType() {
		return "new(" + f.p.typ(f.subst(tv.Type)) + ")"
	}
	t := f.typeOf(x).Underlying().(*types.Pointer).Elem()
	return "(&" + f.hoistFresh(f.to(x.Args[0], t), f.p.typ(t)) + ")"
}
