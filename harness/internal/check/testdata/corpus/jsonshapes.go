package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"time"
)

type Base struct {
	ID      int64     `json:"id,string"`
	Created time.Time `json:"created,omitzero"`
}
type Meta struct {
	Name string `json:"name"`
	Note string `json:"note,omitempty"`
}
type Shape interface{ Area() float64 }
type Circle struct{ R float64 }
type Rect struct {
	W, H float64
	Meta `json:"meta"`
}

func (c Circle) Area() float64 { return math.Pi * c.R * c.R }
func (r *Rect) Area() float64  { return r.W * r.H }
func (c Circle) MarshalJSON() ([]byte, error) {
	if c.R < 0 {
		return nil, fmt.Errorf("negative radius %v", c.R)
	}
	return fmt.Appendf(nil, `{"kind":"circle","r":%g}`, c.R), nil
}

type Shapes []Shape

func (s *Shapes) UnmarshalJSON(b []byte) error {
	var raws []json.RawMessage
	if err := json.Unmarshal(b, &raws); err != nil {
		return err
	}
	for i, raw := range raws {
		var k struct{ Kind string }
		if err := json.Unmarshal(raw, &k); err != nil {
			return fmt.Errorf("shape %d: %w", i, err)
		}
		var sh Shape
		switch k.Kind {
		case "circle":
			var c Circle
			if err := json.Unmarshal(raw, &c); err != nil {
				return err
			}
			sh = c
		case "rect":
			sh = new(Rect)
			if err := json.Unmarshal(raw, sh); err != nil {
				return err
			}
		default:
			return fmt.Errorf("shape %d: unknown kind %q", i, k.Kind)
		}
		*s = append(*s, sh)
	}
	return nil
}

type Doc struct {
	Base
	*Meta
	Title  string             `json:"title"`
	Shapes Shapes             `json:"shapes"`
	Any    any                `json:"any"`
	Opt    *int               `json:"opt"`
	Opt2   *string            `json:"opt2,omitempty"`
	Bytes  []byte             `json:"bytes"`
	Arr    [3]int             `json:"arr"`
	M      map[int]string     `json:"m"`
	Skip   string             `json:"-"`
	Dash   int                `json:"-,"`
	F32    float32            `json:"f32"`
	Flags  map[string]bool    `json:"flags,omitempty"`
	Nested struct{ A, B int } `json:"nested"`
	U8     uint8              `json:"u8"`
	priv   int
}

func main() {
	five := 5
	d := Doc{Base: Base{ID: 77}, Meta: &Meta{Name: "nm"}, Title: "<a&b> \u2028 \"q\"", Shapes: Shapes{Circle{1.5}, &Rect{2, 3, Meta{Name: "r"}}}, Any: map[string]any{"z": 1, "a": []int{1}}, Opt: &five, Bytes: []byte("hi!"), M: map[int]string{10: "x", 2: "y"}, Skip: "s", Dash: 3, F32: 0.1}
	b, err := json.Marshal(d)
	fmt.Println(string(b), err)
	enc := json.NewEncoder(os.Stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent(">", "\t")
	fmt.Println(enc.Encode(map[string]any{"t": "<x>", "e": []string{}, "n": map[string]int{}, "nil": []int(nil), "s": struct{}{}}))
	_, err = json.Marshal(Shapes{Circle{-1}})
	var me *json.MarshalerError
	fmt.Println(err, errors.As(err, &me))
	_, err = json.Marshal(map[string]any{"f": math.NaN()})
	fmt.Println(err)
	_, err = json.Marshal(struct{ C chan int }{})
	fmt.Println(err)
	_, err = json.Marshal(func() {})
	fmt.Println(err)
	var x Doc
	err = json.Unmarshal([]byte(`{"ID":"12","name":"emb","TITLE":"t","shapes":[{"kind":"circle","R":2},{"kind":"rect","w":4,"H":5,"meta":{"name":"q"}}],"any":{"n":1.5,"l":[null,true,"s"]},"opt":null,"bytes":"aGk=","arr":[1,2,3,4],"m":{"3":"c"},"f32":3.5,"extra":1}`), &x)
	fmt.Println(err, x.ID, x.Meta.Name, x.Title, len(x.Shapes), x.Any, x.Opt == nil, string(x.Bytes), x.Arr, x.M, x.F32)
	total := 0.0
	for _, s := range x.Shapes {
		total += s.Area()
		fmt.Printf("%T %+v\n", s, s)
	}
	fmt.Printf("%.3f\n", total)
	for _, bad := range []string{
		`{"id":12}`, `{"u8":300}`, `{"arr":"x"}`, `{"m":{"k":"v"}}`, `{"nested":{"a":"x"}}`, `{"title":1,"f32":"z"}`, `{"shapes":[{"kind":"hex"}]}`, `{"title":"a`, `{"a" 1}`, `[1,2]`, ``, `nul`, `{"bytes":"***"}`, `{"title":"x"} trailing`, `{"created":"yesterday"}`, `{"flags":{"a":1}}`, "{\"t\":\"\x01\"}",
	} {
		var y Doc
		err := json.Unmarshal([]byte(bad), &y)
		var se *json.SyntaxError
		var te *json.UnmarshalTypeError
		switch {
		case errors.As(err, &se):
			fmt.Println("syntax", se.Offset, err)
		case errors.As(err, &te):
			fmt.Println("type", te.Value, te.Offset, te.Field, "|", err)
		default:
			fmt.Println("other", err)
		}
	}
	dec := json.NewDecoder(strings.NewReader(`{"a": 12345678901234567890, "b": 1.0} [1] "x"`))
	dec.UseNumber()
	for dec.More() {
		var v any
		if err := dec.Decode(&v); err != nil {
			fmt.Println(err)
			break
		}
		switch t := v.(type) {
		case map[string]any:
			n := t["a"].(json.Number)
			_, e := n.Int64()
			f, _ := n.Float64()
			fmt.Println(n, e, f, t["b"])
		default:
			fmt.Printf("%T %v\n", t, t)
		}
	}
	dec = json.NewDecoder(strings.NewReader(`{"k":[1,{"z":null}]}`))
	for {
		t, err := dec.Token()
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Printf("%T:%v ", t, t)
	}
	fmt.Println(json.Valid([]byte(`{"a":[1,2,{}]}`)), json.Valid([]byte(`{a:1}`)))
}
