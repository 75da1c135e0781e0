package main

import "fmt"

type S struct {
	v    int
	list []int
}

func (s S) with(f func(*S)) S { f(&s); return s }

type Stack []int

func (s *Stack) push(v int) { *s = append(*s, v) }
func (s *Stack) pop() int {
	old := *s
	v := old[len(old)-1]
	*s = old[:len(old)-1]
	return v
}

func swap(a, b *int) { *a, *b = *b, *a }

func perm(a []int, k int, out *[][]int) {
	if k == len(a) {
		*out = append(*out, append([]int(nil), a...))
		return
	}
	for i := k; i < len(a); i++ {
		a[k], a[i] = a[i], a[k]
		perm(a, k+1, out)
		a[k], a[i] = a[i], a[k]
	}
}

func qsort(a []int) {
	if len(a) < 2 {
		return
	}
	p, i, j := a[len(a)/2], 0, len(a)-1
	for i <= j {
		for a[i] < p {
			i++
		}
		for a[j] > p {
			j--
		}
		if i <= j {
			a[i], a[j] = a[j], a[i]
			i, j = i+1, j-1
		}
	}
	qsort(a[:j+1])
	qsort(a[i:])
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func rev(s string) string {
	r := []rune(s)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return string(r)
}

type L struct {
	v    int
	next *L
}

func reverse(l *L) (r *L) {
	for l != nil {
		l.next, r, l = r, l, l.next
	}
	return
}

func primes(n int) (ps []int) {
	sieve := make([]bool, n+1)
	for i := 2; i <= n; i++ {
		if sieve[i] {
			continue
		}
		ps = append(ps, i)
		for j := i * i; j <= n; j += i {
			sieve[j] = true
		}
	}
	return ps
}

func lcs(a, b string) string {
	dp := make([][]int, len(a)+1)
	for i := range dp {
		dp[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				dp[i][j] = dp[i+1][j+1] + 1
			} else {
				dp[i][j] = max(dp[i+1][j], dp[i][j+1])
			}
		}
	}
	var out []byte
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			out = append(out, a[i])
			i, j = i+1, j+1
		case dp[i+1][j] >= dp[i][j+1]:
			i++
		default:
			j++
		}
	}
	return string(out)
}

func main() {
	s := S{1, nil}
	t := s.with(func(x *S) { x.v = 5; x.list = append(x.list, 1) })
	fmt.Println(s, t)
	var st Stack
	for i := range 5 {
		st.push(i * i)
	}
	fmt.Println(st.pop(), st.pop(), st, len(st))
	a, b := 1, 2
	swap(&a, &b)
	a, b = b, a+b
	fmt.Println(a, b)
	var out [][]int
	perm([]int{1, 2, 3}, 0, &out)
	fmt.Println(out)
	x := []int{5, 2, 9, 1, 5, 6, -3}
	qsort(x)
	fmt.Println(x, gcd(84, 36), rev("héllo"))
	var l *L
	for i := range 4 {
		l = &L{i, l}
	}
	for n := reverse(l); n != nil; n = n.next {
		fmt.Print(n.v, " ")
	}
	fmt.Println(primes(30), lcs("AGGTAB", "GXTXAYB"))
	m := map[string]*S{}
	for _, k := range []string{"a", "b", "a"} {
		if m[k] == nil {
			m[k] = &S{}
		}
		m[k].v++
		m[k].list = append(m[k].list, m[k].v)
	}
	fmt.Println(*m["a"], *m["b"])
	grid := [][]rune{[]rune("ab"), []rune("cd")}
	grid[0][1], grid[1][0] = grid[1][0], grid[0][1]
	fmt.Println(string(grid[0]), string(grid[1]))
	type pair struct {
		k string
		v int
	}
	ps := []pair{{"a", 1}, {"b", 2}}
	for i := range ps {
		p := &ps[i]
		p.v, p.k = p.v*10, p.k+"!"
	}
	ps[0], ps[1] = ps[1], ps[0]
	fmt.Println(ps)
	var i any = 1
	i, ok := i.(string)
	fmt.Println(i == "", ok)
	arr := [3]int{1, 2, 3}
	arr[0], arr[1], arr[2] = arr[1], arr[2], arr[0]
	brr := arr
	brr[0]++
	fmt.Println(arr, brr)
}
