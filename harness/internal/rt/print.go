package rt

import (
	"errors"
	"fmt"
	"go/types"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Format prints a script value as fmt prints the Go value: library code that
// gets a box hands it over here.
func (b Box) Format(s fmt.State, verb rune) {
	if verb == verbType {
		fmt.Fprintf(s, fmt.FormatString(s, 's'), TypeName(b.T.typ))
		return
	}
	p := b.T.m.printing(s, verb)
	p.value(b.T.typ, reflect.ValueOf(b.V), 0, true)
}

// printer prints one operand.
type printer struct {
	m           *Machine
	state       fmt.State
	verb        rune
	sharp, plus bool // of %#v and %+v
	alone       bool // fmt begins anew with the value, whatever it is a part of
}

func (m *Machine) printing(s fmt.State, verb rune) printer {
	return printer{m: m, state: s, verb: verb, sharp: s.Flag('#') && verb == 'v', plus: s.Flag('+') && verb == 'v'}
}

func (p printer) write(s string) { _, _ = io.WriteString(p.state, s) }

// leaf prints a value without parts of the script's types. fmt names the type
// of a value that does not fit the verb, which is the script's then.
func (p printer) leaf(t types.Type, v reflect.Value) {
	text := fmt.Sprintf(fmt.FormatString(p.state, p.verb), v.Interface())
	bad := "%!" + string(p.verb) + "("
	if strings.HasPrefix(text, bad) {
		if i := strings.IndexByte(text, '='); i > 0 {
			text = bad + TypeName(t) + text[i:]
		}
	}
	p.write(text)
}

// method prints through Format, GoString, Error or String when t has them.
func (p printer) method(t types.Type, v reflect.Value) bool {
	e := p.m.typeOf(t)
	if len(e.methods) == 0 {
		return false
	}
	if f, ok := e.methods["Format"]; ok && f.Type().NumIn() == 3 {
		p.guard(v, "Format", func() {
			f.Call([]reflect.Value{v, reflect.ValueOf(&p.state).Elem(), reflect.ValueOf(p.verb)})
		})
		return true
	}
	if p.sharp {
		f, ok := e.methods["GoString"]
		if ok {
			p.guard(v, "GoString", func() { p.write(f.Call([]reflect.Value{v})[0].String()) })
		}
		return ok
	}
	switch p.verb {
	case 'v', 's', 'x', 'X', 'q':
	default:
		return false
	}
	for _, name := range []string{"Error", "String"} {
		f, ok := e.methods[name]
		if !ok || f.Type().NumIn() != 1 || f.Type().NumOut() != 1 || f.Type().Out(0).Kind() != reflect.String {
			continue
		}
		p.guard(v, name, func() {
			text := f.Call([]reflect.Value{v})[0].String()
			fmt.Fprintf(p.state, fmt.FormatString(p.state, p.verb), text)
		})
		return true
	}
	return false
}

// guard calls a method of the script; a panic in it is printed, as fmt does.
func (p printer) guard(v reflect.Value, method string, call func()) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		x := p.m.ended(r)
		if v.Kind() == reflect.Pointer && v.IsNil() {
			p.write("<nil>")
			return
		}
		p.write("%!" + string(p.verb) + "(PANIC=" + method + " method: " + fmt.Sprint(x) + ")")
	}()
	call()
}

// value prints v, a value of the erased form of t. access is false below
// unexported fields, where fmt cannot call methods.
func (p printer) value(t types.Type, v reflect.Value, depth int, access bool) {
	t = types.Unalias(t)
	if !v.IsValid() {
		p.write("<nil>")
		return
	}
	if types.IsInterface(t) {
		p.iface(t, v, depth, access)
		return
	}
	if n, ok := t.(*types.Named); ok && Folded(n) {
		v = p.unfold(n, v)
	}
	if access && p.method(t, v) {
		return
	}
	if n, ok := t.(*types.Named); ok && n.Obj().Pkg() != nil && p.m.typeOf(t).plain {
		p.library(t, v, depth, access)
		return
	}
	if access && v.Kind() == reflect.Pointer && v.NumMethod() > 0 && p.m.typeOf(t).plain && p.speaks(v.Interface()) {
		p.leaf(t, v)
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		p.leaf(t, v)
	case *types.Struct:
		p.fields(t, u, v, depth, access)
	case *types.Map:
		p.mapping(t, u, v, depth, access)
	case *types.Slice:
		p.list(t, u.Elem(), v, depth, access)
	case *types.Array:
		p.list(t, u.Elem(), v, depth, access)
	case *types.Pointer:
		p.pointer(t, u, v, depth, access)
	default:
		p.address(t, v)
	}
}

