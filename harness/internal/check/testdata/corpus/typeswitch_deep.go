package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"
)

type Value = any
type Object = map[string]Value
type Array = []Value

type Number interface{ ~int | ~float64 }
type MyInt int
type MyErr struct{ code MyInt }

func (m MyErr) Error() string { return "myerr " + strconv.Itoa(int(m.code)) }
func (m MyErr) Timeout() bool { return m.code == 1 }

func describe(v any) string {
	switch x := v.(type) {
	case nil:
		return "nil"
	case int, int64, uint8:
		return fmt.Sprintf("integer %v", x)
	case MyInt:
		return fmt.Sprintf("myint %d", x+1)
	case float64:
		return "float " + strconv.FormatFloat(x, 'f', -1, 64)
	case string:
		return "string " + strconv.Quote(x)
	case []byte:
		return "bytes " + string(x)
	case error:
		if t, ok := x.(interface{ Timeout() bool }); ok {
			return fmt.Sprintf("timeout-error %v %t", x, t.Timeout())
		}
		return "error " + x.Error()
	case fmt.Stringer:
		return "stringer " + x.String()
	case []any:
		parts := make([]string, len(x))
		for i := range x {
			parts[i] = describe(x[i])
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		keys := make([]string, 0, len(x))
		for k := range x {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for i, k := range keys {
			keys[i] = k + ": " + describe(x[k])
		}
		return "{" + strings.Join(keys, ", ") + "}"
	case func(int) int:
		return fmt.Sprint("func ", x(20))
	case *int:
		if x == nil {
			return "nil *int"
		}
		return "ptr to " + describe(*x)
	case chan int:
		return fmt.Sprint("chan cap ", cap(x))
	case [2]string:
		return "pair " + x[0] + x[1]
	case struct{ A, B int }:
		return fmt.Sprint("anon ", x.A+x.B)
	case bool:
		if x {
			return "yes"
		}
		return "no"
	default:
		return fmt.Sprintf("other %T", x)
	}
}

func get[T any](v any, path ...any) (out T, err error) {
	for i, p := range path {
		switch k := p.(type) {
		case string:
			m, ok := v.(map[string]any)
			if !ok {
				return out, fmt.Errorf("path[%d]: %T is not an object", i, v)
			}
			if v, ok = m[k]; !ok {
				return out, fmt.Errorf("path[%d]: no key %q", i, k)
			}
		case int:
			a, ok := v.([]any)
			if !ok {
				return out, fmt.Errorf("path[%d]: %T is not an array", i, v)
			}
			if k < 0 {
				k += len(a)
			}
			if k < 0 || k >= len(a) {
				return out, fmt.Errorf("path[%d]: index %d of %d", i, p, len(a))
			}
			v = a[k]
		default:
			panic(fmt.Sprintf("bad path element %v (%[1]T)", p))
		}
	}
	out, ok := v.(T)
	if !ok {
		err = fmt.Errorf("want %T, got %T", out, v)
	}
	return
}

func flatten(prefix string, v Value, out map[string]string) {
	switch t := v.(type) {
	case Object:
		for k, e := range t {
			flatten(prefix+"."+k, e, out)
		}
	case Array:
		for i, e := range t {
			flatten(fmt.Sprintf("%s[%d]", prefix, i), e, out)
		}
	default:
		out[strings.TrimPrefix(prefix, ".")] = fmt.Sprint(t)
	}
}

func sumAll[T Number](vs ...any) (s T, skipped int) {
	for _, v := range vs {
		if t, ok := v.(T); ok {
			s += t
		} else {
			skipped++
		}
	}
	return
}

func kind[T any](v T) string {
	switch any(v).(type) {
	case int:
		return "int"
	case []T:
		return "slice of T"
	case interface{ Error() string }:
		return "error-like"
	}
	var zero T
	if _, ok := any(zero).(fmt.Stringer); ok {
		return "stringer"
	}
	return fmt.Sprintf("%T", *new(T))
}

type sb struct{ strings.Builder }

func main() {
	n := 3
	var np *int
	b := &sb{}
	b.WriteString("built")
	for _, v := range []any{nil, 1, int64(2), uint8(3), MyInt(4), 2.50, "q\"", []byte("raw"), io.EOF, MyErr{1}, &MyErr{2}, b, []any{1, "a", nil}, map[string]any{"z": 1.0, "a": []any{}}, func(i int) int { return i * 2 }, &n, np, make(chan int, 3), [2]string{"l", "r"}, struct{ A, B int }{1, 2}, true, int32(5), []int{1}, struct{}{}, errors.Join(io.EOF, MyErr{3})} {
		fmt.Println(describe(v))
	}
	var doc any
	json.Unmarshal([]byte(`{"users":[{"name":"a","tags":["x","y"],"n":1e3},{"name":"b","tags":[]}],"ok":true,"none":null}`), &doc)
	fmt.Println(get[string](doc, "users", 0, "tags", -1))
	fmt.Println(get[float64](doc, "users", 0, "n"))
	fmt.Println(get[int](doc, "users", 0, "n"))
	fmt.Println(get[string](doc, "users", 5))
	fmt.Println(get[[]any](doc, "users", 1, "tags"))
	fmt.Println(get[bool](doc, "ok", "x"))
	fmt.Println(get[any](doc, "none"))
	fmt.Println(get[map[string]any](doc, "nope"))
	flat := map[string]string{}
	flatten("", doc, flat)
	fmt.Println(flat)
	fmt.Println(sumAll[int](1, "x", 2, 3.0))
	fmt.Println(sumAll[MyInt](1, MyInt(2)))
	fmt.Println(sumAll[float64](1.5, 2))
	fmt.Println(kind(1), kind("s"), kind(MyErr{}), kind(MyInt(1)), kind[error](nil), kind([]int{}), kind(struct{ X int }{}))
	defer func() { fmt.Println("recovered:", recover()) }()
	get[int](doc, 1.5)
}
