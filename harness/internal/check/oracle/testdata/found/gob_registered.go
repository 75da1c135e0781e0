package main

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"math"
	"time"
)

type Shape interface{ Area() float64 }

type Square struct{ Side float64 }
type Circle struct{ R float64 }
type Named[T any] struct {
	Name string
	V    T
}
type Kind string

func (s Square) Area() float64  { return s.Side * s.Side }
func (c *Circle) Area() float64 { return math.Pi * c.R * c.R }

type Drawing struct {
	Title  string
	Shapes []Shape
	By     map[string]Shape
	One    Shape
	Extra  any
}

type Other interface{ Other() }

type Holder struct{ O Other }
type Group struct{ Shape Shape }

func main() {
	var b bytes.Buffer
	enc := gob.NewEncoder(&b)
	err := enc.Encode(Drawing{Title: "t", Shapes: []Shape{Square{2}}})
	fmt.Println(err, b.Len())
	gob.Register(Square{})
	gob.Register(&Circle{})
	gob.Register(Named[int]{})
	gob.Register(map[string]any{})
	gob.Register([]Kind{})
	gob.Register(Kind(""))
	gob.Register(time.Time{})
	gob.Register(struct{ A int }{})
	gob.RegisterName("group", Group{})
	b.Reset()
	enc = gob.NewEncoder(&b)
	d := Drawing{"t", []Shape{Square{2}, &Circle{1}, nil, Square{3}}, map[string]Shape{"x": &Circle{2}}, Square{4}, Named[int]{"n", 3}}
	fmt.Println(enc.Encode(&d), b.Len())
	fmt.Printf("%x\n", b.Bytes())
	var out Drawing
	fmt.Println(gob.NewDecoder(&b).Decode(&out))
	for _, s := range out.Shapes {
		if s == nil {
			fmt.Println("nil")
			continue
		}
		fmt.Printf("%T %.2f\n", s, s.Area())
	}
	fmt.Printf("%T %v %T %v %+v\n", out.By["x"], out.By["x"].Area(), out.One, out.One.Area(), out.Extra)
	for _, x := range []any{Kind("k"), []Kind{"a"}, map[string]any{"a": 1}, map[string]any{"in": map[string]any{"s": Square{1}}}, time.Date(2020, 1, 2, 3, 4, 5, 6, time.UTC), struct{ A int }{5}, Group{Square{2}}, []any{Square{1}, Kind("z")}, int8(3)} {
		b.Reset()
		enc := gob.NewEncoder(&b)
		err := enc.Encode(&x)
		fmt.Printf("%T %v %d %x\n", x, err, b.Len(), b.Bytes())
		var y any
		fmt.Println(gob.NewDecoder(&b).Decode(&y))
		fmt.Printf("%T %v\n", y, y)
	}
	// an interface wants to be sent as one
	b.Reset()
	var s Shape = Square{5}
	gob.NewEncoder(&b).Encode(s)
	var t Shape
	fmt.Println(gob.NewDecoder(&b).Decode(&t))
	b.Reset()
	gob.NewEncoder(&b).Encode(&s)
	raw := bytes.Clone(b.Bytes())
	fmt.Println(gob.NewDecoder(&b).Decode(&t), t)
	var o Other
	fmt.Println(gob.NewDecoder(bytes.NewReader(raw)).Decode(&o), o)
	var sq Square
	fmt.Println(gob.NewDecoder(bytes.NewReader(raw)).Decode(&sq), sq)
	b.Reset()
	gob.NewEncoder(&b).Encode(struct{ O any }{Square{1}})
	var h Holder
	fmt.Println(gob.NewDecoder(&b).Decode(&h))
	b.Reset()
	fmt.Println(gob.NewEncoder(&b).Encode(struct{ O Shape }{(*Circle)(nil)}))
	for _, f := range []func(){
		func() { gob.Register(Square{}); fmt.Println("again") },
		func() { gob.RegisterName("other", Square{}) },
		func() { gob.RegisterName("group", Square{}) },
		func() { gob.RegisterName("", Kind("")) },
		func() { gob.Register(&Square{}) },
		func() { gob.Register(nil) },
		func() { var s *Square; gob.NewEncoder(&b).Encode(s) },
		func() { var e gob.Encoder; e.Encode(1) },
	} {
		func() {
			defer func() { fmt.Println("recovered:", recover()) }()
			f()
		}()
	}
	fmt.Printf("%T %T\n", enc, gob.NewDecoder(&b))
}
