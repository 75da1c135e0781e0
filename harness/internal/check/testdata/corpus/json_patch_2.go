package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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

func (p Pointer) String() string {
	var sb strings.Builder
	for _, s := range p {
		sb.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(s))
	}
	return sb.String()
}
func (p Pointer) MarshalJSON() ([]byte, error) { return json.Marshal(p.String()) }
func (p *Pointer) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	if s == "" {
		*p = Pointer{}
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

type PatchError struct {
	Index int
	Op    Op
	Err   error
}

func (e *PatchError) Error() string {
	return fmt.Sprintf("op %d (%s %v): %v", e.Index, e.Op.Op, e.Op.Path, e.Err)
}
func (e *PatchError) Unwrap() error { return e.Err }

var (
	ErrMissing = errors.New("path does not exist")
	ErrTest    = errors.New("test failed")
)

func child(doc any, key string) (any, error) {
	switch d := doc.(type) {
	case map[string]any:
		if v, ok := d[key]; ok {
			return v, nil
		}
	case []any:
		i, err := strconv.Atoi(key)
		if err != nil {
			return nil, fmt.Errorf("index: %w", err)
		}
		if i >= 0 && i < len(d) {
			return d[i], nil
		}
	}
	return nil, fmt.Errorf("%w: %q in %T", ErrMissing, key, doc)
}

func get(doc any, p Pointer) (v any, err error) {
	v = doc
	for _, k := range p {
		if v, err = child(v, k); err != nil {
			return nil, err
		}
	}
	return
}

func update(doc any, p Pointer, f func(parent any, key string) (any, error)) (any, error) {
	if len(p) == 1 {
		return f(doc, p[0])
	}
	c, err := child(doc, p[0])
	if err != nil {
		return nil, err
	}
	if c, err = update(c, p[1:], f); err != nil {
		return nil, err
	}
	switch d := doc.(type) {
	case map[string]any:
		d = maps.Clone(d)
		d[p[0]] = c
		return d, nil
	case []any:
		d = slices.Clone(d)
		i, _ := strconv.Atoi(p[0])
		d[i] = c
		return d, nil
	}
	return nil, ErrMissing
}

func add(v any, replace bool) func(any, string) (any, error) {
	return func(parent any, key string) (any, error) {
		switch d := parent.(type) {
		case map[string]any:
			if _, ok := d[key]; replace && !ok {
				return nil, ErrMissing
			}
			d = maps.Clone(d)
			d[key] = v
			return d, nil
		case []any:
			if key == "-" && !replace {
				return append(slices.Clone(d), v), nil
			}
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i > len(d) || replace && i == len(d) {
				return nil, errors.Join(ErrMissing, err)
			}
			if replace {
				d = slices.Clone(d)
				d[i] = v
				return d, nil
			}
			return slices.Insert(slices.Clone(d), i, v), nil
		}
		return nil, fmt.Errorf("cannot add to %T", parent)
	}
}

func remove(parent any, key string) (any, error) {
	if _, err := child(parent, key); err != nil {
		return nil, err
	}
	switch d := parent.(type) {
	case map[string]any:
		d = maps.Clone(d)
		delete(d, key)
		return d, nil
	case []any:
		i, _ := strconv.Atoi(key)
		return slices.Delete(slices.Clone(d), i, i+1), nil
	}
	panic("unreachable")
}

func Apply(doc any, patch []Op) (out any, err error) {
	out = doc
	for i, op := range patch {
		var v any
		if op.Value != nil {
			if err := json.Unmarshal(op.Value, &v); err != nil {
				return doc, &PatchError{i, op, err}
			}
		}
		next := out
		switch op.Op {
		case "add", "replace":
			next, err = update(out, op.Path, add(v, op.Op == "replace"))
		case "remove":
			next, err = update(out, op.Path, remove)
		case "move", "copy":
			if v, err = get(out, *op.From); err == nil {
				if op.Op == "move" {
					next, err = update(out, *op.From, remove)
				}
				if err == nil {
					next, err = update(next, op.Path, add(v, false))
				}
			}
		case "test":
			var have any
			if have, err = get(out, op.Path); err == nil {
				a, _ := json.Marshal(have)
				b, _ := json.Marshal(v)
				if string(a) != string(b) {
					err = fmt.Errorf("%w: %s != %s", ErrTest, a, b)
				}
			}
		default:
			err = fmt.Errorf("unknown op %q", op.Op)
		}
		if err != nil {
			return doc, &PatchError{Index: i, Op: op, Err: err}
		}
		out = next
	}
	return
}

func main() {
	var doc any
	json.Unmarshal([]byte(`{"name":"x","tags":["a","b"],"deep":{"a/b":{"n":1}},"nil":null}`), &doc)
	for _, p := range []string{
		`[{"op":"add","path":"/tags/1","value":"mid"},{"op":"add","path":"/tags/-","value":{"k":[1]}}]`,
		`[{"op":"replace","path":"/deep/a~1b/n","value":2.5},{"op":"remove","path":"/nil"}]`,
		`[{"op":"move","from":"/tags/0","path":"/first"},{"op":"copy","from":"/deep","path":"/tags/0"}]`,
		`[{"op":"test","path":"/name","value":"y"}]`, `[{"op":"remove","path":"/tags/7"}]`, `[{"op":"replace","path":"/tags/x","value":1}]`, `[{"op":"zap","path":"/a"}]`,
		`[{"op":"add","path":"bad"}]`, `[{"op":"add","path":3}]`, `[{"op":"add","path":"/name/x","value":1}]`,
	} {
		var ops []Op
		if err := json.Unmarshal([]byte(p), &ops); err != nil {
			fmt.Println("decode:", err)
			continue
		}
		out, err := Apply(doc, ops)
		var pe *PatchError
		if errors.As(err, &pe) {
			fmt.Println("apply:", pe.Index, err, errors.Is(err, ErrMissing), errors.Is(err, ErrTest))
			continue
		}
		b, _ := json.Marshal(out)
		fmt.Println(string(b))
	}
	b, _ := json.Marshal(doc)
	fmt.Println(string(b))
	b, err := json.Marshal(Op{Op: "add", Path: Pointer{"a/b", "~"}, From: &Pointer{}, Value: json.RawMessage(`{ "x" : 1 }`)})
	fmt.Println(string(b), err)
}