// speaks: a library's pointer has a method that fmt would call.
func (p printer) speaks(x any) bool {
	switch x.(type) {
	case fmt.Formatter:
		return true
	case fmt.GoStringer:
		if p.sharp {
			return true
		}
	}
	switch x.(type) {
	case error, fmt.Stringer:
		return !p.sharp && strings.ContainsRune("vsxXq", p.verb)
	}
	return false
}

// unfold takes the value of a folded type out of its any.
func (p printer) unfold(n *types.Named, v reflect.Value) reflect.Value {
	if v.Kind() != reflect.Interface {
		return v
	}
	if v.IsNil() {
		return reflect.Zero(p.m.reflectOf(n.Underlying()))
	}
	return v.Elem()
}

// library prints a value of a library's named type.
func (p printer) library(t types.Type, v reflect.Value, depth int, access bool) {
	if access {
		p.leafAt(t, v, depth)
		return
	}
	p.opaque(v)
}

// opaque prints a library's value that fmt may not call methods on: what it is
// made of.
func (p printer) opaque(v reflect.Value) {
	holder := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "x", PkgPath: "main", Type: v.Type()}})).Elem()
	reflect.NewAt(v.Type(), holder.Field(0).Addr().UnsafePointer()).Elem().Set(v)
	p.field(holder.Interface())
}

// hiddenValue prints a value that was got by way of an unexported field, of type t;
// nil for a type of a library.
func (p printer) hiddenValue(t types.Type, v reflect.Value) {
	if t == nil {
		t = unnamed(v.Type())
	}
	switch {
	case t != nil && v.Kind() == reflect.Pointer:
		p.value(t, v, 0, false)
	case t != nil:
		p.value(t, v, 1, false)
	case v.Kind() == reflect.Pointer && !v.IsNil() && slices.Contains([]reflect.Kind{reflect.Struct, reflect.Slice, reflect.Array, reflect.Map}, v.Elem().Kind()):
		p.write("&")
		p.opaque(v.Elem())
	default:
		p.opaque(v)
	}
}

// field prints the field x of a struct that has no other, as fmt does.
func (p printer) field(holder any) {
	text := fmt.Sprintf(fmt.FormatString(p.state, p.verb), holder)
	if p.sharp {
		text = strings.TrimPrefix(text, reflect.TypeOf(holder).String())
	}
	text = text[1 : len(text)-1]
	if p.plus || p.sharp {
		_, text, _ = strings.Cut(text, ":")
	}
	p.write(text)
}

// leafAt prints a library value. A reflect.Value below the top level is printed
// by its method String.
func (p printer) leafAt(t types.Type, v reflect.Value, depth int) {
	if r, ok := v.Interface().(ReflectValue); ok && depth > 0 && !p.sharp && strings.ContainsRune("vsxXq", p.verb) {
		fmt.Fprintf(p.state, fmt.FormatString(p.state, p.verb), r.String())
		return
	}
	p.leaf(t, v)
}

func (p printer) iface(t types.Type, v reflect.Value, depth int, access bool) {
	if v.Kind() == reflect.Interface {
		if v.IsNil() {
			if p.sharp {
				p.write(TypeName(t) + "(nil)")
			} else {
				p.write("<nil>")
			}
			return
		}
		v = v.Elem()
	}
	x := canonical(v.Interface())
	if b, ok := unbox(x); ok {
		p.value(b.T.typ, reflect.ValueOf(b.V), depth+1, access)
		return
	}
	if !access {
		if t := unnamed(reflect.TypeOf(x)); t != nil {
			p.value(t, reflect.ValueOf(x), depth+1, false)
		} else {
			p.opaque(reflect.ValueOf(x))
		}
		return
	}
	// Pointers and bytes look different inside of something.
	if v = reflect.ValueOf(x); v.Kind() == reflect.Pointer && !v.IsNil() || p.sharp && v.Kind() == reflect.Slice {
		p.field(struct{ X any }{x})
		return
	}
	fmt.Fprintf(p.state, fmt.FormatString(p.state, p.verb), x)
}

