package rt

import (
	"go/types"
	"reflect"
)

func asError(v reflect.Value) error {
	e, _ := v.Interface().(error)
	return e
}

func (b boxError) Error() string {
	r, ok := b.call("Error")
	if !ok {
		return "error of type " + TypeName(b.T.typ)
	}
	return r[0].String()
}

// Is serves errors.Is of the library; without a method of the script it is
// false, as == was tried before.
func (b boxError) Is(target error) bool {
	r, ok := b.call("Is", target)
	return ok && r[0].Bool()
}

// errorsIs is errors.Is. The library asks whether the target's type has ==, and
// the type of a box always has it, even where the script's type has not.
func errorsIs(err, target error) bool {
	if err == nil || target == nil {
		return err == target
	}
	to := canonical(target)
	comparable := reflect.TypeOf(to).Comparable()
	if b, ok := unbox(to); ok {
		comparable = types.Comparable(b.T.typ)
	}
	return errorIs(err, target, to, comparable)
}

func errorIs(err, target error, to any, comparable bool) bool {
	if comparable && equal(err, to) {
		return true
	}
	if x, ok := err.(interface{ Is(error) bool }); ok && x.Is(target) {
		return true
	}
	switch u := err.(type) {
	case interface{ Unwrap() error }:
		e := u.Unwrap()
		return e != nil && errorIs(e, target, to, comparable)
	case interface{ Unwrap() []error }:
		for _, e := range u.Unwrap() {
			if e != nil && errorIs(e, target, to, comparable) {
				return true
			}
		}
	}
	return false
}

// Timeout serves library code that asks for it, such as context.
func (b boxError) Timeout() bool {
	r, ok := b.call("Timeout")
	return ok && r[0].Bool()
}

func (b boxWraps) Unwrap() error {
	if r, ok := b.call("Unwrap"); ok {
		return asError(r[0])
	}
	return nil
}

func (b boxJoins) Unwrap() []error {
	if r, ok := b.call("Unwrap"); ok {
		list, _ := r[0].Interface().([]error)
		return list
	}
	return nil
}

// findErrorAs is findError for errors.As, whose target an error's own method As
// may set. target is the target as the script has it in an interface. how is
// 0 for not found, 1 when x is the value, 2 when the target has been set.
func (m *Machine) findErrorAs(err error, tid int, target any) (x any, how int) {
	if err == nil {
		return nil, 0
	}
	x = canonical(err)
	if types.IsInterface(m.types[tid].typ) && m.implements(x, tid) || m.isType(x, tid) {
		return x, 1
	}
	if b, ok := unbox(x); ok {
		if r, ok := b.call("As", target); ok && r[0].Bool() {
			return nil, 2
		}
	}
	switch u := err.(type) {
	case interface{ Unwrap() error }:
		return m.findErrorAs(u.Unwrap(), tid, target)
	case interface{ Unwrap() []error }:
		for _, e := range u.Unwrap() {
			if x, how := m.findErrorAs(e, tid, target); how != 0 {
				return x, how
			}
		}
	}
	return nil, 0
}

// findError walks an error tree for a value of type tid, as errors.As does.
func (m *Machine) findError(err error, tid int) (any, bool) {
	if err == nil {
		return nil, false
	}
	x := canonical(err)
	if types.IsInterface(m.types[tid].typ) {
		if m.implements(x, tid) {
			return x, true
		}
	} else if m.isType(x, tid) {
		return x, true
	}
	switch u := err.(type) {
	case interface{ Unwrap() error }:
		return m.findError(u.Unwrap(), tid)
	case interface{ Unwrap() []error }:
		for _, e := range u.Unwrap() {
			if r, ok := m.findError(e, tid); ok {
				return r, true
			}
		}
	}
	return nil, false
}
