package main

import "fmt"

func main() {
	p := new(5)
	s := []int{4, *p - 3}
	fmt.Println(s, append(s, *p*2), [2]int(append(s, *p+1)[:2]))
}
