package rt

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/types"
	"log/slog"
	"reflect"
	"slices"
	"strconv"
)

// encoder writes JSON as encoding/json does, over script types. Values that
// have none in them go to encoding/json.
type encoder struct {
	m     *Machine
	out   bytes.Buffer
	enc   *json.Encoder // writes to out
	html  bool          // escape <, > and &
	depth int           // of pointers, maps and slices
	// around are the pointers, maps and slices that are being written, from the
	// depth on where Go looks for cycles.
	around map[reference]bool
}

// uncheckedJSONDepth is how deep Go writes before it looks for cycles.
const uncheckedJSONDepth = 1000

// maxJSONDepth is how deep it reads, and how deep we write: the stack of a
// worker is not as large as that of a Go program.
const maxJSONDepth = 10000

// reference is what a value refers to.
type reference struct {
	t   reflect.Type
	at  uintptr
	len int
}

func (m *Machine) jsonMarshal(x any) ([]byte, error) { return m.encode(x, true) }

func (m *Machine) encode(x any, html bool) ([]byte, error) {
	e := &encoder{m: m, html: html}
	if err := e.any(x); err != nil {
		return nil, err
	}
	return e.out.Bytes(), nil
}

func (m *Machine) jsonMarshalIndent(x any, prefix, indent string) ([]byte, error) {
	b, err := m.jsonMarshal(x)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = json.Indent(&out, b, prefix, indent)
	return out.Bytes(), err
}

// MarshalJSON serves library code that marshals by itself, such as log/slog.
func (b boxValue) MarshalJSON() ([]byte, error) { return b.T.m.jsonMarshal(b.T.boxed(b.V)) }

// MarshalText serves library code that asks for it, and so below.
func (b boxText) MarshalText() ([]byte, error)      { return b.marshalText() }
func (b boxErrorText) MarshalText() ([]byte, error) { return b.marshalText() }
func (b boxWrapsText) MarshalText() ([]byte, error) { return b.marshalText() }
func (b boxJoinsText) MarshalText() ([]byte, error) { return b.marshalText() }

func (b Box) marshalText() ([]byte, error) {
	r, ok := b.call("MarshalText")
	if !ok {
		return nil, goPlainError("MarshalText is not there")
	}
	return r[0].Bytes(), asError(r[1])
}

// LogValue serves log/slog, and so below.
func (b boxLog) LogValue() slog.Value      { return b.logValue() }
func (b boxErrorLog) LogValue() slog.Value { return b.logValue() }
func (b boxWrapsLog) LogValue() slog.Value { return b.logValue() }
func (b boxJoinsLog) LogValue() slog.Value { return b.logValue() }

func (b Box) logValue() slog.Value {
	v, _ := adapter{b}.must("LogValue")[0].Interface().(slog.Value)
	return v
}

// leaf writes a value by encoding/json.
func (e *encoder) leaf(x any) error {
	if e.enc == nil {
		e.enc = json.NewEncoder(&e.out)
		e.enc.SetEscapeHTML(e.html)
	}
	if err := e.enc.Encode(x); err != nil {
		return err
	}
	e.out.Truncate(e.out.Len() - 1)
	return nil
}

// any writes a value in an interface.
func (e *encoder) any(x any) error {
	x = canonical(x)
	if b, ok := unbox(x); ok {
		return e.value(b.T.typ, reflect.ValueOf(b.V))
	}
	if x == nil {
		e.out.WriteString("null")
		return nil
	}
	v := reflect.ValueOf(x)
	if v.NumMethod() > 0 || !holdsAny(v.Type()) {
		return e.leaf(x)
	}
	return e.open(v)
}

// holdsAny: values of the type can hold script values, in interfaces.
func holdsAny(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Map, reflect.Slice, reflect.Array, reflect.Pointer:
		return t.Name() == "" && holdsAny(t.Elem())
	}
	return false
}

// open walks a plain type that can hold script values.
func (e *encoder) open(v reflect.Value) error {
	if v.Kind() == reflect.Interface {
		if v.IsNil() {
			return e.any(nil)
		}
		return e.any(v.Interface())
	}
	if v.NumMethod() > 0 || !holdsAny(v.Type()) {
		return e.leaf(v.Interface())
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return e.any(nil)
		}
		if err := e.enter(v, nil); err != nil {
			return err
		}
		defer e.exit(v)
		return e.open(v.Elem())
	case reflect.Map:
		return e.mapping(v, nil, nil, e.open)
	case reflect.Slice:
		if v.IsNil() {
			return e.any(nil)
		}
	}
	return e.list(v, nil, e.open)
}

func (e *encoder) list(v reflect.Value, t types.Type, elem func(reflect.Value) error) error {
	if v.Kind() == reflect.Slice {
		if err := e.enter(v, t); err != nil {
			return err
		}
		defer e.exit(v)
	}
	e.out.WriteByte('[')
	for i := range v.Len() {
		if i > 0 {
			e.out.WriteByte(',')
		}
		if err := elem(v.Index(i)); err != nil {
			return err
		}
	}
	e.out.WriteByte(']')
	return nil
}

