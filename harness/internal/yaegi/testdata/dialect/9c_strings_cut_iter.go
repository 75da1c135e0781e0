package main

import (
	"fmt"
	"strings"
	"time"
)

func main() {
	a, b, ok := strings.Cut("k=v", "=")
	fmt.Println(a, b, ok)
	t, err := time.Parse(time.DateOnly, "2026-11-20")
	fmt.Println(t.Weekday(), err)
	d := time.Since(t) > -time.Hour*24*365*10
	fmt.Println(d)
}
