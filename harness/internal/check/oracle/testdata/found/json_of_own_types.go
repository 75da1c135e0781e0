package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"regexp"
	"strings"
	"time"
)

type Level int

func (l Level) MarshalText() ([]byte, error) { return []byte(fmt.Sprintf("L%d", int(l))), nil }
func (l *Level) UnmarshalText(b []byte) error {
	_, err := fmt.Sscanf(string(b), "L%d", (*int)(l))
	return err
}

type Temp float64

func (t Temp) MarshalJSON() ([]byte, error) {
	return []byte(fmt.Sprintf(`{"t":%.1f}`, float64(t))), nil
}

type PtrM struct{ v int }

func (p *PtrM) MarshalJSON() ([]byte, error) { return []byte(fmt.Sprintf(`"pm%d"`, p.v)), nil }
func (p *PtrM) UnmarshalJSON(b []byte) error {
	if string(b) == `"bad"` {
		return errors.New("bad pm")
	}
	p.v = len(b)
	return nil
}

type Bad struct{}

func (Bad) MarshalJSON() ([]byte, error) { return nil, errors.New("no way") }

type BadT struct{}

func (BadT) MarshalText() ([]byte, error) { return nil, errors.New("no text") }

type Inv struct{}

func (Inv) MarshalJSON() ([]byte, error) { return []byte(`{bad`), nil }

type Base struct {
	ID   int    `json:"id"`
	Kind string `json:"kind,omitempty"`
}
type Mid struct {
	Base
	Name string
}
type Doc struct {
	Mid
	*Extra
	Title string          `json:"title"`
	Body  string          `json:"-"`
	Dash  string          `json:"-,"`
	Num   int             `json:"num,string"`
	Fl    float64         `json:",omitempty"`
	B     bool            `json:"b,omitempty,string"`
	L     Level           `json:"l"`
	LM    map[Level]Temp  `json:"lm,omitempty"`
	IM    map[int]string  `json:"im,omitempty"`
	Raw   json.RawMessage `json:"raw,omitempty"`
	When  time.Time       `json:"when,omitzero"`
	Dur   time.Duration   `json:"dur"`
	Any   any             `json:"any"`
	PM    PtrM            `json:"pm"`
	PPM   *PtrM           `json:"ppm,omitempty"`
	Arr   [2]Level        `json:"arr"`
	Sl    []Level         `json:"sl"`
	By    []byte          `json:"by"`
	N     *int            `json:"n"`
	priv  int
	Fn    func() `json:"-"`
	Big   *big.Int
	Num2  json.Number        `json:"num2,omitempty"`
	S     struct{ X, y int } `json:"s"`
	Anon  []struct {
		A int `json:"a"`
	} `json:"anon"`
	Iface fmt.Stringer `json:"iface"`
	HTML  string       `json:"html"`
}
type Extra struct {
	E1 string
	ID int
}
type Rec struct {
	V    int            `json:"v"`
	Next *Rec           `json:"next,omitempty"`
	Kids []Rec          `json:"kids,omitempty"`
	M    map[string]Rec `json:"m,omitempty"`
}
type bs []byte
type U8 uint8
type Flt float32

var addr = regexp.MustCompile(`0x[0-9a-f]{6,}`)

func show(x any) {
	b, err := json.Marshal(x)
	fmt.Println(string(b), err)
	var me *json.MarshalerError
	var ute *json.UnsupportedTypeError
	var uve *json.UnsupportedValueError
	if err != nil {
		fmt.Println(errors.As(err, &me), errors.As(err, &ute), errors.As(err, &uve), errors.Unwrap(err))
	}
}

func read(s string, p any) {
	err := json.Unmarshal([]byte(s), p)
	fmt.Println(addr.ReplaceAllString(fmt.Sprintf("%+v %v", p, err), "0x"))
	var ute *json.UnmarshalTypeError
	var se *json.SyntaxError
	if errors.As(err, &ute) {
		fmt.Println(ute.Value, ute.Type, ute.Offset, ute.Struct, ute.Field)
	}
	if errors.As(err, &se) {
		fmt.Println(se.Offset)
	}
}

