package main

import "fmt"

func main() {
	switch {
	case true:
	L:
		for i := range 2 {
			fmt.Println(i)
			continue L
		}
	}
}
