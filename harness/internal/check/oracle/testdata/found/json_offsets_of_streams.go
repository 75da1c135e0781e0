package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

type rec struct {
	N int `json:"n"`
	S struct {
		F float32 `json:"f"`
	} `json:"s"`
	L []uint8 `json:"l"`
}

func offsets(src string, token bool) {
	d := json.NewDecoder(strings.NewReader(src))
	if token {
		fmt.Println(d.Token())
	}
	for i := 0; i < 9; i++ {
		if token && !d.More() {
			break
		}
		var r rec
		err := d.Decode(&r)
		if err == io.EOF {
			break
		}
		var te *json.UnmarshalTypeError
		if errors.As(err, &te) {
			fmt.Println(te.Offset, te.Field, te.Value, d.InputOffset())
		} else {
			fmt.Println(err, r.N, d.InputOffset())
		}
		if err != nil && te == nil {
			break
		}
	}
}

func main() {
	offsets(`{"n":"x"}{"n":true} {"s":[1]}`+"\n\n\t {\"s\":{\"f\":\"y\"}} {\"n\":1.5}  [1] 7", false)
	offsets(`[{"n":"x"} , {"n":true},{"s":[1]},`+"\n\n\t {\"s\":{\"f\":\"y\"}},3, {\"n\":\"z\"}]", true)
	offsets(`  {"n":""}`, false)
}
