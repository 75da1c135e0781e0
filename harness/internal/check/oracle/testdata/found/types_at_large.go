package main

import (
	"bytes"
	"context"
	"encoding/ascii85"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"
	"unique"
)

type Set map[string]Set
type Fn func(Fn) int
type Tree []Tree
type Chain chan Chain
type E struct{ code int }

func (e *E) Error() string   { return fmt.Sprint("E", e.code) }
func (e *E) Is(t error) bool { o, ok := t.(*E); return ok && o.code == e.code }

type Multi []error

func (m Multi) Error() string   { return "multi" }
func (m Multi) Unwrap() []error { return m }

type Wrapped struct{ error }
type Cfg struct{ N int }

func early(n int) (out []int, m map[string]int, err error) {
	m = map[string]int{}
	for i := range n {
		out = append(out, i)
		m[fmt.Sprint(i)] = i
		if i == 2 {
			return nil, nil, errors.New("early")
		}
	}
	return
}

type C[T any] struct {
	mu sync.Mutex
	v  T
}

func (c *C[T]) Do(f func(T) T) T { c.mu.Lock(); defer c.mu.Unlock(); c.v = f(c.v); return c.v }

type Emb[T any] struct {
	sync.Mutex
	items []T
}

func (e *Emb[T]) Add(x T) { e.Lock(); defer e.Unlock(); e.items = append(e.items, x) }
func main() {
	s := Set{"a": {"b": nil}}
	fmt.Println(len(s["a"]), s)
	var f Fn = func(g Fn) int {
		if g == nil {
			return 1
		}
		return 1 + g(nil)
	}
	fmt.Println(f(f))
	t := Tree{{}, {{}}}
	fmt.Println(len(t), t)
	h := unique.Make("x")
	fmt.Println(h == unique.Make("x"), h.Value())
	buf := make([]byte, 100)
	n := ascii85.Encode(buf, []byte("hello"))
	fmt.Println(string(buf[:n]))
	fmt.Println(rand.N(10) < 10, rand.N(time.Second) < time.Second)
	var p atomic.Pointer[Cfg]
	p.Store(&Cfg{3})
	fmt.Println(p.Load().N, p.CompareAndSwap(p.Load(), &Cfg{4}), p.Load().N)
	var av atomic.Value
	av.Store(Cfg{5})
	fmt.Println(av.Load().(Cfg).N)
	err := fmt.Errorf("w: %w", Multi{&E{1}, Wrapped{&E{2}}})
	fmt.Println(errors.Is(err, &E{2}), errors.Is(err, &E{3}))
	var e *E
	fmt.Println(errors.As(err, &e), e)
	fmt.Println(early(2))
	fmt.Println(early(5))
	c := new(C[int])
	fmt.Println(c.Do(func(i int) int { return i + 1 }))
	em := &Emb[Cfg]{}
	em.Add(Cfg{1})
	fmt.Println(em.items)
	once := sync.OnceValue(func() Cfg { return Cfg{9} })
	fmt.Println(once(), once().N)
	var m sync.Map
	m.Store(Cfg{1}, "x")
	v, ok := m.Load(Cfg{1})
	fmt.Println(v, ok)
	pool := sync.Pool{New: func() any { return &Cfg{7} }}
	fmt.Println(pool.Get().(*Cfg).N)
	ctx := context.WithValue(context.Background(), Cfg{1}, Cfg{2})
	fmt.Println(ctx.Value(Cfg{1}).(Cfg).N)
	ctx, cancel := context.WithCancelCause(ctx)
	cancel(&E{5})
	fmt.Println(context.Cause(ctx), ctx.Err())
	tw := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(tw, "a\tb\tc")
	fmt.Fprintln(tw, "aaa\tbbb\tc")
	tw.Flush()
	var sb strings.Builder
	w := ascii85.NewEncoder(&sb)
	w.Write([]byte("streamed"))
	w.Close()
	fmt.Println(sb.String())
	fs := []func() int{}
	for i := 0; i < 3; i++ {
		fs = append(fs, func() int { i += 10; return i })
	}
	for _, f := range fs {
		fmt.Print(f(), " ")
	}
	fmt.Println()
	ps := []*int{}
	for i := 0; i < 3; i++ {
		ps = append(ps, &i)
	}
	for _, p := range ps {
		fmt.Print(*p, " ")
	}
	fmt.Println()
	func() {
		defer func() { fmt.Println("r2", recover()) }()
		defer func() { panic("second") }()
		defer func() { fmt.Println("r1", recover()) }()
		panic("first")
	}()
	fmt.Println(bytes.Equal(nil, []byte{}))
}
