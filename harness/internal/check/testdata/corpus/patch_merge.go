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
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
	From  string `json:"from,omitempty"`
}
type Obj = map[string]any
type Arr = []any

var ErrPath = errors.New("no such path")

func segs(p string) []string {
	if p == "" {
		return nil
	}
	parts := strings.Split(p[1:], "/")
	for i, s := range parts {
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(s, "~1", "/"), "~0", "~")
	}
	return parts
}
func update(doc any, path []string, f func(old any, ok bool) (any, bool, error)) (any, error) {
	if len(path) == 0 {
		v, _, err := f(doc, true)
		return v, err
	}
	key, last := path[0], len(path) == 1
	switch d := doc.(type) {
	case Obj:
		old, ok := d[key]
		if last {
			v, keep, err := f(old, ok)
			if err != nil {
				return nil, fmt.Errorf("/%s: %w", key, err)
			}
			if keep {
				d[key] = v
			} else {
				delete(d, key)
			}
			return d, nil
		}
		if !ok {
			return nil, fmt.Errorf("/%s: %w", key, ErrPath)
		}
		v, err := update(old, path[1:], f)
		d[key] = v
		return d, err
	case Arr:
		i := len(d)
		if key != "-" {
			var err error
			if i, err = strconv.Atoi(key); err != nil || i > len(d) || i < 0 {
				return doc, fmt.Errorf("index %q of %d: %w", key, len(d), ErrPath)
			}
		}
		if !last {
			v, err := update(d[i], path[1:], f)
			d[i] = v
			return d, err
		}
		var old any
		if i < len(d) {
			old = d[i]
		}
		v, keep, err := f(old, i < len(d))
		switch {
		case err != nil:
			return doc, err
		case keep:
			return slices.Insert(d, i, v), nil
		default:
			return slices.Delete(d, i, i+1), nil
		}
	default:
		return doc, fmt.Errorf("%T has no %q: %w", doc, key, ErrPath)
	}
}
func apply(doc any, ops ...Op) (any, error) {
	for n, op := range ops {
		var err error
		switch op.Op {
		case "add":
			doc, err = update(doc, segs(op.Path), func(any, bool) (any, bool, error) { return op.Value, true, nil })
		case "remove":
			doc, err = update(doc, segs(op.Path), func(_ any, ok bool) (any, bool, error) {
				if !ok {
					return nil, false, ErrPath
				}
				return nil, false, nil
			})
		case "inc":
			doc, err = update(doc, segs(op.Path), func(old any, _ bool) (any, bool, error) {
				f, ok := old.(float64)
				if !ok {
					return old, true, fmt.Errorf("cannot inc %T", old)
				}
				return f + op.Value.(float64), true, nil
			})
		default:
			err = fmt.Errorf("unknown op %q", op.Op)
		}
		if err != nil {
			return doc, fmt.Errorf("op %d %s %s: %w", n, op.Op, op.Path, err)
		}
	}
	return doc, nil
}
func merge(a, b any) any {
	am, ok1 := a.(Obj)
	bm, ok2 := b.(Obj)
	if !ok1 || !ok2 {
		return b
	}
	out := maps.Clone(am)
	for k, v := range bm {
		if v == nil {
			delete(out, k)
			continue
		}
		out[k] = merge(out[k], v)
	}
	return out
}
func diff(a, b any, path string) (ops []Op) {
	switch x := a.(type) {
	case Obj:
		y, ok := b.(Obj)
		if !ok {
			break
		}
		keys := slices.Sorted(maps.Keys(x))
		for _, k := range keys {
			if _, ok := y[k]; !ok {
				ops = append(ops, Op{Op: "remove", Path: path + "/" + k})
				continue
			}
			ops = append(ops, diff(x[k], y[k], path+"/"+k)...)
		}
		for _, k := range slices.Sorted(maps.Keys(y)) {
			if _, ok := x[k]; !ok {
				ops = append(ops, Op{Op: "add", Path: path + "/" + k, Value: y[k]})
			}
		}
		return
	}
	if fmt.Sprint(a) != fmt.Sprint(b) {
		ops = []Op{{Op: "add", Path: path, Value: b}}
	}
	return
}
func parse(s string) (v any) {
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		panic(err)
	}
	return
}
func str(v any) string { b, _ := json.Marshal(v); return string(b) }

func main() {
	doc := parse(`{"a":{"b":[1,2,{"c":null}]},"n":5,"x/y":true}`)
	for _, src := range []string{
		`[{"op":"add","path":"/a/b/1","value":"ins"},{"op":"add","path":"/a/b/-","value":[]}]`,
		`[{"op":"remove","path":"/x~1y"},{"op":"inc","path":"/n","value":2.5}]`,
		`[{"op":"remove","path":"/a/zz"}]`, `[{"op":"inc","path":"/a","value":1}]`, `[{"op":"add","path":"/a/b/9","value":0}]`,
		`[{"op":"add","path":"/n/q","value":0}]`, `[{"op":"jump","path":""}]`, `[{"op":"add","path":"","value":{"fresh":1}}]`,
	} {
		var ops []Op
		if err := json.Unmarshal([]byte(src), &ops); err != nil {
			fmt.Println(err)
			continue
		}
		d, err := apply(parse(str(doc)), ops...)
		fmt.Println(str(d), err, errors.Is(err, ErrPath))
	}
	a, b := parse(`{"k":{"x":1,"y":2},"z":[1]}`), parse(`{"k":{"y":null,"w":{"q":0}},"z":{"n":1}}`)
	m := merge(a, b)
	fmt.Println(str(m), str(a))
	for _, op := range diff(a, m, "") {
		fmt.Printf("%+v\n", op)
	}
	back, err := apply(parse(str(a)), diff(a, m, "")...)
	fmt.Println(str(back) == str(m), err)
}
