package gotype

import (
	"fmt"
	"go/token"
	"math"
	"reflect"
	"sync"
	"unsafe"
)

// The layouts of internal/abi, as of Go 1.26 and 1.27. Check compares them with this Go's.
type (
	rtype struct {
		size, ptrdata    uintptr
		hash             uint32
		tflag, align, fa uint8
		kind             uint8
		equal            func(unsafe.Pointer, unsafe.Pointer) bool
		gcdata           *byte
		str, ptrToThis   int32
	}
	elemType struct { // of pointers and slices
		rtype
		elem *rtype
	}
	chanType struct {
		rtype
		elem *rtype
		dir  int
	}
	arrayType struct {
		rtype
		elem, slice *rtype
		len         uintptr
	}
	mapType struct {
		rtype
		key, elem, group *rtype
		hasher           func(unsafe.Pointer, uintptr) uintptr
		groupLayout
		flags uint32
	}
	funcType struct { // parameters and results follow, after uncommon
		rtype
		in, out uint16 // the top bit of out: variadic
	}
	field struct {
		name *byte
		typ  *rtype
		off  uintptr
	}
	structType struct {
		rtype
		pkg    *byte
		fields []field
	}
	ifaceType struct {
		rtype
		pkg     *byte
		methods []imethod
	}
	imethod struct{ name, typ int32 }

	// uncommon follows the head of types that have a name or methods.
	uncommon struct {
		pkg          int32
		mcount, xcnt uint16
		moff, _      uint32
	}
	method struct{ name, mtyp, ifn, tfn int32 }
)

const (
	flagUncommon  = 1 << 0
	flagExtraStar = 1 << 1
	flagNamed     = 1 << 2
	flagRegular   = 1 << 3 // == and the hash treat a value as bytes
	flagOnDemand  = 1 << 4 // the mask of pointers is built at the first use
	flagDirect    = 1 << 5 // a value is stored directly in the data word of an interface
	flagVariadic  = 1 << 15
)

// The bits of the first byte of a name.
const (
	nameExported = 1 << 0
	nameTag      = 1 << 1
	namePackage  = 1 << 2
	nameEmbedded = 1 << 3
)

//go:linkname addReflectOff reflect.addReflectOff
func addReflectOff(ptr unsafe.Pointer) int32

//go:linkname ifaceE2I reflect.ifaceE2I
func ifaceE2I(t *rtype, src any, dst unsafe.Pointer)

// global is shared by all makers. Descriptors live as long as the process, since the
// collector follows neither the type word of an interface nor the numbers in descriptors.
var global struct {
	sync.Mutex
	keep  []unsafe.Pointer
	hash  uint32
	names map[string]int32
	maps  map[*mapType]bool // with a hasher other than reflect's

}

func keep(p unsafe.Pointer) {
	global.Lock()
	defer global.Unlock()
	global.keep = append(global.keep, p)
}

// rt is not inlined: otherwise the compiler reads descriptors that it knows itself, and its
// linker then fails (Go 1.26: "R_USEIFACE … is not a type or itab").
//
//go:noinline
func rt(t reflect.Type) *rtype { return (*rtype)((*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1]) }

func typeOf(p *rtype) (t reflect.Type) {
	t = reflect.TypeFor[int]()
	(*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1] = unsafe.Pointer(p)
	return t
}

// offset registers memory that a descriptor refers to by a number. The first number that
// the runtime assigns is -1, which stands for unreachable code.
func offset(p unsafe.Pointer) int32 {
	for {
		if n := addReflectOff(p); n != -1 {
			return n
		}
		addReflectOff(unsafe.Pointer(&spent)) // keeps -1
		p = unsafe.Pointer(encode("-", "", "", false))
	}
}

var spent byte

// encode encodes a name as in descriptors. pkg is "" except for an unexported name of a
// package other than the descriptor's.
func encode(name, tag, pkg string, embedded bool) *byte {
	b := []byte{0}
	if token.IsExported(name) {
		b[0] |= nameExported
	}
	if embedded {
		b[0] |= nameEmbedded
	}
	put := func(s string) {
		n := len(s)
		for ; n >= 0x80; n >>= 7 {
			b = append(b, byte(n)|0x80)
		}
		b = append(append(b, byte(n)), s...)
	}
	put(name)
	if tag != "" {
		b[0] |= nameTag
		put(tag)
	}
	if pkg != "" {
		b[0] |= namePackage
		n := nameOff(pkg, "")
		b = append(b, (*[4]byte)(unsafe.Pointer(&n))[:]...)
	}
	keep(unsafe.Pointer(&b[0]))
	return &b[0]
}

// nameOff returns the number of a name. Equal names have equal numbers.
func nameOff(name, pkg string) int32 {
	key := pkg + "\x00" + name
	global.Lock()
	n, ok := global.names[key]
	global.Unlock()
	if ok {
		return n
	}
	n = offset(unsafe.Pointer(encode(name, "", pkg, false)))
	global.Lock()
	defer global.Unlock()
	if global.names == nil {
		global.names = map[string]int32{}
	}
	global.names[key] = n
	return n
}

