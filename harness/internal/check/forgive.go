package check

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Limits of the attempts to correct a script that Go does not accept.
const (
	maxRounds    = 5   // of corrections, each with another check
	maxCorrected = 100 // faults examined in a round
)

// forgive corrects near misses in uses of the generated packages, whose source the script's
// author has not seen, and returns the remaining faults.
func (c *checker) forgive(faults []fault) []fault {
	for range maxRounds {
		corrected := false
		for _, f := range faults[:min(len(faults), maxCorrected)] {
			corrected = c.correctMember(f) || c.takeBoth(f) || corrected
		}
		if len(faults) > 0 {
			corrected = c.correctArguments() || corrected
		}
		if !corrected {
			break
		}
		faults = c.checkScript()
	}
	return faults
}

// takeBoth reports a tool's call whose error is not assigned, and assigns it to _, so that
// mistakes with the result are found too.
func (c *checker) takeBoth(f fault) bool {
	if f.code != wrongAssignCount {
		return false
	}
	for _, n := range c.pathTo(f.Pos) {
		assign, ok := n.(*ast.AssignStmt)
		if !ok || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 || assign.Rhs[0].Pos() != f.Pos && assign.Lhs[0].Pos() != f.Pos {
			continue
		}
		if call, ok := ast.Unparen(assign.Rhs[0]).(*ast.CallExpr); ok && c.toolOf(call) != nil && c.toolOf(call).Signature().Results().Len() == 2 {
			c.standing = append(c.standing, c.explain(f))
			assign.Lhs = append(assign.Lhs, &ast.Ident{NamePos: assign.Lhs[0].End(), Name: "_"})
			return true
		}
	}
	return false
}

// correctMember renames a field or method that a unit's type has under another spelling, or a
// field that certainly means a parameter of a read call.
func (c *checker) correctMember(f fault) bool {
	id, owner := c.member(f)
	if id == nil || !c.isUnits(owner) {
		return false
	}
	right := cmp.Or(matchOne(id.Name, members(owner)), c.parameterMeant(id, owner))
	if right == "" || right == id.Name {
		return false
	}
	c.rename("", id, right)
	return true
}

// parameterMeant returns the unset parameter of a read call that an unknown field of its
// literal means (Path for RepoPath). It returns "" if that is uncertain: another parameter or
// field would match too, or the script sets the parameter elsewhere.
func (c *checker) parameterMeant(id *ast.Ident, owner types.Type) string {
	s, params := serverStruct(owner)
	given := c.givenBeside(id)
	if s == nil || given == nil || !onlyReads(params) {
		return ""
	}
	right := c.meantBy(id.Name, s, given)
	for name := range given {
		if name != id.Name && fieldNamed(s, name) < 0 && c.meantBy(name, s, given) == right {
			return ""
		}
	}
	for sel, field := range c.info.Selections {
		if field.Obj().Name() == right && named(field.Recv()) == params && c.holds(sel.Pos()) {
			return ""
		}
	}
	return right
}

// givenBeside returns the values of the literal in which an identifier is a key, or nil if it
// is not a key.
func (c *checker) givenBeside(id *ast.Ident) map[string]ast.Expr {
	path := c.pathTo(id.Pos())
	if len(path) < 3 {
		return nil
	}
	lit, ok := path[len(path)-3].(*ast.CompositeLit)
	if kv, isKey := path[len(path)-2].(*ast.KeyValueExpr); !ok || !isKey || kv.Key != id {
		return nil
	}
	given := map[string]ast.Expr{}
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok {
				given[key.Name] = kv.Value
			}
		}
	}
	return given
}

// neutralWords may follow the name of a parameter without changing its meaning.
var neutralWords = []string{"name", "string", "text"}

// meaningChangers are words before the name of a parameter that change its meaning.
var meaningChangers = strings.Fields("no not non without exclude excluded skip ignore omit hide disable max min from to before after since until " +
	"start end first last old new prev previous next parent output dest destination target")

// meantBy returns the only unset parameter that has the type of an unknown field's value and
// whose words end the field's name. The words before them must neither name another parameter
// nor change the meaning.
func (c *checker) meantBy(name string, s *types.Struct, given map[string]ast.Expr) string {
	asked, right := words(name), ""
	var other []string
	for f := range s.Fields() {
		w := words(f.Name())
		if _, set := given[f.Name()]; set || !f.Exported() || !endsIn(asked, w) || !sameType(c.info.TypeOf(given[name]), f.Type()) {
			continue
		}
		if right != "" {
			return ""
		}
		right, other = f.Name(), slices.DeleteFunc(slices.Clone(asked), func(x string) bool { return slices.Contains(w, x) })
	}
	for f := range s.Fields() {
		if f.Name() != right && slices.ContainsFunc(words(f.Name()), func(w string) bool { return slices.Contains(other, w) }) {
			return ""
		}
	}
	if slices.ContainsFunc(other, func(w string) bool { return slices.Contains(meaningChangers, w) }) {
		return ""
	}
	return right
}

