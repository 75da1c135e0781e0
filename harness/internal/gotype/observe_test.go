package gotype

import (
	"bytes"
	"container/heap"
	"context"
	"encoding"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"text/template"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestTwins compares compiled types with their made twins: what the library makes
// of a value must be the same text.
func TestTwins(t *testing.T) {
	for in := range modes {
		w := newTwins(in)
		w.noteLocals()
		for _, name := range slices.Sorted(maps.Keys(cases())) {
			t.Run(fmt.Sprint(in, "/", name), func(t *testing.T) {
				want, got := observe(cases()[name]()), observe(w.retype(cases()[name]()))
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error("-compiled +made", diff)
				}
			})
		}
		w.Close()
	}
}

func try(f func() string) (s string) {
	defer func() {
		if r := recover(); r != nil {
			_, isRT := r.(runtime.Error)
			s = fmt.Sprint("panic: ", r, isRT)
		}
	}()
	return f()
}

// describe tells all that reflect knows of a type, to a depth.
func describe(t reflect.Type, depth int) string {
	if depth == 0 {
		return t.String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s|%s|%s|%v|%d|%d|%v|%d{",
		t, t.Name(), t.PkgPath(), t.Kind(), t.Size(), t.Align(), t.Comparable(), t.NumMethod())
	for m := range t.Methods() {
		fmt.Fprintf(&b, "%s %s %s %d %s;", m.Name, m.PkgPath, m.Type, m.Index, describe(m.Type, depth-1))
	}
	switch t.Kind() {
	case reflect.Struct:
		for f := range t.Fields() {
			fmt.Fprintf(&b, "%s %q %q %d %v %v %s;",
				f.Name, f.PkgPath, f.Tag, f.Offset, f.Index, f.Anonymous, describe(f.Type, depth-1))
		}
		for _, f := range reflect.VisibleFields(t) {
			fmt.Fprintf(&b, "%s %v;", f.Name, f.Index)
		}
	case reflect.Func:
		for a := range t.Ins() {
			b.WriteString(describe(a, depth-1) + ",")
		}
		for a := range t.Outs() {
			b.WriteString(describe(a, depth-1) + ",")
		}
		fmt.Fprint(&b, t.IsVariadic())
	case reflect.Map:
		b.WriteString(describe(t.Key(), depth-1))
		fallthrough
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
		b.WriteString(describe(t.Elem(), depth-1))
	}
	if t.Kind() != reflect.Interface && t.Kind() != reflect.Pointer {
		b.WriteString("*" + describe(reflect.PointerTo(t), depth-1))
	}
	return b.String() + "}"
}

var libs = []reflect.Type{
	reflect.TypeFor[fmt.Stringer](),
	reflect.TypeFor[error](),
	reflect.TypeFor[fmt.Formatter](),
	reflect.TypeFor[fmt.GoStringer](),
	reflect.TypeFor[json.Marshaler](),
	reflect.TypeFor[json.Unmarshaler](),
	reflect.TypeFor[encoding.TextMarshaler](),
	reflect.TypeFor[encoding.TextUnmarshaler](),
	reflect.TypeFor[sort.Interface](),
	reflect.TypeFor[heap.Interface](),
	reflect.TypeFor[io.Reader](),
	reflect.TypeFor[io.Writer](),
	reflect.TypeFor[context.Context](),
	reflect.TypeFor[sync.Locker](),
	reflect.TypeFor[interface{ Unwrap() error }](),
	reflect.TypeFor[interface{ Unwrap() []error }](),
	reflect.TypeFor[flag.Value](),
	reflect.TypeFor[slog.LogValuer](),
	reflect.TypeFor[interface{ Area() float64 }](),
}

// observe has a value go through the library.
func observe(v any) map[string]string {
	o := map[string]string{}
	for _, verb := range []string{"%v", "%+v", "%#v", "%T", "%s", "%d", "%x", "%q", "%8.2v", "%5t", "%t"} {
		o["fmt "+verb] = try(func() string { return plain(fmt.Sprintf(verb, v)) })
		o["fmt slice "+verb] = try(func() string {
			s := reflect.MakeSlice(reflect.SliceOf(reflect.TypeOf(v)), 1, 1)
			s.Index(0).Set(reflect.ValueOf(v))
			return plain(fmt.Sprintf(verb, s.Interface()))
		})
		o["fmt ptr "+verb] = try(func() string {
			s := reflect.New(reflect.TypeOf(v))
			s.Elem().Set(reflect.ValueOf(v))
			return plain(fmt.Sprintf(verb, s.Interface()))
		})
	}
	o["json"] = try(func() string { b, err := json.Marshal(v); return fmt.Sprint(string(b), err) })
	o["json ptr"] = try(func() string {
		s := reflect.New(reflect.TypeOf(v))
		s.Elem().Set(reflect.ValueOf(v))
		b, err := json.Marshal(s.Interface())
		back := reflect.New(reflect.TypeOf(v))
		err2 := json.Unmarshal(b, back.Interface())
		return plain(fmt.Sprintf("%s %v %v %+v", b, err, err2, back))
	})
	o["xml"] = try(func() string {
		b, err := xml.Marshal(v)
		back := reflect.New(reflect.TypeOf(v))
		err2 := xml.Unmarshal(b, back.Interface())
		return plain(fmt.Sprintf("%s %v %v %+v", b, err, err2, back))
	})
	o["gob"] = try(func() string {
		var b bytes.Buffer
		err := gob.NewEncoder(&b).Encode(v)
		n := b.Len()
		back := reflect.New(reflect.TypeOf(v))
		err2 := gob.NewDecoder(&b).Decode(back.Interface())
		return plain(fmt.Sprint(n > 0, err, err2, fmt.Sprintf("%+v", back)))
	})
	o["type"] = try(func() string { return describe(reflect.TypeOf(v), 4) })
	o["implements"] = try(func() (s string) {
		for _, l := range libs {
			s += fmt.Sprint(reflect.TypeOf(v).Implements(l), reflect.PointerTo(reflect.TypeOf(v)).Implements(l), " ")
		}
		_, a := v.(fmt.Stringer)
		_, b := v.(error)
		_, c := v.(interface{ Area() float64 })
		return s + fmt.Sprint(a, b, c)
	})
	o["equal"] = try(func() string {
		c := v
		return fmt.Sprint(c == v, reflect.DeepEqual(c, v), map[any]int{v: 1}[c],
			reflect.Zero(reflect.TypeOf(v)).Interface() == v)
	})
	o["assert"] = try(func() string { return fmt.Sprint(v.(interface{ Nope() })) })
	o["assert2"] = try(func() string { return fmt.Sprint(v.(int8)) })
	o["call"] = try(func() (s string) {
		r := reflect.ValueOf(v)
		p := reflect.New(r.Type())
		p.Elem().Set(r)
		for _, x := range []reflect.Value{r, p} {
			for i := range x.NumMethod() {
				m := x.Method(i)
				if m.Type().NumIn() != 0 || strings.HasSuffix(x.Type().Method(i).Name, "ock") {
					continue
				}
				s += try(func() string { return plain(fmt.Sprintf("%s %+v;", x.Type().Method(i).Name, show(m.Call(nil)))) })
				s += try(func() string {
					return plain(fmt.Sprintf("expr %+v;", show(x.Type().Method(i).Func.Call([]reflect.Value{x}))))
				})
				if f, ok := m.Interface().(func() string); ok {
					s += try(f)
				}
			}
		}
		return
	})
	o["slog"] = try(func() string {
		var b bytes.Buffer
		slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(g []string, a slog.Attr) slog.Attr {
			if a.Key == "time" {
				return slog.Attr{}
			}
			return a
		}})).Info("x", "v", v)
		return plain(b.String())
	})
	o["template"] = try(func() string {
		var b bytes.Buffer
		err := template.Must(template.New("t").Parse(`{{.}} {{printf "%T" .}}{{with .}}yes{{end}}`)).Execute(&b, v)
		return plain(fmt.Sprint(b.String(), err))
	})
	return o
}

