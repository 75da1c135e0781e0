package main

import (
	"fmt"
	"sort"
)

type L []string

func (l L) Len() int           { return len(l) }
func (l L) Less(i, j int) bool { return l[i] < l[j] }
func (l L) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }
func main()                    { l := L{"b", "a"}; sort.Sort(l); fmt.Println(l) }