// endsIn reports whether a name's words end in the words of another, ignoring neutral ones.
func endsIn(name, last []string) bool {
	for ; len(name) >= len(last); name = name[:len(name)-1] {
		if slices.Equal(name[len(name)-len(last):], last) {
			return true
		}
		if !slices.Contains(neutralWords, name[len(name)-1]) {
			return false
		}
	}
	return false
}

// onlyReads reports whether a type is the parameter type of read tools only.
func onlyReads(params *types.Named) bool {
	found := false
	scope := params.Obj().Pkg().Scope()
	for _, name := range scope.Names() {
		f, ok := scope.Lookup(name).(*types.Func)
		if !ok || f.Signature().Params().Len() != 1 || !types.Identical(f.Signature().Params().At(0).Type(), params) {
			continue
		}
		if isEffect(f) {
			return false
		}
		found = true
	}
	return found
}

// member returns the unknown field or method of a fault, and the type that lacks it.
func (c *checker) member(f fault) (*ast.Ident, types.Type) {
	path := c.pathTo(f.Pos)
	if len(path) == 0 {
		return nil, nil
	}
	for i, n := range path {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			owner := c.info.TypeOf(n.X)
			if c.info.Types[n.X].IsType() && slices.Contains(fields(owner), n.Sel.Name) {
				return nil, nil // it is a field, not a method
			}
			if f.code == missingFieldOrMethod && n.Sel.Pos() == f.Pos && owner != nil && !isHidden(owner, n.Sel.Name) {
				return n.Sel, owner
			}
		case *ast.KeyValueExpr:
			id, ok := n.Key.(*ast.Ident)
			if f.code != missingLitField || !ok || id.Pos() != f.Pos || i == 0 {
				continue
			}
			if owner := c.info.TypeOf(path[i-1].(ast.Expr)); owner != nil && !isHidden(owner, id.Name) {
				return id, owner
			}
		}
	}
	return nil, nil
}

// isUnits reports whether a type belongs to one of the units.
func (c *checker) isUnits(t types.Type) bool {
	n := named(t)
	if n == nil || n.Obj().Pkg() == nil {
		return false
	}
	_, ok := c.units[n.Obj().Pkg().Path()]
	return ok
}

func named(t types.Type) *types.Named {
	if t == nil {
		return nil
	}
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, _ := types.Unalias(t).(*types.Named)
	return n
}

// members returns the exported fields and methods of a type, fields first.
func members(t types.Type) []string {
	out := fields(t)
	if n := named(t); n != nil {
		for m := range n.Methods() {
			if m.Exported() {
				out = append(out, m.Name())
			}
		}
	}
	return out
}

// fields returns the exported fields of a struct, or of the struct that a pointer points to.
func fields(t types.Type) []string {
	var out []string
	if s, ok := deref(t).Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			if f.Exported() {
				out = append(out, f.Name())
			}
		}
	}
	return out
}

// isCalled reports whether a name is that of a called function.
func (c *checker) isCalled(r reference) bool {
	path := c.pathTo(r.name.Pos())
	for i, n := range path {
		if call, ok := n.(*ast.CallExpr); ok && i+1 < len(path) && call.Fun == path[i+1] && call.Fun.End() == r.name.End() {
			return true
		}
	}
	return false
}

// structTypes returns the names of a unit's struct types, without aliases.
func structTypes(p *types.Package) []string {
	var out []string
	for _, name := range p.Scope().Names() {
		t, ok := p.Scope().Lookup(name).(*types.TypeName)
		if !ok || !t.Exported() || t.IsAlias() {
			continue
		}
		if _, ok := t.Type().Underlying().(*types.Struct); ok {
			out = append(out, name)
		}
	}
	return out
}

// pathTo returns the nodes of the script around a position, outermost first.
func (c *checker) pathTo(pos token.Pos) []ast.Node {
	var path []ast.Node
	f := c.fileOf(pos)
	if f == nil {
		return nil
	}
	ast.Inspect(f.File, func(n ast.Node) bool {
		if n == nil || !n.Pos().IsValid() || pos < n.Pos() || pos >= n.End() {
			return false
		}
		path = append(path, n)
		return true
	})
	return path
}

// innermost returns the innermost node of type N around a position that is accepted.
func innermost[N ast.Node](c *checker, pos token.Pos, accept func(N) bool) (found N, ok bool) {
	for _, n := range slices.Backward(c.pathTo(pos)) {
		if found, ok = n.(N); ok && accept(found) {
			return found, true
		}
	}
	return found, false
}

// only returns the accepted name if there is exactly one, else "".
func only(names []string, accept func(string) bool) string {
	found := ""
	for _, name := range names {
		if accept(name) && found != "" {
			return ""
		}
		if accept(name) {
			found = name
		}
	}
	return found
}
