package main

import "fmt"

func main() {
	n := 0
	for i := 0; i < 3; i++ {
		switch i {
		case 1:
			if i == 1 {
				break
			}
			n += 1000
		default:
			n++
		}
		n += 10
	}
	fmt.Println(n, "want 32")
}
