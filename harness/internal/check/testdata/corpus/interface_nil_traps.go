// Interfaces holding nil pointers, comparisons of interfaces, method sets, embedded nil interfaces, nil slices and maps.
package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

type Logger interface{ Log(string) }
type Leveled interface {
	Logger
	Level() int
}

type mem struct{ lines []string }

func (m *mem) Log(s string) {
	if m == nil {
		fmt.Print("(nil mem: ", s, ") ")
		return
	}
	m.lines = append(m.lines, s)
}

type lvl struct {
	Logger
	n int
}

func (l lvl) Level() int { return l.n }

type fnLogger func(string)

func (f fnLogger) Log(s string) {
	if f != nil {
		f(s)
	}
}

type Tree struct {
	L, R *Tree
	V    int
}

func (t *Tree) Sum() int {
	if t == nil {
		return 0
	}
	return t.L.Sum() + t.V + t.R.Sum()
}

type list []int

func (l list) Len() int   { return len(l) }
func (l *list) Add(n int) { *l = append(*l, n) }

type adder interface {
	Add(int)
	Len() int
}

type E struct{ msg string }

func (e *E) Error() string { return "E:" + e.msg }

func find(ok bool) *E {
	if ok {
		return nil
	}
	return &E{"not ok"}
}

func wrap(ok bool) (err error) {
	err = find(ok)
	return
}

func wrapRight(ok bool) error {
	if e := find(ok); e != nil {
		return e
	}
	return nil
}

func isNil(v any) bool { return v == nil }

func first[T comparable](xs []T, not T) (i int) {
	return slices.IndexFunc(xs, func(x T) bool { return x != not })
}

func main() {
	var m *mem
	var l Logger = m
	var none Logger
	l.Log("hi")
	fmt.Println(l == nil, m == nil, l == Logger((*mem)(nil)), none == nil, isNil(l), isNil(none), isNil(m))
	fmt.Println(wrap(true) == nil, wrapRight(true) == nil, wrap(false), wrapRight(false))
	var f fnLogger
	l = f
	l.Log("dropped")
	var got []string
	l = fnLogger(func(s string) { got = append(got, s) })
	var lv Leveled = lvl{l, 3}
	lv.Log("kept")
	if x, ok := lv.(Logger); ok {
		x.Log("again")
	}
	_, isLeveled := l.(Leveled)
	fmt.Println(got, lv.Level(), isLeveled)
	lv = &lvl{n: 4}
	func() {
		defer func() { fmt.Println("recovered:", recover(), lv.Level()) }()
		lv.Log("boom")
	}()
	fmt.Println((&Tree{&Tree{nil, nil, 2}, nil, 3}).Sum(), (*Tree)(nil).Sum(), (*Tree).Sum(nil))
	var ls list
	var a adder = &ls
	for i := range 3 {
		a.Add(i * i)
	}
	ls.Add(100)
	fmt.Println(a.Len(), ls, list.Len(ls), *a.(*list))
	var x, y any = 1, 1.0
	fmt.Println(x == y, x == any(1), y == 1.0, x != nil, any(nil) == nil, any([2]int{1, 2}) == any([2]int{1, 2}), any(struct{ a string }{"q"}) == any(struct{ a string }{"q"}))
	e1, e2 := error(&E{"same"}), error(&E{"same"})
	fmt.Println(e1 == e2, errors.Is(e1, e1), e1 == any(e1), *e1.(*E) == *e2.(*E))
	var s []int
	var mp map[string][]int
	var fn func() int
	var ch chan int
	fmt.Println(s == nil, len(s), cap(s), len(mp), mp["x"] == nil, fn == nil, ch == nil, len(ch), append(s, s...) == nil, s[:0] == nil, slices.Equal(s, []int{}))
	for range s {
		fmt.Println("never")
	}
	for range mp {
		fmt.Println("never")
	}
	delete(mp, "x")
	clear(mp)
	fmt.Printf("%v %+v %#v %#v %d %s|\n", s, mp, s, mp, s, []string(nil))
	var r io.Reader
	r = strings.NewReader("abc")
	if w, ok := r.(io.WriterTo); ok {
		var sb strings.Builder
		n, err := w.WriteTo(&sb)
		fmt.Println(n, err, sb.String())
	}
	_, ok := r.(io.Closer)
	rs, ok2 := r.(interface {
		io.Reader
		io.Seeker
	})
	pos, _ := rs.Seek(-2, io.SeekEnd)
	rest, _ := io.ReadAll(r)
	fmt.Println(ok, ok2, pos, string(rest))
	fmt.Println(first([]error{nil, nil, e1}, nil), first([]any{1, 1, "1"}, 1), first([]*Tree{nil}, nil))
	defer func() { fmt.Println(recover()) }()
	k := map[any]int{1: 1}
	k[[]int{1}] = 2
}
