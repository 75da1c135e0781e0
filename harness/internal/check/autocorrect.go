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
	"strings"

	"github.com/usetools/usetools/registry/text"
)

// The type of a tool's function or of a field of its arguments is known. That settles what a
// script means by an unknown type name or a quoted number there.

// printers are functions of fmt that scripts call without the package name.
var printers = map[string]bool{"Print": true, "Println": true, "Printf": true}

// qualifyPrints replaces calls of undeclared functions Print, Println and Printf with those of fmt.
func (c *checker) qualifyPrints() {
	for _, f := range c.files {
		bare := map[*ast.Ident]bool{}
		for _, id := range f.Unresolved {
			if printers[id.Name] {
				bare[id] = true
			}
		}
		if len(bare) == 0 {
			continue
		}
		name := f.nameOfFmt()
		if name == "" || f.Scope.Lookup(name) != nil || c.declares(name) {
			continue
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if id, ok := call.Fun.(*ast.Ident); ok && bare[id] {
				c.correct(id.Pos(), id.Name+"(…)", name+"."+id.Name+"(…)")
				x := &ast.Ident{NamePos: id.Pos(), Name: name}
				call.Fun = &ast.SelectorExpr{X: x, Sel: id}
				c.refs = append(c.refs, reference{x, id, f})
			}
			return true
		})
	}
}

// nameOfFmt returns the identifier for package fmt in a file that may lack its import. It
// returns "" if another import may declare that identifier.
func (f *file) nameOfFmt() string {
	name := "fmt"
	for _, spec := range f.Imports {
		switch own := importedName(spec); {
		case own == "." && importedPath(spec) != predeclaredPath:
			return "" // with a dot-import of log, Println is log.Println
		case importedPath(spec) == "fmt" && own != "_":
			name = own
		}
	}
	for _, spec := range f.Imports {
		if importedName(spec) == name && importedPath(spec) != "fmt" {
			return ""
		}
	}
	return name
}

// declares reports whether the script declares a name anywhere.
func (s *Script) declares(name string) bool {
	found := false
	s.inspect(func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name && id.Obj != nil
		return !found
	})
	return found
}

// A guess is a type substituted for an unknown one in the script.
type guess struct {
	from, to token.Pos // the literal that shows whether it fits
	name     token.Pos // the unknown type name
	written  string
	right    string
	missing  Diagnostic // reported if it does not fit
}

// guessed records a guess.
func (c *checker) guessed(lit *ast.CompositeLit, pos token.Pos, written, right string, t *types.Named) {
	d := c.diagnose(Compile, pos, "undefined: %s", written)
	d.Hint = "the type here is " + right
	d.concern(CodeNoName, serverOf(t.Obj()), written[strings.LastIndexByte(written, '.')+1:], "")
	c.guesses = append(c.guesses, guess{lit.Pos(), lit.End(), pos, written, right, d})
}

// settle warns of the guesses that fit. For the others, it reports the name in the script as undefined.
func (c *checker) settle(list []Diagnostic) []Diagnostic {
	for _, g := range c.guesses {
		line, column := c.at(g.from)
		endLine, endColumn := c.at(g.to)
		inside := func(d Diagnostic) bool {
			about := d.Code == CodeNoField || d.Code == CodeType || d.Code == CodeRequired || d.Code == CodeEnum
			return about && (d.Line > line || d.Line == line && d.Column >= column) && (d.Line < endLine || d.Line == endLine && d.Column < endColumn)
		}
		if slices.ContainsFunc(list, inside) {
			list = append(list, g.missing)
		} else {
			c.correct(g.name, g.written, g.right)
		}
	}
	return list
}

// correctArguments corrects arguments of tools' functions and the values of their fields, and reports
// whether it changed any. Call it only for a script with faults.
func (c *checker) correctArguments() bool {
	m := corrector{checker: c, done: map[*ast.CompositeLit]bool{}, types: map[typeKey]string{}}
	for _, f := range c.files {
		m.file = f
		ast.Inspect(f.File, m.visit)
	}
	for _, r := range c.refs {
		if right := m.types[typeKey{r.file, r.x.Name, r.name.Name}]; right != "" {
			r.name.Name = right
		}
	}
	return m.changed
}

