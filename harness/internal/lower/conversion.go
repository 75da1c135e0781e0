package lower

import (
	"go/ast"
	"go/types"
	"strings"
)

// conversion emits T(x).
func (f *fn) conversion(x *ast.CallExpr, to types.Type) string {
	a := x.Args[0]
	if f.isNil(a) {
		return f.p.null(to)
	}
	if isInterface(to) {
		return f.to(a, to)
	}
	from := f.typeOf(a)
	if v := f.value(a).Value; v != nil {
		b, ok := to.Underlying().(*types.Basic)
		if c, isBasic := from.Underlying().(*types.Basic); ok && isBasic && (b.Info()&types.IsString == 0) == (c.Info()&types.IsString == 0) {
			return f.constant(v, to, x)
		}
	}
	from = types.Default(from)
	text := f.expr(a)
	_, fromFolded := folded(from)
	if _, toFolded := folded(to); fromFolded || toFolded {
		if f.p.typ(from) == f.p.typ(to) && fromFolded == toFolded {
			return text
		}
		return f.refold(text, from, to)
	}
	fromText, toText := f.p.typ(from), f.p.typ(to)
	if fromText == toText {
		return text
	}
	switch u := to.Underlying().(type) {
	case *types.Array:
		if s, ok := from.Underlying().(*types.Slice); ok {
			return f.sliceToArray(text, f.p.typ(s), toText, u)
		}
		f.refuse(x, "a conversion from %s to %s", typeName(from), typeName(to))
	case *types.Pointer:
		if s, ok := from.Underlying().(*types.Slice); ok {
			n := constantInt(u.Elem().Underlying().(*types.Array).Len())
			v := f.hoist(text, f.p.typ(s))
			f.w("if len(%s) < %s {\n%srt.BadArray(len(%s), %s)\n}\n", v, n, f.lineText(), v, n)
			return f.hoist("("+toText+")("+v+")", toText)
		}
		f.refuse(x, "a conversion from %s to %s; copy the value into a new variable", typeName(from), typeName(to))
	case *types.Signature:
		return text
	case *types.Chan:
		return f.hoist(text, toText)
	case *types.Basic:
		if _, ok := from.Underlying().(*types.Basic); !ok || u.Info()&types.IsString != 0 {
			// string([]byte), string(rune): an operand of its own, so that no
			// operator can get between
			return "(" + toText + "(" + text + "))"
		}
	case *types.Slice:
		if isString(from) {
			return f.hoistBeforeCall(x, converted(toText, text), to)
		}
		if _, ok := from.Underlying().(*types.Slice); ok && f.p.typ(from.Underlying()) != f.p.typ(u) {
			f.refuse(x, "a conversion from %s to %s", typeName(from), typeName(to))
		}
		return converted(toText, text)
	case *types.Map:
		return converted(toText, text)
	}
	return toText + "(" + text + ")"
}

// converted emits a conversion to a slice or map type. The interpreter mistakes a type in
// parentheses for a value on the left of || or &&, so only types that need parentheses get
// them.
func converted(typ, text string) string {
	if strings.Contains(typ, "func(") || strings.Contains(typ, "chan") {
		typ = "(" + typ + ")"
	}
	return typ + "(" + text + ")"
}

func (f *fn) sliceToArray(text, sliceTyp, arrayTyp string, u *types.Array) string {
	n := constantInt(u.Len())
	s := f.hoist(text, sliceTyp)
	f.w("if len(%s) < %s {\n%srt.BadArray(len(%s), %s)\n}\n", s, n, f.lineText(), s, n)
	a := f.p.fresh("t")
	f.w("var %s %s\ncopy(%s[:], %s)\n", a, arrayTyp, a, s)
	return a
}
