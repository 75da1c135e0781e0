// Package native compiles a script's comparisons to closures of Go, for the library
// functions that sort by them:
//
//	sort.Slice(list, func(i, j int) bool { return list[i].Age < list[j].Age })
//
// A call of such a function from native code takes the interpreter 2 µs and more, a closure
// about 30 ns. Package lower makes an [Expr] from a pure function: declarations, if, switch
// and return, over fields, elements, basic values and a few functions of the library.
// [Compile] makes a [Code] from it once the types of the program have a form.
//
// An Expr has no side effects. So its parts may be evaluated in any order and more than
// once. If a comparison panics, the interpreter repeats the sort on the elements in their
// old order: it then panics with Go's message, at its line and with its trace. A function
// that no Expr can express is left to the interpreter.
//
// Memory is read by address. The layout of a value is that of the reflect type of its
// erased form ([Types]). Indices and nil pointers are checked.
package native

import (
	"cmp"
	"errors"
	"fmt"
	"go/types"
	"reflect"
	"unsafe"
)

// Types returns the type of the erased form of t.
type Types func(t types.Type) (reflect.Type, error)

// A Var is a variable of the script that a comparison reads.
type Var struct {
	Type types.Type
	// Address reports whether Bind gets the address. If not, the value must not change.
	Address bool
}

// A Func is a comparison of two elements of a slice, by their indices.
type Func struct {
	Vars []Var
	Body *Expr // a bool, or an int that is negative if the first element comes first
}

// An Expr computes a value. Functions that return an Expr panic with [ErrUnfit] if they cannot.
type Expr struct {
	Type types.Type
	// Fails reports whether the evaluation may panic.
	Fails bool
	// IsNil reports whether this is the constant nil.
	IsNil bool
	code  func(*maker) eval
}

// An eval has an expression's closure, in the field for its class. Do not call the others.
type eval struct {
	n fun[int64]          // Bool (0 or 1); Int: the value, of an unsigned type its bits
	f fun[float64]        // Float
	s fun[string]         // String
	p fun[unsafe.Pointer] // Place: the address of the value
}

type fun[T any] = func(*frame) T

// A frame has the values that a comparison reads.
type frame struct {
	vars    []unsafe.Pointer // addresses of the variables
	indices [2]int           // of the elements
}

// A Class groups types whose values are computed in the same way.
type Class int

// The values of Class. Place is the class of structs, arrays, slices, maps and pointers.
const (
	Unknown Class = iota
	Bool
	Int
	Float
	String
	Place
)

// ClassOf returns the class of a type. It is Unknown if no Expr has the type.
func ClassOf(t types.Type) Class {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch info := u.Info(); {
		case info&types.IsBoolean != 0:
			return Bool
		case info&types.IsInteger != 0:
			return Int
		case info&types.IsFloat != 0:
			return Float
		case info&types.IsString != 0:
			return String
		case u.Kind() == types.UntypedNil:
			return Place
		}
	case *types.Struct, *types.Array, *types.Slice, *types.Map, *types.Pointer:
		return Place
	}
	return Unknown
}

// A maker makes closures.
type maker struct {
	typeOf Types
	err    error
}

// form returns the type of the erased form of t.
func (m *maker) form(t types.Type) reflect.Type {
	r, err := m.typeOf(t)
	if err != nil {
		m.err = cmp.Or(m.err, err)
		return reflect.TypeFor[int]()
	}
	return r
}

// require records an error unless ok is set.
func (m *maker) require(ok bool, t types.Type) {
	if !ok {
		m.err = cmp.Or(m.err, fmt.Errorf("no code for values of type %v", t))
	}
}

// Code is a compiled Func.
type Code struct {
	fn   *Func
	vars []reflect.Type
	eval fun[int64]
}

// Compile makes the closures of a Func. It returns an error if a type has no form.
func Compile(fn *Func, typeOf Types) (*Code, error) {
	m := &maker{typeOf: typeOf}
	code := &Code{fn: fn}
	for _, v := range fn.Vars {
		code.vars = append(code.vars, m.form(v.Type))
	}
	code.eval = fn.Body.code(m).n
	return code, m.err
}

// Bind returns the comparison with the values of its variables. ok is false if they do not
// fit the Func. The comparison panics where the script's would. Only one goroutine may call
// it.
func (c *Code) Bind(values []any) (less func(i, j int) bool, ok bool) {
	if len(values) != len(c.vars) {
		return nil, false
	}
	f := &frame{vars: make([]unsafe.Pointer, len(c.vars))}
	for i, x := range values {
		v := reflect.ValueOf(x)
		switch address := c.fn.Vars[i].Address; {
		case address && v.Kind() == reflect.Pointer && !v.IsNil() && sameMemory(v.Type().Elem(), c.vars[i]):
			f.vars[i] = v.UnsafePointer()
		case !address && v.IsValid() && sameMemory(v.Type(), c.vars[i]):
			at := reflect.New(v.Type())
			at.Elem().Set(v)
			f.vars[i] = at.UnsafePointer()
		default:
			return nil, false
		}
	}
	run := c.eval
	if ClassOf(c.fn.Body.Type) == Bool {
		return func(i, j int) bool {
			f.indices = [2]int{i, j}
			return run(f) != 0
		}, true
	}
	return func(i, j int) bool {
		f.indices = [2]int{i, j}
		return run(f) < 0
	}, true
}

// sameMemory reports whether a, which the interpreter may have substituted, is laid out like b.
func sameMemory(a, b reflect.Type) bool {
	return a == b || a.Kind() == b.Kind() && a.Size() == b.Size()
}

// ErrUnfit is the panic of a function that cannot make an Expr.
var ErrUnfit = errors.New("no expression")

// Require panics with ErrUnfit unless ok is set.
func Require(ok bool) {
	if !ok {
		panic(ErrUnfit)
	}
}

// errFailed is the panic of a comparison that reads a missing element, or through a nil
// pointer.
var errFailed = errors.New("a comparison failed")
