package main

import (
	"fmt"
	"sync/atomic"
)

func main() { var p atomic.Pointer[string]; s := "x"; p.Store(&s); fmt.Print(*p.Load()) }
