package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
)

type Own struct{ N int }

type withFunc struct {
	A int    `json:"a" xml:"a"`
	F func() `json:"f,omitempty" xml:"f,omitempty"`
	O Own    `json:"o" xml:"o"`
}

type withChan struct {
	A int      `json:"a" xml:"a"`
	C chan Own `json:"c,omitempty" xml:"c,omitempty"`
}

type withComplex struct {
	O Own        `json:"o" xml:"o"`
	C complex128 `json:"c,omitempty" xml:"c,omitempty"`
}

type kinds struct {
	B bool           `json:"b,omitempty" xml:"b,omitempty"`
	I int8           `json:"i,omitempty" xml:"i,omitempty"`
	U uint           `json:"u,omitempty" xml:"u,omitempty"`
	F float32        `json:"f,omitempty" xml:"f,omitempty"`
	S string         `json:"s,omitempty" xml:"s,omitempty"`
	L []Own          `json:"l,omitempty" xml:"l,omitempty"`
	A [0]Own         `json:"arr,omitempty" xml:"arr,omitempty"`
	M map[string]Own `json:"m,omitempty" xml:"-"`
	P *Own           `json:"p,omitempty" xml:"p,omitempty"`
	E any            `json:"e,omitempty" xml:"e,omitempty"`
	O Own            `json:"o,omitempty" xml:"o,omitempty"`
}

func main() {
	for _, x := range []any{withFunc{}, &withFunc{A: 1}, withChan{}, []withChan{{}}, withComplex{}, kinds{}, kinds{L: []Own{}, M: map[string]Own{}, P: &Own{}, E: 0}} {
		b, err := json.Marshal(x)
		fmt.Println(string(b), err)
		b, err = xml.Marshal(x)
		fmt.Println(string(b), err)
	}
}
