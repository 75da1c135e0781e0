package bundle

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
	"sync"
)

// A Library has the types of a bundle. It decodes requested objects and the objects that
// they mention. It is safe for concurrent use.
//
// Each returned package belongs to the caller, but packages share their objects. The
// objects' own package (Object.Pkg) has a scope that grows: ObjectString reads it.
type Library struct {
	bundle *Bundle

	mu         sync.Mutex
	packages   map[int]*types.Package // of objects
	objects    map[int]types.Object
	complete   map[int]*types.Package // complete packages, as returned by Package
	unfilled   []unfilled
	bounds     []bound
	interfaces []*types.Interface // that are not yet complete
}

// unfilled is a type with only its name decoded.
type unfilled struct {
	named *types.Named
	rest  string // of its declaration
}

// bound is a type parameter with its constraint, which is set when the types in it are
// known.
type bound struct {
	parameter  *types.TypeParam
	constraint types.Type
}

// NewLibrary returns a Library with nothing decoded.
func NewLibrary(b *Bundle) *Library {
	return &Library{bundle: b, packages: map[int]*types.Package{}, objects: map[int]types.Object{}, complete: map[int]*types.Package{}}
}

// Has reports whether there is a package with this path.
func (l *Library) Has(path string) bool {
	_, ok := l.bundle.find(path)
	return ok
}

// Declares reports whether a package declares a name. Of unexported names, only those that
// other declarations mention are present.
func (l *Library) Declares(path, name string) bool {
	p, ok := l.bundle.find(path)
	if ok {
		_, ok = l.bundle.object(p, name)
	}
	return ok
}

// Package returns a package with at least the given names. If names is nil or one of them
// is not declared, it has all names.
func (l *Library) Package(path string, names []string) (p *types.Package, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer func() {
		if x := recover(); x != nil {
			p, err = nil, fmt.Errorf("decoding package %s: %v", path, x)
		}
	}()
	n, ok := l.bundle.find(path)
	if !ok {
		return nil, fmt.Errorf("the bundle has no package %s", path)
	}
	if l.complete[n] != nil {
		return l.complete[n], nil
	}
	wanted, all := l.wanted(n, names)
	p = types.NewPackage(path, l.bundle.name(n))
	for _, o := range wanted {
		p.Scope().Insert(l.object(o))
	}
	l.fill()
	imports := reader{l: l, rest: l.bundle.imports(n)}
	list := make([]*types.Package, imports.number())
	for i := range list {
		list[i] = imports.pkg()
	}
	p.SetImports(list)
	p.MarkComplete()
	if all {
		l.complete[n] = p
	}
	return p, nil
}

// wanted returns the objects of a package with the given names, or all.
func (l *Library) wanted(p int, names []string) (objects []int, all bool) {
	all = names == nil
	for _, name := range names {
		o, ok := l.bundle.object(p, name)
		if !ok {
			all = true
			break
		}
		objects = append(objects, o)
	}
	if !all {
		return objects, false
	}
	objects = nil
	for o, next := l.bundle.span(p); o < next; o++ {
		objects = append(objects, o)
	}
	return objects, true
}

// pkg returns the package of the objects of package n.
func (l *Library) pkg(n int) *types.Package {
	p := l.packages[n]
	if p == nil {
		p = types.NewPackage(l.bundle.path(n), l.bundle.name(n))
		p.MarkComplete()
		l.packages[n] = p
	}
	return p
}

// ObjectString is types.ObjectString under the lock, since it reads the scope of the
// object's package.
func (l *Library) ObjectString(o types.Object, q types.Qualifier) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return types.ObjectString(o, q)
}

