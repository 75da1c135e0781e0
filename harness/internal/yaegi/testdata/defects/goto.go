package main

import "fmt"

func main() {
	i := 0
L:
	if i < 3 {
		i++
		goto L
	}
O:
	for {
		switch {
		case i > 5:
			break O
		default:
			i++
			continue O
		}
	}
	fmt.Print(i)
}
