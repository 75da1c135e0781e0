package main

import (
	"encoding/json"
	"fmt"
)

// Most run-time errors are texts, of which fmt.Sprint sets no spaces before
// numbers, and which JSON writes.
func main() {
	for _, f := range []func(){
		func() { var p *struct{ n int }; p.n++ },
		func() { z := 0; z = 1 / z },
		func() { n := -1; _ = 1 << n },
		func() { n := -1; _ = make([]int, n) },
		func() { var m map[string]int; m["a"]++ },
		func() { var f func(); f() },
		func() { m := map[any]int{1: 1}; m[m] = 2 },
		func() { var a []int; a[len(a)]++ },
		func() { var a []int; _ = a[1:] },
		func() { var x any = 1; _ = x.(string) },
	} {
		func() {
			defer func() {
				r := recover()
				b, err := json.Marshal(r)
				fmt.Println(fmt.Sprint(1, r, 2), string(b), err)
			}()
			f()
		}()
	}
}