// unnamed is the type of a value that can have interfaces in it and no named
// type; nil for any other.
func unnamed(r reflect.Type) types.Type {
	switch {
	case r == errorType:
		return types.Universe.Lookup("error").Type()
	case r.Kind() == reflect.Interface:
		return types.Universe.Lookup("any").Type()
	}
	if r.PkgPath() != "" {
		return nil
	}
	switch r.Kind() {
	case reflect.Slice:
		if elem := unnamed(r.Elem()); elem != nil {
			return types.NewSlice(elem)
		}
	case reflect.Array:
		if elem := unnamed(r.Elem()); elem != nil {
			return types.NewArray(elem, int64(r.Len()))
		}
	case reflect.Map:
		if key, elem := unnamed(r.Key()), unnamed(r.Elem()); key != nil && elem != nil {
			return types.NewMap(key, elem)
		}
	default:
		for kind, b := range basicTypes {
			if b == r && kind <= types.String {
				return types.Typ[kind]
			}
		}
	}
	return nil
}

func hex(x uintptr) string { return "0x" + strconv.FormatUint(uint64(x), 16) }

// parts writes the parts of a composite value between the brackets of its
// kind.
func (p printer) parts(t types.Type, open, close string, n int, part func(i int)) {
	if p.sharp {
		p.write(TypeName(t))
		open, close = "{", "}"
	}
	p.write(open)
	for i := range n {
		if i > 0 {
			if p.sharp {
				p.write(", ")
			} else {
				p.write(" ")
			}
		}
		part(i)
	}
	p.write(close)
}

func (p printer) fields(t types.Type, u *types.Struct, v reflect.Value, depth int, access bool) {
	shown := make([]int, 0, u.NumFields())
	for i := range u.NumFields() {
		if !hidden(u.Field(i)) {
			shown = append(shown, i)
		}
	}
	p.parts(t, "{", "}", len(shown), func(n int) {
		i := shown[n]
		f := u.Field(i)
		if p.plus || p.sharp {
			p.write(f.Name() + ":")
		}
		if u, ok := f.Type().Underlying().(*types.Struct); ok && access && f.Embedded() && !f.Exported() && !p.m.typeOf(f.Type()).plain {
			p.embedded(f.Type(), u, fieldOf(v, i), depth+1)
			return
		}
		p.value(f.Type(), fieldOf(v, i), depth+1, access && f.Exported())
	})
}

// embedded prints an embedded struct of an unexported type: fmt cannot call its
// methods, but those of its exported fields.
func (p printer) embedded(t types.Type, u *types.Struct, v reflect.Value, depth int) {
	if n, ok := types.Unalias(t).(*types.Named); ok && Folded(n) {
		v = p.unfold(n, v)
	}
	p.fields(t, u, v, depth, true)
}

// hidden: the field is one of the generated server packages' own, which notes
// what was written or holds a whole result.
func hidden(f *types.Var) bool {
	return !f.Exported() && f.Pkg() != nil && strings.HasPrefix(f.Pkg().Path(), "servers/")
}

func (p printer) mapping(t types.Type, u *types.Map, v reflect.Value, depth int, access bool) {
	if p.sharp && v.IsNil() {
		p.write(TypeName(t) + "(nil)")
		return
	}
	keys := sortedKeys(v)
	p.parts(t, "map[", "]", len(keys), func(i int) {
		p.value(u.Key(), keys[i], depth+1, access)
		p.write(":")
		p.value(u.Elem(), v.MapIndex(keys[i]), depth+1, access)
	})
}

func (p printer) list(t, elem types.Type, v reflect.Value, depth int, access bool) {
	if v.Type().Elem().Kind() == reflect.Uint8 && strings.ContainsRune("sqxX", p.verb) {
		if v.Kind() == reflect.Array {
			s := reflect.MakeSlice(reflect.SliceOf(v.Type().Elem()), v.Len(), v.Len())
			reflect.Copy(s, v)
			v = s
		}
		p.leaf(t, v)
		return
	}
	if p.sharp && v.Kind() == reflect.Slice && v.IsNil() {
		p.write(TypeName(t) + "(nil)")
		return
	}
	if _, named := types.Unalias(t).(*types.Named); p.sharp && depth == 0 && !named && TypeName(t) == "[]uint8" {
		p.leaf(t, v)
		return
	}
	p.parts(t, "[", "]", v.Len(), func(i int) { p.value(elem, v.Index(i), depth+1, access) })
}

func (p printer) pointer(t types.Type, u *types.Pointer, v reflect.Value, depth int, access bool) {
	if depth == 0 && !v.IsNil() {
		switch u.Elem().Underlying().(type) {
		case *types.Struct, *types.Slice, *types.Array, *types.Map:
			if !p.alone && inside() {
				break
			}
			p.write("&")
			p.value(u.Elem(), v.Elem(), depth+1, access)
			return
		}
	}
	p.address(t, v)
}

