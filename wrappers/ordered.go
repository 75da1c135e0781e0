package wrappers

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
)

// maxDepth bounds the nesting of a schema document; what is deeper counts as
// a schema that allows anything.
const maxDepth = 64

// value is a JSON value whose objects keep the order of their keys. Schemas
// are read through it and not into a struct, because a schema with one odd
// keyword must still give a type, and because the order of properties is
// their author's and worth keeping.
type value struct {
	kind  byte // 'o' object, 'a' array, 's' string, 'n' number, 'b' bool, '0' null
	yes   bool
	text  string
	list  []*value // items, or the members in the order of keys
	keys  []string
	index map[string]int // key → place, of objects with many members
}

// manyKeys is the number of members from which on an object has an index.
const manyKeys = 16

// newObject returns an object with one member for each pair of arguments.
func newObject(members ...member) *value {
	v := &value{kind: 'o'}
	for _, m := range members {
		v.set(m.key, m.value)
	}
	return v
}

type member struct {
	key   string
	value *value
}

func newList(items []*value) *value { return &value{kind: 'a', list: items} }

func newString(s string) *value { return &value{kind: 's', text: s} }

// place is where an object has a key, or -1.
func (v *value) place(key string) int {
	if v.index != nil {
		if i, ok := v.index[key]; ok {
			return i
		}
		return -1
	}
	for i, k := range v.keys {
		if k == key {
			return i
		}
	}
	return -1
}

// set adds or replaces a member of an object.
func (v *value) set(key string, m *value) {
	if i := v.place(key); i >= 0 {
		v.list[i] = m
		return
	}
	v.keys, v.list = append(v.keys, key), append(v.list, m)
	switch {
	case v.index != nil:
		v.index[key] = len(v.keys) - 1
	case len(v.keys) > manyKeys:
		v.index = make(map[string]int, 2*manyKeys)
		for i, k := range v.keys {
			v.index[k] = i
		}
	}
}

// get returns the member of an object, or nil. It may be called on nil.
func (v *value) get(key string) *value {
	if v == nil || v.kind != 'o' {
		return nil
	}
	if i := v.place(key); i >= 0 {
		return v.list[i]
	}
	return nil
}

// str returns a string member, or "".
func (v *value) str(key string) string {
	if m := v.get(key); m != nil && m.kind == 's' {
		return m.text
	}
	return ""
}

// items returns the elements of an array member.
func (v *value) items(key string) []*value {
	if m := v.get(key); m != nil && m.kind == 'a' {
		return m.list
	}
	return nil
}

// parseValue reads one JSON document.
func parseValue(raw []byte) (*value, error) {
	if !json.Valid(raw) { // also bounds the nesting
		return nil, errors.New("not one JSON value")
	}
	r := reader{raw: raw}
	return r.value(0), nil
}

// reader reads a document that is known to be valid.
type reader struct {
	raw []byte
	pos int
}

func (r *reader) next() byte {
	for r.raw[r.pos] <= ' ' {
		r.pos++
	}
	return r.raw[r.pos]
}

// accept skips c if it comes next.
func (r *reader) accept(c byte) bool {
	if r.next() != c {
		return false
	}
	r.pos++
	return true
}

func (r *reader) value(depth int) *value {
	switch c := r.next(); c {
	case '{':
		v := &value{kind: 'o'}
		for r.pos++; !r.accept('}'); {
			r.next()
			key := r.string()
			r.accept(':')
			if item := r.value(depth + 1); depth < maxDepth {
				v.set(key, item)
			}
			r.accept(',')
		}
		return v
	case '[':
		v := &value{kind: 'a'}
		for r.pos++; !r.accept(']'); {
			if item := r.value(depth + 1); depth < maxDepth {
				v.list = append(v.list, item)
			}
			r.accept(',')
		}
		return v
	case '"':
		return newString(r.string())
	case 't', 'n':
		r.pos += 4
		if c == 'n' {
			return &value{kind: '0'}
		}
		return &value{kind: 'b', yes: true}
	case 'f':
		r.pos += 5
		return &value{kind: 'b'}
	}
	start := r.pos
	for r.pos < len(r.raw) && bytes.IndexByte([]byte("+-.0123456789eE"), r.raw[r.pos]) >= 0 {
		r.pos++
	}
	return &value{kind: 'n', text: string(r.raw[start:r.pos])}
}

// string reads a string that begins at the current place.
func (r *reader) string() string {
	start := r.pos
	plain := true
	for r.pos++; r.raw[r.pos] != '"'; r.pos++ {
		switch c := r.raw[r.pos]; {
		case c == '\\':
			r.pos++
			plain = false
		case c >= 0x80: // may be invalid UTF-8, which encoding/json replaces
			plain = false
		}
	}
	r.pos++
	text := r.raw[start:r.pos]
	if plain {
		return string(text[1 : len(text)-1])
	}
	var s string
	if err := json.Unmarshal(text, &s); err != nil { // cannot happen: the document is valid
		return ""
	}
	return s
}

// json renders the value as compact JSON.
func (v *value) json() string {
	var b bytes.Buffer
	v.write(&b)
	return b.String()
}

func (v *value) write(b *bytes.Buffer) {
	str := func(s string) {
		enc := json.NewEncoder(b)
		enc.SetEscapeHTML(false)
		enc.Encode(s) // a string always encodes
		b.Truncate(b.Len() - 1)
	}
	switch v.kind {
	case 'o', 'a':
		b.WriteByte(map[byte]byte{'o': '{', 'a': '['}[v.kind])
		for i, x := range v.list {
			if i > 0 {
				b.WriteByte(',')
			}
			if v.kind == 'o' {
				str(v.keys[i])
				b.WriteByte(':')
			}
			x.write(b)
		}
		b.WriteByte(map[byte]byte{'o': '}', 'a': ']'}[v.kind])
	case 's':
		str(v.text)
	case 'n':
		b.WriteString(v.text)
	case 'b':
		b.WriteString(strconv.FormatBool(v.yes))
	default:
		b.WriteString("null")
	}
}
