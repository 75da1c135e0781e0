package gotype

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"log/slog"
	"reflect"
	"strings"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/usetools/usetools/harness/internal/stdlib/export"
)

// script is types_test.go as the type checker sees it: the types of a script, of
// which the test has the compiled ones too.
var script = sync.OnceValue(func() *types.Package {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "types_test.go", nil, 0)
	if err != nil {
		panic(err)
	}
	conf := types.Config{Importer: export.Importer()}
	pkg, err := conf.Check(reflect.TypeFor[Celsius]().PkgPath(), fset, []*ast.File{f}, nil)
	if err != nil {
		panic(err)
	}
	return pkg
})

// library has the library's types that types_test.go uses.
var library = map[string]reflect.Type{
	"bytes.Buffer": reflect.TypeFor[bytes.Buffer](), "context.Context": reflect.TypeFor[context.Context](),
	"encoding/json.RawMessage": reflect.TypeFor[json.RawMessage](), "encoding/xml.Name": reflect.TypeFor[xml.Name](),
	"fmt.State": reflect.TypeFor[fmt.State](), "fmt.Stringer": reflect.TypeFor[fmt.Stringer](),
	"io.Reader": reflect.TypeFor[io.Reader](), "io.Writer": reflect.TypeFor[io.Writer](),
	"log/slog.Value": reflect.TypeFor[slog.Value](), "strings.Builder": reflect.TypeFor[strings.Builder](),
	"sync.Mutex": reflect.TypeFor[sync.Mutex](), "time.Time": reflect.TypeFor[time.Time](),
	"time.Duration": reflect.TypeFor[time.Duration](), "time.Month": reflect.TypeFor[time.Month](),
	"time.Weekday": reflect.TypeFor[time.Weekday](), "time.Location": reflect.TypeFor[time.Location](),
}

// A twins makes twins of compiled types: types that nobody should tell from them.
type twins struct {
	*Maker
	mode     mode
	compiled typeutil.Map // types.Type -> reflect.Type
	seen     map[reflect.Type]types.Type
}

// A mode is what a twins gives to its maker.
type mode int

const (
	asCompiled  mode = iota // the compiled types are the erased forms; methods have code for T and *T
	valueOnly               // methods of T have no code for *T
	pointerOnly             // and the other way round
	ownOnly                 // promoted methods have no code
	asMemory                // the erased forms are made by reflect
	modes
)

func newTwins(in mode) *twins {
	w := &twins{mode: in, seen: map[reflect.Type]types.Type{}}
	w.Maker = New(&Options{ByValue: true,
		Source:  func(p *types.Package) bool { return p == script() },
		Erased:  w.erased,
		Library: func(path, name string) reflect.Type { return library[path+"."+name] },
		Method:  w.method,
	})
	return w
}

// noteLocals notes the types that func locals declares, which have no text of their
// own.
func (w *twins) noteLocals() {
	scope := script().Scope().Lookup("locals").(*types.Func).Scope()
	for i, v := range locals() {
		if i > 0 {
			scope = scope.Child(0)
		}
		w.note(reflect.TypeOf(v), scope.Lookup("T").Type())
	}
}

// goType returns the type of the script that t is compiled of, and notes both.
func (w *twins) goType(t reflect.Type) types.Type {
	if g := w.seen[t]; g != nil {
		return g
	}
	text := strings.NewReplacer(script().Path()+".", "", script().Name()+".", "").Replace(t.String())
	tv, err := types.Eval(token.NewFileSet(), script(), token.NoPos, text)
	if err != nil {
		panic(fmt.Sprint(t, ": ", err))
	}
	w.note(t, tv.Type)
	return tv.Type
}

