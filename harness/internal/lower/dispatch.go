package lower

import (
	"fmt"
	"go/types"
	"strings"
)

// Dispatch tables. A method of a script interface becomes a function over the
// type numbers of boxes:
//
//	type Shape interface{ Area() float64 }     func d_Area_9(x any) float64 {
//	s.Area()                                       var e any = rt.Erased(x)
//	                                               switch rt.Number(x) {
//	d_Area_9(s)                                    case 4:
//	                                                   return f_Area_5(e.(t.T_Circle_4))
//	                                               }
//	                                               return l_Area_10(x)  // a library value
//	                                           }
//
// The types that can be in a box are known when everything is emitted, so tables are
// written last. The methods that native code may call are registered with the run-time
// library in the same way.

type dispatcher struct {
	name   string
	typ    types.Type // of the interface
	method *types.Func
	sig    *types.Signature // without receiver
	done   map[int]bool     // type numbers looked at
	cases  strings.Builder
}

// dispatch returns the dispatch function of a method of the interface t.
func (p *program) dispatch(t types.Type, m *types.Func, sig *types.Signature) string {
	sig = types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())
	key := fmt.Sprintf("%d %s", p.number(t), m.Id())
	for _, tuple := range []*types.Tuple{sig.Params(), sig.Results()} {
		key += "|"
		for i := range tuple.Len() {
			key += fmt.Sprintf(" %d", p.number(tuple.At(i).Type()))
		}
	}
	if d, ok := p.byMethod[key]; ok {
		return d.name
	}
	d := &dispatcher{name: p.fresh("d_" + asciiName(m.Name())), typ: t, method: m, sig: sig, done: map[int]bool{}}
	p.byMethod[key] = d
	p.tables = append(p.tables, d)
	return d.name
}

// fillTables completes the tables for the types boxed so far, and reports whether anything
// was new.
func (p *program) fillTables() bool {
	more := false
	for i := 0; i < len(p.boxOrder); i++ {
		id := p.boxOrder[i]
		if !p.reached[id] {
			p.reached[id] = true
			p.reach(p.out.Types[id], map[types.Type]bool{})
			more = true
			p.registerMethods(id)
		}
		for _, d := range p.tables {
			if !d.done[id] {
				d.done[id] = true
				more = true
				p.addCase(d, id)
			}
		}
	}
	return more
}

func (p *program) addCase(d *dispatcher, id int) {
	t := p.out.Types[id]
	name, sig := p.methodOf(t, d.method.Pkg(), d.method.Name())
	if name == "" || !types.Identical(types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic()), d.sig) {
		return
	}
	args := []string{"e.(" + p.typ(t) + ")"}
	if isEmptyStruct(t) {
		args[0] = p.null(t)
	}
	for i := range d.sig.Params().Len() {
		args = append(args, fmt.Sprintf("a%d", i))
	}
	ts := []types.Type{t}
	for i := range d.sig.Params().Len() {
		ts = append(ts, d.sig.Params().At(i).Type())
	}
	fmt.Fprintf(&d.cases, "case %d:\n", id)
	if p.signedZero(t) {
		fmt.Fprintf(&d.cases, "var r %s = %s\n", p.typ(t), args[0])
		args[0] = "r"
	}
	if test := p.zeroTests(args, ts); test != "" {
		exact := p.exact(name, p.calleeType(&callee{sig: d.sig}, ts))
		fmt.Fprintf(&d.cases, "if %s {\n%s%s(%s)\n%s}\n", test, returns(d.sig), exact, strings.Join(args, ", "), returnsNothing(d.sig))
	}
	call := name + "(" + strings.Join(args, ", ") + ")"
	if d.sig.Results().Len() > 0 {
		fmt.Fprintf(&d.cases, "return %s\n", call)
	} else {
		fmt.Fprintf(&d.cases, "%s\nreturn\n", call)
	}
}

// methodOf returns a lowered function that takes a value of type t first and calls the
// method, or "" if t's method set lacks it.
func (p *program) methodOf(t types.Type, pkg *types.Package, name string) (string, *types.Signature) {
	sel := p.methodSet(t).Lookup(pkg, name)
	if sel == nil {
		return "", nil
	}
	m := sel.Obj().(*types.Func)
	sig := p.subst(sel.Type(), nil).(*types.Signature)
	_, isPtr := types.Unalias(t).(*types.Pointer)
	_, wantsPtr := types.Unalias(m.Signature().Recv().Type()).(*types.Pointer)
	if len(sel.Index()) == 1 && isPtr == wantsPtr && !isInterface(t) {
		return p.methodName(m), sig
	}
	key := fmt.Sprintf("promoted %d %s", p.number(t), m.Id())
	if n, ok := p.names[key]; ok {
		return n, sig
	}
	n := p.fresh("m_" + asciiName(name))
	p.names[key] = n
	f := p.newFn(&unit{pkg: m.Pkg()}, nil, nil)
	params, args := p.parameters(sig)
	path := sel.Index()
	f.checkWrapped("r", t, m)
	text, at := f.path("r", t, path[:len(path)-1])
	c := f.bind(text, at, m, anyPlace)
	if c.library && sig.Variadic() {
		args[len(args)-1] += "..."
	}
	c.sig = sig
	f.w("%s", p.through(m))
	f.returnCall(c, args)
	fmt.Fprintf(&p.funcs, "\nfunc %s(%s) %s {\n%s}\n", n, strings.Join(append([]string{"r " + p.typ(t)}, params...), ", "), p.results(sig), f.out.String())
	return n, sig
}

