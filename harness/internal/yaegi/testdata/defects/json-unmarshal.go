package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

type U string

func (u *U) UnmarshalJSON(b []byte) error { *u = U(strings.ToUpper(string(b))); return nil }

type R struct {
	Name U `json:"name"`
	n    int
	Kids []*R `json:"kids,omitempty"`
}

func main() {
	var r R
	err := json.Unmarshal([]byte(`{"name":"x","n":3,"kids":[{"name":"y"}]}`), &r)
	fmt.Print(r.Name, r.n, r.Kids[0].Name, err)
}
