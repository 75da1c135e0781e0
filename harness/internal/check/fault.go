package check

import (
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"unicode"
	"unicode/utf8"
)

// A fault is an error of go/types. Its handling depends on its code and on the syntax and types
// at its position, never on its words, which only choose among hints (see idioms).
type fault struct {
	types.Error
	code code
}

// A code identifies the kind of a go/types error: its number in internal/types/errors, where
// "error code values should not be changed". It has no public name; gopls reads it in the same
// way. A test provokes each of these errors, and so fails with a Go version whose numbers differ.
type code int

const (
	brokenImport           code = 6
	unusedImport           code = 8
	wrongAssignCount       code = 17
	missingInitBody        code = 37
	missingLitField        code = 66
	undeclaredImportedName code = 73
	undeclaredName         code = 75
	missingFieldOrMethod   code = 76
	unusedVar              code = 101
	wrongResultCount       code = 103
	unusedLabel            code = 122
	wrongArgCount          code = 126

	noNewVar             code = 19
	notAType             code = 25
	tooManyValues        code = 41
	invalidStructLit     code = 65
	unexportedLitField   code = 68
	unexportedName       code = 74
	impossibleAssert     code = 95
	unusedExpr           code = 100
	missingReturn        code = 102
	invalidCond          code = 105
	unsupportedFeature   code = 135
	invalidInstanceCycle code = 140
	tooNew               code = 151

	unassignableOperand      code = 18
	invalidIfaceAssign       code = 21
	incompatibleAssign       code = 23
	unaddressableFieldAssign code = 24
	truncatedFloat           code = 43
	numericOverflow          code = 44
	undefinedOp              code = 45
	mismatchedTypes          code = 46
	divByZero                code = 47
	nonNumericIncDec         code = 48
	unaddressableOperand     code = 49
	invalidIndirection       code = 50
	nonIndexableOperand      code = 51
	invalidIndex             code = 52
	nonSliceableOperand      code = 54
	invalidSliceExpr         code = 55
	invalidShiftCount        code = 56
	invalidShiftOperand      code = 57
	invalidReceive           code = 58
	invalidSend              code = 59
	invalidCap               code = 84
	invalidClose             code = 85
	invalidDelete            code = 88
	invalidLen               code = 90
	invalidMake              code = 92
	invalidAssert            code = 94
	invalidConversion        code = 96
	invalidUntypedConversion code = 97
	invalidRangeExpr         code = 109
	invalidCall              code = 127
)

// ofValues are the codes of faults with a value's type, or with an operation on a value.
var ofValues = []code{
	unassignableOperand, invalidIfaceAssign, incompatibleAssign, unaddressableFieldAssign, truncatedFloat,
	numericOverflow, undefinedOp, mismatchedTypes, divByZero, nonNumericIncDec, unaddressableOperand,
	invalidIndirection, nonIndexableOperand, invalidIndex, nonSliceableOperand, invalidSliceExpr,
	invalidShiftCount, invalidShiftOperand, invalidReceive, invalidSend, invalidCap, invalidClose,
	invalidDelete, invalidLen, invalidMake, invalidAssert, invalidConversion, invalidUntypedConversion,
	invalidRangeExpr, invalidCall,
}

// faultOf converts an error of go/types to a fault.
func faultOf(err error) fault {
	var e types.Error
	if !errors.As(err, &e) {
		return fault{Error: types.Error{Msg: err.Error()}}
	}
	f := fault{Error: e}
	if v := reflect.ValueOf(e).FieldByName("go116code"); v.IsValid() && v.CanInt() {
		f.code = code(v.Int())
	}
	return f
}

// isUntidy reports whether a fault is only an unused variable, import or label.
func (f *fault) isUntidy() bool {
	return f.Soft && (f.code == unusedVar || f.code == unusedImport || f.code == unusedLabel)
}

// undefined returns the undeclared name of a fault as the script writes it, x or p.Name, or ""
// for another fault.
func (c *checker) undefined(f fault) string {
	for _, n := range c.pathTo(f.Pos) {
		switch n := n.(type) {
		case *ast.Ident:
			if f.code == undeclaredName && n.Pos() == f.Pos {
				return n.Name
			}
		case *ast.SelectorExpr:
			if f.code == undeclaredImportedName && n.Sel.Pos() == f.Pos {
				return types.ExprString(n)
			}
		}
	}
	return ""
}

// counted reports whether a fault is about too many values rather than too few, and whether one
// of the given or expected values has an unknown type.
func (c *checker) counted(f fault) (tooMany, unknown bool) {
	path := c.pathTo(f.Pos)
	for i := len(path) - 1; i >= 0; i-- {
		switch n := path[i].(type) {
		case *ast.ReturnStmt:
			if f.code == wrongResultCount {
				return compared(c.valueTypes(n.Results), c.resultTypes(path[:i]))
			}
		case *ast.CallExpr:
			if s, ok := c.typeOf(n.Fun).(*types.Signature); ok && f.code == wrongArgCount {
				return compared(c.valueTypes(n.Args), tupleTypes(s.Params()))
			}
		}
	}
	return false, false
}

func compared(have, want []types.Type) (tooMany, unknown bool) {
	for _, t := range append(have, want...) {
		unknown = unknown || !isKnown(t)
	}
	return len(have) > len(want), unknown
}

// valueTypes returns the types of the values in a list of expressions.
func (c *checker) valueTypes(list []ast.Expr) []types.Type {
	var out []types.Type
	for _, e := range list {
		t := c.info.TypeOf(e)
		if tuple, ok := t.(*types.Tuple); ok {
			out = append(out, tupleTypes(tuple)...)
		} else {
			out = append(out, t)
		}
	}
	return out
}

func tupleTypes(t *types.Tuple) []types.Type {
	var out []types.Type
	for v := range t.Variables() {
		out = append(out, v.Type())
	}
	return out
}

// resultTypes returns the result types of the innermost function of a path.
func (c *checker) resultTypes(path []ast.Node) []types.Type {
	for i := len(path) - 1; i >= 0; i-- {
		var t types.Type
		switch n := path[i].(type) {
		case *ast.FuncLit:
			t = c.info.TypeOf(n)
		case *ast.FuncDecl:
			if o := c.info.Defs[n.Name]; o != nil {
				t = o.Type()
			}
		default:
			continue
		}
		if s, ok := t.(*types.Signature); ok {
			return tupleTypes(s.Results())
		}
		return nil
	}
	return nil
}

// isHidden reports whether a type has an unexported field or method of that name in another
// package, or is a pointer to an interface. Go words these faults differently from "no field or
// method".
func isHidden(t types.Type, name string) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok && types.IsInterface(p.Elem()) {
		return true
	}
	if token.IsExported(name) {
		return false
	}
	n := named(t)
	if n == nil || n.Obj().Pkg() == nil {
		return false
	}
	has := func(name string) bool {
		o, _, _ := types.LookupFieldOrMethod(t, true, n.Obj().Pkg(), name)
		return o != nil
	}
	first, size := utf8.DecodeRuneInString(name)
	return has(name) && !has(string(unicode.ToUpper(first))+name[size:])
}
