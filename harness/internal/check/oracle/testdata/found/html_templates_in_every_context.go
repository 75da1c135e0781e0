package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"math"
	"strings"
	"time"
)

type MyHTML template.HTML
type MyURL template.URL
type MyJS template.JS
type H = template.HTML
type Bad struct{}

func (Bad) MarshalJSON() ([]byte, error) { return nil, errors.New("no </script> json") }

type BadOut struct{}

func (BadOut) MarshalJSON() ([]byte, error) { return []byte("{bad"), nil }

type PJ struct{ x int }

func (p *PJ) MarshalJSON() ([]byte, error) { return []byte(fmt.Sprint(p.x)), nil }

type TM struct{ s string }

func (t TM) MarshalText() ([]byte, error) { return []byte("tm:" + t.s), nil }

type Emb struct {
	template.HTML
	N int
}
type Num float64
type B bool
type Bs []byte
type Color uint8

func (c Color) String() string { return "c<" + fmt.Sprint(uint8(c)) + ">" }

type Rec struct {
	Next *Rec `json:"next,omitempty"`
	V    any
}
type PanicS struct{}

func (PanicS) String() string { panic("oops") }

type PtrStr struct{ a string }

func (p *PtrStr) String() string { return "ps" + p.a }

type Fm struct{}

func (Fm) Format(f fmt.State, c rune) { fmt.Fprint(f, "<fm>") }

type D struct {
	MH   MyHTML
	MU   MyURL
	MJ   MyJS
	H    H
	PH   *template.HTML
	HS   []template.HTML
	Bad  Bad
	BO   BadOut
	PJ   PJ
	PPJ  *PJ
	TM   TM
	Emb  Emb
	Num  Num
	NaN  Num
	B    B
	Bs   Bs
	C    Color
	Cs   map[Color]Color
	Rec  *Rec
	T    time.Time
	Dur  time.Duration
	Fn   func()
	Ch   chan int
	Any  any
	Nil  any
	Err  error
	PS   PtrStr
	PPS  *PtrStr
	PP   **PtrStr
	Fm   Fm
	RM   json.RawMessage
	Num2 json.Number
	Arr  [2]Color
	I64  int64
	Cx   complex128
	M    map[string]any
	An   struct{ X Color }
	SS   template.Srcset
}

func main() {
	h := template.HTML("<ptr>")
	ps := &PtrStr{"q"}
	r := &Rec{V: Color(1)}
	r.Next = &Rec{V: TM{"in"}}
	d := &D{"<mh>", "javascript:a", "alert()", "<h>", &h, []template.HTML{"<a>", "<b>"}, Bad{}, BadOut{}, PJ{5}, &PJ{6}, TM{"<t>"}, Emb{"<e>", 1}, 1.5, Num(math.NaN()), true, Bs("<bs>"), 3, map[Color]Color{1: 2}, r, time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), time.Second, nil, nil, Color(9), nil, errors.New("<err>"), PtrStr{"p"}, ps, &ps, Fm{}, json.RawMessage(`{"r":1}`), "12", [2]Color{1, 2}, 1 << 60, 1 + 2i, map[string]any{"c": Color(1), "h": template.HTML("<x>"), "l": []any{Color(2), nil, TM{"z"}}}, struct{ X Color }{7}, "a.png 1x"}
	fields := strings.Fields("MH MU MJ H PH HS Bad BO PJ PPJ TM Emb Num NaN B Bs C Cs Rec.V T Dur Any Nil Err PS PPS PP Fm RM Num2 Arr I64 Cx M An SS")
	for _, f := range append(fields, "Rec", "Fn", "Ch") {
		ctxs := []string{"{{.%s}}", "<a title='{{.%s}}' x={{.%s}}>", "<a href='{{.%s}}?q={{.%s}}'>", "<script>v={{.%s}}</script>", "<script>v='{{.%s}}'</script>", "<a onclick='f({{.%s}})'>", "<p style='a:{{.%s}}'>", "<img srcset='{{.%s}}'>", "<textarea>{{.%s}}</textarea>", "<p {{.%s}}>", "{{.%s | html}} {{js .%s}} {{print .%s}} {{urlquery .%s}}"}
		if f == "Rec" || f == "Fn" || f == "Ch" {
			ctxs = ctxs[3:4]
		}
		for _, c := range ctxs {
			s := strings.ReplaceAll(c, "%s", f)
			t, err := template.New("t").Parse(s)
			if err != nil {
				fmt.Println(err)
				continue
			}
			var b strings.Builder
			err = t.Execute(&b, d)
			out := b.String()
			if strings.Contains(out, "0x") {
				out = "addr"
			}
			fmt.Println(s, "=>", out, "|", err)
		}
	}
	for _, x := range []any{Bad{}, BadOut{}, Color(1), []any{Bad{}}, map[string]Bad{"a": {}}, func() {}, math.Inf(1), Num(math.Inf(1)), &D{}, []Color(nil), map[Color]int(nil), (*PJ)(nil), "</script>", 'x', [0]int{}, struct{}{}} {
		for _, s := range []string{"<script>{{.}}</script>", "<b onclick='{{.}}'>"} {
			var b strings.Builder
			err := template.Must(template.New("t").Parse(s)).Execute(&b, x)
			fmt.Println(s, "=>", b.String(), "|", err)
		}
	}
}
