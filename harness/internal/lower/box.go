package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// An interface value of a script type is a box: the erased value with its real type, which
// package gotype makes from the type with the box's number. So the library sees what Go
// would see. Values of plain types (int, []string, time.Time) go into interfaces unchanged.
//
// An interface with methods has a type of its own: a library's (error,
// io.Reader), or one that gotype makes. Functions of package t convert to it.

var anyType = types.Universe.Lookup("any").Type()
var errorType = types.Universe.Lookup("error").Type()

// to emits x converted to type t, as in an assignment.
func (f *fn) to(x ast.Expr, t types.Type) string {
	if f.isNil(x) {
		return f.p.null(t)
	}
	from := f.typeOf(x)
	if b, ok := from.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 && !isInterface(t) {
		if v := f.value(x).Value; v != nil {
			return f.constant(v, t, x)
		}
		return f.expr(x)
	}
	return f.convert(f.expr(x), from, t)
}

// convert emits the implicit conversion of a text between types.
func (f *fn) convert(text string, from, to types.Type) string {
	p := f.p
	if b, ok := from.(*types.Basic); ok {
		if b.Kind() == types.UntypedNil {
			return p.null(to)
		}
		from = types.Default(from)
	}
	if !isInterface(to) {
		return f.refold(text, from, to)
	}
	keeps := p.keepsInterface(to)
	if !isInterface(from) {
		if !keeps {
			return p.box(text, from)
		}
		switch {
		case p.isGuarded(from):
			return p.adapt(to, p.box(text, from))
		case p.needsBox(from):
			return p.boxTo(to, text, from)
		case p.isLibraryish(from) && p.libraryInterface(to):
			return text
		}
		return p.adapt(to, text)
	}
	switch fromKeeps := p.keepsInterface(from); {
	case !keeps && fromKeeps:
		return "rt.Raw(" + text + ")"
	case !keeps || types.Identical(from, to):
		return text
	}
	return p.adapt(to, text)
}

// box makes an `any` of a concrete value.
func (p *program) box(text string, from types.Type) string {
	if p.isGuarded(from) {
		return fmt.Sprintf("rt.BoxFunc(%d, %s)", p.boxNumber(from), text)
	}
	if !p.needsBox(from) {
		return "rt.Raw(" + text + ")"
	}
	return fmt.Sprintf("rt.Box(%d, %s)", p.boxNumber(from), text)
}

// boxNumber is number for a type whose values go into interfaces. Its methods must be known
// at run time.
func (p *program) boxNumber(t types.Type) int {
	id := p.number(t)
	if !p.boxed[id] {
		if n, ok := types.Unalias(t).(*types.Named); ok && p.inner[n] {
			p.refuseInner(n)
		}
		p.boxed[id] = true
		p.boxOrder = append(p.boxOrder, id)
	}
	return id
}

// Folded types (gotype.Folded), such as type F func() F, also have a type of their own in the erased form.
// Operations need the underlying type, which has the same memory layout.

// refold converts between a folded type and its underlying type.
func (f *fn) refold(text string, from, to types.Type) string {
	a, fromFolded := folded(from)
	b, toFolded := folded(to)
	switch {
	case fromFolded == toFolded:
		return text
	case toFolded:
		return f.p.fold(text, b)
	}
	return f.p.unfold(text, a)
}

// core unfolds a value before an operation on it.
func (f *fn) core(text string, t types.Type) string {
	if n, ok := folded(t); ok {
		return f.p.unfold(text, n)
	}
	return text
}

func (p *program) fold(text string, n *types.Named) string {
	return p.refolding("Fold", n, n.Underlying(), n) + "(" + text + ")"
}

func (p *program) unfold(text string, n *types.Named) string {
	return p.refolding("Unfold", n, n, n.Underlying()) + "(" + text + ")"
}

