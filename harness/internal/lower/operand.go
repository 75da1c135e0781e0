package lower

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strconv"
	"strings"

	rt "github.com/usetools/usetools/harness/internal/runtime"
)

// Operands that are parts of others: fields, elements, slices.
//
// The interpreter reports a bad index with reflect's message and without numbers, and a
// script can print the message. So the lowered program checks indices just before the
// statement, unless they cannot be wrong.

// fieldName returns the name of field i in the struct's erased form.
func fieldName(u *types.Struct, i int, library bool) string {
	if library {
		return u.Field(i).Name()
	}
	return rt.FieldName(u, i)
}

// selector emits pkg.Name, a field, a method value or a method expression.
func (f *fn) selector(x *ast.SelectorExpr) string {
	if id, ok := x.X.(*ast.Ident); ok {
		if _, ok := f.use(id).(*types.PkgName); ok {
			return f.qualified(x)
		}
	}
	if f.value(x.X).IsType() {
		return f.methodExpr(x)
	}
	t := f.typeOf(x.X)
	obj, path, _ := types.LookupFieldOrMethod(t, true, f.selectedPackage(x), x.Sel.Name)
	switch o := obj.(type) {
	case *types.Var:
		text, _ := f.path(f.core(f.expr(x.X), t), t, path)
		return text
	case *types.Func:
		return f.methodValue(x, t, path, o)
	}
	f.refuse(x, "the selector %s", x.Sel.Name)
	return ""
}

// qualified emits pkg.Name.
func (f *fn) qualified(x *ast.SelectorExpr) string {
	switch o := f.use(x.Sel).(type) {
	case *types.Func:
		return f.function(x)
	case *types.Var:
		if name, ok := f.p.globals[o]; ok {
			return name
		}
		return f.p.libraryVariable(o)
	}
	f.refuse(x, "the name %s here", x.Sel.Name)
	return ""
}

// libraryVariable emits a variable of a library. It emits *(&v) if the script changes v or v
// holds a function. Under the name v, the interpreter would change its own copy instead, and
// would take v for the function.
func (p *program) libraryVariable(o *types.Var) string {
	text := p.librarySymbol(o)
	if _, ok := o.Type().Underlying().(*types.Signature); ok || p.written[o] {
		return byAddress(text)
	}
	return text
}

func byAddress(text string) string { return "(*(&" + text + "))" }

func isPackageVariable(o *types.Var) bool { return o.Pkg() != nil && o.Parent() == o.Pkg().Scope() }

func (f *fn) selectedPackage(x *ast.SelectorExpr) *types.Package {
	if o := f.use(x.Sel); o != nil {
		return o.Pkg()
	}
	return f.unit.pkg
}

// path walks a field path and returns the text and the type that it reaches.
func (f *fn) path(text string, t types.Type, path []int) (string, types.Type) {
	for _, i := range path {
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			t = ptr.Elem()
		}
		u := t.Underlying().(*types.Struct)
		text += "." + fieldName(u, i, f.p.isLibrary(t))
		t = u.Field(i).Type()
	}
	return text, t
}

// index emits s[i], m[k], or an instantiated function.
func (f *fn) index(x *ast.IndexExpr) string {
	if f.value(x.Index).IsType() {
		return f.function(x)
	}
	t := f.typeOf(x.X)
	if _, ok := t.Underlying().(*types.Map); ok {
		m, k := f.lookup(x.X, x.Index)
		return m + "[" + k + "]"
	}
	o := f.operands(operand{x.X, nil}, operand{x.Index, nil})
	return f.indexed(x, f.core(o[0], t), o[1])
}

// asInt converts an index of another type to int. The interpreter does not accept a
// library's type, such as time.Weekday, as an index.
func (f *fn) asInt(text string, index ast.Expr) string {
	if f.p.typ(types.Default(f.typeOf(index))) == "int" {
		return text
	}
	pre, i := split(bare(text))
	return guarded(pre, "int("+i+")")
}

// indexed emits base[i] with its check.
func (f *fn) indexed(x *ast.IndexExpr, base, i string) string {
	t := f.typeOf(x.X)
	i = f.asInt(i, x.Index)
	pre, base := split(base)
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
		if !isSimple(base) {
			v, set := f.temp("*"+f.p.typ(t), base)
			pre, base = pre+set, v
		}
		pre += "if " + base + " == nil {\n" + f.lineText() + "rt.BadNil()\n}\n"
		base = "(*" + base + ")"
	}
	notLow, notHigh := f.inRange(x, t)
	if notLow && notHigh && isSimple(i) {
		return guarded(pre, base+"["+i+"]")
	}
	ipre, i := split(bare(i))
	pre += ipre
	below := belowLength(i, base)
	if !isSimple(i) {
		v, set := f.temp("int", i)
		pre, i = pre+set, v
	}
	if !isPath(base) {
		v, set := f.temp(f.p.typ(types.Default(t.Underlying())), base)
		pre, base = pre+set, v
	}
	if notLow && notHigh {
		return guarded(pre, base+"["+i+"]")
	}
	low, high := i+" < 0", i+" >= len("+base+")"
	test := low + " || " + high
	switch {
	case below || notHigh:
		test = low
	case isNumber(i) || notLow:
		test = high
	}
	// The failing branch is as short as possible: each operation in it has a variable in
	// the frame of every call.
	line := "0"
	if f.unit.script {
		line = strconv.Itoa(f.p.position.Line)
	}
	bad := "rt.BadIndex(" + line + ", " + i + ", " + base + ")"
	if isWide(f.typeOf(x.Index)) {
		bad = "rt.BadWideIndex(" + line + ", " + i + ", " + base + ")"
	}
	return guarded(pre+"if "+test+" {\n"+bad+"\n}\n", base+"["+i+"]")
}

