package check

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/usetools/usetools/registry/text"
)

// notAllowed reports constants in fields whose schema does not allow them (the tag enum holds
// the allowed values as a JSON array). Values known only at run time are validated with the call.
func (r *requirements) notAllowed(n ast.Node) (list []Diagnostic) {
	r.eachField(n, func(s *types.Struct, owner *types.Named, field int, value *ast.Expr, before string) {
		list = append(list, r.value(s, owner, field, value, before)...)
	})
	return list
}

// eachField calls f with each value that a literal or an assignment gives to a field of a
// server's struct: the struct, its type, the field, and the text before the value.
func (c *checker) eachField(n ast.Node, f func(s *types.Struct, owner *types.Named, field int, value *ast.Expr, before string)) {
	switch n := n.(type) {
	case *ast.CompositeLit:
		if s, owner := serverStruct(c.info.TypeOf(n)); s != nil {
			eachElement(n, s, func(field int, value *ast.Expr, before string) { f(s, owner, field, value, before) })
		}
	case *ast.AssignStmt:
		if n.Tok != token.ASSIGN || len(n.Lhs) != len(n.Rhs) {
			return
		}
		for i, x := range n.Lhs {
			if sel, ok := ast.Unparen(x).(*ast.SelectorExpr); ok {
				if s, owner := serverStruct(c.info.TypeOf(sel.X)); s != nil {
					if at := fieldNamed(s, sel.Sel.Name); at >= 0 {
						f(s, owner, at, &n.Rhs[i], c.source(sel)+" = ")
					}
				}
			}
		}
	}
}

// eachElement calls f with each value in a literal of a struct, like eachField.
func eachElement(lit *ast.CompositeLit, s *types.Struct, f func(field int, value *ast.Expr, before string)) {
	for i := range lit.Elts {
		value, at, before := &lit.Elts[i], i, ""
		if kv, ok := (*value).(*ast.KeyValueExpr); ok {
			id, ok := kv.Key.(*ast.Ident)
			if !ok {
				continue
			}
			value, at, before = &kv.Value, fieldNamed(s, id.Name), id.Name+": "
		}
		if at >= 0 && at < s.NumFields() {
			f(at, value, before)
		}
	}
}

// serverStruct returns the struct type of a server package that t is or points to.
func serverStruct(t types.Type) (*types.Struct, *types.Named) {
	n := named(t)
	if n == nil || !ofServer(n.Obj().Pkg()) {
		return nil, nil
	}
	s, _ := n.Underlying().(*types.Struct)
	return s, n
}

func fieldNamed(s *types.Struct, name string) int {
	for i := range s.NumFields() {
		if s.Field(i).Name() == name {
			return i
		}
	}
	return -1
}

// value checks the constant in a field, or the constants in the literal of a list. It corrects
// one with the wrong case. before is the source text in front of it, for the warning.
func (r *requirements) value(s *types.Struct, owner *types.Named, field int, x *ast.Expr, before string) []Diagnostic {
	tag := reflect.StructTag(s.Tag(field)).Get("enum")
	if tag == "" {
		return nil
	}
	var allowed []json.RawMessage
	if json.Unmarshal([]byte(tag), &allowed) != nil {
		return nil
	}
	var exprs []*ast.Expr
	if lit, ok := ast.Unparen(*x).(*ast.CompositeLit); ok {
		for i := range lit.Elts {
			exprs = append(exprs, &lit.Elts[i])
		}
	} else {
		exprs = append(exprs, x)
	}
	var list []Diagnostic
	for _, at := range exprs {
		e := *at
		v := r.info.Types[e].Value
		if v == nil || slices.ContainsFunc(allowed, func(a json.RawMessage) bool { return sameConstant(v, string(a)) }) {
			continue
		}
		if right := matchIgnoringCase(v, allowed); right != "" {
			r.correct(e.Pos(), before+r.source(e), strconv.Quote(right))
			known := r.info.Types[e]
			known.Value = constant.MakeString(right)
			*at = &ast.BasicLit{ValuePos: e.Pos(), Kind: token.STRING, Value: strconv.Quote(right)}
			r.info.Types[*at] = known
			continue
		}
		d := r.diagnose(Compile, e.Pos(), "%s is not a value of %s.%s.%s", v.ExactString(), owner.Obj().Pkg().Name(), owner.Obj().Name(), s.Field(field).Name())
		d.Hint, d.Near = allowedHint(v, allowed)
		d.concern(CodeEnum, serverOf(owner.Obj()), owner.Obj().Name(), s.Field(field).Name())
		list = append(list, d)
	}
	return list
}

// sameConstant compares a constant with a JSON scalar.
func sameConstant(v constant.Value, text string) bool {
	switch v.Kind() {
	case constant.String:
		var s string
		return json.Unmarshal([]byte(text), &s) == nil && s == constant.StringVal(v)
	case constant.Bool:
		return text == strconv.FormatBool(constant.BoolVal(v))
	case constant.Int, constant.Float:
		var n json.Number
		if json.Unmarshal([]byte(text), &n) != nil || len(n) > 40 {
			return false
		}
		f, err := n.Float64()
		want, _ := constant.Float64Val(v)
		return err == nil && f == want
	}
	return false
}

// matchIgnoringCase returns the only allowed text that equals a constant, ignoring case; otherwise "".
func matchIgnoringCase(v constant.Value, allowed []json.RawMessage) string {
	if v.Kind() != constant.String {
		return ""
	}
	return only(texts(allowed), func(s string) bool { return strings.EqualFold(s, constant.StringVal(v)) })
}

// texts returns the values that are strings.
func texts(values []json.RawMessage) (out []string) {
	for _, v := range values {
		var s string
		if json.Unmarshal(v, &s) == nil {
			out = append(out, s)
		}
	}
	return out
}

// maxAllowed limits the values in a hint.
const maxAllowed = 24

// allowedHint returns a hint with the allowed values, and, as Go source, the one that was
// probably meant.
func allowedHint(v constant.Value, allowed []json.RawMessage) (hint string, meant []string) {
	var all []string
	for _, a := range allowed {
		all = append(all, string(a))
	}
	hint = "allowed: " + text.List(all, maxAllowed)
	if v.Kind() != constant.String {
		return hint, nil
	}
	word := constant.StringVal(v)
	if word == "" {
		return hint + "; leave the field out to send nothing", nil
	}
	if near := nearest(word, texts(allowed)); len(near) > 0 {
		hint, meant = fmt.Sprintf("did you mean %q? %s", near[0], hint), []string{strconv.Quote(near[0])}
	}
	return hint, meant
}
