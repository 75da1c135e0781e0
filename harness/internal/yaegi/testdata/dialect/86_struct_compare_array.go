package main

import "fmt"

type P struct{ X, Y int }

func main() {
	m := map[P]string{{1, 2}: "a"}
	fmt.Println(m[P{1, 2}], P{1, 2} == P{1, 2}, [2]int{1, 2} == [2]int{1, 2})
	a := [3]int{1, 2, 3}
	b := a
	b[0] = 9
	fmt.Println(a, b, a[1:2:3])
}
