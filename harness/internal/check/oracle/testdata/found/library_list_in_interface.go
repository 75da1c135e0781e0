package main

import (
	"fmt"
	"sort"
)

type sorted struct {
	sort.Interface
	n *int
}

func (s sorted) Swap(i, j int) { *s.n++; s.Interface.Swap(i, j) }

func main() {
	n := 0
	xs := []string{"d", "b", "a"}
	s := sorted{sort.StringSlice(xs), &n}
	sort.Sort(s)
	fmt.Println(xs, n > 0)
	by := sorted{sort.IntSlice{3, 1, 2}, &n}
	sort.Stable(by)
	fmt.Println(by.Interface, by.Len(), by.Less(0, 1))
}
