package main

import "fmt"

func pick(k int) (out string) {
	switch {
	case k < 2:
		out = "small"
	default:
		out = "other"
		fallthrough
	case k == 100:
		out += "!"
	}
	return
}

func main() { fmt.Println(pick(1), pick(5), pick(100)) }
