package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"strconv"
	"strings"
)

// Constants are folded: the interpreter never sees a constant expression, iota or an
// untyped constant. It gets each of them wrong in some case.

// constant writes a constant of type t.
func (f *fn) constant(v constant.Value, t types.Type, x ast.Node) string {
	t = types.Default(t)
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		f.refuse(x, "a constant of type %s", typeName(t))
	}
	name := b.Name()
	if f.p.isLibrary(t) {
		name = f.p.typ(t)
	}
	text := constantText(v, b)
	if name == "bool" || name == "string" || name == "int" {
		return text
	}
	return name + "(" + text + ")"
}

func constantText(v constant.Value, b *types.Basic) string {
	switch info := b.Info(); {
	case info&types.IsBoolean != 0:
		return strconv.FormatBool(constant.BoolVal(v))
	case info&types.IsString != 0:
		return quote(constant.StringVal(v))
	case info&types.IsInteger != 0:
		text := constant.ToInt(v).ExactString()
		if text[0] == '-' {
			return "(" + text + ")"
		}
		return text
	case info&types.IsFloat != 0:
		return floatText(v, b.Kind() == types.Float32)
	}
	c := constant.ToComplex(v)
	part := "float64"
	if b.Kind() == types.Complex64 {
		part = "float32"
	}
	return "complex(" + part + "(" + floatText(constant.Real(c), part == "float32") + "), " + part + "(" + floatText(constant.Imag(c), part == "float32") + "))"
}

// quote writes a string literal without the control characters that mark
// prefixes.
func quote(s string) string { return strconv.Quote(s) }

func floatText(v constant.Value, single bool) string {
	v = constant.ToFloat(v)
	x, _ := constant.Float64Val(v)
	bits := 64
	if single {
		y, _ := constant.Float32Val(v)
		x, bits = float64(y), 32
	}
	if math.IsInf(x, 0) || x == 0 {
		return "0.0"
	}
	text := strconv.FormatFloat(x, 'g', -1, bits)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	if text[0] == '-' {
		return "(" + text + ")"
	}
	return text
}

// shiftCount emits the count of a shift. A negative one panics.
func (f *fn) shiftCount(x ast.Expr) string {
	if v := f.value(x).Value; v != nil {
		return "uint(" + constant.ToInt(v).ExactString() + ")"
	}
	text := f.expr(x)
	if b, ok := f.typeOf(x).Underlying().(*types.Basic); ok && b.Info()&types.IsUnsigned == 0 {
		t, set := f.temp("int64", "int64("+text+")")
		return guarded(set+"if "+t+" < 0 {\n"+f.lineText()+"rt.BadShift()\n}\n", "uint64("+t+")")
	}
	return "uint64(" + text + ")"
}

// assignOps are the operators of x op= y.
var assignOps = map[token.Token]token.Token{
	token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB, token.MUL_ASSIGN: token.MUL, token.QUO_ASSIGN: token.QUO,
	token.REM_ASSIGN: token.REM, token.AND_ASSIGN: token.AND, token.OR_ASSIGN: token.OR, token.XOR_ASSIGN: token.XOR,
	token.SHL_ASSIGN: token.SHL, token.SHR_ASSIGN: token.SHR, token.AND_NOT_ASSIGN: token.AND_NOT,
}
