package main

import (
	"encoding/xml"
	"fmt"
)

type Base struct {
	ID   int    `xml:"id"`
	Name string `xml:"name"`
	Sub  *Leaf  `xml:"leaf"`
}
type Leaf struct {
	A int `xml:"a,attr"`
}
type Attrs struct {
	K string `xml:"k,attr"`
	Z int    `xml:"z"`
}
type Deep struct {
	*Base
	D int `xml:"d"`
}
type Text struct {
	T string `xml:",chardata"`
}
type Rest struct {
	R []Leaf `xml:",any"`
}
type level int

func (l *level) UnmarshalText(b []byte) error { *l = level(len(b)); return nil }

type Own struct {
	L level `xml:"l"`
}
type Doc struct {
	*Base
	X int `xml:"x"`
}
type Doc2 struct {
	*Attrs
	*Deep
	*Own
	X int `xml:"x"`
}
type Doc3 struct {
	*Text
	*Rest
}

func show[T any](src string) {
	var v T
	err := xml.Unmarshal([]byte(src), &v)
	switch d := any(v).(type) {
	case Doc:
		fmt.Println(d.Base != nil, d.X, err)
		if d.Base != nil {
			fmt.Println(d.ID, d.Name, d.Sub != nil)
		}
	case Doc2:
		fmt.Println(d.Attrs != nil, d.Deep != nil, d.Own != nil, d.X, err)
		if d.Deep != nil {
			fmt.Println(d.D, d.Base != nil)
		}
		if d.Own != nil {
			fmt.Println(d.L)
		}
	case Doc3:
		fmt.Println(d.Text != nil, d.Rest != nil, err)
		fmt.Printf("%q %v\n", d.T, d.R)
	}
	b, err := xml.Marshal(v)
	fmt.Println(string(b), err)
}

func main() {
	show[Doc]("<Doc><x>1</x></Doc>")
	show[Doc]("<Doc><x>1</x><id>0</id></Doc>")
	show[Doc]("<Doc><x>1</x><id>7</id><name>n</name><leaf a='3'/></Doc>")
	show[Doc]("<Doc><x>1</x><id>q</id></Doc>")
	show[Doc2]("<Doc2 k='v'><x>1</x></Doc2>")
	show[Doc2]("<Doc2><z>1</z><d>3</d></Doc2>")
	show[Doc2]("<Doc2 q='1'><l>abc</l><d>3</d><id>5</id></Doc2>")
	show[Doc3]("<Doc3>text<a a='1'/></Doc3>")
	keep := Doc{Base: &Base{ID: 9, Name: "old"}}
	base := keep.Base
	fmt.Println(xml.Unmarshal([]byte("<Doc><name>new</name></Doc>"), &keep), *keep.Base, base == keep.Base)
}