// methodSet is types.NewMethodSet with a cache.
func (p *program) methodSet(t types.Type) *types.MethodSet {
	id := p.number(t)
	set, ok := p.methodSets[id]
	if !ok {
		set = types.NewMethodSet(t)
		p.methodSets[id] = set
	}
	return set
}

// recovered are the methods whose panics packages fmt and log/slog recover and print.
// Templates recover the panics of all methods.
var recovered = map[string]bool{
	"String": true, "Error": true, "GoString": true, "Format": true, "Scan": true,
	"LogValue": true, "MarshalJSON": true, "MarshalText": true,
}

// registerMethods makes the methods of a type known to native code, which may call any
// exported method.
func (p *program) registerMethods(id int) {
	t := p.out.Types[id]
	if isInterface(t) {
		return
	}
	for sel := range p.methodSet(t).Methods() {
		m := sel.Obj().(*types.Func)
		if !m.Exported() || !p.isSource(m.Pkg()) {
			continue
		}
		fn, sig := p.methodOf(t, nil, m.Name())
		register := "Register"
		if p.templates || recovered[m.Name()] {
			register = "RegisterGuarded"
		}
		fmt.Fprintf(&p.register, "rt.%s(%d, %q, %s)\n", register, id, m.Name(), fn)
		for v := range sig.Results().Variables() { // results can have methods too
			p.reach(v.Type(), map[types.Type]bool{})
		}
	}
}

// reach makes the named types inside a boxed type known: fmt and JSON meet them below the
// top level.
func (p *program) reach(t types.Type, seen map[types.Type]bool) {
	t = types.Unalias(t)
	if seen[t] {
		return
	}
	seen[t] = true
	switch u := t.(type) {
	case *types.Named:
		if !p.isSource(u.Obj().Pkg()) {
			return
		}
		if !isInterface(u) {
			p.boxNumber(u)
			p.boxNumber(types.NewPointer(u))
		}
		p.reach(u.Underlying(), seen)
	case *types.Pointer:
		p.reach(u.Elem(), seen)
	case *types.Slice:
		p.reach(u.Elem(), seen)
	case *types.Array:
		p.reach(u.Elem(), seen)
	case *types.Chan:
		p.reach(u.Elem(), seen)
	case *types.Map:
		p.reach(u.Key(), seen)
		p.reach(u.Elem(), seen)
	case *types.Struct:
		for i := range u.NumFields() {
			p.reach(u.Field(i).Type(), seen)
		}
	case *types.Signature: // templates call functions
		for i := range u.Results().Len() {
			p.reach(u.Results().At(i).Type(), seen)
		}
	}
}

// writeTables writes the dispatch functions.
func (p *program) writeTables() {
	for _, d := range p.tables {
		params, args := p.parameters(d.sig)
		params = append([]string{"x " + p.typ(d.typ)}, params...)
		erased := ""
		if strings.Contains(d.cases.String(), "e.(") {
			erased = "var e any = rt.Erased(x)\n"
		}
		library := p.libraryCase(d, args)
		if strings.Count(library, "\n") > 1 && erased != "" { // each variable costs the other cases time
			name := p.fresh("l_" + asciiName(d.method.Name()))
			fmt.Fprintf(&p.funcs, "\nfunc %s(%s) %s {\n%s}\n", name, strings.Join(params, ", "), p.results(d.sig), library)
			library = "return " + name + "(" + strings.Join(append([]string{"x"}, args...), ", ") + ")\n"
		}
		fmt.Fprintf(&p.funcs, "\nfunc %s(%s) %s {\n%s%sswitch rt.Number(x) {\n%s}\n%s}\n", d.name, strings.Join(params, ", "), p.results(d.sig), p.through(d.method), erased, d.cases.String(), library)
	}
}

// libraryCase returns the end of a dispatch function: the value is a library's, or nil.
func (p *program) libraryCase(d *dispatcher, args []string) string {
	raw := make([]string, len(args))
	for i, a := range args {
		raw[i] = "rt.Raw(" + a + ")"
	}
	call := fmt.Sprintf("rt.CallMethod(x, %q, []any{%s})", d.method.Name(), strings.Join(raw, ", "))
	if d.sig.Results().Len() == 0 {
		return call + "\n"
	}
	text := "rs := " + call + "\n"
	var results []string
	for i := range d.sig.Results().Len() {
		t := d.sig.Results().At(i).Type()
		r := fmt.Sprintf("rs[%d]", i)
		switch {
		case p.keepsInterface(t):
			r = p.adapt(t, r)
		case isEmptyStruct(t):
			r = p.null(t)
		case !isInterface(t):
			r += ".(" + p.typ(t) + ")"
		}
		results = append(results, r)
	}
	return text + "return " + strings.Join(results, ", ") + "\n"
}
