package main

import "fmt"

func main() {
	for i, r := range "a\xc0z\u4e16" {
		fmt.Print(i, ":", r, " ")
	}
}
