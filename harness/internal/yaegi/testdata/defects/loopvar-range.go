package main

import "fmt"

func main() {
	var ps []*int
	for _, v := range []int{1, 2, 3} {
		ps = append(ps, &v)
	}
	for _, p := range ps {
		fmt.Print(*p, " ")
	}
}
