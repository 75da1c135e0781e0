package main

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"text/template"
	"time"
)

type Visitor[R any] interface {
	VisitNum(n Num) R
	VisitBin(b Bin) R
}
type Expr interface{ fmt.Stringer }
type Num float64
type Bin struct {
	Op   byte
	L, R Expr
}

func (n Num) String() string { return fmt.Sprintf("%g", float64(n)) }
func (b Bin) String() string { return fmt.Sprintf("(%v %c %v)", b.L, b.Op, b.R) }

func Accept[R any](e Expr, v Visitor[R]) R {
	switch e := e.(type) {
	case Num:
		return v.VisitNum(e)
	case Bin:
		return v.VisitBin(e)
	}
	panic(fmt.Sprintf("unknown %T", e))
}

type eval struct{ depth *int }

func (e eval) VisitNum(n Num) float64 { return float64(n) }
func (e eval) VisitBin(b Bin) float64 {
	*e.depth++
	l, r := Accept[float64](b.L, e), Accept[float64](b.R, e)
	return map[byte]func(a, b float64) float64{'+': func(a, b float64) float64 { return a + b }, '*': func(a, b float64) float64 { return a * b }}[b.Op](l, r)
}

type OrderedMap[K cmp.Ordered, V any] struct {
	keys []K
	m    map[K]V
}

func (o *OrderedMap[K, V]) Set(k K, v V) {
	if o.m == nil {
		o.m = make(map[K]V)
	}
	if _, ok := o.m[k]; !ok {
		i, _ := slices.BinarySearch(o.keys, k)
		o.keys = slices.Insert(o.keys, i, k)
	}
	o.m[k] = v
}
func (o *OrderedMap[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, k := range o.keys {
			if !yield(k, o.m[k]) {
				return
			}
		}
	}
}
func (o OrderedMap[K, V]) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	first := true
	for k, v := range o.All() {
		if !first {
			b.WriteByte(',')
		}
		first = false
		kb, _ := json.Marshal(fmt.Sprint(k))
		vb, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		b.Write(kb)
		b.WriteByte(':')
		b.Write(vb)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

type PQ[T any] struct {
	items []T
	less  func(a, b T) bool
}

func (p *PQ[T]) Len() int           { return len(p.items) }
func (p *PQ[T]) Less(i, j int) bool { return p.less(p.items[i], p.items[j]) }
func (p *PQ[T]) Swap(i, j int)      { p.items[i], p.items[j] = p.items[j], p.items[i] }
func (p *PQ[T]) Push(x any)         { p.items = append(p.items, x.(T)) }
func (p *PQ[T]) Pop() any {
	n := len(p.items) - 1
	x := p.items[n]
	p.items = p.items[:n]
	return x
}

type Event struct {
	At   time.Duration
	Name string
	Meta map[string]any `json:"meta,omitempty"`
	next *Event
}
type ValidationError struct {
	Field string
	Err   error
}

func (v *ValidationError) Error() string { return v.Field + ": " + v.Err.Error() }
func (v *ValidationError) Unwrap() error { return v.Err }

var ErrEmpty = errors.New("empty")

func validate(m map[string]string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.Join(err, fmt.Errorf("recovered: %v", r))
		}
	}()
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if m[k] == "" {
			err = errors.Join(err, &ValidationError{k, ErrEmpty})
		}
		if m[k] == "panic" {
			var p *Event
			_ = p.Name
		}
	}
	return err
}

func filter[T any](s iter.Seq[T], f func(T) bool) iter.Seq[T] {
	return func(y func(T) bool) {
		for v := range s {
			if f(v) && !y(v) {
				return
			}
		}
	}
}
func zip[A, B any](a iter.Seq[A], b iter.Seq[B]) iter.Seq2[A, B] {
	return func(y func(A, B) bool) {
		next, stop := iter.Pull(b)
		defer stop()
		for x := range a {
			v, ok := next()
			if !ok || !y(x, v) {
				return
			}
		}
	}
}

type Stack[T any] []T

