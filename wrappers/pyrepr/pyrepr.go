// Package pyrepr converts the repr of Python values to JSON.
//
// Servers written in Python often answer with str(value) instead of JSON:
// [{'a': None, 'b': True}].
package pyrepr

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of the parsed text. Python itself cannot print values nested deeper than a thousand
// levels.
const (
	maxText  = 8 << 20 // bytes
	maxDepth = 1000
)

// JSON returns the JSON of the repr of a Python dict, list or tuple, and whether the text is one.
// It accepts only values that JSON has, written as repr writes them: strings, numbers, True,
// False and None, and the keys that json.dumps accepts. The limits are 8 MiB and 1000 levels.
func JSON(text string) ([]byte, bool) {
	if len(text) > maxText || !utf8.ValidString(text) {
		return nil, false
	}
	p := &reader{rest: text}
	p.space()
	if strings.IndexAny(p.rest, "[{(") != 0 || !p.value(0) {
		return nil, false
	}
	p.space()
	return p.out, p.rest == ""
}

// reader reads from rest and appends to out. Its methods report whether they found what they
// expected.
type reader struct {
	rest string
	out  []byte
}

func (p *reader) space() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

// take skips white space and then the text c.
func (p *reader) take(c string) (ok bool) {
	p.space()
	p.rest, ok = strings.CutPrefix(p.rest, c)
	return ok
}

func (p *reader) value(depth int) bool {
	switch {
	case depth > maxDepth:
		return false
	case p.take("["):
		return p.items("]", depth)
	case p.take("("):
		return p.items(")", depth)
	case p.take("{"):
		return p.items("}", depth)
	}
	return p.scalar()
}

// items reads a list, a tuple or a dict up to its end. A tuple of one element has a comma: (1) is
// a number in brackets, which repr does not write.
func (p *reader) items(end string, depth int) bool {
	left, right := byte('['), byte(']')
	if end == "}" {
		left, right = '{', '}'
	}
	p.out = append(p.out, left)
	n, comma := 0, true
	for ; !p.take(end); n++ {
		if !comma {
			return false
		}
		if n > 0 {
			p.out = append(p.out, ',')
		}
		if end == "}" {
			if !p.key() || !p.take(":") {
				return false
			}
			p.out = append(p.out, ':')
		}
		if !p.value(depth + 1) {
			return false
		}
		comma = p.take(",")
	}
	p.out = append(p.out, right)
	return end != ")" || n != 1 || comma
}

// key reads the key of a dict and makes it a string.
func (p *reader) key() bool {
	begin := len(p.out)
	if !p.scalar() {
		return false
	}
	if p.out[begin] != '"' {
		p.out = strconv.AppendQuote(p.out[:begin], string(p.out[begin:]))
	}
	return true
}

func (p *reader) scalar() bool {
	p.space()
	if p.rest != "" && (p.rest[0] == '\'' || p.rest[0] == '"') {
		return p.str()
	}
	n := strings.IndexAny(p.rest, " \t\r\n,:)]}")
	if n < 0 {
		return false // a bracket is open
	}
	word := p.rest[:n]
	p.rest = p.rest[n:]
	switch word {
	case "", "true", "false", "null":
		return false
	case "True", "False":
		word = strings.ToLower(word)
	case "None":
		word = "null"
	case "-0": // an integer, which has no sign
		word = "0"
	default: // a number, which JSON writes as repr does
		if !json.Valid([]byte(word)) {
			return false
		}
		if strings.ContainsAny(word, ".eE") {
			if _, err := strconv.ParseFloat(word, 64); err != nil { // inf
				return false
			}
		}
	}
	p.out = append(p.out, word...)
	return true
}

// str reads a string in quotes of either kind.
func (p *reader) str() bool {
	quote := p.rest[0]
	s := p.rest[1:]
	p.out = append(p.out, '"')
	for s != "" {
		c := s[0]
		s = s[1:]
		switch {
		case c == quote:
			p.out = append(p.out, '"')
			p.rest = s
			return true
		case c < ' ': // which repr escapes
			return false
		case c == '"':
			p.out = append(p.out, '\\', c)
		case c != '\\':
			p.out = append(p.out, c)
		default:
			n := p.escape(s)
			if n == 0 {
				return false
			}
			s = s[n:]
		}
	}
	return false
}

// pythonEscapes maps the letter of an escape to its character.
var pythonEscapes = map[byte]rune{
	'\\': '\\', '\'': '\'', '"': '"', 'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v',
}

// escape writes the character of an escape; s is the text after the backslash. It returns the
// escape's length in s, or 0 if s does not begin with an escape.
func (p *reader) escape(s string) int {
	if s == "" {
		return 0
	}
	if r, ok := pythonEscapes[s[0]]; ok {
		p.char(r)
		return 1
	}
	begin, n, base := 1, 0, 16
	switch s[0] {
	case 'x':
		n = 2
	case 'u':
		n = 4
	case 'U':
		n = 8
	default: // one to three octal digits
		begin, base = 0, 8
		for n < min(3, len(s)) && s[n] >= '0' && s[n] <= '7' {
			n++
		}
	}
	if begin+n > len(s) {
		return 0
	}
	r, err := strconv.ParseUint(s[begin:begin+n], base, 32)
	if err != nil || r > utf8.MaxRune {
		return 0
	}
	p.char(rune(r))
	return begin + n
}

// char writes a character of a string. Half of a surrogate pair, which Python strings can have
// but UTF-8 cannot, is written as an escape.
func (p *reader) char(r rune) {
	switch {
	case r == '"' || r == '\\':
		p.out = append(p.out, '\\', byte(r))
	case r < ' ' || !utf8.ValidRune(r):
		p.out = fmt.Appendf(p.out, `\u%04x`, r)
	default:
		p.out = utf8.AppendRune(p.out, r)
	}
}
