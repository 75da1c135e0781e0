package main

import "fmt"

func main() {
loop:
	for i := 0; i < 10; i++ {
		switch i {
		case 3:
			break loop
		default:
			fmt.Print(i, " ")
		}
	}
	fmt.Println("end")
}
