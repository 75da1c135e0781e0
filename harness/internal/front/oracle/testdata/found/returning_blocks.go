package main

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"runtime"
	"strings"
	"sync"
)

// Long functions whose blocks return: each case does a few things with the
// function's variables before it does.

type point struct{ x, y int }

type matrix [40]int

func bump(p *int) int { *p += 10; return *p }

func plain(op string, a, b int, list []int) (int, error) {
	n := a + b
	total := 0
	for _, v := range list {
		total += v
	}
	switch op {
	case "shadow":
		n := n * 2
		a, b := b+n, a-n
		if a > b {
			a, total := total+a, total-b
			return a*1000 + total + n, nil
		}
		return a + b + n + total, nil
	case "closure":
		add := func(k int) { n += k; total += n }
		add(1)
		add(2)
		n++
		add(3)
		return n*1000 + total, nil
	case "closures in a loop":
		var fs []func() int
		for i := range 3 {
			fs = append(fs, func() int { total += i; n -= i; return total*100 + n })
		}
		s := ""
		for _, f := range fs {
			s += fmt.Sprint(f(), " ")
		}
		fmt.Println(s)
		return n + total, nil
	case "address":
		p := &n
		q := &total
		*p += *q
		*q = bump(p)
		return n*1000 + total + bump(&n), nil
	case "named loop":
		count := 0
	outer:
		for i := 0; i < 5; i++ {
			for j := 0; j < 5; j++ {
				if j == 3 {
					continue outer
				}
				if i == 3 {
					break outer
				}
				count += i*j + n
			}
		}
		return count, nil
	case "switch in it":
		for i := range list {
			switch {
			case list[i] == 2:
				total += 100
				continue
			case list[i] > 3:
				total += 1000
				break
			default:
				total++
			}
		}
		return total, nil
	case "falls":
		total += 7
		n *= 3
		fmt.Println("falls", total, n)
		fallthrough
	case "fallen into":
		total *= 2
		n += total
		fmt.Println("fallen into", total, n)
		return n - total, nil
	case "breaks":
		total += 1
		if n > 3 {
			total *= 10
			fmt.Println("out of the switch", total)
			break
		}
		return total - n, nil
	case "panics":
		var none []int
		fmt.Println("about to")
		n = none[a+b] + list[n]
		return n, nil
	case "error":
		err := fmt.Errorf("wrapped: %w", errors.ErrUnsupported)
		return n + total, err
	case "list":
		list = append(list, n, total)
		list[0] = 99
		n = len(list)
		return n, nil
	case "literal":
		pts := []point{{n, total}, {total, n}}
		pts[0].x, pts[1].y = pts[1].y, pts[0].x+1
		m := map[string]point{"a": pts[0], "b": pts[1]}
		return m["a"].x + m["b"].y*10, nil
	default:
		n, total = total, n
		fmt.Println("default", op, n, total)
		return n - total, errors.New("no " + op)
	}
	total += n
	return total, nil
}

// Results with names, bare returns, and closures that have the results.
func named(op int, k int) (n int, s string, err error) {
	s = "start"
	get := func() string { return fmt.Sprint(n, s, err) }
	switch op {
	case 0:
		n = k * 2
		s += "0"
		fmt.Println(get())
		return
	case 1:
		n, s = k+1, "one"
		if k > 3 {
			err = errors.New("large")
			s += get()
			return
		}
		s = get()
		return n * 3, s + "!", nil
	case 2:
		n := n + k
		s := s + "inner"
		fmt.Println(n, s, get())
		return n, s, fmt.Errorf("two %d", n)
	case 3:
		for i := range 5 {
			n += i
			if n > k {
				s += fmt.Sprint(i)
				return
			}
		}
		s = "not found"
		return
	case 4:
		n, s, err = func() (int, string, error) { return k, get(), nil }()
		n++
		return
	}
	n = -1
	return
}

