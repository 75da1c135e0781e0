package gotype

import (
	"fmt"
	"reflect"
	"sync"
	"unsafe"
)

// The code of a made method is a stub: stub n jumps into the func in slot n. The arguments
// are not moved, so a stub serves every signature.
const stubSize = 16 // bytes of a stub

var stubs struct {
	sync.Mutex
	next int   // the first slot never used
	free []int // released slots
}

// slots has the funcs; the stubs read it.
var slots [stubCount]unsafe.Pointer

// takeStub gives f, a func of any type, an address that a descriptor may name.
func takeStub(f reflect.Value) (slot int, off int32, err error) {
	p := reflect.New(f.Type())
	p.Elem().Set(f)
	stubs.Lock()
	defer stubs.Unlock()
	switch {
	case stubs.next < stubCount:
		slot = stubs.next
		stubs.next++
	case len(stubs.free) > 0:
		slot = stubs.free[0]
		stubs.free = stubs.free[1:]
	default:
		return 0, 0, fmt.Errorf("the types passed to the library have more than %d methods", stubCount)
	}
	slots[slot] = *(*unsafe.Pointer)(p.UnsafePointer())
	base := stubBase()
	return slot, offset(unsafe.Add(*(*unsafe.Pointer)(unsafe.Pointer(&base)), slot*stubSize)), nil
}

// releaseStubs releases stubs for reuse by other methods. Until then, a late call of one
// panics.
func releaseStubs(used []int) {
	f := func() { panic("gotype: a method of a program that has ended was called") }
	stubs.Lock()
	defer stubs.Unlock()
	for _, slot := range used {
		slots[slot] = *(*unsafe.Pointer)(unsafe.Pointer(&f))
	}
	stubs.free = append(stubs.free, used...)
}

// noCode returns the address of code for methods that native code cannot call, or without
// known code.
var noCode = sync.OnceValues(func() (int32, error) {
	none := func() { panic("gotype: a method was called that has no code outside the script") }
	_, off, err := takeStub(reflect.ValueOf(none))
	return off, err
})
