package rt

import (
	"encoding/binary"
	"errors"
	"go/types"
	"io"
	"reflect"
	"strings"
)

// Package encoding/binary over script types. It goes by kinds, which the erased
// form has, and by the names of fields: it skips those of the name _ and cannot
// set those that are not exported.

func (m *Machine) binaryRead(r io.Reader, order binary.ByteOrder, data any) error {
	x := m.fixed(data)
	return namedError(binary.Read(r, order, x), x, data)
}

func (m *Machine) binaryWrite(w io.Writer, order binary.ByteOrder, data any) error {
	x := m.fixed(data)
	return namedError(binary.Write(w, order, x), x, data)
}

func (m *Machine) binarySize(data any) int { return binary.Size(m.fixed(data)) }

func (m *Machine) binaryAppend(buf []byte, order binary.ByteOrder, data any) ([]byte, error) {
	x := m.fixed(data)
	out, err := binary.Append(buf, order, x)
	return out, namedError(err, x, data)
}

func (m *Machine) binaryEncode(buf []byte, order binary.ByteOrder, data any) (int, error) {
	x := m.fixed(data)
	n, err := binary.Encode(buf, order, x)
	return n, namedError(err, x, data)
}

func (m *Machine) binaryDecode(buf []byte, order binary.ByteOrder, data any) (int, error) {
	x := m.fixed(data)
	n, err := binary.Decode(buf, order, x)
	return n, namedError(err, x, data)
}

// fixed is the value in data for encoding/binary: of a type with the script's
// own fields where that matters.
func (m *Machine) fixed(data any) any {
	b, ok := unbox(canonical(data))
	if !ok || b.V == nil {
		return erased(data)
	}
	t, v := b.T.typ, reflect.ValueOf(b.V)
	elem, isPtr := pointee(t)
	switch {
	case isPtr && v.Kind() == reflect.Pointer:
		if own := m.fixedType(elem, 0); own != nil && own != v.Type().Elem() && !v.IsNil() {
			return reflect.NewAt(own, v.UnsafePointer()).Interface()
		}
	case v.Kind() == reflect.Slice || v.Kind() == reflect.Struct || v.Kind() == reflect.Array:
		if own := m.fixedType(t, 0); own != nil && own != v.Type() {
			held := reflect.New(v.Type())
			held.Elem().Set(v)
			return reflect.NewAt(own, held.UnsafePointer()).Elem().Interface()
		}
	}
	return b.V
}

// fixedType is a type like t with the script's own fields; nil for one that
// encoding/binary does not take.
func (m *Machine) fixedType(t types.Type, depth int) reflect.Type {
	if depth > 100 {
		return nil
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsString == 0 {
			return basicTypes[u.Kind()]
		}
	case *types.Slice:
		if e := m.fixedType(u.Elem(), depth+1); e != nil {
			return reflect.SliceOf(e)
		}
	case *types.Array:
		if e := m.fixedType(u.Elem(), depth+1); e != nil {
			return reflect.ArrayOf(int(u.Len()), e)
		}
	case *types.Struct:
		form, own := m.reflectOf(u), false
		if form == nil || form.NumField() != u.NumFields() {
			return nil
		}
		fields := make([]reflect.StructField, u.NumFields())
		for i := range fields {
			f := u.Field(i)
			e := m.fixedType(f.Type(), depth+1)
			if e == nil {
				return nil
			}
			fields[i] = reflect.StructField{Name: f.Name(), Type: e}
			if !f.Exported() {
				fields[i].PkgPath = "main"
			}
			own = own || !f.Exported() || e != form.Field(i).Type
		}
		if !own {
			return form
		}
		if s := reflect.StructOf(fields); s.Size() == form.Size() {
			return s
		}
	}
	return nil
}

// namedError is an error of encoding/binary, which was given fixed for data, with
// the script's name of the type.
func namedError(err error, fixed, data any) error {
	if _, ok := unbox(data); err == nil || !ok || fixed == nil {
		return err
	}
	if text, ok := strings.CutSuffix(err.Error(), reflect.TypeOf(fixed).String()); ok {
		return errors.New(text + dynamicName(data))
	}
	return err
}
