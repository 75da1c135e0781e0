package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"time"
)

func try(name string, f func()) {
	defer func() {
		r := recover()
		fmt.Printf("%s: %T %v\n", name, r, r)
		var re runtime.Error
		if e, ok := r.(error); ok {
			fmt.Println(errors.As(e, &re))
			var ve *reflect.ValueError
			if errors.As(e, &ve) {
				fmt.Println(ve.Method, ve.Kind)
			}
		}
	}()
	f()
}

type S struct{ n int }

func (s S) Twice() int { return 2 * s.n }

func main() {
	var b bytes.Buffer
	m := reflect.ValueOf(&b).MethodByName("WriteString")
	fmt.Println(m.Call([]reflect.Value{reflect.ValueOf("hi")})[0].Int(), b.String())
	d := reflect.ValueOf(90 * time.Second)
	fmt.Println(d.MethodByName("Minutes").Call(nil)[0].Float())
	fmt.Println(reflect.ValueOf(time.Unix(0, 0).UTC()).MethodByName("Format").Call([]reflect.Value{reflect.ValueOf(time.RFC3339)})[0])
	t := reflect.TypeOf(strings.NewReader("x"))
	for i := range t.NumMethod() {
		fmt.Println(t.Method(i).Name, t.Method(i).Type)
	}
	mm, _ := t.MethodByName("Len")
	fmt.Println(mm.Func.Call([]reflect.Value{reflect.ValueOf(strings.NewReader("abc"))})[0].Int())
	u, _ := url.Parse("http://a/b")
	fmt.Println(reflect.ValueOf(u).MethodByName("String").Call(nil)[0])
	re := regexp.MustCompile("a+")
	fmt.Println(reflect.ValueOf(re).MethodByName("FindString").Call([]reflect.Value{reflect.ValueOf("baa")})[0])
	f := reflect.ValueOf(re).MethodByName("MatchString").Interface().(func(string) bool)
	fmt.Println(f("a"))
	try("zero", func() { _ = reflect.Value{}.Type() })
	try("len", func() { _ = reflect.ValueOf(1).Len() })
	try("isnil", func() { _ = reflect.ValueOf(1).IsNil() })
	try("numfield", func() { _ = reflect.ValueOf(1).NumField() })
	try("elem", func() { _ = reflect.ValueOf(1).Elem() })
	try("own", func() { panic(&reflect.ValueError{Method: "m", Kind: reflect.Invalid}) })
	try("int", func() { _ = reflect.Value{}.Int() })
	try("set", func() { reflect.Value{}.Set(reflect.ValueOf(1)) })
	try("mapindex", func() { reflect.ValueOf(1).MapIndex(reflect.ValueOf(1)) })
	o := binary.ByteOrder(binary.BigEndian)
	fmt.Println(o, o.Uint16([]byte{1, 2}))
	fmt.Println(binary.AppendByteOrder(binary.LittleEndian).AppendUint16(nil, 1))
}
