package main

import "fmt"

func main() {
	for i := 0; func() bool { return i < 3 }(); i++ {
		fmt.Println(i)
	}
	var ps []*int
	for i, j := 0, 10; i < 3; func() { i, j = i+1, j-1 }() {
		ps = append(ps, &i)
		if i == 1 {
			continue
		}
		defer func() { fmt.Println("d", i, j) }()
	}
	for p := ps[0]; p != nil && *p < 5; func() { *p++ }() {
		fmt.Println(*p)
	}
	var fs []func() int
outer:
	for i := 0; ; func() { fs = append(fs, func() int { i *= 2; return i }); i++ }() {
		for k := 0; k < 3; k++ {
			if i == 3 {
				break outer
			}
			if k == 1 {
				continue outer
			}
		}
	}
	for _, f := range fs {
		fmt.Print(f(), f(), " ")
	}
	fmt.Println()
	for i, q := 0, (*int)(nil); i < 3; i, q = i+1, &i {
		if q != nil {
			*q += 10
			fmt.Println("q", *q, i)
		}
	}
	next := func(n *int) bool { *n++; return *n < 5 }
	for i := 0; next(&i); {
		fmt.Println("n", i)
	}
	for i := 0; next(&i); i++ {
		fmt.Println("m", i)
		fs = append(fs, func() int { return i })
	}
	fmt.Println(fs[len(fs)-1](), fs[len(fs)-2]())
	x := func() (r int) {
		for i := 0; func() bool { return i < 10 }(); i++ {
			if i == 4 {
				return i
			}
		}
		return -1
	}()
	fmt.Println(x)
	defer func() { fmt.Println(recover()) }()
	a := []int{1, 2}
	for i := 0; func() bool { return a[i] > 0 }(); i++ {
	}
}
