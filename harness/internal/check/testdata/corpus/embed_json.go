package main

import (
	"encoding"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

type Timestamps struct {
	CreatedAt time.Time  `json:"created_at"`
	UpdatedAt *time.Time `json:"updated_at,omitempty"`
}
type ID string

func (i ID) MarshalText() ([]byte, error) { return []byte("id-" + string(i)), nil }
func (i *ID) UnmarshalText(b []byte) error {
	s, ok := strings.CutPrefix(string(b), "id-")
	if !ok {
		return fmt.Errorf("id %q lacks prefix", b)
	}
	*i = ID(s)
	return nil
}

type Entity struct {
	ID ID `json:"id"`
	Timestamps
}
type Address struct {
	Street, City string
	Zip          *string `json:"zip"`
}
type Role interface{ Perms() []string }
type Admin struct{ Level int }
type Guest struct{}

func (a Admin) Perms() []string { return []string{"all"} }
func (Guest) Perms() []string   { return nil }

type User struct {
	Entity
	*Address `json:"address,omitempty"`
	Name     string                 `json:"name"`
	Email    string                 `json:",omitempty"`
	Age      int                    `json:"age,string"`
	Role     Role                   `json:"role"`
	Extra    map[string]any         `json:"extra,omitempty"`
	Scores   []float64              `json:"scores"`
	Matrix   [2][2]int              `json:"matrix"`
	Refs     map[ID]*Entity         `json:"refs,omitempty"`
	Ptr      **int                  `json:"ptr"`
	Raw      json.RawMessage        `json:"raw,omitempty"`
	Num      json.Number            `json:"num,omitempty"`
	Iface    any                    `json:"iface"`
	TM       encoding.TextMarshaler `json:"tm"`
}

type Tree struct {
	Val   int             `json:"v"`
	Kids  []*Tree         `json:"k,omitempty"`
	Next  *Tree           `json:"n,omitempty"`
	Named map[string]Tree `json:"m,omitempty"`
}

type Enum int

func (e Enum) MarshalJSON() ([]byte, error) {
	if e > 2 {
		return []byte("{bad"), nil
	}
	return json.Marshal(strings.Repeat("*", int(e)))
}

type A struct{ X int }
type B struct{ X int }
type C struct {
	A
	B
	Y int
}
type D struct {
	A `json:"inner"`
	B
}
type lower struct{ Pub, priv int }
type E struct {
	lower
	*Tree
	F func() `json:"-"`
}
type Generic[T any] struct {
	Items []T          `json:"items"`
	By    map[string]T `json:"by"`
	Opt   *T           `json:"opt,omitempty"`
}
type Flat struct {
	Generic[ID]
	N int
}
type ptrM struct{ v int }

func (p *ptrM) MarshalJSON() ([]byte, error) { return []byte(fmt.Sprintf(`"p%d"`, p.v)), nil }

func show(v any) {
	b, err := json.Marshal(v)
	fmt.Println(string(b), err)
}

func main() {
	up := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	n := 5
	pn := &n
	u := User{Entity: Entity{"u1", Timestamps{up, &up}}, Address: &Address{City: "X"}, Name: "N", Age: 30, Role: Admin{3}, Extra: map[string]any{"k": []any{1, "a", nil, ID("q")}}, Refs: map[ID]*Entity{"r2": nil, "r1": {ID: "x"}}, Ptr: &pn, Raw: json.RawMessage(` {"a" : 1} `), Num: "12.50", Iface: Guest{}, TM: ID("tm")}
	show(u)
	show(User{})
	show(Tree{1, []*Tree{{Val: 2}, nil, {Val: 3, Next: &Tree{}}}, nil, map[string]Tree{"z": {Val: 9}}})
	show([]any{Enum(1), Enum(3)})
	show(map[Enum]int{2: 1})
	show(C{A{1}, B{2}, 3})
	show(D{A{1}, B{2}})
	show(E{lower{1, 2}, &Tree{Val: 4}, nil})
	show(Flat{Generic[ID]{Items: []ID{"a"}, By: map[string]ID{"k": "v"}}, 1})
	show(Generic[Enum]{Items: []Enum{0, 1}})
	show([]ptrM{{1}})
	show(ptrM{2})
	show(&ptrM{3})
	show(map[string]ptrM{"a": {4}})
	show(struct {
		P ptrM
		Q *ptrM
	}{ptrM{5}, &ptrM{6}})
	show([3]bool{true})
	show(map[int8]string{-1: "x", 10: "y", 9: "z"})
	show([]byte{})
	show([][]byte{nil, {1, 2}})
	show(struct {
		A int    `json:"a,omitempty"`
		B string `json:"a"`
		C []int  `json:",omitempty"`
		D [0]int `json:",omitempty"`
		E time.Duration
		F *float64
		G float64        `json:",string"`
		H any            `json:",omitempty"`
		I map[string]int `json:",omitempty"`
		J time.Time      `json:",omitzero"`
		K struct{}       `json:"k,omitzero"`
	}{E: time.Second, G: 1.5})
	var back User
	err := json.Unmarshal([]byte(`{"id":"id-9","created_at":"2020-01-01T00:00:00Z","address":{"street":"s","CITY":"c","zip":"1"},"name":"Q","age":"44","extra":{"a":{"b":[1,2]}},"scores":[1,2.5],"matrix":[[1],[2,3,4]],"refs":{"id-z":{"id":"id-k"}},"ptr":7,"raw":[1, 2],"num":3.14,"iface":{"x":1}}`), &back)
	fmt.Println(err, back.ID, back.CreatedAt.Year(), back.Street, back.City, *back.Zip, back.Age, back.Extra, back.Scores, back.Matrix, back.Refs["z"].ID, **back.Ptr, string(back.Raw), back.Num, back.Iface)
	fmt.Println(json.Unmarshal([]byte(`{"role":{"Level":1}}`), &back))
	fmt.Println(json.Unmarshal([]byte(`{"role":null,"tm":null}`), &back), back.Role)
	fmt.Println(json.Unmarshal([]byte(`{"id":"u"}`), &back))
	fmt.Println(json.Unmarshal([]byte(`{"age":44}`), &back))
	fmt.Println(json.Unmarshal([]byte(`{"refs":{"q":{}}}`), &back))
	var fl Flat
	fmt.Println(json.Unmarshal([]byte(`{"items":["id-1","2"],"n":4}`), &fl), fl)
	var tr Tree
	fmt.Println(json.Unmarshal([]byte(`{"v":1,"k":[{"v":2},null],"m":{"a":{"v":"x"}}}`), &tr), len(tr.Kids))
	fmt.Println(json.Unmarshal([]byte(`{}`), nil), json.Unmarshal([]byte(`{}`), tr))
	pre := map[string]*Tree{"keep": {Val: 1}, "upd": {Val: 2}}
	fmt.Println(json.Unmarshal([]byte(`{"upd":{"n":{"v":5}}}`), &pre), pre["upd"].Val, pre["upd"].Next.Val, len(pre))
	var anyv any = &Tree{Val: 8}
	fmt.Println(json.Unmarshal([]byte(`{"v":3}`), anyv), anyv.(*Tree).Val)
	var i8 int8
	fmt.Println(json.Unmarshal([]byte(`128`), &i8), json.Unmarshal([]byte(`1.5`), &i8), json.Unmarshal([]byte(`"1"`), &i8), json.Unmarshal([]byte(`1e1`), &i8), i8)
}