func unnamedCaller(op int) (a, b string) {
	x, y := "x", "y"
	if op == 0 {
		x, y = y, x
		fmt.Println("swapped", x, y)
		return x + y, strings.Repeat(x, 3)
	} else if op == 1 {
		x += "1"
		y += x
		a = x + y
		fmt.Println("second", a)
		return
	} else {
		a, b = "third", x+y
		fmt.Println(a, b)
	}
	return
}

// Deferred calls and recover.
func deferring(op int) (r string, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("recovered %v with %q", x, r)
		}
	}()
	r = "begun"
	switch op {
	case 0:
		r += " 0"
		fmt.Println(r)
		return r + " returned", nil
	case 1:
		r += " 1"
		var m map[string]int
		m[r] = 1
		return "never", nil
	case 2:
		r += " 2"
		defer fmt.Println("also deferred", r)
		r += " more"
		panic("own " + r)
	}
	return
}

func inCase(op int, log *[]string) string {
	note := func(s string) { *log = append(*log, s) }
	switch op {
	case 0:
		defer note("deferred in a case")
		note("case 0")
		x := fmt.Sprint(len(*log))
		note(x)
		return "zero " + x
	case 1:
		note("case 1")
		func() {
			defer func() { note(fmt.Sprint("inner ", recover())) }()
			var p *point
			p.x = 1
		}()
		note("after")
		return fmt.Sprint(len(*log))
	case 2:
		note("recover without a panic")
		x := recover()
		note(fmt.Sprint(x))
		return "two"
	}
	note("others")
	return ""
}

type guard struct {
	mu sync.Mutex
	m  map[string]int
}

func (g *guard) do(op, key string, n int) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch op {
	case "get":
		v, ok := g.m[key]
		if !ok {
			return 0, fmt.Errorf("no %s among %d", key, len(g.m))
		}
		return v + n - n, nil
	case "put":
		old := g.m[key]
		g.m[key] = n
		n = old - 1
		return n + 1, nil
	case "add":
		g.m[key] += n
		n = g.m[key] * 2
		return n / 2, nil
	}
	panic(fmt.Sprintf("no op %s of %s", op, key))
}

func recoverer(out *string) {
	x := 1
	if out == nil {
		x++
		fmt.Println("nothing", x, recover())
		return
	}
	r := recover()
	if r == nil {
		x += 2
		*out = fmt.Sprint("none ", x)
		fmt.Println(*out)
		return
	}
	*out = fmt.Sprint("got ", r, x)
}

func callsRecoverer(out *string, way int) {
	switch way {
	case 0:
		x := "direct"
		recoverer(out) // not called by the panic: nothing
		fmt.Println("indirect call", x, *out)
		return
	case 1:
		x := "again"
		fmt.Println(x, way, len(*out))
		recoverer(out)
		return
	}
}

// Generic functions, methods, variadic parameters.
type number interface{ ~int | ~float64 }

type stack[T number] struct{ items []T }

func (s *stack[T]) run(op string, args ...T) (T, error) {
	var zero T
	switch op {
	case "push":
		s.items = append(s.items, args...)
		args[0]++
		return T(len(s.items)), nil
	case "pop":
		if len(s.items) == 0 {
			return zero, fmt.Errorf("empty %T", zero)
		}
		last := s.items[len(s.items)-1]
		s.items = s.items[:len(s.items)-1]
		return last, nil
	case "sum":
		for _, x := range s.items {
			zero += x
		}
		for _, x := range args {
			zero += x
		}
		return zero, nil
	case "max":
		zero = T(math.Inf(-1) * 0)
		return zero, errors.New("max")
	}
	return zero, fmt.Errorf("%s(%v)", op, args)
}

