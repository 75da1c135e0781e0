package rt

import (
	"encoding/xml"
	"fmt"
	"go/types"
	"reflect"
	"strconv"
	"strings"
)

// A xmlNode is a value of the script that is to be written.
type xmlNode struct {
	m *Machine
	t types.Type
	v reflect.Value
	// top: it has no name but that of its type; named: it has one that goes before
	// what its struct says.
	top, named bool
}

// through follows pointers and interfaces; false is nil. A value that is not
// the script's is returned as it is.
func (n xmlNode) through() (node xmlNode, library any, ok bool) {
	for {
		switch n.t.Underlying().(type) {
		case *types.Interface:
			if n.v.Kind() == reflect.Interface && n.v.IsNil() {
				return n, nil, false
			}
			x := canonical(n.v.Interface())
			b, isBox := unbox(x)
			if !isBox {
				return n, x, x != nil
			}
			n.t, n.v = b.T.typ, reflect.ValueOf(b.V)
		case *types.Pointer:
			if n.v.IsNil() {
				return n, nil, false
			}
			n.t, _ = pointee(n.t)
			n.v = n.v.Elem()
		default:
			if named, ok := types.Unalias(n.t).(*types.Named); ok && Folded(named) {
				n.v = printer{m: n.m}.unfold(named, n.v)
			}
			return n, nil, true
		}
	}
}

// MarshalXML serves encoding/xml.
func (n xmlNode) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	n, library, ok := n.through()
	switch {
	case !ok:
		return nil
	case library != nil && n.top:
		return n.m.xmlEncode(e, library)
	case library != nil:
		return n.m.xmlEncodeElement(e, library, start)
	}
	m, t, v := n.m, n.t, n.v
	if n.top {
		start = xml.StartElement{Name: xml.Name{Local: n.typeName()}}
	}
	if a, ok := m.xmlMethod(t, v, "MarshalXML"); ok {
		before, _ := openXML(e)
		if err := asError(a.must("MarshalXML", e, start)[0]); err != nil {
			return err
		}
		if now, last := openXML(e); now > before {
			return fmt.Errorf("xml: %s.MarshalXML wrote invalid XML: <%s> not closed", a.receiver(), last(0).Local)
		}
		return nil
	}
	if a, ok := m.xmlMethod(t, v, "MarshalText"); ok {
		text, err := a.bytesError("MarshalText")
		if err != nil {
			return err
		}
		return e.EncodeElement(string(text), start)
	}
	switch u := t.Underlying().(type) {
	case *types.Slice, *types.Array:
		elem := u.(interface{ Elem() types.Type }).Elem()
		if isByte(elem) {
			break
		}
		for i := range v.Len() {
			if err := (xmlNode{m, elem, v.Index(i), n.top, n.named}).MarshalXML(e, start); err != nil {
				return err
			}
		}
		return nil
	case *types.Struct:
		if u.NumFields() > 0 {
			return n.marshalStruct(e, start)
		}
	}
	if start.Name.Local == "" {
		return n.unsupported()
	}
	if m.xmlNative(t) {
		return e.EncodeElement(v.Interface(), start)
	}
	text, ok := n.simple()
	if !ok {
		return n.unsupported()
	}
	return e.EncodeElement(text, start)
}

func (n xmlNode) typeName() string {
	if named, ok := types.Unalias(n.t).(*types.Named); ok {
		return named.Obj().Name()
	}
	return n.v.Type().Name()
}

func (n xmlNode) unsupported() error {
	return &xml.UnsupportedTypeError{Type: namedType{n.v.Type(), TypeName(n.t)}}
}

// namedType is the type of an erased form with the name that the script gave it.
type namedType struct {
	reflect.Type
	name string
}

func (t namedType) String() string { return t.name }

func (n xmlNode) marshalStruct(e *xml.Encoder, start xml.StartElement) error {
	if !n.m.cfg.Source(packageOf(n.t)) && packageOf(n.t) != nil {
		return e.EncodeElement(n.v.Interface(), start) // a library's
	}
	view := n.m.xmlViewOf(n.t, false, false)
	if view.err != nil {
		return view.err
	}
	x := reflect.New(view.typ).Elem()
	n.m.fillXML(view, x, n.v)
	switch name, ok := n.elementName(); {
	case n.named:
	case ok:
		start.Name = name
	case n.top && packageOf(n.t) == nil:
		return n.unsupported()
	}
	if view.xmlns != 0 && start.Name.Space == "" {
		// Go goes by the element around; under the view it is the mark of a MarshalXML.
		if n, tag := openXML(e); n > 1 && tag(1).Space != "" {
			x.Field(view.xmlns).Set(reflect.ValueOf(xml.Attr{Name: xml.Name{Local: "xmlns"}}))
		}
	}
	return n.m.asXML(e.EncodeElement(x.Interface(), start), view, n.t)
}

