package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"log"
	"log/slog"
	"math"
	"math/big"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
	"unicode"
)

type State int

const (
	Idle State = iota
	Running
	Done
)

//go:generate stringer
func (s State) String() string {
	switch s {
	case Idle:
		return "idle"
	case Running:
		return "running"
	}
	return "State(" + strconv.Itoa(int(s)) + ")"
}

type Transition struct{ From, To State }
type FSM struct {
	mu    sync.Mutex
	cur   State
	table map[Transition]func(*FSM) error
	hooks []func(State, State)
}

func (f *FSM) Fire(to State) (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := Transition{f.cur, to}
	fn, ok := f.table[t]
	if !ok {
		return fmt.Errorf("no transition %v -> %v", t.From, t.To)
	}
	if err := fn(f); err != nil {
		return fmt.Errorf("fire %+v: %w", t, err)
	}
	old := f.cur
	f.cur = to
	for _, h := range f.hooks {
		h(old, to)
	}
	return nil
}

type Option func(*Server)
type Server struct {
	host    string
	port    int
	tags    []string
	timeout time.Duration
	logger  *slog.Logger
}

func WithPort(p int) Option       { return func(s *Server) { s.port = p } }
func WithTags(t ...string) Option { return func(s *Server) { s.tags = append(s.tags, t...) } }
func NewServer(host string, opts ...Option) *Server {
	s := &Server{host: host, port: 80, timeout: time.Second}
	for _, o := range opts {
		o(s)
	}
	return s
}

type Animal interface {
	Sound() string
	Name() string
}
type base struct{ name string }

func (b base) Name() string { return b.name }

type Dog struct {
	base
	age int
}

func (Dog) Sound() string { return "woof" }

type Cat struct{ *base }

func (c *Cat) Sound() string { return "meow " + c.name }

type Matrix [][]float64

func (m Matrix) Mul(o Matrix) (Matrix, error) {
	if len(m[0]) != len(o) {
		return nil, errors.New("shape")
	}
	r := make(Matrix, len(m))
	for i := range r {
		r[i] = make([]float64, len(o[0]))
		for j := range r[i] {
			for k := range o {
				r[i][j] += m[i][k] * o[k][j]
			}
		}
	}
	return r, nil
}

type LRU[K comparable, V any] struct {
	cap        int
	head, tail *node[K, V]
	m          map[K]*node[K, V]
}
type node[K comparable, V any] struct {
	k          K
	v          V
	prev, next *node[K, V]
}

func NewLRU[K comparable, V any](n int) *LRU[K, V] {
	l := &LRU[K, V]{cap: n, m: map[K]*node[K, V]{}}
	l.head, l.tail = &node[K, V]{}, &node[K, V]{}
	l.head.next, l.tail.prev = l.tail, l.head
	return l
}
func (l *LRU[K, V]) unlink(n *node[K, V]) { n.prev.next, n.next.prev = n.next, n.prev }
func (l *LRU[K, V]) front(n *node[K, V]) {
	n.next, n.prev = l.head.next, l.head
	l.head.next.prev = n
	l.head.next = n
}
func (l *LRU[K, V]) Get(k K) (v V, ok bool) {
	n, ok := l.m[k]
	if !ok {
		return
	}
	l.unlink(n)
	l.front(n)
	return n.v, true
}
func (l *LRU[K, V]) Put(k K, v V) {
	if n, ok := l.m[k]; ok {
		n.v = v
		l.unlink(n)
		l.front(n)
		return
	}
	if len(l.m) == l.cap {
		t := l.tail.prev
		l.unlink(t)
		delete(l.m, t.k)
	}
	n := &node[K, V]{k: k, v: v}
	l.m[k] = n
	l.front(n)
}

type countingWriter struct {
	io.Writer
	n int
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n += n
	return n, err
}

type secret string

