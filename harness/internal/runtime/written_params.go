package runtime

import (
	"bytes"
	"encoding/json"
	"go/types"
	"reflect"
)

// maxJSONDepth is the maximum nesting depth that encoding/json reads.
const maxJSONDepth = 10000

// jsonUnmarshal is json.Unmarshal, and records which fields of a tool's parameters the text
// has: see [Presence].
func (m *Machine) jsonUnmarshal(data []byte, x any) error {
	err := json.Unmarshal(data, x)
	m.noteWritten(data, x)
	return err
}

// jsonDecode is (*json.Decoder).Decode, and records the same.
func (m *Machine) jsonDecode(d *json.Decoder, x any) error {
	if !m.hasParameters(x) {
		return d.Decode(x)
	}
	var raw json.RawMessage
	if err := d.Decode(&raw); err != nil {
		return err
	}
	inner := json.NewDecoder(bytes.NewReader(raw))
	options := reflect.ValueOf(d).Elem().FieldByName("d") // a Decoder does not export them
	if o := options.FieldByName("useNumber"); o.IsValid() && o.Bool() {
		inner.UseNumber()
	}
	if o := options.FieldByName("disallowUnknownFields"); o.IsValid() && o.Bool() {
		inner.DisallowUnknownFields()
	}
	err := inner.Decode(x)
	m.noteWritten(raw, x)
	return err
}

// hasParameters reports whether x is a pointer to a value that contains the parameters of
// a tool.
func (m *Machine) hasParameters(x any) bool {
	t := m.known(x)
	if t == nil {
		return false
	}
	holds, ok := m.parameters.Load(t)
	if !ok {
		holds = hasHidden(t.typ, map[types.Type]bool{})
		m.parameters.Store(t, holds)
	}
	return holds.(bool)
}

// hasHidden reports whether JSON that is read into a t can reach a struct with hidden
// fields.
func hasHidden(t types.Type, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return hasHidden(u.Elem(), seen)
	case *types.Slice:
		return hasHidden(u.Elem(), seen)
	case *types.Array:
		return hasHidden(u.Elem(), seen)
	case *types.Map:
		return hasHidden(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if Hidden(f) || hasHidden(f.Type(), seen) {
				return true
			}
		}
	}
	return false
}

// noteWritten records the parameter fields in x that are present in data, which was decoded
// into x.
func (m *Machine) noteWritten(data []byte, x any) {
	if m.hasParameters(x) && json.Valid(data) {
		m.note(trim(data), m.known(x).typ, reflect.ValueOf(m.erased(x)), 0)
	}
}

func (m *Machine) note(raw []byte, t types.Type, v reflect.Value, depth int) {
	if depth > maxJSONDepth || string(raw) == "null" {
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		if !v.IsNil() {
			m.note(raw, u.Elem(), v.Elem(), depth+1)
		}
	case *types.Slice, *types.Array:
		if raw[0] != '[' {
			return
		}
		elem := u.(interface{ Elem() types.Type }).Elem()
		for i, r := range elements(raw) {
			if i < v.Len() {
				m.note(r, elem, v.Index(i), depth+1)
			}
		}
	case *types.Map:
		if raw[0] != '{' || v.Type().Key().Kind() != reflect.String {
			return
		}
		_ = members(raw, func(key string, r, _ []byte) error {
			k := reflect.ValueOf(key).Convert(v.Type().Key())
			if e := v.MapIndex(k); e.IsValid() {
				held := reflect.New(e.Type()).Elem()
				held.Set(e)
				m.note(r, u.Elem(), held, depth+1)
				v.SetMapIndex(k, held)
			}
			return nil
		})
	case *types.Struct:
		if raw[0] != '{' {
			return
		}
		fields := m.jsonFields(t, u)
		_ = members(raw, func(key string, r, _ []byte) error {
			f := findField(fields, key)
			if f == nil || string(r) == "null" {
				return nil
			}
			markWritten(u, v, f.index)
			if inner, ok := fieldAt(v, f.index); ok {
				m.note(r, f.typ, inner, depth+1)
			}
			return nil
		})
	}
}

// fieldAt returns the field of v at path. ok is false if the path goes through a nil
// pointer.
func fieldAt(v reflect.Value, path []int) (reflect.Value, bool) {
	for _, i := range path {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v, false
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v, true
}