type corrector struct {
	*checker
	file    *file
	done    map[*ast.CompositeLit]bool
	types   map[typeKey]string // the substitutes for unknown types, "" if ambiguous
	changed bool
}

// typeKey is a qualified type name in a file.
type typeKey struct {
	file      *file
	pkg, name string
}

func (m *corrector) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		f := m.toolOf(n)
		if f == nil {
			m.returnList(n)
			m.calledField(n)
			return true
		}
		params := f.Signature().Params()
		if params.Len() == 0 && len(n.Args) == 1 && isNothing(n.Args[0]) {
			m.warned(n.Pos(), m.source(n), m.source(n.Fun)+"()")
			n.Args = nil
			return true
		}
		if params.Len() == 1 && (m.addParams(n, params.At(0).Type()) || m.wrapArgument(n, f)) {
			return true
		}
		for i := range min(len(n.Args), params.Len()) {
			m.value(&n.Args[i], params.At(i).Type(), "")
		}
	case *ast.CompositeLit:
		if t := m.info.TypeOf(n); t != nil {
			m.literal(n, t, false)
		}
	case *ast.AssignStmt:
		m.eachField(n, func(s *types.Struct, owner *types.Named, field int, value *ast.Expr, before string) {
			m.field(value, owner, s.Field(field).Type(), before)
		})
	}
	return true
}

// returnList combines several arguments of Return into a list, unless one is an error, which a
// list would hide.
func (m *corrector) returnList(call *ast.CallExpr) {
	if !m.isReturn(call) || len(call.Args) < 2 || call.Ellipsis.IsValid() || slices.ContainsFunc(call.Args, m.isError) {
		return
	}
	written, at := m.source(call), call.Args[0].Pos()
	list := &ast.ArrayType{Lbrack: at, Elt: &ast.InterfaceType{Interface: at, Methods: &ast.FieldList{Opening: at, Closing: at}}}
	call.Args = []ast.Expr{&ast.CompositeLit{Type: list, Lbrace: at, Elts: call.Args, Rbrace: call.Rparen - 1}}
	m.warned(call.Pos(), written, "Return([]any{…})")
}

// calledField removes the call of a text field of a server's struct: results without a field Text
// have a method Text.
func (m *corrector) calledField(call *ast.CallExpr) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) > 0 || m.declares("string") {
		return
	}
	if v, ok := m.info.Uses[sel.Sel].(*types.Var); ok && v.IsField() && ofServer(v.Pkg()) && types.Identical(v.Type(), types.Typ[types.String]) {
		m.warned(call.Pos(), m.source(call), m.source(sel))
		call.Fun, call.Args = &ast.Ident{NamePos: call.Pos(), Name: "string"}, []ast.Expr{sel}
	}
}

// isReturn reports whether a call is one of the predeclared function Return.
func (c *checker) isReturn(call *ast.CallExpr) bool {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	return ok && id.Name == "Return" && c.prelude != nil && c.info.Uses[id] != nil && c.info.Uses[id] == c.prelude.Scope().Lookup("Return")
}

