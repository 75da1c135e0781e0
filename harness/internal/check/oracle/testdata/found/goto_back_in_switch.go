package main

import "fmt"

func fff(n int) {
	fmt.Println("a")
inner:
	fmt.Println("inner")
	n++
	switch n {
	case 1:
		goto inner
	default:
		return
	}
}
func main() {
	fff(4)
	fmt.Println("back")
}
