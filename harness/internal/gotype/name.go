package gotype

import (
	"fmt"
	"go/types"
	"strconv"
	"strings"
)

// TypeName returns a type as reflect's String writes it, and as %T, %#v and panics show it.
func TypeName(t types.Type) string { return namer(false).name(t) }

// A namer writes types. It is true inside the brackets of an instance, where the compiler
// writes full import paths and numbers the types declared in functions.
type namer bool

func (in namer) name(t types.Type) string {
	switch u := types.Unalias(t).(type) {
	case *types.Basic:
		switch u.Kind() { // byte and rune are aliases
		case types.Uint8:
			return "uint8"
		case types.Int32:
			return "int32"
		}
		return u.Name()
	case *types.Named:
		return in.namedName(u)
	case *types.Pointer:
		return "*" + in.name(u.Elem())
	case *types.Slice:
		return "[]" + in.name(u.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", u.Len(), in.name(u.Elem()))
	case *types.Map:
		return "map[" + in.name(u.Key()) + "]" + in.name(u.Elem())
	case *types.Chan:
		switch u.Dir() {
		case types.SendOnly:
			return "chan<- " + in.name(u.Elem())
		case types.RecvOnly:
			return "<-chan " + in.name(u.Elem())
		}
		if c, ok := types.Unalias(u.Elem()).(*types.Chan); ok && c.Dir() == types.RecvOnly {
			return "chan (" + in.name(c) + ")"
		}
		return "chan " + in.name(u.Elem())
	case *types.Interface:
		return in.interfaceName(u)
	case *types.Signature:
		return "func" + in.signatureName(u)
	case *types.Struct:
		return in.structName(u)
	}
	return t.String()
}

func (in namer) namedName(u *types.Named) string {
	o := u.Obj()
	s := o.Name()
	switch {
	case o.Pkg() == nil:
	case bool(in):
		s = pkgPath(o.Pkg()) + "." + s
	default:
		s = o.Pkg().Name() + "." + s
	}
	if n := u.TypeArgs().Len(); n > 0 {
		args := make([]types.Type, n)
		for i := range args {
			args[i] = u.TypeArgs().At(i)
		}
		s += ArgumentNames(args)
	}
	if in {
		if n := localNumber(o); n > 0 {
			s += "·" + strconv.Itoa(n)
		}
	}
	return s
}

// pkgPath returns the path of a package, without the prefix of the harness's own sources.
func pkgPath(p *types.Package) string {
	if p == nil {
		return ""
	}
	return strings.TrimPrefix(p.Path(), "lib/")
}

// ArgumentNames returns type arguments as in the name of an instance: [int,main.T].
func ArgumentNames(args []types.Type) string {
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = namer(true).name(a)
	}
	return "[" + strings.Join(names, ",") + "]"
}

// localNumber returns the number that the compiler gives to a type declared in a function,
// by the order of such types in the source. For other types it returns 0.
func localNumber(o *types.TypeName) int {
	if o.Pkg() == nil || o.Parent() == o.Pkg().Scope() {
		return 0
	}
	n := 1
	var count func(s *types.Scope)
	count = func(s *types.Scope) {
		for _, name := range s.Names() {
			t, ok := s.Lookup(name).(*types.TypeName)
			if !ok || t.IsAlias() || t.Pos() >= o.Pos() {
				continue
			}
			if _, param := t.Type().(*types.TypeParam); !param {
				n++
			}
		}
		for i := range s.NumChildren() {
			count(s.Child(i))
		}
	}
	for i := range o.Pkg().Scope().NumChildren() {
		count(o.Pkg().Scope().Child(i))
	}
	return n
}

func (in namer) interfaceName(u *types.Interface) string {
	if u.Empty() {
		return "interface {}"
	}
	methods := make([]string, u.NumMethods())
	for i := range methods {
		methods[i] = u.Method(i).Name() + in.signatureName(u.Method(i).Signature())
		if p := u.Method(i).Pkg(); !u.Method(i).Exported() && bool(in) {
			methods[i] = pkgPath(p) + "." + methods[i]
		} else if !u.Method(i).Exported() {
			methods[i] = p.Name() + "." + methods[i]
		}
	}
	return "interface { " + strings.Join(methods, "; ") + " }"
}

func (in namer) structName(u *types.Struct) string {
	if u.NumFields() == 0 {
		return "struct {}"
	}
	fields := make([]string, u.NumFields())
	for i := range fields {
		f := u.Field(i)
		label, sep := f.Name(), " "
		if bool(in) && !f.Exported() {
			label = pkgPath(f.Pkg()) + "." + label
		}
		if f.Embedded() {
			if sep = " = "; !bool(in) || embedsByName(f) {
				label, sep = "", ""
			}
		}
		fields[i] = label + sep + in.name(f.Type())
		if u.Tag(i) != "" {
			fields[i] += " " + strconv.Quote(u.Tag(i))
		}
	}
	return "struct { " + strings.Join(fields, "; ") + " }"
}

// embedsByName reports whether the embedded field has its type's name. For the compiler,
// fields of aliases, instances and predeclared types have other names.
func embedsByName(f *types.Var) bool {
	t := types.Unalias(f.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, ok := t.(*types.Named)
	return ok && n.TypeArgs().Len() == 0 && n.Obj().Name() == f.Name() && (f.Exported() || n.Obj().Pkg() == f.Pkg())
}

func (in namer) signatureName(s *types.Signature) string {
	var params, results []string
	for i := range s.Params().Len() {
		p := in.name(s.Params().At(i).Type())
		if s.Variadic() && i == s.Params().Len()-1 {
			p = "..." + strings.TrimPrefix(p, "[]")
		}
		params = append(params, p)
	}
	for i := range s.Results().Len() {
		results = append(results, in.name(s.Results().At(i).Type()))
	}
	text := "(" + strings.Join(params, ", ") + ")"
	switch len(results) {
	case 0:
		return text
	case 1:
		return text + " " + results[0]
	}
	return text + " (" + strings.Join(results, ", ") + ")"
}