func (s *Stack[T]) Push(v ...T) { *s = append(*s, v...) }
func (s *Stack[T]) Pop() (v T, ok bool) {
	if len(*s) == 0 {
		return
	}
	v = (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return v, true
}

type Weekday int

const (
	Mon Weekday = iota + 1
	Tue
)

func (d Weekday) String() string { return [...]string{"?", "Mon", "Tue"}[d] }
func (d *Weekday) UnmarshalText(b []byte) error {
	switch string(b) {
	case "Mon":
		*d = Mon
	case "Tue":
		*d = Tue
	default:
		return fmt.Errorf("bad day %q", b)
	}
	return nil
}

func main() {
	d := 0
	e := Bin{'+', Num(1), Bin{'*', Num(2), Num(3.5)}}
	fmt.Println(e, Accept[float64](e, eval{&d}), d)
	var om OrderedMap[string, []int]
	om.Set("b", []int{2})
	om.Set("a", nil)
	b, err := json.Marshal(map[string]any{"om": om, "p": &om})
	fmt.Println(string(b), err)
	pq := &PQ[*Event]{less: func(a, b *Event) bool { return a.At < b.At }}
	for i, n := range []string{"c", "a", "b"} {
		heap.Push(pq, &Event{At: time.Duration(3-i) * time.Second, Name: n})
	}
	for pq.Len() > 0 {
		ev := heap.Pop(pq).(*Event)
		fmt.Print(ev.Name, ev.At, " ")
	}
	fmt.Println()
	err = validate(map[string]string{"x": "", "y": "ok", "z": "panic", "a": ""})
	fmt.Println(err)
	var ve *ValidationError
	fmt.Println(errors.As(err, &ve), ve.Field, errors.Is(err, ErrEmpty))
	ev := filter(slices.Values([]int{1, 2, 3, 4, 5}), func(i int) bool { return i%2 == 1 })
	for a, b := range zip(ev, maps.Keys(map[string]bool{"k": true})) {
		fmt.Println(a, b)
	}
	var st Stack[Weekday]
	st.Push(Mon, Tue)
	v, ok := st.Pop()
	fmt.Println(v, ok, st, len(st))
	var cfg struct {
		Days map[Weekday]int
		D    Weekday
		L    []Weekday
	}
	fmt.Println(json.Unmarshal([]byte(`{"Days":{"Mon":1,"Tue":2},"D":"Tue","L":["Mon"]}`), &cfg))
	fmt.Printf("%v %+v %#v\n", cfg, cfg, cfg.D)
	fmt.Println(json.Unmarshal([]byte(`{"D":"Wed"}`), &cfg))
	var wg sync.WaitGroup
	var n atomic.Int64
	var mu sync.RWMutex
	seen := map[int]bool{}
	sem := make(chan struct{}, 3)
	for i := range 20 {
		wg.Go(func() {
			sem <- struct{}{}
			defer func() { <-sem }()
			mu.Lock()
			defer mu.Unlock()
			seen[i] = true
			n.Add(int64(i))
		})
	}
	wg.Wait()
	fmt.Println(n.Load(), len(seen))
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	select {
	case <-ctx.Done():
		fmt.Println(ctx.Err(), errors.Is(ctx.Err(), context.DeadlineExceeded))
	case <-time.After(time.Minute):
		fmt.Println("late")
	}
	sc := bufio.NewScanner(strings.NewReader("k1=v1\nk2=v2\n\nbad\n"))
	kv := map[string]string{}
	for line := 1; sc.Scan(); line++ {
		t := strings.TrimSpace(sc.Text())
		if t == "" {
			continue
		}
		k, v, ok := strings.Cut(t, "=")
		if !ok {
			fmt.Fprintf(os.Stdout, "line %d: %q\n", line, t)
			continue
		}
		kv[k] = v
	}
	fmt.Println(kv)
	type row struct {
		Name string
		N    int
	}
	rows := []row{{"b", 2}, {"a", 2}, {"c", 1}}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(b.N, a.N), strings.Compare(a.Name, b.Name)) })
	fmt.Println(rows)
	sort.SliceStable(rows, func(i, j int) bool { return rows[i].Name > rows[j].Name })
	fmt.Printf("%v %+v\n", rows, rows[0])
	template.Must(template.New("t").Funcs(template.FuncMap{"inc": func(i int) int { return i + 1 }}).Parse("{{range $i, $r := .}}{{inc $i}}. {{$r.Name | printf \"%-5s\"}}|{{$r.N}}\n{{end}}")).Execute(os.Stdout, rows)
	pr, pw := io.Pipe()
	go func() {
		defer pw.Close()
		json.NewEncoder(pw).Encode(rows)
	}()
	var back []row
	fmt.Println(json.NewDecoder(pr).Decode(&back), back)
	arr := [3][2]int{{1, 2}, {3, 4}}
	cp := arr
	cp[0][0] = 9
	fmt.Println(arr, cp, arr == cp, len(arr))
	grouped := map[bool][]row{}
	for _, r := range rows {
		grouped[r.N > 1] = append(grouped[r.N > 1], r)
	}
	fmt.Println(grouped)
	func() {
		defer func() {
			r := recover()
			err, ok := r.(error)
			fmt.Println(ok, err)
		}()
		var a []int
		i := 5
		fmt.Println(a[i])
	}()
	fn := func(xs ...any) string { return fmt.Sprint(len(xs), xs) }
	fmt.Println(fn(1, "a", nil, rows[0], &rows[0] == nil))
	lbl := 0
outer:
	for i := 0; ; i++ {
		switch {
		case i == 3:
			break outer
		case i%2 == 0:
			continue outer
		default:
			lbl += i
			goto next
		}
	next:
		lbl *= 10
	}
	fmt.Println(lbl)
	x := []int{1, 2, 3}
	for i, v := range x {
		x = append(x, v*10)
		x[i]++
	}
	fmt.Println(x)
	s := "héllo, 世界"
	for i, r := range s {
		if r > 127 {
			fmt.Print(i, ":", string(r), " ")
		}
	}
	fmt.Println(len(s), []rune(s)[1], []byte(s)[1], strings.ToTitle(s))
	c := complex(1, 2)
	fmt.Println(c*c, real(c), fmt.Sprintf("%.1f", c))
	fmt.Printf("%08b %o %x %X %#x %e %g %q %U %t %p\n", 5, 8, 255, 255, 255, 1234.5678, 1e21, 'x', 0x1F600, true, nil)
	fmt.Printf("%5d|%-5d|%05d|%+d|%6.2f|%-8s|%8s|%x|% x|%v|%T\n", 42, 42, 42, 42, 3.14159, "hi", "hi", "hi", "hi", struct {
		A int
		B string
	}{1, "x"}, map[string][]int{})
}