// isError reports whether an expression is an error.
func (c *checker) isError(e ast.Expr) bool {
	t := c.info.TypeOf(e)
	return isKnown(t) && types.Implements(t, types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
}

// addParams adds an empty struct to a call without arguments if all of its fields are optional.
func (m *corrector) addParams(call *ast.CallExpr, want types.Type) bool {
	s, named := serverStruct(want)
	x, isName := ast.Unparen(call.Fun).(*ast.SelectorExpr).X.(*ast.Ident)
	if s == nil || !isName || len(call.Args) > 1 || len(call.Args) == 1 && !m.isNoStruct(call.Args[0]) {
		return false
	}
	for i := range s.NumFields() {
		if reflect.StructTag(s.Tag(i)).Get("use") != "" {
			return false
		}
	}
	written := m.source(call)
	call.Args = []ast.Expr{paramsLiteral(x, named, call.Lparen, call.Lparen)}
	m.warned(call.Pos(), written, m.source(call))
	return true
}

// wrapArgument puts the bare argument of a read call into the tool's parameter struct, if that
// has one required field and the types match.
func (m *corrector) wrapArgument(call *ast.CallExpr, f *types.Func) bool {
	lit, right := m.wrapped(call, f)
	if lit == nil || isEffect(f) {
		return false
	}
	m.warned(call.Pos(), m.source(call), right)
	call.Args = []ast.Expr{lit}
	return true
}

// wrapped returns the argument of a call as the only required field of the tool's parameter
// struct, and the call as the script should write it. It returns nil if the argument cannot be
// that field.
func (c *checker) wrapped(call *ast.CallExpr, f *types.Func) (*ast.CompositeLit, string) {
	params := f.Signature().Params()
	if params.Len() != 1 || len(call.Args) != 1 || call.Ellipsis.IsValid() {
		return nil, ""
	}
	s, named := serverStruct(params.At(0).Type())
	x, isName := ast.Unparen(call.Fun).(*ast.SelectorExpr).X.(*ast.Ident)
	if s == nil || !isName {
		return nil, ""
	}
	var field *types.Var
	for i := range s.NumFields() {
		switch use := reflect.StructTag(s.Tag(i)).Get("use"); {
		case use == "":
		case use != "required" || field != nil:
			return nil, ""
		default:
			field = s.Field(i)
		}
	}
	if field == nil {
		return nil, ""
	}
	value := c.pointed(call.Args[0], field.Type())
	if value == nil && sameType(c.info.TypeOf(call.Args[0]), field.Type()) {
		value = call.Args[0]
	}
	if value == nil {
		return nil, ""
	}
	at := value.Pos()
	lit := paramsLiteral(x, named, at, value.End(), &ast.KeyValueExpr{Key: &ast.Ident{NamePos: at, Name: field.Name()}, Colon: at, Value: value})
	return lit, fmt.Sprintf("%s(%s{%s: %s})", c.source(call.Fun), c.source(lit.Type), field.Name(), c.source(value))
}

// paramsLiteral returns a literal of a server's struct.
func paramsLiteral(pkg *ast.Ident, t *types.Named, from, to token.Pos, fields ...ast.Expr) *ast.CompositeLit {
	return &ast.CompositeLit{Type: qualified(pkg.Name, t, from), Lbrace: from, Elts: fields, Rbrace: to}
}

// qualified returns a server's type name qualified by its package.
func qualified(pkg string, t *types.Named, at token.Pos) *ast.SelectorExpr {
	return &ast.SelectorExpr{X: &ast.Ident{NamePos: at, Name: pkg}, Sel: &ast.Ident{NamePos: at, Name: t.Obj().Name()}}
}

// sameType reports whether a value has a field's type, or is an untyped constant of it.
func sameType(value, field types.Type) bool {
	if value == nil || types.Identical(value, field) {
		return value != nil
	}
	v, ok1 := value.Underlying().(*types.Basic)
	f, ok2 := field.Underlying().(*types.Basic)
	if !ok1 || !ok2 {
		return false
	}
	return v.Info()&types.IsUntyped != 0 && types.Identical(types.Default(v), field) ||
		v.Kind() == types.UntypedInt && f.Info()&types.IsFloat != 0
}

// toolOf returns the called tool's function, or nil.
func (c *checker) toolOf(call *ast.CallExpr) *types.Func {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	f, ok := c.info.Uses[sel.Sel].(*types.Func)
	if !ok || serverOf(f) == "" || f.Signature().Recv() != nil {
		return nil
	}
	return f
}

// isNothing reports whether an argument is an empty literal or nil, which stand for no arguments.
func isNothing(e ast.Expr) bool {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		return id.Name == "nil"
	}
	lit, _ := literalOf(e)
	return lit != nil && len(lit.Elts) == 0
}

// isNoStruct reports whether an argument is nil or an empty map, which stand for no arguments
// where a struct is expected.
func (m *corrector) isNoStruct(e ast.Expr) bool {
	t := m.info.TypeOf(e)
	if !isNothing(e) || t == nil {
		return false
	}
	_, isMap := t.Underlying().(*types.Map)
	return isMap || t == types.Typ[types.UntypedNil]
}

// source returns an expression as the script writes it, shortened.
func (c *checker) source(e ast.Expr) string { return text.CutBytes(c.plain(types.ExprString(e)), 80) }

func (m *corrector) warned(pos token.Pos, wrong, right string) {
	m.changed = true
	m.correct(pos, wrong, right)
}

