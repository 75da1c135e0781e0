package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

type Option[T any] struct {
	v *T
}

func Some[T any](v T) Option[T]  { return Option[T]{&v} }
func None[T any]() (o Option[T]) { return }
func (o Option[T]) IsSome() bool { return o.v != nil }
func (o Option[T]) Or(d T) T {
	if o.v == nil {
		return d
	}
	return *o.v
}
func (o Option[T]) String() string {
	if o.v == nil {
		return "None"
	}
	return fmt.Sprintf("Some(%v)", *o.v)
}
func (o Option[T]) MarshalJSON() ([]byte, error)  { return json.Marshal(o.v) }
func (o *Option[T]) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &o.v) }

func Bind[A, B any](o Option[A], f func(A) Option[B]) Option[B] {
	if !o.IsSome() {
		return None[B]()
	}
	return f(*o.v)
}

type Result[T any] struct {
	Val T
	Err error
}

func Try[T any](f func() T) (r Result[T]) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case error:
			r.Err = e
		default:
			r.Err = fmt.Errorf("%v", e)
		}
	}()
	r.Val = f()
	return
}
func (r Result[T]) Unwrap() T {
	if r.Err != nil {
		panic(r.Err)
	}
	return r.Val
}
func Then[A, B any](r Result[A], f func(A) (B, error)) Result[B] {
	if r.Err != nil {
		return Result[B]{Err: r.Err}
	}
	v, err := f(r.Val)
	return Result[B]{v, err}
}

type Either[L, R any] interface{ isEither(L, R) }
type LeftOf[L, R any] struct{ V L }
type RightOf[L, R any] struct{ V R }

func (LeftOf[L, R]) isEither(L, R)  {}
func (RightOf[L, R]) isEither(L, R) {}

func Fold[L, R, T any](e Either[L, R], l func(L) T, r func(R) T) (t T) {
	switch e := e.(type) {
	case LeftOf[L, R]:
		return l(e.V)
	case RightOf[L, R]:
		return r(e.V)
	}
	return
}

type List[T any] struct {
	head *cell[T]
	n    int
}
type cell[T any] struct {
	v    T
	next *cell[T]
}

func Cons[T any](v T, l List[T]) List[T] { return List[T]{&cell[T]{v, l.head}, l.n + 1} }
func (l List[T]) Each(f func(int, T) bool) {
	i := 0
	for c := l.head; c != nil; c = c.next {
		if !f(i, c.v) {
			return
		}
		i++
	}
}
func MaxBy[T any, K cmp.Ordered](l List[T], key func(T) K) (best Option[T]) {
	var bk K
	for _, v := range l.Each {
		if k := key(v); !best.IsSome() || k > bk {
			best, bk = Some(v), k
		}
	}
	return best
}

type Num interface{ ~int | ~float64 }

func Sum[T Num](xs ...T) (s T) {
	for _, x := range xs {
		s += x
	}
	return
}
func Compose[A, B, C any](f func(A) B, g func(B) C) func(A) C { return func(a A) C { return g(f(a)) } }
func Curry[A, B, C any](f func(A, B) C) func(A) func(B) C {
	return func(a A) func(B) C { return func(b B) C { return f(a, b) } }
}

type Meters float64
type profile struct {
	Name  string         `json:"name"`
	Age   Option[int]    `json:"age"`
	Email Option[string] `json:"email"`
	Tags  Option[[]bool] `json:"tags"`
}

func main() {
	half := func(n int) Option[int] {
		if n%2 != 0 {
			return None[int]()
		}
		return Some(n / 2)
	}
	fmt.Println(Bind(Bind(Some(12), half), half), Bind(Bind(Some(6), half), half), None[string]().Or("dflt"))
	for _, s := range []string{"42", "x7", "-0"} {
		r := Then(Then(Result[string]{Val: s}, strconv.Atoi), func(n int) (string, error) {
			if n == 0 {
				return "", errors.New("zero")
			}
			return strings.Repeat("*", n/10), nil
		})
		fmt.Printf("%q %v\n", r.Val, r.Err)
	}
	var xs []int
	fmt.Println(Try(func() int { return xs[3] }), Try(func() string { panic("p") }).Err, Try(func() Meters { return Sum[Meters](1.5, 2) }))
	fmt.Println(Try(func() int { return Result[int]{Err: errors.ErrUnsupported}.Unwrap() }).Err)
	var e Either[int, string] = RightOf[int, string]{"hello"}
	show := func(e Either[int, string]) string {
		return Fold(e, func(n int) string { return fmt.Sprint("L", n) }, func(s string) string { return "R" + s })
	}
	fmt.Println(show(e), show(LeftOf[int, string]{5}), show(nil) == "")
	l := Cons("go", Cons("generics", Cons("iter", List[string]{})))
	fmt.Println(MaxBy(l, func(s string) int { return len(s) }), MaxBy(List[int]{}, func(i int) int { return i }), l.n)
	fmt.Println(Compose(strconv.Itoa, func(s string) []byte { return []byte(s) })(65), Curry(func(a int, b string) string { return b + fmt.Sprint(a) })(1)("z"))
	var p profile
	err := json.Unmarshal([]byte(`{"name":"N","age":5,"email":null,"tags":[true]}`), &p)
	out, err2 := json.Marshal(p)
	fmt.Println(p, string(out), err, err2)
	fmt.Printf("%v %+v %T %T\n", p.Age, p.Tags, p.Tags, e)
}
