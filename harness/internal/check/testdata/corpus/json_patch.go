// JSON pointer, patch and merge over any-trees with path errors and copies on write.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

type Op struct {
	Op    string          `json:"op"`
	Path  Pointer         `json:"path"`
	From  *Pointer        `json:"from,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
}

type Pointer []string

func (p Pointer) MarshalText() ([]byte, error) { return []byte(p.String()), nil }
func (p *Pointer) UnmarshalText(b []byte) error {
	s := string(b)
	if s == "" {
		*p = nil
		return nil
	}
	if s[0] != '/' {
		return fmt.Errorf("pointer %q must start with /", s)
	}
	for part := range strings.SplitSeq(s[1:], "/") {
		*p = append(*p, strings.NewReplacer("~1", "/", "~0", "~").Replace(part))
	}
	return nil
}
func (p Pointer) String() string {
	var sb strings.Builder
	for _, part := range p {
		sb.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(part))
	}
	return sb.String()
}

var (
	ErrMissing = errors.New("missing")
	ErrTest    = errors.New("test failed")
)

func get(doc any, p Pointer) (any, error) {
	for i, key := range p {
		switch d := doc.(type) {
		case map[string]any:
			v, ok := d[key]
			if !ok {
				return nil, fmt.Errorf("%v: %w", p[:i+1], ErrMissing)
			}
			doc = v
		case []any:
			n, err := strconv.Atoi(key)
			if err != nil {
				return nil, err
			}
			if n < 0 || n >= len(d) {
				return nil, fmt.Errorf("%v: index %d of %d: %w", p[:i], n, len(d), ErrMissing)
			}
			doc = d[n]
		default:
			return nil, fmt.Errorf("%v: cannot enter %T", p[:i], doc)
		}
	}
	return doc, nil
}

func update(doc any, p Pointer, f func(old any, exists bool) (any, bool, error)) (any, error) {
	if len(p) == 0 {
		v, _, err := f(doc, true)
		return v, err
	}
	key := p[0]
	switch d := doc.(type) {
	case map[string]any:
		out := make(map[string]any, len(d)+1)
		for k, v := range d {
			out[k] = v
		}
		old, ok := d[key]
		var v any
		var keep bool
		var err error
		if len(p) > 1 {
			keep = true
			v, err = update(old, p[1:], f)
		} else {
			v, keep, err = f(old, ok)
		}
		if err != nil {
			return d, err
		}
		if out[key] = v; !keep {
			delete(out, key)
		}
		return out, nil
	case []any:
		out := slices.Clone(d)
		if key == "-" {
			v, _, err := f(nil, false)
			return append(out, v), err
		}
		n, err := strconv.Atoi(key)
		if err != nil || n < 0 || n > len(d) {
			return d, fmt.Errorf("bad index %q", key)
		}
		if len(p) > 1 {
			if n == len(d) {
				return d, ErrMissing
			}
			out[n], err = update(d[n], p[1:], f)
			return out, err
		}
		v, keep, err := f(nil, false)
		if err != nil {
			return d, err
		}
		if keep {
			return slices.Insert(out, n, v), nil
		}
		return slices.Delete(out, n, n+1), nil
	}
	return doc, fmt.Errorf("%s: cannot enter %T", key, doc)
}

func (o Op) Apply(doc any) (res any, err error) {
	var val any
	if o.Value != nil {
		if err = json.Unmarshal(o.Value, &val); err != nil {
			return doc, err
		}
	}
	set := func(v any) func(any, bool) (any, bool, error) {
		return func(any, bool) (any, bool, error) { return v, true, nil }
	}
	remove := func(_ any, ok bool) (any, bool, error) { return nil, false, nil }
	switch o.Op {
	case "add", "replace":
		if o.Op == "replace" {
			if _, err := get(doc, o.Path); err != nil {
				return doc, err
			}
		}
		return update(doc, o.Path, set(val))
	case "remove":
		if _, err := get(doc, o.Path); err != nil {
			return doc, err
		}
		return update(doc, o.Path, remove)
	case "move", "copy":
		v, err := get(doc, *o.From)
		if err != nil {
			return doc, err
		}
		if o.Op == "move" {
			doc, _ = update(doc, *o.From, remove)
		}
		return update(doc, o.Path, set(v))
	case "test":
		v, err := get(doc, o.Path)
		if err == nil && fmt.Sprint(v) != fmt.Sprint(val) {
			err = fmt.Errorf("%w: %v is %v", ErrTest, o.Path, v)
		}
		return doc, err
	}
	return doc, fmt.Errorf("unknown op %q", o.Op)
}

func main() {
	var doc any
	json.Unmarshal([]byte(`{"a":{"b":[1,2,3]},"c/d":{"~":true},"e":null}`), &doc)
	orig, _ := json.Marshal(doc)
	var ops []Op
	err := json.Unmarshal([]byte(`[{"op":"add","path":"/a/b/1","value":{"x":1}},{"op":"add","path":"/a/b/-","value":9},{"op":"test","path":"/c~1d/~0","value":true},
	{"op":"move","path":"/a/moved","from":"/c~1d"},{"op":"copy","path":"/e","from":"/a/b/0"},{"op":"remove","path":"/a/b/2"},{"op":"replace","path":"/nope/x","value":1},
	{"op":"test","path":"/e","value":5},{"op":"add","path":"/a/b/77","value":0},{"op":"remove","path":"/e/f"},{"op":"zap","path":""},{"op":"replace","path":"/a/b/1/x","value":[null]}]`), &ops)
	fmt.Println(len(ops), err)
	cur := doc
	for _, o := range ops {
		next, err := o.Apply(cur)
		b, _ := json.Marshal(next)
		fmt.Println(o.Op, o.Path, "->", string(b), err, errors.Is(err, ErrMissing), errors.Is(err, ErrTest))
		cur = next
	}
	after, _ := json.Marshal(doc)
	fmt.Println(string(orig) == string(after), len(ops[3].Path), *ops[3].From)
	b, _ := json.Marshal(ops[3:5])
	fmt.Println(string(b))
	fmt.Println(json.Unmarshal([]byte(`[{"path":"x"}]`), &ops))
}
