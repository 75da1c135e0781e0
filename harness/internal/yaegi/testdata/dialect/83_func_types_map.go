package main

import (
	"errors"
	"fmt"
)

type H func(args ...string) (string, error)

func main() {
	hs := map[string]H{"a": func(args ...string) (string, error) {
		if len(args) == 0 {
			return "", errors.New("no args")
		}
		return args[0], nil
	}}
	if h, ok := hs["a"]; ok {
		fmt.Println(h())
		fmt.Println(h("x"))
	}
}