func show(vs []reflect.Value) (out []any) {
	for _, v := range vs {
		out = append(out, v.Interface())
	}
	return
}

var addresses = regexp.MustCompile(`(0x|0X)?[0-9a-fA-F]{10,16}|0x[0-9a-f]{6,}`)

// plain takes addresses out of a text.
func plain(s string) string { return addresses.ReplaceAllString(s, "ADDR") }

func ptr[T any](x T) *T { return &x }

func cases() map[string]func() any {
	n := 5
	cs := map[string]func() any{
		"celsius":        func() any { return Celsius(21.5) },
		"plain":          func() any { return Plain(3) },
		"text":           func() any { return Text("hi") },
		"ptr":            func() any { return Ptr{4} },
		"ptr*":           func() any { return &Ptr{4} },
		"val":            func() any { return Val{1, 2} },
		"fmt":            func() any { return Fmt{1, 2} },
		"set":            func() any { return Set{"a": true} },
		"set nil":        func() any { return Set(nil) },
		"onemap":         func() any { return OneMap{map[string]int{"x": 1}} },
		"oneptr":         func() any { return OnePtr{&n} },
		"arrptr":         func() any { return ArrPtr{&n} },
		"wrap":           func() any { return Wrap{OneMap{map[string]int{"q": 1, "r": 2}}} },
		"fn":             func() any { return Fn(func(i int, s ...string) string { return fmt.Sprint(i, s) }) },
		"ch":             func() any { c := make(Ch, 2); c <- 1; return c },
		"empty":          func() any { return Empty{} },
		"outer":          func() any { return Outer{Inner{1, "n"}, &Ptr2{"d"}, "N"} },
		"outer nil":      func() any { return Outer{} },
		"outer*":         func() any { return &Outer{Inner{1, "n"}, &Ptr2{"d"}, "N"} },
		"embedhidden":    func() any { return EmbedHidden{hidden{1}, 2} },
		"embediface":     func() any { return EmbedIface{Sq{2}, "n"} },
		"embediface nil": func() any { return EmbedIface{} },
		"embedlib*":      func() any { return &EmbedLib{Duration: time.Second, n: 3} },
		"embedtime":      func() any { return EmbedTime{time.Unix(0, 0).UTC(), "why"} },
		"embederr":       func() any { return EmbedErr{io.EOF} },
		"embedmap":       func() any { return EmbedMap{Set{"z": true}, 1} },
		"holder": func() any {
			c := &Circle{1}
			return Holder{V: Sq{2}, L: []Shape{Sq{1}, c, nil}, M: map[string]Shape{"a": c, "b": Sq{3}},
				K: map[Shape]int{Sq{1}: 1, Sq{2}: 2}, E: NotFound{"k"}, A: Celsius(3), S: Celsius(4), v: Sq{9}, U: Sq{5}, X: Sq{6}}
		},
		"holder zero": func() any { return Holder{} },
		"intkey":      func() any { return IntKey{Sq{1}: "one"} },
		"shapes":      func() any { return []Shape{Sq{1}, nil, &Circle{2}} },
		"shapemap":    func() any { return map[string]Shape{"x": Sq{1}} },
		"node": func() any {
			n := &Node{Val: 1, Left: &Node{Val: 2}, Kids: []*Node{{Val: 3}, nil}}
			return n
		},
		"nodev":  func() any { return Node{Val: 1, ByKey: map[string]*Node{"a": nil}, up: &Node{}, walk: (*Node).next} },
		"lexer":  func() any { return Lexer{pos: 1} },
		"tree":   func() any { return Tree{"a": Tree{"b": nil}, "c": nil} },
		"list":   func() any { return List{List{nil, List{}}, nil} },
		"a1":     func() any { return A1{&B1{A: A1{N: 2}, L: []A1{{N: 3}}}, 1} },
		"loop":   func() any { var l Loop; return l },
		"pair":   func() any { return Pair[int, string]{1, "x"} },
		"pair2*": func() any { return &Pair[Celsius, []Inner]{2, []Inner{{1, "a"}}} },
		"pair3":  func() any { return Pair[string, Pair[int, Celsius]]{"k", Pair[int, Celsius]{1, 2}} },
		"stack":  func() any { return Stack[Plain]{[]Plain{1, 2}} },
		"nested": func() any {
			i := &Inner{7, "pp"}
			return Nested{P: Pair[string, Celsius]{"a", 1}, S: Stack[Pair[int, string]]{[]Pair[int, string]{{1, "z"}}}, Arr: [2]Celsius{1, 2},
				PP: &i, MM: map[Plain]map[Text][]Celsius{1: {"t": {2}}}}
		},
		"notfound":    func() any { return NotFound{"k"} },
		"ptrerr*":     func() any { return &PtrErr{1, NotFound{"z"}} },
		"multi":       func() any { return Multi{io.EOF, NotFound{"m"}} },
		"timeout":     func() any { return Timeout{} },
		"byage":       func() any { return ByAge{{3, "c"}, {1, "a"}} },
		"intheap":     func() any { return IntHeap{3, 1} },
		"level":       func() any { return Level(3) },
		"boom":        func() any { return Boom{1} },
		"calm":        func() any { return Boom{} },
		"boom nil":    func() any { return (*Boom)(nil) },
		"nil celsius": func() any { return (*Celsius)(nil) },
		"nil ptr":     func() any { return (*Ptr)(nil) },
		"doc":         func() any { return Doc{Title: "t", Items: []Item{{1, "v", 2}, {}}, Note: ptr("note")} },
		"doc*":        func() any { return &Doc{Title: "t"} },
		"blank":       func() any { return Blank{A: 1, B: "b"} },
		"anon": func() any {
			return struct {
				A Celsius
				b Plain
			}{1, 2}
		},
		"anon embed": func() any {
			return struct {
				Shape
				Inner
			}{Sq{2}, Inner{1, "x"}}
		},
		"ifaces in arr": func() any { return [2]Shape{Sq{1}, nil} },
		"chan dir":      func() any { return make(<-chan Celsius) },
		"func":          func() any { return (func(Celsius, ...Inner) Shape)(nil) },
		"ptrptr":        func() any { p := &Inner{1, "q"}; return &p },
		"mapptr":        func() any { return map[Inner]*Celsius{{1, "x"}: nil} },
		"arrkey":        func() any { return map[[2]Inner]Celsius{{{1, "x"}}: 3} },
	}
	for i := range locals() {
		cs[fmt.Sprint("local", i)] = func() any { return locals()[i] }
	}
	return cs
}
