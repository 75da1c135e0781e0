// Package native runs small functions of a script as closures of Go, where the
// library calls them again and again: what sorts, searches and selects.
//
//	sort.Slice(list, func(i, j int) bool { return list[i].Age < list[j].Age })
//
// The interpreter takes 2 µs and more for each such call, of which most is the way
// from native code into a function of the interpreter. Package lower makes a [Func]
// of a function that only computes: one whose statements are declarations, assignments
// to variables, if, switch and return, over fields, elements, basic values and a few functions of the library.
// A [Call] has its closures and the variables that it captured.
//
// Such a function changes nothing but variables, and those when it returns; whatever it
// reads it reads at each call. So the order in which its parts are evaluated shows
// nowhere, and where it would panic it is called again in the interpreter, with the same
// arguments, which then panics with Go's words, at its line and with its trace. What a Func cannot say, or a
// machine cannot make of it, is left to the interpreter altogether.
//
// Memory is read by address. The types that tell where things lie are those of the
// erased values ([Types]), as reflect has them; indices and nil pointers are checked.
// Nothing is written but the frame of the call and, by [Store], variables of basic types.
package native

import (
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"unsafe"
)

// A Func is a function that only computes.
type Func struct {
	// Vars are the variables that it reads: first its parameters, then those captured.
	Vars   []Variable
	Params int // how many of Vars are
	Body   *Expr
}

// A Variable is one of a Func.
type Variable struct {
	Type types.Type
	// Address: Bind gets a pointer to it; else its value, which never changes.
	Address bool
}

// An Expr is an operation.
type Expr struct {
	Op    Op
	Type  types.Type // of the result
	Args  []*Expr
	Index int            // of the variable, local or field
	Token token.Token    // of Unary and Binary
	Value constant.Value // of Const
	Name  string         // of Library, in full
}

// Op is what an Expr does.
type Op int

// The operations.
const (
	Const   Op = iota // Value; nil is the zero value
	Var               // Func.Vars[Index]
	Local             // what Let has kept under Index
	Let               // keeps Args[0] as local Index and evaluates Args[1]
	Store             // evaluates Args[0], then assigns Args[2] to the variable Args[1]
	Cond              // Args[1] if Args[0], else Args[2]
	Field             // field Index of the struct Args[0]
	Address           // a pointer to Args[0]
	Deref             // what the pointer Args[0] points to
	Elem              // Args[0][Args[1]] of a slice, array or string
	MapElem           // Args[0][Args[1]] of a map
	Len               // of a slice, map or string
	Convert           // from one basic type to another
	Unary
	Binary
	Compare // cmp.Compare
	Or      // cmp.Or
	Library // the function Name of [Library]
)

// Class is how values of a type are computed with.
type Class int

// The classes. A Place is the address of a value: of a struct, array, slice, map,
// pointer.
const (
	Unknown Class = iota
	Bool
	Int
	Float
	String
	Place
)

// ClassOf returns the class of a type, Unknown for those that no Func has.
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

// Types returns the type of the erased form of t.
type Types func(t types.Type) (reflect.Type, error)

// frame is one call.
type frame struct {
	vars    []unsafe.Pointer // where the variables lie
	bools   []bool           // the locals by their classes
	ints    []int64
	floats  []float64
	strings []string
	places  []unsafe.Pointer

	failed bool   // the interpreter has been called
	slow   func() // calls it, and keeps what it returns
}

// fail has the interpreter do the call, which panics. It returns where somebody
// changes meanwhile what is read: what is computed on then does not count.
func (f *frame) fail() {
	if !f.failed {
		f.failed = true
		f.slow()
	}
}

type fun[T any] = func(*frame) T

// Code is what was made of a Func.
type Code struct {
	fn     *Func
	vars   []reflect.Type
	locals int
	bool   fun[bool] // one of them is the function
	int    fun[int64]
	float  fun[float64]
	string fun[string]
}

