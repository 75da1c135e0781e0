package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/usetools/usetools/registry/config"
)

// jsonSyntax is the syntax of a JSON file with the servers as members of an object.
type jsonSyntax struct {
	Key string // key of that object at the top of the file
}

// bom is the byte order mark at the beginning of some files.
var bom = []byte("\xef\xbb\xbf")

// object is a JSON object within a text.
type object struct {
	start, end int // its braces; end is after the last one
	members    []member
}

// member is one key of an object.
type member struct {
	name            string
	key, start, end int // offsets: of the key, of the value, after the value
	comma           int // offset of the comma after it, or -1
}

// top returns the object that is the complete text.
func top(text []byte) (*object, error) {
	body := bytes.TrimPrefix(text, bom)
	plain := config.PlainJSON(body)
	if !json.Valid(plain) { // also bounds the depth
		var v any
		return nil, fmt.Errorf("not JSON: %w", json.Unmarshal(plain, &v))
	}
	v, err := hujson.Parse(body)
	if err != nil {
		return nil, err
	}
	return objectOf(text, &v, len(text)-len(body))
}

// objectOf reads the object at v; base is added to its offsets.
func objectOf(text []byte, v *hujson.Value, base int) (*object, error) {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New("want an object")
	}
	out := &object{start: base + v.StartOffset, end: base + v.EndOffset}
	for i := range o.Members {
		m := &o.Members[i]
		name, ok := m.Name.Value.(hujson.Literal)
		if !ok {
			return nil, errors.New("a key that is not a string")
		}
		is := member{
			name: name.String(), key: base + m.Name.StartOffset,
			start: base + m.Value.StartOffset, end: base + m.Value.EndOffset, comma: -1,
		}
		if at := is.end + len(m.Value.AfterExtra); at < len(text) && text[at] == ',' {
			is.comma = at
		}
		out.members = append(out.members, is)
	}
	return out, nil
}

// within parses the object at [start, end) of a valid text.
func within(text []byte, start, end int) (*object, error) {
	v, err := hujson.Parse(text[start:end])
	if err != nil {
		return nil, err
	}
	return objectOf(text, &v, start)
}

func (o *object) member(name string) *member {
	for i := range o.members {
		if o.members[i].name == name {
			return &o.members[i]
		}
	}
	return nil
}

// servers returns the object of the servers, or nil.
func (j jsonSyntax) servers(text []byte) (*object, error) {
	root, err := top(text)
	if err != nil {
		return nil, err
	}
	m := root.member(j.Key)
	if m == nil || bytes.Equal(text[m.start:m.end], []byte("null")) {
		return nil, nil
	}
	o, err := within(text, m.start, m.end)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", j.Key, err)
	}
	return o, nil
}

func blank(text []byte) bool { return len(bytes.TrimSpace(bytes.TrimPrefix(text, bom))) == 0 }

// Entries implements Syntax.
func (j jsonSyntax) Entries(text []byte) ([]Entry, error) {
	if blank(text) {
		return nil, nil
	}
	o, err := j.servers(text)
	if o == nil {
		return nil, err
	}
	var out []Entry
	for _, m := range o.members {
		source := text[m.start:m.end]
		var value bytes.Buffer
		if err := json.Compact(&value, config.PlainJSON(source)); err != nil {
			return nil, err
		}
		out = append(out, Entry{Name: m.name, Value: value.Bytes(), Source: outdent(text, m.key, string(source))})
	}
	return out, nil
}

// outdent removes the indentation of the line at the offset from all lines of source except the
// first.
func outdent(text []byte, at int, source string) string {
	from := lineStart(text, at)
	margin := string(text[from : from+len(text[from:at])-len(bytes.TrimLeft(text[from:at], " \t"))])
	return strings.ReplaceAll(source, "\n"+margin, "\n")
}

// Put implements Syntax.
func (j jsonSyntax) Put(text []byte, e Entry, before string) ([]byte, error) {
	if blank(text) {
		text = append(bytes.Clone(text[:len(text)-len(bytes.TrimPrefix(text, bom))]), "{}\n"...)
	}
	o, err := j.servers(text)
	if err != nil {
		return nil, err
	}
	if o == nil {
		root, err := top(text)
		if err != nil {
			return nil, err
		}
		if m := root.member(j.Key); m != nil { // null
			text = splice(text, m.start, m.end, "{}")
		} else {
			text = insert(text, root, len(root.members), j.Key, "{}")
		}
		if o, err = j.servers(text); err != nil {
			return nil, err
		}
	}
	value := e.Source
	if value == "" {
		var b bytes.Buffer
		if err := json.Indent(&b, e.Value, "", unit(text)); err != nil {
			return nil, err
		}
		value = b.String()
	}
	if m := o.member(e.Name); m != nil {
		from := lineStart(text, m.key)
		margin := text[from : from+len(text[from:m.key])-len(bytes.TrimLeft(text[from:m.key], " \t"))]
		return splice(text, m.start, m.end, indented(text, value, string(margin))), nil
	}
	at := len(o.members)
	for i := range o.members {
		if o.members[i].name == before {
			at = i
			break
		}
	}
	return insert(text, o, at, e.Name, value), nil
}

