package discovery

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"
)

// maxProperties bounds the parameter names that are read of one tool.
const maxProperties = 1000

// maxPropertyTexts bounds what is read of what parameters are said to be, in
// bytes.
const maxPropertyTexts = 8000

// propertyNames returns the names of a JSON Schema's top-level properties, in
// the order of the document; of what is no JSON those up to the fault.
func propertyNames(schema []byte) []string {
	names, _ := properties(schema)
	return names
}

// properties returns the names of a JSON Schema's top-level properties and
// their titles, descriptions and enumerated values as they stand in the
// document. It skips over all other values without decoding them, because a
// registry has megabytes of schemas.
func properties(schema []byte) (names []string, values string) {
	var texts []byte
	s := jsonScan{data: schema}
	s.object(func(key string) {
		if key != "properties" {
			s.skip()
			return
		}
		names = names[:0] // the last of several counts
		s.object(func(name string) {
			if len(names) < maxProperties && !slices.Contains(names, name) {
				names = append(names, name)
			}
			s.object(func(key string) {
				s.peek()
				from := s.at
				s.skip()
				if key == "description" || key == "enum" || key == "title" {
					texts = append(append(texts, s.data[from:s.at]...), '\n')
				}
			})
		})
	})
	values, _ = cutChars(string(texts[:min(len(texts), maxPropertyTexts)]), maxPropertyTexts)
	return names, values
}

// jsonScan walks over JSON without decoding it. A fault moves it to the end.
type jsonScan struct {
	data []byte
	at   int
}

// object calls member with each key of the object that comes next; member
// must consume the value. Another value is skipped.
func (s *jsonScan) object(member func(key string)) {
	if s.peek() != '{' {
		s.skip()
		return
	}
	s.at++
	for {
		switch s.peek() {
		case '}':
			s.at++
			return
		case ',':
			s.at++
		case '"':
			from := s.at
			s.skipString()
			key, ok := unquote(s.data[from:s.at])
			if !ok || s.peek() != ':' {
				s.at = len(s.data)
				return
			}
			s.at++
			member(key)
		default:
			s.at = len(s.data)
			return
		}
	}
}

// unquote decodes a string; most have nothing to decode.
func unquote(quoted []byte) (key string, ok bool) {
	if n := len(quoted); n >= 2 && quoted[n-1] == '"' && bytes.IndexByte(quoted, '\\') < 0 && utf8.Valid(quoted) {
		return string(quoted[1 : n-1]), true
	}
	return key, json.Unmarshal(quoted, &key) == nil
}

// peek returns the next byte that is no white space, 0 at the end.
func (s *jsonScan) peek() byte {
	for ; s.at < len(s.data); s.at++ {
		switch c := s.data[s.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// skip moves behind the value that comes next.
func (s *jsonScan) skip() {
	s.peek()
	depth := 0
	for s.at < len(s.data) {
		switch s.data[s.at] {
		case '"':
			s.skipString()
			if depth == 0 {
				return
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 { // the end of what contains a number or literal
				return
			}
			depth--
			if depth == 0 {
				s.at++
				return
			}
		case ',':
			if depth == 0 {
				return
			}
		}
		s.at++
	}
}

// skipString moves behind the string that begins here.
func (s *jsonScan) skipString() {
	s.at++
	if end := bytes.IndexByte(s.data[min(s.at, len(s.data)):], '"'); end >= 0 &&
		bytes.IndexByte(s.data[s.at:s.at+end], '\\') < 0 {
		s.at += end + 1 // most have no escapes
		return
	}
	for ; s.at < len(s.data); s.at++ {
		switch s.data[s.at] {
		case '\\':
			s.at++
		case '"':
			s.at++
			return
		}
	}
	s.at = len(s.data)
}
