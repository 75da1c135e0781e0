package gotype

import (
	"cmp"
	"fmt"
	"go/types"
	"iter"
	"maps"
	"reflect"
	"slices"
	"sync"
	"unsafe"
)

// inOrder returns methods in the order of descriptors: exported ones, then the
// others, by name and package.
func inOrder(fs iter.Seq[*types.Func]) []*types.Func {
	return slices.SortedFunc(fs, func(a, b *types.Func) int {
		if a.Exported() != b.Exported() {
			if a.Exported() {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.Name(), b.Name()), cmp.Compare(pkgPath(a.Pkg()), pkgPath(b.Pkg())))
	})
}

// methodName returns the number of the name of f in a descriptor of package pkg.
func methodName(f *types.Func, pkg string) int32 {
	if path := pkgPath(f.Pkg()); !f.Exported() && path != pkg {
		return nameOff(f.Name(), path)
	}
	return nameOff(f.Name(), "")
}

// setMethods gives r, and ptr, its pointer type, the methods of the two sets.
func (m *Maker) setMethods(r, ptr *descriptor, t types.Type, set, ptrSet *types.MethodSet) error {
	if ptrSet.Len() == 0 {
		return nil
	}
	pkg := ""
	switch u := t.(type) {
	case *types.Named:
		pkg = pkgPath(u.Obj().Pkg())
	case *types.Struct:
		pkg = pkgPath(u.Field(0).Pkg())
	}
	sels := map[*types.Func]*types.Selection{}
	for sel := range ptrSet.Methods() {
		sels[sel.Obj().(*types.Func)] = sel
	}
	n, ptrN := 0, 0
	for _, f := range inOrder(maps.Keys(sels)) {
		mt, err := m.methodType(f, sels[f].Type())
		if err != nil && !f.Exported() && !m.o.Source(f.Pkg()) {
			continue // a library's method, with a type that only the library can name
		} else if err != nil {
			return fmt.Errorf("%s: %w", f.Name(), err)
		}
		byValue := set.Lookup(f.Pkg(), f.Name())
		c, err := m.codes(r, t, f, sels[f], byValue)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name(), err)
		}
		me := method{methodName(f, pkg), offset(unsafe.Pointer(rt(mt))), c.ptr, c.ptr}
		ptr.methods[ptrN] = me
		ptrN++
		if f.Exported() {
			ptr.uncommon.xcnt++
		}
		if byValue == nil {
			continue
		}
		me.tfn = c.val
		if r.tflag&flagDirect != 0 {
			me.ifn = c.val
		}
		r.methods[n] = me
		n++
		if f.Exported() {
			r.uncommon.xcnt++
		}
	}
	r.uncommon.mcount, ptr.uncommon.mcount = uint16(n), uint16(ptrN)
	return nil
}

// methodType returns the type of a method of signature sig, without the receiver. Library
// methods may have types that only the library can name.
func (m *Maker) methodType(f *types.Func, sig types.Type) (reflect.Type, error) {
	r, err := m.declare(sig)
	if err == nil || m.o.Source(f.Pkg()) || !f.Exported() {
		return r, err
	}
	recv := types.Unalias(f.Signature().Recv().Type())
	p, isPtr := recv.(*types.Pointer)
	if isPtr {
		recv = types.Unalias(p.Elem())
	}
	n, ok := recv.(*types.Named)
	if !ok {
		return nil, err
	}
	holder, _ := m.declare(n)
	if holder == nil {
		return nil, err
	}
	if isPtr {
		holder = reflect.PointerTo(holder)
	}
	me, ok := holder.MethodByName(f.Name())
	if !ok {
		return nil, err
	}
	in := slices.Collect(me.Type.Ins())
	if holder.Kind() != reflect.Interface {
		in = in[1:]
	}
	return reflect.FuncOf(in, slices.Collect(me.Type.Outs()), me.Type.IsVariadic()), nil
}

// codes are the addresses of a method's code with the receiver *T and T.
type codes struct{ ptr, val int32 }

// codes finds code for the method f of t. Native code cannot call a method that is
// not exported.
func (m *Maker) codes(r *descriptor, t types.Type, f *types.Func, sel, byValue *types.Selection) (c codes, err error) {
	var ptr, val reflect.Value
	if f.Exported() && m.o.Method != nil {
		ptr = m.o.Method(types.NewPointer(t), sel)
		if byValue != nil {
			val = m.o.Method(t, byValue)
		}
	}
	if f.Exported() && !ptr.IsValid() && !val.IsValid() && len(sel.Index()) > 1 {
		if ptr, err = m.promoted(r, t, f, sel); err != nil {
			return c, err
		}
	}
	if !ptr.IsValid() && !val.IsValid() {
		off, err := noCode()
		return codes{off, off}, err
	}
	if !ptr.IsValid() {
		n, _ := t.(*types.Named)
		if len(sel.Index()) > 1 {
			n = nil
		}
		ptr = byPointer(val, n, f)
	}
	if byValue != nil && !val.IsValid() {
		val = byCopy(ptr)
	}
	if sig := sel.Type().(*types.Signature); f.Exported() && (m.passesHidden(sig) || byValue != nil && m.hasHiddenFields(t)) {
		mt, err := m.methodType(f, sig)
		if err != nil {
			return c, err
		}
		with := func(recv reflect.Type) reflect.Type {
			in := append([]reflect.Type{recv}, slices.Collect(mt.Ins())...)
			return reflect.FuncOf(in, slices.Collect(mt.Outs()), mt.IsVariadic())
		}
		if ptr = adaptFunc(ptr, with(reflect.PointerTo(r.typ()))); byValue != nil {
			val = adaptFunc(val, with(r.typ()))
		}
	}
	if c.ptr, err = m.code(ptr); err != nil || byValue == nil {
		return c, err
	}
	if m.o.ByValue || r.tflag&flagDirect != 0 {
		c.val, err = m.code(val)
	} else { // an interface calls it through a pointer
		c.val, err = noCode()
	}
	return c, err
}

