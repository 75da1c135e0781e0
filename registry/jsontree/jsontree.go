// Package jsontree parses JSON documents into values that keep the order of their members.
//
// Schemas and results of servers are parsed with it, not into structs: one unexpected keyword
// does not invalidate a schema, properties keep their author's order, and limits apply to
// documents of any size and depth.
package jsontree

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Kind is the kind of a value.
type Kind byte

// The kinds of JSON values. The zero Kind is Null.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Object
)

// Value is a JSON value. A nil *Value is like an absent member; its methods may be called.
type Value struct {
	Kind Kind
	Text string // the text of a string, the digits of a number
	Yes  bool   // the value of a Bool
	// Keys are the names of the members of an object. Items are the members of an object or a
	// list, in the order of the document. For a duplicate key, the last value wins.
	Keys  []string
	Items []*Value
	// Twice are the duplicate keys of an object.
	Twice []string
	// Count is the number of members in the document, including those beyond Limits.
	Count int
	// Raw is the value's text in the document, from byte Start on. Raw is nil if the value was
	// not parsed.
	Raw   json.RawMessage
	Start int

	index map[string]int // place of each key, for objects with many members
}

// Limits bound the values that Parse returns. A value beyond a limit has its Kind, Raw and Count,
// but no Items. If a limit is zero, it does not apply.
type Limits struct {
	Depth   int // of nesting
	Members int // of one list or object
	Values  int // of the whole document
}

// Errors of Parse and FromYAML.
var (
	ErrSyntax = errors.New("not one JSON value")
	// ErrDeep means that the document is nested deeper than Limits.Depth. Parse also returns the
	// value, up to the limit.
	ErrDeep = errors.New("nested too deeply")
	// ErrNoObject is returned by FromYAML for another value than an object.
	ErrNoObject = errors.New("want an object")
)

// Parse parses a document.
func Parse(doc json.RawMessage, l Limits) (*Value, error) {
	if !json.Valid(doc) { // also bounds the nesting
		return nil, ErrSyntax
	}
	for _, limit := range []*int{&l.Depth, &l.Members, &l.Values} {
		if *limit == 0 {
			*limit = math.MaxInt
		}
	}
	r := &reader{doc: doc, limits: l}
	v := r.value(0)
	if r.deep {
		return v, ErrDeep
	}
	return v, nil
}

// Members calls f with the members of an object in order, including duplicate ones, until f
// returns false. Lists and objects among them have no Items. It returns false if the document is
// not an object.
func Members(doc json.RawMessage, f func(key string, value *Value) bool) bool {
	if !json.Valid(doc) {
		return false
	}
	r := &reader{doc: doc}
	if r.next() != '{' {
		return false
	}
	for r.at++; r.next() != '}'; {
		if !f(r.string(), r.value(0)) {
			break
		}
	}
	return true
}

// manyKeys is the number of members above which an object has an index.
const manyKeys = 16

// NewObject returns an object without members.
func NewObject() *Value { return &Value{Kind: Object} }

// NewList returns a list with the given items.
func NewList(items ...*Value) *Value { return &Value{Kind: List, Items: items} }

// NewString returns a string value.
func NewString(s string) *Value { return &Value{Kind: String, Text: s} }

// place returns the index of a key in an object, or -1.
func (v *Value) place(key string) int {
	if v.index == nil {
		return slices.Index(v.Keys, key)
	}
	if i, ok := v.index[key]; ok {
		return i
	}
	return -1
}

// Set adds or replaces a member of an object. It returns the object.
func (v *Value) Set(key string, member *Value) *Value {
	if i := v.place(key); i >= 0 {
		v.Items[i] = member
		return v
	}
	v.Keys, v.Items = append(v.Keys, key), append(v.Items, member)
	switch {
	case v.index != nil:
		v.index[key] = len(v.Keys) - 1
	case len(v.Keys) > manyKeys:
		v.reindex()
	}
	return v
}

func (v *Value) reindex() {
	v.index = make(map[string]int, 2*len(v.Keys))
	for i, k := range v.Keys {
		v.index[k] = i
	}
}

// Remove removes a member of an object, if present.
func (v *Value) Remove(key string) {
	i := v.place(key)
	if i < 0 {
		return
	}
	v.Keys, v.Items = slices.Delete(v.Keys, i, i+1), slices.Delete(v.Items, i, i+1)
	if v.index != nil {
		v.reindex()
	}
}

// Get returns a member of an object, or nil.
func (v *Value) Get(key string) *Value {
	if v == nil || v.Kind != Object {
		return nil
	}
	if i := v.place(key); i >= 0 {
		return v.Items[i]
	}
	return nil
}

// Str returns the text of a member that is a string, or "".
func (v *Value) Str(key string) string {
	if m := v.Get(key); m != nil && m.Kind == String {
		return m.Text
	}
	return ""
}

