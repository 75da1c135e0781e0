package main

import (
	"encoding/json"
	"fmt"
)

func main() {
	x := []struct {
		A int `json:"a"`
		b string
	}{{1, "x"}}
	y, _ := json.Marshal(x)
	fmt.Printf("%s %+v", y, x)
}
