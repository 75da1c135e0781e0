package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"

	"github.com/usetools/usetools/wrappers/wire"
)

// required reports faults in tools' arguments before anything runs: required fields that the
// script never sets, constants that a field does not allow, and unions without exactly one alternative.
//
// A field is required if its tag is use:"required", or use:"variant" for an alternative of a
// union. It counts as set if the literal names it, if the script assigns it anywhere, or if the
// struct's address escapes analysis. A missing field is not reported if a known fault is about
// a name that probably means it.
func (c *checker) required(known []Diagnostic) []Diagnostic {
	r := &requirements{checker: c, assigned: map[*types.Var]bool{}, escaped: map[types.Type]bool{}, written: map[types.Type]bool{}, unknown: map[string][]string{}}
	for _, d := range known {
		if d.Code == CodeNoField {
			r.unknown[d.Package+"."+d.Name] = append(r.unknown[d.Package+"."+d.Name], d.Member)
		}
	}
	c.inspect(r.collect)
	var list []Diagnostic
	c.inspect(func(n ast.Node) bool {
		list = append(list, r.notAllowed(n)...)
		switch n := n.(type) {
		case *ast.CompositeLit:
			list = append(list, r.missing(n, n.Type, n.Pos(), n)...)
		case *ast.MapType:
			list = append(list, r.asKey(n)...)
		case *ast.ValueSpec:
			if len(n.Values) == 0 && n.Type != nil {
				list = append(list, r.missing(n.Type, n.Type, n.Pos(), nil)...)
			}
		}
		return true
	})
	return list
}

type requirements struct {
	*checker
	assigned map[*types.Var]bool // fields set other than by a literal
	escaped  map[types.Type]bool // structs whose address is taken
	written  map[types.Type]bool // structs with a literal, which a variable may contain
	unknown  map[string][]string // fields in the script that a type does not have
}

// collect records the fields that are set by assignments or through addresses.
func (r *requirements) collect(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, x := range n.Lhs {
			r.write(x)
		}
	case *ast.CompositeLit:
		if t := r.info.TypeOf(n); t != nil {
			r.written[types.Unalias(t)] = true
		}
	case *ast.IncDecStmt:
		r.write(n.X)
	case *ast.RangeStmt:
		r.write(n.Key)
		r.write(n.Value)
	case *ast.UnaryExpr:
		if n.Op != token.AND {
			return true
		}
		r.write(n.X)
		if _, lit := ast.Unparen(n.X).(*ast.CompositeLit); !lit {
			if t := r.info.TypeOf(n.X); t != nil {
				r.escaped[types.Unalias(t)] = true
			}
		}
	}
	return true
}

func (r *requirements) write(x ast.Expr) {
	for {
		switch e := x.(type) {
		case *ast.ParenExpr:
			x = e.X
		case *ast.IndexExpr: // p.Tags[0] = … writes into Tags
			x = e.X
		case *ast.SelectorExpr:
			if v, ok := r.info.Uses[e.Sel].(*types.Var); ok && v.IsField() {
				r.assigned[v] = true
			}
			x = e.X
		default:
			return
		}
	}
}

// missing reports the required fields of a server's struct that are neither in the literal (nil
// for a declaration) nor set elsewhere.
func (r *requirements) missing(of ast.Expr, at ast.Expr, pos token.Pos, lit *ast.CompositeLit) []Diagnostic {
	t := types.Unalias(r.info.TypeOf(of))
	if p, ok := t.(*types.Pointer); ok && lit != nil {
		t = types.Unalias(p.Elem()) // an element &T{} with an omitted type
	}
	named, ok := t.(*types.Named)
	if !ok || !ofServer(named.Obj().Pkg()) || r.escaped[t] {
		return nil
	}
	s, ok := named.Underlying().(*types.Struct)
	if !ok || lit == nil && r.written[t] {
		return nil
	}
	given := map[string]bool{}
	if lit != nil {
		for _, e := range lit.Elts {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok {
				return nil // positional: all fields are set
			}
			if id, ok := kv.Key.(*ast.Ident); ok {
				given[id.Name] = true
			}
		}
	}
	if at != nil {
		pos = at.Pos()
	}
	if d, wrong := r.variants(s, named, given, pos); wrong {
		return []Diagnostic{d}
	}
	var names []string
	for _, name := range r.unknown[serverOf(named.Obj())+"."+named.Obj().Name()] {
		if around, _ := around(named, name); around != "" {
			given[around] = true
			continue
		}
		for _, meant := range nearest(name, members(named)) {
			given[meant] = true
		}
	}
	for i := range s.NumFields() {
		f := s.Field(i)
		if isRequired(s, i) && !given[f.Name()] && !r.assigned[f] {
			names = append(names, f.Name())
		}
	}
	if len(names) == 0 {
		return nil
	}
	noun := "required field"
	if len(names) > 1 {
		noun += "s"
	}
	d := r.diagnose(Compile, pos, "%s %s not set in a value of type %s.%s",
		noun, strings.Join(names, ", "), named.Obj().Pkg().Name(), named.Obj().Name())
	d.Hint = "the tool rejects calls without it; a zero value counts if you write it"
	d.concern(CodeRequired, serverOf(named.Obj()), named.Obj().Name(), names[0])
	d.Signatures = []string{r.typeLine(named, names)}
	return []Diagnostic{d}
}

// asKey refuses maps whose keys are argument structs: these record which fields were set, which
// == ignores and a map does not.
func (r *requirements) asKey(m *ast.MapType) []Diagnostic {
	t := r.info.TypeOf(m.Key)
	if t == nil || !holdsHidden(t, map[types.Type]bool{}) {
		return nil
	}
	d := r.diagnose(Refused, m.Key.Pos(), "map with keys of the arguments' type %s", types.TypeString(t, r.qualifier(nil)))
	d.Hint = "take one of its fields as the key, or a text of them: fmt.Sprint(x)"
	return []Diagnostic{d}
}

func holdsHidden(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Array:
		return holdsHidden(u.Elem(), seen)
	case *types.Struct:
		for i := range u.NumFields() {
			f := u.Field(i)
			if wire.IsMask(f.Name()) && ofServer(f.Pkg()) || holdsHidden(f.Type(), seen) {
				return true
			}
		}
	}
	return false
}

// variants reports a union with no alternative set, or with more than one.
func (r *requirements) variants(s *types.Struct, named *types.Named, given map[string]bool, pos token.Pos) (Diagnostic, bool) {
	var all, written []string
	for i := range s.NumFields() {
		f := s.Field(i)
		if reflect.StructTag(s.Tag(i)).Get("use") != "variant" {
			continue
		}
		all = append(all, f.Name())
		if given[f.Name()] {
			written = append(written, f.Name())
		} else if r.assigned[f] {
			return Diagnostic{}, false
		}
	}
	if len(all) == 0 || len(written) == 1 {
		return Diagnostic{}, false
	}
	name := named.Obj().Pkg().Name() + "." + named.Obj().Name()
	d := r.diagnose(Compile, pos, "%s needs one of its fields", name)
	if len(written) > 1 {
		d = r.diagnose(Compile, pos, "%s of %s cannot be written together: they are alternatives", strings.Join(written, " and "), name)
	}
	d.Hint = "write exactly one of " + listed(all)
	d.concern(CodeRequired, serverOf(named.Obj()), named.Obj().Name(), all[0])
	d.Signatures = []string{r.typeLine(named, written)}
	return d, true
}

// isRequired reports whether a struct's field must be set, according to its tag in the
// generated source.
func isRequired(s *types.Struct, i int) bool {
	return reflect.StructTag(s.Tag(i)).Get("use") == "required"
}
