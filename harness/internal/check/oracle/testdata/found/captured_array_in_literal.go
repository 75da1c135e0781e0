package main

import "fmt"

func main() {
	v := [3]int{1, 2, 3}
	f := func() []int { return []int{v[2], v[0] & 10, v[1]} }
	v[0] = 7
	fmt.Println(f())
}
