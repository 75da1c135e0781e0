// Variadics: nil, empty, spread with aliasing, any forwarding, options, interfaces, func of funcs, nested spreads.
package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

type Option func(*cfg) error
type cfg struct {
	name  string
	ports []int
	tags  map[string]string
}

func Name(s string) Option { return func(c *cfg) error { c.name = s; return nil } }
func Ports(ps ...int) Option {
	return func(c *cfg) error {
		for _, p := range ps {
			if p <= 0 {
				return fmt.Errorf("port %d", p)
			}
			c.ports = append(c.ports, p)
		}
		return nil
	}
}
func Tags(kv ...string) Option {
	return func(c *cfg) (err error) {
		if len(kv)%2 != 0 {
			return errors.New("odd tags")
		}
		c.tags = make(map[string]string)
		for p := range slices.Chunk(kv, 2) {
			c.tags[p[0]] = p[1]
		}
		return
	}
}
func All(opts ...Option) Option {
	return func(c *cfg) error {
		var errs []error
		for _, o := range opts {
			errs = append(errs, o(c))
		}
		return errors.Join(errs...)
	}
}

func New(first Option, rest ...Option) (c cfg, err error) {
	err = All(append([]Option{first}, rest...)...)(&c)
	return
}

func describe(args ...any) string {
	var parts []string
	for _, a := range args {
		switch a := a.(type) {
		case []any:
			parts = append(parts, "["+describe(a...)+"]")
		case func(...any) string:
			parts = append(parts, a(1, "x"))
		case error:
			parts = append(parts, "E("+a.Error()+")")
		default:
			parts = append(parts, fmt.Sprintf("%T=%v", a, a))
		}
	}
	return strings.Join(parts, ",")
}

func mutate(xs ...int) int {
	if len(xs) > 0 {
		xs[0] = -1
	}
	return len(xs)
}

func isNil(xs ...string) bool { return xs == nil }

func reduce[T any](f func(T, T) T, init T, xs ...T) T {
	for _, x := range xs {
		init = f(init, x)
	}
	return init
}

func pipe[T any](fs ...func(T) T) func(T) T {
	return func(v T) T {
		return reduce(func(a, b func(T) T) func(T) T { return func(x T) T { return b(a(x)) } }, func(x T) T { return x }, fs...)(v)
	}
}

type logger struct{ lines []string }

func (l *logger) Printf(format string, args ...any) *logger {
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
	return l
}
func (l *logger) With(prefix ...any) func(string, ...any) {
	p := fmt.Sprint(prefix...)
	return func(f string, a ...any) { l.Printf("%s "+f, append([]any{p}, a...)...) }
}

type sink interface {
	Printf(string, ...any) *logger
}

func multi() (int, string, error) { return 1, "two", errors.New("three") }
func pairs() ([]int, []int)       { return []int{1, 2}, []int{3} }
func join(a []int, b ...[]int) []int {
	return slices.Concat(append([][]int{a}, b...)...)
}

func main() {
	fmt.Println(New(Name("a"), Ports(1, 2), Tags("k", "v", "k2", "v2")))
	_, err := New(Ports(0), Tags("odd"), All(), All(Name("x"), Ports(3, -3)))
	fmt.Println(err)
	fmt.Println(describe(1, "s", nil, []any{2.5, []any{}}, describe, errors.New("bad"), []int{1}, [2]bool{}))
	fmt.Println(describe(multi()))
	fmt.Println(describe(), describe(nil), describe([]any(nil)...), describe([]any{nil}...))
	xs := []int{1, 2, 3}
	fmt.Println(mutate(xs...), xs, mutate(xs[1], xs[2]), xs, mutate(append(xs[:1:1], 9)...), xs, mutate())
	fmt.Println(isNil(), isNil([]string{}...), isNil(nil...), isNil(""))
	fmt.Println(reduce(func(a, b int) int { return a*10 + b }, 0, 1, 2, 3), reduce(func(a, b string) string { return a + b }, "<"))
	fmt.Println(pipe(strings.TrimSpace, strings.ToUpper, func(s string) string { return s + "!" })(" hi "), pipe[int]()(5))
	l := new(logger)
	l.Printf("plain").Printf("%d-%s", 1, "a").Printf("%v", []any{1, 2})
	w := l.With("req", 7, 8, "id", 9)
	w("done in %dms %q", 12, []string{"a"})
	var s sink = l
	log := s.Printf
	log("%s %s", []any{"x", "y"}...)
	fmt.Printf("%q\n", l.lines)
	fmt.Println(join(pairs()), join([]int{1}), join(nil, nil, []int{4}))
	fmt.Println(append([]byte("ab"), "cd"...), string(append([]byte(nil), 'x', 'y')), append([]string(nil), strings.Fields("p q")...))
	ys := make([]int, 2, 10)
	a := append(ys, 1)
	b := append(ys, 2, 3)
	ys = append(ys, ys...)
	fmt.Println(a, b, ys, len(ys), cap(ys))
	fs := []func(...int) int{mutate, func(n ...int) int { return slices.Max(n) }, func(...int) int { return 0 }}
	for _, f := range fs {
		fmt.Print(f([]int{5, 8}...), " ")
	}
	func(format string, rest ...any) { fmt.Printf(format+"\n", rest...) }("%v %v", "end", len(fs))
	defer func(msgs ...string) { fmt.Println("deferred", msgs, len(msgs)) }(strings.Split("a-b", "-")...)
	xs = nil
}
