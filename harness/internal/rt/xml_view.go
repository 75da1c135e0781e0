package rt

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"go/types"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

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
		if isEmpty(v) {
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
		name, rest, _ := strings.Cut(tag.Get("xml"), ",")
		options := xmlOptions(rest)
		field := xmlField{index: i, typ: f.Type()}
		out := reflect.StructField{Name: f.Name(), Tag: tag}
		if f.Embedded() {
			inner, err := m.xmlEmbedded(f, t)
			switch {
			case err != nil:
				return &xmlView{err: err}
			case inner != nil && m.fromLibrary(inner):
				continue
			case inner != nil:
				_, pointer := pointee(f.Type())
				if field.embedded = m.xmlViewOf(inner, decode, maybe || decode && pointer); field.embedded.err != nil {
					return field.embedded
				}
				out.Name, out.Anonymous, out.Type = "Embedded"+viewMark+strconv.Itoa(i), true, field.embedded.typ
				if pointer {
					out.Type = reflect.PointerTo(out.Type)
				}
			}
		}
		switch {
		case field.embedded != nil:
		case f.Name() == "XMLName",
			m.xmlNative(f.Type()) && (m.typeOf(f.Type()).plain || !options.has("chardata", "cdata", "innerxml")),
			options.has("comment") && isText(f.Type()):
			if maybe && f.Name() != "XMLName" && !options.has("chardata", "cdata", "comment", "innerxml") {
				out.Type = xmlTargetType // it tells whether it was there
				break
			}
			field.native, field.comment = true, options.has("comment")
			out.Type = m.reflectOf(f.Type())
		default:
			field.comment, field.text = options.has("comment"), options.has("chardata", "cdata", "comment")
			field.attr, field.omitEmpty = options.has("attr"), options.has("omitempty")
			if inner := xmlElementName(f.Type()); inner != "" && !options.has("any", "innerxml", "chardata", "cdata", "comment") {
				if err := nameConflict(name, inner, f, t); err != nil && !field.attr {
					return &xmlView{err: cmp.Or(view.tagError(fields, t), err)} // what comes first
				}
				if name == "" {
					shown := strings.TrimSuffix(inner+","+rest, ",")
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

// xmlEmbedded is the struct that is embedded in t by its field f, or what an
// embedded pointer points to; nil when f is no struct. A struct of the library
// has nothing that encoding/xml sees.
func (m *Machine) xmlEmbedded(f *types.Var, t types.Type) (types.Type, error) {
	inner := types.Unalias(f.Type())
	elem, pointer := pointee(inner)
	if pointer {
		inner = types.Unalias(elem)
	}
	s, ok := inner.Underlying().(*types.Struct)
	switch library := m.fromLibrary(inner); {
	case !ok && !f.Exported():
		return nil, fmt.Errorf("xml: %s embedded in %s is not supported in scripts; make it a field with a name", TypeName(f.Type()), TypeName(t))
	case !ok:
		return nil, nil
	case library && !allHidden(s):
		return nil, fmt.Errorf("xml: %s embedded in %s is not supported in scripts; make it a field with a name", TypeName(inner), TypeName(t))
	case !library && pointer && !f.Exported():
		return nil, fmt.Errorf("xml: the pointer %s embedded in %s is not supported in scripts; embed the struct itself, or make it a field with a name", TypeName(f.Type()), TypeName(t))
	}
	return inner, nil
}

// fromLibrary: t was declared by a package that is not the script's.
func (m *Machine) fromLibrary(t types.Type) bool {
	pkg := packageOf(t)
	return pkg != nil && !m.cfg.Source(pkg)
}

// nameConflict is what encoding/xml says of a field f of t whose tag has a name
// that is not inner, the one that its type has.
func nameConflict(name, inner string, f *types.Var, t types.Type) error {
	local := name[strings.LastIndexAny(name, " >")+1:]
	_, innerLocal, ok := strings.Cut(inner, " ")
	if local == "" || local == inner || ok && local == innerLocal {
		return nil
	}
	if ok {
		inner = innerLocal
	}
	return fmt.Errorf("xml: name %q in tag of %s.%s conflicts with name %q in %s.XMLName", local, TypeName(t), f.Name(), inner, TypeName(f.Type()))
}

// xmlOptions are what follows the name in a tag, as in "attr,omitempty".
type xmlOptions string

func (o xmlOptions) has(any ...string) bool {
	return slices.ContainsFunc(strings.Split(string(o), ","), func(s string) bool { return slices.Contains(any, s) })
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
