package rt

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"go/types"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
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

// A xmlView is how encoding/xml sees a struct.
type xmlView struct {
	typ    reflect.Type
	fields []xmlField
	tags   []string // what Go says of fields that have another tag in the view, after what it says of those
	xmlns  int      // the field of typ that says that there is no name space, or 0
	err    error    // why there is none
}

type xmlField struct {
	index     int        // in the struct
	typ       types.Type // of the field
	native    bool
	text      bool     // holds what is no element: character data and the like
	comment   bool     // is text in a comment
	attr      bool     // is an attribute
	omitEmpty bool     // is left out when empty
	embedded  *xmlView // of an embedded struct, or of what an embedded pointer points to
}

// list: the field is left out where it is empty, as is each element of it, which
// are of type elem.
func (f *xmlField) list() (elem types.Type, ok bool) {
	if !f.omitEmpty || f.attr {
		return nil, false
	}
	return xmlElem(f.typ)
}

// xmlElem is the type of the elements of a slice or an array that is written as
// its elements.
func xmlElem(t types.Type) (elem types.Type, ok bool) {
	if n, ok := types.Unalias(t).(*types.Named); ok && (hasXMLMethods(n) || Folded(n)) {
		return nil, false
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return u.Elem(), !isByte(u.Elem())
	case *types.Array:
		return u.Elem(), !isByte(u.Elem())
	}
	return nil, false
}

// notEmpty appends what is not empty of a list to nodes.
func (m *Machine) notEmpty(nodes []xmlNode, elem types.Type, list reflect.Value) []xmlNode {
	for i := range list.Len() {
		v := list.Index(i)
		if isEmptyXML(v) {
			continue
		}
		if inner, ok := xmlElem(elem); ok {
			nodes = m.notEmpty(nodes, inner, v)
		} else {
			nodes = append(nodes, xmlNode{m: m, t: elem, v: v})
		}
	}
	return nodes
}

type xmlViewKey struct {
	t             types.Type
	decode, maybe bool
}

// xmlViewOf returns the view of struct type t for writing or reading.
// The struct of one that may be is behind an embedded pointer, which is set when
// something is read into it.
func (m *Machine) xmlViewOf(t types.Type, decode, maybe bool) *xmlView {
	key := xmlViewKey{m.typeOf(t).typ, decode, maybe}
	if v, ok := m.xmlViews.Load(key); ok {
		return v.(*xmlView)
	}
	v := m.makeXMLView(t, decode, maybe)
	m.xmlViews.Store(key, v)
	return v
}

