package main

import (
	"encoding/xml"
	"fmt"
)

type Leaf struct {
	XMLName xml.Name `xml:"Kid"`
	N       int
}

func (l Leaf) MarshalXMLAttr(name xml.Name) (xml.Attr, error) {
	return xml.Attr{Name: name, Value: fmt.Sprint(l.N)}, nil
}

func (l *Leaf) UnmarshalXMLAttr(a xml.Attr) error {
	_, err := fmt.Sscan(a.Value, &l.N)
	return err
}

type Plain struct {
	XMLName xml.Name `xml:"Kid"`
}

type Base struct {
	ID int `xml:"Kid,attr"`
}

type Under struct {
	Base
	Kids *Plain `xml:",attr"`
}

type Written struct {
	A Leaf  `xml:",attr"`
	B *Leaf `xml:"other,attr"`
	C Leaf  `xml:",attr,omitempty"`
}

type Both struct {
	Base
	A Leaf `xml:",attr"`
	X int  `xml:"x"`
}

type Spaced struct {
	A struct {
		XMLName xml.Name `xml:"urn:a Kid"`
	} `xml:",attr"`
	B Base
}

func show(x any) {
	b, err := xml.Marshal(x)
	fmt.Println(string(b), err)
}

func main() {
	show(Under{})
	show(&Under{Base: Base{3}, Kids: nil})
	show(Under{Kids: &Plain{}})
	show(Written{A: Leaf{N: 1}, B: &Leaf{N: 2}})
	show(Both{Base{1}, Leaf{N: 2}, 3})
	show(Spaced{})
	var w struct {
		B Both
		X []Both `xml:"both"`
	}
	fmt.Println(xml.Unmarshal([]byte(`<w><B Kid="7"><x>1</x></B><both Kid="8"/><both Kid="x" A="9"/></w>`), &w))
	fmt.Printf("%+v\n", w)
	var u Under
	fmt.Println(xml.Unmarshal([]byte(`<u Kid="7" Kids="8"/>`), &u))
	fmt.Println(u.Base, u.Kids == nil)
}
