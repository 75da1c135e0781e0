// Walking any-trees: flatten, diff, redact, sort keys, query by path with wildcards, canonical hash.
package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
)

type Path []any

func (p Path) String() string {
	var sb strings.Builder
	for _, e := range p {
		switch e := e.(type) {
		case int:
			fmt.Fprintf(&sb, "[%d]", e)
		case string:
			if sb.Len() > 0 {
				sb.WriteByte('.')
			}
			sb.WriteString(e)
		}
	}
	return sb.String()
}

func Leaves(v any) iter.Seq2[Path, any] {
	var walk func(Path, any, func(Path, any) bool) bool
	walk = func(p Path, v any, yield func(Path, any) bool) bool {
		switch x := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(x)) {
				if !walk(append(p[:len(p):len(p)], k), x[k], yield) {
					return false
				}
			}
			return len(x) > 0 || yield(p, x)
		case []any:
			for i, e := range x {
				if !walk(append(p[:len(p):len(p)], i), e, yield) {
					return false
				}
			}
			return len(x) > 0 || yield(p, x)
		}
		return yield(p, v)
	}
	return func(yield func(Path, any) bool) { walk(nil, v, yield) }
}

func query(v any, pattern string) (out []any) {
	if pattern == "" {
		return []any{v}
	}
	head, rest, _ := strings.Cut(pattern, ".")
	switch x := v.(type) {
	case map[string]any:
		if head != "*" {
			if e, ok := x[head]; ok {
				return query(e, rest)
			}
			return nil
		}
		for _, k := range slices.Sorted(maps.Keys(x)) {
			out = append(out, query(x[k], rest)...)
		}
	case []any:
		if i, err := strconv.Atoi(head); err == nil && i < len(x) {
			return query(x[i], rest)
		} else if head == "*" {
			for _, e := range x {
				out = append(out, query(e, rest)...)
			}
		}
	}
	return
}

func transform(v any, f func(key string, v any) (any, bool)) any {
	switch x := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range x {
			if r, keep := f(k, e); keep {
				out[k] = transform(r, f)
			}
		}
		return out
	case []any:
		out := make([]any, 0, len(x))
		for _, e := range x {
			out = append(out, transform(e, f))
		}
		return out
	default:
		return x
	}
}

func diff(a, b any) (out []string) {
	left := map[string]string{}
	for p, v := range Leaves(a) {
		left[p.String()] = fmt.Sprintf("%T:%v", v, v)
	}
	for p, v := range Leaves(b) {
		k, s := p.String(), fmt.Sprintf("%T:%v", v, v)
		switch old, ok := left[k]; {
		case !ok:
			out = append(out, "+"+k)
		case old != s:
			out = append(out, "~"+k+" "+old+"→"+s)
		}
		delete(left, k)
	}
	for k := range left {
		out = append(out, "-"+k)
	}
	sort.Strings(out)
	return
}

func main() {
	var a, b any
	json.Unmarshal([]byte(`{"id":7,"user":{"name":"ann","token":"s3cr3t","roles":["x","y"]},"items":[{"n":1,"price":2.5},{"n":2,"price":1e2}],"e":{},"f":[],"z":null}`), &a)
	json.Unmarshal([]byte(`{"id":"7","user":{"name":"ann","roles":["x"]},"items":[{"n":1,"price":2.5},{"n":3,"price":100,"k":true}],"e":{}}`), &b)
	for p, v := range Leaves(a) {
		fmt.Printf("%v=%v ", p, v)
	}
	fmt.Println()
	for p, v := range Leaves(a) {
		if f, ok := v.(float64); ok && f > 50 {
			fmt.Println("first big:", p, len(p), p[1])
			break
		}
	}
	for _, q := range []string{"items.*.price", "user.roles.1", "*.name", "items.9", "id", "items.*.*"} {
		fmt.Println(q, query(a, q))
	}
	for _, d := range diff(a, b) {
		fmt.Println(d)
	}
	red := transform(a, func(k string, v any) (any, bool) {
		switch {
		case k == "token":
			return strings.Repeat("*", len(v.(string))), true
		case v == nil:
			return nil, false
		}
		if f, ok := v.(float64); ok {
			return int(f * 10), true
		}
		return v, true
	})
	out, err := json.Marshal(red)
	fmt.Println(string(out), err)
	sum := func(v any) string {
		b, _ := json.Marshal(v)
		return fmt.Sprintf("%.4x", sha256.Sum256(b))
	}
	fmt.Println(sum(a) == sum(transform(a, func(_ string, v any) (any, bool) { return v, true })), sum(a) == sum(b), len(sum(nil)))
	fmt.Println(diff(nil, 1.0), diff(map[string]any{"a": 1}, map[string]any{"a": 1.0}))
}
