package check

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/usetools/usetools/harness/internal/stdlib/export"
	"github.com/usetools/usetools/registry/text"
)

// maxListed limits the names in a hint.
const maxListed = 12

func names(objects map[string]types.Object) []string {
	return slices.Sorted(maps.Keys(objects))
}

func listed(names []string) string { return text.List(names, maxListed) }

// signatures returns the signatures of the named functions and types.
func (c *checker) signatures(names []string, objects map[string]types.Object) []string {
	var out []string
	for _, n := range names {
		if o := objects[n]; o != nil && o.Pkg() != nil {
			out = append(out, c.signature(o))
		}
	}
	return out
}

// signature returns an object as its package declares it. Names of units are unqualified, as in
// the generated source.
func (c *checker) signature(o types.Object) string {
	if t, ok := o.(*types.TypeName); ok {
		if line := c.typeLine(t.Type(), nil); line != "" {
			return line
		}
	}
	return export.ObjectString(o, c.qualifier(o.Pkg()))
}

// qualifier returns a qualifier that omits a unit's name in its own declarations.
func (c *checker) qualifier(own *types.Package) types.Qualifier {
	return func(p *types.Package) string {
		if _, isUnit := c.units[p.Path()]; p == own && isUnit || p == c.main.Types {
			return ""
		}
		return p.Name()
	}
}

// typeLine returns a struct type with its fields and method names in one line. If the line
// would be too long, it contains the wanted fields only.
func (c *checker) typeLine(t types.Type, wanted []string) string {
	s, ok := deref(t).Underlying().(*types.Struct)
	if !ok {
		return ""
	}
	name, q := "struct", c.qualifier(nil)
	var methods []string
	if n := named(t); n != nil {
		q = c.qualifier(n.Obj().Pkg())
		name = "type " + types.TypeString(n, q) + " struct"
		for m := range n.Methods() {
			if m.Exported() {
				methods = append(methods, m.Name()+"()")
			}
		}
	}
	write := func(only func(*types.Var) bool) string {
		var fields []string
		for i := range s.NumFields() {
			if f := s.Field(i); f.Exported() && only(f) {
				field := f.Name() + " " + types.TypeString(f.Type(), q)
				if isRequired(s, i) {
					field += " /*required*/"
				}
				fields = append(fields, field)
			}
		}
		return strings.Join(fields, "; ")
	}
	all := write(func(*types.Var) bool { return true })
	line := name + " { " + all + " }"
	if len(methods) > 0 {
		line += " with " + listed(methods)
	}
	if len(line) > maxSignature && len(wanted) > 0 {
		return name + " { … " + write(func(f *types.Var) bool { return slices.Contains(wanted, f.Name()) }) + " … }"
	}
	return line
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}
