package main

import (
	"fmt"
	"sort"
	"strings"
)

type Counter struct {
	n    int
	name string
}

func (c Counter) Get() int { return c.n }
func (c *Counter) Inc(by ...int) *Counter {
	if len(by) == 0 {
		by = []int{1}
	}
	for _, b := range by {
		c.n += b
	}
	return c
}
func (c Counter) With(n int) Counter { c.n = n; return c }

type Incer interface{ Inc(...int) *Counter }
type Getter interface{ Get() int }
type Both interface {
	Incer
	Getter
}

type Logged struct {
	Both
	log []string
}

func (l *Logged) Inc(by ...int) *Counter {
	l.log = append(l.log, fmt.Sprint("inc", by))
	return l.Both.Inc(by...)
}

type Named struct {
	Counter
	*strings.Builder
	label string
}

type Op func(float64, float64) float64

func (o Op) Apply(a, b float64) float64 { return o(a, b) }
func (o Op) Curry(a float64) func(float64) float64 {
	return func(b float64) float64 { return o(a, b) }
}

type Celsius float64
type Fahrenheit float64

func (c Celsius) F() Fahrenheit { return Fahrenheit(c*9/5 + 32) }
func (f Fahrenheit) C() Celsius { return Celsius((f - 32) * 5 / 9) }

type byLen []string

func (b byLen) Len() int           { return len(b) }
func (b byLen) Less(i, j int) bool { return len(b[i]) < len(b[j]) }
func (b byLen) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

type T struct{ v int }

func (t T) M1() string          { return fmt.Sprint("M1:", t.v) }
func (t *T) M2(s string) string { t.v++; return fmt.Sprint(s, t.v) }

func main() {
	c := Counter{name: "c"}
	get, inc := c.Get, c.Inc
	inc()
	inc(2, 3)
	fmt.Println(get(), c.Get(), c.n, c.With(100).n, c.n)
	f := Counter.Get
	g := (*Counter).Inc
	h := (*Counter).Get
	fmt.Println(f(c), g(&c, 10).Get(), h(&c))
	fmt.Printf("%T %T %T %T\n", f, g, h, get)
	l := &Logged{Both: &c}
	var in Incer = l
	in.Inc(1).Inc(2)
	in.Inc()
	fmt.Println(l.log, l.Get(), c)
	n := Named{Counter: c, Builder: &strings.Builder{}, label: "x"}
	n.WriteString("hello ")
	n.Inc(5).Inc()
	fmt.Fprintf(n, "%d %d", n.Get(), n.n)
	fmt.Println(n.String(), n.Len(), c.n)
	ops := map[string]Op{"add": func(a, b float64) float64 { return a + b }, "pow": func(a, b float64) float64 {
		r := 1.0
		for range int(b) {
			r *= a
		}
		return r
	}}
	keys := make([]string, 0)
	for k := range ops {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		fmt.Println(k, ops[k].Apply(2, 10), ops[k].Curry(3)(4))
	}
	fmt.Printf("%.1f %.2f %v\n", Celsius(100).F(), Fahrenheit(0).C(), Celsius(37).F().C())
	words := strings.Fields("ccc a bb dddd")
	sort.Sort(sort.Reverse(byLen(words)))
	fmt.Println(words)
	ts := []T{{1}, {2}, {3}}
	var fs []func() string
	for i, t := range ts {
		fs = append(fs, t.M1, ts[i].M1)
		ts[i].v *= 10
		fs = append(fs, func() string { return t.M2("t") + ts[i].M2("s") })
	}
	for _, f := range fs {
		fmt.Print(f(), " ")
	}
	fmt.Println(ts)
	var funcs [3]func() int
	for i := 0; i < 3; i++ {
		funcs[i] = func() int { i += 10; return i }
	}
	for _, f := range funcs {
		fmt.Print(f(), f(), " ")
	}
	fmt.Println()
	var ptrs []*int
	for i := 0; i < 6; i++ {
		if i%2 == 0 {
			continue
		}
		ptrs = append(ptrs, &i)
		i++
	}
	for _, p := range ptrs {
		fmt.Print(*p, " ")
	}
	var nilGetter Getter
	defer func() {
		fmt.Println(recover())
		var np *Counter
		defer func() { fmt.Println(recover()) }()
		np.Get()
	}()
	nilGetter.Get()
}
