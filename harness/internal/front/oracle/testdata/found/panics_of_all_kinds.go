package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

type MyErr struct{ c int }

func (m MyErr) Error() string { return "my" + strconv.Itoa(m.c) }

type St struct{ a, b int }
type Strg string

func (s Strg) String() string { return "strg:" + string(s) }

func try(n int, f func()) {
	defer func() {
		r := recover()
		if r == nil {
			fmt.Println(n, "no panic")
			return
		}
		fmt.Printf("%d %v %T", n, r, r)
		if e, ok := r.(error); ok {
			fmt.Print(" err ", e.Error())
			var me MyErr
			fmt.Print(errors.As(e, &me))
		}
		if re, ok := r.(interface{ RuntimeError() }); ok {
			_ = re
			fmt.Print(" rt")
		}
		fmt.Println()
	}()
	f()
}

type I interface{ M() }
type T1 struct{}

func (T1) M() {}

type T2 struct{}

func (*T2) M() {}

func nested() (s string) {
	defer func() {
		s += fmt.Sprint("|d1:", recover())
	}()
	defer func() {
		defer func() { s += fmt.Sprint("|inner:", recover()) }()
		panic("second")
	}()
	panic("first")
}

func repanic() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("wrapped: %v", r)
		}
	}()
	defer func() {
		r := recover()
		panic(fmt.Sprint("re-", r))
	}()
	panic("orig")
}

func norecover() (s string) {
	defer func() {
		s = "set"
		func() {
			if r := recover(); r != nil {
				s = "bad"
			}
		}()
	}()
	defer func() { recover() }()
	panic(1)
}

func order() {
	for i := 0; i < 3; i++ {
		defer fmt.Print("d", i, " ")
		defer func() { fmt.Print("f", i, " ") }()
	}
	defer fmt.Println()
}

func results() (a int, b string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("rec %v", r)
			b += "!"
		}
	}()
	a, b = 1, "x"
	var m map[string]int
	m["q"] = 1
	return 5, "y", nil
}

func loopdefer() (n int) {
	for i := range 3 {
		func() {
			defer func() { n += i; recover() }()
			if i == 1 {
				panic("x")
			}
		}()
	}
	return
}

