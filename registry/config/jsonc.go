package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/usetools/usetools/registry/jsontree"
)

// Error is a fault that makes a config file unusable.
type Error struct {
	Path         string
	Line, Column int // 1-based, the column in characters; 0 if the fault has no position
	Msg          string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("config %s: %s", e.Path, e.Msg)
	}
	return fmt.Sprintf("config %s:%d:%d: %s", e.Path, e.Line, e.Column, e.Msg)
}

// position converts a byte offset to a line and a column.
func position(data []byte, offset int64) (line, column int) {
	offset = max(0, min(offset, int64(len(data))))
	before := data[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}

// PlainJSON overwrites comments and trailing commas with spaces, so that offsets in the result
// are those in data. It leaves all other faults to the JSON parser.
func PlainJSON(data []byte) []byte {
	out := bytes.Clone(data)
	if bytes.HasPrefix(out, []byte("\xef\xbb\xbf")) {
		blank(out[:3])
	}
	comma := -1        // offset of a comma followed only by white space so far
	before := byte(0)  // the significant byte before that comma
	last := byte('\n') // the last significant byte
	for i := 0; i < len(out); {
		switch c := out[i]; {
		case c == '"':
			i = stringEnd(out, i)
			comma, last = -1, c
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			end := commentEnd(out, i)
			if end < 0 {
				return out // never closed: the JSON parser reports the slash
			}
			blank(out[i:end])
			i = end
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			i++
		default:
			switch {
			case c == ',':
				comma, before = i, last
			case (c == '}' || c == ']') && comma >= 0 && before != '{' && before != '[' && before != ',':
				out[comma] = ' '
				comma = -1
			default:
				comma = -1
			}
			last = c
			i++
		}
	}
	return out
}

// stringEnd returns the offset after the string that starts at i.
func stringEnd(data []byte, i int) int {
	for i++; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(data)
}

// commentEnd returns the offset after the comment that starts at i, or -1 if it does not end.
func commentEnd(data []byte, i int) int {
	mark, skip := "\n", 0 // the newline is kept
	if data[i+1] == '*' {
		mark, skip = "*/", 2
	}
	n := bytes.Index(data[i+2:], []byte(mark))
	switch {
	case n >= 0:
		return i + 2 + n + skip
	case skip == 0:
		return len(data)
	}
	return -1
}

func blank(b []byte) {
	for i := range b {
		if b[i] != '\n' {
			b[i] = ' '
		}
	}
}

// member is one key of a JSON object with its value's bytes and their offset.
type member struct {
	key    string
	value  json.RawMessage
	offset int64
}

// members splits a JSON object into its members in the order of the file, including duplicate
// keys. It adds base to the offsets.
func members(object []byte, base int64) (out []member, err error) {
	if !jsontree.Members(object, func(key string, v *jsontree.Value) bool {
		out = append(out, member{key, v.Raw, base + int64(v.Start)})
		return true
	}) {
		return nil, errors.New("want an object")
	}
	return out, nil
}

// syntaxError returns where and why data is not JSON, or nil if it is.
func syntaxError(path string, data []byte) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return &Error{Path: path, Line: 1, Column: 1, Msg: `the file is empty; want {"mcpServers": {…}}`}
	}
	var v json.RawMessage
	err := json.Unmarshal(data, &v)
	if err == nil {
		return nil
	}
	e := &Error{Path: path, Msg: "not JSON: " + err.Error()}
	var syn *json.SyntaxError
	if errors.As(err, &syn) {
		at := syn.Offset - 1 // Offset includes the wrong byte
		if syn.Error() == io.ErrUnexpectedEOF.Error() || syn.Offset >= int64(len(data)) {
			at = syn.Offset
		}
		e.Line, e.Column = position(data, at)
	}
	return e
}
