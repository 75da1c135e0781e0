package rt

import (
	"fmt"
	"go/types"
	"reflect"
	"strconv"
	"strings"
)

// renamed is the reflect type of an erased form under the script's name, for
// errors of the library that hold a type.
type renamed struct {
	reflect.Type
	name string
}

func (t renamed) String() string { return t.name }

// Name is what encoding/json prints of a struct type.
func (t renamed) Name() string { return t.name[strings.LastIndexByte(t.name, '.')+1:] }

func (m *Machine) namedType(t types.Type) reflect.Type { return renamed{m.reflectOf(t), TypeName(t)} }

// TypeName writes a type as reflect's String does, which is what %T, %#v and
// panics show.
func TypeName(t types.Type) string {
	switch u := types.Unalias(t).(type) {
	case *types.Basic:
		switch u.Kind() { // byte and rune are other names only
		case types.Uint8:
			return "uint8"
		case types.Int32:
			return "int32"
		}
		return u.Name()
	case *types.Named:
		return namedName(u)
	case *types.Pointer:
		return "*" + TypeName(u.Elem())
	case *types.Slice:
		return "[]" + TypeName(u.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", u.Len(), TypeName(u.Elem()))
	case *types.Map:
		return "map[" + TypeName(u.Key()) + "]" + TypeName(u.Elem())
	case *types.Chan:
		switch u.Dir() {
		case types.SendOnly:
			return "chan<- " + TypeName(u.Elem())
		case types.RecvOnly:
			return "<-chan " + TypeName(u.Elem())
		}
		if c, ok := types.Unalias(u.Elem()).(*types.Chan); ok && c.Dir() == types.RecvOnly {
			return "chan (" + TypeName(c) + ")"
		}
		return "chan " + TypeName(u.Elem())
	case *types.Interface:
		return interfaceName(u)
	case *types.Signature:
		return "func" + signatureName(u)
	case *types.Struct:
		return structName(u)
	}
	return t.String()
}

func namedName(u *types.Named) string {
	o := u.Obj()
	s := o.Name()
	if o.Pkg() != nil {
		s = o.Pkg().Name() + "." + s
	}
	if n := u.TypeArgs().Len(); n > 0 {
		args := make([]string, n)
		for i := range args {
			args[i] = argumentName(u.TypeArgs().At(i))
		}
		s += "[" + strings.Join(args, ",") + "]"
	}
	return s
}

// argumentName is the name of a type argument, for which the compiler writes
// the whole import path.
func argumentName(t types.Type) string {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil {
		s := namedName(n)
		return strings.TrimPrefix(n.Obj().Pkg().Path(), "lib/") + strings.TrimPrefix(s, n.Obj().Pkg().Name())
	}
	return TypeName(t)
}

func interfaceName(u *types.Interface) string {
	if u.Empty() {
		return "interface {}"
	}
	methods := make([]string, u.NumMethods())
	for i := range methods {
		methods[i] = u.Method(i).Name() + signatureName(u.Method(i).Signature())
		if !u.Method(i).Exported() && u.Method(i).Pkg() != nil {
			methods[i] = u.Method(i).Pkg().Name() + "." + methods[i]
		}
	}
	return "interface { " + strings.Join(methods, "; ") + " }"
}

func structName(u *types.Struct) string {
	if u.NumFields() == 0 {
		return "struct {}"
	}
	fields := make([]string, u.NumFields())
	for i := range fields {
		f := u.Field(i)
		fields[i] = f.Name() + " " + TypeName(f.Type())
		if f.Embedded() {
			fields[i] = TypeName(f.Type())
		}
		if u.Tag(i) != "" {
			fields[i] += " " + strconv.Quote(u.Tag(i))
		}
	}
	return "struct { " + strings.Join(fields, "; ") + " }"
}

func signatureName(s *types.Signature) string {
	var params, results []string
	for i := range s.Params().Len() {
		p := TypeName(s.Params().At(i).Type())
		if s.Variadic() && i == s.Params().Len()-1 {
			p = "..." + strings.TrimPrefix(p, "[]")
		}
		params = append(params, p)
	}
	for i := range s.Results().Len() {
		results = append(results, TypeName(s.Results().At(i).Type()))
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
