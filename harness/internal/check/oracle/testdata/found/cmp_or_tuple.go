package main

import (
	"cmp"
	"fmt"
	"math"
	"strings"
)

func ints() (int, int)           { fmt.Println("ints"); return 0, 7 }
func texts() (string, string)    { return "b", "a" }
func floats() (float64, float64) { return math.NaN(), 1 }

// Comparisons of what one call returns.
func main() {
	fmt.Println(cmp.Or(ints()))
	fmt.Println(cmp.Compare(ints()), strings.Compare(texts()))
	fmt.Println(cmp.Compare(floats()), cmp.Less(floats()))
}
