// Pointer-receiver constraints, generic embedding, instantiated function values, type parameters in closures and maps.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

type Entity interface {
	comparable
	GetID() int
}

type Setter[T any] interface {
	*T
	SetID(int)
	fmt.Stringer
}

type Repo[T Entity, P Setter[T]] struct {
	rows  map[int]T
	next  int
	hooks []func(P)
}

func NewRepo[T Entity, P Setter[T]](hooks ...func(P)) *Repo[T, P] {
	return &Repo[T, P]{rows: map[int]T{}, hooks: hooks}
}

func (r *Repo[T, P]) Create(v T) P {
	r.next++
	p := P(&v)
	p.SetID(r.next)
	for _, h := range r.hooks {
		h(p)
	}
	r.rows[r.next] = *p
	return p
}

func (r *Repo[T, P]) Update(id int, f func(P) error) (err error) {
	v, ok := r.rows[id]
	if !ok {
		return NotFound[T]{id}
	}
	if err = f(&v); err != nil {
		return fmt.Errorf("update %s: %w", P(&v), err)
	}
	r.rows[id] = v
	return
}

func (r *Repo[T, P]) Where(pred func(T) bool) (out []T) {
	for _, id := range slices.Sorted(maps.Keys(r.rows)) {
		if v := r.rows[id]; pred == nil || pred(v) {
			out = append(out, v)
		}
	}
	return
}

type NotFound[T any] struct{ ID int }

func (n NotFound[T]) Error() string {
	var z T
	return fmt.Sprintf("%T %d not found", z, n.ID)
}

type Base struct{ ID int }

func (b Base) GetID() int    { return b.ID }
func (b *Base) SetID(id int) { b.ID = id }

type User struct {
	Base
	Name string
}
type Tag struct {
	Base
	Label  string
	Weight float64
}

func (u *User) String() string { return fmt.Sprintf("user#%d(%s)", u.ID, u.Name) }
func (t *Tag) String() string  { return fmt.Sprintf("tag#%d(%s)", t.ID, t.Label) }

type Cached[K comparable, V any] struct {
	*Source[K, V]
	memo map[K]V
	hits int
}
type Source[K comparable, V any] struct {
	fetch func(K) (V, error)
	calls int
}

func (s *Source[K, V]) Load(k K) (V, error) { s.calls++; return s.fetch(k) }
func (c *Cached[K, V]) Load(k K) (v V, err error) {
	if v, ok := c.memo[k]; ok {
		c.hits++
		return v, nil
	}
	if v, err = c.Source.Load(k); err == nil {
		c.memo[k] = v
	}
	return
}

type Loader[K comparable, V any] interface{ Load(K) (V, error) }

func LoadAll[K comparable, V any, L Loader[K, V]](l L, ks ...K) (vs []V, errs error) {
	for _, k := range ks {
		v, err := l.Load(k)
		if err != nil {
			errs = errors.Join(errs, fmt.Errorf("%v: %w", k, err))
			continue
		}
		vs = append(vs, v)
	}
	return
}

type Event[T any] struct {
	handlers []func(T)
}

func (e *Event[T]) On(f func(T)) func() {
	i := len(e.handlers)
	e.handlers = append(e.handlers, f)
	return func() { e.handlers[i] = func(T) {} }
}
func (e *Event[T]) Emit(v T) {
	for _, h := range e.handlers {
		h(v)
	}
}

type Decoder[T any] func([]byte) (T, error)

func JSONDecoder[T any]() Decoder[T] {
	return func(b []byte) (v T, err error) { err = json.Unmarshal(b, &v); return }
}

func Collect[T any](d Decoder[T], in ...string) map[string]string {
	out := map[string]string{}
	for _, s := range in {
		v, err := d([]byte(s))
		out[s] = fmt.Sprintf("%v %T %t", v, v, err == nil)
	}
	return out
}

func apply[A any, R any](xs []A, fs ...func(A) R) (out [][]R) {
	for _, f := range fs {
		row := make([]R, len(xs))
		for i, x := range xs {
			row[i] = f(x)
		}
		out = append(out, row)
	}
	return
}

func ident[T any](v T) T            { return v }
func twice[T ~int | ~string](v T) T { return v + v }

func main() {
	users := NewRepo[User](func(u *User) { u.Name = strings.ToUpper(u.Name[:1]) + u.Name[1:] })
	tags := NewRepo[Tag, *Tag]()
	fmt.Println(users.Create(User{Name: "ann"}), users.Create(User{Name: "bob"}), tags.Create(Tag{Label: "x"}))
	fmt.Println(users.Update(2, func(u *User) error { u.Name += "!"; return nil }), users.Where(nil))
	fmt.Println(users.Update(1, func(u *User) error { u.Name = "lost"; return errors.New("veto") }), users.rows[1].Name)
	err := tags.Update(9, nil)
	_, isTag := errors.AsType[NotFound[Tag]](err)
	_, isUser := errors.AsType[NotFound[User]](err)
	fmt.Println(err, isTag, isUser, len(users.Where(func(u User) bool { return u.GetID() > 1 })))
	src := &Source[string, int]{fetch: func(k string) (int, error) {
		if k == "" {
			return 0, errors.New("empty key")
		}
		return len(k), nil
	}}
	c := &Cached[string, int]{Source: src, memo: map[string]int{}}
	fmt.Println(LoadAll(c, "a", "bb", "a", "", "bb"))
	fmt.Println(LoadAll[string, int](src, "ccc"))
	fmt.Println(c.hits, c.calls, src.calls)
	var ev Event[Tag]
	var got []string
	off := ev.On(func(t Tag) { got = append(got, "1"+t.Label) })
	ev.On(func(t Tag) { t.Label = "changed"; got = append(got, "2"+t.Label) })
	ev.Emit(Tag{Label: "a"})
	off()
	ev.Emit(Tag{Label: "b"})
	fmt.Println(got)
	res := Collect(JSONDecoder[map[string][]int](), `{"a":[1]}`, `[]`)
	for _, k := range slices.Sorted(maps.Keys(res)) {
		fmt.Println(k, res[k])
	}
	fmt.Println(Collect(JSONDecoder[*User](), `{"ID":3,"Name":"z"}`), Collect(JSONDecoder[any](), `1`))
	fmt.Println(apply([]int{1, 2}, ident[int], twice[int], func(i int) int { return -i }), apply([]string{"a"}, twice[string], strings.ToUpper))
	f := twice[string]
	table := map[string]func(int) int{"id": ident[int], "x2": twice[int]}
	fmt.Println(f("go"), table["x2"](table["id"](21)))
	fmt.Printf("%T %T %v\n", users, ev, NotFound[[]User]{1})
}
