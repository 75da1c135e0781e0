package main

import "fmt"

func main() {
	n := 0
	for i := 0; i < 3; i++ {
		switch {
		case i == 1:
			continue
		}
		n += 10
	}
	fmt.Println(n, "want 20")
}
