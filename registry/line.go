package registry

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// decodeLine reads a tool as Encode writes one: its fields in their order and
// nothing between the tokens. It is several times faster than encoding/json, and
// Input, Output and Examples are parts of line. It reports false where anything is
// written otherwise; then t is undefined, and encoding/json has to read the line.
func decodeLine(line []byte, t *Tool) bool {
	s := lineScan{data: line}
	*t = Tool{}
	if !s.literal(`{"id":`) || !s.text(&t.ID) || !s.literal(`,"server":`) || !s.text(&t.Server) ||
		!s.literal(`,"name":`) || !s.text(&t.Name) || !s.optional(`,"title":`, &t.Title) ||
		!s.optional(`,"description":`, &t.Description) || !s.literal(`,"inputSchema":`) {
		return false
	}
	from := s.at
	if !s.value(0) {
		return false
	}
	t.Input = line[from:s.at:s.at]
	if s.literal(`,"outputSchema":`) {
		if from = s.at; !s.value(0) {
			return false
		}
		t.Output = line[from:s.at:s.at]
	}
	if s.literal(`,"annotations":`) {
		if t.Annotations = s.annotations(); t.Annotations == nil {
			return false
		}
	}
	if !s.optional(`,"request":`, &t.Request) || !s.optional(`,"category":`, &t.Category) {
		return false
	}
	if s.literal(`,"examples":`) {
		if from = s.at; !s.value(0) || json.Unmarshal(line[from:s.at], &t.Examples) != nil {
			return false
		}
	}
	if !s.literal(`,"hash":`) || !s.text(&t.Hash) {
		return false
	}
	if s.literal(`,"embedding":`) {
		from, to, plain := s.quoted()
		if !plain {
			return false
		}
		var err error
		if t.Embedding, err = base64.StdEncoding.AppendDecode([]byte{}, line[from:to]); err != nil {
			return false
		}
	}
	t.Stale = s.literal(`,"stale":true`)
	if !s.optional(`,"error":`, &t.Error) {
		return false
	}
	t.Held = s.literal(`,"held":true`)
	return s.literal("}") && s.at == len(line)
}

// maxLineDepth bounds the nesting of a schema that is read here.
const maxLineDepth = 200

// lineScan walks over JSON without white space. Its methods report whether what
// they read is there; where it is not, only literal leaves at where it was.
type lineScan struct {
	data []byte
	at   int
}

func (s *lineScan) literal(want string) bool {
	if len(s.data)-s.at < len(want) || string(s.data[s.at:s.at+len(want)]) != want {
		return false
	}
	s.at += len(want)
	return true
}

func (s *lineScan) byte(c byte) bool {
	if s.at < len(s.data) && s.data[s.at] == c {
		s.at++
		return true
	}
	return false
}

// optional reads the string of a field, where the field is there.
func (s *lineScan) optional(field string, into *string) bool {
	return !s.literal(field) || s.text(into)
}

// text reads a string.
func (s *lineScan) text(into *string) bool {
	from, to, plain := s.quoted()
	if plain && utf8.Valid(s.data[from:to]) {
		*into = string(s.data[from:to])
		return true
	}
	if to > 0 && !plain {
		if b, ok := unescaped(s.data[from:to]); ok && utf8.Valid(b) {
			*into = string(b)
			return true
		}
	}
	return to > 0 && json.Unmarshal(s.data[from-1:to+1], into) == nil
}

// unescaped returns the content of a string that quoted has read; false: it has
// characters that are written as numbers.
func unescaped(text []byte) ([]byte, bool) {
	out := make([]byte, 0, len(text))
	for {
		at := bytes.IndexByte(text, '\\')
		if at < 0 {
			return append(out, text...), true
		}
		out = append(out, text[:at]...)
		k := strings.IndexByte(escapes, text[at+1])
		if k < 0 {
			return nil, false
		}
		out = append(out, meanings[k])
		text = text[at+2:]
	}
}

// What stands behind a backslash in a string, beside u, and what it means.
const (
	escapes  = `"\/bfnrt`
	meanings = "\"\\/\b\f\n\r\t"
)

