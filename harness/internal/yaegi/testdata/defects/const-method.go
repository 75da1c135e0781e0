package main

import "fmt"

type D int

func (d D) S() string { return fmt.Sprint("D", int(d)) }

const X D = 4

func main() { fmt.Print(X.S(), D(5).S(), (&struct{ D }{6}).S()) }