func (s secret) LogValue() slog.Value { return slog.StringValue("***") }
func divmod(a, b int) (q, r int, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("div: %v", x)
		}
	}()
	q = a / b
	r = a % b
	return
}
func main() {
	f := &FSM{table: map[Transition]func(*FSM) error{{Idle, Running}: func(*FSM) error { return nil }, {Running, Done}: func(f *FSM) error { return errors.New("busy") }}}
	f.hooks = append(f.hooks, func(a, b State) { fmt.Printf("%v->%v %d %s\n", a, b, b, a) })
	fmt.Println(f.Fire(Running), f.Fire(Done), f.Fire(Idle), f.cur)
	s := NewServer("h", WithPort(8080), WithTags("a", "b"))
	fmt.Printf("%+v\n", *s)
	c := &Cat{&base{"tom"}}
	for _, a := range []Animal{Dog{base{"rex"}, 3}, c, &Dog{}} {
		fmt.Printf("%T %s %q\n", a, a.Name(), a.Sound())
	}
	m, err := Matrix{{1, 2}, {3, 4}}.Mul(Matrix{{1}, {1}})
	fmt.Println(m, err)
	l := NewLRU[string, int](2)
	l.Put("a", 1)
	l.Put("b", 2)
	l.Get("a")
	l.Put("c", 3)
	_, ok := l.Get("b")
	fmt.Println(ok, len(l.m))
	cw := &countingWriter{Writer: io.Discard}
	fmt.Fprintf(cw, "hello %d", 5)
	fmt.Println(cw.n)
	lg := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(g []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	lg.Info("msg", "s", secret("x"), "st", Running, "d", Dog{base{"q"}, 1}, slog.Group("g", "a", 1, "e", errors.New("bad")))
	jl := slog.New(slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(g []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	jl.With("x", Transition{Idle, Done}).Warn("w", "m", map[string]State{"a": Running}, "arr", []Dog{{}})
	fmt.Println(divmod(7, 2))
	fmt.Println(divmod(1, 0))
	log.SetFlags(0)
	log.SetOutput(os.Stdout)
	log.Printf("%v %s", Running, secret("p"))
	tw := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', tabwriter.AlignRight|tabwriter.Debug)
	fmt.Fprintf(tw, "%v\t%v\t\n", Idle, 22)
	tw.Flush()
	cr := csv.NewReader(strings.NewReader("a,\"b,c\"\nd,e,f\n"))
	cr.FieldsPerRecord = -1
	recs, err := cr.ReadAll()
	fmt.Printf("%q %v\n", recs, err)
	h := sha256.Sum256([]byte("x"))
	fmt.Println(hex.EncodeToString(h[:4]), base64.StdEncoding.EncodeToString([]byte("hi?")))
	fh := fnv.New32a()
	fh.Write([]byte("k"))
	fmt.Println(fh.Sum32())
	u, err := url.Parse("https://u:p@h.x:80/p/a?q=1&q=2#f")
	fmt.Println(u.Host, u.Query()["q"], u.Fragment, err, u)
	re := regexp.MustCompile(`(?P<k>\w+)=(?P<v>\d+)`)
	fmt.Println(re.FindAllStringSubmatch("a=1 b=22", -1), re.ReplaceAllStringFunc("a=1", strings.ToUpper), re.SubexpNames())
	x := new(big.Int).Exp(big.NewInt(2), big.NewInt(100), nil)
	fmt.Println(x, math.Inf(1), math.NaN(), -0.0, math.MaxInt64)
	fmt.Println(strings.FieldsFunc("a1b2", unicode.IsDigit), strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, "aBc"))
	var buf bytes.Buffer
	w := io.MultiWriter(&buf, cw)
	io.Copy(w, strings.NewReader("data"))
	fmt.Println(buf.String(), cw.n)
	n, err := strconv.Atoi("12x")
	fmt.Println(n, err)
	var ne *strconv.NumError
	fmt.Println(errors.As(err, &ne), ne.Func, errors.Is(err, strconv.ErrSyntax))
	var iface any = Dog{}
	switch v := iface.(type) {
	case Animal:
		fmt.Println("animal", v.Sound())
	case fmt.Stringer:
		fmt.Println("str")
	}
	_, ok = iface.(interface{ Bark() })
	fmt.Println(ok)
	func() { defer func() { fmt.Println(recover()) }(); _ = iface.(fmt.Stringer) }()
	func() { defer func() { fmt.Println(recover()) }(); _ = iface.(*Cat) }()
	func() { defer func() { fmt.Println(recover()) }(); var m map[string]int; m["a"] = 1 }()
	func() { defer func() { fmt.Println(recover()) }(); ch := make(chan int); close(ch); close(ch) }()
	func() { defer func() { fmt.Println(recover()) }(); x := -1; _ = make([]int, x) }()
	func() { defer func() { fmt.Println(recover()) }(); var a Animal; a.Name() }()
	func() { defer func() { fmt.Println(recover()) }(); k := map[any]int{}; k[[]int{1}] = 2 }()
	func() { defer func() { fmt.Println(recover()) }(); panic(fmt.Errorf("wrapped %w", io.EOF)) }()
	func() { defer func() { fmt.Println(recover()) }(); a := []int{1, 2, 3}; i := 5; _ = a[1:i] }()
	func() { defer func() { fmt.Println(recover()) }(); a := []int{1, 2}; _ = [3]int(a) }()
	t := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	fmt.Println(t.AddDate(1, 0, 0).Format(time.RFC1123), t.Weekday(), t.YearDay(), t.Sub(t.Add(-90*time.Minute)), time.Duration(1500)*time.Millisecond)
}
