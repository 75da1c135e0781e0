package main

import "fmt"

func main() {
	switch x := 1; {
	case x > 0:
		fmt.Print("pos ")
		fallthrough
	case x > 5:
		fmt.Print("ft ")
	default:
		fmt.Print("def")
	}
	fmt.Println()
}
