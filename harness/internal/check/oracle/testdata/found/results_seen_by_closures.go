package main

import (
	"errors"
	"fmt"
)

func a() (n int, get func() int) {
	get = func() int { return n }
	return 5, get
}

func b() (n int) {
	p = &n
	return 6
}

var p *int

func c() (x, y int, see func() (int, int)) {
	x, y = 1, 2
	see = func() (int, int) { return x, y }
	return y, x, see
}

func d() (n int, get func() int) {
	defer func() { n++ }()
	get = func() int { return n }
	return 7, get
}

func e() (n int, get func() int) {
	defer fmt.Println("deferred")
	get = func() int { return n }
	return n + 8, get
}

func f(k int) (n int, get func() int) {
	get = func() int { n++; return n }
	for i := range func(y func(int) bool) { _ = y(1) && y(2) && y(3) } {
		if i == k {
			return i * 10, get
		}
	}
	return inc(&n), get
}

func inc(n *int) int { *n += 100; return *n + 1 }

type T struct{ v int }

func (t T) Get() int { return t.v }

func g() (t T, get func() int, ptr *T) {
	return T{3}, func() int { return t.v }, &t
}

func h() (err error, why func() string) {
	why = func() string { return fmt.Sprint("why: ", err) }
	if e := errors.New("bad"); e != nil {
		return e, why
	}
	return
}

func i() (n int, get func() int) {
	get = func() int { return n }
	return a()
}

func j() (n int) {
	done := make(chan func() int, 1)
	done <- func() int { return n }
	keep = <-done
	return a1()
}

func a1() int { return 41 }

var keep func() int

func k() (arr [3]int, get func() [3]int) {
	arr[0] = 1
	get = func() [3]int { return arr }
	return [3]int{arr[0] + 1, 5, 6}, get
}

func l[V any](v V) (r V, get func() V) {
	get = func() V { return r }
	return v, get
}

func m() (n int, err error) {
	lit := func() (k int, get func() int) {
		get = func() int { return k + n }
		n = 3
		return 9, get
	}
	v, get := lit()
	return v + get(), err
}

func o() (s fmt.Stringer, get func() fmt.Stringer) {
	get = func() fmt.Stringer { return s }
	return S("x"), get
}

type S string

func (s S) String() string { return "S" + string(s) }

func main() {
	n, get := a()
	fmt.Println(n, get())
	fmt.Println(b(), *p)
	x, y, see := c()
	fmt.Println(x, y)
	fmt.Println(see())
	n, get = d()
	fmt.Println(n, get())
	n, get = e()
	fmt.Println(n, get())
	for k := range 5 {
		n, get = f(k)
		fmt.Println(n, get(), get())
	}
	t, tg, ptr := g()
	ptr.v++
	fmt.Println(t, tg(), *ptr, ptr.Get())
	err, why := h()
	fmt.Println(err, why())
	n, get = i()
	fmt.Println(n, get())
	fmt.Println(j(), keep())
	arr, ga := k()
	fmt.Println(arr, ga())
	s, gs := l("gen")
	fmt.Println(s, gs())
	fmt.Println(m())
	st, gst := o()
	fmt.Println(st, gst())

	if q, g := func() (q int, g func() int) { return 4, func() int { return q } }(); true {
		fmt.Println(q, g())
	}
}
