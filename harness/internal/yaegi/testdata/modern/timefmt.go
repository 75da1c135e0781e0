package main

import (
	"encoding/json"
	"fmt"
	"time"
)

type Color int

func (c Color) String() string { return [...]string{"red", "green"}[c] }

type MyErr struct{ Code int }

func (e *MyErr) Error() string { return fmt.Sprintf("myerr %d", e.Code) }

type Shape interface{ Area() float64 }
type Circle struct{ R float64 }

func (c Circle) Area() float64 { return 3.14159 * c.R * c.R }

type Animal struct{ Name string }

func (a Animal) Hello() string { return "I am " + a.Name }

type Dog struct{ Animal }
type Person struct {
	N string
	A int
}
type ByAge []Person

func (b ByAge) Len() int           { return len(b) }
func (b ByAge) Less(i, j int) bool { return b[i].A < b[j].A }
func (b ByAge) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

type IntHeap []int

func (h IntHeap) Len() int           { return len(h) }
func (h IntHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h IntHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *IntHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *IntHeap) Pop() any          { o := *h; n := len(o); x := o[n-1]; *h = o[:n-1]; return x }
func counter() func() int            { n := 0; return func() int { n++; return n } }

const (
	_  = iota
	KB = 1 << (10 * iota)
	MB
)

type Day int

const (
	Mon Day = iota
	Tue
)

type Acc struct{ n int }

func (a *Acc) Add(i int) { a.n += i }

type Opts struct {
	A int
	B string
}
type Opt func(*Opts)

func WithA(a int) Opt    { return func(o *Opts) { o.A = a } }
func WithB(b string) Opt { return func(o *Opts) { o.B = b } }
func New(os ...Opt) *Opts {
	o := &Opts{}
	for _, f := range os {
		f(o)
	}
	return o
}
func gen(ns ...int) <-chan int {
	c := make(chan int)
	go func() {
		defer close(c)
		for _, n := range ns {
			c <- n
		}
	}()
	return c
}
func sq(in <-chan int) <-chan int {
	c := make(chan int)
	go func() {
		defer close(c)
		for n := range in {
			c <- n * n
		}
	}()
	return c
}

type Temp float64

func (t Temp) MarshalJSON() ([]byte, error) { return []byte(fmt.Sprintf("\"%.1fC\"", float64(t))), nil }

type Dur time.Duration

func (d *Dur) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	x, err := time.ParseDuration(s)
	*d = Dur(x)
	return err
}
func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

type Tree struct {
	L, R *Tree
	V    int
}

func (t *Tree) Insert(v int) *Tree {
	if t == nil {
		return &Tree{V: v}
	}
	if v < t.V {
		t.L = t.L.Insert(v)
	} else {
		t.R = t.R.Insert(v)
	}
	return t
}
func (t *Tree) Walk(f func(int)) {
	if t == nil {
		return
	}
	t.L.Walk(f)
	f(t.V)
	t.R.Walk(f)
}
func sumv(n ...int) (t int) {
	for _, v := range n {
		t += v
	}
	return
}
func divide(a, b int) (r int, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("recovered: %v", x)
		}
	}()
	r = a / b
	return
}

type Handler func(string) string

func (h Handler) Do(s string) string { return h(s) }

type R interface{ Read() string }
type W interface{ Write(string) }
type RW interface {
	R
	W
}
type buf struct{ s string }

func (b *buf) Read() string   { return b.s }
func (b *buf) Write(s string) { b.s += s }

func main() {
	t := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	fmt.Println(t.Format(time.RFC3339), t.Add(36*time.Hour).Weekday(), time.Duration(1500)*time.Millisecond)
}
