package main

import "fmt"

func main() {
	n := 0
	for _, x := range []any{1, "a", 2.0} {
		switch x.(type) {
		case string:
			if true {
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
