package gotype

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
)

// This file is a part of the generated programs too: what they print of their types
// is what the test expects of made ones.

// randomLook tells what the library makes of each of the types, of which some are
// interfaces and others implement them.
func randomLook(ts []reflect.Type) []string {
	lines := make([]string, len(ts))
	for i, t := range ts {
		var b strings.Builder
		randomDescribe(&b, t, 3)
		if t.Kind() != reflect.Interface {
			randomValues(&b, t, ts)
		}
		for _, o := range ts {
			fmt.Fprintf(&b, " %s:%v%v%v", o, t.AssignableTo(o), t.ConvertibleTo(o), reflect.PointerTo(t).AssignableTo(o))
		}
		lines[i] = randomAddress.ReplaceAllString(b.String(), "ADDR")
	}
	return lines
}

var randomAddress = regexp.MustCompile(`0x[0-9a-f]{5,}`)

// randomDescribe writes all that reflect knows of t and its parts, to a depth.
func randomDescribe(b *strings.Builder, t reflect.Type, depth int) {
	fmt.Fprintf(b, " %s", t)
	if depth == 0 {
		return
	}
	fmt.Fprintf(b, "|%s|%s|%v|%d %d %d|%v|%d{", t.Name(), t.PkgPath(), t.Kind(), t.Size(), t.Align(), t.FieldAlign(),
		t.Comparable(), t.NumMethod())
	for m := range t.Methods() {
		fmt.Fprintf(b, " %d %s %q", m.Index, m.Name, m.PkgPath)
		randomDescribe(b, m.Type, depth-1)
	}
	switch t.Kind() {
	case reflect.Struct:
		for f := range t.Fields() {
			fmt.Fprintf(b, " %s %q %q %d %v %v", f.Name, f.PkgPath, f.Tag, f.Offset, f.Index, f.Anonymous)
			randomDescribe(b, f.Type, depth-1)
		}
		for _, f := range reflect.VisibleFields(t) {
			fmt.Fprintf(b, " %s%v", f.Name, f.Index)
		}
	case reflect.Func:
		for a := range t.Ins() {
			randomDescribe(b, a, depth-1)
		}
		b.WriteString(" ->")
		for a := range t.Outs() {
			randomDescribe(b, a, depth-1)
		}
		fmt.Fprint(b, t.IsVariadic())
	case reflect.Map:
		randomDescribe(b, t.Key(), depth-1)
		randomDescribe(b, t.Elem(), depth-1)
	case reflect.Array:
		fmt.Fprint(b, t.Len())
		randomDescribe(b, t.Elem(), depth-1)
	case reflect.Pointer, reflect.Slice:
		randomDescribe(b, t.Elem(), depth-1)
	case reflect.Chan:
		fmt.Fprint(b, t.ChanDir())
		randomDescribe(b, t.Elem(), depth-1)
	}
	if t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface {
		randomDescribe(b, reflect.PointerTo(t), depth-1)
	}
	b.WriteByte('}')
}

// randomValues writes what the library makes of the zero value and of a full one.
func randomValues(b *strings.Builder, t reflect.Type, ts []reflect.Type) {
	n := 0
	zero, full := reflect.New(t), reflect.New(t)
	randomFill(full.Elem(), ts, 4, &n)
	for _, v := range []reflect.Value{zero, full} {
		for _, x := range []any{v.Interface(), v.Elem().Interface()} {
			randomTry(b, func() { fmt.Fprintf(b, " %v|%+v|%#v|%T|%s", x, x, x, x, x) })
			randomTry(b, func() {
				text, err := json.Marshal(x)
				back := reflect.New(t)
				err2 := json.Unmarshal(text, back.Interface())
				fmt.Fprintf(b, " %s %v %v %+v", text, err, err2, back)
			})
			randomTry(b, func() { fmt.Fprint(b, x == x, map[any]int{x: 1}[x]) })
			randomTry(b, func() { randomCalls(b, reflect.ValueOf(x), ts) })
		}
	}
	randomTry(b, func() { fmt.Fprint(b, zero.Elem().Interface() == full.Elem().Interface()) })
	randomTry(b, func() { randomCalls(b, reflect.Zero(zero.Type()), ts) })
}

// randomCalls calls all methods of v, by reflect and, where it has one of that
// signature, by an interface.
func randomCalls(b *strings.Builder, v reflect.Value, ts []reflect.Type) {
	for i := range v.NumMethod() {
		if strings.Contains(v.Type().Method(i).Name, "ock") {
			continue // of a mutex
		}
		randomTry(b, func() {
			m := v.Method(i)
			args := make([]reflect.Value, m.Type().NumIn())
			for k := range args {
				args[k] = reflect.New(m.Type().In(k)).Elem()
				n := k
				randomFill(args[k], ts, 2, &n)
			}
			call, expr := m.Call, v.Type().Method(i).Func.Call
			if m.Type().IsVariadic() {
				call, expr = m.CallSlice, v.Type().Method(i).Func.CallSlice
			}
			fmt.Fprintf(b, " %s%v", v.Type().Method(i).Name, call(args))
			fmt.Fprintf(b, "%v", expr(append([]reflect.Value{v}, args...)))
		})
	}
	switch x := v.Interface().(type) {
	case fmt.Stringer:
		randomTry(b, func() { b.WriteString(x.String()) })
	case error:
		randomTry(b, func() { b.WriteString(x.Error()) })
	case interface{ Get() string }:
		randomTry(b, func() { b.WriteString(x.Get()) })
	}
}

func randomTry(b *strings.Builder, f func()) {
	defer func() {
		if r := recover(); r != nil {
			err, _ := r.(error)
			_, isRuntime := r.(interface{ RuntimeError() })
			fmt.Fprintf(b, " panic %T %v %v", r, r, err != nil && isRuntime)
		}
	}()
	f()
}

// randomFill fills v, also what is not exported, to a depth.
func randomFill(v reflect.Value, ts []reflect.Type, depth int, n *int) {
	if path := v.Type().PkgPath(); depth == 0 || path != "main" && path != "" && v.Kind() == reflect.Struct {
		return // a library's struct stays zero
	}
	v = reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem()
	*n++
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(*n%2 == 0)
	case reflect.String:
		v.SetString(fmt.Sprint("s", *n))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(*n) + .5)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(*n % 100))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(*n % 100))
	case reflect.Struct:
		for i := range v.NumField() {
			randomFill(v.Field(i), ts, depth-1, n)
		}
	case reflect.Array:
		for i := range v.Len() {
			randomFill(v.Index(i), ts, depth-1, n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			randomFill(v.Index(i), ts, depth-1, n)
		}
	case reflect.Pointer:
		v.Set(reflect.NewAt(v.Type().Elem(), reflect.New(v.Type().Elem()).UnsafePointer()))
		randomFill(v.Elem(), ts, depth-1, n)
	case reflect.Map:
		k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		randomFill(k, ts, depth-1, n)
		randomFill(e, ts, depth-1, n)
		v.Set(reflect.MakeMap(v.Type()))
		if k.Comparable() {
			v.SetMapIndex(k, e)
		}
	case reflect.Interface:
		for i := range ts {
			t := ts[(i+*n)%len(ts)]
			for _, t := range []reflect.Type{t, reflect.PointerTo(t)} {
				if t.Kind() != reflect.Interface && t.Implements(v.Type()) {
					x := reflect.New(t).Elem()
					randomFill(x, ts, depth-1, n)
					v.Set(x)
					return
				}
			}
		}
	}
}