// correct warns that the check replaces wrong with right. If the check is strict, it asks for that.
func (c *checker) correct(pos token.Pos, wrong, right string) {
	if c.strict {
		c.warn(pos, "%s: write %s", wrong, right)
		return
	}
	c.warn(pos, "auto-corrected: %s → %s", wrong, right)
}

// value corrects a value to the expected type. before is the source text in front of it, for
// the warning.
func (m *corrector) value(e *ast.Expr, want types.Type, before string) {
	lit, address := literalOf(*e)
	if lit == nil {
		m.constant(e, want, before)
		return
	}
	want = types.Unalias(want)
	p, toPointer := want.(*types.Pointer)
	switch s, _ := serverStruct(want); {
	case toPointer:
		want = p.Elem()
	case address && s != nil:
		m.warned((*e).Pos(), before+m.source(*e), m.source(lit))
		*e = lit
	}
	m.literal(lit, want, true)
}

// literal corrects a literal to the expected type, and its elements. It corrects constants in a
// list only if the list is passed to a tool.
func (m *corrector) literal(lit *ast.CompositeLit, want types.Type, given bool) {
	if p, ok := types.Unalias(want).(*types.Pointer); ok { // an element with an omitted type
		want = p.Elem()
	}
	if m.done[lit] || lit.Type != nil && !m.typeName(&lit.Type, want, lit) {
		return
	}
	m.done[lit] = true
	var elem types.Type
	switch u := want.Underlying().(type) {
	case *types.Struct:
		if s, owner := serverStruct(want); s != nil {
			eachElement(lit, s, func(field int, value *ast.Expr, before string) {
				m.field(value, owner, s.Field(field).Type(), before)
			})
		}
		return
	case *types.Slice:
		elem = u.Elem()
	case *types.Array:
		elem = u.Elem()
	case *types.Map:
		elem = u.Elem()
	default:
		return
	}
	if s, _ := serverStruct(elem); s == nil && !given {
		return
	}
	for i := range lit.Elts {
		e := &lit.Elts[i]
		if kv, ok := (*e).(*ast.KeyValueExpr); ok {
			e = &kv.Value
		}
		m.value(e, elem, "")
	}
}

// field corrects the value of a field of a server's struct. In the parameters of a read call, a
// plain value becomes a pointer if the field is nullable.
func (m *corrector) field(e *ast.Expr, owner *types.Named, want types.Type, before string) {
	if x := m.pointed(*e, want); x != nil && onlyReads(owner) {
		m.warned((*e).Pos(), before+m.source(*e), m.source(x))
		*e = x
		return
	}
	m.value(e, want, before)
}

// pointed returns new(e) if a pointer to the type of e is expected, else nil.
func (c *checker) pointed(e ast.Expr, want types.Type) ast.Expr {
	p, ok := types.Unalias(want).(*types.Pointer)
	if !ok || !sameType(c.info.TypeOf(e), p.Elem()) {
		return nil
	}
	functions := []string{"new"}
	if !types.Identical(types.Default(c.info.TypeOf(e)), p.Elem()) { // 3 where a *float64 is expected
		functions = []string{p.Elem().String(), "new"}
	}
	for _, f := range functions {
		if c.declares(f) {
			return nil
		}
		e = &ast.CallExpr{Fun: &ast.Ident{NamePos: e.Pos(), Name: f}, Lparen: e.Pos(), Args: []ast.Expr{e}, Rparen: e.End() - 1}
	}
	return e
}

// typeName replaces an undeclared type name with the expected type, and reports whether the
// literal has that type now.
func (m *corrector) typeName(t *ast.Expr, want types.Type, lit *ast.CompositeLit) bool {
	have := m.info.TypeOf(*t)
	if isKnown(have) && types.Identical(have, want) {
		return true
	}
	switch w := types.Unalias(want).(type) {
	case *types.Named:
		if s, _ := serverStruct(w); s == nil || isKnown(have) {
			return false
		}
		written, pos := m.source(*t), (*t).Pos()
		if sel, ok := (*t).(*ast.SelectorExpr); ok {
			pos = sel.Sel.Pos()
		}
		if !m.rename(t, w) {
			return false
		}
		m.guessed(lit, pos, written, m.source(*t), w)
		m.changed = true
		return true
	case *types.Pointer:
		star, ok := (*t).(*ast.StarExpr)
		return ok && m.typeName(&star.X, w.Elem(), lit)
	case *types.Slice:
		list, ok := (*t).(*ast.ArrayType)
		if !ok || list.Len != nil {
			return false
		}
		if star, ok := list.Elt.(*ast.StarExpr); ok && isStruct(w.Elem()) {
			written := m.source(*t)
			list.Elt = star.X
			m.warned(list.Pos(), written, m.source(*t))
		}
		return m.typeName(&list.Elt, w.Elem(), lit)
	case *types.Map:
		table, ok := (*t).(*ast.MapType)
		return ok && m.typeName(&table.Value, w.Elem(), lit)
	}
	return false
}

