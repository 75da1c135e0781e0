package main

import "fmt"

type E string

func (e E) Error() string { return string(e) }
func main()               { e := error(E("bad")); fmt.Print(e, e == E("bad")) }
