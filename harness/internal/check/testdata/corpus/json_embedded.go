// JSON and embedding: promoted and shadowed fields, pointers, interfaces, tags, any round trips, unexported embedding.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

type Meta struct {
	ID      int        `json:"id"`
	Created *time.Time `json:"created,omitempty"`
	Kind    string
}

type hidden struct {
	Seen  bool `json:"seen"`
	Kind  string
	inner int
}

type Doc struct {
	Meta
	hidden
	*Extra
	Title  string            `json:"title"`
	Kind   string            `json:"kind,omitempty"`
	Body   any               `json:"body"`
	Attrs  map[string]string `json:"attrs"`
	Bytes  []byte            `json:"bytes,omitempty"`
	Nums   [3]uint8          `json:"nums"`
	F      float64           `json:"f,omitempty"`
	Ptr    **int             `json:"ptr,omitempty"`
	IntKey map[int]bool      `json:"ik,omitempty"`
	Iface  fmt.Stringer      `json:"iface,omitempty"`
	Dash   int               `json:"-,"`
	B      bool              `json:",omitempty,string"`
}

type Extra struct {
	Note  string `json:"note"`
	Title string `json:"xtitle"`
	Deep  struct {
		A, B int
	} `json:"deep"`
}

type Stamp struct{ time.Time }

type Color struct{ R, G, B uint8 }

func (c Color) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "#%02x%02x%02x", c.R, c.G, c.B), nil
}
func (c *Color) UnmarshalText(b []byte) error {
	_, err := fmt.Sscanf(string(b), "#%02x%02x%02x", &c.R, &c.G, &c.B)
	return err
}
func (c Color) String() string { return fmt.Sprintf("rgb(%d,%d,%d)", c.R, c.G, c.B) }

type Node struct {
	Name string           `json:"n"`
	Kids []*Node          `json:"k,omitempty"`
	Map  map[string]*Node `json:"m,omitempty"`
}

type ValueMarshal struct{ v int }
type PtrMarshal struct{ v int }

func (v ValueMarshal) MarshalJSON() ([]byte, error) { return json.Marshal([]int{v.v, v.v}) }
func (p *PtrMarshal) MarshalJSON() ([]byte, error) {
	if p.v < 0 {
		return nil, errors.New("negative")
	}
	return fmt.Appendf(nil, `{"p":%d}`, p.v), nil
}

func show(v any) {
	b, err := json.Marshal(v)
	fmt.Println(string(b), err)
}

func main() {
	n := 5
	pn := &n
	d := Doc{Meta: Meta{ID: 1, Kind: "meta"}, hidden: hidden{Seen: true}, Title: "T\u2028<é>", Attrs: map[string]string{"z": "1", "a": "\x01"},
		Bytes: []byte("hi?>"), Nums: [3]uint8{1, 2, 3}, F: 1e-7, Ptr: &pn, IntKey: map[int]bool{10: true, 9: false}, Iface: Color{255, 0, 1}, B: true}
	show(d)
	d.Extra = &Extra{Note: "n", Title: "xt"}
	d.Body = []any{1, "s", nil, map[string]any{"k": 1.5}, Color{1, 2, 3}, &d.Nums}
	show(&d)
	var back Doc
	err := json.Unmarshal([]byte(`{"ID":3,"Seen":true,"TITLE":"up","body":{"x":[1,2,{"y":null}]},"note":"made","xtitle":"q","deep":{"a":1,"B":2},
		"bytes":"aGk=","nums":[9,8,7,6],"ptr":7,"ik":{"1":true},"attrs":null,"B":"true","kind":"first","Kind":"second"}`), &back)
	fmt.Println(err, back.ID, back.Seen, back.Title, back.Body, back.Note, back.Extra.Title, back.Deep, string(back.Bytes), back.Nums, **back.Ptr, back.IntKey, back.Attrs == nil, back.B, back.Kind, back.Meta.Kind == "")
	show(Stamp{time.Date(2025, 1, 2, 3, 4, 5, 600, time.UTC)})
	show(map[Color][]Color{{1, 2, 3}: {{4, 5, 6}}, {0, 0, 0}: nil})
	var mc map[Color]*Color
	fmt.Println(json.Unmarshal([]byte(`{"#0a0b0c":"#ff0000","#000000":null}`), &mc), *mc[Color{10, 11, 12}], mc[Color{}] == nil)
	tree := Node{"root", []*Node{{Name: "a", Kids: []*Node{{Name: "aa"}}}, nil}, map[string]*Node{"x": {Name: "mx"}}}
	show(tree)
	var t2 Node
	json.Unmarshal([]byte(`{"n":"r","k":[{"n":"1","k":[{"n":"2"}]},null],"m":{"q":{"n":"z"}}}`), &t2)
	fmt.Println(t2.Name, t2.Kids[0].Kids[0].Name, t2.Kids[1] == nil, t2.Map["q"].Name)
	show([]any{ValueMarshal{1}, &ValueMarshal{2}, PtrMarshal{3}, &PtrMarshal{4}, []PtrMarshal{{5}}, map[string]PtrMarshal{"k": {6}}, struct{ P PtrMarshal }{PtrMarshal{7}}, &struct{ P PtrMarshal }{PtrMarshal{8}}})
	for _, bad := range []any{math.Inf(1), math.NaN(), func() {}, make(chan int), map[bool]int{true: 1}, &PtrMarshal{-1}, complex(1, 2), []any{1, math.Inf(-1)}} {
		_, err := json.Marshal(bad)
		var ute *json.UnsupportedTypeError
		var uve *json.UnsupportedValueError
		var me *json.MarshalerError
		fmt.Println(err, errors.As(err, &ute), errors.As(err, &uve), errors.As(err, &me))
	}
	var anyv any
	json.Unmarshal([]byte(`{"b":[1,2.5,"x",true,null,{"c":{}}],"a":1e3}`), &anyv)
	fmt.Printf("%v %T\n", anyv, anyv.(map[string]any)["b"].([]any)[1])
	var arr [2]int
	var sl = []int{9, 9, 9}
	var iface fmt.Stringer
	var i8 int8
	bad := []any{nil, i8, (*Node)(nil)}
	fmt.Println(json.Unmarshal([]byte("[1]"), &arr), arr, json.Unmarshal([]byte("[1,2]"), &sl), sl, cap(sl), json.Unmarshal([]byte("[]"), &sl), sl != nil)
	fmt.Println(json.Unmarshal([]byte(`"x"`), &iface), json.Unmarshal([]byte("300"), &i8), json.Unmarshal([]byte("1"), bad[0]), json.Unmarshal([]byte("1"), bad[1]), json.Unmarshal([]byte("1"), bad[2]), strings.Repeat("-", 3))
	preset := map[string]*Node{"keep": {Name: "k"}, "upd": {Name: "old", Kids: []*Node{{}}}}
	json.Unmarshal([]byte(`{"upd":{"n":"new"},"add":{}}`), &preset)
	fmt.Println(len(preset), preset["upd"].Name, len(preset["upd"].Kids), preset["keep"].Name)
}
