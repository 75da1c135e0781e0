package lower

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/usetools/usetools/harness/internal/stdlib/source"
)

// Comparisons of basic values that are written as calls. A call costs as much as
// twenty operations, and these are what loops of scripts are full of: the tables
// of dynamic programming, functions that sort. So they are written out:
//
//	max(a, b)            var t_3 int = a_1
//	                     if b_2 > t_3 {
//	                         t_3 = b_2
//	                     }
//
//	cmp.Compare(a, b)    var t_3 int = 0
//	                     if a_1 < b_2 {
//	                         t_3 = -1
//	                     } else if a_1 > b_2 {
//	                         t_3 = 1
//	                     }

// extreme emits min and max.
func (f *fn) extreme(name string, x *ast.CallExpr) string {
	t := f.typeOf(x)
	typ := f.p.typ(t)
	b := t.Underlying().(*types.Basic)
	o := f.operandsAs(x.Args, t)
	r := f.hoist(o[0], typ)
	better, worse := " < ", " > "
	if name == "max" {
		better, worse = worse, better
	}
	for _, y := range o[1:] {
		y = f.simple(y, typ)
		text := "if " + y + better + r + " {\n" + r + " = " + y + "\n}\n"
		if b.Info()&types.IsFloat != 0 {
			// what is not a number, and zeros with a sign
			exact := "rt." + strings.ToUpper(name[:1]) + name[1:] + map[types.BasicKind]string{types.Float32: "32", types.Float64: "64"}[b.Kind()]
			text = strings.TrimSuffix(text, "\n") + " else if (" + y + worse + r + ") == false {\n" + r + " = " + exact + "(" + r + ", " + y + ")\n}\n"
		}
		f.choose(text)
	}
	return r
}

// inlined emits a call of one of the library's functions that only compare, of
// basic values; ok is false for all others.
func (f *fn) inlined(x *ast.CallExpr) (text string, ok bool) {
	id := calledIdent(x.Fun)
	if id == nil || x.Ellipsis.IsValid() {
		return "", false
	}
	if len(x.Args) == 1 {
		if _, several := f.typeOf(x.Args[0]).(*types.Tuple); several { // cmp.Or(f())
			return "", false
		}
	}
	fo, isFunc := f.use(id).(*types.Func)
	if !isFunc {
		return "", false
	}
	var t types.Type = types.Typ[types.String]
	if args := f.unit.info.Instances[id].TypeArgs; args != nil {
		t = f.subst(args.At(0))
	}
	b, isBasic := t.Underlying().(*types.Basic)
	if !isBasic {
		return "", false
	}
	isFloat := b.Info()&types.IsFloat != 0
	switch name := strings.TrimPrefix(fo.FullName(), source.Prefix); {
	case (name == "cmp.Compare" || name == "strings.Compare") && len(x.Args) == 2:
		o := f.operandsAs(x.Args, t)
		o[0], o[1] = f.simple(o[0], f.p.typ(t)), f.simple(o[1], f.p.typ(t))
		r := f.hoist("0", "int")
		text := "if " + o[0] + " < " + o[1] + " {\n" + r + " = -1\n} else if " + o[0] + " > " + o[1] + " {\n" + r + " = 1\n}"
		if isFloat {
			text += " else if (" + o[0] + " == " + o[1] + ") == false {\n" + r + " = " + f.sourceFunction(x.Fun, id, fo) + "(" + o[0] + ", " + o[1] + ")\n}"
		}
		f.choose(text + "\n")
		return r, true
	case name == "cmp.Less" && len(x.Args) == 2 && !isFloat:
		o := f.operandsAs(x.Args, t)
		return f.hoist(o[0]+" < "+o[1], "bool"), true
	case name == "cmp.Or" && len(x.Args) > 0 && b.Info()&(types.IsInteger|types.IsString|types.IsBoolean) != 0:
		o := f.operandsAs(x.Args, t)
		r := f.hoist(o[0], f.p.typ(t))
		zero := "0"
		switch {
		case b.Info()&types.IsString != 0:
			zero = `""`
		case b.Info()&types.IsBoolean != 0:
			zero = "false"
		}
		for _, y := range o[1:] {
			y = f.simple(y, f.p.typ(t))
			f.choose("if " + r + " == " + zero + " {\n" + r + " = " + y + "\n}\n")
		}
		return r, true
	}
	return "", false
}

// operandsAs emits operands as values of type t.
func (f *fn) operandsAs(args []ast.Expr, t types.Type) []string {
	var list []operand
	for _, a := range args {
		list = append(list, operand{a, t})
	}
	return f.operands(list...)
}

// simple is a text that can be repeated.
func (f *fn) simple(text, typ string) string {
	if isSimple(text) {
		return text
	}
	return f.hoist(text, typ)
}

// choose writes an if statement that cannot fail: lines that have been noted stay
// so.
func (f *fn) choose(text string) {
	noted, self := f.noted, f.notedSelf
	f.w("%s", text)
	f.noted, f.notedSelf = noted, self
}
