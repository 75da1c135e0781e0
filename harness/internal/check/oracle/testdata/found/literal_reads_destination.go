package main

import "fmt"

type S struct{ F [2]int }

func main() {
	var v S
	v.F = [2]int{1 * v.F[0], 0}
	fmt.Println(v)
}