// insert inserts a member into an object at index at, with the indentation of the others.
func insert(text []byte, o *object, at int, name, value string) []byte {
	key, _ := json.Marshal(name) // a string
	nl := newline(text)
	if len(o.members) == 0 {
		outer := margin(text, o.start)
		inner := outer + unit(text)
		entry := nl + inner + string(key) + ": " + indented(text, value, inner)
		rest := bytes.TrimRight(text[o.start+1:o.end-1], " \t\r\n") // comments, perhaps
		return splice(text, o.start+1+len(rest), o.end-1, entry+nl+outer)
	}
	next := o.members[min(at, len(o.members)-1)]
	inner := margin(text, next.key)
	entry := string(key) + ": " + indented(text, value, inner)
	gap := " "
	if from := lineStart(text, next.key); len(bytes.TrimSpace(text[from:next.key])) == 0 {
		gap = nl + inner
	}
	if at < len(o.members) {
		return splice(text, next.key, next.key, entry+","+gap)
	}
	if next.comma >= 0 { // in the style of the file, it stays last
		end := next.comma + 1
		return splice(text, end, end, gap+entry+",")
	}
	return splice(text, next.end, next.end, ","+gap+entry)
}

// margin returns the white space at the beginning of the line at an offset.
func margin(text []byte, at int) string {
	line := text[lineStart(text, at):at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// unit returns one step of indentation of a text.
func unit(text []byte) string {
	for _, line := range bytes.Split(text, []byte("\n"))[1:] {
		if rest := bytes.TrimLeft(line, " \t"); len(rest) < len(line) && len(rest) > 0 && rest[0] == '"' {
			return string(line[:len(line)-len(rest)])
		}
	}
	return "  "
}

// indented returns a value with the line ends of text, and all lines except the first indented.
func indented(text []byte, value, by string) string {
	value = strings.ReplaceAll(value, "\r\n", "\n")
	return strings.ReplaceAll(value, "\n", newline(text)+by)
}

// Remove implements Syntax.
func (j jsonSyntax) Remove(text []byte, names ...string) ([]byte, error) {
	for _, name := range names {
		o, err := j.servers(text)
		if err != nil {
			return nil, err
		}
		if o == nil {
			break
		}
		text = remove(text, o, name)
	}
	return text, nil
}

// remove removes a member from an object, with a superfluous comma.
func remove(text []byte, o *object, name string) []byte {
	for i, m := range o.members {
		if m.name != name {
			continue
		}
		last := i == len(o.members)-1
		trailing := last && m.comma >= 0
		end := m.end
		if m.comma >= 0 {
			if len(bytes.TrimSpace(text[m.end:m.comma])) == 0 {
				end = m.comma + 1
			} else { // a comment is between them
				text = splice(text, m.comma, m.comma+1, "")
			}
		}
		text = cut(text, m.key, end)
		if last && !trailing && i > 0 {
			comma := o.members[i-1].comma
			text = splice(text, comma, comma+1, "")
		}
		return text
	}
	return text
}

// Enable implements Syntax.
func (j jsonSyntax) Enable(text []byte, name string, on bool) ([]byte, error) {
	o, err := j.servers(text)
	if err != nil {
		return nil, err
	}
	var m *member
	if o != nil {
		m = o.member(name)
	}
	if m == nil {
		return nil, notThere(name)
	}
	for _, key := range []string{"disabled", "enabled"} { // first remove both, since either may be present
		e, err := within(text, m.start, m.end)
		if err != nil {
			return nil, err
		}
		was := len(text)
		text = remove(text, e, key)
		m.end += len(text) - was
	}
	if on {
		return text, nil
	}
	e, err := within(text, m.start, m.end)
	if err != nil {
		return nil, err
	}
	if len(e.members) > 0 {
		return insert(text, e, 0, "disabled", "true"), nil
	}
	return splice(text, m.start, m.end, `{"disabled": true}`), nil
}
