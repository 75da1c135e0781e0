package main

import (
	"fmt"
	"sync/atomic"
)

type T struct{ A int }

func main() { var p atomic.Pointer[T]; p.Store(&T{1}); fmt.Println(p.Load().A) }