// inside reports whether fmt prints the value as part of another, a []any or a
// map of the library's: there it shows the address of a pointer. Format is not
// told, so that the stack has to.
func inside() bool {
	var pcs [12]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		if f.Function == "fmt.(*pp).handleMethods" {
			f, _ = frames.Next()
			return f.Function == "fmt.(*pp).printValue"
		}
		if !more {
			return false
		}
	}
}

// address prints pointers, channels and functions.
func (p printer) address(t types.Type, v reflect.Value) {
	switch a := v.Pointer(); {
	case p.verb == 'v' && p.sharp && a == 0:
		p.write("(" + TypeName(t) + ")(nil)")
	case p.verb == 'v' && p.sharp:
		p.write("(" + TypeName(t) + ")(" + hex(a) + ")")
	case p.verb == 'v' && a == 0:
		p.padded("<nil>")
	case p.verb == 'v':
		p.write(hex(a))
	case p.verb == 'p':
		fmt.Fprintf(p.state, fmt.FormatString(p.state, p.verb), v.Interface())
	case strings.ContainsRune("bdoxX", p.verb):
		fmt.Fprintf(p.state, fmt.FormatString(p.state, p.verb), a)
	default:
		p.write("%!" + string(p.verb) + "(" + TypeName(t) + "=")
		printer{m: p.m, state: p.state, verb: 'v', alone: true}.value(t, v, 0, false)
		p.write(")")
	}
}

// padded writes a text with the width of the verb, but not its precision.
func (p printer) padded(text string) {
	width, ok := p.state.Width()
	switch {
	case !ok:
		p.write(text)
	case p.state.Flag('-'):
		fmt.Fprintf(p.state, "%-*s", width, text)
	default:
		fmt.Fprintf(p.state, "%*s", width, text)
	}
}

// verbType is a verb of our own that stands for %T, which fmt answers without
// asking the value.
const verbType = '\uE000'

// typed makes every operand answer verbType.
type typed struct{ x any }

func (t typed) Format(s fmt.State, verb rune) {
	switch {
	case verb != verbType:
		fmt.Fprintf(s, fmt.FormatString(s, verb), t.x)
	case t.x == nil:
		fmt.Fprintf(s, fmt.FormatString(s, 's'), "<nil>")
	default:
		fmt.Fprintf(s, fmt.FormatString(s, 's'), dynamicName(t.x))
	}
}

// operands prepares a format and its operands: %T asks the script's types, %p
// the erased value.
func operands(format string, args []any) (string, []any) { return operandsOf(format, args, false) }

// operandsOf is operands for Errorf, which knows %w, and for all others.
func operandsOf(format string, args []any, wraps bool) (string, []any) {
	if !hides(args) {
		return format, args
	}
	out := make([]byte, 0, len(format)+4)
	args = append([]any(nil), args...)
	n := 0
	for i := 0; i < len(format); i++ {
		out = append(out, format[i])
		if format[i] != '%' {
			continue
		}
		start := i
		for i++; i < len(format) && strings.IndexByte("+-# 0123456789.*[]", format[i]) >= 0; i++ {
			out = append(out, format[i])
			switch format[i] {
			case '*':
				n++
			case '[':
				if k, err := strconv.Atoi(format[i+1 : i+1+max(0, strings.IndexByte(format[i+1:], ']'))]); err == nil {
					n = k - 1
				}
			}
		}
		if i >= len(format) {
			out = append(out[:len(out)-(len(format)-start)], "%%!(NOVERB)"...)
			break
		}
		switch c := format[i]; {
		case c == '%':
			out = append(out, c)
			continue
		case c == 'T' && n >= 0 && n < len(args):
			if _, done := args[n].(typed); !done && !isErrorUsed(format, args[n]) {
				args[n] = typed{args[n]}
			}
			out = utf8.AppendRune(out, verbType)
		case c == 'w' && n >= 0 && n < len(args) && cannotWrap(args[n], wraps):
			b, _ := unbox(args[n])
			args[n] = unwrappable{b}
			out = append(out, 'v')
		case c == 'p' && n >= 0 && n < len(args):
			args[n] = erased(args[n])
			out = append(out, c)
		default:
			if c != 'w' && n >= 0 && n < len(args) {
				args[n] = opened(args[n])
			}
			out = append(out, c)
		}
		n++
	}
	if n < len(args) && strings.IndexByte(format, '[') < 0 && hides(args[n:]) {
		out = append(out, extra(args[n:])...)
		args = args[:n]
	}
	return string(out), args
}