func kind[T any](x T) (name string, size int) {
	switch v := any(x).(type) {
	case int:
		v++
		name = fmt.Sprint("int ", v)
		size = 8
		return
	case string:
		v += "!"
		return fmt.Sprintf("string %s %T", v, x), len(v)
	case []T:
		v = append(v, x)
		return "slice of itself", len(v) * 100
	case error, fmt.Stringer:
		s := fmt.Sprint(v)
		size += len(s)
		return "says " + s, size
	case nil:
		name = "nil"
		size = -1
		return name, size - 1
	case func(int) int:
		size = v(20) + v(1)
		return fmt.Sprintf("func %T", v), size
	case chan int:
		v <- 5
		size = cap(v) + <-v
		return fmt.Sprintf("chan %d", len(v)), size
	case point:
		v.x += v.y
		name = fmt.Sprint(v)
		return name, v.x
	case *point:
		v.x += v.y
		name = fmt.Sprint(*v)
		return name, v.y
	case struct{}:
		name = fmt.Sprint("empty ", v)
		return name, len(name)
	case map[string]T:
		v["k"] = x
		return fmt.Sprint(len(v)), len(v)
	}
	return "other", 0
}

type name string

func (n name) String() string { return "name " + string(n) }

// Iterators.
func upTo(n int) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i := range n {
			if !yield(i, strings.Repeat("*", i)) {
				fmt.Println("stopped at", i)
				return
			}
		}
	}
}

func iterates(op int, n int) (int, string) {
	sum := 0
	last := ""
	switch op {
	case 0:
		for i, s := range upTo(n) {
			sum += i
			last = s
			if i == 3 {
				return sum, last + "found"
			}
		}
		return sum, last
	case 1:
		for i := range upTo(n) {
			for j := range upTo(i) {
				if i*j > 6 {
					sum = i*100 + j
					fmt.Println("inner", sum)
					return sum, "nested"
				}
				if j > i-2 {
					continue
				}
				sum++
			}
		}
		return sum, fmt.Sprint("end ", last)
	}
	for i, s := range upTo(n) {
		switch {
		case i == 2:
			sum += 50
			last += s
			fmt.Println("in the body", sum, last)
			return sum, last
		case i > 100:
			sum++
			last += "never"
			panic(last)
		}
		sum += i
	}
	return sum, "none"
}

func namedIterates(op int) (n int, s string) {
	switch op {
	case 0:
		for i, t := range upTo(5) {
			n += i
			s = t
			if n > 4 {
				return
			}
		}
		n = -n
		return
	case 1:
		for i := range upTo(3) {
			n -= i
			s += fmt.Sprint(n)
		}
		return n * 2, s + "."
	}
	return
}

// Loops with blocks that return, with indices that need no check.
func search(a []int, m *matrix, big matrix, want int) (int, string) {
	for i := 0; i < len(a); i++ {
		if a[i] == want {
			before := 0
			for j := 0; j < i; j++ {
				before += a[j]
			}
			big[i] += before
			return i, fmt.Sprint("in a after ", before, " ", big[i])
		}
		if a[i] < 0 {
			a = a[:i]
			want = len(a)
			return want, fmt.Sprintf("cut %v", a)
		}
		if a[i] > 1000 {
			a = nil
			fmt.Println("none left")
			return a[i], "never"
		}
	}
	for i, x := range m {
		if x == want {
			m[i] = 0
			big[i]--
			return i, fmt.Sprint("in m ", m[i], big[i], len(m))
		}
	}
	for i := range big {
		if big[i] == want {
			big[i], m[i] = m[i], big[i]
			return i, fmt.Sprint("in big ", big[i], m[i])
		}
	}
	return -1, ""
}

// Zeros with a sign.
func zeros(op int, f float64) (float64, string) {
	g := -f
	switch op {
	case 0:
		f, g = g, f
		s := fmt.Sprint(1/f, 1/g)
		return f, s
	case 1:
		f = g
		s := fmt.Sprint(math.Signbit(f))
		return f, s
	case 2:
		h := f * g
		fs := []float64{f, g, h}
		return fs[1], fmt.Sprint(1/fs[0], 1/fs[1], 1/fs[2])
	}
	return f, ""
}