// object returns an object that is decoded except for the insides of its types, which fill
// decodes.
func (l *Library) object(n int) types.Object {
	if o := l.objects[n]; o != nil {
		return o
	}
	p := l.pkg(l.bundle.owner(n))
	name, rest := l.bundle.declaration(n)
	r := &reader{l: l, p: p, rest: rest}
	var o types.Object
	switch kind := r.number(); kind {
	case objConst:
		t := r.typ(nil)
		o = types.NewConst(token.NoPos, p, name, t, r.value())
	case objVar:
		o = types.NewVar(token.NoPos, p, name, r.typ(nil))
	case objFunc:
		r.declared()
		r.constraints()
		o = types.NewFunc(token.NoPos, p, name, r.signature(nil, nil, r.parameters))
	case objAlias:
		t := types.NewTypeName(token.NoPos, p, name, nil)
		types.NewAlias(t, r.typ(nil))
		o = t
	case objType:
		t := types.NewTypeName(token.NoPos, p, name, nil)
		named := types.NewNamed(t, nil, nil)
		r.declared()
		if len(r.parameters) > 0 {
			named.SetTypeParams(r.parameters)
		}
		l.unfilled = append(l.unfilled, unfilled{named, r.rest})
		o = t
	default:
		panic(errDamaged)
	}
	l.objects[n] = o
	p.Scope().Insert(o)
	return o
}

// fill decodes the insides of the types that are decoded by name only.
func (l *Library) fill() {
	for len(l.unfilled) > 0 {
		last := l.unfilled[len(l.unfilled)-1]
		l.unfilled = l.unfilled[:len(l.unfilled)-1]
		l.inside(last.named, last.rest)
	}
	for _, b := range l.bounds {
		b.parameter.SetConstraint(b.constraint)
	}
	for _, t := range l.interfaces {
		t.Complete()
	}
	l.bounds, l.interfaces = nil, nil
}

func (l *Library) inside(named *types.Named, rest string) {
	r := &reader{l: l, p: named.Obj().Pkg(), rest: rest}
	for p := range named.TypeParams().TypeParams() {
		r.parameters = append(r.parameters, p)
	}
	r.constraints()
	named.SetUnderlying(r.typ(named).Underlying())
	if _, ok := named.Underlying().(*types.Interface); ok {
		return
	}
	for range r.number() {
		name := r.string()
		r.declared()
		r.constraints()
		var t types.Type = named
		if n := len(r.parameters); n > 0 {
			args := make([]types.Type, n)
			for i, p := range r.parameters {
				args[i] = p
			}
			t = instance(named, args)
		}
		if r.flag() {
			t = types.NewPointer(t)
		}
		recv := types.NewParam(token.NoPos, r.p, r.string(), t)
		named.AddMethod(types.NewFunc(token.NoPos, r.p, name, r.signature(recv, r.parameters, nil)))
	}
}

func instance(t types.Type, args []types.Type) types.Type {
	out, err := types.Instantiate(nil, t, args, false)
	if err != nil {
		panic(err)
	}
	return out
}

// reader reads the declaration of an object.
type reader struct {
	l          *Library
	p          *types.Package
	rest       string
	parameters []*types.TypeParam
}

func (r *reader) number() int {
	n, rest := uvarint(r.rest)
	r.rest = rest
	return int(n)
}

func (r *reader) flag() bool          { return r.number() == flagSet }
func (r *reader) string() string      { return r.l.bundle.string(uint64(r.number())) }
func (r *reader) pkg() *types.Package { return r.l.pkg(r.number()) }

// declared reads the names of type parameters; constraints must follow.
func (r *reader) declared() {
	r.parameters = nil
	for range r.number() {
		name := types.NewTypeName(token.NoPos, r.p, r.string(), nil)
		r.parameters = append(r.parameters, types.NewTypeParam(name, nil))
	}
}

func (r *reader) constraints() {
	var t types.Type
	for _, p := range r.parameters {
		if same := r.flag(); !same {
			t = r.typ(nil)
		}
		r.l.bounds = append(r.l.bounds, bound{p, t})
	}
}

func (r *reader) signature(recv *types.Var, ofRecv, own []*types.TypeParam) *types.Signature {
	variadic := r.flag()
	params := r.tuple()
	return types.NewSignatureType(recv, ofRecv, own, params, r.tuple(), variadic)
}

