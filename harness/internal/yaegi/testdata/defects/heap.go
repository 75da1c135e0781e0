package main

import (
	"container/heap"
	"fmt"
)

type H []int

func (h H) Len() int           { return len(h) }
func (h H) Less(i, j int) bool { return h[i] < h[j] }
func (h H) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *H) Push(x any)        { *h = append(*h, x.(int)) }
func (h *H) Pop() any          { o := *h; x := o[len(o)-1]; *h = o[:len(o)-1]; return x }
func main()                    { h := &H{3, 1, 2}; heap.Init(h); heap.Push(h, 0); fmt.Print(heap.Pop(h), heap.Pop(h), *h) }
