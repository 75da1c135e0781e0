package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sync"
	"unicode/utf8"

	"github.com/usetools/usetools/registry/text"
)

// maxArgsDepth bounds how deep arguments are nested.
const maxArgsDepth = 200

// Args are the arguments of one call, read once. The zero value has none.
type Args struct {
	json json.RawMessage // nil: {}
	tree map[string]any
	err  error
}

// JSON returns the one form in which arguments are approved, recorded and sent:
// without white space, with one spelling of each string, the numbers and the order of
// keys as they were written. If Err is not nil, it returns the bytes as they came.
func (a Args) JSON() json.RawMessage {
	if a.json == nil {
		return json.RawMessage("{}")
	}
	return a.json
}

// Tree returns the decoded arguments, with numbers as json.Number. Do not change it.
func (a Args) Tree() map[string]any { return a.tree }

// Err says why the arguments have no form.
func (a Args) Err() error { return a.err }

// ReadArgs reads arguments, a JSON object; nothing and null stand for {}. Whatever two
// readers of JSON might read differently is the Err of the result: a key that stands
// twice in an object, bytes that are no UTF-8, half of a surrogate pair, more than 200
// levels.
func ReadArgs(raw []byte) Args {
	if t := bytes.TrimSpace(raw); len(t) == 0 || string(t) == "null" {
		return Args{tree: map[string]any{}}
	}
	r := argsReader{dec: json.NewDecoder(bytes.NewReader(raw))}
	r.dec.UseNumber()
	r.enc = json.NewEncoder(&r.out)
	r.enc.SetEscapeHTML(false)
	tree, err := r.read(raw)
	if err != nil {
		return Args{json: raw, err: err}
	}
	return Args{json: r.out.Bytes(), tree: tree}
}

// argsReader writes the tokens of a decoder again, and makes their tree.
type argsReader struct {
	dec *json.Decoder
	out bytes.Buffer
	enc *json.Encoder // to out
}

func (r *argsReader) read(raw []byte) (map[string]any, error) {
	switch {
	case !utf8.Valid(raw):
		return nil, errors.New("the arguments are no UTF-8")
	case halfPair(raw):
		return nil, errors.New("the arguments have half of a surrogate pair in a string")
	}
	first, err := r.token()
	switch {
	case err != nil:
		return nil, err
	case first != json.Delim('{'):
		return nil, errors.New("the arguments are no JSON object")
	}
	tree, err := r.value(first, 1)
	if err != nil {
		return nil, err
	}
	if _, err := r.dec.Token(); err != io.EOF {
		return nil, errors.New("something follows the arguments")
	}
	return tree.(map[string]any), nil
}

func (r *argsReader) token() (json.Token, error) {
	t, err := r.dec.Token()
	if err != nil {
		return nil, fmt.Errorf("the arguments are no JSON: %w", err)
	}
	return t, nil
}

// value reads the value that a token begins.
func (r *argsReader) value(t json.Token, depth int) (any, error) {
	if depth > maxArgsDepth {
		return nil, fmt.Errorf("the arguments have more than %d levels", maxArgsDepth)
	}
	switch t := t.(type) {
	case json.Delim:
		return r.nested(t, depth)
	case string:
		r.text(t)
	case json.Number:
		r.out.WriteString(t.String())
	case bool:
		fmt.Fprint(&r.out, t)
	default:
		r.out.WriteString("null")
	}
	return t, nil
}

// nested reads an object or a list up to its end.
func (r *argsReader) nested(open json.Delim, depth int) (any, error) {
	var object map[string]any
	list := []any{}
	if open == '{' {
		object = map[string]any{}
	}
	r.out.WriteByte(byte(open))
	for first := true; ; first = false {
		t, err := r.token()
		if err != nil {
			return nil, err
		}
		if d, ok := t.(json.Delim); ok && (d == '}' || d == ']') {
			r.out.WriteByte(byte(d))
			if d == '}' {
				return object, nil
			}
			return list, nil
		}
		if !first {
			r.out.WriteByte(',')
		}
		if open == '[' {
			v, err := r.value(t, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
			continue
		}
		key := t.(string)
		if _, twice := object[key]; twice {
			return nil, fmt.Errorf("the arguments have the key %q twice in one object", text.FirstBytes(key, 100))
		}
		r.text(key)
		r.out.WriteByte(':')
		if t, err = r.token(); err != nil {
			return nil, err
		}
		if object[key], err = r.value(t, depth+1); err != nil {
			return nil, err
		}
	}
}

// text writes a string: escaped is only what must be.
func (r *argsReader) text(s string) {
	r.enc.Encode(s) // cannot fail
	r.out.Truncate(r.out.Len() - 1)
}

// escapes are those of JSON; the submatch is a surrogate that is no half of a pair.
var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?is)\\ud[89ab][0-9a-f]{2}\\ud[cdef][0-9a-f]{2}|\\(ud[89abcdef][0-9a-f]{2})|\\.`)
})

// halfPair reports whether JSON has a surrogate without the other one.
func halfPair(raw []byte) bool {
	for bytes.Contains(raw, []byte(`\u`)) {
		m := escapes().FindSubmatchIndex(raw)
		if m == nil || m[2] >= 0 {
			return m != nil
		}
		raw = raw[m[1]:]
	}
	return false
}
