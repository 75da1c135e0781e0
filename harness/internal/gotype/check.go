package gotype

import (
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"unsafe"
)

// Releases lists the Go releases whose type layouts are known.
const Releases = "go1.26 and go1.27"

// Check returns nil if this Go lays out types as this package assumes. Otherwise its error
// names the part that differs and the releases of Go that work. It first reads the
// descriptors of compiled types, and makes a type only if they are right, since a wrong one
// would crash the process. The result of the first call is kept.
func Check() error { return check() }

var check = sync.OnceValue(checkLayouts)

func checkLayouts() error {
	for _, c := range []struct {
		what string
		ok   func() bool
	}{
		{"the architecture", func() bool { return stubCount > 0 && unsafe.Sizeof(uintptr(0)) == 8 }},
		{"the head", headKnown}, {"structs", structsKnown}, {"elements", elementsKnown}, {"funcs", funcsKnown},
		{"methods", methodsKnown}, {"maps", mapsKnown}, {"a type made by reflect", reflectKnown}, {"a made type", madeTypeWorks},
	} {
		if !c.ok() {
			return fmt.Errorf("%s on %s lays out types differently (%s); "+
				"types with methods can be made with %s, on amd64 and arm64", runtime.Version(), runtime.GOARCH, c.what, Releases)
		}
	}
	return nil
}

type probe struct {
	a *int
	B []string `k:"v"`
}

func (probe) First() int { return 1 }

func (p probe) last() int {
	if p.a != nil {
		return *p.a
	}
	return 2
}

type (
	probeFunc  func(int, ...string) bool
	probeMap   map[string]int8
	probeIface interface{ First() int }
)

var probed = probe{B: []string{"b"}}

func headKnown() bool {
	p := rt(reflect.TypeOf(probed))
	n, x, y := rt(reflect.TypeFor[int]()), 5, 5
	return p.size == 32 && p.ptrdata == 16 && p.align == 8 && p.fa == 8 && p.kind == uint8(reflect.Struct) &&
		p.equal == nil && p.gcdata != nil && *p.gcdata == 3 &&
		p.tflag&(flagUncommon|flagNamed|flagRegular|flagOnDemand|flagDirect) == flagUncommon|flagNamed &&
		n.size == 8 && n.ptrdata == 0 && n.kind == uint8(reflect.Int) && n.tflag&(flagRegular|flagDirect) == flagRegular &&
		n.equal(unsafe.Pointer(&x), unsafe.Pointer(&y)) &&
		rt(reflect.TypeFor[*int]()).tflag&flagDirect != 0 &&
		rt(reflect.TypeFor[struct{ p *int }]()).tflag&flagDirect != 0 &&
		rt(reflect.TypeFor[[1 << 20]*int]()).tflag&flagOnDemand != 0
}

func structsKnown() bool {
	s := (*structType)(unsafe.Pointer(rt(reflect.TypeOf(probed))))
	if len(s.fields) != 2 || cap(s.fields) != 2 || s.fields[1].off != 8 ||
		s.fields[0].typ != rt(reflect.TypeFor[*int]()) || s.fields[1].typ != rt(reflect.TypeFor[[]string]()) {
		return false
	}
	return string(unsafe.Slice(s.fields[0].name, 3)) == "\x00\x01a" &&
		string(unsafe.Slice(s.fields[1].name, 9)) == "\x03\x01B\x05k:\"v\""
}

func elementsKnown() bool {
	i := rt(reflect.TypeFor[int]())
	a := (*arrayType)(unsafe.Pointer(rt(reflect.TypeFor[[3]int]())))
	c := (*chanType)(unsafe.Pointer(rt(reflect.TypeFor[<-chan int]())))
	f := (*ifaceType)(unsafe.Pointer(rt(reflect.TypeFor[probeIface]())))
	return (*elemType)(unsafe.Pointer(rt(reflect.TypeFor[*int]()))).elem == i &&
		(*elemType)(unsafe.Pointer(rt(reflect.TypeFor[[]int]()))).elem == i &&
		a.elem == i && a.slice == rt(reflect.TypeFor[[]int]()) && a.len == 3 && c.elem == i && c.dir == 1 &&
		f.pkg != nil && len(f.methods) == 1
}