// Compile makes the closures of a Func. It fails where a type has no form.
func Compile(fn *Func, typeOf Types) (*Code, error) {
	c := &compiler{typeOf: typeOf, fn: fn}
	code := &Code{fn: fn}
	for _, v := range fn.Vars {
		code.vars = append(code.vars, c.form(v.Type))
	}
	switch ClassOf(fn.Body.Type) {
	case Bool:
		code.bool = c.bool(fn.Body)
	case Float:
		code.float = c.float(fn.Body)
	case String:
		code.string = c.string(fn.Body)
	default:
		code.int = c.int(fn.Body)
	}
	code.locals = c.locals
	return code, c.err
}

// A Call is a Func with what it captured. One goroutine uses it at a time.
type Call struct {
	code *Code
	f    *frame
	at   []unsafe.Pointer // where the parameters lie
}

// Bind makes a Call with what was captured, nil where that is not what Func says.
func (c *Code) Bind(captured []any) *Call {
	n := c.locals
	f := &frame{vars: make([]unsafe.Pointer, len(c.vars)), bools: make([]bool, n), ints: make([]int64, n),
		floats: make([]float64, n), strings: make([]string, n), places: make([]unsafe.Pointer, n)}
	if c.fn.Params+len(captured) != len(c.vars) {
		return nil
	}
	for i, x := range captured {
		i += c.fn.Params
		v := reflect.ValueOf(x)
		switch address := c.fn.Vars[i].Address; {
		case address && v.Kind() == reflect.Pointer && !v.IsNil() && alike(v.Type().Elem(), c.vars[i]):
			f.vars[i] = v.UnsafePointer()
		case !address && v.IsValid() && alike(v.Type(), c.vars[i]):
			at := reflect.New(v.Type())
			at.Elem().Set(v)
			f.vars[i] = at.UnsafePointer()
		default:
			return nil
		}
	}
	return &Call{c, f, f.vars[:c.fn.Params]}
}

// alike: the interpreter may have another type for the same memory.
func alike(a, b reflect.Type) bool { return a == b || a.Kind() == b.Kind() && a.Size() == b.Size() }

// Func1 is Func2 for one parameter.
func Func1[A, R any](c *Call, slow func(A) R) func(A) R {
	of := Func2(c, func(a A, _ struct{}) R { return slow(a) })
	return func(a A) R { return of(a, struct{}{}) }
}

// Func2 returns a function of basic parameters; slow is what the interpreter has for
// it. A nil Call has nothing but that.
func Func2[A, B, R any](c *Call, slow func(A, B) R) func(A, B) R {
	if c == nil {
		return slow
	}
	a, b := new(A), new(B)
	of := Places(c, func(_, _ unsafe.Pointer) R { return slow(*a, *b) })
	return func(x A, y B) R {
		*a, *b = x, y
		return of(unsafe.Pointer(a), unsafe.Pointer(b))
	}
}

// Places is Func2 for a function that gets the addresses of its parameters.
func Places[R any](c *Call, slow func(a, b unsafe.Pointer) R) func(a, b unsafe.Pointer) R {
	if c == nil {
		return slow
	}
	run, f, two := result[R](c.code), c.f, len(c.at) > 1
	var slowly R
	f.slow = func() {
		b := unsafe.Pointer(nil)
		if two {
			b = c.at[1]
		}
		slowly = slow(c.at[0], b)
	}
	return func(a, b unsafe.Pointer) R {
		if c.at[0] = a; two {
			c.at[1] = b
		}
		r := run(f)
		if f.failed {
			f.failed = false
			return slowly
		}
		return r
	}
}

// result is the code as a function with another type of result.
func result[R any](c *Code) fun[R] {
	var r any
	switch any(*new(R)).(type) {
	case bool:
		r = c.bool
	case float64:
		r = c.float
	case string:
		r = c.string
	case int:
		r = fun[int](func(f *frame) int { return int(c.int(f)) })
	case rune:
		r = fun[rune](func(f *frame) rune { return rune(c.int(f)) })
	}
	return r.(fun[R])
}
