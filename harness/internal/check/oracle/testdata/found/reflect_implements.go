package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"time"
)

type V interface{ Validate() error }
type Email string

func (e Email) Validate() error { return nil }

type P struct{}

func (*P) Validate() error { return nil }

type unexp interface{ hid() }
type H struct{}

func (H) hid() {}

func main() {
	it := reflect.TypeFor[V]()
	for _, x := range []any{1, "s", Email("x"), P{}, &P{}, []int{}, map[string]int{}, errors.New("x"), time.Second, func() {}, struct{}{}, new(int), &bytes.Buffer{}, H{}} {
		t := reflect.TypeOf(x)
		fmt.Println(t, t.Implements(it), t.AssignableTo(it), t.ConvertibleTo(it), t.Implements(reflect.TypeFor[io.Reader]()), t.Implements(reflect.TypeFor[error]()), t.Implements(reflect.TypeFor[fmt.Stringer]()), t.Implements(reflect.TypeFor[unexp]()), t.Implements(reflect.TypeFor[any]()), t.Implements(reflect.TypeFor[interface{ Len() int }]()))
	}
	fmt.Println(reflect.TypeFor[int]().Implements(it), reflect.TypeFor[Email]().Implements(it), reflect.TypeFor[V]().Implements(it), reflect.TypeFor[any]().Implements(it), reflect.TypeFor[error]().Implements(it), reflect.TypeFor[io.ReadCloser]().Implements(reflect.TypeFor[io.Reader]()))
	if _, ok := it.MethodByName("Validate"); ok {
		fmt.Println("m")
	}
}
