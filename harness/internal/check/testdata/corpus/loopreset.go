package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

type Acc struct {
	Sum   int
	Names []string
	Sub   struct{ A [2]int }
	M     map[string]int
	next  *Acc
}

func parseAll(lines []string) (out []Acc, errs []error) {
	for n, l := range lines {
		var a Acc
		var err error
		var first string
		for i, f := range strings.Fields(l) {
			var v int
			if k, rest, ok := strings.Cut(f, "="); ok {
				if a.M == nil {
					a.M = map[string]int{}
				}
				if v, err = strconv.Atoi(rest); err == nil {
					a.M[k] += v
				}
			} else if v, err = strconv.Atoi(f); err != nil {
				a.Names = append(a.Names, f)
				if first == "" {
					first = f
				}
				continue
			}
			if err != nil {
				break
			}
			a.Sum += v
			a.Sub.A[i%2]++
		}
		if errors.Is(err, strconv.ErrSyntax) && len(a.Names) == 0 {
			errs = append(errs, fmt.Errorf("line %d: %w", n, err))
			continue
		}
		fmt.Printf("%d first=%q sum=%d %v\n", n, first, a.Sum, a.Sub)
		out = append(out, a)
	}
	return
}

func lastErr(fs ...func() error) (err error) {
	for _, f := range fs {
		err := f()
		if err != nil {
			defer func() { err = nil }()
		}
	}
	return
}

type iface interface{ Do(int) (int, error) }
type impl struct{ base int }

func (i impl) Do(n int) (int, error) {
	if n > 2 {
		return n, fmt.Errorf("too big: %d", n)
	}
	return i.base + n, nil
}

func find(rows [][]int, want int) (r, c int, ok bool) {
	for r, row := range rows {
		for c, v := range row {
			if v == want {
				return r, c, true
			}
		}
	}
	return -1, -1, false
}

func main() {
	out, errs := parseAll([]string{"1 2 x y", "a=1 b=2 a=5", "q=z", "", "7 k=8 w"})
	for _, a := range out {
		fmt.Println(a.Sum, a.Names, a.M, a.next == nil)
	}
	fmt.Println(errs)
	fmt.Println(lastErr(func() error { return errors.New("x") }, func() error { return nil }))
	var vals []int
	var ptrs []*int
	for i := range 4 {
		var x int
		x += i
		y := [2]int{}
		y[i%2] = i
		vals = append(vals, x, y[0], y[1])
		ptrs = append(ptrs, &x)
	}
	fmt.Println(vals, *ptrs[0], *ptrs[3])
	var i iface = impl{10}
	for n := range 5 {
		v, err := i.Do(n)
		if err != nil {
			fmt.Println("err", v, err)
			continue
		}
		var s string
		switch {
		case v > 11:
			s = "big"
		case v == 11:
			s += "mid"
		}
		fmt.Printf("%d %q\n", v, s)
	}
	fmt.Println(find([][]int{{1, 2}, {3, 4}}, 3))
	fmt.Println(find(nil, 3))
	m := map[string]*Acc{}
	for _, w := range []string{"a", "b", "a"} {
		acc, ok := m[w]
		if !ok {
			acc = &Acc{}
			m[w] = acc
		}
		acc.Sum++
		sub, seen := m[w+w]
		fmt.Println(w, ok, acc.Sum, sub == nil, seen)
	}
	var buf []byte
	for _, c := range "ab,c" {
		if c == ',' {
			fmt.Println(string(buf))
			buf = buf[:0]
			continue
		}
		buf = append(buf, byte(c))
	}
	ch := make(chan Acc, 3)
	ch <- Acc{Sum: 1, Names: []string{"q"}}
	ch <- Acc{}
	close(ch)
	for range 3 {
		a, ok := <-ch
		fmt.Println(a.Sum, len(a.Names), ok)
	}
	for _, x := range []any{1, "a", nil, Acc{Sum: 4}, impl{2}} {
		n, isInt := x.(int)
		a, isAcc := x.(Acc)
		d, isI := x.(iface)
		fmt.Println(n, isInt, a.Sum, isAcc, d, isI)
	}
	grid := [3][3]int{}
	for i := range grid {
		row := grid[i]
		for j := range row {
			row[j] = i * j
			grid[i][j] += row[j]
		}
	}
	fmt.Println(grid)
	for i, done := 0, false; !done; i++ {
		var tmp []int
		tmp = append(tmp, i)
		done = len(tmp) > 0 && i >= 2
		fmt.Print(tmp, done, " ")
	}
	fmt.Println()
	total := 0
	for i := 0; i < 10; i++ {
		switch {
		case i == 2:
			continue
		case i == 7:
			goto out
		}
		total += i
	}
out:
	fmt.Println(total)
}
