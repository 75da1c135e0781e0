package rt

import (
	"bytes"
	"encoding/xml"
	"errors"
	"go/types"
	"reflect"
)

// encoding/xml goes by names, tags and methods of the types that it meets. For
// a struct of the script it gets a view, a struct with the script's own field
// names and tags, and in the place of whatever has types of the script in it
// something that it knows how to ask: an [xmlNode] writes itself, an [xmlTarget]
// is read into. They make the view of what they stand for when it is their turn.

func (m *Machine) xmlMarshal(x any) ([]byte, error) {
	var b bytes.Buffer
	e := xml.NewEncoder(&b)
	if err := m.xmlEncode(e, x); err != nil {
		return nil, err
	}
	if err := e.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (m *Machine) xmlMarshalIndent(x any, prefix, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := xml.NewEncoder(&b)
	e.Indent(prefix, indent)
	if err := m.xmlEncode(e, x); err != nil {
		return nil, err
	}
	if err := e.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (m *Machine) xmlEncode(e *xml.Encoder, x any) error { return m.xmlEncodeAs(e, x, nil) }

func (m *Machine) xmlEncodeElement(e *xml.Encoder, x any, start xml.StartElement) error {
	if start.Name.Local == "" {
		return e.EncodeElement(nil, start) // which says what is wrong
	}
	return m.xmlEncodeAs(e, x, &start)
}

func (m *Machine) xmlEncodeAs(e *xml.Encoder, x any, start *xml.StartElement) error {
	b, ok := unbox(canonical(x))
	if !ok {
		v := reflect.ValueOf(x)
		switch k := v.Kind(); {
		case (k == reflect.Slice || k == reflect.Array) && holdsInterfaces(v.Type()):
			for i := range v.Len() {
				if err := m.xmlEncodeAs(e, v.Index(i).Interface(), start); err != nil {
					return err
				}
			}
			return nil
		case start != nil:
			return e.EncodeElement(x, *start)
		}
		return e.Encode(x)
	}
	n := xmlNode{m: m, t: b.T.typ, v: reflect.ValueOf(b.V), top: start == nil, named: start != nil}
	if start != nil {
		return e.EncodeElement(n, *start)
	}
	return e.Encode(n)
}

func (m *Machine) xmlUnmarshal(data []byte, x any) error {
	return m.xmlDecode(xml.NewDecoder(bytes.NewReader(data)), x)
}

func (m *Machine) xmlDecode(d *xml.Decoder, x any) error { return m.xmlDecodeElement(d, x, nil) }

func (m *Machine) xmlDecodeElement(d *xml.Decoder, x any, start *xml.StartElement) error {
	b, ok := unbox(canonical(x))
	if p, isAny := x.(*any); isAny && p != nil { // a pointer in it is filled
		if held, isBox := unbox(canonical(*p)); isBox {
			if v := reflect.ValueOf(held.V); v.Kind() == reflect.Pointer && !v.IsNil() {
				b, ok = held, true
			}
		}
	}
	if !ok {
		return d.DecodeElement(x, start)
	}
	elem, isPtr := pointee(b.T.typ)
	v := reflect.ValueOf(b.V)
	switch {
	case !isPtr:
		return errors.New("non-pointer passed to Unmarshal")
	case v.IsNil():
		return errors.New("nil pointer passed to Unmarshal")
	}
	return d.DecodeElement(&xmlTarget{m: m, t: elem, v: v.Elem()}, start)
}

// xmlMethods are what encoding/xml asks types for.
var xmlMethods = map[string]string{
	"MarshalXML": "(*xml.Encoder, xml.StartElement) error", "MarshalXMLAttr": "(xml.Name) (xml.Attr, error)", "MarshalText": "() ([]uint8, error)",
	"UnmarshalXML": "(*xml.Decoder, xml.StartElement) error", "UnmarshalXMLAttr": "(xml.Attr) error", "UnmarshalText": "([]uint8) error",
}

// hasXMLMethods: values of n, or what points to them, may have something to say.
func hasXMLMethods(n *types.Named) bool {
	set := types.NewMethodSet(types.NewPointer(n))
	for name := range xmlMethods {
		if set.Lookup(nil, name) != nil {
			return true
		}
	}
	return false
}

// xmlMethod finds a method that encoding/xml asks v, or its address, for.
func (m *Machine) xmlMethod(t types.Type, v reflect.Value, name string) (adapter, bool) {
	if a := (adapter{Box{m.typeOf(t), v.Interface()}}); a.can(name, xmlMethods[name]) {
		return a, true
	}
	if !v.CanAddr() {
		return adapter{}, false
	}
	a := adapter{Box{m.typeOf(types.NewPointer(t)), v.Addr().Interface()}}
	return a, a.can(name, xmlMethods[name])
}

// xmlNative: encoding/xml may see the erased form of t as it is. It may not
// where it would say that it cannot take it, since it would name the erased form.
func (m *Machine) xmlNative(t types.Type) bool {
	t = types.Unalias(t)
	if n, ok := t.(*types.Named); ok {
		if n.Obj().Pkg() == nil || !m.cfg.Source(n.Obj().Pkg()) {
			return !types.IsInterface(n) && n.TypeArgs().Len() == 0
		}
		if hasXMLMethods(n) || Folded(n) {
			return false
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsComplex == 0
	case *types.Slice:
		return m.xmlNative(u.Elem())
	case *types.Pointer:
		return m.xmlNative(u.Elem())
	case *types.Struct:
		return u.NumFields() == 0
	}
	return false
}