func main() {
	n := 5
	d := Doc{Mid: Mid{Base{1, ""}, "nm"}, Extra: &Extra{"e", 9}, Title: "t<&>", Num: 3, B: true, L: 2, LM: map[Level]Temp{2: 1, 1: 2.5}, IM: map[int]string{10: "a", 9: "b"}, Raw: json.RawMessage(`{ "a" : 1 }`), Dur: time.Second, Any: []any{Level(1), Temp(2), nil, map[string]any{"z": Level(3), "a": 1.5}}, PM: PtrM{4}, Sl: []Level{1}, By: []byte("hi"), N: &n, Big: big.NewInt(99), Num2: "1.50", HTML: "<a>\u2028"}
	show(d)
	show(&d)
	b, err := json.MarshalIndent(d, ">", "  ")
	fmt.Println(string(b), err)
	show(Rec{1, &Rec{V: 2}, []Rec{{V: 3}}, map[string]Rec{"a": {V: 4}}})
	for _, x := range []any{Level(3), []Level{1, 2}, map[string]Level{"a": 1}, Temp(1.25), &n, PtrM{1}, &PtrM{2}, []PtrM{{3}}, []*PtrM{{4}, nil}, map[string]PtrM{"a": {5}}, struct{ P PtrM }{PtrM{6}}, &struct{ P PtrM }{PtrM{7}}, Bad{}, []Bad{{}}, map[string]Bad{"a": {}}, struct{ B Bad }{}, BadT{}, map[BadT]int{{}: 1}, Inv{}, func() {}, make(chan int), map[bool]int{true: 1}, math.NaN(), math.Inf(1), []any{math.NaN()}, struct{ F float64 }{math.Inf(-1)}, complex(1, 2), bs("raw"), []U8{1, 2}, U8(3), Flt(0.1), float32(0.1), 1e21, 1e-7, 100000000.0, "a\x00\xffb", []string(nil), map[string]int(nil), [0]int{}, struct{}{}, (*Doc)(nil), error(nil), errors.New("x"), time.Unix(0, 0).UTC(), time.Duration(5), big.NewInt(7), *big.NewFloat(1.5), json.Number("12"), json.Number("x"), [2]bool{true}, map[U8]string{2: "b", 1: "a"}, struct {
		A int       `json:"a,omitempty"`
		B *int      `json:",omitempty"`
		C any       `json:",omitempty"`
		D []int     `json:",omitempty"`
		E time.Time `json:",omitempty"`
		F struct{}  `json:",omitempty"`
		G [0]int    `json:",omitempty"`
		H Level     `json:",omitzero"`
	}{}, struct {
		A int `json:"x"`
		B int `json:"x"`
		C int
	}{1, 2, 3}} {
		show(x)
	}
	var out Doc
	read(string(must(json.Marshal(d))), &out)
	fmt.Println(out.Extra, *out.N, out.LM, out.Sl, out.PM.v, string(out.Raw), out.ID, out.E1)
	read(`{"id":"x"}`, &Base{})
	read(`{"ID":7,"KIND":"k","extra":1}`, &Base{})
	read(`{"id":1.5}`, &Base{})
	read(`{"id":99999999999999999999}`, &Base{})
	read(`{"v":1,"next":{"v":"bad"}}`, &Rec{})
	read(`{"kids":[{"v":1},{"v":[]}]}`, &Rec{})
	read(`{"m":{"q":{"v":true}}}`, &Rec{})
	read(`[1,2,"x"]`, &[]int{})
	read(`[1,2,3]`, &[2]int{})
	read(`[1]`, &[2]int{7, 8})
	read(`{"a":1}`, &map[string]string{})
	read(`{"1":"a","x":"b"}`, &map[int]string{})
	read(`{"L1":1}`, &map[Level]int{})
	read(`["L1","zz"]`, &[]Level{})
	read(`"L5"`, new(Level))
	read(`5`, new(Level))
	read(`{"a"`, &Base{})
	read(``, &Base{})
	read(`nul`, &Base{})
	read(`null`, &Base{ID: 3})
	read(`{"id":null,"kind":null}`, &Base{3, "k"})
	read(`"bad"`, &PtrM{})
	read(`{"P":"bad"}`, &struct{ P PtrM }{})
	read(`[{"a":1},2]`, new(any))
	read(`{"x":{"y":[1,null,true]}}`, new(any))
	read(`{"num":"12","b":"true"}`, &out)
	read(`{"num":12}`, &out)
	read(`{"num":"x"}`, &out)
	read(`300`, new(U8))
	read(`-1`, new(U8))
	read(`"aGk="`, new(bs))
	read(`"!!"`, new(bs))
	read(`"2020-01-02T03:04:05Z"`, new(time.Time))
	read(`"x"`, new(time.Time))
	fmt.Println(json.Unmarshal([]byte(`{}`), nil), json.Unmarshal([]byte(`{}`), Base{}), json.Unmarshal([]byte(`{}`), (*Base)(nil)))
	dec := json.NewDecoder(strings.NewReader(`{"id":1}{"id":2} {"id":"x"} {"id":3,"zzz":1}`))
	for range 4 {
		var x Base
		fmt.Println(dec.Decode(&x), x, dec.InputOffset(), dec.More())
	}
	dec = json.NewDecoder(strings.NewReader(`{"id":1,"zzz":{"q":1}}`))
	dec.DisallowUnknownFields()
	var x Base
	fmt.Println(dec.Decode(&x), x)
	dec = json.NewDecoder(strings.NewReader(`{"a":1.0,"b":[2,{"c":3}]}`))
	dec.UseNumber()
	var y any
	fmt.Println(dec.Decode(&y), y)
	fmt.Printf("%T\n", y.(map[string]any)["a"])
	dec = json.NewDecoder(strings.NewReader(`[{"id":1},{"id":2}]`))
	tok, err := dec.Token()
	fmt.Println(tok, err)
	for dec.More() {
		var x Base
		fmt.Println(dec.Decode(&x), x)
	}
	enc := json.NewEncoder(os.Stdout)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	fmt.Println(enc.Encode(map[string]any{"b": Level(1), "a": "<>", "c": Base{1, "<"}}))
	fmt.Println(enc.Encode(Bad{}))
	var buf bytes.Buffer
	fmt.Println(json.Indent(&buf, []byte(`{"a":[1,2]}`), "", "\t"), buf.String(), json.Valid([]byte(`{}`)))
	_ = d.priv
	_ = d.S.y
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}