func isKnown(t types.Type) bool { return t != nil && t != types.Typ[types.Invalid] }

func isStruct(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

// rename replaces an unknown type name with that of a server's type, if the file imports its package.
func (m *corrector) rename(t *ast.Expr, to *types.Named) bool {
	if sel, ok := (*t).(*ast.SelectorExpr); ok {
		x, ok := sel.X.(*ast.Ident)
		if !ok {
			return false
		}
		if p, ok := m.info.Uses[x].(*types.PkgName); ok && p.Imported().Path() == to.Obj().Pkg().Path() {
			key, right := typeKey{m.file, x.Name, sel.Sel.Name}, to.Obj().Name()
			if was, ok := m.types[key]; ok && was != right {
				right = "" // one name for two types
			}
			m.types[key] = right
			sel.Sel.Name = to.Obj().Name()
			return true
		}
	} else if _, ok := (*t).(*ast.Ident); !ok {
		return false
	}
	for _, spec := range m.file.Imports {
		if importedPath(spec) != to.Obj().Pkg().Path() {
			continue
		}
		name := to.Obj().Pkg().Name()
		if spec.Name != nil {
			name = spec.Name.Name
		}
		*t = qualified(name, to, (*t).Pos())
		return true
	}
	return false
}

// constant replaces a constant string that spells a number or a boolean with that value, if the
// expected type is one.
func (m *corrector) constant(e *ast.Expr, want types.Type, before string) {
	basic, ok := want.Underlying().(*types.Basic)
	if !ok || basic.Info()&(types.IsNumeric|types.IsBoolean) == 0 {
		return
	}
	v := m.info.Types[*e].Value
	if lit, ok := ast.Unparen(*e).(*ast.BasicLit); ok && v == nil && lit.Kind == token.STRING {
		v = constant.MakeFromLiteral(lit.Value, lit.Kind, 0)
	}
	if v == nil || v.Kind() != constant.String {
		return
	}
	text := constant.StringVal(v)
	var plain ast.Expr
	switch {
	case basic.Info()&types.IsBoolean != 0:
		if text != "true" && text != "false" {
			return
		}
		// The script may shadow true and false.
		zero, op := ast.BasicLit{ValuePos: (*e).Pos(), Kind: token.INT, Value: "0"}, token.EQL
		if text == "false" {
			op = token.NEQ
		}
		x, y := zero, zero
		plain = &ast.BinaryExpr{X: &x, OpPos: (*e).Pos(), Op: op, Y: &y}
	case isNumeral(text, basic.Info()&types.IsInteger != 0):
		digits, negative := strings.CutPrefix(text, "-")
		lit := &ast.BasicLit{ValuePos: (*e).Pos(), Kind: token.FLOAT, Value: digits}
		if !strings.ContainsAny(digits, ".eE") {
			lit.Kind = token.INT
		}
		if plain = lit; negative {
			plain = &ast.UnaryExpr{OpPos: (*e).Pos(), Op: token.SUB, X: lit}
		}
	default:
		return
	}
	m.warned((*e).Pos(), before+m.source(*e), text)
	*e = plain
}

// isNumeral reports whether a text is exactly one number in JSON syntax.
func isNumeral(text string, integer bool) bool {
	if text == "" || len(text) > 40 || text[0] != '-' && (text[0] < '0' || text[0] > '9') || text != strings.TrimSpace(text) {
		return false
	}
	return json.Valid([]byte(text)) && !(integer && strings.ContainsAny(text, ".eE"))
}