// A block is the memory of a descriptor. It is typed, since the collector must see what the
// head points to. Most descriptors fit into it; larger blocks are made by reflect.
type block[H any] struct {
	Head     H
	Uncommon uncommon
	Args     [0]*rtype
	Methods  [8]method
}

// maxArgs is the maximum number of parameters and results of a func type, as in reflect.
const maxArgs = 128

type shape struct{ head, block reflect.Type }

func shapeOf[H any]() shape { return shape{reflect.TypeFor[H](), reflect.TypeFor[block[H]]()} }

// blocks has the head of each kind's descriptor and a block for it. A kind without one
// needs only rtype.
var blocks = [...]shape{
	reflect.Pointer: shapeOf[elemType](), reflect.Slice: shapeOf[elemType](), reflect.Chan: shapeOf[chanType](),
	reflect.Array: shapeOf[arrayType](), reflect.Map: shapeOf[mapType](), reflect.Func: shapeOf[funcType](),
	reflect.Struct: shapeOf[structType](), reflect.Interface: shapeOf[ifaceType](), reflect.UnsafePointer: {},
}

// A descriptor is a copy of a type descriptor, with room for methods, and for the
// parameters and results of a func type.
type descriptor struct {
	*rtype
	uncommon *uncommon
	args     []*rtype
	methods  []method
}

func (d *descriptor) typ() reflect.Type { return typeOf(d.rtype) }

// copyOf copies a descriptor. The copy has no name yet, and a new hash.
func copyOf(from *rtype, args, methods int) (*descriptor, error) {
	if args > maxArgs || methods > math.MaxUint16 {
		return nil, fmt.Errorf("type has %d parameters and results and %d methods; at most %d and %d",
			args, methods, maxArgs, math.MaxUint16)
	}
	b := blocks[from.kind]
	if b.head == nil {
		b = shapeOf[rtype]()
	}
	if args > 0 || methods > b.block.Field(3).Type.Len() {
		b.block = reflect.StructOf([]reflect.StructField{
			{Name: "Head", Type: b.head},
			{Name: "Uncommon", Type: reflect.TypeFor[uncommon]()},
			{Name: "Args", Type: reflect.ArrayOf(args, reflect.TypeFor[*rtype]())},
			{Name: "Methods", Type: reflect.ArrayOf(methods, reflect.TypeFor[method]())},
		})
	}
	v := reflect.New(b.block)
	keep(v.UnsafePointer())
	v.Elem().Field(0).Set(reflect.NewAt(b.head, unsafe.Pointer(from)).Elem())
	at := func(i int) unsafe.Pointer { return v.Elem().Field(i).Addr().UnsafePointer() }
	d := &descriptor{rtype: (*rtype)(at(0)), uncommon: (*uncommon)(at(1))}
	d.uncommon.moff = uint32(b.block.Field(3).Offset - b.block.Field(1).Offset)
	d.uncommon.mcount = uint16(methods)
	global.Lock()
	global.hash++
	d.hash = (global.hash * 0x9e3779b1) ^ from.hash
	global.Unlock()
	d.tflag = d.tflag&^(flagExtraStar|flagNamed) | flagUncommon
	d.ptrToThis = 0
	if args > 0 {
		d.args = unsafe.Slice((**rtype)(at(2)), args)
	}
	if methods > 0 {
		d.methods = unsafe.Slice((*method)(at(3)), methods)
	}
	return d, nil
}

// name gives a descriptor its name. text is the result of its String.
func (d *descriptor) name(text, pkg string, named bool) {
	d.str = nameOff(text, "")
	if named {
		d.tflag |= flagNamed
	}
	d.uncommon.pkg = nameOff(pkg, "")
}

// declare makes a type with the memory layout of form, and the pointer to it, with room for
// the methods of both. The caller sets parts and methods.
func declare(
	form *rtype, args int, text, pkg string, named bool, methods, ptrMethods int,
) (t, ptr *descriptor, err error) {
	if t, err = copyOf(form, args, methods); err != nil {
		return nil, nil, err
	}
	t.name(text, pkg, named)
	if ptr, err = copyOf(rt(reflect.PointerTo(typeOf(form))), 0, ptrMethods); err != nil {
		return nil, nil, err
	}
	ptr.name("*"+text, pkg, false)
	(*elemType)(unsafe.Pointer(ptr.rtype)).elem = t.rtype
	t.ptrToThis = offset(unsafe.Pointer(ptr.rtype))
	return t, ptr, nil
}

// setElem gives a pointer, slice, channel, array or map type its parts. key is nil except
// for maps.
func setElem(p *rtype, key, elem reflect.Type) {
	switch reflect.Kind(p.kind) {
	case reflect.Pointer, reflect.Slice:
		(*elemType)(unsafe.Pointer(p)).elem = rt(elem)
	case reflect.Chan:
		(*chanType)(unsafe.Pointer(p)).elem = rt(elem)
	case reflect.Array:
		a := (*arrayType)(unsafe.Pointer(p))
		a.elem, a.slice = rt(elem), rt(reflect.SliceOf(elem))
	case reflect.Map:
		m := (*mapType)(unsafe.Pointer(p))
		m.key, m.elem = rt(key), rt(elem)
	}
}