func (m *Machine) makeXMLView(t types.Type, decode, maybe bool) *xmlView {
	view := &xmlView{}
	s := t.Underlying().(*types.Struct)
	var fields []reflect.StructField
	for i := range s.NumFields() {
		f := s.Field(i)
		tag := reflect.StructTag(s.Tag(i))
		if !f.Exported() && !f.Embedded() || tag.Get("xml") == "-" || Hidden(f) {
			continue
		}
		field := xmlField{index: i, typ: f.Type()}
		name, options, _ := strings.Cut(tag.Get("xml"), ",")
		pointer := false
		if f.Embedded() {
			inner := types.Unalias(f.Type())
			if elem, ok := pointee(inner); ok {
				inner, pointer = types.Unalias(elem), true
			}
			if s, ok := inner.Underlying().(*types.Struct); ok {
				switch pkg := packageOf(inner); {
				case pkg != nil && !m.cfg.Source(pkg) && allHidden(s):
					continue
				case pkg != nil && !m.cfg.Source(pkg):
					return &xmlView{err: fmt.Errorf("xml: %s embedded in %s is not supported in scripts; make it a field with a name", TypeName(inner), TypeName(t))}
				case pointer && !f.Exported():
					return &xmlView{err: fmt.Errorf("xml: the pointer %s embedded in %s is not supported in scripts; embed the struct itself, or make it a field with a name", TypeName(f.Type()), TypeName(t))}
				}
				field.embedded = m.xmlViewOf(inner, decode, maybe || decode && pointer)
				if field.embedded.err != nil {
					return field.embedded
				}
			}
			if field.embedded == nil && !f.Exported() {
				return &xmlView{err: fmt.Errorf("xml: %s embedded in %s is not supported in scripts; make it a field with a name", TypeName(f.Type()), TypeName(t))}
			}
		}
		out := reflect.StructField{Name: f.Name(), Tag: tag}
		switch {
		case field.embedded != nil:
			out.Name, out.Anonymous, out.Type = "Embedded"+viewMark+strconv.Itoa(i), true, field.embedded.typ
			if pointer {
				out.Type = reflect.PointerTo(out.Type)
			}
		case f.Name() == "XMLName",
			m.xmlNative(f.Type()) && (m.typeOf(f.Type()).plain || !strings.Contains(options, "innerxml") && !strings.Contains(options, "data")),
			strings.Contains(options, "comment") && isText(f.Type()):
			if maybe && f.Name() != "XMLName" && !anyOption(options, "chardata", "cdata", "comment", "innerxml") {
				out.Type = xmlTargetType // it tells whether it was there
				break
			}
			field.native, field.comment = true, strings.Contains(options, "comment")
			out.Type = m.reflectOf(f.Type())
		default:
			for _, o := range strings.Split(options, ",") {
				switch o {
				case "chardata", "cdata":
					field.text = true
				case "comment":
					field.text, field.comment = true, true
				case "attr":
					field.attr = true
				case "omitempty":
					field.omitEmpty = true
				}
			}
			if inner := xmlElementName(f.Type()); inner != "" && !strings.Contains(options, "attr") && !strings.Contains(options, "any") && !strings.Contains(options, "innerxml") && !field.text {
				local := name[strings.LastIndexAny(name, " >")+1:]
				if _, innerLocal, ok := strings.Cut(inner, " "); local != "" && local != inner && (!ok || local != innerLocal) {
					if ok {
						inner = innerLocal
					}
					err := fmt.Errorf("xml: name %q in tag of %s.%s conflicts with name %q in %s.XMLName", local, TypeName(t), f.Name(), inner, TypeName(f.Type()))
					return &xmlView{err: cmp.Or(view.tagError(fields, t), err)} // what comes first
				}
				if name == "" {
					shown := strings.TrimSuffix(inner+","+options, ",")
					out.Tag = reflect.StructTag("xml:" + strconv.Quote(shown))
					view.tags = append(view.tags, fmt.Sprintf("field %q with tag %q", f.Name(), shown), fmt.Sprintf("field %q with tag %q", f.Name(), tag.Get("xml")))
				}
			}
			out.Type = m.xmlFieldType(&field, decode)
		}
		fields = append(fields, out)
		view.fields = append(view.fields, field)
	}
	if name, ok := xmlNameOf(t); ok && name.tag == "" && !decode {
		view.xmlns = len(fields)
		fields = append(fields, reflect.StructField{
			Name: "Xmlns" + viewMark + strconv.FormatInt(m.xmlSeq.Add(1), 10),
			Type: reflect.TypeFor[xml.Attr](),
			Tag:  `xml:",any,attr"`,
		})
	}
	view.typ, view.err = reflect.StructOf(fields), view.tagError(fields, t)
	return view
}

func anyOption(options string, list ...string) bool {
	return slices.ContainsFunc(strings.Split(options, ","), func(o string) bool { return slices.Contains(list, o) })
}

// viewMark is in the names of those fields of views that no script has.
const viewMark = "ˑ"

// allHidden: no field of s can be seen outside of its package.
func allHidden(s *types.Struct) bool {
	for f := range s.Fields() {
		if f.Exported() || f.Embedded() {
			return false
		}
	}
	return true
}

// isText: t is a kind of string or of []byte.
func isText(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.String
	case *types.Slice:
		return isByte(u.Elem())
	}
	return false
}

func isByte(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Uint8
}

// A xmlName is the field XMLName that counts for a struct.
type xmlName struct {
	path   []int
	tag    string // its name, perhaps after a name space
	hidden bool   // in an embedded struct that is not exported
}

// xmlNameOf finds the field XMLName of struct type t: its own, else the first
// one of what it embeds.
func xmlNameOf(t types.Type) (name xmlName, ok bool) {
	s, isStruct := t.Underlying().(*types.Struct)
	if !isStruct {
		return xmlName{}, false
	}
	for i := range s.NumFields() {
		f := s.Field(i)
		if f.Name() == "XMLName" {
			tag, _, _ := strings.Cut(reflect.StructTag(s.Tag(i)).Get("xml"), ",")
			return xmlName{path: []int{i}, tag: tag}, tag != "-"
		}
	}
	for i := range s.NumFields() {
		f := s.Field(i)
		if !f.Embedded() || reflect.StructTag(s.Tag(i)).Get("xml") == "-" {
			continue
		}
		inner := f.Type()
		if elem, isPointer := pointee(inner); isPointer {
			inner = elem
		}
		if name, ok := xmlNameOf(inner); ok {
			name.path = append([]int{i}, name.path...)
			name.hidden = name.hidden || !f.Exported()
			return name, true
		}
	}
	return xmlName{}, false
}

// hiddenXMLName is what Go says when it comes to an XMLName of an embedded
// struct that is not exported.
const hiddenXMLName = "reflect.TypeAssert: cannot return value obtained from unexported field or method"

