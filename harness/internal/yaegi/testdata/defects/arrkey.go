package main

import "fmt"

type K struct {
	a int
	b string
}

func main() {
	m := map[[2]int]string{{1, 2}: "x"}
	k := map[K]int{{1, "a"}: 5}
	fmt.Print(m[[2]int{1, 2}], k[K{1, "a"}])
}
