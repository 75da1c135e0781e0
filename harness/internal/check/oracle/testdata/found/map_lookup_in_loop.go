package main

import "fmt"

type P struct {
	A int
	B []string
}

func find[K comparable, V any](m map[K]V, k K) (v V, ok bool) {
	v, ok = m[k]
	return
}

func main() {
	ints := map[string]int{"a": 3}
	ps := map[int]P{1: {1, []string{"x"}}}
	ptrs := map[[2]int]*P{{1, 2}: {A: 7}}
	anys := map[any]any{"k": 1, 2: "v"}
	fs := map[string]func() int{"f": func() int { return 5 }}
	for i, k := range []string{"a", "z", "a", "y"} {
		v, found := ints[k]
		fmt.Println(i, k, v, found)
		w := 9
		w, found = ints[k]
		fmt.Println(w, found)
		if n, ok := ints[k]; !ok {
			fmt.Println("none", n)
		}
		f, has := fs["f"+k[1:]+map[bool]string{true: "", false: "x"}[i%2 == 0]]
		fmt.Println(f == nil, has)
	}
	for i := range 3 {
		p, ok := ps[i]
		q, ok2 := ptrs[[2]int{i, i + 1}]
		fmt.Println(p, ok, q == nil, ok2)
		p.B = append(p.B, "more")
	}
	for _, k := range []any{"k", "q", 2, 3, nil, "k"} {
		v, ok := anys[k]
		fmt.Println(k, v, ok)
		_, ok = anys[k]
		fmt.Println(ok)
	}
	for _, k := range []string{"a", "b"} {
		fmt.Println(find(ints, k))
	}
	var x any
	var err error
	errs := map[string]error{"e": fmt.Errorf("E")}
	for _, k := range []string{"e", "n"} {
		var ok bool
		err, ok = errs[k]
		x = err
		fmt.Println(err, x == nil, ok)
	}
	get := func(k string) (int, bool) { v, ok := ints[k]; return v, ok }
	fmt.Println(get("a"))
	fmt.Println(get("b"))
	ch := make(chan int, 2)
	ch <- 4
	close(ch)
	for range 3 {
		v, ok := <-ch
		fmt.Println(v, ok)
	}
	for _, a := range []any{1, "s", 2.5} {
		n, ok := a.(int)
		s, ok2 := a.(string)
		fmt.Println(n, ok, s, ok2)
	}
}
