package main

import (
	"fmt"
	"sort"
)

type rev struct{ sort.Interface }

func (r rev) Less(i, j int) bool { return r.Interface.Less(j, i) }
func main()                      { s := []int{2, 3, 1}; sort.Sort(rev{sort.IntSlice(s)}); fmt.Print(s) }
