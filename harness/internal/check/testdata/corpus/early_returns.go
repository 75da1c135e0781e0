// Functions that return early with partial results, named and unnamed, and defers that edit them.
package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

var ErrStop = errors.New("stop")

func parseAll(fields []string) ([]int, error) {
	var out []int
	for i, f := range fields {
		n, err := strconv.Atoi(f)
		if err != nil {
			return out, fmt.Errorf("field %d: %w", i, err)
		}
		if n < 0 {
			return nil, ErrStop
		}
		out = append(out, n)
	}
	return out, nil
}

func split(s string) (head, tail string, n int, err error) {
	n = len(s)
	if s == "" {
		err = errors.New("empty")
		return
	}
	i := strings.IndexByte(s, '=')
	if i < 0 {
		return s, "", n, ErrStop
	}
	head, tail = s[:i], s[i+1:]
	if head, err := strconv.Unquote(head); err == nil {
		return head, tail, -n, nil
	}
	return
}

func swapped() (a, b int) {
	a, b = 1, 2
	return b, a
}

func bump() (n int) {
	defer func() { n *= 10 }()
	defer func() { n++ }()
	n = 100
	return n / 50
}

func overwrite() (s []int, err error) {
	defer func() {
		if err != nil {
			s = append(s, -1)
			err = fmt.Errorf("wrapped: %w", err)
		}
	}()
	for i := range 4 {
		s = append(s, i)
		if i == 2 {
			return s[:2], ErrStop
		}
	}
	return
}

func rescued(i int) (res []string, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
			res = append(res, "ok")
		case error:
			err = errors.Join(err, r)
		case string:
			res = append(res, "recovered "+r)
		}
	}()
	res = append(res, "start")
	err = ErrStop
	switch i {
	case 0:
		return res, nil
	case 1:
		panic("one")
	case 2:
		panic(fmt.Errorf("two: %w", ErrStop))
	case 3:
		return []string{"other"}, errors.New("plain")
	}
	var arr [3]int
	res = append(res, fmt.Sprint(arr[i]))
	return
}

type pair[A, B any] struct {
	a A
	b B
}

func find[T comparable](xs []T, want T) (p pair[int, T], ok bool) {
	for p.a, p.b = range xs {
		if p.b == want {
			return p, true
		}
	}
	return
}

func structs(limit int) (r struct{ Sum, N int }, arr [3]int, err error) {
	for r.N = 0; ; r.N++ {
		r.Sum += r.N
		arr[r.N%3] = r.Sum
		if r.Sum > limit {
			return r, arr, fmt.Errorf("limit %d: %w", limit, ErrStop)
		}
		if r.N == 5 {
			return
		}
	}
}

func main() {
	for _, in := range []string{"1 2 3", "4 x 5", "6 -1", ""} {
		ns, err := parseAll(strings.Fields(in))
		fmt.Printf("%q -> %v nil=%t err=%v\n", in, ns, ns == nil, err)
	}
	for _, in := range []string{"", "abc", "k=v", `"q"=v`} {
		h, t, n, err := split(in)
		fmt.Printf("%q %q %d %v\n", h, t, n, err)
	}
	a, b := swapped()
	b, a = swapped()
	fmt.Println(a, b, bump())
	s, err := overwrite()
	fmt.Println(s, cap(s) >= 3, err, errors.Is(err, ErrStop))
	for i := range 6 {
		r, err := rescued(i)
		fmt.Printf("%d %q %v\n", i, r, err)
	}
	fmt.Println(find([]string{"a", "b"}, "b"))
	fmt.Println(find([]float64{1, 2}, 9))
	fmt.Println(structs(4))
	fmt.Println(structs(100))
}
