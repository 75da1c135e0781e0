package main

import (
	"encoding/json"
	"errors"
	"fmt"
)

type Level int
type T struct {
	Arr [2]Level       `json:"arr"`
	M   map[string]int `json:"m"`
	S   []Level
}

func main() {
	for _, doc := range []string{`{"arr": {}}`, `{"m": 1}`, `{"S": "x"}`} {
		var te *json.UnmarshalTypeError
		if err := json.Unmarshal([]byte(doc), new(T)); errors.As(err, &te) {
			fmt.Println(err, te.Type)
		}
	}
}
