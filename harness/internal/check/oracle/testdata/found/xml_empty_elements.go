package main

import (
	"encoding/xml"
	"fmt"
)

type level int

func (l level) MarshalText() ([]byte, error) { return []byte(fmt.Sprintf("l%d", int(l))), nil }

type vec [2]float32

func (v vec) Len() float32 { return v[0] }

type stamp struct{ s string }

type rec struct {
	A []int      `xml:"a,omitempty"`
	B []level    `xml:"b,omitempty"`
	C [3]level   `xml:"c,omitempty"`
	D vec        `xml:"d,omitempty"`
	E [][]level  `xml:"e,omitempty"`
	F []*level   `xml:"f,omitempty"`
	G []any      `xml:"g,omitempty"`
	H []stamp    `xml:"h,omitempty"`
	I level      `xml:"i,omitempty"`
	J []level    `xml:"j"`
	K []level    `xml:"k,attr,omitempty"`
	L []byte     `xml:"l,omitempty"`
	M [2][]level `xml:"p>m,omitempty"`
}

type noted struct {
	Note []stamp `xml:",comment"`
}

type noted2 struct {
	Text string  `xml:",comment"`
	Note []stamp `xml:",comment"`
}

func main() {
	zero, one := level(0), level(1)
	for _, r := range []rec{{}, {
		A: []int{0, 1, 0}, B: []level{0, 1, 0}, C: [3]level{0, 2, 0}, D: vec{0, 3}, E: [][]level{nil, {0, 4}, {5}}, F: []*level{nil, &zero, &one},
		G: []any{nil, 0, zero, one, ""}, H: []stamp{{}}, I: 0, J: []level{0, 1}, K: []level{0, 1}, L: []byte{}, M: [2][]level{{0}, {6}},
	}} {
		b, err := xml.MarshalIndent(r, "", " ")
		fmt.Printf("%s %v\n", b, err)
	}
	var n2 noted2
	fmt.Println(xml.Unmarshal([]byte("<a><!-- x --></a>"), &n2), n2)
	defer func() { fmt.Println(recover()) }()
	var n noted
	fmt.Println(xml.Unmarshal([]byte("<a><!-- x --></a>"), &n))
}
