package runtime

import (
	"reflect"
	"runtime"
	"sync"
	"unsafe"

	"github.com/usetools/usetools/harness/internal/gotype"
)

// The errors of package runtime, which only that package can make. Their types are taken
// from errors that Go raises.

// panicOf returns the value with which f panics.
func panicOf(f func()) (r any) {
	defer func() { r = recover() }()
	f()
	return nil
}

var (
	errorString = sync.OnceValue(func() reflect.Type {
		var p *int
		return reflect.TypeOf(panicOf(func() { _ = *p }))
	})
	plainErrorString = sync.OnceValue(func() reflect.Type {
		var c chan int
		return reflect.TypeOf(panicOf(func() { close(c) }))
	})
	bounds = sync.OnceValue(func() reflect.Type {
		var s []int
		return reflect.TypeOf(panicOf(func() { _ = s[len(s)] }))
	})
)

// runtimeError returns the run-time error with this text after "runtime error: ".
func runtimeError(text string) error { return ofKindString(text, errorString()) }

// plainError returns a run-time error whose text does not begin "runtime error".
func plainError(text string) error { return ofKindString(text, plainErrorString()) }

func ofKindString(text string, t reflect.Type) error {
	if t.Kind() != reflect.String {
		panic("this release of Go represents run-time errors differently: " + text)
	}
	return gotype.Retype(text, t).(error)
}

// The codes of a runtime.boundsError, as of internal/abi.
const (
	badIndexCode  = 0
	badEndCode    = 1 // of a length; 2: of a capacity
	badBeginCode  = 3
	badMaxCode    = 4 // of a length; 5: of a capacity
	badEnd3Code   = 6
	badBegin3Code = 7
	badArrayCode  = 8
)

// boundsError returns the run-time error for an index or bound x that does not fit y. If
// unsigned is set, x is a uint.
func boundsError(code, x int, unsigned bool, y int) error {
	v := reflect.New(bounds()).Elem()
	set := func(name string, x any) {
		f := v.FieldByName(name)
		p := reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
		p.Set(reflect.ValueOf(x).Convert(f.Type()))
	}
	set("x", x)
	set("y", y)
	set("signed", !unsigned)
	set("code", code)
	return v.Interface().(runtime.Error)
}
