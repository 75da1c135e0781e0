package main

import (
	"encoding/xml"
	"fmt"
)

type leaf struct {
	XMLName xml.Name `xml:"leaf"`
	A       int      `xml:"a"`
}

type base struct {
	Note bool `xml:",comment"`
}

type badComment struct {
	base
	N    leaf   `xml:",comment"`
	Kids []leaf `xml:"b"` // said before what is wrong with the comment
}

type twice struct {
	L    int     `xml:"leaf"`
	Kids []*leaf `xml:",omitempty"` // has its name from leaf, and no tag
	In   leaf
}

func main() {
	for _, x := range []any{badComment{}, twice{}, &struct{ twice }{}} {
		b, err := xml.Marshal(x)
		fmt.Printf("%s %v\n", b, err)
	}
	fmt.Println(xml.Unmarshal([]byte("<a/>"), new(badComment)))
	fmt.Println(xml.Unmarshal([]byte("<a/>"), new(twice)))
}
