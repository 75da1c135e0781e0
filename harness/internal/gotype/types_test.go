package gotype

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"
)

type Celsius float64

func (c Celsius) String() string { return fmt.Sprintf("%.1f°C", float64(c)) }

type Plain int
type Text string

func (t Text) MarshalText() ([]byte, error)  { return []byte("<" + string(t) + ">"), nil }
func (t *Text) UnmarshalText(b []byte) error { *t = Text(strings.Trim(string(b), "<>")); return nil }

type Ptr struct{ A int }

func (p *Ptr) String() string               { return "ptr" + strconv.Itoa(p.A) }
func (p *Ptr) MarshalJSON() ([]byte, error) { return []byte(`"P` + strconv.Itoa(p.A) + `"`), nil }
func (p *Ptr) UnmarshalJSON(b []byte) error {
	_, err := fmt.Sscanf(string(b), `"P%d"`, &p.A)
	return err
}

type Val struct{ A, b int }

func (v Val) GoString() string             { return "Val!" }
func (v Val) MarshalJSON() ([]byte, error) { return []byte(fmt.Sprint(v.A + v.b)), nil }

type Fmt struct{ X, Y int }

func (f Fmt) Format(s fmt.State, verb rune) {
	w, ok := s.Width()
	fmt.Fprintf(s, "F%c%d%v%v", verb, w, ok, s.Flag('+'))
}

// pointer-shaped types: the value is the interface's data word
type Set map[string]bool

func (s Set) String() string    { return fmt.Sprint("set of ", len(s)) }
func (s Set) Has(k string) bool { return s[k] }
func (s *Set) Add(k string) {
	if *s == nil {
		*s = Set{}
	}
	(*s)[k] = true
}

type OneMap struct{ items map[string]int }

func (o OneMap) String() string { return fmt.Sprint("one", len(o.items)) }
func (o *OneMap) Put(k string) {
	if o.items == nil {
		o.items = map[string]int{}
	}
	o.items[k]++
}

type OnePtr struct{ P *int }

func (o OnePtr) Get() int { return *o.P }

type ArrPtr [1]*int

func (a ArrPtr) Get() int { return *a[0] }

type Wrap struct{ OneMap }

type Fn func(int, ...string) string

func (f Fn) String() string { return "fn:" + f(1, "a") }

type Ch chan Celsius

func (c Ch) Len() int { return len(c) }

type Empty struct{}

func (Empty) String() string { return "empty" }

// embedding
type Inner struct {
	ID   int `json:"id" xml:"id,attr"`
	name string
}

func (i Inner) Hello() string    { return "hello " + i.name }
func (i *Inner) Rename(n string) { i.name = n }
func (i Inner) Shadow() string   { return "inner" }

type Outer struct {
	Inner
	*Ptr2
	Name string `json:"name,omitempty"`
}

func (o Outer) Shadow() string { return "outer" }

type Ptr2 struct{ Deep string }

func (p *Ptr2) Bye() string { return "bye " + p.Deep }

type hidden struct{ H int }

func (hidden) Seen() string { return "seen" }

type EmbedHidden struct {
	hidden
	Z int
}
type EmbedIface struct {
	Shape
	Note string
}
type EmbedLib struct {
	sync.Mutex
	time.Duration
	n int
}
type EmbedTime struct {
	time.Time
	Why string
}
type EmbedErr struct{ error }
type EmbedMap struct {
	Set
	N int
}

// interfaces
type Shape interface {
	Area() float64
	Name() string
}
type secret interface {
	Shape
	hide() int
}
type Sq struct{ S float64 }

func (s Sq) Area() float64 { return s.S * s.S }
func (s Sq) Name() string  { return "sq" }
func (s Sq) hide() int     { return 7 }

type Circle struct{ R float64 }

func (c *Circle) Area() float64  { return math.Pi * c.R * c.R }
func (c *Circle) Name() string   { return "circle" }
func (c *Circle) String() string { return "(" + strconv.FormatFloat(c.R, 'g', -1, 64) + ")" }

type Holder struct {
	V Shape
	L []Shape
	M map[string]Shape
	K map[Shape]int
	E error
	A any
	S fmt.Stringer
	v Shape
	U interface{ Area() float64 }
	X secret
}

func (h Holder) Biggest(more ...Shape) (best Shape) {
	for _, s := range append(h.L, more...) {
		if best == nil || s.Area() > best.Area() {
			best = s
		}
	}
	return
}

type IntKey map[Shape]string

// recursive
type Node struct {
	Val   int
	Left  *Node
	Kids  []*Node
	ByKey map[string]*Node
	up    *Node
	walk  func(*Node) *Node
}

func (n *Node) Sum() int {
	if n == nil {
		return 0
	}
	s := n.Val + n.Left.Sum()
	for _, k := range n.Kids {
		s += k.Sum()
	}
	return s
}

func (n *Node) next() *Node { return n.up }

type State func(*Lexer) State
type Lexer struct {
	pos  int
	Next State
}
type Tree map[string]Tree

func (t Tree) Depth() int {
	d := 0
	for _, x := range t {
		d = max(d, x.Depth())
	}
	return d + 1
}

type List []List

func (l List) Count() int {
	n := 1
	for _, x := range l {
		n += x.Count()
	}
	return n
}

type A1 struct {
	B *B1
	N int
}
type B1 struct {
	A A1
	L []A1
}

func (a A1) ToB(b B1) (B1, *A1) { b.A = a; return b, &a }
func (b *B1) ToA() A1           { return b.A }

type Loop *Loop

// generics
type Pair[K comparable, V any] struct {
	Key K `json:"k"`
	Val V `json:"v"`
}

