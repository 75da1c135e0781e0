package main

import "fmt"

// Indices that are variables of loops, and sums of them.

func try(name string, f func()) {
	defer func() { fmt.Println(name, recover()) }()
	f()
}

func dp(n int) []int {
	d := make([]int, n+1)
	for i := 1; i <= n; i++ {
		d[i] = d[i-1] + i
	}
	for i := 0; i < n; i++ {
		d[i+1] += d[i]
	}
	for i := n; i > 0; i-- {
		d[i] -= d[i-1]
	}
	for i := n - 1; i >= 0; i-- {
		d[i] += d[i+1]
	}
	return d
}

func bad1(n int) {
	d := make([]int, n)
	for i := 0; i <= n; i++ {
		d[i] = i
	}
}
func bad2(n int) {
	d := make([]int, n)
	for i := 0; i < n; i++ {
		d[i] = d[i-1]
	}
}
func bad3(n int) {
	d := make([]int, n)
	for i := 0; i < n; i++ {
		d[i] = d[i+1]
	}
}
func bad4(n int) {
	d := make([]int, n)
	n++
	for i := 0; i < n; i++ {
		d[i] = i
	}
}
func bad5(n int) {
	d := make([]int, n)
	d = d[:n-1]
	for i := 0; i < n; i++ {
		d[i] = i
	}
}
func bad6(s []int) {
	for i := 0; i < len(s); i++ {
		fmt.Print(s[i], " ")
		s = s[:len(s)-1]
		fmt.Print(s[i], " ")
	}
}
func bad7(s []int) {
	p := &s
	for i := range s {
		*p = nil
		fmt.Println(s[i])
	}
}
func bad8(s []int) {
	for i := -1; i < len(s); i++ {
		fmt.Println(s[i])
	}
}
func bad9(s []int) {
	for i := len(s); i >= 0; i-- {
		fmt.Println(s[i])
	}
}
func bad10(s []int) {
	for i := len(s) - 1; i >= -1; i-- {
		fmt.Println(s[i])
	}
}
func bad11(s []int) {
	for i := 1; i < len(s); i += 1 << 62 {
		fmt.Println(s[i])
	}
}
func bad12(s []int, k int) {
	for i := 0; i < len(s); i += k {
		fmt.Println(s[i])
	}
}
func bad13() {
	var a [4]int
	for i := 0; i < 5; i++ {
		a[i] = i
	}
}
func bad14() {
	var a [300]int
	n := 0
	for i := int8(100); i < 127; i++ {
		n += a[i+10]
	}
	fmt.Println(n)
}
func bad15() {
	var a [3][2]int
	for i := range a {
		for j := range 3 {
			a[i][j]++
		}
	}
}
func bad16(n int) {
	d := make([]int, n)
	f := func() { d = nil }
	for i := 0; i < n; i++ {
		f()
		d[i] = 1
	}
}
func bad17(n int) {
	d := make([]int, n)
	for i := 0; i < n; i++ {
		i += 2
		d[i] = 1
	}
}
func bad18(n int) {
	d := make([]int, n, n+1)
	for i := 0; i < n+1; i++ {
		d[i] = 1
	}
}
func bad19(a, b []int) {
	for i := range a {
		fmt.Println(b[i])
	}
}
func bad20(n int) {
	d := make([]int, n)
	for i := 0; i < n; i++ {
		d := d[1:]
		d[i] = 1
	}
}
func bad21(n int) {
	d, e := make([]int, n), make([]int, n)
	for i := 0; i < n; i++ {
		d, e = e[:1], d
		d[i] = 1
	}
}
func bad22(s string) {
	for i := 1; i <= len(s); i++ {
		fmt.Print(s[i-1:i], s[i], " ")
	}
}
func four(n int) (a [4]int) { return }
func bad23() {
	s := make([]int, 4)
	for i := 0; i < len(four(s[i])); i++ {
		fmt.Print(i, " ")
	}
}
func bad24(n int) {
	for k := range n {
		s := make([]int, k)
		for i := 0; i <= k; i++ {
			s[i]++
		}
	}
}
func bad25[T ~[]int](s T, n int) {
	t := make(T, n)
	for i := range n {
		t[i] = s[i]
	}
}
func bad26(n int) {
	s := make([][]int, n)
	for i := n - 1; i >= 0; i-- {
		s[i] = make([]int, i)
		for j := range n {
			s[i][j] = s[i+1][j]
		}
	}
}
func bad27(s string, n int) {
	for i, k := 0, 0; i < len(s); i, k = i+1, k+1 {
		fmt.Print(s[i], s[k+n], " ")
	}
}

func good() {
	var b [8][8]int
	for r := 0; r < 8; r++ {
		for c := 0; c < 8; c++ {
			b[r][c] = r * c
		}
	}
	p := &b
	t := 0
	for r := 7; r >= 0; r-- {
		for c := range 8 {
			t += p[r][c]
			p[r][c]++
			b[c][r] -= 2
		}
	}
	fmt.Println(t, b)
	s := "héllo"
	for i := 1; i < len(s); i++ {
		fmt.Print(s[i]-s[i-1], " ")
	}
	fmt.Println()
	x := []int{5, 3, 9, 1}
	for i := 0; i < len(x); i++ {
		for j := i + 1; j < len(x); j++ {
			if x[j] < x[i] {
				x[i], x[j] = x[j], x[i]
			}
		}
	}
	for i := 0; i < len(x)-1; i++ {
		x[i], x[i+1] = x[i+1], x[i]
		x[i+1] += x[i]
		x[i+1]++
	}
	for i := len(x) - 2; i > 0; i-- {
		x[i-1] += x[i] * x[i+1]
	}
	fmt.Println(x)
	n := 20
	c := make([]bool, n+1)
	for i := 2; i <= n; i++ {
		for j := i * i; j <= n; j += i {
			c[j] = true
		}
	}
	fmt.Println(c)
	var q *[3]int
	try("nil array", func() {
		for i := 0; i < 3; i++ {
			q[i] = 1
		}
	})
	const m = 5
	e := make([]int, m)
	for i := 0; i < m; i++ {
		e[i] = i
		func() { e[i] += i }()
	}
	fmt.Println(e)
}

func main() {
	good()
	fmt.Println(dp(0), dp(1), dp(6))
	s := []int{1, 2, 3}
	for i, f := range []func(){
		func() { bad1(3) }, func() { bad2(3) }, func() { bad3(3) }, func() { bad4(3) }, func() { bad5(3) },
		func() { bad6(s) }, func() { bad7(s) }, func() { bad8(s) }, func() { bad9(s) }, func() { bad10(s) },
		func() { bad11(s) }, func() { bad12(s, 2) }, bad13, bad14, bad15, func() { bad16(3) }, func() { bad17(4) }, func() { bad18(2) },
		func() { bad19(s, s[:2]) }, func() { bad20(2) }, func() { bad21(3) }, func() { bad22("abc") }, func() { bad1(-1) }, func() { dp(-3) },
		bad23, func() { bad24(3) }, func() { bad25([]int{1, 2}, 3) }, func() { bad26(3) }, func() { bad27("abc", 1) },
	} {
		try(fmt.Sprint("bad", i+1), f)
	}
	try("k=-1", func() { bad12(s[:1:1], -1) })
}
