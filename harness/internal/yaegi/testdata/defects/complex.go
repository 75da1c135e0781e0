package main

import "fmt"

func main() { c := complex(1, 2); d := c * 2i; fmt.Print(real(d), imag(d), c == 1+2i, d) }
