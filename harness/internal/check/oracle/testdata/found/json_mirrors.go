package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"os"
	"strings"
	"time"
)

type Kind string
type Level int
type Base struct {
	ID   int `json:"id"`
	Note string
}
type inner struct{ Hidden int }
type Empty struct{}
type Item struct {
	Base
	Kind    Kind            `json:"kind,omitempty"`
	Level   Level           `json:",string"`
	Tags    []Kind          `json:"tags"`
	Map     map[Kind]Level  `json:"map"`
	IntMap  map[Level]*Base `json:"intmap,omitempty"`
	Ptr     *Base           `json:"ptr"`
	Raw     json.RawMessage `json:"raw"`
	T       time.Time       `json:"t,omitzero"`
	D       time.Duration
	Arr     [2]Level `json:"arr"`
	private int
	Skip    string `json:"-"`
	Dash    string `json:"-,"`
	E       Empty
	Any     any
	Bytes   []byte
	F       float64
	Big     big.Int
	BigP    *big.Int
	_       int
	Nested  struct {
		A, B int
		In   []struct{ X, Y float32 }
	}
	Ch func() `json:"-"`
}

type Closed struct {
	A    int `json:"a"`
	B    []struct{ C, D string }
	M    map[string]map[string]Kind
	N    *int
	F    float64
	Big  big.Int
	Case string `json:"CaSe"`
}

func show(x any, err error) { fmt.Printf("%+v %v %T\n", x, err, err) }

func main() {
	var it Item
	text := `{"id":3,"NOTE":"n","kind":"k","Level":"7","tags":["a","b"],"map":{"x":1},"intmap":{"4":{"id":9}},"ptr":{"id":1},"raw": {"a" : 1},"t":"2024-01-02T03:04:05Z","D":5,"arr":[1,2,3],"private":4,"Skip":"s","-":"dash","Any":{"a":[1,"x",null]},"Bytes":"aGk=","F":1e3,"Big":123456789012345678901234567890,"BigP":5,"Nested":{"A":1,"b":2,"In":[{"X":1.5}]}}`
	err := json.Unmarshal([]byte(text), &it)
	fmt.Printf("%+v %v\n", it.Base, err)
	fmt.Println(it.Kind, it.Level, it.Tags, it.Map, it.IntMap[4], it.Ptr, string(it.Raw), it.T, it.D, it.Arr, it.Dash, it.Any, string(it.Bytes), it.F, it.Big.String(), it.BigP, it.Nested)
	b, err := json.Marshal(it)
	fmt.Println(string(b), err)
	b, err = json.Marshal(&it)
	fmt.Println(string(b), err)
	b, err = json.MarshalIndent([]*Item{&it, nil}, "", " ")
	fmt.Println(string(b), err)

	for _, s := range []string{`{"a":"x","F":2}`, `{"a":1,"B":[{"C":1,"D":"d"},{"C":"c"}],"F":2}`, `{"M":{"a":{"b":3}}}`, `{"a":1}x`, `{"a":`, `null`, `[1]`, `{"N":null,"a":null}`, `{"N":1.5}`, `{"a":1e400}`, `{"F":1e400,"a":3}`, `{"a":9999999999999999999999}`, `{"case":"1","CASE":"2"}`, `{"N":5,"N":6}`, ` {"a":2} `, `{"M":{"a":null,"b":{}}}`, `"x"`, `{"Big":"q","a":4}`, `{"B":{"C":1}}`, `{"B":[1,2,{"C":"z"}],"a":5}`} {
		n := 4
		c := Closed{A: -1, N: &n, B: []struct{ C, D string }{{"p", "q"}, {"r", "s"}, {"t", "u"}}, M: map[string]map[string]Kind{"a": {"old": "v"}}}
		err := json.Unmarshal([]byte(s), &c)
		fmt.Printf("%s => %v %v %v %v %v %v | %v %T n=%d\n", s, c.A, c.B, c.M, c.N != nil, c.F, c.Case, err, err, n)
		if ute, ok := err.(*json.UnmarshalTypeError); ok {
			fmt.Println(ute.Value, ute.Offset, ute.Struct, ute.Field, ute.Type)
		}
	}
	c := Closed{F: math.NaN()}
	_, err = json.Marshal(c)
	show(nil, err)
	c.F = 0
	c.Big.SetInt64(77)
	b, err = json.Marshal(c)
	fmt.Println(string(b), err)
	b, err = json.Marshal(&c)
	fmt.Println(string(b), err)
	b, err = json.Marshal(struct {
		X Closed
		Y []Closed
	}{c, []Closed{c}})
	fmt.Println(string(b), err)

	dec := json.NewDecoder(strings.NewReader(`{"a":1,"zz":2} {"a":2} {"a":"q"}`))
	dec.DisallowUnknownFields()
	for i := 0; i < 4; i++ {
		var c Closed
		fmt.Println(dec.Decode(&c), c.A)
	}
	dec = json.NewDecoder(strings.NewReader(`{"Any":12345678901234567890, "F":1}{"Any":[1,{"b":2}]}`))
	dec.UseNumber()
	var x Item
	for dec.More() {
		fmt.Println(dec.Decode(&x))
		fmt.Printf("%v %T\n", x.Any, x.Any)
	}
	x.Any = &c
	fmt.Println(json.Unmarshal([]byte(`{"Any":{"a":55},"F":"no"}`), &x), c.A, x.Any == any(&c))
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent(">", "  ")
	enc.Encode([]Kind{"<a>", "b&c"})
	enc.Encode(map[Kind][]Level{"<x>": {1, 2}, "a": nil})
	enc.Encode(map[string]any{"c": c, "l": []any{c, Kind("<>")}})
	os.Stdout.Write(buf.Bytes())
	b, _ = json.Marshal(map[string]any{"c": c, "l": []any{c, Kind("<>")}})
	fmt.Println(string(b))
	in := inner{3}
	b, err = json.Marshal([]inner{in})
	fmt.Println(string(b), err)
	var list []Closed
	fmt.Println(json.Unmarshal([]byte(`[{"a":1},{"a":"bad"},{"a":3}]`), &list), len(list), list[0].A, list[1].A, list[2].A)
	var mp map[Level]Closed
	fmt.Println(json.Unmarshal([]byte(`{"1":{"a":1},"x":{"a":2}}`), &mp), len(mp))
	var pp **Closed
	fmt.Println(json.Unmarshal([]byte(`{"a":8}`), &pp), (*pp).A)
}