// elementName is the name that a field XMLName gives.
func (n xmlNode) elementName() (xml.Name, bool) {
	field, ok := xmlNameOf(n.t)
	switch space, local, spaced := strings.Cut(field.tag, " "); {
	case !ok:
		return xml.Name{}, false
	case spaced:
		return xml.Name{Space: space, Local: local}, true
	case field.tag != "":
		return xml.Name{Local: field.tag}, true
	case field.hidden && !n.named:
		panic(hiddenXMLName)
	}
	v, err := n.v.FieldByIndexErr(field.path)
	if err != nil {
		return xml.Name{}, false
	}
	name, ok := v.Interface().(xml.Name)
	return name, ok && name.Local != ""
}

// openXML returns how many elements an encoder has open, with the marks that it
// sets for MarshalXML methods, and the last of them: tag(1) is the one before
// the last. Go decides by them, and they are said nowhere.
func openXML(e *xml.Encoder) (n int, tag func(i int) xml.Name) {
	tags := reflect.ValueOf(e).Elem().FieldByName("p").FieldByName("tags")
	n = tags.Len()
	return n, func(i int) xml.Name {
		t := tags.Index(n - 1 - i)
		return xml.Name{Space: t.Field(0).String(), Local: t.Field(1).String()}
	}
}

// receiver is how encoding/xml names what it calls a method of.
func (a adapter) receiver() string {
	if name := TypeName(a.T.typ); !strings.HasPrefix(name, "*") {
		return name
	}
	return "(" + TypeName(a.T.typ) + ")"
}

// fillXML makes the view x of the struct v.
func (m *Machine) fillXML(view *xmlView, x, v reflect.Value) {
	for i, f := range view.fields {
		elem, list := f.list()
		switch from := v.Field(f.index); {
		case f.embedded != nil && from.Kind() == reflect.Pointer:
			if !from.IsNil() {
				x.Field(i).Set(reflect.New(f.embedded.typ))
				m.fillXML(f.embedded, x.Field(i).Elem(), from.Elem())
			}
		case f.embedded != nil:
			m.fillXML(f.embedded, x.Field(i), from)
		case f.native:
			x.Field(i).Set(from)
		case f.text:
			x.Field(i).Set(reflect.ValueOf(xmlText{xmlNode{m: m, t: f.typ, v: from}}.shown(f.comment)))
		case list:
			x.Field(i).Set(reflect.ValueOf(m.notEmpty(nil, elem, from)))
		case x.Field(i).Type() == reflect.SliceOf(xmlNodeType) && (m.xmlNative(f.typ) || m.xmlNodeType(f.typ).Kind() != reflect.Slice):
			if !f.omitEmpty || !isEmpty(from) {
				x.Field(i).Set(reflect.ValueOf([]xmlNode{{m: m, t: f.typ, v: from}}))
			}
		case f.attr && from.Kind() == reflect.Pointer && m.xmlAsksPointer(f.typ) && !(f.omitEmpty && from.IsNil()):
			x.Field(i).Set(reflect.ValueOf(xmlNode{m: m, t: f.typ, v: from}))
		default:
			x.Field(i).Set(m.xmlNodeOf(f.typ, from))
		}
	}
}

// xmlAsksPointer: for an attribute, encoding/xml calls methods of a pointer
// even when it is nil.
func (m *Machine) xmlAsksPointer(t types.Type) bool {
	a := adapter{Box{m.typeOf(t), nil}}
	return a.can("MarshalXMLAttr", xmlMethods["MarshalXMLAttr"]) || a.can("MarshalText", xmlMethods["MarshalText"])
}

