package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

type Code int

const (
	NotFound Code = 404
	Teapot   Code = 418
)

func (c Code) Error() string { return "code " + strconv.Itoa(int(c)) }
func (c Code) Is(t error) bool {
	o, ok := t.(Code)
	return ok && o/100 == c/100
}

type OpError struct {
	Op   string
	Path []string
	Err  error
}

func (e *OpError) Error() string {
	var sb strings.Builder
	fmt.Fprintf(&sb, "%s %s", e.Op, strings.Join(e.Path, "/"))
	if e.Err != nil {
		sb.WriteString(": " + e.Err.Error())
	}
	return sb.String()
}
func (e *OpError) Unwrap() error { return e.Err }

type multi []error

func (m multi) Error() string   { return fmt.Sprintf("%d errors, first: %v", len(m), m[0]) }
func (m multi) Unwrap() []error { return m }

type target interface {
	error
	Retry() (int, bool)
}
type retry struct {
	n int
	error
}

func (r retry) Retry() (int, bool) { return r.n, r.n < 3 }

type asErr struct{ code Code }

func (asErr) Error() string { return "asErr" }
func (a asErr) As(t any) bool {
	switch p := t.(type) {
	case *Code:
		*p = a.code
		return true
	case **OpError:
		*p = &OpError{Op: "synth"}
		return true
	}
	return false
}

func mayReturnTypedNil(fail bool) error {
	var e *OpError
	if fail {
		e = &OpError{Op: "x"}
	}
	return e
}

func level(n int) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("level %d: %w", n, err)
		}
	}()
	if n == 0 {
		return &OpError{"read", []string{"a", "b"}, io.ErrUnexpectedEOF}
	}
	return level(n - 1)
}

func try(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case error:
			err = fmt.Errorf("caught: %w", r)
		case string:
			err = errors.New(r)
		default:
			err = fmt.Errorf("odd panic %T %[1]v", r)
		}
	}()
	f()
	return
}

func main() {
	err := level(2)
	var oe *OpError
	fmt.Println(err, errors.As(err, &oe), oe.Path, errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF))
	for e := err; e != nil; e = errors.Unwrap(e) {
		fmt.Printf("%T|", e)
	}
	fmt.Println()
	fmt.Println(errors.Is(fmt.Errorf("x: %w", NotFound), Teapot), errors.Is(NotFound, Code(500)), errors.Is(Teapot, Teapot), errors.Is(nil, NotFound), errors.Is(NotFound, nil))
	m := multi{errors.New("one"), fmt.Errorf("two: %w", Teapot), retry{2, io.EOF}}
	var c Code
	var t target
	fmt.Println(m, errors.As(m, &c), int(c), errors.As(m, &t), errors.Is(m, io.EOF))
	if t != nil {
		fmt.Println(t.Retry())
	}
	j := errors.Join(nil, m, nil, context.Canceled)
	fmt.Printf("%v|%q|%t|%t\n", j, j.Error(), errors.Is(j, context.Canceled), errors.Join(nil, nil) == nil)
	c = 0
	oe = nil
	fmt.Println(errors.As(fmt.Errorf("w: %w", asErr{7}), &c), c, errors.As(asErr{}, &oe), oe)
	two := fmt.Errorf("both %w and %w, not %v", io.EOF, Teapot, os.ErrExist)
	fmt.Println(two, errors.Is(two, io.EOF), errors.Is(two, NotFound), errors.Is(two, os.ErrExist), errors.Unwrap(two) == nil)
	e1, e2 := mayReturnTypedNil(false), mayReturnTypedNil(true)
	fmt.Println(e1 == nil, e2 == nil, e1 == (*OpError)(nil))
	fmt.Println(os.ErrNotExist == fs.ErrNotExist, errors.Is(&fs.PathError{Op: "open", Path: "p", Err: os.ErrNotExist}, fs.ErrNotExist), &fs.PathError{Op: "open", Path: "p", Err: os.ErrPermission})
	_, perr := strconv.ParseInt("12x", 10, 64)
	var ne *strconv.NumError
	fmt.Println(errors.As(perr, &ne), ne.Func, ne.Err == strconv.ErrSyntax, perr)
	var arr []int
	var mp map[string]int
	var e3 error
	var x any = "str"
	for _, f := range []func(){
		func() { panic("plain") }, func() { panic(Teapot) }, func() { panic(3.5) }, func() { _ = arr[len(mp)] }, func() { mp["a"] = 1 },
		func() { fmt.Println(e3.Error()) }, func() { _ = x.(int) }, func() { panic(fmt.Errorf("deep: %w", io.ErrClosedPipe)) }, func() { panic(&OpError{Op: "p"}) }, func() { panic(multi{io.EOF}) },
	} {
		err := try(f)
		fmt.Println(err, errors.Is(err, Teapot), errors.Is(err, io.ErrClosedPipe))
	}
	fmt.Printf("%v %+v %s %q %d\n", Teapot, Teapot, Teapot, NotFound, NotFound)
	fmt.Printf("%v %+v\n", retry{1, io.EOF}, struct{ E error }{Teapot})
	as, ok := errors.AsType[Code](two)
	fmt.Println(as, ok)
	defer fmt.Println("deferred")
	defer func() {
		if r := recover(); r != nil {
			panic(fmt.Errorf("re-panic: %w", r.(error)))
		}
	}()
	panic(&OpError{"final", nil, Teapot})
}
