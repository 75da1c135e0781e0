package main

import (
	"encoding/json"
	"fmt"
)

type T float64

func (t T) MarshalJSON() ([]byte, error) { return []byte(fmt.Sprintf("\"%.1fC\"", float64(t))), nil }
func main()                              { b, err := json.Marshal(map[string][]T{"a": {1, 2.5}}); fmt.Print(string(b), err) }