// belowLength reports whether i is the text of len(base) - n.
func belowLength(i, base string) bool {
	n, ok := strings.CutPrefix(i, "len("+base+") - ")
	return ok && isNumber(n) && n != "0"
}

// isWide reports whether values of t may be too large for an int.
func isWide(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsUnsigned != 0 && sizes.Sizeof(b) == 8
}

// isPath reports whether a text consists of names, fields and plain indices, cheap enough
// to repeat. Arrays that are assigned to must be repeated, not copied.
func isPath(text string) bool { return !strings.Contains(text, "\n") }

// inRange reports whether the index cannot be too low or too high: a constant into an
// array, or an expression of the variable of an enclosing loop.
func (f *fn) inRange(x *ast.IndexExpr, t types.Type) (notLow, notHigh bool) {
	if f.value(x.Index).Value == nil {
		return f.inBounds(x.Index, x.X, t)
	}
	if _, ok := t.Underlying().(*types.Array); ok {
		return true, true
	}
	if v := f.value(x.X).Value; v != nil {
		n, exact := constant.Int64Val(f.value(x.Index).Value)
		ok := exact && n >= 0 && int(n) < len(constant.StringVal(v))
		return ok, ok
	}
	return false, false
}

// slice emits s[lo:hi:max] with its checks.
func (f *fn) slice(x *ast.SliceExpr) string {
	t := f.typeOf(x.X)
	var list []operand
	list = append(list, operand{x.X, nil})
	for _, y := range []ast.Expr{x.Low, x.High, x.Max} {
		if y != nil {
			list = append(list, operand{y, nil})
		}
	}
	texts := f.operands(list...)
	pre, base := split(f.core(texts[0], t))
	texts = texts[1:]
	limit, what := "len", "length"
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		if !isSimple(base) {
			v, set := f.temp(f.p.typ(t.Underlying()), base)
			pre, base = pre+set, v
		}
		pre += "if " + base + " == nil {\n" + f.lineText() + "rt.BadNil()\n}\n"
		base = "(*" + base + ")"
	case *types.Slice:
		limit, what = "cap", "capacity"
		if !isSimple(base) {
			v, set := f.temp(f.p.typ(u), base)
			pre, base = pre+set, v
		}
	case *types.Basic:
		if !isSimple(base) {
			v, set := f.temp("string", base)
			pre, base = pre+set, v
		}
	}
	bound := func(y ast.Expr, missing string) string {
		if y == nil {
			return missing
		}
		p, text := split(f.asInt(texts[0], y))
		texts = texts[1:]
		pre += p
		if isSimple(text) {
			return text
		}
		v, set := f.temp("int", text)
		pre += set
		return v
	}
	lo := bound(x.Low, "0")
	hi := bound(x.High, "len("+base+")")
	max := bound(x.Max, "")
	if x.Low == nil && x.High == nil && !x.Slice3 {
		return f.sliced(x, pre, base+"[:]")
	}
	if max == "" {
		test := []string{}
		if x.Low != nil && !isNumber(lo) {
			test = append(test, lo+" < 0")
		}
		if x.High != nil {
			test = append(test, hi+" > "+limit+"("+base+")")
		}
		test = append(test, lo+" > "+hi)
		pre += "if " + strings.Join(test, " || ") + " {\n" + f.lineText() + "rt.BadSlice(" + lo + ", " + hi + ", " + limit + "(" + base + "), \"" + what + "\", " + f.wideBounds(x) + ")\n}\n"
		return f.sliced(x, pre, base+"["+lo+":"+hi+"]")
	}
	pre += "if " + lo + " < 0 || " + lo + " > " + hi + " || " + hi + " > " + max + " || " + max + " > cap(" + base + ") {\n" + f.lineText() + "rt.BadSlice3(" + lo + ", " + hi + ", " + max + ", cap(" + base + "), \"" + what + "\", " + f.wideBounds(x) + ")\n}\n"
	return f.sliced(x, pre, base+"["+lo+":"+hi+":"+max+"]")
}

// wideBounds tells rt.BadSlice which bounds may be too large for an int.
func (f *fn) wideBounds(x *ast.SliceExpr) string {
	bits := 0
	for i, y := range []ast.Expr{x.Low, x.High, x.Max} {
		if y != nil && f.value(y).Value == nil && isWide(f.typeOf(y)) {
			bits |= 1 << i
		}
	}
	return strconv.Itoa(bits)
}

// sliced evaluates a slice expression, in order with calls as Go does.
func (f *fn) sliced(x *ast.SliceExpr, checks, text string) string {
	t := sliceType(f.typeOf(x.X))
	return f.ofLibrary(f.refold(f.hoist(guarded(checks, text), f.p.typ(t)), t, f.typeOf(x)), f.typeOf(x))
}

// sliceType returns the unnamed type of a slice expression's text.
func sliceType(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return types.NewSlice(u.Elem().Underlying().(*types.Array).Elem())
	case *types.Array:
		return types.NewSlice(u.Elem())
	}
	return t.Underlying()
}
