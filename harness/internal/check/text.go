package check

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// MaxSize is the maximum size of a script in bytes.
const MaxSize = 256 << 10

// clean returns the text to parse: the script with a byte order mark and Markdown fence lines
// replaced by spaces, so that positions stay those of the text as sent.
func clean(src []byte) ([]byte, *Diagnostic) {
	if len(src) > MaxSize {
		return nil, &Diagnostic{Kind: Refused, Message: fmt.Sprintf("the script has %d bytes, at most %d are accepted", len(src), MaxSize),
			Hint: "send large values as inputs and read them with Input"}
	}
	if bytes.HasPrefix(src, []byte("\xff\xfe")) || bytes.HasPrefix(src, []byte("\xfe\xff")) {
		return nil, &Diagnostic{Kind: Compile, Line: 1, Column: 1, Message: "the script is UTF-16, Go source is UTF-8"}
	}
	text := bytes.Clone(src)
	if mark := []byte("\ufeff"); bytes.HasPrefix(text, mark) {
		blank(text[:len(mark)])
	}
	if i := bytes.IndexByte(text, 0); i >= 0 {
		return nil, badByte(text, i, "the script contains a NUL byte")
	}
	if i := invalidUTF8(text); i >= 0 {
		return nil, badByte(text, i, fmt.Sprintf("the script is not UTF-8: byte 0x%02x", text[i]))
	}
	unfence(text)
	return text, nil
}

func badByte(text []byte, offset int, message string) *Diagnostic {
	line := 1 + bytes.Count(text[:offset], []byte("\n"))
	column := offset - bytes.LastIndexByte(text[:offset], '\n')
	return &Diagnostic{Kind: Compile, Line: line, Column: column, Message: message}
}

func invalidUTF8(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// unfence blanks the first and last line of a text that is one fenced block, and everything
// after the closing line.
func unfence(text []byte) {
	start := len(text) - len(bytes.TrimLeft(text, " \t\r\n"))
	if !bytes.HasPrefix(text[start:], []byte("```")) {
		return
	}
	opening := bytes.IndexByte(text[start:], '\n')
	if opening < 0 {
		blank(text[start:])
		return
	}
	body := start + opening + 1
	blank(text[start : body-1])
	for i := body; i < len(text); {
		end := len(text)
		if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
			end = i + n
		}
		if bytes.HasPrefix(bytes.TrimLeft(text[i:end], " \t"), []byte("```")) {
			blank(text[i:])
			return
		}
		i = end + 1
	}
}

// blank overwrites everything except line ends with spaces.
func blank(b []byte) {
	for i := range b {
		if b[i] != '\n' && b[i] != '\r' {
			b[i] = ' '
		}
	}
}
