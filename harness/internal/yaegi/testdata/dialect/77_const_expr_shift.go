package main

import (
	"fmt"
	"math"
	"time"
)

func main() {
	d := 2 * time.Second
	fmt.Println(d, time.Duration(3)*time.Millisecond, math.MaxInt64, 1<<20, math.Pi)
}