// note notes that g is compiled to t, and the same of all that they lead to.
func (w *twins) note(t reflect.Type, g types.Type) {
	if g = types.Unalias(g); w.seen[t] != nil {
		return
	}
	w.seen[t] = g
	w.compiled.Set(g, t)
	if n, ok := g.(*types.Named); ok {
		if n.Obj().Pkg() != script() {
			return
		}
		for g, t := range map[types.Type]reflect.Type{g: t, types.NewPointer(g): reflect.PointerTo(t)} {
			w.note(t, g)
			set := types.NewMethodSet(g)
			for m := range t.Methods() {
				sig := set.Lookup(script(), m.Name).Type().(*types.Signature)
				off := t.Kind() != reflect.Interface
				for i := range sig.Params().Len() {
					at := i
					if off {
						at++
					}
					w.note(m.Type.In(at), sig.Params().At(i).Type())
				}
				for i := range sig.Results().Len() {
					w.note(m.Type.Out(i), sig.Results().At(i).Type())
				}
			}
		}
	}
	switch u := g.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			w.note(t.Field(i).Type, u.Field(i).Type())
		}
	case *types.Signature:
		for i := range u.Params().Len() {
			w.note(t.In(i), u.Params().At(i).Type())
		}
		for i := range u.Results().Len() {
			w.note(t.Out(i), u.Results().At(i).Type())
		}
	case *types.Map:
		w.note(t.Key(), u.Key())
		w.note(t.Elem(), u.Elem())
	case interface{ Elem() types.Type }:
		w.note(t.Elem(), u.Elem())
	}
}

// erased is a type of the same memory as t.
func (w *twins) erased(t types.Type) reflect.Type {
	if u, ok := t.Underlying().(*types.Interface); ok && !u.Empty() {
		return w.Form(t)
	}
	c, _ := w.compiled.At(t).(reflect.Type)
	if s, ok := t.Underlying().(*types.Struct); ok && w.mode == asMemory || c == nil {
		var fields []reflect.StructField
		for i := range s.NumFields() {
			r, err := w.memory(s.Field(i).Type())
			if err != nil {
				panic(err)
			}
			fields = append(fields, reflect.StructField{Name: fmt.Sprint("F", i), Type: r})
		}
		return reflect.StructOf(fields)
	}
	return c
}

func (w *twins) method(recv types.Type, sel *types.Selection) (code reflect.Value) {
	p, ptr := recv.(*types.Pointer)
	byValue := ptr && types.NewMethodSet(p.Elem()).Lookup(sel.Obj().Pkg(), sel.Obj().Name()) != nil
	switch {
	case w.mode == valueOnly && byValue, w.mode == pointerOnly && !ptr, w.mode == ownOnly && len(sel.Index()) > 1:
		return
	}
	if c, ok := w.compiled.At(recv).(reflect.Type); ok {
		m, _ := c.MethodByName(sel.Obj().Name())
		return m.Func
	}
	return
}

// twin returns the made type of a compiled one.
func (w *twins) twin(t reflect.Type) reflect.Type {
	r, err := w.Type(w.goType(t))
	if err != nil {
		panic(err)
	}
	return r
}

// retype returns v under its twin's type, and what lies in interfaces inside too.
func (w *twins) retype(v any) any {
	if v == nil {
		return nil
	}
	p := reflect.New(reflect.TypeOf(v))
	p.Elem().Set(reflect.ValueOf(v))
	r := reflect.NewAt(w.twin(reflect.TypeOf(v)), p.UnsafePointer())
	w.inside(r.Elem(), map[unsafe.Pointer]bool{})
	return r.Elem().Interface()
}

func (w *twins) inside(v reflect.Value, seen map[unsafe.Pointer]bool) {
	if v.CanAddr() {
		v = reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem()
	}
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		if e := v.Elem(); w.seen[e.Type()] != nil || e.Type().PkgPath() == script().Path() {
			c := reflect.New(e.Type())
			c.Elem().Set(e)
			r := reflect.NewAt(w.twin(e.Type()), c.UnsafePointer()).Elem()
			w.inside(r, seen)
			v.Set(w.Convert(r.Interface(), v.Type()))
		}
	case reflect.Pointer:
		if !v.IsNil() && !seen[v.UnsafePointer()] {
			seen[v.UnsafePointer()] = true
			w.inside(v.Elem(), seen)
		}
	case reflect.Struct:
		if v.Type().PkgPath() != script().Path() && v.Type().PkgPath() != "" {
			return
		}
		for i := range v.NumField() {
			w.inside(v.Field(i), seen)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			w.inside(v.Index(i), seen)
		}
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.Interface && v.Type().Elem().Kind() != reflect.Interface {
			return
		}
		for _, k := range v.MapKeys() {
			nk, nv := reflect.New(k.Type()).Elem(), reflect.New(v.Type().Elem()).Elem()
			nk.Set(k)
			nv.Set(v.MapIndex(k))
			v.SetMapIndex(k, reflect.Value{})
			w.inside(nk, seen)
			w.inside(nv, seen)
			v.SetMapIndex(nk, nv)
		}
	}
}
