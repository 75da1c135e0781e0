package rt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// decoder reads JSON into script types as encoding/json does.
type decoder struct {
	m         *Machine
	useNumber bool
	strict    bool  // unknown fields are errors
	saved     error // the first value that did not fit; decoding goes on
	path      []string
	owner     string // the struct around the value, by name
	depth     int
	faithful  bool  // do without mirrors
	size      int   // capacity of the whole text, of which all others are parts
	before    int64 // bytes before the whole text that offsets count too
}

func (m *Machine) jsonUnmarshal(data []byte, x any) error {
	if isNative(x) {
		return json.Unmarshal(data, x)
	}
	d := &decoder{m: m}
	b, _ := unbox(canonical(x))
	if v := reflect.ValueOf(b.V); v.Kind() == reflect.Pointer && !v.IsNil() {
		if elem, isPtr := pointee(b.T.typ); isPtr {
			if p := d.mirrorFor(elem, v.Elem()); p != nil {
				err := json.Unmarshal(data, p)
				if err == nil || isSyntax(err) {
					return err
				}
				d.size = cap(data)
				if err := d.explain(err, trim(data), elem, v.Elem()); err != nil {
					return err
				}
				return d.saved
			}
		}
	}
	var valid json.RawMessage
	if err := json.Unmarshal(data, &valid); err != nil {
		return err
	}
	return d.into(data, x)
}

// isNative: encoding/json reads into x, which a script hands over, as Go does.
func isNative(x any) bool {
	if _, ok := unbox(canonical(x)); ok {
		return false
	}
	t, _ := toFill(reflect.ValueOf(x))
	return t == nil
}

// into reads data, which is valid JSON, into x, which is not native.
func (d *decoder) into(data []byte, x any) error {
	b, ok := unbox(canonical(x))
	if !ok {
		t, v := toFill(reflect.ValueOf(x))
		return d.fill(data, t, v)
	}
	elem, isPtr := pointee(b.T.typ)
	v := reflect.ValueOf(b.V)
	if !isPtr || v.IsNil() {
		return &json.InvalidUnmarshalError{Type: d.m.reflectTypeOf(b.T.typ)}
	}
	if f, ok := b.T.method("UnmarshalJSON"); ok {
		return asError(f.Call([]reflect.Value{v, reflect.ValueOf(trim(data))})[0])
	}
	return d.fill(data, elem, v.Elem())
}

// fill reads data, which is valid JSON, into v of type t.
func (d *decoder) fill(data []byte, t types.Type, v reflect.Value) error {
	d.size = cap(data)
	if err := d.value(trim(data), t, v); err != nil {
		return err
	}
	return d.saved
}

// toFill is what p, a pointer of no script type, leads to if pointers of the
// script can be in it that JSON is read into: &[]any{&n, &point}. The type is
// nil if there are none.
func toFill(p reflect.Value) (types.Type, reflect.Value) {
	for p.Kind() == reflect.Pointer && p.Elem().Kind() == reflect.Pointer {
		p = p.Elem()
	}
	if p.Kind() != reflect.Pointer || p.IsNil() || p.Elem().IsZero() || !fillable(p.Type().Elem()) {
		return nil, p
	}
	return unnamed(p.Type().Elem()), p.Elem()
}

// fillable: JSON that is read into a value of type t goes into pointers that
// it holds in interfaces. What a map holds is replaced.
func fillable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Slice, reflect.Array:
		return t.Name() == "" && fillable(t.Elem())
	}
	return false
}

