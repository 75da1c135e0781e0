package rt

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"go/types"
	"io"
	"reflect"
	"strings"
)

// A xmlTarget is a variable of the script that is to be read into.
type xmlTarget struct {
	m    *Machine
	t    types.Type
	v    reflect.Value // can be set
	used *bool         // to be told that something is read, or nil
}

func (x *xmlTarget) use() {
	if x.used != nil {
		*x.used = true
	}
}

// UnmarshalXML serves encoding/xml.
func (x *xmlTarget) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	x.use()
	m, t, v := x.m, x.t, x.v
	if types.IsInterface(t) {
		b, ok := unbox(canonical(v.Interface()))
		if elem, isPtr := pointeeOf(b, ok); isPtr && !reflect.ValueOf(b.V).IsNil() {
			t, v = elem, reflect.ValueOf(b.V).Elem()
		} else if held := reflect.ValueOf(v.Interface()); !ok && held.Kind() == reflect.Pointer && !held.IsNil() {
			return d.DecodeElement(held.Interface(), &start)
		}
	}
	t, v = filled(t, v)
	if a, ok := m.xmlMethod(t, v, "UnmarshalXML"); ok {
		err := asError(a.must("UnmarshalXML", d, start)[0])
		if err == nil && unreadXML(d) {
			return fmt.Errorf("xml: %s.UnmarshalXML did not consume entire <%s> element", a.receiver(), start.Name.Local)
		}
		return err
	}
	if a, ok := m.xmlMethod(t, v, "UnmarshalText"); ok {
		text, err := characterData(d)
		if err != nil {
			return err
		}
		return asError(a.must("UnmarshalText", text)[0])
	}
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return d.Skip()
	case *types.Slice:
		if !m.xmlNative(t) {
			n := v.Len()
			v.Grow(1)
			v.SetLen(n + 1)
			if err := (&xmlTarget{m: m, t: u.Elem(), v: v.Index(n)}).UnmarshalXML(d, start); err != nil {
				v.SetLen(n)
				return err
			}
			return nil
		}
	case *types.Struct:
		if pkg := packageOf(t); u.NumFields() > 0 && (pkg == nil || m.cfg.Source(pkg)) {
			return x.unmarshalStruct(d, start, t, v)
		}
	}
	if _, pointer := pointee(t); pointer || !m.xmlNative(t) {
		return errors.New("unknown type " + TypeName(t))
	}
	return d.DecodeElement(v.Addr().Interface(), &start)
}

// filled is what a pointer points to, which it now does, and any other variable
// as it is.
func filled(t types.Type, v reflect.Value) (types.Type, reflect.Value) {
	elem, ok := pointee(t)
	if !ok {
		return t, v
	}
	if v.IsNil() {
		v.Set(reflect.New(v.Type().Elem()))
	}
	return elem, v.Elem()
}

func pointeeOf(b Box, ok bool) (types.Type, bool) {
	if !ok {
		return nil, false
	}
	return pointee(b.T.typ)
}

