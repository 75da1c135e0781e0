package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/usetools/usetools/registry/text"
)

// maxDepth bounds how deep arguments are nested.
const maxDepth = 200

// Arguments returns the one form in which the arguments of a call are approved,
// recorded and sent: without white space, with one spelling of each string, the
// numbers and the order of keys as they were written. What two readers of JSON
// might read differently is an error: a key that stands twice in an object, what
// is no UTF-8, half of a surrogate pair, more than 200 levels. raw is an object;
// nothing and null stand for {}.
func Arguments(raw []byte) (json.RawMessage, error) {
	if t := bytes.TrimSpace(raw); len(t) == 0 || string(t) == "null" {
		return json.RawMessage("{}"), nil
	}
	switch {
	case !utf8.Valid(raw):
		return nil, errors.New("the arguments are no UTF-8")
	case !pairedSurrogates(raw):
		return nil, errors.New("the arguments have half of a surrogate pair in a string")
	}
	c := compactor{dec: json.NewDecoder(bytes.NewReader(raw))}
	c.dec.UseNumber()
	first, err := c.dec.Token()
	switch {
	case err != nil:
		return nil, fmt.Errorf("the arguments are no JSON: %w", err)
	case first != json.Delim('{'):
		return nil, errors.New("the arguments are no JSON object")
	}
	if err := c.value(first, 1); err != nil {
		return nil, err
	}
	if _, err := c.dec.Token(); err != io.EOF {
		return nil, errors.New("something follows the arguments")
	}
	return c.out.Bytes(), nil
}

// compactor writes the tokens of a decoder.
type compactor struct {
	dec *json.Decoder
	out bytes.Buffer
}

// value writes the value that a token begins.
func (c *compactor) value(t json.Token, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("the arguments have more than %d levels", maxDepth)
	}
	switch t := t.(type) {
	case json.Delim:
		return c.nested(t, depth)
	case string:
		c.string(t)
	case json.Number:
		c.out.WriteString(t.String())
	case bool:
		fmt.Fprint(&c.out, t)
	default:
		c.out.WriteString("null")
	}
	return nil
}

// nested writes an object or a list up to its end.
func (c *compactor) nested(open json.Delim, depth int) error {
	seen := map[string]bool{}
	c.out.WriteByte(byte(open))
	for first := true; ; first = false {
		t, err := c.dec.Token()
		if err != nil {
			return fmt.Errorf("the arguments are no JSON: %w", err)
		}
		if d, ok := t.(json.Delim); ok && (d == '}' || d == ']') {
			c.out.WriteByte(byte(d))
			return nil
		}
		if !first {
			c.out.WriteByte(',')
		}
		if open == '{' {
			key := t.(string)
			if seen[key] {
				return fmt.Errorf("the arguments have the key %q twice in one object", text.FirstBytes(key, 100))
			}
			seen[key] = true
			c.string(key)
			c.out.WriteByte(':')
			if t, err = c.dec.Token(); err != nil {
				return fmt.Errorf("the arguments are no JSON: %w", err)
			}
		}
		if err := c.value(t, depth+1); err != nil {
			return err
		}
	}
}

// string writes a string: escaped is only what must be.
func (c *compactor) string(s string) {
	enc := json.NewEncoder(&c.out)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // cannot fail
	c.out.Truncate(c.out.Len() - 1)
}

// pairedSurrogates reports whether in JSON each \uD800 to \uDBFF is followed by a
// \uDC00 to \uDFFF, and none of these stands alone.
func pairedSurrogates(raw []byte) bool {
	high := false // the last was the first half
	for i := 0; i < len(raw); {
		unit, n := escape(raw[i:])
		isHigh, isLow := unit >= 0xd800 && unit < 0xdc00, unit >= 0xdc00 && unit < 0xe000
		if high != isLow {
			return false
		}
		high = isHigh
		i += n
	}
	return !high
}

// escape is the UTF-16 code unit of the \u escape that b begins with, or 0, and how
// many bytes make the character.
func escape(b []byte) (unit, n int) {
	switch {
	case b[0] != '\\' || len(b) < 2:
		return 0, 1
	case b[1] != 'u' || len(b) < 6:
		return 0, 2
	}
	for _, c := range b[2:6] {
		d := bytes.IndexByte([]byte("0123456789abcdef"), c|0x20)
		if d < 0 {
			return 0, 2
		}
		unit = unit<<4 | d
	}
	return unit, 6
}
