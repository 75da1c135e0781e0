package gotype

import (
	"bytes"
	"container/heap"
	"context"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"text/template"
	"time"
	"unsafe"
)

// TestTwinsInTheLibrary has compiled types and their made twins do what the library
// asks of types: each must answer with the same text.
func TestTwinsInTheLibrary(t *testing.T) {
	for in := range modes {
		w := newTwins(in)
		w.noteLocals()
		uses(func(name string, mk func() any, use func(v any) string) {
			t.Run(fmt.Sprint(in, "/", name), func(t *testing.T) {
				want := try(func() string { return use(mk()) })
				got := try(func() string { return use(w.retype(mk())) })
				if got != want {
					t.Errorf("made     %.2000s\ncompiled %.2000s", got, want)
				}
			})
		})
		w.Close()
	}
}

var registered atomic.Int64

// uses calls both for each use that the library makes of types.
func uses(both func(name string, mk func() any, use func(v any) string)) {
	asTarget := func(err any) string {
		r := reflect.New(reflect.TypeOf(err))
		e := fmt.Errorf("wrapped: %w", err.(error))
		ok := errors.As(e, r.Interface())
		return plain(fmt.Sprintf("%v %+v %v %v %v %v", ok, r.Elem(), errors.Is(e, errors.ErrUnsupported), errors.Is(e, io.EOF), errors.Is(e, err.(error)), e))
	}
	both("as value", func() any { return NotFound{"k"} }, asTarget)
	both("as ptr", func() any { return &PtrErr{1, NotFound{"z"}} }, asTarget)
	both("as multi", func() any { return &PtrErr{1, Multi{io.EOF, NotFound{"m"}}} }, asTarget)
	both("sort", func() any { return ByAge{{3, "c"}, {1, "a"}, {2, "b"}} }, func(v any) string {
		sort.Sort(v.(sort.Interface))
		return fmt.Sprint(v)
	})
	both("sort.Slice", func() any { return []Inner{{3, "c"}, {1, "a"}, {2, "b"}} }, func(v any) string {
		r := reflect.ValueOf(v)
		sort.Slice(v, func(i, j int) bool { return r.Index(i).Field(0).Int() < r.Index(j).Field(0).Int() })
		return fmt.Sprintf("%+v", v)
	})
	both("heap", func() any { return &IntHeap{5, 2, 8} }, func(v any) string {
		h := v.(heap.Interface)
		heap.Init(h)
		heap.Push(h, 1)
		return fmt.Sprint(heap.Pop(h), heap.Pop(h), v)
	})
	both("read", func() any { return rot13{strings.NewReader("abc")} }, func(v any) string {
		b, err := io.ReadAll(v.(io.Reader))
		return fmt.Sprint(string(b), err)
	})
	both("write", func() any { return &Upper{} }, func(v any) string {
		fmt.Fprintf(v.(io.Writer), "hello %d", 1)
		return reflect.ValueOf(v).Elem().Field(0).Addr().Type().String()
	})
	both("context", func() any { return Ctx{context.Background(), "me"} }, func(v any) string {
		c, cancel := context.WithTimeout(v.(context.Context), time.Hour)
		cancel()
		<-c.Done()
		return fmt.Sprint(c.Value("user"), c.Err(), c.Value("x"))
	})
	both("lock", func() any { return &EmbedLib{} }, func(v any) string {
		l := v.(sync.Locker)
		l.Lock()
		defer l.Unlock()
		return fmt.Sprint(v.(interface{ TryLock() bool }).TryLock(), v.(fmt.Stringer).String())
	})
	both("flag", func() any { return ptr(Level(1)) }, func(v any) string {
		f := flag.NewFlagSet("x", flag.ContinueOnError)
		f.SetOutput(io.Discard)
		f.Var(v.(flag.Value), "l", "level")
		err := f.Parse([]string{"-l", "7"})
		return fmt.Sprint(err, reflect.ValueOf(v).Elem().Int())
	})
	both("template", func() any {
		return &Outer{Inner{1, "n"}, &Ptr2{"d"}, "N"}
	}, func(v any) string {
		var b bytes.Buffer
		err := template.Must(template.New("t").Parse(`{{.ID}} {{.Hello}} {{.Shadow}} {{.Bye}} {{.Inner.Shadow}} {{.Rename "zz"}}{{.Hello}}`)).Execute(&b, v)
		return fmt.Sprint(b.String(), err)
	})
	both("template iface", func() any { return Holder{V: Sq{2}, L: []Shape{Sq{1}}} }, func(v any) string {
		var b bytes.Buffer
		err := template.Must(template.New("t").Parse(`{{.V.Area}} {{range .L}}{{.Name}}{{end}} {{(.Biggest .V).Area}} {{.V.S}}`)).Execute(&b, v)
		return fmt.Sprint(b.String(), err)
	})
	both("json into iface", func() any { return &Holder{} }, func(v any) string {
		err := json.Unmarshal([]byte(`{"V": {"S": 3}}`), v)
		return fmt.Sprintf("%v %+v", err, v)
	})
	both("json deep", func() any { return &Nested{} }, func(v any) string {
		err := json.Unmarshal([]byte(`{"P":{"k":"a","v":2},"Arr":[1,2],"Ar2":[[{"id":4}]],"An":{"a":5},"PP":{"id":1},"MM":{"1":{"<t>":[3]}}}`), v)
		b, _ := json.Marshal(reflect.ValueOf(v).Elem().FieldByName("MM").Interface())
		return plain(fmt.Sprintf("%v %+v %s", err, v, b))
	})
	both("json err", func() any { return &Nested{} }, func(v any) string {
		return fmt.Sprint(json.Unmarshal([]byte(`{"P":{"k":7}}`), v))
	})
	both("iface call", func() any { return Holder{V: Sq{2}, L: []Shape{Sq{1}, &Circle{5}}} }, func(v any) string {
		r := reflect.ValueOf(v)
		best := r.MethodByName("Biggest").Call([]reflect.Value{r.Field(0)})[0]
		f := r.Field(0)
		return fmt.Sprint(best.Type(), best.Elem().Type(), best.Interface().(interface{ Area() float64 }).Area(), f.NumMethod(), f.Method(0).Call(nil)[0], f.Type().Method(1).Type, f.Elem().Type(), f.Elem().Type().Implements(f.Type()), f.Elem().Type().ConvertibleTo(f.Type()))
	})
	both("set wrong type", func() any { return &Holder{} }, func(v any) string {
		reflect.ValueOf(v).Elem().Field(0).Set(reflect.ValueOf(3))
		return ""
	})
	both("methods with script types", func() any { return A1{N: 5} }, func(v any) string {
		r := reflect.ValueOf(v)
		out := r.MethodByName("ToB").Call([]reflect.Value{reflect.Zero(r.MethodByName("ToB").Type().In(0))})
		return plain(fmt.Sprintf("%+v %T %+v", out[0], out[1].Interface(), out[1].Elem()))
	})
	both("variadic", func() any { return Fn(func(i int, s ...string) string { return fmt.Sprint(i, s) }) }, func(v any) string {
		r := reflect.ValueOf(v)
		return fmt.Sprint(r.Call([]reflect.Value{reflect.ValueOf(1), reflect.ValueOf("a"), reflect.ValueOf("b")})[0], r.Type())
	})
	both("recursive func", func() any {
		var s State
		s = func(l *Lexer) State {
			l.pos++
			if l.pos < 3 {
				return s
			}
			return nil
		}
		return Lexer{Next: s}
	}, func(v any) string {
		p := reflect.New(reflect.TypeOf(v))
		p.Elem().Set(reflect.ValueOf(v))
		f := p.Elem().Field(1)
		n := 0
		for !f.IsNil() {
			f = f.Call([]reflect.Value{p})[0]
			n++
		}
		return fmt.Sprint(n, f.Type(), f.Type().Out(0) == f.Type())
	})
	both("blank ==", func() any { return Blank{A: 1} }, func(v any) string {
		mk := func(n int64) any {
			p := reflect.New(reflect.TypeOf(v))
			p.Elem().Field(0).SetInt(1)
			*(*int64)(reflect.NewAt(reflect.TypeFor[int64](), p.Elem().Field(1).Addr().UnsafePointer()).UnsafePointer()) = n
			return p.Elem().Interface()
		}
		return fmt.Sprint(mk(1) == mk(2), map[any]int{mk(1): 1}[mk(2)])
	})
	both("iface keys", func() any { return map[Shape]int{Sq{1}: 1, Sq{2}: 2} }, func(v any) string {
		r := reflect.ValueOf(v)
		n := 0
		for _, k := range r.MapKeys() {
			if r.MapIndex(k).IsValid() && r.MapIndex(k.Elem()).IsValid() {
				n++
			}
		}
		return fmt.Sprint(n, r.Len())
	})
	both("unhashable", func() any { return Multi{} }, func(v any) string { return fmt.Sprint(map[any]int{}[v], v == v) })
	both("gob any", func() any { return Pair[string, Celsius]{"a", 2} }, func(v any) string {
		var b bytes.Buffer
		if n := registered.Add(1); n == 1 || reflect.TypeOf(v) != reflect.TypeFor[Pair[string, Celsius]]() {
			gob.RegisterName(fmt.Sprint("pair", n), v)
		}
		e := gob.NewEncoder(&b).Encode(&v)
		var back any
		e2 := gob.NewDecoder(&b).Decode(&back)
		return fmt.Sprintf("%v %v %T %v %v", e, e2, back, back, back == v)
	})
	both("xml attr", func() any { return EmbedTime{time.Unix(0, 0).UTC(), "w"} }, func(v any) string {
		b, err := xml.Marshal(v)
		return fmt.Sprint(string(b), err)
	})
	both("convert", func() any { return Celsius(3) }, func(v any) string {
		r := reflect.ValueOf(v)
		return fmt.Sprint(r.Convert(reflect.TypeFor[int]()).Int(), reflect.ValueOf(7).Convert(r.Type()), r.CanConvert(reflect.TypeFor[string]()))
	})
	both("large", func() any {
		x := 7
		b := &Big{V: 2}
		b.Pad[69999].p = &x
		return b
	}, func(v any) string {
		t := reflect.TypeOf(v).Elem()
		var ps []reflect.Value
		for i := range 20 { // allocated under the made type: its mask is built on demand
			p := reflect.New(t)
			x := reflect.New(reflect.TypeFor[int]())
			x.Elem().SetInt(int64(i))
			p.Elem().Field(1).Index(69999).Field(0)
			*(*unsafe.Pointer)(p.Elem().Field(1).Index(69999).Field(0).Addr().UnsafePointer()) = x.UnsafePointer()
			ps = append(ps, p)
			if i%5 == 0 {
				runtime.GC()
			}
		}
		n := 0
		for _, p := range ps {
			n += p.Interface().(interface{ Get() int }).Get()
		}
		return fmt.Sprint(n, v.(interface{ Get() int }).Get())
	})
}
