package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Bounds of a record. A Writer that reaches one fails.
const (
	MaxLine   = 8 << 20   // bytes of a line
	MaxLines  = 1 << 20   // of a record
	MaxRecord = 256 << 20 // bytes of a record, without the values beside it
	MaxValue  = 64 << 20  // bytes of a value
	MaxInline = 64 << 10  // bytes of a value in a line; larger values are stored beside it, and longer errors are cut
)

// Other is a line that a later version wrote. It is read and never written.
type Other struct {
	Head
	JSON json.RawMessage // the complete line
}

// newLine has a constructor for each type of line.
var newLine = map[string]func() Line{
	"begin":   func() Line { return new(Begin) },
	"attempt": func() Line { return new(Attempt) },
	"tools":   func() Line { return new(Tools) },
	"call":    func() Line { return new(Call) },
	"done":    func() Line { return new(Done) },
	"settle":  func() Line { return new(Settle) },
	"ask":     func() Line { return new(Ask) },
	"answer":  func() Line { return new(Answer) },
	"round":   func() Line { return new(Round) },
	"child":   func() Line { return new(Child) },
	"guess":   func() Line { return new(Guess) },
	"note":    func() Line { return new(Note) },
	"end":     func() Line { return new(End) },
}

// lineType returns a line's Type.
func lineType(l Line) (string, error) {
	typ := strings.ToLower(reflect.TypeOf(l).Elem().Name())
	if newLine[typ] == nil {
		return "", fmt.Errorf("a record cannot hold a line of type %T", l)
	}
	return typ, nil
}

// A line ends with the CRC-32C of all bytes before this member.
const (
	crcBegin = `,"crc":"`
	crcEnd   = `"}`
	crcSize  = len(crcBegin) + 8 + len(crcEnd)
)

// castagnoli is built when first needed, because most processes record nothing and its tables take
// long to make.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

func crcOf(b []byte) uint32 { return crc32.Checksum(b, castagnoli()) }

// EncodeLine returns a line with its check and line feed.
func EncodeLine(l Line) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // the bytes of values stay as they are
	if err := e.Encode(l); err != nil {
		return nil, fmt.Errorf("encoding a line %q: %w", l.head().Type, err)
	}
	b.Truncate(b.Len() - len("}\n"))
	line := fmt.Appendf(b.Bytes(), "%s%08x%s\n", crcBegin, crcOf(b.Bytes()), crcEnd)
	if !utf8.Valid(line) {
		return nil, fmt.Errorf("a line %q is not UTF-8", l.head().Type)
	}
	if len(line) > MaxLine {
		return nil, fmt.Errorf("a line %q has %d bytes; the most is %d", l.head().Type, len(line), MaxLine)
	}
	return line, nil
}

var errCheck = errors.New("its checksum does not match (CRC-32C)")

// DecodeLine decodes a line without its line feed. If its check is right but this version does not
// know the line, it returns an Other and an error.
func DecodeLine(b []byte) (Line, error) {
	n := len(b) - crcSize
	if n < 1 || len(b) >= MaxLine || !utf8.Valid(b) {
		return nil, errCheck
	}
	tail := b[n:]
	if string(tail[:len(crcBegin)]) != crcBegin || string(tail[crcSize-len(crcEnd):]) != crcEnd {
		return nil, errCheck
	}
	sum, err := strconv.ParseUint(string(tail[len(crcBegin):len(crcBegin)+8]), 16, 32)
	if err != nil || uint32(sum) != crcOf(b[:n]) {
		return nil, errCheck
	}
	typ, err := typeOf(b)
	if err != nil {
		return nil, err
	}
	other := &Other{}
	if build, ok := newLine[typ]; ok {
		l := build()
		if err = json.Unmarshal(b, l); err == nil {
			return l, nil
		}
	}
	if e := json.Unmarshal(b, &other.Head); e != nil {
		return nil, fmt.Errorf("reading a line %q: %w", typ, e)
	}
	other.JSON = bytes.Clone(b)
	return other, err
}

// typeOf returns the Type of a line, which EncodeLine writes first.
func typeOf(b []byte) (string, error) {
	if rest, ok := bytes.CutPrefix(b, []byte(`{"type":"`)); ok {
		if typ, _, ok := bytes.Cut(rest, []byte(`"`)); ok && newLine[string(typ)] != nil {
			return string(typ), nil
		}
	}
	var h Head
	if err := json.Unmarshal(b, &h); err != nil {
		return "", fmt.Errorf("reading a line: %w", err)
	}
	return h.Type, nil
}
