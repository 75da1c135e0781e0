package exec

import (
	"encoding/json"
	"reflect"
	"runtime"
	"slices"
	"strings"
)

// A Code identifies the kind of panic, or of fatal error of Go's runtime, that ended a script.
// Callers choose their advice by it.
type Code string

// The codes. Those between CodePanic and CodeDeadlock are for panics that Go raises, not the
// script.
const (
	CodePanic         Code = "panic" // any other panic
	CodeNilMap        Code = "nil_map"
	CodeNilPointer    Code = "nil_pointer"
	CodeFloatNotInt   Code = "float_not_int" // a JSON number was asserted to be an int
	CodeAssertion     Code = "assertion"
	CodeIndex         Code = "index"
	CodeSliceBounds   Code = "slice_bounds"
	CodeNoPointer     Code = "no_pointer"   // json.Unmarshal got a value instead of a pointer
	CodeErrorTarget   Code = "error_target" // invalid target of errors.As
	CodeClosedChannel Code = "closed_channel"
	CodeZeroDivisor   Code = "zero_divisor"
	CodeDeadlock      Code = "deadlock"
	CodeNoMain        Code = "no_main" // main called runtime.Goexit, and no other goroutine remains
)

var panics = []Code{CodePanic, CodeNilMap, CodeNilPointer, CodeFloatNotInt, CodeAssertion, CodeIndex, CodeSliceBounds,
	CodeNoPointer, CodeErrorTarget, CodeClosedChannel, CodeZeroDivisor}

// IsPanic reports whether the code is that of a panic.
func (c Code) IsPanic() bool { return slices.Contains(panics, c) }

// IsFatal reports whether the code is that of a fatal error.
func (c Code) IsFatal() bool { return c == CodeDeadlock || c == CodeNoMain }

// runtimeErrors identify the errors of Go's runtime by a part of their text, because they have
// no codes and, except assertions, no types. They are not applied to other text.
var runtimeErrors = []struct {
	part string
	code Code
}{
	{"assignment to entry in nil map", CodeNilMap},
	{"nil pointer dereference", CodeNilPointer},
	{"is float64, not int", CodeFloatNotInt},
	{"interface conversion: ", CodeAssertion},
	{"index out of range", CodeIndex},
	{"slice bounds out of range", CodeSliceBounds},
	{"send on closed channel", CodeClosedChannel},
	{"integer divide by zero", CodeZeroDivisor},
}

// errorTarget is the panic value of errors.As.
const errorTarget = "errors: *target must be interface or implement error"

// codeOf returns the code of a panic with a value.
func codeOf(value any) Code {
	switch v := value.(type) {
	case runtime.Error:
		for _, e := range runtimeErrors {
			if strings.Contains(v.Error(), e.part) {
				return e.code
			}
		}
	case *json.InvalidUnmarshalError:
		if v.Type != nil && v.Type.Kind() != reflect.Pointer {
			return CodeNoPointer
		}
	case string:
		if v == errorTarget {
			return CodeErrorTarget
		}
	}
	return CodePanic
}
