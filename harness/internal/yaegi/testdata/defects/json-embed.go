package main

import (
	"encoding/json"
	"fmt"
)

type B struct {
	ID int `json:"id"`
}
type D struct {
	B
	Name string `json:"name"`
	x    int
}

func main() { b, _ := json.Marshal(D{B{7}, "n", 1}); fmt.Print(string(b)) }
