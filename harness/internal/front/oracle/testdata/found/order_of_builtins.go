package main

import "fmt"

func main() {
	x := 1.0
	c := 3 + 4i
	s := []int{1, 2}
	f := func() int { x++; c = c * 2; s = append(s, 1); return len(s) }
	a, b, d := complex(x, 0), f(), complex(x, 0)
	fmt.Println(a, b, d)
	e, g, h := real(c), f(), imag(c)
	fmt.Println(e, g, h)
	i, j, k := len(s), f(), cap(s) > 0
	fmt.Println(i, j, k)
	l := []int{len(s), f(), len(s) + f(), len(s)}
	fmt.Println(l)
	m := min(x, 100) + float64(f()) + max(x, 1)
	fmt.Println(m)
	if len(s) < f() && len(s) == f()-1 {
		fmt.Println("yes")
	}
	n := s[len(s)-1 : f()]
	fmt.Println(n)
	o := append(s, f())
	fmt.Println(len(o), len(s))
	p, q, r := append(s, 1), f(), append(s, 2)
	fmt.Println(len(p), q, len(r))
	str := "ab"
	fs := func() int { str += "c"; return len(str) }
	t, u, v := []byte(str), fs(), []byte(str)
	fmt.Println(t, u, v)
	fmt.Println(string([]byte(str)), fs(), []rune(str), fs(), string([]rune(str)))
	bs := []byte("x")
	fb := func() int { bs[0]++; return int(bs[0]) }
	w, y, z := string(bs), fb(), string(bs)
	fmt.Println(w, y, z)
	fmt.Println(string(bs), fb(), string(bs)+"!", fb(), bs)
	type P struct{ a, b int }
	var ip any = P{1, 2}
	fi := func() int { ip = P{9, 9}; return 0 }
	fmt.Println(ip, fi(), ip)
	fmt.Println(ip.(P).a, fi(), ip.(P))
	mk := 2
	fmk := func() int { mk++; return mk }
	m1, m2, m3 := make([]int, mk), fmk(), make([]int, mk)
	fmt.Println(len(m1), m2, len(m3))
	n1, n2 := new(mk), fmk()
	fmt.Println(*n1, n2)
}
