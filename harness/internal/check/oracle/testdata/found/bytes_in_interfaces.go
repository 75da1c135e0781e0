package main

import "fmt"

type S struct {
	A any
	B []byte
	c any
}

type named []byte

func main() {
	v := map[int]S{1: {A: []uint8{6}, B: []byte{7}, c: []byte{8}}, 2: {A: named{1}, c: named{2}}}
	fmt.Printf("%#v\n%v\n%+v\n%x\n%s\n", v, v, v, v, v)
	var list []any
	list = append(list, []byte("a"), S{A: []byte(nil)}, []any{[]byte{1}}, [2]byte{1, 2}, []int{1})
	fmt.Printf("%#v\n%v\n%x\n", list, list, list)
	fmt.Printf("%#v %#v %#v\n", []byte{1}, named{1}, [1]byte{1})
	fmt.Printf("%#v %#v\n", any([]byte{1}), struct{ X any }{[]byte{1}})
	fmt.Printf("%#v\n", map[string]any{"b": []byte{1}, "s": S{A: []byte{2}}})
}
