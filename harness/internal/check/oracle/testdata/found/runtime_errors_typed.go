package main

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
)

type named struct{ x int }

func (n named) Name() string { return "n" }

type S interface {
	Name() string
	Foo()
}

func try(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *runtime.TypeAssertionError:
			err = fmt.Errorf("assertion: %w", r)
		case *runtime.PanicNilError:
			err = r
		case runtime.Error:
			err = fmt.Errorf("runtime: %w", r)
		case error:
			err = fmt.Errorf("plain: %w", r)
		default:
			err = fmt.Errorf("value: %v", r)
		}
	}()
	f()
	return nil
}

func main() {
	var a any = named{1}
	var none any
	var s fmt.Stringer
	for _, f := range []func(){
		func() {},
		func() { _ = a.(string) },
		func() { _ = a.(*named) },
		func() { _ = a.(S) },
		func() { _ = none.(int) },
		func() { _ = none.(S) },
		func() { _ = s.(*strings.Builder) },
		func() { panic(nil) },
		func() { panic(none) },
		func() { panic("text") },
		func() { panic(errors.New("e")) },
		func() { _ = []int{}[len(fmt.Sprint(a))] },
		func() { panic(fmt.Errorf("wrapped: %w", new(runtime.PanicNilError))) },
	} {
		err := try(f)
		var ta *runtime.TypeAssertionError
		var pn *runtime.PanicNilError
		var re runtime.Error
		fmt.Printf("%v | %t %t %t", err, errors.As(err, &ta), errors.As(err, &pn), errors.As(err, &re))
		if ta != nil {
			fmt.Printf(" %T %s", ta, ta.Error())
			ta.RuntimeError()
		}
		if pn != nil {
			fmt.Printf(" %T %v %+v", pn, pn, *pn)
		}
		fmt.Println()
	}
	if e, ok := errors.AsType[*runtime.TypeAssertionError](try(func() { _ = a.(error) })); ok {
		fmt.Println(e, e == nil)
	}
	var zero *runtime.TypeAssertionError
	fmt.Printf("%T %v %t\n", zero, zero == nil, any(zero) == nil)
}
