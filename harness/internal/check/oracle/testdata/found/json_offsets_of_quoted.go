package main

import (
	"encoding/json"
	"errors"
	"fmt"
)

type level int

type T struct {
	P uint16  `json:"p,string"`
	Q int     `json:"q"`
	F float32 `json:"f,string"`
	L level   `json:"l,string"`
	S string  `json:"s,string"`
	I *int8   `json:"i,string"`
}

func main() {
	for _, src := range []string{
		`{"p":"99999"}`, `{"p":"99999","q":1,"l":"2"}`, `{"q":1, "p": "1.5" , "l":"3"}`, `{"p":"-1"}`, `{"f":"1e99"}`, `{"l":"9999999999999999999999"}`,
		`{"i":"300"}`, `{"q":"x","p":"-1"}`, `{"p":"-1","q":"x"}`, `{"i":"3","p":"4","f":"1.5","l":"6","s":"\"x\""}`, `{"p":7}`, `{"p":"x"}`, `{"s":"x"}`,
	} {
		var v T
		err := json.Unmarshal([]byte(src), &v)
		var u *json.UnmarshalTypeError
		if errors.As(err, &u) {
			fmt.Println(u.Offset, u.Field, u.Struct, u.Value, u.Type)
		}
		fmt.Println(err, v.P, v.Q, v.F, v.L, v.S, v.I != nil)
	}
}