func (r *reader) tuple() *types.Tuple {
	n := r.number()
	if n == 0 {
		return nil
	}
	list := make([]*types.Var, n)
	for i := range list {
		name := r.string()
		list[i] = types.NewParam(token.NoPos, r.p, name, r.typ(nil))
	}
	return types.NewTuple(list...)
}

// typ reads a type. base is the receiver type of the methods of a declared interface.
func (r *reader) typ(base *types.Named) types.Type {
	switch kind := r.number(); kind {
	case typBasic:
		return types.Typ[r.number()]
	case typUniverse:
		return types.Universe.Lookup(r.string()).Type()
	case typDeclared:
		return r.l.object(r.number()).Type()
	case typInstance:
		t := r.l.object(r.number()).Type()
		args := make([]types.Type, r.number())
		for i := range args {
			args[i] = r.typ(nil)
		}
		return instance(t, args)
	case typParameter:
		return r.parameters[r.number()]
	case typPointer:
		return types.NewPointer(r.typ(nil))
	case typSlice:
		return types.NewSlice(r.typ(nil))
	case typArray:
		n := r.number()
		return types.NewArray(r.typ(nil), int64(n))
	case typMap:
		key := r.typ(nil)
		return types.NewMap(key, r.typ(nil))
	case typChan:
		dir := types.ChanDir(r.number())
		return types.NewChan(dir, r.typ(nil))
	case typFunc:
		return r.signature(nil, nil, nil)
	case typStruct:
		return r.structure()
	case typInterface:
		return r.iface(base)
	case typUnion:
		terms := make([]*types.Term, r.number())
		for i := range terms {
			tilde := r.flag()
			terms[i] = types.NewTerm(tilde, r.typ(nil))
		}
		return types.NewUnion(terms)
	}
	panic(errDamaged)
}

func (r *reader) structure() *types.Struct {
	n := r.number()
	fields, tags := make([]*types.Var, n), make([]string, n)
	for i := range fields {
		p, name := r.pkg(), r.string()
		t := r.typ(nil)
		fields[i] = types.NewField(token.NoPos, p, name, t, r.flag())
		tags[i] = r.string()
	}
	return types.NewStruct(fields, tags)
}

func (r *reader) iface(base *types.Named) *types.Interface {
	implicit := r.flag()
	methods := make([]*types.Func, r.number())
	for i := range methods {
		p, name := r.pkg(), r.string()
		var recv *types.Var
		if base != nil {
			recv = types.NewParam(token.NoPos, r.p, "", base)
		}
		methods[i] = types.NewFunc(token.NoPos, p, name, r.signature(recv, nil, nil))
	}
	embedded := make([]types.Type, r.number())
	for i := range embedded {
		embedded[i] = r.typ(nil)
	}
	t := types.NewInterfaceType(methods, embedded)
	if implicit {
		t.MarkImplicit()
	}
	r.l.interfaces = append(r.l.interfaces, t)
	return t
}

func (r *reader) value() constant.Value {
	switch kind := r.number(); kind {
	case valBool:
		return constant.MakeBool(r.flag())
	case valString:
		return constant.MakeString(r.string())
	case valInt:
		return literal(r.string())
	case valFloat:
		return constant.ToFloat(literal(r.string()))
	case valComplex:
		re := literal(r.string())
		return constant.ToComplex(constant.BinaryOp(re, token.ADD, constant.MakeImag(literal(r.string()))))
	}
	panic(errDamaged)
}

// literal returns the number for a constant's exact text: digits, hexadecimal floats, and
// quotients.
func literal(text string) constant.Value {
	if a, b, ok := strings.Cut(text, "/"); ok {
		return constant.BinaryOp(literal(a), token.QUO, literal(b))
	}
	digits, negative := strings.CutPrefix(text, "-")
	kind := token.INT
	if strings.ContainsAny(digits, ".p") {
		kind = token.FLOAT
	}
	v := constant.MakeFromLiteral(digits, kind, 0)
	if v.Kind() == constant.Unknown {
		panic(errDamaged)
	}
	if negative {
		v = constant.UnaryOp(token.SUB, v, 0)
	}
	return v
}
