// Option and Result types with generic methods via functions, printed through Stringer and GoString.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

type Option[T any] struct {
	v  T
	ok bool
}

func Some[T any](v T) Option[T] { return Option[T]{v, true} }
func None[T any]() Option[T]    { return Option[T]{} }

func (o Option[T]) OrElse(d T) T {
	if o.ok {
		return o.v
	}
	return d
}

func (o Option[T]) String() string {
	if !o.ok {
		return "None"
	}
	return fmt.Sprintf("Some(%v)", o.v)
}

func (o Option[T]) MarshalJSON() ([]byte, error) {
	if !o.ok {
		return []byte("null"), nil
	}
	return json.Marshal(o.v)
}

func (o *Option[T]) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*o = None[T]()
		return nil
	}
	o.ok = true
	return json.Unmarshal(b, &o.v)
}

func (o Option[T]) IsZero() bool { return !o.ok }

func MapOpt[A, B any](o Option[A], f func(A) B) Option[B] {
	if !o.ok {
		return None[B]()
	}
	return Some(f(o.v))
}

func Bind[A, B any](o Option[A], f func(A) Option[B]) Option[B] {
	if o.ok {
		return f(o.v)
	}
	return Option[B]{}
}

type Result[T any] struct {
	Val T
	Err error
}

func Try[T any](f func() (T, error)) (r Result[T]) {
	defer func() {
		if p := recover(); p != nil {
			r.Err = fmt.Errorf("panic: %v", p)
		}
	}()
	v, err := f()
	return Result[T]{v, err}
}

func Then[A, B any](r Result[A], f func(A) (B, error)) Result[B] {
	if r.Err != nil {
		return Result[B]{Err: r.Err}
	}
	return Try(func() (B, error) { return f(r.Val) })
}

func (r Result[T]) Unwrap() T {
	if r.Err != nil {
		panic(r.Err)
	}
	return r.Val
}

type Profile struct {
	Name string         `json:"name"`
	Age  Option[int]    `json:"age"`
	Nick Option[string] `json:"nick,omitzero"`
	Deep Option[Option[[]int]]
}

var errOdd = errors.New("odd")

func half(n int) (int, error) {
	if n%2 != 0 {
		return n, errOdd
	}
	return n / 2, nil
}

func main() {
	a, b := Some(21), None[int]()
	fmt.Println(a, b, a.OrElse(1), b.OrElse(1), a == Some(21), b == a)
	fmt.Println(MapOpt(a, func(i int) string { return strconv.Itoa(i * 2) }), MapOpt(b, strconv.Itoa))
	safeDiv := func(d int) func(int) Option[float64] {
		return func(n int) Option[float64] {
			if d == 0 {
				return None[float64]()
			}
			return Some(float64(n) / float64(d))
		}
	}
	fmt.Println(Bind(a, safeDiv(2)), Bind(a, safeDiv(0)), Bind(b, safeDiv(1)))
	fmt.Printf("%v %+v %#v %T\n", a, a, a, a)
	p := Profile{Name: "z", Age: Some(3), Deep: Some(Some([]int{1}))}
	out, err := json.Marshal([]Profile{p, {}})
	fmt.Println(string(out), err)
	var q []Profile
	err = json.Unmarshal([]byte(`[{"age":5,"nick":"n","Deep":[7,8]},{"age":null,"nick":null},{"age":"x"}]`), &q)
	fmt.Println(len(q), err)
	for _, p := range q {
		fmt.Println(p.Age, p.Nick, p.Deep)
	}
	r := Then(Then(Try(func() (int, error) { return strconv.Atoi("12") }), half), half)
	fmt.Println(r, Then(r, half), errors.Is(Then(r, half).Err, errOdd))
	var xs []int
	fmt.Println(Then(r, func(i int) (string, error) { return fmt.Sprint(xs[i]), nil }))
	defer func() {
		if err, ok := recover().(error); ok {
			fmt.Println("caught", err)
		}
	}()
	fmt.Println(r.Unwrap())
	fmt.Println(Try(func() (int, error) { return strconv.Atoi("zz") }).Unwrap())
}
