package main

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"strings"
)

type Base struct {
	ID   int `json:"id"`
	Kind string
}
type Shape interface{ Area() float64 }

func (b *Base) Area() float64 { return float64(b.ID) }

type Own struct{ s string }

func (o *Own) UnmarshalJSON(b []byte) error { o.s = "own:" + string(b); return nil }

type Text string

func (t *Text) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		return errors.New("empty")
	}
	*t = Text("text:" + string(b))
	return nil
}

type Num int

type Point struct {
	X, Y int
	L    Base
}

// a tuple, read by the usual idiom
func (p *Point) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&p.X, &p.Y, &p.L})
}

func main() {
	var x any = &Base{1, "in"}
	fmt.Println(json.Unmarshal([]byte(`{"id":5}`), &x), *x.(*Base))
	fmt.Println(json.Unmarshal([]byte(`{"id":"q"}`), &x), *x.(*Base))
	fmt.Println(json.Unmarshal([]byte(`[1]`), &x), *x.(*Base))
	fmt.Println(json.Unmarshal([]byte(`{"id":`), &x), *x.(*Base))
	var b Base
	var n int
	var nn Num
	var o Own
	var t Text
	var s string
	var sl []Base
	var m map[string]Base
	list := []any{&b, &n, &nn, &o, &t, &s, &sl, &m}
	fmt.Println(json.Unmarshal([]byte(`[{"id":1,"kind":"k"}, 2, 3, {"q": 1}, "tt", "ss", [{"id":4}], {"a":{"id":6}}]`), &list))
	fmt.Println(b, n, nn, o, t, s, sl, m, len(list))
	fmt.Println(json.Unmarshal([]byte(`[{"id":7}, "x", 3, 4, 5, 6, 7, 8, {"new":true}]`), &list))
	fmt.Println(b, n, nn, o, t, s, sl, m, len(list), list[8])
	fmt.Println(json.Unmarshal([]byte(`[null, null, {"id": 1}]`), &list), list[0] == nil, list[1], len(list), nn)
	mm := map[string]any{"b": &b, "n": &n}
	fmt.Println(json.Unmarshal([]byte(`{"b":{"id":70},"n":71,"z":[{}]}`), &mm), b.ID, n, mm)
	arr := [3]any{&b, &nn, 5}
	fmt.Println(json.Unmarshal([]byte(`[{"id":80},81,82]`), &arr), b, nn, arr[2])
	var ps []Point
	fmt.Println(json.Unmarshal([]byte(`[[1,2,{"id":3}],[4,5],[6],[]]`), &ps), ps)
	var p Point
	err := json.Unmarshal([]byte(`[1, "y", {"id":true}]`), &p)
	var te *json.UnmarshalTypeError
	fmt.Println(err, errors.As(err, &te), p)
	d := json.NewDecoder(strings.NewReader(`{"id":90,"zz":1} {"id":91,"zz":2} [{"id":92},93.5]`))
	x = &b
	fmt.Println(d.Decode(&x), b)
	d.DisallowUnknownFields()
	fmt.Println(d.Decode(&x), b)
	d.UseNumber()
	list = []any{&b, nil}
	fmt.Println(d.Decode(&list), b.ID)
	fmt.Printf("%T\n", list[1])
	var sh Shape = &b
	fmt.Println(json.Unmarshal([]byte(`{"id":100}`), &sh), sh.Area())
	sh = nil
	fmt.Println(json.Unmarshal([]byte(`{"id":100}`), &sh))
	x = b
	fmt.Println(json.Unmarshal([]byte(`{"id":100}`), &x), x)
	x = (*Base)(nil)
	fmt.Println(json.Unmarshal([]byte(`{"id":100}`), &x), x)
	pb := &b
	x = &pb
	fmt.Println(json.Unmarshal([]byte(`{"id":101}`), &x), b.ID, json.Unmarshal([]byte(`null`), &x), pb == nil, x != nil)
	x = &b
	fmt.Println(json.Unmarshal([]byte(`null`), &x), x)
	var y any = &x
	x = &b
	fmt.Println(json.Unmarshal([]byte(`{"id":102}`), &y), b.ID, json.Unmarshal([]byte(`{"id":103}`), y), b.ID)
	st := struct {
		A any
		L []any
	}{&b, []any{&nn}}
	fmt.Println(json.Unmarshal([]byte(`{"a":{"id":104},"l":[105]}`), &st), b.ID, nn)
	x = &o
	fmt.Println(json.Unmarshal([]byte(`{"id":102}`), &x), o, json.Unmarshal([]byte(`null`), &x), x)
	x = &t
	fmt.Println(json.Unmarshal([]byte(`"w"`), &x), t, json.Unmarshal([]byte(`""`), &x), t)
	type xb struct {
		ID int `xml:"id"`
	}
	var q any = &xb{}
	fmt.Println(xml.Unmarshal([]byte(`<x><id>5</id></x>`), &q), q)
}
