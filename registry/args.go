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

// maxArgsDepth bounds the nesting of arguments.
const maxArgsDepth = 200

// Args are the decoded arguments of one call. The zero value is the empty object.
type Args struct {
	json json.RawMessage // if nil, {}
	tree map[string]any
	err  error
}

// JSON returns the canonical form in which arguments are approved, recorded and sent. It has no
// white space and one spelling of each string, and keeps numbers and the order of keys. If Err is
// not nil, JSON returns the original bytes.
func (a Args) JSON() json.RawMessage {
	if a.json == nil {
		return json.RawMessage("{}")
	}
	return a.json
}

// Tree returns the decoded arguments, with numbers as json.Number. Do not change it.
func (a Args) Tree() map[string]any { return a.tree }

// Err returns why the arguments are invalid, or nil.
func (a Args) Err() error { return a.err }

// ReadArgs decodes arguments, a JSON object. If raw is empty or null, it is {}. The
// result has an Err if two JSON decoders might disagree: a duplicate key, invalid
// UTF-8, a lone surrogate, or more than 200 levels.
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

// argsReader writes the tokens of a decoder in canonical form, and builds their tree.
type argsReader struct {
	dec *json.Decoder
	out bytes.Buffer
	enc *json.Encoder // to out
}

func (r *argsReader) read(raw []byte) (map[string]any, error) {
	switch {
	case !utf8.Valid(raw):
		return nil, errors.New("the arguments are not valid UTF-8")
	case halfPair(raw):
		return nil, errors.New("the arguments have a lone surrogate in a string")
	}
	first, err := r.token()
	switch {
	case err != nil:
		return nil, err
	case first != json.Delim('{'):
		return nil, errors.New("the arguments are not a JSON object")
	}
	tree, err := r.value(first, 1)
	if err != nil {
		return nil, err
	}
	if _, err := r.dec.Token(); err != io.EOF {
		return nil, errors.New("text follows the arguments")
	}
	return tree.(map[string]any), nil
}

func (r *argsReader) token() (json.Token, error) {
	t, err := r.dec.Token()
	if err != nil {
		return nil, fmt.Errorf("the arguments are not JSON: %w", err)
	}
	return t, nil
}

// value decodes the value that begins with token t.
func (r *argsReader) value(t json.Token, depth int) (any, error) {
	if depth > maxArgsDepth {
		return nil, fmt.Errorf("the arguments are nested deeper than %d levels", maxArgsDepth)
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

// nested decodes an object or a list after its opening delimiter.
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
			return nil, fmt.Errorf("the arguments have a duplicate key %q in one object", text.FirstBytes(key, 100))
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

// text writes a string with only the necessary escapes.
func (r *argsReader) text(s string) {
	r.enc.Encode(s) // cannot fail
	r.out.Truncate(r.out.Len() - 1)
}

// escapes matches the escapes of JSON; the submatch is a lone surrogate.
var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?is)\\ud[89ab][0-9a-f]{2}\\ud[cdef][0-9a-f]{2}|\\(ud[89abcdef][0-9a-f]{2})|\\.`)
})

// halfPair reports whether JSON has a lone surrogate.
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
