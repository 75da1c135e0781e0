package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
	"time"
)

type Shape interface {
	Area() float64
	Kind() string
}
type Circle struct{ R float64 }
type Rect struct{ W, H float64 }

func (c Circle) Area() float64 { return 3 * c.R * c.R }
func (Circle) Kind() string    { return "circle" }
func (r Rect) Area() float64   { return r.W * r.H }
func (*Rect) Kind() string     { return "rect" }

type Envelope struct{ Shape }

func (e Envelope) MarshalJSON() ([]byte, error) {
	body, err := json.Marshal(e.Shape)
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		Kind string          `json:"kind"`
		Body json.RawMessage `json:"body"`
	}{e.Kind(), body})
}

func (e *Envelope) UnmarshalJSON(b []byte) error {
	var raw struct {
		Kind string
		Body json.RawMessage
	}
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	mk, ok := map[string]func() Shape{
		"circle": func() Shape { return &Circle{} },
		"rect":   func() Shape { return new(Rect) },
	}[raw.Kind]
	if !ok {
		return fmt.Errorf("unknown kind %q", raw.Kind)
	}
	e.Shape = mk()
	return json.Unmarshal(raw.Body, e.Shape)
}

type Level int

func (l Level) MarshalText() ([]byte, error) {
	if l < 0 || l > 2 {
		return nil, fmt.Errorf("bad level %d", int(l))
	}
	return []byte([]string{"low", "mid", "high"}[l]), nil
}
func (l *Level) UnmarshalText(b []byte) error {
	for i, s := range []string{"low", "mid", "high"} {
		if strings.EqualFold(s, string(b)) {
			*l = Level(i)
			return nil
		}
	}
	return errors.New("no level " + string(b))
}

type Dur struct{ time.Duration }

func (d *Dur) UnmarshalJSON(b []byte) (err error) {
	var v any
	if err = json.Unmarshal(b, &v); err != nil {
		return err
	}
	switch x := v.(type) {
	case string:
		d.Duration, err = time.ParseDuration(x)
	case float64:
		d.Duration = time.Duration(x) * time.Second
	default:
		err = fmt.Errorf("duration from %T", v)
	}
	return
}

type Config struct {
	Name    string            `json:"name"`
	Timeout Dur               `json:"timeout"`
	Levels  map[Level][]Level `json:"levels,omitempty"`
	Shapes  []Envelope        `json:"shapes"`
	Extra   any               `json:"extra"`
	Since   time.Time         `json:"since,omitzero"`
	Ptr     **int             `json:"ptr"`
	Arr     [2]bool           `json:"arr"`
	Bytes   []byte            `json:"bytes"`
}

func walk(v any, path string, out *[]string) {
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			walk(v[k], path+"."+k, out)
		}
	case []any:
		for i, x := range v {
			walk(x, fmt.Sprintf("%s[%d]", path, i), out)
		}
	case json.Number:
		*out = append(*out, path+"=#"+v.String())
	default:
		*out = append(*out, fmt.Sprintf("%s=%v(%T)", path, v, v))
	}
}

func main() {
	src := `{"name":"x","timeout":"1m30s","levels":{"low":["HIGH","mid"]},
	"shapes":[{"kind":"circle","body":{"R":2}},{"kind":"rect","body":{"W":3,"H":4}}],
	"extra":{"b":[1,{"c":null}],"a":12345678901234567890},"ptr":7,"arr":[true],"bytes":"aGk="}`
	var c Config
	if err := json.Unmarshal([]byte(src), &c); err != nil {
		fmt.Println("ERR", err)
	}
	var area float64
	for _, s := range c.Shapes {
		area += s.Area()
		fmt.Printf("%s %T %+v\n", s.Kind(), s.Shape, s.Shape)
	}
	fmt.Println(c.Name, c.Timeout, c.Levels, area, **c.Ptr, c.Arr, string(c.Bytes), c.Since.IsZero())
	out, err := json.Marshal(c)
	fmt.Println(string(out), err)
	var paths []string
	dec := json.NewDecoder(strings.NewReader(src + ` {"second":1}`))
	dec.UseNumber()
	for {
		var v any
		if err := dec.Decode(&v); err == io.EOF {
			break
		} else if err != nil {
			fmt.Println(err)
			break
		}
		walk(v, "$", &paths)
	}
	fmt.Println(strings.Join(paths, "\n"))
	bad := []string{`{"timeout":[]}`, `{"shapes":[{"kind":"tri"}]}`, `{"levels":{"zzz":[]}}`, `{"name":5}`, `{"name":`, `{"arr":[1]}`, `{"bytes":"*"}`, `{"nope":1}`, `[]`, `{"name":"a"}x`}
	for _, b := range bad {
		d := json.NewDecoder(bytes.NewReader([]byte(b)))
		d.DisallowUnknownFields()
		var c Config
		err := d.Decode(&c)
		var se *json.SyntaxError
		var ue *json.UnmarshalTypeError
		switch {
		case errors.As(err, &se):
			fmt.Println("syntax", se.Offset, err)
		case errors.As(err, &ue):
			fmt.Println("type", ue.Field, ue.Value, ue.Type, "|", err)
		default:
			fmt.Println("other", err)
		}
	}
	_, err = json.Marshal(map[string]any{"l": Level(9)})
	fmt.Println(err)
	_, err = json.Marshal(map[string]any{"f": func() {}})
	fmt.Println(err)
	var ind bytes.Buffer
	json.Indent(&ind, []byte(`{"a":[1,2],"b":{}}`), ">", "\t")
	fmt.Println(ind.String(), json.Valid([]byte(`{a:1}`)))
}