// xmlElementName is the name, perhaps after a name space, that a struct says
// its elements have.
func xmlElementName(t types.Type) string {
	for {
		elem, ok := pointee(t)
		if !ok {
			break
		}
		t = elem
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return ""
	}
	for i := range s.NumFields() {
		if s.Field(i).Name() == "XMLName" {
			name, _, _ := strings.Cut(reflect.StructTag(s.Tag(i)).Get("xml"), ",")
			return name
		}
	}
	return ""
}

var (
	xmlNodeType   = reflect.TypeFor[xmlNode]()
	xmlTargetType = reflect.TypeFor[xmlTarget]()
)

// xmlFieldType is the type of a field in a view.
func (m *Machine) xmlFieldType(f *xmlField, decode bool) reflect.Type {
	switch {
	case !decode && !f.text && m.xmlNative(f.typ): // innerxml of a type that is no string for encoding/xml
		return reflect.SliceOf(xmlNodeType)
	case decode && m.xmlNative(f.typ):
		return m.reflectOf(f.typ)
	case decode && f.text:
		return reflect.TypeFor[xmlTextTarget]()
	case decode:
		return xmlTargetType
	case f.text:
		return anyType
	}
	if _, ok := f.list(); ok {
		return reflect.SliceOf(xmlNodeType)
	}
	if t := m.xmlNodeType(f.typ); t != xmlNodeType && !(f.attr && t.Kind() == reflect.Array) {
		return t
	}
	return reflect.SliceOf(xmlNodeType) // none where it is empty and left out, else one
}

// xmlNodeType is the type of what stands for values of type t that are not
// native.
func (m *Machine) xmlNodeType(t types.Type) reflect.Type {
	if m.xmlNative(t) {
		return m.reflectOf(t)
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && (hasXMLMethods(n) || Folded(n)) && !types.IsInterface(n) {
		return xmlNodeType
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return anyType
	case *types.Slice:
		return reflect.SliceOf(m.xmlNodeType(u.Elem()))
	case *types.Array:
		if isByte(u.Elem()) {
			break
		}
		return reflect.ArrayOf(int(u.Len()), m.xmlNodeType(u.Elem()))
	}
	return xmlNodeType
}

// asXML makes an error of a view one of its struct.
func (m *Machine) asXML(err error, view *xmlView, t types.Type) error {
	if err == nil {
		return nil
	}
	text := view.named(err.Error(), t)
	if text == err.Error() {
		return err
	}
	return &textError{text, err}
}

// named gives the views in a text the names of their structs.
func (view *xmlView) named(text string, t types.Type) string {
	text = strings.ReplaceAll(text, view.typ.String(), TypeName(t))
	text = strings.NewReplacer(view.tags...).Replace(text)
	for _, f := range view.fields {
		if f.embedded != nil {
			text = f.embedded.named(text, f.typ)
		}
	}
	return text
}

// tagError is what encoding/xml has to say of the tags of a struct that has
// these fields.
func (view *xmlView) tagError(fields []reflect.StructField, t types.Type) error {
	only := xmlView{typ: tagsOnly(fields), fields: view.fields, tags: view.tags}
	err := xml.NewEncoder(io.Discard).EncodeElement(reflect.Zero(only.typ).Interface(), xml.StartElement{Name: xml.Name{Local: "a"}})
	if err == nil {
		return nil
	}
	return &textError{only.named(err.Error(), t), err}
}

// tagsOnly is a struct with the tags of fields, of whose values encoding/xml has
// nothing to say.
func tagsOnly(fields []reflect.StructField) reflect.Type {
	fields = slices.Clone(fields)
	for i, f := range fields {
		switch {
		case f.Anonymous && f.Type.Kind() == reflect.Pointer:
			fields[i].Type = tagsOnly(slices.Collect(f.Type.Elem().Fields()))
		case f.Anonymous:
			fields[i].Type = tagsOnly(slices.Collect(f.Type.Fields()))
		case f.Name != "XMLName":
			fields[i].Type = reflect.TypeFor[string]()
		}
	}
	return reflect.StructOf(fields)
}

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

// unreadXML: the element that an UnmarshalXML method was called for has not been
// read to its end.
func unreadXML(d *xml.Decoder) bool {
	const end = 2 // the kind of what stops the decoder there
	top := reflect.ValueOf(d).Elem().FieldByName("stk")
	return top.IsNil() || top.Elem().FieldByName("kind").Int() != end
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
			if !f.omitEmpty || !isEmptyXML(from) {
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

func isEmptyXML(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
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
		_, options, _ := strings.Cut(view.typ.Field(i).Tag.Get("xml"), ",")
		switch {
		case f.embedded != nil && f.embedded.always(attrs), view.typ.Field(i).Name == "XMLName",
			anyOption(options, "chardata", "cdata", "comment", "innerxml"),
			anyOption(options, "any") && !anyOption(options, "attr"),
			anyOption(options, "attr") && !anyOption(options, "any") && attrs:
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
