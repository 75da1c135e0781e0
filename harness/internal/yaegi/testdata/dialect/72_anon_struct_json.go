package main

import (
	"encoding/json"
	"fmt"
)

func main() {
	var v struct {
		A int `json:"a"`
		B struct {
			C []map[string]any `json:"c"`
		} `json:"b"`
	}
	err := json.Unmarshal([]byte(`{"a":1,"b":{"c":[{"x":1}]}}`), &v)
	fmt.Println(v.A, v.B.C[0]["x"], err)
	b, _ := json.MarshalIndent(map[string]any{"k": []int{1}}, "", " ")
	fmt.Println(string(b))
}
