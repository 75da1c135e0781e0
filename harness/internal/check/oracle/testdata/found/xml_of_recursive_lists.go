package main

import (
	"encoding/xml"
	"fmt"
)

type T []T

type P *P

type M map[string]M

type S struct {
	XMLName xml.Name `xml:"s"`
	A       T        `xml:"a"`
	B       T        `xml:"b,omitempty"`
	C       []T      `xml:"c"`
}

func show(x any) {
	b, err := xml.Marshal(x)
	fmt.Println(string(b), err)
}

type chans struct {
	a chan (<-chan int)
	b chan<- (<-chan int)
}
type recv <-chan int

func main() {
	show(S{A: T{T{}, T{T{}}}, B: T{T{}, nil}})
	show(S{})
	show(T{T{}})
	show(struct {
		XMLName xml.Name
		M       M
	}{M: M{}})
	// Channels of channels, which a type's text tells apart by brackets.
	inner := make(chan int, 2)
	inner <- 3
	inner <- 4
	c := chans{a: make(chan (<-chan int), 1)}
	c.b = c.a
	c.b <- inner
	fmt.Println(<-<-c.a)
	named := make(chan recv, 1)
	named <- inner
	fmt.Println(<-<-named)
}