func cannotWrap(x any, wraps bool) bool {
	_, isBox := unbox(x)
	_, isError := x.(error)
	return isBox && !(wraps && isError)
}

// unwrappable is the operand of a %w that wraps nothing.
type unwrappable struct{ b Box }

func (u unwrappable) Format(s fmt.State, _ rune) {
	p := printer{m: u.b.T.m, state: s, verb: 'v'}
	p.write("%!w(" + TypeName(u.b.T.typ) + "=")
	p.value(u.b.T.typ, reflect.ValueOf(u.b.V), 0, false)
	p.write(")")
}

// extra is what fmt adds for operands that the format does not use.
func extra(args []any) string {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = "<nil>"
		if a != nil {
			parts[i] = dynamicName(a) + "=" + fmt.Sprint(a)
		}
	}
	return strings.ReplaceAll("%!(EXTRA "+strings.Join(parts, ", ")+")", "%", "%%")
}

// isErrorUsed: the operand is an error box that %w may need as it is; boxes
// answer verbType themselves.
func isErrorUsed(format string, x any) bool {
	_, ok := unbox(x)
	return ok && strings.Contains(format, "%w")
}

// hides: one of the operands is of a type that fmt would name wrongly.
func hides(args []any) bool {
	for _, a := range args {
		switch a.(type) {
		case error:
			if _, ok := opened(a).(openedError); ok {
				return true
			}
		}
		switch a.(type) {
		case boxed, goError, boundsError, goPlainError, unhashableTypeError, *TypeAssertionError, *valueContext, ReflectValue, ReflectMethod, reflectType:
			return true
		}
		if t := reflect.TypeOf(a); t != nil && t.Name() == "" && reflectShown(t) != t {
			return true
		}
	}
	return false
}

// An openedError is an error of the library that holds script values in fields
// where fmt finds no methods.
type openedError struct {
	error
	box  Box // one of them
	name string
	text any // its message, which is the first field; nil where there is none
	list []error
	one  bool // list is one error, and no list
}

// opened is x, so that verbs that look into errors find what Go has there.
func opened(x any) any {
	o := openedError{}
	switch reflect.TypeOf(x) {
	case joinErrorType:
		o.name = "errors.joinError"
	case wrapErrorsType:
		o.name, o.text = "fmt.wrapErrors", x.(error).Error()
	case wrapErrorType:
		o.name, o.text, o.one = "fmt.wrapError", x.(error).Error(), true
		o.list = []error{errors.Unwrap(x.(error))}
	default:
		return x
	}
	o.error = x.(error)
	if list, ok := x.(interface{ Unwrap() []error }); ok {
		o.list = list.Unwrap()
	}
	for _, e := range o.list {
		if b, ok := unbox(canonical(e)); ok {
			o.box = b
			return o
		}
	}
	return x
}

var (
	joinErrorType  = reflect.TypeOf(errors.Join(io.EOF))
	wrapErrorType  = reflect.TypeOf(fmt.Errorf("%w", io.EOF))
	wrapErrorsType = reflect.TypeOf(fmt.Errorf("%w%w", io.EOF, io.EOF))
)

// Format prints the message where fmt does, and else the parts.
func (o openedError) Format(s fmt.State, verb rune) {
	p := o.box.T.m.printing(s, verb)
	if !p.sharp && strings.ContainsRune("vsxXq", verb) {
		fmt.Fprintf(s, fmt.FormatString(s, verb), o.error)
		return
	}
	errorGo := types.Universe.Lookup("error").Type()
	name, between := "", " "
	field := func(string) {}
	if p.sharp {
		name, between = o.name, ", "
		field = func(name string) { p.write(name + ":") }
	}
	p.write("&" + name + "{")
	if o.text != nil {
		field("msg")
		fmt.Fprintf(s, fmt.FormatString(s, verb), o.text)
		p.write(between)
	}
	if o.one {
		field("err")
		p.iface(errorGo, reflect.ValueOf(&o.list[0]).Elem(), 1, false)
	} else {
		field("errs")
		p.list(types.NewSlice(errorGo), errorGo, reflect.ValueOf(o.list), 1, false)
	}
	p.write("}")
}

// strs turns script values of string kind into strings: Print puts spaces only
// between operands that are not strings.
func strs(args []any) []any {
	var out []any
	for i, a := range args {
		b, ok := unbox(a)
		if !ok || reflect.ValueOf(b.V).Kind() != reflect.String {
			continue
		}
		if out == nil {
			out = append([]any(nil), args...)
		}
		out[i] = fmt.Sprint(a)
	}
	if out == nil {
		return args
	}
	return out
}