// xmlNodeOf makes what stands for v, as xmlNodeType says.
func (m *Machine) xmlNodeOf(t types.Type, v reflect.Value) reflect.Value {
	typ := m.xmlNodeType(t)
	if m.xmlNative(t) {
		return v
	}
	switch {
	case typ == anyType:
		out := reflect.New(anyType).Elem()
		switch n, library, ok := (xmlNode{m: m, t: t, v: v}).through(); {
		case ok && library != nil:
			out.Set(reflect.ValueOf(library))
		case ok:
			out.Set(reflect.ValueOf(n))
		}
		return out
	case typ == xmlNodeType:
		return reflect.ValueOf(xmlNode{m: m, t: t, v: v})
	case v.Kind() == reflect.Slice && v.IsNil():
		return reflect.Zero(typ)
	}
	elem := t.Underlying().(interface{ Elem() types.Type }).Elem()
	out := reflect.New(typ).Elem()
	if typ.Kind() == reflect.Slice {
		out.Set(reflect.MakeSlice(typ, v.Len(), v.Len()))
	}
	for i := range v.Len() {
		out.Index(i).Set(m.xmlNodeOf(elem, v.Index(i)))
	}
	return out
}

// MarshalXMLAttr serves encoding/xml.
func (n xmlNode) MarshalXMLAttr(name xml.Name) (xml.Attr, error) {
	if a, ok := n.m.xmlMethod(n.t, n.v, "MarshalXMLAttr"); ok {
		r := a.must("MarshalXMLAttr", name)
		attr, _ := r[0].Interface().(xml.Attr)
		return attr, asError(r[1])
	}
	if a, ok := n.m.xmlMethod(n.t, n.v, "MarshalText"); ok {
		text, err := a.bytesError("MarshalText")
		return xml.Attr{Name: name, Value: string(text)}, err
	}
	text, ok := n.simple()
	if !ok {
		return xml.Attr{}, n.unsupported()
	}
	return xml.Attr{Name: name, Value: text}, nil
}

// simple is the text of a value that is not made of others.
func (n xmlNode) simple() (string, bool) {
	v := n.v
	switch k := v.Kind(); {
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10), true
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10), true
	case v.CanFloat():
		return strconv.FormatFloat(v.Float(), 'g', -1, v.Type().Bits()), true
	case k == reflect.Bool:
		return strconv.FormatBool(v.Bool()), true
	case k == reflect.String:
		return v.String(), true
	case k == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		return string(v.Bytes()), true
	case k == reflect.Array && v.Type().Elem().Kind() == reflect.Uint8:
		if elem := n.t.Underlying().(*types.Array).Elem(); !v.CanAddr() && !types.Identical(elem, types.Typ[types.Byte]) {
			panic("reflect.Copy: uint8 != " + TypeName(elem))
		}
		text := make([]byte, v.Len())
		reflect.Copy(reflect.ValueOf(text), v)
		return string(text), true
	}
	return "", false
}

// xmlText is a value of the script that is character data.
type xmlText struct{ xmlNode }

// shown is what the view holds: a value that can write itself, or a plain one.
// Comments are text only.
func (x xmlText) shown(comment bool) any {
	if comment {
		n, library, ok := x.through()
		switch {
		case ok && library != nil:
			return library
		case ok && n.v.Kind() == reflect.String:
			return n.v.String()
		case ok && n.v.Kind() == reflect.Slice && n.v.Type().Elem().Kind() == reflect.Uint8:
			return n.v.Bytes()
		}
		return false // which encoding/xml says is none
	}
	if _, ok := x.m.xmlMethod(x.t, x.v, "MarshalText"); ok {
		return xmlMarshaledText{x}
	}
	n, library, ok := x.through()
	switch {
	case !ok:
		return ""
	case library != nil:
		return library
	}
	if _, ok := x.m.xmlMethod(n.t, n.v, "MarshalText"); ok {
		return xmlMarshaledText{xmlText{n}}
	}
	if k := n.v.Kind(); (k == reflect.Slice || k == reflect.Array) && !types.Identical(n.t, types.NewSlice(types.Typ[types.Byte])) {
		return "" // of slices, Go writes []byte only
	}
	if text, ok := n.simple(); ok {
		return text
	}
	return ""
}

type xmlMarshaledText struct{ x xmlText }

func (t xmlMarshaledText) MarshalText() ([]byte, error) {
	a, _ := t.x.m.xmlMethod(t.x.t, t.x.v, "MarshalText")
	return a.bytesError("MarshalText")
}
