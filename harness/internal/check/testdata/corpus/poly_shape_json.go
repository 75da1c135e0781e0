// A tagged-union codec with registries of generic constructors, nested arrays of interfaces, versions and migration.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

type Block interface {
	Kind() string
	Text() string
}

type (
	Para    struct{ Spans []Span }
	Heading struct {
		Level int    `json:"level"`
		Title string `json:"title"`
	}
	ListBlock struct {
		Ordered bool  `json:"ordered,omitempty"`
		Items   []Doc `json:"items"`
	}
	Quote struct {
		Inner Box `json:"inner"`
		By    *string
	}
	Span struct {
		S    string `json:"s"`
		Bold bool   `json:"b,omitempty"`
		Link *url   `json:"href,omitempty"`
	}
	url string
	Doc []Box
	Box struct{ Block }
)

func (Para) Kind() string      { return "p" }
func (Heading) Kind() string   { return "h" }
func (ListBlock) Kind() string { return "list" }
func (*Quote) Kind() string    { return "quote" }

func (p Para) Text() string {
	var sb strings.Builder
	for _, s := range p.Spans {
		sb.WriteString(s.S)
	}
	return sb.String()
}
func (h Heading) Text() string { return strings.Repeat("#", h.Level) + " " + h.Title }
func (l ListBlock) Text() string {
	var out []string
	for i, d := range l.Items {
		mark := "-"
		if l.Ordered {
			mark = fmt.Sprintf("%d.", i+1)
		}
		out = append(out, mark+" "+strings.ReplaceAll(d.Text(), "\n", "\n  "))
	}
	return strings.Join(out, "\n")
}
func (q *Quote) Text() string {
	s := "> " + strings.ReplaceAll(q.Inner.Text(), "\n", "\n> ")
	if q.By != nil {
		s += "\n> — " + *q.By
	}
	return s
}
func (d Doc) Text() string {
	parts := make([]string, len(d))
	for i, b := range d {
		parts[i] = b.Text()
	}
	return strings.Join(parts, "\n")
}

type codec struct {
	dec func([]byte) (Block, error)
}

var registry = map[string]codec{}

func register[T any, P interface {
	*T
	Block
}](byValue bool) {
	var zero T
	registry[P(&zero).Kind()] = codec{func(b []byte) (Block, error) {
		v := P(new(T))
		dec := json.NewDecoder(bytes.NewReader(b))
		dec.DisallowUnknownFields()
		err := dec.Decode(v)
		if byValue {
			return any(*v).(Block), err
		}
		return v, err
	}}
}

func init() {
	register[Para](true)
	register[Heading](true)
	register[ListBlock](true)
	register[Quote](false)
}

type kindError struct {
	Kind  string
	Known []string
}

func (k *kindError) Error() string { return fmt.Sprintf("unknown kind %q, know %v", k.Kind, k.Known) }

func (b Box) MarshalJSON() ([]byte, error) {
	if b.Block == nil {
		return []byte("null"), nil
	}
	body, err := json.Marshal(b.Block)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `{"kind":%q,"data":%s}`, b.Kind(), body), nil
}

func (b *Box) UnmarshalJSON(raw []byte) (err error) {
	var head struct {
		Kind string
		Data json.RawMessage
	}
	if raw[0] == '"' {
		var s string
		if err = json.Unmarshal(raw, &s); err == nil {
			b.Block = Para{[]Span{{S: s}}}
		}
		return
	}
	if err = json.Unmarshal(raw, &head); err != nil || head.Kind == "" {
		return
	}
	c, ok := registry[head.Kind]
	if !ok {
		return &kindError{head.Kind, slices.Sorted(maps.Keys(registry))}
	}
	b.Block, err = c.dec(head.Data)
	if err != nil {
		err = fmt.Errorf("%s: %w", head.Kind, err)
	}
	return
}

func (u *url) UnmarshalText(b []byte) error {
	if !bytes.HasPrefix(b, []byte("http")) {
		return fmt.Errorf("bad url %q", b)
	}
	*u = url(b)
	return nil
}

func walk(b Block, depth int, visit func(Block, int) bool) bool {
	if box, ok := b.(Box); ok {
		b = box.Block
	}
	if b == nil || !visit(b, depth) {
		return b == nil
	}
	switch x := b.(type) {
	case ListBlock:
		for _, d := range x.Items {
			for _, k := range d {
				if !walk(k, depth+1, visit) {
					return false
				}
			}
		}
	case *Quote:
		return walk(x.Inner, depth+1, visit)
	}
	return true
}

func main() {
	src := `[{"kind":"h","data":{"level":2,"title":"T <1>"}},"plain",{"kind":"p","data":{"Spans":[{"s":"x"},{"s":"y","b":true,"href":"http://e"}]}},
	{"kind":"list","data":{"ordered":true,"items":[["one",{"kind":"list","data":{"items":[["deep"]]}}],[]]}},{"kind":"quote","data":{"inner":{"kind":"h","data":{"level":1,"title":"q"}},"By":"me"}},null]`
	var d Doc
	fmt.Println(json.Unmarshal([]byte(src), &d), len(d))
	fmt.Println(d[:5].Text())
	out, err := json.Marshal(d)
	fmt.Println(string(out), err)
	var back Doc
	err = json.Unmarshal(out, &back)
	again, _ := json.Marshal(back)
	fmt.Println(err, bytes.Equal(out, again))
	counts := map[string]int{}
	for _, b := range d {
		walk(b, 0, func(b Block, depth int) bool {
			counts[fmt.Sprintf("%T@%d", b, depth)]++
			return depth < 2
		})
	}
	fmt.Println(counts)
	for _, bad := range []string{`[{"kind":"zap"}]`, `[{"kind":"h","data":{"lvl":1}}]`, `[{"kind":"h","data":{"level":"x"}}]`, `[{"kind":"quote","data":{"inner":{"kind":"nope"}}}]`,
		`[{"kind":"p","data":{"Spans":[{"href":"ftp:"}]}}]`, `[{"kind":5}]`, `[{"kind":"list","data":{"items":[[{"kind":"h","data":null}]]}}]`, `[{}]`, `[7]`} {
		var d Doc
		err := json.Unmarshal([]byte(bad), &d)
		var ke *kindError
		var te *json.UnmarshalTypeError
		fmt.Println(err, "|", errors.As(err, &ke), errors.As(err, &te))
	}
	defer func() { fmt.Println(recover()) }()
	fmt.Println(d.Text())
}
