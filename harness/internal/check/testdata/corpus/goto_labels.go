// Labels everywhere: break and continue across switch, select and range; goto loops; labelled blocks.
package main

import (
	"fmt"
	"strings"
)

type tok struct {
	kind string
	val  string
}

func lex(s string) (toks []tok, err error) {
	i := 0
next:
	if i >= len(s) {
		return
	}
	start := i
	switch c := s[i]; {
	case c == ' ':
		i++
		goto next
	case c >= '0' && c <= '9':
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		toks = append(toks, tok{"num", s[start:i]})
		goto next
	case strings.IndexByte("+-()", c) >= 0:
		i++
		toks = append(toks, tok{kind: "op", val: string(c)})
		goto next
	}
	return toks, fmt.Errorf("bad byte %q at %d", s[i], i)
}

func search(grid [][]int, want int) (r, c, looked int) {
	r, c = -1, -1
rows:
	for i, row := range grid {
		for j, v := range row {
			looked++
			switch {
			case v < 0:
				continue rows
			case v == 0:
				continue
			case v > 99:
				break rows
			case v == want:
				r, c = i, j
				break rows
			}
		}
	}
	return
}

func primes(n int) (out []int) {
outer:
	for i := 2; len(out) < n; i++ {
		for _, p := range out {
			if p*p > i {
				break
			}
			if i%p == 0 {
				continue outer
			}
		}
		out = append(out, i)
	}
	return
}

func collatz(n int) (steps int) {
loop:
	if n == 1 {
		return
	}
	steps++
	if n%2 == 0 {
		n /= 2
		goto loop
	}
	n = 3*n + 1
	goto loop
}

func drain(ch <-chan int, quit <-chan bool) (sum int, why string) {
recv:
	for {
		select {
		case v, ok := <-ch:
			if !ok {
				why = "closed"
				break recv
			}
			if v%2 == 0 {
				continue recv
			}
			for k := range v {
				if k > 2 {
					continue recv
				}
				sum += k
			}
		case <-quit:
			why = "quit"
			break recv
		}
		sum += 1000
	}
	return
}

func main() {
	for _, s := range []string{"12 + (3-4)", "1 $ 2", ""} {
		fmt.Println(lex(s))
	}
	g := [][]int{{1, 0, -1, 7}, {0, 5, 7}, {100, 7}, {8}}
	fmt.Println(search(g, 7))
	fmt.Println(search(g, 8))
	fmt.Println(primes(10), collatz(27))
	ch := make(chan int, 8)
	for _, v := range []int{1, 2, 9, 3} {
		ch <- v
	}
	close(ch)
	fmt.Println(drain(ch, nil))
	quit := make(chan bool, 1)
	quit <- true
	fmt.Println(drain(nil, quit))
	n := 0
block:
	for {
		n++
		if n < 3 {
			goto block
		}
		if n == 3 {
			break block
		}
	}
	fmt.Println(n)
	var fs []func() int
	i := 0
again:
	j := i * 10
	fs = append(fs, func() int { j++; return j })
	if i++; i < 3 {
		goto again
	}
	for _, f := range fs {
		fmt.Print(f(), f(), " ")
	}
sw:
	switch x := len(fs); x {
	case 3:
		for x < 100 {
			if x++; x > 5 {
				break sw
			}
			if x == 5 {
				continue
			}
		}
		fallthrough
	default:
		fmt.Print("default")
	}
	fmt.Println()
outer:
	for a := range 3 {
		for b := range "xyz" {
			defer fmt.Print(a, b, ";")
			if b > a {
				continue outer
			}
		}
	}
}