func funcsKnown() bool {
	f := rt(reflect.TypeFor[probeFunc]())
	ft := (*funcType)(unsafe.Pointer(f))
	args := (*[3]*rtype)(unsafe.Add(unsafe.Pointer(f), unsafe.Sizeof(*ft)+unsafe.Sizeof(uncommon{})))
	return ft.in == 2 && ft.out == 1|flagVariadic && args[0] == rt(reflect.TypeFor[int]()) &&
		args[1] == rt(reflect.TypeFor[[]string]()) && args[2] == rt(reflect.TypeFor[bool]())
}

func methodsKnown() bool {
	if f, ok := any(probed).(probeIface); !ok || f.First()+probed.last() != 3 {
		return false
	}
	s := (*structType)(unsafe.Pointer(rt(reflect.TypeOf(probed))))
	u := (*uncommon)(unsafe.Add(unsafe.Pointer(s), unsafe.Sizeof(*s)))
	return u.mcount == 2 && u.xcnt == 1 && u.moff >= uint32(unsafe.Sizeof(*u)) && u.moff < 1<<16 &&
		unsafe.Sizeof(method{}) == 16
}

func mapsKnown() bool {
	m := (*mapType)(unsafe.Pointer(rt(reflect.TypeFor[probeMap]())))
	a, b := "ab", string([]byte{'a', 'b'})
	return m.key == rt(reflect.TypeFor[string]()) && m.elem == rt(reflect.TypeFor[int8]()) && m.group != nil &&
		m.group.kind == uint8(reflect.Struct) &&
		m.hasher(unsafe.Pointer(&a), 7) == m.hasher(unsafe.Pointer(&b), 7) &&
		m.groupLayout.known() && m.flags>>5 == 0
}

// reflectKnown reports whether the text number is negative in types made by reflect, and
// positive in compiled types.
func reflectKnown() bool {
	made := reflect.StructOf([]reflect.StructField{{Name: "Probed", Type: reflect.TypeFor[probe]()}})
	return rt(made).str < 0 && rt(reflect.TypeFor[probe]()).str > 0
}

// madeTypeWorks makes a type and uses a value of it as native code does, and reports whether that
// works.
func madeTypeWorks() bool {
	type form = struct{ F_a, B int }
	t, ptr, err := declare(rt(reflect.TypeFor[form]()), 0, "main.made", "main", true, 1, 1)
	if err != nil {
		return false
	}
	s := (*structType)(unsafe.Pointer(t.rtype))
	s.pkg = encode("main", "", "", false)
	i := rt(reflect.TypeFor[int]())
	s.fields = []field{{encode("a", "", "", false), i, 0}, {encode("B", `k:"v"`, "", false), i, 8}}
	slot, ptrCode, err := takeStub(reflect.ValueOf(func(p *form) int { return p.F_a + p.B }))
	slot2, valCode, err2 := takeStub(reflect.ValueOf(func(v form) int { return v.F_a + v.B }))
	if err != nil || err2 != nil {
		return false
	}
	defer releaseStubs([]int{slot, slot2})
	me := method{nameOff("First", ""), offset(unsafe.Pointer(rt(reflect.TypeFor[func() int]()))), ptrCode, ptrCode}
	ptr.methods[0] = me
	me.tfn = valCode
	t.methods[0] = me
	t.uncommon.xcnt, ptr.uncommon.xcnt = 1, 1

	v := form{3, 4}
	r := reflect.NewAt(t.typ(), unsafe.Pointer(&v))
	x, ok := Retype(v, t.typ()).(probeIface)
	y, ok2 := r.Interface().(probeIface)
	if !ok || !ok2 || x.First() != 7 || y.First() != 7 || x != r.Elem().Interface() {
		return false
	}
	var z probeIface
	ifaceE2I(rt(reflect.TypeFor[probeIface]()), x, unsafe.Pointer(&z))
	f := t.typ().Field(0)
	return z.First() == 7 && t.typ().String() == "main.made" && t.typ().Name() == "made" && t.typ().PkgPath() == "main" &&
		reflect.PointerTo(t.typ()) == r.Type() && r.Type().String() == "*main.made" && t.typ().NumMethod() == 1 &&
		f.Name == "a" && f.PkgPath == "main" && t.typ().Field(1).Tag.Get("k") == "v"
}
