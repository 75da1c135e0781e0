package bundle

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"go/constant"
	"go/types"
	"maps"
	"slices"
)

// Encode writes packages with all declarations that their exported declarations mention.
// The same packages give the same bytes. It returns an error for type parameters of aliases
// and of methods, and for other constructs that the format lacks.
func Encode(release string, packages []*types.Package) (out []byte, err error) {
	e := &encoder{numbers: map[types.Object]int{}, packages: map[*types.Package]int{}, strings: map[string]uint64{}}
	defer func() {
		if x := recover(); x != nil {
			unknown, ok := x.(unknownError)
			if !ok {
				panic(x)
			}
			err = unknown
		}
	}()
	listed := e.collect(packages)
	var packageTable, objectTable []byte
	put := func(table *[]byte, n int) { *table = binary.LittleEndian.AppendUint32(*table, uint32(n)) }
	first := 0
	for _, p := range listed {
		put(&packageTable, int(e.text(p.Path())))
		put(&packageTable, int(e.text(p.Name())))
		put(&packageTable, first)
		for first < len(e.objects) && e.objects[first].Pkg() == p {
			first++
		}
		put(&packageTable, len(e.data))
		imports := e.reach(p)
		e.number(len(imports))
		for _, i := range imports {
			e.number(i)
		}
	}
	for _, o := range e.objects {
		put(&objectTable, len(e.data))
		e.object(o)
	}
	out = []byte(magic + release + "\n")
	for _, n := range []int{len(listed), len(e.objects), len(e.written), len(e.data)} {
		put(&out, n)
	}
	return slices.Concat(out, packageTable, objectTable, e.written, e.data), nil
}

// unknownError is a construct that the format lacks.
type unknownError struct{ error }

func unknown(format string, args ...any) { panic(unknownError{fmt.Errorf(format, args...)}) }

type encoder struct {
	packages map[*types.Package]int
	objects  []types.Object
	numbers  map[types.Object]int
	mentions [][]int // the numbers of the objects that each one names; nil before they are numbered
	strings  map[string]uint64
	written  []byte // strings
	data     []byte

	current    types.Object
	parameters []*types.TypeParam // of the declaration
	found      func(types.Object) // called for each object that is named
}

// collect finds all needed declarations, and numbers them and their packages.
func (e *encoder) collect(packages []*types.Package) []*types.Package {
	named := map[types.Object][]types.Object{}
	e.found = func(o types.Object) {
		named[e.current] = append(named[e.current], o)
		if _, known := e.numbers[o]; !known {
			e.numbers[o] = 0
			e.objects = append(e.objects, o)
		}
	}
	for _, p := range packages {
		e.packages[p] = 0
		for _, name := range p.Scope().Names() {
			if o := p.Scope().Lookup(name); o.Exported() {
				e.found(o)
			}
		}
	}
	for i := 0; i < len(e.objects); i++ { // found appends to it
		e.object(e.objects[i])
	}
	e.found = func(types.Object) {}
	e.strings, e.written, e.data = map[string]uint64{}, nil, nil
	slices.SortFunc(e.objects, func(a, b types.Object) int {
		return cmp.Or(cmp.Compare(a.Pkg().Path(), b.Pkg().Path()), cmp.Compare(a.Name(), b.Name()))
	})
	for i, o := range e.objects {
		e.numbers[o] = i
		e.packages[o.Pkg()] = 0
	}
	listed := slices.SortedFunc(maps.Keys(e.packages), func(a, b *types.Package) int { return cmp.Compare(a.Path(), b.Path()) })
	for i, p := range listed {
		e.packages[p] = i
	}
	for _, o := range e.objects {
		var numbers []int
		for _, other := range named[o] {
			numbers = append(numbers, e.numbers[other])
		}
		e.mentions = append(e.mentions, numbers)
	}
	return listed
}