// value reads one JSON text into v, a value of the erased form of t.
func (d *decoder) value(raw []byte, t types.Type, v reflect.Value) error {
	if d.depth++; d.depth > maxJSONDepth {
		return errors.New("json: exceeded max depth")
	}
	defer func() { d.depth-- }()
	t = types.Unalias(t)
	null := string(raw) == "null"
	if done, err := d.unmarshaler(raw, t, v, null); done {
		return err
	}
	if n, ok := t.(*types.Named); ok && Folded(n) {
		return d.folded(raw, n, v)
	}
	if types.IsInterface(t) {
		return d.iface(raw, t, v, null)
	}
	if d.m.typeOf(t).plain && !holdsAny(v.Type()) {
		return d.leaf(raw, t, v)
	}
	if done, err := d.mirrored(raw, t, v); done {
		return err
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		if null {
			v.SetZero()
			return nil
		}
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return d.value(raw, u.Elem(), v.Elem())
	case *types.Slice:
		return d.slice(raw, t, u, v, null)
	case *types.Array:
		return d.array(raw, t, u, v, null)
	case *types.Map:
		return d.mapping(raw, t, u, v, null)
	case *types.Struct:
		return d.object(raw, t, u, v, null)
	}
	return d.leaf(raw, t, v)
}

// unmarshaler reads by the script's own method, if the type has one.
func (d *decoder) unmarshaler(raw []byte, t types.Type, v reflect.Value, null bool) (bool, error) {
	if types.IsInterface(t) {
		return false, nil
	}
	if _, isPtr := t.(*types.Pointer); isPtr {
		return false, nil
	}
	ptr := d.m.pointerTo(t)
	if f, ok := ptr.method("UnmarshalJSON"); ok {
		return true, d.inContext(asError(f.Call([]reflect.Value{v.Addr(), reflect.ValueOf(slices.Clone(raw))})[0]))
	}
	f, ok := ptr.method("UnmarshalText")
	if !ok {
		return false, nil
	}
	if null {
		return true, nil
	}
	if raw[0] != '"' {
		if d.depth == 1 {
			t = types.NewPointer(t) // as it was given
		}
		d.mismatch(raw, t)
		return true, nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return true, err
	}
	return true, asError(f.Call([]reflect.Value{v.Addr(), reflect.ValueOf([]byte(s))})[0])
}

// folded reads into a type that is kept as any.
func (d *decoder) folded(raw []byte, n *types.Named, v reflect.Value) error {
	inner := reflect.New(d.m.reflectOf(n.Underlying())).Elem()
	if !v.IsNil() {
		inner.Set(v.Elem())
	}
	if err := d.value(raw, n.Underlying(), inner); err != nil {
		return err
	}
	if k := inner.Kind(); (k == reflect.Map || k == reflect.Slice || k == reflect.Pointer) && inner.IsNil() {
		v.SetZero()
		return nil
	}
	v.Set(inner)
	return nil
}

func (d *decoder) iface(raw []byte, t types.Type, v reflect.Value, null bool) error {
	held := v.Elem()
	if inner, p := d.held(held); inner != nil {
		if _, isPtr := pointee(inner); isPtr || !null {
			return d.value(raw, inner, p)
		}
	}
	switch {
	case null && held.Kind() == reflect.Pointer && held.Elem().Kind() == reflect.Pointer:
		held.Elem().SetZero()
	case null:
		v.SetZero()
	case t.Underlying().(*types.Interface).NumMethods() == 0:
		return d.leaf(raw, t, v)
	case held.Kind() == reflect.Pointer && !held.IsNil():
		return d.leaf(raw, nil, held.Elem())
	default:
		d.mismatch(raw, t)
	}
	return nil
}

// held is what a pointer in an interface points to and its type, nil if that
// is nothing of the script's.
func (d *decoder) held(v reflect.Value) (types.Type, reflect.Value) {
	if !v.IsValid() {
		return nil, v
	}
	b, ok := unbox(canonical(v.Interface()))
	if !ok {
		return toFill(v)
	}
	if elem, isPtr := pointee(b.T.typ); isPtr && !reflect.ValueOf(b.V).IsNil() {
		return elem, reflect.ValueOf(b.V).Elem()
	}
	return nil, v
}

