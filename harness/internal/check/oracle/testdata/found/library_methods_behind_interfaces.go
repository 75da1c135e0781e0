package main

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"sync"
	"sync/atomic"
)

type N int

func (n N) String() string { return fmt.Sprintf("N%d", int(n)) }

type S struct {
	A N            `json:"a" xml:"a,attr"`
	B []N          `json:"b"`
	M map[N]string `json:"m" xml:"-"`
	p int
}
type Encoder interface{ Encode(any) error }
type Decoder interface{ Decode(any) error }
type Indenter interface {
	Encoder
	SetIndent(prefix, indent string)
	SetEscapeHTML(bool)
}
type Logger interface {
	Printf(string, ...any)
	Println(...any)
	Print(...any)
}
type Store interface {
	Store(k, v any)
	Load(k any) (any, bool)
	LoadOrStore(k, v any) (any, bool)
	Range(func(k, v any) bool)
}
type Value interface {
	Load() any
	Store(any)
	Swap(any) any
}
type logger struct{ *log.Logger }
type Fancy struct{ Encoder }

func enc(w io.Writer, kind string) Encoder {
	switch kind {
	case "json":
		return json.NewEncoder(w)
	case "xml":
		return xml.NewEncoder(w)
	}
	return nil
}

func main() {
	s := S{1, []N{2, 3}, map[N]string{4: "<x>"}, 5}
	for _, k := range []string{"json", "xml"} {
		fmt.Println(enc(os.Stdout, k).Encode(s), Fancy{enc(os.Stdout, k)}.Encode(&s))
	}
	var in Indenter = json.NewEncoder(os.Stdout)
	in.SetIndent(">", "  ")
	in.SetEscapeHTML(false)
	fmt.Println(in.Encode([]S{s}))
	var d Decoder = json.NewDecoder(strings.NewReader(`{"a":7,"b":[1],"m":{"3":"q"}} {"a":"x"}`))
	var o S
	fmt.Println(d.Decode(&o), o)
	fmt.Println(d.Decode(&o), o)
	var l Logger = log.New(os.Stdout, "p ", 0)
	l.Printf("%v %T %d %+v", s.A, s.A, s.B, s)
	l.Println(s.A, s, &s)
	l.Print(s.A, 1, 2, "a", s.B)
	l = logger{log.New(os.Stdout, "q ", log.Lmsgprefix)}
	l.Println(s.A, []N{1})
	l.Printf("%#v", s.B)
	var st Store = &sync.Map{}
	st.Store(N(1), s.A)
	x, ok := st.Load(N(1))
	_, ok2 := st.Load(1)
	fmt.Println(x, ok, ok2)
	func() {
		defer func() { fmt.Println(recover()) }()
		st.Store([]N{1}, 2)
	}()
	var v Value = &atomic.Value{}
	v.Store(N(1))
	func() {
		defer func() { fmt.Println(recover()) }()
		v.Store(2)
	}()
	fmt.Println(v.Swap(N(3)), v.Load())
	var ctx context.Context = context.WithValue(context.Background(), N(1), s)
	fmt.Println(ctx.Value(N(1)), ctx.Value(1))
}