// refolding names the function that converts between a folded type and its underlying type.
// For func types it is a function of the lowered program: when native code returns a
// function, the interpreter changes the variable that a pointer to the destination points
// to.
func (p *program) refolding(prefix string, n *types.Named, from, to types.Type) string {
	converter := p.converter(prefix, n)
	switch n.Underlying().(type) {
	case *types.Array: // whose elements are assigned to in their place
		return ""
	case *types.Signature:
	default:
		return converter
	}
	name := fmt.Sprintf("%s_%d", strings.ToLower(prefix), p.number(n))
	p.once(name, func() string {
		return fmt.Sprintf("func %s(x %s) %s {\nvar r %s = %s(x)\nreturn r\n}\n", name, p.typ(from), p.typ(to), p.typ(to), converter)
	})
	return name
}

// isGuarded reports whether t is a func type whose values templates or package reflect may
// call.
func (p *program) isGuarded(t types.Type) bool {
	_, isFunc := t.Underlying().(*types.Signature)
	return isFunc && (p.templates || p.out.Reflects)
}

// boxTo emits the box of a concrete value in the interface to, in one step.
func (p *program) boxTo(to types.Type, text string, from types.Type) string {
	id, of := p.number(to), p.boxNumber(from)
	name := fmt.Sprintf("To_%d_%d", id, of)
	p.out.Converters[name] = id
	return "t." + name + "(" + text + ")"
}

// converter names the function of package t that converts to the interface t, or
// between the folded type t and its underlying type.
func (p *program) converter(prefix string, t types.Type) string {
	id := p.number(t)
	name := fmt.Sprintf("%s_%d", prefix, id)
	p.out.Converters[name] = id
	return "t." + name
}

// once writes a generated function on its first use.
func (p *program) once(name string, text func() string) {
	if _, ok := p.names[name]; ok {
		return
	}
	p.names[name] = name
	t := text()
	p.funcs.WriteString("\n" + t)
}

// unboxed converts text, an any known to contain a t, to type t.
func (p *program) unboxed(t types.Type, text string) string {
	switch {
	case p.keepsInterface(t):
		return p.adapt(t, text)
	case isInterface(t):
		return text
	case isEmptyStruct(t): // the interpreter's assertion reads field 0
		return p.null(t)
	}
	return "rt.Erased(" + text + ").(" + p.typ(t) + ")"
}

// asserter returns the function that asserts that a value of the interface from has type t.
// It returns (t, bool) if ok is set; otherwise it returns t or panics.
func (p *program) asserter(t, from types.Type, ok bool) string {
	id, held := p.number(t), p.typ(from)
	name := fmt.Sprintf("as_%d", id)
	if ok {
		name = fmt.Sprintf("is_%d", id)
	}
	x := "x"
	if p.keepsInterface(from) {
		name += fmt.Sprintf("_%d", p.number(from))
		if isInterface(t) && !p.keepsInterface(t) {
			x = "rt.Raw(x)"
		}
	}
	p.once(name, func() string {
		typ, test, value := p.typ(t), fmt.Sprintf("rt.IsType(x, %d)", id), p.unboxed(t, x)
		if isInterface(t) {
			test = fmt.Sprintf("rt.Implements(x, %d)", id)
		}
		if ok {
			return fmt.Sprintf("func %s(x %s) (%s, bool) {\nif %s {\nreturn %s, true\n}\nreturn %s, false\n}\n", name, held, typ, test, value, p.null(t))
		}
		return fmt.Sprintf("func %s(x %s, from int) %s {\nif %s {\nrt.BadAssert(x, %d, from)\n}\nreturn %s\n}\n", name, held, typ, negate(test), id, value)
	})
	return name
}

func isEmptyStruct(t types.Type) bool {
	s, ok := t.Underlying().(*types.Struct)
	return ok && s.NumFields() == 0
}

// assertion emits x.(T), as two values when ok is set.
func (f *fn) assertion(x *ast.TypeAssertExpr, ok bool) string {
	from := f.typeOf(x.X)
	t := f.subst(f.unit.info.TypeOf(x.Type))
	text := f.expr(x.X)
	if ok {
		return f.p.asserter(t, from, true) + "(" + text + ")"
	}
	return fmt.Sprintf("%s(%s, %d)", f.p.asserter(t, from, false), text, f.p.number(from))
}
