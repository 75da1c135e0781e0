package main

import "fmt"

func try(name string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println(name, r)
		}
	}()
	f()
}

func id(n int) int { return n }

func a1(s []int, i int) int { return s[i] + id(s[i]) }
func a2(s []int, i, j int) (r int) {
	if i > 2 && s[i] > 0 {
		r = s[i]
	}
	r += s[i]
	if s[j] > 0 || s[i+1] > 1 {
		r += s[j]
	} else if s[i] == s[j] {
		r -= s[j]
	} else {
		r *= s[i]
	}
	return r + s[j]
}
func a3(s []int, i int) int {
	switch {
	case i > 5:
		return s[i]
	case i > 3:
		fallthrough
	case i > 2:
		return s[i] + 1
	default:
		return s[i] + s[i]
	}
}
func a4(s string, i int) byte {
	for k := 0; k < i; k++ {
		if s[i] == s[k] {
			return s[k]
		}
	}
	return s[i]
}
func a5(s []int, i int) int {
	f := func() int { return s[i] }
	s2 := s
	s = append(s, 1, 2, 3)
	n := s[i]
	s = s2[:1]
	return n + s[i] + f()
}
func a6(s [][]int, i, j int) int {
	x := s[i][j]
	row := s[i]
	y := row[j]
	s[i] = nil
	return x + y + row[j] + s[i][j]
}
func a7(s []int, i int) int {
	for n := 0; n < 3; n++ {
		if n == 1 {
			continue
		}
		if n == 2 {
			return s[i]
		}
	}
	return s[i]
}
func a8(s []int, is []int) (sum int) {
	for _, i := range is {
		sum += s[i] * s[i]
	}
	for _, i := range is {
		j := i - 1
		sum += s[j] + s[j]
	}
	return
}
func a9(s []int, i int) int {
	x := 0
	if i >= 0 {
		x = 1
	} else {
		x = s[i]
	}
	return x + s[i]
}
func b1(s []int, i int) int {
	ok := i < len(s) && s[i] > 0
	if ok {
		return s[i]
	}
	return s[i]
}
func b2(s []int, i int) (r int) {
	defer func() { recover(); r += 100 }()
	r = 1
	r = s[i]
	return r + s[i]
}
func b3(s []int, i int) int {
	func() {
		defer func() { recover() }()
		_ = s[i]
	}()
	return s[i]
}
func b4(s *[3]int, i int) int { return s[i] + s[i] }
func b5(s []int, i int) int {
L:
	for {
		for {
			if s[i] > 0 {
				break L
			}
			return s[i]
		}
	}
	return s[i]
}
func b6(s []int, i int) int {
	var p []int
	select {
	default:
		p = s
	}
	p[i]++
	s[i], p[i] = p[i], s[i]
	return s[i] + p[0]
}
func b7(s []int, i int) int {
	for s[i] > 100 {
		s = s[1:]
	}
	return s[i]
}
func b8[T any](s []T, i int) []T { return append(s[:i:i], s[i], s[i]) }

func main() {
	s := []int{1, 0, 3}
	for _, i := range []int{-1, 0, 1, 2, 3, 7} {
		try("a1", func() { fmt.Println(a1(s, i)) })
		for _, j := range []int{-2, 1, 2, 3} {
			try("a2", func() { fmt.Println(a2(s, i, j)) })
			try("a6", func() { fmt.Println(a6([][]int{{1, 2}, {3}}, i, j)) })
		}
		try("a3", func() { fmt.Println(a3(s, i)) })
		try("a4", func() { fmt.Println(a4("aba", i)) })
		try("a5", func() { fmt.Println(a5(s, i)) })
		try("a7", func() { fmt.Println(a7(s, i)) })
		try("a8", func() { fmt.Println(a8(s, []int{1, i})) })
		try("a9", func() { fmt.Println(a9(s, i)) })
		try("b1", func() { fmt.Println(b1(s, i)) })
		try("b2", func() { fmt.Println(b2(s, i)) })
		try("b3", func() { fmt.Println(b3(s, i)) })
		try("b4", func() { fmt.Println(b4(&[3]int{1, 2, 3}, i)) })
		try("b5", func() { fmt.Println(b5(s, i)) })
		try("b6", func() { fmt.Println(b6(append([]int{}, s...), i)) })
		try("b7", func() { fmt.Println(b7([]int{300, 200, 3, 4}, i)) })
		try("b8", func() { fmt.Println(b8(s, i)) })
	}
}