// quoted reads a string and returns the place of its content; to is 0 where there
// is none. plain says that nothing in it is escaped.
func (s *lineScan) quoted() (from, to int, plain bool) {
	if !s.byte('"') {
		return 0, 0, false
	}
	from, plain = s.at, true
	for s.skipPlain() {
		switch {
		case s.byte('"'):
			return from, s.at - 1, plain
		case !s.escape():
			return 0, 0, false
		}
		plain = false
	}
	return 0, 0, false
}

// skipPlain moves to the next quote, backslash or control character, eight bytes
// at a time; false: there is none.
func (s *lineScan) skipPlain() bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; len(s.data)-s.at >= 8; s.at += 8 {
		x := binary.LittleEndian.Uint64(s.data[s.at:])
		quote, slash := x^ones*'"', x^ones*'\\'
		// The lowest byte that is marked is one that is sought.
		if found := ((quote-ones)&^quote | (slash-ones)&^slash | (x-ones*' ')&^x) & tops; found != 0 {
			s.at += bits.TrailingZeros64(found) / 8
			return true
		}
	}
	for ; s.at < len(s.data); s.at++ {
		if c := s.data[s.at]; c == '"' || c == '\\' || c < ' ' {
			return true
		}
	}
	return false
}

// escape reads one escaped character of a string.
func (s *lineScan) escape() bool {
	if !s.byte('\\') || s.at >= len(s.data) {
		return false
	}
	c := s.data[s.at]
	s.at++
	if c != 'u' {
		return strings.IndexByte(escapes, c) >= 0
	}
	for range 4 {
		if s.at >= len(s.data) {
			return false
		}
		c := s.data[s.at] | 0x20
		if !isDigit(s.data[s.at]) && (c < 'a' || c > 'f') {
			return false
		}
		s.at++
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// value reads any value.
func (s *lineScan) value(depth int) bool {
	if s.at >= len(s.data) || depth > maxLineDepth {
		return false
	}
	switch s.data[s.at] {
	case '"':
		_, to, _ := s.quoted()
		return to > 0
	case '{':
		s.at++
		for first := true; !s.byte('}'); first = false {
			if !first && !s.byte(',') {
				return false
			}
			if _, to, _ := s.quoted(); to == 0 || !s.byte(':') || !s.value(depth+1) {
				return false
			}
		}
		return true
	case '[':
		s.at++
		for first := true; !s.byte(']'); first = false {
			if !first && !s.byte(',') || !s.value(depth+1) {
				return false
			}
		}
		return true
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	}
	return s.number()
}

func (s *lineScan) number() bool {
	s.byte('-')
	if !s.byte('0') && !s.digits() {
		return false
	}
	if s.byte('.') && !s.digits() {
		return false
	}
	if s.byte('e') || s.byte('E') {
		_ = s.byte('+') || s.byte('-')
		return s.digits()
	}
	return true
}

func (s *lineScan) digits() bool {
	from := s.at
	for s.at < len(s.data) && isDigit(s.data[s.at]) {
		s.at++
	}
	return s.at > from
}

// annotations reads what is not null, else nil.
func (s *lineScan) annotations() *Annotations {
	a := &struct {
		Annotations
		hints [4]bool
	}{}
	if !s.byte('{') {
		return nil
	}
	first := true
	field := func(name string) bool {
		at := s.at
		if (first || s.byte(',')) && s.literal(name) {
			first = false
			return true
		}
		s.at = at
		return false
	}
	if field(`"title":`) && !s.text(&a.Title) {
		return nil
	}
	for i, hint := range [...]struct {
		name string
		to   **bool
	}{
		{`"readOnlyHint":`, &a.ReadOnly}, {`"destructiveHint":`, &a.Destructive},
		{`"idempotentHint":`, &a.Idempotent}, {`"openWorldHint":`, &a.OpenWorld},
	} {
		if !field(hint.name) {
			continue
		}
		if a.hints[i] = s.literal("true"); !a.hints[i] && !s.literal("false") {
			return nil
		}
		*hint.to = &a.hints[i]
	}
	if !s.byte('}') {
		return nil
	}
	return &a.Annotations
}