// enter goes into what v, a pointer, map or slice of type t, refers to.
func (e *encoder) enter(v reflect.Value, t types.Type) error {
	if e.depth++; e.depth <= uncheckedJSONDepth {
		return nil
	}
	if e.depth > maxJSONDepth {
		e.depth--
		return errors.New("json: exceeded max depth")
	}
	r := referenceOf(v)
	if e.around[r] {
		e.depth-- // nothing will leave it
		return &json.UnsupportedValueError{Value: v, Str: "encountered a cycle via " + nameOf(v, t)}
	}
	if e.around == nil {
		e.around = map[reference]bool{}
	}
	e.around[r] = true
	return nil
}

func (e *encoder) exit(v reflect.Value) {
	if e.depth > uncheckedJSONDepth {
		delete(e.around, referenceOf(v))
	}
	e.depth--
}

func referenceOf(v reflect.Value) reference {
	r := reference{t: v.Type(), at: v.Pointer()}
	if v.Kind() == reflect.Slice {
		r.len = v.Len()
	}
	return r
}

// nameOf is the type of an erased value; t is nil where that says it all.
func nameOf(v reflect.Value, t types.Type) string {
	if t == nil {
		return v.Type().String()
	}
	return TypeName(t)
}

type mapEntry struct {
	key   string
	value reflect.Value
}

// mapping writes a map of type t, sorted by its keys as texts; u is its
// underlying type where it is the script's.
func (e *encoder) mapping(v reflect.Value, t types.Type, u *types.Map, elem func(reflect.Value) error) error {
	if v.IsNil() {
		return e.any(nil)
	}
	if err := e.enter(v, t); err != nil {
		return err
	}
	defer e.exit(v)
	var entries []mapEntry
	for _, k := range v.MapKeys() {
		text, err := e.key(k, u)
		if err != nil {
			return fmt.Errorf("json: encoding error for type %q: %q", nameOf(v, t), err.Error())
		}
		entries = append(entries, mapEntry{text, v.MapIndex(k)})
	}
	slices.SortFunc(entries, func(a, b mapEntry) int { return cmp.Compare(a.key, b.key) })
	e.out.WriteByte('{')
	for i, x := range entries {
		if i > 0 {
			e.out.WriteByte(',')
		}
		if err := e.leaf(x.key); err != nil {
			return err
		}
		e.out.WriteByte(':')
		if err := elem(x.value); err != nil {
			return err
		}
	}
	e.out.WriteByte('}')
	return nil
}

// key writes a map key as text.
func (e *encoder) key(k reflect.Value, t *types.Map) (string, error) {
	if k.Kind() == reflect.String {
		return k.String(), nil
	}
	if t != nil {
		if f, ok := e.m.typeOf(t.Key()).method("MarshalText"); ok {
			if k.Kind() == reflect.Pointer && k.IsNil() {
				return "", nil
			}
			r := f.Call([]reflect.Value{k})
			return string(r[0].Bytes()), asError(r[1])
		}
	}
	if m, ok := k.Interface().(interface{ MarshalText() ([]byte, error) }); ok && t == nil || ok && e.m.typeOf(t.Key()).plain {
		b, err := m.MarshalText()
		return string(b), err
	}
	switch {
	case k.CanInt():
		return strconv.FormatInt(k.Int(), 10), nil
	case k.CanUint():
		return strconv.FormatUint(k.Uint(), 10), nil
	}
	return "", fmt.Errorf("unexpected map key type")
}

// marshaler finds MarshalJSON or MarshalText of a value, by its address where
// it has one.
func (e *encoder) marshaler(t types.Type, v reflect.Value) (name string, f, recv reflect.Value) {
	for _, name := range []string{"MarshalJSON", "MarshalText"} {
		if f, ok := e.m.typeOf(t).method(name); ok {
			return name, f, v
		}
		if v.CanAddr() {
			if f, ok := e.m.pointerTo(t).method(name); ok {
				return name, f, v.Addr()
			}
		}
	}
	return "", reflect.Value{}, v
}

// value writes v, a value of the erased form of t.
func (e *encoder) value(t types.Type, v reflect.Value) error {
	t = types.Unalias(t)
	if types.IsInterface(t) {
		if v.Kind() == reflect.Interface && v.IsNil() {
			return e.any(nil)
		}
		return e.any(v.Interface())
	}
	if n, ok := t.(*types.Named); ok && Folded(n) {
		v = printer{m: e.m}.unfold(n, v)
	}
	if name, f, recv := e.marshaler(t, v); name != "" {
		return e.call(name, f, recv, t)
	}
	if e.m.typeOf(t).plain && !holdsAny(v.Type()) {
		if v.CanAddr() { // methods on pointers, as of big.Int
			return e.leaf(v.Addr().Interface())
		}
		return e.leaf(v.Interface())
	}
	if e.mirrored(t, v) {
		return nil
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if k := v.Kind(); k >= reflect.Bool && k <= reflect.Float64 || k == reflect.String {
			return e.leaf(v.Interface())
		}
	case *types.Pointer:
		if v.IsNil() {
			return e.any(nil)
		}
		if err := e.enter(v, t); err != nil {
			return err
		}
		defer e.exit(v)
		return e.value(u.Elem(), v.Elem())
	case *types.Slice:
		if v.IsNil() {
			return e.any(nil)
		}
		if v.Type().Elem().Kind() == reflect.Uint8 && !e.marshals(u.Elem()) {
			return e.leaf(v.Bytes())
		}
		return e.list(v, t, func(x reflect.Value) error { return e.value(u.Elem(), x) })
	case *types.Array:
		return e.list(v, t, func(x reflect.Value) error { return e.value(u.Elem(), x) })
	case *types.Map:
		if !e.keyable(u.Key()) {
			break
		}
		return e.mapping(v, t, u, func(x reflect.Value) error { return e.value(u.Elem(), x) })
	case *types.Struct:
		return e.object(t, u, v)
	}
	return e.unsupported(t)
}

