package lower

import (
	"go/token"
	"go/types"

	"github.com/usetools/usetools/harness/internal/gotype"
)

// maxWritten is the maximum number of parts of a type that is written out. A type without a
// name in the erased form is written with all its parts wherever it stands: a chain of 40
// types that name each other twice has 2^40 parts.
const maxWritten = 1 << 16

// weigh refuses the first type of the script that is too big to be written out.
func (p *program) weigh() {
	seen := map[types.Type]int{}
	var first token.Position
	var name string
	for id, o := range p.in.Info.Defs {
		if o == nil || p.units[o.Pkg()] == nil || o.Type() == nil || !p.units[o.Pkg()].script {
			continue
		}
		if p.parts(o.Type(), seen) <= maxWritten {
			continue
		}
		if pos := p.in.Fset.Position(id.Pos()); name == "" || pos.Offset < first.Offset {
			first, name = pos, id.Name
		}
	}
	if name != "" {
		p.position = first
		p.refuse("the type of %s, which has more than %d parts when everything except declared structs and interfaces is written out; declare a struct or an interface for a part of it", name, maxWritten)
	}
}

// parts counts the parts of a type as typ writes it, up to maxWritten+1. seen has the
// counts of the types already counted, and 1 for those in progress.
func (p *program) parts(t types.Type, seen map[types.Type]int) (n int) {
	t = types.Unalias(t)
	if n, ok := seen[t]; ok {
		return n
	}
	seen[t] = 1
	defer func() { seen[t] = n }()
	sum := func(of ...types.Type) {
		for _, t := range of {
			n = min(n+p.parts(t, seen), maxWritten+1)
		}
	}
	n = 1
	switch u := t.(type) {
	case *types.Named:
		for i := range u.TypeArgs().Len() {
			sum(u.TypeArgs().At(i))
		}
		switch u.Underlying().(type) {
		case *types.Struct, *types.Interface:
		default:
			if p.isSource(u.Obj().Pkg()) && !gotype.Folded(u) {
				sum(u.Underlying())
			}
		}
	case *types.Map:
		sum(u.Key(), u.Elem())
	case interface{ Elem() types.Type }: // a pointer, slice, array or channel
		sum(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			sum(u.Field(i).Type())
		}
	case *types.Signature:
		sum(u.Params(), u.Results())
	case *types.Tuple:
		for i := range u.Len() {
			sum(u.At(i).Type())
		}
	}
	return n
}