// reach returns the numbers of the other packages that the declarations of p refer to,
// sorted.
func (e *encoder) reach(p *types.Package) []int {
	seen := make([]bool, len(e.objects))
	var todo []int
	for i, o := range e.objects {
		if o.Pkg() == p {
			todo, seen[i] = append(todo, i), true
		}
	}
	found := map[int]bool{}
	for len(todo) > 0 {
		last := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if other := e.objects[last].Pkg(); other != p {
			found[e.packages[other]] = true
		}
		for _, o := range e.mentions[last] {
			if !seen[o] {
				todo, seen[o] = append(todo, o), true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func (e *encoder) number(n int) { e.data = binary.AppendUvarint(e.data, uint64(n)) }

// text returns the offset of a string.
func (e *encoder) text(s string) uint64 {
	at, ok := e.strings[s]
	if !ok {
		at = uint64(len(e.written))
		e.strings[s] = at
		e.written = append(binary.AppendUvarint(e.written, uint64(len(s))), s...)
	}
	return at
}

func (e *encoder) string(s string) { e.number(int(e.text(s))) }

func (e *encoder) pkg(p *types.Package) {
	if p == nil {
		p = e.current.Pkg()
	}
	if _, known := e.packages[p]; !known {
		e.packages[p] = 0
	}
	e.number(e.packages[p])
}

func flag(set bool) int {
	if set {
		return flagSet
	}
	return 0
}

// object writes a declaration.
func (e *encoder) object(o types.Object) {
	e.current, e.parameters = o, nil
	e.string(o.Name())
	switch o := o.(type) {
	case *types.Const:
		e.number(objConst)
		e.typ(o.Type())
		e.value(o.Val())
	case *types.Var:
		e.number(objVar)
		e.typ(o.Type())
	case *types.Func:
		e.number(objFunc)
		e.declared(o.Signature().TypeParams())
		e.constraints()
		e.signature(o.Signature())
	case *types.TypeName:
		if alias, ok := o.Type().(*types.Alias); ok {
			if alias.TypeParams() != nil {
				unknown("%s is an alias with type parameters", o)
			}
			e.number(objAlias)
			e.typ(alias.Rhs())
			return
		}
		e.number(objType)
		named := o.Type().(*types.Named)
		e.declared(named.TypeParams())
		e.constraints()
		e.typ(named.Underlying())
		if types.IsInterface(named) {
			return
		}
		e.number(named.NumMethods())
		for m := range named.Methods() {
			e.method(m)
		}
	default:
		unknown("%s is not a declaration", o)
	}
}

func (e *encoder) method(m *types.Func) {
	sig := m.Signature()
	if sig.TypeParams() != nil {
		unknown("%s has type parameters", m)
	}
	e.string(m.Name())
	e.declared(sig.RecvTypeParams())
	e.constraints()
	_, pointer := sig.Recv().Type().(*types.Pointer)
	e.number(flag(pointer))
	e.string(sig.Recv().Name())
	e.signature(sig)
}

// declared writes the names of type parameters, which become e.parameters; constraints must
// follow.
func (e *encoder) declared(list *types.TypeParamList) {
	e.parameters = slices.Collect(list.TypeParams())
	e.number(len(e.parameters))
	for _, p := range e.parameters {
		e.string(p.Obj().Name())
	}
}

// constraints writes the constraints of the declared type parameters. In K, V comparable
// they are the same type, and messages reflect that.
func (e *encoder) constraints() {
	for i, p := range e.parameters {
		same := i > 0 && p.Constraint() == e.parameters[i-1].Constraint()
		e.number(flag(same))
		if !same {
			e.typ(p.Constraint())
		}
	}
}

func (e *encoder) signature(s *types.Signature) {
	e.number(flag(s.Variadic()))
	for _, list := range []*types.Tuple{s.Params(), s.Results()} {
		e.number(list.Len())
		for v := range list.Variables() {
			e.string(v.Name())
			e.typ(v.Type())
		}
	}
}

// mention writes the number of a type's declaration.
func (e *encoder) mention(o *types.TypeName) {
	if o.Parent() != nil && o.Parent() != o.Pkg().Scope() {
		unknown("%s is declared in a function", o)
	}
	e.found(o)
	e.number(e.numbers[o])
}

func (e *encoder) typ(t types.Type) {
	switch t := t.(type) {
	case *types.Basic:
		if o := types.Universe.Lookup(t.Name()); o != nil && o.Type() != types.Typ[t.Kind()] { // byte and rune
			e.number(typUniverse)
			e.string(t.Name())
			return
		}
		e.number(typBasic)
		e.number(int(t.Kind()))
	case *types.Alias:
		if t.Obj().Pkg() == nil {
			e.number(typUniverse)
			e.string(t.Obj().Name())
			return
		}
		e.number(typDeclared)
		e.mention(t.Obj())
	case *types.Named:
		if t.Obj().Pkg() == nil {
			e.number(typUniverse)
			e.string(t.Obj().Name())
			return
		}
		if t.TypeArgs() == nil {
			e.number(typDeclared)
			e.mention(t.Obj())
			return
		}
		e.number(typInstance)
		e.mention(t.Obj())
		e.number(t.TypeArgs().Len())
		for a := range t.TypeArgs().Types() {
			e.typ(a)
		}
	case *types.TypeParam:
		i := slices.Index(e.parameters, t)
		if i < 0 {
			unknown("%s mentions the type parameter %s of another declaration", e.current, t)
		}
		e.number(typParameter)
		e.number(i)
	case *types.Pointer:
		e.number(typPointer)
		e.typ(t.Elem())
	case *types.Slice:
		e.number(typSlice)
		e.typ(t.Elem())
	case *types.Array:
		e.number(typArray)
		e.number(int(t.Len()))
		e.typ(t.Elem())
	case *types.Map:
		e.number(typMap)
		e.typ(t.Key())
		e.typ(t.Elem())
	case *types.Chan:
		e.number(typChan)
		e.number(int(t.Dir()))
		e.typ(t.Elem())
	case *types.Signature:
		e.number(typFunc)
		e.signature(t)
	case *types.Struct:
		e.number(typStruct)
		e.number(t.NumFields())
		for i := range t.NumFields() {
			f := t.Field(i)
			e.pkg(f.Pkg())
			e.string(f.Name())
			e.typ(f.Type())
			e.number(flag(f.Embedded()))
			e.string(t.Tag(i))
		}
	case *types.Interface:
		if anyType := types.Universe.Lookup("any"); t == anyType.Type().Underlying() {
			e.number(typUniverse)
			e.string(anyType.Name())
			return
		}
		e.number(typInterface)
		e.number(flag(t.IsImplicit()))
		e.number(t.NumExplicitMethods())
		for m := range t.ExplicitMethods() {
			e.pkg(m.Pkg())
			e.string(m.Name())
			e.signature(m.Signature())
		}
		e.number(t.NumEmbeddeds())
		for embedded := range t.EmbeddedTypes() {
			e.typ(embedded)
		}
	case *types.Union:
		e.number(typUnion)
		e.number(t.Len())
		for term := range t.Terms() {
			e.number(flag(term.Tilde()))
			e.typ(term.Type())
		}
	default:
		unknown("%s mentions the type %s", e.current, t)
	}
}

// value writes a constant's value. Numbers are written as Go's exact literals.
func (e *encoder) value(v constant.Value) {
	switch v.Kind() {
	case constant.Bool:
		e.number(valBool)
		e.number(flag(constant.BoolVal(v)))
	case constant.String:
		e.number(valString)
		e.string(constant.StringVal(v))
	case constant.Int:
		e.number(valInt)
		e.string(v.ExactString())
	case constant.Float:
		e.number(valFloat)
		e.string(v.ExactString())
	case constant.Complex:
		e.number(valComplex)
		e.string(constant.Real(v).ExactString())
		e.string(constant.Imag(v).ExactString())
	default:
		unknown("%s has the value %s", e.current, v)
	}
}
