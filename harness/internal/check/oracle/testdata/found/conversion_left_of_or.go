package main

import (
	"fmt"
	"strings"
)

func main() {
	var v47 string
	fmt.Println("v47", v47)
	switch any(string(v47)).(string) + string("日本") {
	case string([]byte(v47)), v47:
	}
	switch func() string { return v47 }() {
	case string(strings.ToTitle(string(v47))):
		var v89 byte
		_ = v89
		if func() bool { return bool(false) }() {
			break
		}
		fmt.Println("after break")
	}
}
