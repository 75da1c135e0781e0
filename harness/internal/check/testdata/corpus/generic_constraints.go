// Constraints with methods, type sets, inference through functions, generic methods via functions, recursive constraints.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

type Number interface {
	~int | ~int8 | ~int64 | ~float32 | ~float64
}

type Celsius float64
type Meters int

func (m Meters) String() string { return strconv.Itoa(int(m)) + "m" }

func Sum[S ~[]E, E Number](s S) (t E) {
	for _, v := range s {
		t += v
	}
	return
}

func Fold[A, B any](xs []A, init B, f func(B, A) B) B {
	for _, x := range xs {
		init = f(init, x)
	}
	return init
}

type Parser[T any] interface {
	*T
	Parse(string) error
}

type IntBox struct{ V int }

func (b *IntBox) Parse(s string) (err error) { b.V, err = strconv.Atoi(s); return }

type KV struct{ K, V string }

func (k *KV) Parse(s string) error {
	var ok bool
	if k.K, k.V, ok = strings.Cut(s, "="); !ok {
		return errors.New("no '=' in " + strconv.Quote(s))
	}
	return nil
}

func ParseAll[T any, P Parser[T]](in ...string) (out []T, err error) {
	for _, s := range in {
		var t T
		if e := P(&t).Parse(s); e != nil {
			err = errors.Join(err, e)
			continue
		}
		out = append(out, t)
	}
	return
}

type Comparable[T any] interface{ CompareTo(T) int }

type Version struct{ Major, Minor int }

func (v Version) CompareTo(o Version) int {
	return cmp.Or(cmp.Compare(v.Major, o.Major), cmp.Compare(v.Minor, o.Minor))
}

func MaxOf[T Comparable[T]](first T, rest ...T) T {
	for _, r := range rest {
		if r.CompareTo(first) > 0 {
			first = r
		}
	}
	return first
}

type StringerNum interface {
	Number
	fmt.Stringer
}

func Show[T StringerNum](xs ...T) string {
	var parts []string
	var total T
	for _, x := range xs {
		parts = append(parts, x.String())
		total += x
	}
	return strings.Join(parts, "+") + "=" + total.String()
}

type Matrix[T Number] [][]T

func (m Matrix[T]) Mul(o Matrix[T]) Matrix[T] {
	r := make(Matrix[T], len(m))
	for i := range m {
		r[i] = make([]T, len(o[0]))
		for j := range o[0] {
			for k := range o {
				r[i][j] += m[i][k] * o[k][j]
			}
		}
	}
	return r
}

func GroupBy[K comparable, V any, S ~[]V](s S, key func(V) K) map[K]S {
	m := make(map[K]S)
	for _, v := range s {
		m[key(v)] = append(m[key(v)], v)
	}
	return m
}

func Ptr[T any](v T) *T { return &v }

func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func Zero[T any]() (z T) { return }

func TypeName[T any](v T) string {
	switch any(v).(type) {
	case int, int64:
		return "integer"
	case fmt.Stringer:
		return "stringer"
	case []T:
		return "slice of itself"
	case nil:
		return "nil"
	}
	return fmt.Sprintf("other %T", v)
}

type temps []Celsius

func main() {
	fmt.Println(Sum(temps{20.5, 1}), Sum([]Meters{1, 2}), Sum[[]int8](nil))
	fmt.Printf("%T %T\n", Sum(temps{}), Sum([]Meters{}))
	fmt.Println(Fold([]string{"a", "bb"}, 0, func(n int, s string) int { return n + len(s) }))
	fmt.Println(Fold([]int{1, 2, 3}, "", func(s string, i int) string { return s + strconv.Itoa(i) }))
	b, err := ParseAll[IntBox]("1", "x", "3")
	fmt.Println(b, err)
	fmt.Println(ParseAll[KV]("a=1", "b", "c="))
	fmt.Println(MaxOf(Version{1, 2}, Version{1, 10}, Version{0, 99}))
	fmt.Println(Show(Meters(3), 4))
	id := Matrix[float64]{{0, 1}, {1, 0}}
	fmt.Println(id.Mul(Matrix[float64]{{1, 2}, {3, 4}}))
	g := GroupBy(temps{1.5, 1.7, 2.2}, func(c Celsius) int { return int(c) })
	fmt.Printf("%v %T\n", g, g[1])
	fmt.Println(*Ptr("p"), *Ptr(Meters(5)), Must(strconv.Atoi("12")), Zero[*int]() == nil, Zero[[2]Meters]())
	fmt.Println(TypeName(1), TypeName(Meters(1)), TypeName("s"), TypeName[error](nil), TypeName([]int{}), TypeName(Celsius(1)))
	defer func() { fmt.Println("must:", recover()) }()
	cmpf := func(a, b Version) int { return b.CompareTo(a) }
	vs := []Version{{1, 0}, {2, 0}, {1, 5}}
	slices.SortFunc(vs, cmpf)
	fmt.Println(vs, slices.IsSortedFunc(vs, cmpf), slices.MinFunc(vs, Version.CompareTo))
	Must(strconv.ParseBool("maybe"))
}
