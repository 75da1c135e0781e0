package main

import (
	"errors"
	"fmt"
)

func f(x any) string {
	switch v := x.(type) {
	case error:
		return "err " + v.Error()
	case string:
		return v
	}
	return "?"
}
func main() { fmt.Print(f(errors.New("e")), f("s")) }