// List returns the items of a member that is a list.
func (v *Value) List(key string) []*Value {
	if m := v.Get(key); m != nil && m.Kind == List {
		return m.Items
	}
	return nil
}

// At returns the target of a reference within the document, such as #/$defs/address, or nil.
func (v *Value) At(ref string) *Value {
	if ref == "#" {
		return v
	}
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	for key := range strings.SplitSeq(path, "/") {
		key = Key(key)
		if v != nil && v.Kind == List {
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(v.Items) {
				return nil
			}
			v = v.Items[i]
			continue
		}
		v = v.Get(key)
	}
	return v
}

// Key returns the member name that a part of a reference encodes: a~1b%20c is "a/b c".
func Key(part string) string {
	if s, err := url.PathUnescape(part); err == nil {
		part = s
	}
	return strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
}

// JSON returns the value as compact JSON.
func (v *Value) JSON() string {
	var b bytes.Buffer
	v.write(&b)
	return b.String()
}

// MarshalJSON returns the value as compact JSON.
func (v *Value) MarshalJSON() ([]byte, error) { return []byte(v.JSON()), nil }

func (v *Value) write(b *bytes.Buffer) {
	switch {
	case v == nil || v.Kind == Null:
		b.WriteString("null")
	case v.Kind == Object || v.Kind == List:
		ends := "[]"
		if v.Kind == Object {
			ends = "{}"
		}
		b.WriteByte(ends[0])
		for i, x := range v.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			if v.Kind == Object {
				Quote(b, v.Keys[i])
				b.WriteByte(':')
			}
			x.write(b)
		}
		b.WriteByte(ends[1])
	case v.Kind == String:
		Quote(b, v.Text)
	case v.Kind == Number:
		b.WriteString(v.Text)
	default:
		b.WriteString(strconv.FormatBool(v.Yes))
	}
}

// Quote writes a JSON string with only the necessary escapes.
func Quote(b *bytes.Buffer, s string) {
	if !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c == '"' || c == '\\' || c >= 0x7f }) {
		b.WriteString(`"` + s + `"`)
		return
	}
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	b.Truncate(b.Len() - 1)
}

// reader parses a document that is known to be valid.
type reader struct {
	doc    []byte
	at     int
	limits Limits
	values int
	deep   bool
}

// next returns the first byte of the next value, key or closing bracket.
func (r *reader) next() byte {
	for strings.IndexByte(" \t\r\n,:", r.doc[r.at]) >= 0 {
		r.at++
	}
	return r.doc[r.at]
}

func (r *reader) value(depth int) *Value {
	c := r.next()
	v := &Value{Start: r.at}
	r.values++
	switch c {
	case '{', '[':
		v.Kind = List
		if c == '{' {
			v.Kind = Object
		}
		r.at++
		r.members(v, depth)
	case '"':
		v.Kind, v.Text = String, r.string()
	default:
		for r.at < len(r.doc) && strings.IndexByte(" \t\r\n,:]}", r.doc[r.at]) < 0 {
			r.at++
		}
		switch c {
		case 'n':
		case 't', 'f':
			v.Kind, v.Yes = Bool, c == 't'
		default:
			v.Kind, v.Text = Number, string(r.doc[v.Start:r.at])
		}
	}
	v.Raw = r.doc[v.Start:r.at]
	return v
}

// members parses the members of a list or object, up to its end.
func (r *reader) members(v *Value, depth int) {
	for r.next() != '}' && r.doc[r.at] != ']' {
		if depth >= r.limits.Depth {
			r.deep = true
		}
		if r.deep && depth >= r.limits.Depth || len(v.Items) >= r.limits.Members || r.values >= r.limits.Values {
			v.Count = r.skip()
			break
		}
		if v.Kind == List {
			v.Items = append(v.Items, r.value(depth+1))
			continue
		}
		key := r.string()
		if v.place(key) >= 0 {
			v.Twice = append(v.Twice, key)
		}
		v.Set(key, r.value(depth+1))
	}
	v.Count += len(v.Items)
	r.at++
}

// skip advances to the end of a list or object and returns the number of its members.
func (r *reader) skip() int {
	n := 1
	for depth := 0; ; r.at++ {
		switch r.doc[r.at] {
		case '"':
			r.at += textEnd(r.doc[r.at:]) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return n
			}
			depth--
		case ',':
			if depth == 0 {
				n++
			}
		}
	}
}

// textEnd returns the end of the string at the beginning of a document.
func textEnd(doc []byte) int {
	for i := 1; ; i++ {
		switch doc[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
}

// string parses a string.
func (r *reader) string() string {
	text := r.doc[r.at:][:textEnd(r.doc[r.at:])]
	r.at += len(text)
	for _, c := range text[1 : len(text)-1] {
		if c == '\\' || c >= 0x80 { // escapes, and UTF-8 that may be invalid
			var s string
			_ = json.Unmarshal(text, &s) // the document is valid
			return s
		}
	}
	return string(text[1 : len(text)-1])
}
