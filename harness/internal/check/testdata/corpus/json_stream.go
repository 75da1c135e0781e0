// Streaming JSON: tokens, arrays element by element, RawMessage dispatch by type tag, NDJSON with bad lines.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

type Shape interface {
	Area() float64
	Kind() string
}
type Circle struct {
	R float64 `json:"r"`
}
type Rect struct {
	W float64 `json:"w"`
	H float64 `json:"h"`
}
type Group struct {
	Name   string  `json:"name"`
	Shapes []Shape `json:"shapes"`
}

func (c Circle) Area() float64 { return 3 * c.R * c.R }
func (Circle) Kind() string    { return "circle" }
func (r *Rect) Area() float64  { return r.W * r.H }
func (*Rect) Kind() string     { return "rect" }
func (g Group) Kind() string   { return "group" }
func (g Group) Area() (a float64) {
	for _, s := range g.Shapes {
		a += s.Area()
	}
	return
}

type envelope struct {
	Type string          `json:"type"`
	Body json.RawMessage `json:"body"`
}

type UnknownType string

func (u UnknownType) Error() string { return "unknown type " + string(u) }

func decode(raw json.RawMessage) (Shape, error) {
	var e envelope
	if err := json.Unmarshal(raw, &e); err != nil {
		return nil, err
	}
	switch e.Type {
	case "circle":
		var c Circle
		err := json.Unmarshal(e.Body, &c)
		return c, err
	case "rect":
		r := new(Rect)
		return r, json.Unmarshal(e.Body, r)
	case "group":
		g := &Group{}
		err := json.Unmarshal(e.Body, g)
		return *g, err
	}
	return nil, UnknownType(e.Type)
}

func (g *Group) UnmarshalJSON(b []byte) error {
	type plain struct {
		Name   string
		Shapes []json.RawMessage
	}
	var p plain
	if err := json.Unmarshal(b, &p); err != nil {
		return err
	}
	g.Name = p.Name
	for i, raw := range p.Shapes {
		s, err := decode(raw)
		if err != nil {
			return fmt.Errorf("%s[%d]: %w", g.Name, i, err)
		}
		g.Shapes = append(g.Shapes, s)
	}
	return nil
}

func encode(s Shape) ([]byte, error) {
	body, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return json.Marshal(envelope{s.Kind(), body})
}

func tokens(r io.Reader) (out []string, depth int, err error) {
	dec := json.NewDecoder(r)
	for {
		t, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return out, depth, nil
		}
		if err != nil {
			return out, depth, err
		}
		if d, ok := t.(json.Delim); ok {
			switch d {
			case '{', '[':
				depth++
			default:
				depth--
			}
			out = append(out, d.String())
			continue
		}
		out = append(out, fmt.Sprintf("%T:%v", t, t))
	}
}

func main() {
	src := `{"type":"group","body":{"name":"g","shapes":[{"type":"circle","body":{"r":2}},{"type":"rect","body":{"w":2,"h":3.5}},{"type":"group","body":{"name":"inner","shapes":[]}}]}}`
	s, err := decode(json.RawMessage(src))
	fmt.Printf("%T %v %v\n", s, s.Area(), err)
	for _, sub := range s.(Group).Shapes {
		b, err := encode(sub)
		fmt.Println(string(b), err)
	}
	_, err = decode(json.RawMessage(`{"type":"group","body":{"name":"bad","shapes":[{"type":"hex"}]}}`))
	var u UnknownType
	fmt.Println(err, errors.As(err, &u), u == "hex")

	fmt.Println(tokens(strings.NewReader(`{"a":[1,true,null,"x"],"b":{}} [2.5]`)))
	fmt.Println(tokens(strings.NewReader(`[1,,2]`)))

	dec := json.NewDecoder(strings.NewReader(`[{"r":1},{"r":2},{"r":"x"},{"r":4}]`))
	dec.Token()
	total := 0.0
	for i := 0; dec.More(); i++ {
		var c Circle
		if err := dec.Decode(&c); err != nil {
			fmt.Println("element", i, err, dec.InputOffset())
			continue
		}
		total += c.R
	}
	fmt.Println(total)

	good, bad := 0, []string{}
	for line := range strings.Lines("{\"r\":1}\n{r:2}\n\n{\"r\":3}\n{\"r\":4}x\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		var c Circle
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			bad = append(bad, err.Error())
			continue
		}
		good++
	}
	fmt.Printf("%d %q\n", good, bad)
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent(">", " ")
	fmt.Println(enc.Encode(map[string]any{"html": "<b>&", "n": []int{}, "nil": []int(nil), "e": Circle{1e21}}))
	fmt.Print(buf.String())
	buf.Reset()
	json.Compact(&buf, []byte("{ \"a\" : [ 1 , 2 ] }"))
	fmt.Println(buf.String(), json.Valid(buf.Bytes()), json.Valid([]byte("{")))
}
