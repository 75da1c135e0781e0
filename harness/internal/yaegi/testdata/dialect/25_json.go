package main

import (
	"encoding/json"
	"fmt"
)

type In struct {
	Name string   `json:"name"`
	Tags []string `json:"tags,omitempty"`
}

func main() {
	b, err := json.Marshal(In{Name: "x"})
	fmt.Println(string(b), err)
	var v In
	fmt.Println(json.Unmarshal([]byte(`{"name":"y","tags":["a"]}`), &v), v)
}
