package main

import "fmt"

func f() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("recovered: %v", r)
		}
	}()
	var a []int
	_ = a[5]
	return nil
}
func main() { fmt.Println(f()) }
