package main

import "fmt"

type W struct{ n int }

func (w *W) Write(p []byte) (int, error) { w.n += len(p); return len(p), nil }
func main()                              { w := &W{}; fmt.Fprintf(w, "hello %d", 5); fmt.Print(w.n) }