func (p Pair[K, V]) String() string   { return fmt.Sprintf("%v=>%v", p.Key, p.Val) }
func (p *Pair[K, V]) Set(k K, v V)    { p.Key, p.Val = k, v }
func (p Pair[K, V]) Swap() Pair[K, V] { return p }

type Stack[T any] struct{ items []T }

func (s *Stack[T]) Push(x T) { s.items = append(s.items, x) }
func (s Stack[T]) Len() int  { return len(s.items) }

type Nested struct {
	P   Pair[string, Celsius]
	S   Stack[Pair[int, string]]
	Arr [2]Celsius
	Ar2 [2][3]Inner
	F   func(Celsius, ...Inner) (Shape, error)
	C   chan<- Celsius
	C2  <-chan []Inner
	C3  chan (<-chan Celsius)
	An  struct {
		A Celsius `json:"a"`
		b Plain
	}
	PP  **Inner
	Emp struct{}
	MM  map[Plain]map[Text][]Celsius
}

// errors
type NotFound struct{ Key string }

func (e NotFound) Error() string { return "not found: " + e.Key }

type PtrErr struct {
	Code int
	Err  error
}

func (e *PtrErr) Error() string        { return fmt.Sprint("code ", e.Code, ": ", e.Err) }
func (e *PtrErr) Unwrap() error        { return e.Err }
func (e *PtrErr) Is(target error) bool { return target == errors.ErrUnsupported }

type Multi []error

func (m Multi) Error() string   { return fmt.Sprint(len(m), " errors") }
func (m Multi) Unwrap() []error { return m }

type Timeout struct{}

func (Timeout) Error() string   { return "timeout" }
func (Timeout) Timeout() bool   { return true }
func (Timeout) Temporary() bool { return false }

// library interfaces
type ByAge []Inner

func (b ByAge) Len() int           { return len(b) }
func (b ByAge) Less(i, j int) bool { return b[i].ID < b[j].ID }
func (b ByAge) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

type IntHeap []int

func (h IntHeap) Len() int           { return len(h) }
func (h IntHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h IntHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *IntHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *IntHeap) Pop() any          { o := *h; x := o[len(o)-1]; *h = o[:len(o)-1]; return x }

type rot13 struct{ r io.Reader }

func (r rot13) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	for i := range p[:n] {
		p[i] ^= 1
	}
	return n, err
}

type Upper struct{ b strings.Builder }

func (u *Upper) Write(p []byte) (int, error) { return u.b.WriteString(strings.ToUpper(string(p))) }

type Ctx struct {
	context.Context
	user string
}

func (c Ctx) Value(k any) any {
	if k == "user" {
		return c.user
	}
	return c.Context.Value(k)
}

type Level int

func (l Level) LogValue() slog.Value { return slog.StringValue("L" + strconv.Itoa(int(l))) }
func (l *Level) Set(s string) error  { n, err := strconv.Atoi(s); *l = Level(n); return err }
func (l *Level) String() string      { return "level" }

type Boom struct{ N int }

func (b Boom) String() string {
	if b.N > 0 {
		panic(fmt.Sprint("boom", b.N))
	}
	return "calm"
}

type Doc struct {
	XMLName xml.Name        `xml:"doc" json:"-"`
	Title   Text            `xml:"title"`
	Items   []Item          `xml:"items>item"`
	Note    *string         `xml:"note,omitempty"`
	Raw     json.RawMessage `xml:"-"`
}
type Item struct {
	Attr  Plain   `xml:"attr,attr"`
	Value string  `xml:",chardata"`
	Temp  Celsius `xml:"temp"`
}
type Blank struct {
	A int
	_ int
	B string
}
type Big struct {
	P   *int
	Pad [70000]struct {
		p *int
		n int
	}
	V Celsius
}

func (b *Big) Get() int { return *b.Pad[69999].p }

func locals() []any {
	type T struct{ A int }
	a := T{1}
	f := func() any {
		type T struct{ A, B string }
		return T{"x", "y"}
	}
	return []any{a, f()}
}

type Two struct {
	A int `json:"a"`
	B string
}

func (t Two) First() int     { return t.A }
func (t Two) Second() string { return t.B }

// A Soaked has what the collector and growing stacks could lose.
type Soaked struct {
	name string
	Val  int `json:"v"`
	Next *Soaked
	Kids []*Soaked
	By   map[string]*Soaked `json:"-"`
	Any  any                `json:"-"`
	Big  [40]*int           `json:"-"`
}

func (n Soaked) Copy() Soaked { n.Val++; return n }

func (n Soaked) String() string { return n.name + strconv.Itoa(n.Val) }

func (n *Soaked) Sum() (s int) {
	grown(n.Val%200, func() {
		for ; n != nil; n = n.Next {
			s += n.Val
		}
	})
	return s
}

func (n *Soaked) Fail() string {
	if n.Val%2 == 0 {
		panic(fmt.Sprint("fail ", n.Val))
	}
	put(nil)
	return ""
}

func (n *Soaked) Trace() string { return traced() }

func put(m map[string]int) { m["x"] = 1 }

// What package runtime is needed for is in soak_test.go.
var (
	grown  func(frames int, f func())
	traced func() string
)

// A Masked has fields that real types hide.
type Masked struct {
	A    int
	set_ uint64
	B    string
	raw_ *int
}

func (m Masked) Sum(o Masked, more ...Masked) int { return m.A + o.A + len(o.B) + len(more) }
func (m *Masked) Add(n int) Masked                { return Masked{m.A + n, m.set_, m.B, m.raw_} }
