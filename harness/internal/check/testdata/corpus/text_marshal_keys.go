// TextMarshalers as map keys, values, slice elements; Unmarshalers by pointer; errors inside; order of keys.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

type Point struct{ X, Y int }

func (p Point) MarshalText() ([]byte, error) {
	if p.X < 0 {
		return nil, errNegative
	}
	return fmt.Appendf(nil, "%d,%d", p.X, p.Y), nil
}

func (p *Point) UnmarshalText(b []byte) (err error) {
	x, y, ok := strings.Cut(string(b), ",")
	if !ok {
		return fmt.Errorf("point %q has no comma", b)
	}
	if p.X, err = strconv.Atoi(x); err != nil {
		return
	}
	p.Y, err = strconv.Atoi(y)
	return
}

var errNegative = errors.New("negative x")

type Enum uint8

const (
	A Enum = iota
	B
	C
)

func (e Enum) MarshalText() ([]byte, error) { return []byte{'a' + byte(e)}, nil }
func (e *Enum) UnmarshalText(b []byte) error {
	if len(b) != 1 || b[0] < 'a' || b[0] > 'c' {
		return &EnumError{string(b)}
	}
	*e = Enum(b[0] - 'a')
	return nil
}

type EnumError struct{ Got string }

func (e *EnumError) Error() string { return "no enum " + strconv.Quote(e.Got) }

type List []string

func (l List) MarshalJSON() ([]byte, error) { return json.Marshal(strings.Join(l, "|")) }
func (l *List) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		var many []string
		if json.Unmarshal(b, &many) != nil {
			return err
		}
		*l = many
		return nil
	}
	*l = strings.Split(s, "|")
	return nil
}

type PtrOnly struct{ n int }

func (p *PtrOnly) MarshalText() ([]byte, error) { return []byte("#" + strconv.Itoa(p.n)), nil }

type Flag bool

func (f Flag) MarshalJSON() ([]byte, error) {
	return []byte(map[Flag]string{true: "1", false: "0"}[f]), nil
}

type Doc struct {
	Grid   map[Point]Enum
	Enums  []Enum
	Fixed  [2]Point
	Ptr    *Point
	Nested map[Enum]map[Enum][]Point `json:"nested,omitempty"`
	L      List
	PL     *List `json:",omitempty"`
	Flags  map[string]Flag
	Any    any
	IP     netip.Addr
	When   time.Time `json:"when,omitzero"`
	E      Enum      `json:"e,omitempty"`
	S      Enum      `json:",string"`
}

type Outer struct {
	Point
	Name string
}

type Inner struct {
	Enum `json:"kind"`
	N    int
}

func main() {
	d := Doc{Grid: map[Point]Enum{{2, 1}: B, {10, 0}: C}, Enums: []Enum{A, C}, Fixed: [2]Point{{1, 2}}, Ptr: &Point{3, 4},
		Nested: map[Enum]map[Enum][]Point{B: {A: {{5, 6}}, C: nil}}, L: List{"x", "y"}, Flags: map[string]Flag{"on": true, "off": false},
		Any: []any{Point{7, 8}, &Point{9, 9}, B, map[Enum]any{C: List{"q"}}}, IP: netip.MustParseAddr("::1"), S: C}
	b, err := json.MarshalIndent(d, "", " ")
	fmt.Println(string(b), err)
	var back Doc
	err = json.Unmarshal([]byte(`{"grid":{"1,1":"b"},"enums":["a","b"],"fixed":["9,8","7,6","5,4"],"ptr":"0,1","nested":{"c":{"a":["1,2"]}},"l":["m","n"],"PL":"r|s","IP":"10.0.0.1","when":"2025-01-01T00:00:00Z","e":"c"}`), &back)
	fmt.Println(err, back.Grid, back.Enums, back.Fixed, *back.Ptr, back.Nested, back.L, *back.PL, back.IP, back.When.Year(), back.E)
	for _, bad := range []string{`{"grid":{"11":"b"}}`, `{"grid":{"1,1":"z"}}`, `{"enums":["a",3]}`, `{"fixed":["x,1"]}`, `{"nested":{"q":{}}}`, `{"l":5}`, `{"ip":"nope"}`, `{"when":"now"}`, `{"e":null}`} {
		var x Doc
		err := json.Unmarshal([]byte(bad), &x)
		var ee *EnumError
		var ne *strconv.NumError
		fmt.Println(bad, "|", err, errors.As(err, &ee), errors.As(err, &ne))
	}
	for _, v := range []any{map[Point]int{{-1, 0}: 1}, []Point{{-1, 0}}, struct{ P *Point }{&Point{-2, 0}}, map[string]any{"k": Point{-3, 0}}} {
		_, err := json.Marshal(v)
		var me *json.MarshalerError
		fmt.Println(err, errors.Is(err, errNegative), errors.As(err, &me))
	}
	for _, v := range []any{PtrOnly{1}, &PtrOnly{2}, []PtrOnly{{3}}, []*PtrOnly{{4}, nil}, map[string]PtrOnly{"k": {5}}, Outer{Point{1, 2}, "n"}, &Outer{}, Inner{B, 2}, map[PtrOnlyKey]int{{1}: 1}, map[int8]Enum{-1: A}, map[*Point]int{}} {
		b, err := json.Marshal(v)
		fmt.Printf("%T %s %v\n", v, b, err)
	}
	var o Outer
	fmt.Println(json.Unmarshal([]byte(`"4,5"`), &o), o, json.Unmarshal([]byte(`{"X":1}`), &o), o)
	var in Inner
	fmt.Println(json.Unmarshal([]byte(`{"kind":"c","n":9}`), &in), in.Enum, in.N)
	keys := []Enum{C, A, B}
	slices.Sort(keys)
	b, _ = json.Marshal(keys)
	fmt.Println(string(b), fmt.Sprint(keys), fmt.Sprintf("%s", mustText(keys[1])))
}

type PtrOnlyKey struct{ n int }

func (p PtrOnlyKey) MarshalText() ([]byte, error) { return []byte("key" + strconv.Itoa(p.n)), nil }

func mustText(m interface{ MarshalText() ([]byte, error) }) []byte {
	b, err := m.MarshalText()
	if err != nil {
		panic(err)
	}
	return b
}
