package main

import (
	"encoding/xml"
	"fmt"
)

type octet uint8

type leaf struct {
	XMLName xml.Name `xml:"leaf"`
}

type inner struct {
	ID   int   `xml:"id"`
	Kids *leaf `xml:",innerxml"`
}

type attr struct {
	T [2]octet `xml:"t,attr"`
}

type elem struct {
	T [2]octet
	U [2]uint8
}

func show(x any) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println("panic:", r)
		}
	}()
	b, err := xml.Marshal(x)
	fmt.Printf("%q %v\n", b, err)
}

func main() {
	show(inner{})
	show(inner{Kids: &leaf{}})
	show(attr{})
	show(&attr{[2]octet{65, 66}})
	show(elem{})
	show(&elem{[2]octet{65, 66}, [2]uint8{67, 68}})
	show([2]octet{65, 66})
	show(&[2]octet{65, 66})
}
