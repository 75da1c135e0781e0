package main

import "fmt"

// order has its default before a case of several alternatives.
func order(x, b int) int {
	switch {
	default:
		return 0
	case x < b:
		return -1
	case x > b, x == 3:
		return 1
	}
}

func kind(x any) string {
	switch x.(type) {
	default:
		return "other"
	case nil:
		return "nil"
	case int, string:
		return "basic"
	}
}

func main() {
	fmt.Println(order(3, 9), order(3, 3), order(4, 4), order(9, 3))
	fmt.Println(kind(nil), kind(1), kind("a"), kind(1.5))
}