// A switch at the end of a function without results, and one before a return.
func step(m *[]string, op string, n int) {
	before := len(*m)
	switch op {
	case "push":
		s := strings.Repeat(op, n)
		*m = append(*m, s)
		n = len(*m)
	case "pop":
		last := len(*m) - 1
		fmt.Println("popped", (*m)[last])
		*m = (*m)[:last]
	case "loop":
		for i := range n {
			if i == 2 {
				break
			}
			*m = append(*m, fmt.Sprint(i, n))
		}
	case "out":
		if n > 1 {
			fmt.Println("out", n)
			break
		}
		*m = append(*m, fmt.Sprint("out", before))
	case "none":
	default:
		fmt.Println("no", op, before, len(*m))
	}
}

func assigned(op byte, x, y int) (int, bool) {
	r, ok := 0, true
	switch op {
	case '+':
		r = x + y
		x, y = 0, 0
	case '-':
		r = x - y
		x++
		fmt.Println("minus", x)
	case '*':
		for range y {
			r += x
		}
		y = -y
	case '/':
		if y == 0 {
			ok = false
			fmt.Println("by zero", x, r)
		} else {
			r = x / y
			ok = r*y == x
			fmt.Println("rest", x%y)
		}
	default:
		ok = false
		r = strings.IndexByte("+-*/", op)
	}
	return r, ok
}

// Parts of parts, local types, labels that are used inside.
func nested(a, b, c int) string {
	type pair struct{ l, r int }
	p := pair{a, b}
	switch {
	case a == 0:
		switch {
		case b == 0:
			switch c {
			case 0:
				p.l += 5
				p.r = p.l * 2
				return fmt.Sprintf("%v %T", p, p)
			case 1:
				type pair struct{ only string }
				q := pair{fmt.Sprint(p)}
				return fmt.Sprintf("%v %+v", q, p)
			case 2:
				x := any(p)
				_, same := x.(pair)
				return fmt.Sprint(same, x == any(pair{a, b}))
			default:
				p.l = c
				f := func() pair { p.r++; return p }
				return fmt.Sprint(f(), f(), p)
			}
		case b == 1:
			p = pair{p.r, p.l}
			c *= 2
			return fmt.Sprint("one ", p, c)
		default:
			p.r += c
			return fmt.Sprint("more ", p, b)
		}
	case a == 1:
		q := &p
		q.l += b
		if c > 2 {
			q = &pair{c, c}
			p.l *= 2
			return fmt.Sprint(*q, p)
		}
		p.r = c
		return fmt.Sprint(*q, " same ", q.r == p.r)
	default:
		var err error
		if err = check(a, b); err != nil {
			return "failed: " + err.Error() + fmt.Sprint(p, c)
		}
		if c > 0 {
			return fmt.Sprint("fine ", p, c, err)
		}
	}
	return fmt.Sprint("end ", p)
}

func check(a, b int) error {
	if a > b {
		return fmt.Errorf("%d > %d", a, b)
	}
	return nil
}

func waits(op int, c chan int, done chan struct{}) (string, bool) {
	n := 0
	select {
	case v := <-c:
		n += v
		s := fmt.Sprint("received ", v, n)
		if v > 3 {
			n *= 2
			s += fmt.Sprint(" large ", n)
			return s, true
		}
		return s, op > v
	case <-done:
		n--
		return fmt.Sprint("done ", n), false
	}
}

func jumps(n int) string {
	i := 0
again:
	if i < n {
		i += 2
		fmt.Println("jump", i)
		goto again
	}
	switch {
	case i > 5:
		i *= 2
		s := fmt.Sprint("over ", i)
		return s
	case i > 3:
		i *= 3
		s := fmt.Sprint("some ", i)
		return s
	}
	return fmt.Sprint("few ", i)
}

func try(f func()) {
	defer func() {
		if r := recover(); r != nil {
			if e, ok := r.(runtime.Error); ok {
				fmt.Println("run-time error:", e)
				return
			}
			fmt.Println("panic:", r)
		}
	}()
	f()
}

