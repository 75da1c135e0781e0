package main

import "fmt"

type E struct{ s string }

func (e E) Error() string { return e.s }
func main()               { e := error(E{"x"}); fmt.Println(e) }