// characterData reads to the end of an element.
func characterData(d *xml.Decoder) ([]byte, error) {
	var text []byte
	for depth := 1; depth > 0; {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		switch t := t.(type) {
		case xml.CharData:
			if depth == 1 {
				text = append(text, t...)
			}
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
	}
	// The decoder has to see the end itself.
	return text, nil
}

func (x *xmlTarget) unmarshalStruct(d *xml.Decoder, start xml.StartElement, t types.Type, v reflect.Value) error {
	view := x.m.xmlViewOf(t, true, false)
	if view.err != nil {
		return view.err
	}
	if name, ok := xmlNameOf(t); ok && name.hidden {
		panic(hiddenXMLName)
	}
	to := reflect.New(view.typ)
	aim := xmlAim{m: x.m, attrs: len(start.Attr) > 0}
	aim.at(view, to.Elem(), v)
	err := d.DecodeElement(to.Interface(), &start)
	takeXML(view, to.Elem(), v)
	for _, p := range aim.behind {
		takeXML(p.view, p.x, p.v.Elem())
		if p.field.IsNil() && *p.used {
			p.field.Set(p.v)
		}
	}
	if c := view.comment(); err == nil && c != nil && !isText(c) {
		if _, ok := c.Underlying().(*types.Slice); ok {
			panic("reflect.Set: value of type []uint8 is not assignable to type " + TypeName(c))
		}
	}
	return x.m.asXML(err, view, t)
}

// comment is the type of the field that comments are read into, nil where there
// is none.
func (view *xmlView) comment() types.Type {
	for _, f := range view.fields {
		if f.comment {
			return f.typ
		}
		if f.embedded != nil {
			if c := f.embedded.comment(); c != nil {
				return c
			}
		}
	}
	return nil
}

// A xmlAim makes the views of a struct that is to be read into, and of the
// structs that its embedded pointers may come to point to.
type xmlAim struct {
	m      *Machine
	attrs  bool // the element has attributes
	used   *bool
	behind []xmlBehind
}

// A xmlBehind is a struct behind an embedded pointer.
type xmlBehind struct {
	view  *xmlView
	x     reflect.Value // the view
	v     reflect.Value // the pointer to the struct
	field reflect.Value // the embedded pointer
	used  *bool         // Go would have set it
}

// at makes the view x of the struct v.
func (a *xmlAim) at(view *xmlView, x, v reflect.Value) {
	for i, f := range view.fields {
		target := xmlTarget{a.m, f.typ, v.Field(f.index), a.used}
		switch field := v.Field(f.index); {
		case f.embedded != nil && field.Kind() == reflect.Pointer:
			behind := xmlBehind{f.embedded, reflect.New(f.embedded.typ).Elem(), field, field, new(bool)}
			if field.IsNil() {
				behind.v = reflect.New(field.Type().Elem())
			}
			*behind.used = f.embedded.always(a.attrs)
			outer := a.used
			a.used = behind.used
			a.at(f.embedded, behind.x, behind.v.Elem())
			a.used = outer
			x.Field(i).Set(behind.x.Addr())
			a.behind = append(a.behind, behind)
			if outer != nil && *behind.used {
				*outer = true
			}
		case f.embedded != nil:
			a.at(f.embedded, x.Field(i), field)
		case x.Field(i).Type() == xmlTargetType:
			x.Field(i).Set(reflect.ValueOf(target))
		case x.Field(i).Type() == reflect.TypeFor[xmlTextTarget]():
			x.Field(i).Set(reflect.ValueOf(xmlTextTarget{&target}))
		default:
			x.Field(i).Set(field)
		}
	}
}

// always: Go sets an embedded pointer to a struct with these fields whatever is
// in the element. It looks at all attributes where the element has some.
func (view *xmlView) always(attrs bool) bool {
	for i, f := range view.fields {
		_, rest, _ := strings.Cut(view.typ.Field(i).Tag.Get("xml"), ",")
		options := xmlOptions(rest)
		switch {
		case f.embedded != nil && f.embedded.always(attrs), view.typ.Field(i).Name == "XMLName",
			options.has("chardata", "cdata", "comment", "innerxml"),
			options.has("any") && !options.has("attr"),
			options.has("attr") && !options.has("any") && attrs:
			return true
		}
	}
	return false
}

// takeXML takes what was read into the view x.
func takeXML(view *xmlView, x, v reflect.Value) {
	for i, f := range view.fields {
		switch {
		case f.embedded != nil && v.Field(f.index).Kind() == reflect.Pointer:
		case f.embedded != nil:
			takeXML(f.embedded, x.Field(i), v.Field(f.index))
		case f.native || x.Field(i).Type() == v.Field(f.index).Type():
			v.Field(f.index).Set(x.Field(i))
		}
	}
}

// UnmarshalXMLAttr serves encoding/xml.
func (x *xmlTarget) UnmarshalXMLAttr(attr xml.Attr) error {
	x.use()
	t, v := filled(x.t, x.v)
	if a, ok := x.m.xmlMethod(t, v, "UnmarshalXMLAttr"); ok {
		return asError(a.must("UnmarshalXMLAttr", attr)[0])
	}
	if a, ok := x.m.xmlMethod(t, v, "UnmarshalText"); ok {
		return asError(a.must("UnmarshalText", []byte(attr.Value))[0])
	}
	if s, ok := t.Underlying().(*types.Slice); ok && !x.m.xmlNative(t) {
		n := v.Len()
		v.Grow(1)
		v.SetLen(n + 1)
		if err := (&xmlTarget{m: x.m, t: s.Elem(), v: v.Index(n)}).UnmarshalXMLAttr(attr); err != nil {
			v.SetLen(n)
			return err
		}
		return nil
	}
	return (&xmlTarget{m: x.m, t: t, v: v}).text(attr.Value)
}

// text reads character data into a value that is not made of others.
func (x *xmlTarget) text(text string) error {
	t, v := filled(x.t, x.v)
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsComplex != 0 {
			return errors.New("cannot unmarshal into " + TypeName(x.t))
		}
	case *types.Slice:
		if !isByte(u.Elem()) {
			panic("reflect.Value.SetBytes of non-byte slice")
		}
	default:
		return errors.New("cannot unmarshal into " + TypeName(x.t))
	}
	var b bytes.Buffer
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		return err
	}
	return xml.NewDecoder(io.MultiReader(strings.NewReader("<a>"), &b, strings.NewReader("</a>"))).Decode(v.Addr().Interface())
}

// xmlTextTarget is a variable of the script that character data is read into.
type xmlTextTarget struct{ x *xmlTarget }

// UnmarshalText serves encoding/xml.
func (t xmlTextTarget) UnmarshalText(text []byte) error {
	if a, ok := t.x.m.xmlMethod(t.x.t, t.x.v, "UnmarshalText"); ok {
		return asError(a.must("UnmarshalText", text)[0])
	}
	return t.x.text(string(text))
}

// unreadXML: the element that an UnmarshalXML method was called for has not been
// read to its end.
func unreadXML(d *xml.Decoder) bool {
	const end = 2 // the kind of what stops the decoder there
	top := reflect.ValueOf(d).Elem().FieldByName("stk")
	return top.IsNil() || top.Elem().FieldByName("kind").Int() != end
}