func (m *Maker) code(f reflect.Value) (int32, error) {
	slot, off, err := takeStub(f)
	if err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stubs = append(m.stubs, slot)
	return off, nil
}

// byPointer derives the method f of *T from that of T. n is T, or nil if f is promoted.
func byPointer(val reflect.Value, n *types.Named, f *types.Func) reflect.Value {
	return receiving(val, reflect.PointerTo(val.Type().In(0)), func(recv reflect.Value) reflect.Value {
		if recv.IsNil() {
			if n != nil {
				panic(nilReceiver(n, f))
			}
			_ = *(*byte)(nil) // Go's panic
		}
		return recv.Elem()
	})
}

// byCopy derives the method of T from that of *T.
func byCopy(ptr reflect.Value) reflect.Value {
	return receiving(ptr, ptr.Type().In(0).Elem(), func(recv reflect.Value) reflect.Value {
		p := reflect.New(recv.Type())
		p.Elem().Set(recv)
		return p
	})
}

// receiving makes a func like f, whose first parameter has type recv and is converted by
// to.
func receiving(f reflect.Value, recv reflect.Type, to func(reflect.Value) reflect.Value) reflect.Value {
	ft := f.Type()
	in := slices.Collect(ft.Ins())
	in[0] = recv
	call := f.Call
	if ft.IsVariadic() {
		call = f.CallSlice
	}
	t := reflect.FuncOf(in, slices.Collect(ft.Outs()), ft.IsVariadic())
	return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		args[0] = to(args[0])
		return call(args)
	})
}

// promoted makes the method f of *T that an embedded field provides.
func (m *Maker) promoted(r *descriptor, t types.Type, f *types.Func, sel *types.Selection) (reflect.Value, error) {
	type step struct {
		off   uintptr
		deref bool
	}
	var steps []step
	at := t
	for _, i := range sel.Index()[:len(sel.Index())-1] {
		form := m.o.Erased(at)
		if form == nil || form.Kind() != reflect.Struct || i >= form.NumField() {
			return reflect.Value{}, fmt.Errorf("form of %s does not match the type", TypeName(at))
		}
		next := step{off: form.Field(i).Offset}
		at = at.Underlying().(*types.Struct).Field(i).Type()
		if p, ok := types.Unalias(at).(*types.Pointer); ok {
			at, next.deref = p.Elem(), true
		}
		steps = append(steps, next)
	}
	holder, err := m.declare(at)
	if err != nil {
		return reflect.Value{}, err
	}
	mt, err := m.methodType(f, f.Signature())
	if err != nil {
		return reflect.Value{}, err
	}
	in := append([]reflect.Type{reflect.PointerTo(r.typ())}, slices.Collect(mt.Ins())...)
	name := f.Name()
	_, byPtr := types.Unalias(f.Signature().Recv().Type()).(*types.Pointer)
	ft := reflect.FuncOf(in, slices.Collect(mt.Outs()), mt.IsVariadic())
	return reflect.MakeFunc(ft, func(args []reflect.Value) []reflect.Value {
		p := args[0].UnsafePointer()
		for _, s := range steps {
			_ = *(*byte)(p) // Go's panic, if it is nil
			p = unsafe.Add(p, s.off)
			if s.deref {
				p = *(*unsafe.Pointer)(p)
			}
		}
		if !byPtr {
			_ = *(*byte)(p)
		}
		recv := reflect.NewAt(holder, p)
		if holder.Kind() == reflect.Interface {
			if recv = recv.Elem(); recv.IsNil() {
				_ = *(*byte)(nil)
			}
		}
		call := recv.MethodByName(name)
		if mt.IsVariadic() {
			return call.CallSlice(args[1:])
		}
		return call.Call(args[1:])
	}), nil
}

// plainError is the type of Go's panic when a method of T is called with a nil *T.
var plainError = sync.OnceValue(func() (t reflect.Type) {
	defer func() { t = reflect.TypeOf(recover()) }()
	nilProbe.First()
	return nil
})

var nilProbe probeIface = (*probe)(nil)

// nilReceiver returns the panic value of a call of the method f, declared by T, with a nil
// *T.
func nilReceiver(n *types.Named, f *types.Func) any {
	name := n.Obj().Name()
	if n.TypeArgs().Len() > 0 {
		name += "[...]"
	}
	text := "value method " + pkgPath(n.Obj().Pkg()) + "." + name + "." + f.Name() +
		" called using nil *" + name + " pointer"
	return Retype(text, plainError())
}
