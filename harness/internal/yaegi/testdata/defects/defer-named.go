package main

import "fmt"

func f() (r int, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("r %v", x)
			r++
		}
	}()
	r = 4
	panic("p")
}
func main() { fmt.Print(f()) }