func main() {
	var i I
	var e error
	var p *St
	var np *T2
	s := []int{1, 2, 3}
	n := -1
	big := 10
	str := "héllo"
	arr := [3]int{}
	var f func(int)
	var m map[string][]int
	var c chan int
	var a any = 3
	z := 0
	try(1, func() { i.M() })
	try(2, func() { _ = e.Error() })
	try(3, func() { p.a = 1 })
	try(4, func() { fmt.Println(p.b) })
	try(5, func() { np.M(); fmt.Print("ok ") })
	try(6, func() { fmt.Println(s[n]) })
	try(7, func() { fmt.Println(s[big]) })
	try(8, func() { s[big] = 1 })
	try(9, func() { fmt.Println(s[2 : 1+z]) })
	try(10, func() { fmt.Println(s[n:]) })
	try(11, func() { fmt.Println(s[:big]) })
	try(12, func() { fmt.Println(s[1:2:big]) })
	try(13, func() { fmt.Println(s[big:]) })
	try(14, func() { fmt.Println(str[big]) })
	try(15, func() { fmt.Println(str[n:]) })
	try(16, func() { fmt.Println(str[3 : 2+z]) })
	try(17, func() { fmt.Println(str[:big]) })
	try(18, func() { fmt.Println(arr[big]) })
	try(19, func() { fmt.Println(arr[:big]) })
	try(20, func() { f(1) })
	try(21, func() { m["a"] = append(m["a"], 1) })
	try(22, func() { close(c) })
	try(23, func() { c = make(chan int); close(c); close(c) })
	try(24, func() { c <- 1 })
	try(25, func() { _ = a.(string) })
	try(26, func() { _ = a.(fmt.Stringer) })
	try(27, func() { _ = a.(I) })
	try(28, func() { a = St{}; _ = a.(*St) })
	try(29, func() { var x I = T1{}; _ = x.(*T2) })
	try(30, func() { a = nil; _ = a.(int) })
	try(31, func() { _ = e.(MyErr) })
	try(32, func() { e = errors.New("x"); _ = e.(MyErr) })
	try(33, func() { e = MyErr{1}; _ = e.(interface{ Is(error) bool }) })
	try(34, func() { fmt.Println(1 / z) })
	try(35, func() { fmt.Println(1 % z) })
	try(36, func() { fmt.Println(1.5 / float64(z)) })
	try(37, func() { fmt.Println(1 << n) })
	try(38, func() { _ = make([]int, n) })
	try(39, func() { _ = make([]int, 1, z) })
	try(40, func() { _ = make(chan int, n) })
	try(41, func() { _ = make(map[int]int, n); fmt.Print("ok ") })
	try(42, func() { _ = [4]int(s) })
	try(43, func() { _ = (*[4]int)(s) })
	try(44, func() { panic(MyErr{2}) })
	try(45, func() { panic(&MyErr{3}) })
	try(46, func() { panic(St{1, 2}) })
	try(47, func() { panic(Strg("x")) })
	try(48, func() { panic(fmt.Sprintf("%d", 5)) })
	try(49, func() { panic(nil) })
	try(50, func() { panic(fmt.Errorf("w %w", MyErr{4})) })
	try(51, func() { strings.Repeat("x", n) })
	try(52, func() { _ = strings.NewReplacer("a") })
	try(53, func() { var sb *strings.Builder; sb.WriteString("x") })
	try(54, func() { fmt.Println(nested()) })
	try(55, func() { fmt.Println(repanic()) })
	try(56, func() { fmt.Println(norecover()) })
	try(57, func() { order() })
	try(58, func() { fmt.Println(results()) })
	try(59, func() { fmt.Println(loopdefer()) })
	try(60, func() { var mm map[St]int; mm[St{}]++ })
	try(61, func() { x := []any{[]int{1}}; fmt.Println(x[0] == x[0]) })
	try(62, func() { x := map[any]int{}; x[map[string]int{}] = 1 })
	try(63, func() { type R struct{ r *R }; var r *R; r.r.r = nil })
	try(64, func() { var fn func() (int, error); fmt.Println(fn()) })
	try(65, func() { var pp **int; **pp = 1 })
	try(66, func() { x := [][]int{{1}}; fmt.Println(x[0][big%7]) })
	try(67, func() { x := map[string]*St{}; x["a"].a++ })
	try(68, func() {
		for range n {
			panic("never")
		}
		fmt.Print("ok ")
	})
	try(69, func() {
		var pa *[3]int
		for i := range pa {
			fmt.Print(i)
		}
		fmt.Print(len(pa))
		for _, v := range pa {
			fmt.Print(v)
		}
	})
	try(70, func() {
		var it func(func(int) bool)
		for range it {
		}
	})
	try(71, func() { copy(s, s[big:]) })
	try(72, func() {
		a = s
		switch a {
		case a:
		}
	})
	try(73, func() { _, _ = strconv.Atoi("x"); panic(func() error { _, err := strconv.Atoi("x"); return err }()) })
	try(74, func() { var w *os.File; fmt.Fprintln(w, "x"); fmt.Print("ok ") })
	try(75, func() { defer func() { panic("in defer") }() })
	try(76, func() { defer func() { defer func() { fmt.Print(recover(), " ") }(); panic("x") }(); panic("y") })
	try(77, func() { var s2 []int; s2[0]++ })
	try(78, func() { var x struct{ p *St }; x.p.a += 2 })
	try(79, func() { fmt.Println(min(1, z), max(z, 2)); panic(errors.Join(MyErr{1}, MyErr{2})) })
	try(80, func() { var q chan<- int; close(q) })
}