func main() {
	for _, op := range []string{"shadow", "closure", "closures in a loop", "address", "named loop", "switch in it", "falls", "fallen into", "breaks", "error", "list", "literal", "other"} {
		list := []int{1, 2, 3, 4}
		n, err := plain(op, 2, 5, list)
		fmt.Println(op, n, err, list)
	}
	try(func() { plain("panics", 1, 2, []int{1}) })
	for op := range 6 {
		n, s, err := named(op, op*2)
		fmt.Println("named", n, s, err)
		n, s, err = named(op, 3)
		fmt.Println("named", n, s, err)
	}
	for op := range 3 {
		fmt.Println(unnamedCaller(op))
	}
	for op := range 4 {
		fmt.Println(deferring(op))
		var log []string
		fmt.Println(inCase(op, &log), log)
	}
	g := &guard{m: map[string]int{"a": 1}}
	for _, op := range []string{"put", "get", "add", "get", "no"} {
		try(func() { fmt.Println(g.do(op, "b", 3)) })
		if op == "put" {
			fmt.Println(g.do("get", "c", 1))
		}
	}
	fmt.Println(g.mu.TryLock())
	out := ""
	func() { defer recoverer(&out); panic("direct") }()
	fmt.Println(out)
	try(func() { defer callsRecoverer(&out, 0); panic("by way of another") })
	try(func() { defer callsRecoverer(&out, 1); panic("by way of a part") })
	try(func() { defer recoverer(nil); panic("for nobody") })
	si, sf := &stack[int]{}, &stack[float64]{}
	for _, op := range []string{"pop", "push", "push", "pop", "sum", "max", "none"} {
		args := []int{1, 2}
		a, err := si.run(op, args...)
		b, errf := sf.run(op, 1.5, -2)
		fmt.Println(op, a, err, b, errf, args)
	}
	fmt.Println(kind(3))
	fmt.Println(kind("s"))
	fmt.Println(kind([]int{1}))
	fmt.Println(kind(errors.New("e")))
	fmt.Println(kind(name("n")))
	fmt.Println(kind[any](nil))
	fmt.Println(kind[any]([]any{1}))
	fmt.Println(kind(func(n int) int { return n * 2 }))
	fmt.Println(kind(make(chan int, 3)))
	fmt.Println(kind(point{1, 2}))
	pt := &point{3, 4}
	fmt.Println(kind(pt))
	fmt.Println(*pt)
	fmt.Println(kind(struct{}{}))
	fmt.Println(kind(map[string]int{}))
	fmt.Println(kind[any](map[string]any{}))
	for op := range 3 {
		fmt.Println(iterates(op, 2))
		fmt.Println(iterates(op, 6))
		fmt.Println(namedIterates(op))
	}
	var m, big matrix
	m[7], big[9] = 70, 90
	for _, want := range []int{3, 70, 90, 0, 8888} {
		fmt.Println(search([]int{1, 2, 3, 4}, &m, big, want))
		fmt.Println(m[7], big[9], m[9])
	}
	fmt.Println(search([]int{1, -2, 3}, &m, big, 5))
	try(func() { fmt.Println(search([]int{1, 2000}, &m, big, 5)) })
	for op := range 3 {
		fmt.Println(zeros(op, 0))
		fmt.Println(zeros(op, math.Copysign(0, -1)))
	}
	var list []string
	for i, op := range []string{"push", "push", "loop", "pop", "out", "out", "none", "what"} {
		step(&list, op, 4-i)
		fmt.Println(op, list)
	}
	try(func() { step(new([]string), "pop", 1) })
	for _, op := range []byte("+-*/x") {
		fmt.Println(assigned(op, 7, 2))
		fmt.Println(assigned(op, 7, 0))
	}
	for a := range 3 {
		for b := range 3 {
			for c := range 4 {
				fmt.Println(a, b, c, nested(a, b, c))
			}
		}
	}
	c, done := make(chan int, 1), make(chan struct{})
	for i := range 5 {
		c <- i
		fmt.Println(waits(2, c, done))
	}
	close(done)
	fmt.Println(waits(2, c, done))
	fmt.Println(jumps(3), jumps(9), jumps(0))
	fmt.Println(runtime.NumGoroutine())
	defer fmt.Println("deferred in main")
	if len(list) > 0 {
		fmt.Println("leaving", len(list))
		os.Exit(len(list))
	}
}