// leaf reads by encoding/json into a value without script types, one of the
// library's type t; nil is for a type that its name says.
func (d *decoder) leaf(raw []byte, t types.Type, v reflect.Value) error {
	err := d.byJSON(raw, v.Addr().Interface())
	var mismatch *json.UnmarshalTypeError
	if !errors.As(err, &mismatch) {
		return err
	}
	if t != nil && mismatch.Type == v.Type() {
		mismatch.Type = d.m.reflectTypeOf(t)
	}
	d.save(mismatch, d.start(raw)+mismatch.Offset)
	return nil
}

// byJSON reads by encoding/json.
func (d *decoder) byJSON(raw []byte, p any) error {
	if !d.useNumber && !d.strict {
		return json.Unmarshal(raw, p)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if d.useNumber {
		dec.UseNumber()
	}
	if d.strict {
		dec.DisallowUnknownFields()
	}
	return dec.Decode(p)
}

// start is where raw begins in the whole text.
func (d *decoder) start(raw []byte) int64 { return d.before + int64(d.size-cap(raw)) }

func kindOfJSON(raw []byte) string {
	switch raw[0] {
	case '"':
		return "string"
	case '[':
		return "array"
	case '{':
		return "object"
	case 't', 'f':
		return "bool"
	}
	return "number"
}

// mismatch saves that a JSON value did not fit type t.
func (d *decoder) mismatch(raw []byte, t types.Type) {
	end := d.start(raw) + int64(len(raw))
	if raw[0] == '[' || raw[0] == '{' {
		end = d.start(raw) + 1
	}
	d.save(&json.UnmarshalTypeError{Value: kindOfJSON(raw), Type: d.m.reflectTypeOf(t)}, end)
}

// save keeps the first value that did not fit; decoding goes on.
func (d *decoder) save(e *json.UnmarshalTypeError, offset int64) {
	if d.saved != nil {
		return
	}
	e.Offset = offset
	if d.owner != "" || len(d.path) > 0 {
		fields := append([]string(nil), d.path...)
		if e.Field != "" {
			fields = append(fields, e.Field)
		}
		e.Struct, e.Field = d.owner, strings.Join(fields, ".")
	}
	d.saved = e
}

// inContext adds to an error of a script's own unmarshaler where it happened,
// as Go does it for errors of its own.
func (d *decoder) inContext(err error) error {
	if e, ok := err.(*json.UnmarshalTypeError); ok && (d.owner != "" || len(d.path) > 0) {
		e.Struct, e.Field = d.owner, strings.Join(d.path, ".")
	}
	return err
}

func (d *decoder) slice(raw []byte, t types.Type, u *types.Slice, v reflect.Value, null bool) error {
	if null {
		v.SetZero()
		return nil
	}
	if v.Type().Elem().Kind() == reflect.Uint8 && raw[0] == '"' {
		return d.leaf(raw, t, v)
	}
	if raw[0] != '[' {
		d.mismatch(raw, t)
		return nil
	}
	list := elements(raw)
	for i, r := range list { // elements up to the capacity are reused, as Go does it
		if i >= v.Cap() {
			v.Grow(1)
		}
		if i >= v.Len() {
			v.SetLen(i + 1)
		}
		if err := d.value(r, u.Elem(), v.Index(i)); err != nil {
			return err
		}
	}
	v.SetLen(len(list))
	if len(list) == 0 {
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	}
	return nil
}

func (d *decoder) array(raw []byte, t types.Type, u *types.Array, v reflect.Value, null bool) error {
	if null {
		return nil
	}
	if raw[0] != '[' {
		d.mismatch(raw, t)
		return nil
	}
	list := elements(raw)
	for i := range v.Len() {
		if i >= len(list) {
			v.Index(i).SetZero()
		} else if err := d.value(list[i], u.Elem(), v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) mapping(raw []byte, t types.Type, u *types.Map, v reflect.Value, null bool) error {
	if null {
		v.SetZero()
		return nil
	}
	if raw[0] != '{' {
		d.mismatch(raw, t)
		return nil
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	return members(raw, func(name string, value, rawKey []byte) error {
		elem := reflect.New(v.Type().Elem()).Elem()
		if err := d.value(value, u.Elem(), elem); err != nil {
			return err
		}
		key, ok, err := d.key(name, u.Key(), v.Type().Key(), d.start(rawKey)+1)
		if err == nil && ok {
			v.SetMapIndex(key, elem)
		}
		return err
	})
}

// key reads a map key from its text.
func (d *decoder) key(name string, t types.Type, r reflect.Type, at int64) (reflect.Value, bool, error) {
	k := reflect.New(r)
	if f, ok := d.m.pointerTo(t).method("UnmarshalText"); ok {
		err := asError(f.Call([]reflect.Value{k, reflect.ValueOf([]byte(name))})[0])
		return k.Elem(), true, err
	}
	if u, ok := k.Interface().(interface{ UnmarshalText([]byte) error }); ok && d.m.typeOf(t).plain {
		return k.Elem(), true, u.UnmarshalText([]byte(name))
	}
	e := k.Elem()
	switch {
	case r.Kind() == reflect.String:
		e.SetString(name)
	case e.CanInt():
		n, err := strconv.ParseInt(name, 10, 64)
		if err != nil || e.OverflowInt(n) {
			d.badKey(name, t, at)
			return e, false, nil
		}
		e.SetInt(n)
	case e.CanUint():
		n, err := strconv.ParseUint(name, 10, 64)
		if err != nil || e.OverflowUint(n) {
			d.badKey(name, t, at)
			return e, false, nil
		}
		e.SetUint(n)
	default:
		d.badKey(name, t, at)
		return e, false, nil
	}
	return e, true, nil
}

func (d *decoder) badKey(name string, t types.Type, at int64) {
	d.save(&json.UnmarshalTypeError{Value: "number " + name, Type: d.m.reflectTypeOf(t)}, at)
}

func (d *decoder) object(raw []byte, t types.Type, u *types.Struct, v reflect.Value, null bool) error {
	if null {
		return nil
	}
	if raw[0] != '{' {
		d.mismatch(raw, t)
		return nil
	}
	fields := d.m.jsonFields(t, u)
	owner, path := d.owner, d.path
	defer func() { d.owner, d.path = owner, path }()
	name := ""
	if n, ok := t.(*types.Named); ok {
		name = strings.TrimPrefix(TypeName(n), "main.")
	}
	return members(raw, func(key string, value, _ []byte) error {
		f := findField(fields, key)
		if f == nil {
			if d.strict && d.saved == nil {
				d.saved = fmt.Errorf("json: unknown field %q", key)
			}
			return nil
		}
		fv, _ := f.get(v, true)
		if string(value) != "null" {
			markWritten(u, v, f.index)
		}
		d.owner, d.path = name, append(append(path[:len(path):len(path)], f.around...), f.name)
		if f.quoted {
			return d.quoted(value, f, fv)
		}
		return d.value(value, f.typ, fv)
	})
}

func findField(fields []jsonField, key string) *jsonField {
	for i := range fields {
		if fields[i].name == key {
			return &fields[i]
		}
	}
	for i := range fields {
		if strings.EqualFold(fields[i].name, key) {
			return &fields[i]
		}
	}
	return nil
}

// quoted reads a field with the option "string".
func (d *decoder) quoted(raw []byte, f *jsonField, v reflect.Value) error {
	if string(raw) == "null" {
		return d.value(raw, f.typ, v)
	}
	var s string
	if raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return fmt.Errorf("json: invalid use of ,string struct tag, trying to unmarshal unquoted value into %s", TypeName(f.typ))
	}
	if !json.Valid([]byte(s)) {
		return fmt.Errorf("json: invalid use of ,string struct tag, trying to unmarshal %q into %s", s, TypeName(f.typ))
	}
	before := d.saved
	err := d.value([]byte(s), f.typ, v)
	if mismatch, ok := d.saved.(*json.UnmarshalTypeError); ok && before == nil {
		mismatch.Offset = d.start(raw) + int64(len(raw)) // what is inside has no place of its own
	}
	return err
}
