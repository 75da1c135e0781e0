package main

import (
	"fmt"
	"strings"
)

type Pt struct{ X, Y int }

type E struct{ msg string }

func (e *E) Error() string { return e.msg }

func main() {
	p := &Pt{1, 2}
	for _, v := range []any{[]any{p}, [...]any{1, p}, []*Pt{p}, struct{ P any }{p}, map[string]any{"a": p}, &[]any{p}, [][]any{{p}}, []any{&[]int{1}}} {
		s := fmt.Sprintf("%v %+v %#v", v, v, v)
		fmt.Printf("%T %d %v\n", v, strings.Count(s, "0x"), strings.Contains(s, "&{"))
	}
	fmt.Println(p, []any{&E{"x"}}, []any{*p}, &[]any{*p}, fmt.Errorf("%v", p))
}
