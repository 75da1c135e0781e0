package main

import "fmt"

func main() {
	var a int8 = 127
	a++
	var b uint16 = 0
	b--
	c := int32(1) << 30
	c *= 4
	fmt.Print(a, b, c, -a)
}
