package main

import (
	"encoding/json"
	"fmt"
)

type T struct{}

func (T) MarshalJSON() ([]byte, error) { return []byte(`"custom"`), nil }
func main() {
	b, err := json.Marshal(T{})
	fmt.Println(string(b), err)
	b, err = json.Marshal(map[string]T{"a": {}})
	fmt.Println(string(b), err)
}