func (e *encoder) marshals(t types.Type) bool {
	for _, x := range []*Type{e.m.typeOf(t), e.m.pointerTo(t)} {
		for _, name := range []string{"MarshalJSON", "MarshalText"} {
			if _, ok := x.method(name); ok {
				return true
			}
		}
	}
	return false
}

func (e *encoder) keyable(t types.Type) bool {
	if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&(types.IsString|types.IsInteger) != 0 {
		return true
	}
	if _, ok := e.m.typeOf(t).method("MarshalText"); ok {
		return true
	}
	return e.m.typeOf(t).plain && e.m.reflectOf(t).Implements(reflect.TypeFor[interface{ MarshalText() ([]byte, error) }]())
}

// call writes what the marshaler f of a value of t returns for recv, which may be
// its address.
func (e *encoder) call(name string, f, recv reflect.Value, t types.Type) error {
	if recv.Kind() == reflect.Pointer && recv.IsNil() {
		return e.any(nil)
	}
	r := f.Call([]reflect.Value{recv})
	if err := asError(r[1]); err != nil {
		return e.marshalerError(t, name, err)
	}
	if name == "MarshalText" {
		return e.leaf(string(r[0].Bytes()))
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, r[0].Bytes()); err != nil {
		return e.marshalerError(t, name, err)
	}
	if e.html {
		json.HTMLEscape(&e.out, compact.Bytes())
	} else {
		e.out.Write(compact.Bytes())
	}
	return nil
}

// textError is an error of encoding/json that names a type of the script.
type textError struct {
	text  string
	inner error
}

func (e *textError) Error() string { return e.text }
func (e *textError) Unwrap() error { return e.inner }

func (e *encoder) marshalerError(t types.Type, method string, err error) error {
	out := &json.MarshalerError{Type: e.m.reflectTypeOf(t), Err: err}
	if f := reflect.ValueOf(out).Elem().FieldByName("sourceFunc"); f.IsValid() && f.Kind() == reflect.String {
		reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem().SetString(method)
	}
	return out
}

func (e *encoder) unsupported(t types.Type) error {
	return &json.UnsupportedTypeError{Type: e.m.reflectTypeOf(t)}
}

func (e *encoder) object(t types.Type, u *types.Struct, v reflect.Value) error {
	e.out.WriteByte('{')
	first := true
	for _, f := range e.m.jsonFields(t, u) {
		fv, ok := f.get(v, false)
		if !ok || f.omitEmpty && isEmpty(fv) || f.omitZero && e.isZero(f.typ, fv) {
			continue
		}
		if !first {
			e.out.WriteByte(',')
		}
		first = false
		if err := e.leaf(f.name); err != nil {
			return err
		}
		e.out.WriteByte(':')
		if err := e.field(&f, fv); err != nil {
			return err
		}
	}
	e.out.WriteByte('}')
	return nil
}

// field writes a field's value, in quotes with the option "string".
func (e *encoder) field(f *jsonField, v reflect.Value) error {
	if !f.quoted {
		return e.value(f.typ, v)
	}
	inner := &encoder{m: e.m, html: e.html, depth: e.depth, around: e.around}
	if err := inner.value(f.typ, v); err != nil {
		return err
	}
	text := inner.out.String()
	if text == "null" || e.marshals(f.typ) {
		e.out.WriteString(text)
		return nil
	}
	return e.leaf(text)
}

// isEmpty is what omitempty leaves out, in XML too.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct, reflect.Func, reflect.Chan, reflect.Complex64, reflect.Complex128:
		return false
	}
	return v.IsZero()
}

func (e *encoder) isZero(t types.Type, v reflect.Value) bool {
	if f, ok := e.m.typeOf(t).method("IsZero"); ok {
		if v.Kind() == reflect.Pointer && v.IsNil() {
			return true
		}
		return f.Call([]reflect.Value{v})[0].Bool()
	}
	if v.CanAddr() {
		if f, ok := e.m.pointerTo(t).method("IsZero"); ok {
			return f.Call([]reflect.Value{v.Addr()})[0].Bool()
		}
	}
	if z, ok := v.Interface().(interface{ IsZero() bool }); ok && e.m.typeOf(t).plain {
		return v.Kind() == reflect.Pointer && v.IsNil() || z.IsZero()
	}
	return v.IsZero()
}
