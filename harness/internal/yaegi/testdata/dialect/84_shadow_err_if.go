package main

import (
	"fmt"
	"strconv"
)

func p(s string) (n int, err error) {
	if n, err = strconv.Atoi(s); err != nil {
		return 0, fmt.Errorf("p(%q): %w", s, err)
	}
	return
}
func main() {
	if n, err := p("12"); err == nil {
		fmt.Println(n)
	}
	_, err := p("z")
	fmt.Println(err)
}
