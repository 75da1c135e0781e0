package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
)

type Numeric interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~float32 | ~float64
}

type Stringish interface {
	~string
	Len() int
}
type Tag string

func (t Tag) Len() int { return len(t) }

type Keyed[K comparable] interface {
	Key() K
	comparable
}

type Scorer interface{ Score() float64 }

type User struct {
	ID   int
	Name Tag
	Pts  float64
}

func (u User) Key() int       { return u.ID }
func (u User) Score() float64 { return u.Pts }

func Index[K comparable, T Keyed[K]](xs []T) map[K]T {
	m := make(map[K]T, len(xs))
	for _, x := range xs {
		m[x.Key()] = x
	}
	return m
}

func Sum[T Numeric](xs ...T) (s T) {
	for _, x := range xs {
		s += x
	}
	return s
}
func Mean[T Numeric](xs []T) float64 {
	if len(xs) == 0 {
		return 0
	}
	return float64(Sum(xs...)) / float64(len(xs))
}
func Clamp[T cmp.Ordered](x, lo, hi T) T { return max(lo, min(x, hi)) }
func Longest[S Stringish](xs ...S) (best S) {
	for _, x := range xs {
		if x.Len() > best.Len() {
			best = x
		}
	}
	return
}
func TopN[T Scorer](xs []T, n int) []T {
	c := slices.Clone(xs)
	sort.SliceStable(c, func(i, j int) bool { return c[i].Score() > c[j].Score() })
	return c[:min(n, len(c))]
}

type Cache[K comparable, V any] interface {
	Get(K) (V, error)
	Set(K, V)
}
type mapCache[K comparable, V any] map[K]V

func (m mapCache[K, V]) Get(k K) (V, error) {
	if v, ok := m[k]; ok {
		return v, nil
	}
	var zero V
	return zero, KeyError[K]{k}
}
func (m mapCache[K, V]) Set(k K, v V) { m[k] = v }

type KeyError[K any] struct{ Key K }

func (e KeyError[K]) Error() string { return fmt.Sprintf("key %v (%T) not found", e.Key, e.Key) }

type Loading[K comparable, V any] struct {
	Cache[K, V]
	load  func(K) (V, error)
	loads int
}

func (l *Loading[K, V]) Get(k K) (V, error) {
	v, err := l.Cache.Get(k)
	if err == nil {
		return v, nil
	}
	l.loads++
	if v, err = l.load(k); err != nil {
		return v, fmt.Errorf("load: %w", errors.Join(err, KeyError[K]{k}))
	}
	l.Set(k, v)
	return v, nil
}

type Opt[T any] struct {
	v *T
}

func Some[T any](v T) Opt[T] { return Opt[T]{&v} }
func None[T any]() Opt[T]    { return Opt[T]{} }
func (o Opt[T]) OrElse(d T) T {
	if o.v == nil {
		return d
	}
	return *o.v
}
func Bind[T, U any](o Opt[T], f func(T) Opt[U]) Opt[U] {
	if o.v == nil {
		return None[U]()
	}
	return f(*o.v)
}
func (o Opt[T]) String() string {
	if o.v == nil {
		return "None"
	}
	return fmt.Sprintf("Some(%v)", *o.v)
}

type Ord[T any] func(a, b T) int

func By[T any, K cmp.Ordered](f func(T) K) Ord[T] {
	return func(a, b T) int { return cmp.Compare(f(a), f(b)) }
}
func (o Ord[T]) Rev() Ord[T] { return func(a, b T) int { return o(b, a) } }
func (o Ord[T]) Then(p Ord[T]) Ord[T] {
	return func(a, b T) int {
		if c := o(a, b); c != 0 {
			return c
		}
		return p(a, b)
	}
}

func main() {
	us := []User{{1, "ann", 2.5}, {2, "bo", 9}, {3, "cy", 2.5}, {4, "di", 7}}
	idx := Index[int](us)
	fmt.Println(idx[3], len(idx), Sum(1.5, 2), Sum[int8](100, 27, 1), Mean([]uint8{200, 100}), Clamp(15, 0, 10), Clamp("m", "a", "f"))
	fmt.Println(Longest(Tag("a"), "bbb", "cc"), TopN(us, 2), TopN(us, 9)[0].Name)
	lc := &Loading[string, int]{Cache: mapCache[string, int]{}, load: func(s string) (int, error) {
		if s == "" {
			return -1, errors.New("empty")
		}
		return len(s), nil
	}}
	for _, k := range []string{"go", "go", "", "rust"} {
		v, err := lc.Get(k)
		var ke KeyError[string]
		fmt.Printf("%d %q %t %q\n", v, fmt.Sprint(err), errors.As(err, &ke), ke.Key)
	}
	fmt.Println(lc.loads, lc.Cache)
	half := func(i int) Opt[float64] {
		if i%2 != 0 {
			return None[float64]()
		}
		return Some(float64(i) / 2)
	}
	fmt.Println(Bind(Some(3), half), Bind(Some(5*2), half), Bind(None[int](), half).OrElse(-1), Some("x"), Some([]int{1}))
	o := By(func(u User) float64 { return u.Pts }).Rev().Then(By(func(u User) Tag { return u.Name }).Rev())
	slices.SortFunc(us, o)
	fmt.Println(us)
	fmt.Printf("%T %T %T %T\n", o, lc, Some(us[0]), KeyError[[2]int]{})
	names := strings.Builder{}
	for _, u := range us {
		names.WriteString(string(u.Name[:1]))
	}
	fmt.Println(names.String(), names.Len())
}
