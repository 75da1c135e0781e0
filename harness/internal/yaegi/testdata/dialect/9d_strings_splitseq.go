package main

import (
	"fmt"
	"strings"
)

func main() {
	for s := range strings.SplitSeq("a,b", ",") {
		fmt.Println(s)
	}
}
