package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Data is a JSON value of a line. Large values are stored beside the record, and values of private
// tools are not kept at all. A value that is not Redacted is read with the bytes that were written,
// including white space.
type Data struct {
	JSON json.RawMessage // if nil, the value is stored elsewhere, is not kept, or does not exist
	// SHA256 is the hexadecimal digest of a value that is stored beside the record. If Redacted, it
	// is the digest of the original value, keyed with the store's key.
	SHA256   string
	Bytes    int  // of the original value
	Redacted bool // if so, JSON or Shown has the value without its secrets; without either it is not kept
	// Shown is the SHA-256 of a Redacted value without its secrets, if that is stored beside the
	// record.
	Shown string
}

// String returns a text as Data.
func String(s string) Data { return Raw(quote(s)) } // invalid UTF-8 becomes U+FFFD

// Raw returns JSON as Data.
func Raw(raw json.RawMessage) Data { return Data{JSON: raw, Bytes: len(raw)} }

// IsZero reports whether there is no value.
func (d Data) IsZero() bool { return d.JSON == nil && d.SHA256 == "" }

// Text returns the text of a JSON string, or "" for anything else.
func (d Data) Text() string {
	var s string
	json.Unmarshal(d.JSON, &s)
	return s
}

// blobMark begins the JSON string that replaces a value in a line. A text that begins with it is
// never stored as it is.
const blobMark = "blob:"

// maxNested is the greatest depth of a value that is in a line as it is.
const maxNested = 1000

// MarshalJSON implements json.Marshaler. It returns the value itself, or one of these JSON strings:
//
//	"blob:json:TEXT"                     the bytes of a value that JSON in a line would change
//	"blob:sha256:HEX:BYTES"              a value beside the record
//	"blob:hmac:HEX:BYTES"                a value that is not kept
//	"blob:hmac:HEX:BYTES:json:TEXT"      a redacted value, without its secrets
//	"blob:hmac:HEX:BYTES:sha256:HEX"     the same, beside the record
func (d Data) MarshalJSON() ([]byte, error) {
	switch {
	case d.SHA256 != "" && d.Redacted:
		s := fmt.Sprintf("%shmac:%s:%d", blobMark, d.SHA256, d.Bytes)
		switch {
		case d.JSON != nil:
			s += ":json:" + string(d.JSON)
		case d.Shown != "":
			s += ":sha256:" + d.Shown
		}
		return quote(s), nil
	case d.SHA256 != "":
		return fmt.Appendf(nil, `"%ssha256:%s:%d"`, blobMark, d.SHA256, d.Bytes), nil
	case d.JSON == nil:
		return []byte("null"), nil
	case plain(d.JSON):
		return d.JSON, nil
	}
	return quote(blobMark + "json:" + string(d.JSON)), nil
}

var errData = errors.New("malformed reference to a value outside its line")

// ErrNotKept is returned by Run.Value if the record has only the digest of a value.
var ErrNotKept = errors.New("the value is not kept, by a setting of its tool or of the store")

// UnmarshalJSON implements json.Unmarshaler.
func (d *Data) UnmarshalJSON(b []byte) error {
	*d = Data{}
	if string(b) == "null" {
		return nil
	}
	if !bytes.HasPrefix(b, []byte(`"`+blobMark)) {
		d.JSON, d.Bytes = bytes.Clone(b), len(b)
		return nil
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	kind, rest, _ := strings.Cut(s[len(blobMark):], ":")
	if kind == "json" {
		d.JSON, d.Bytes = json.RawMessage(rest), len(rest)
		return nil
	}
	sum, rest, _ := strings.Cut(rest, ":")
	size, rest, more := strings.Cut(rest, ":")
	var err error
	if d.Bytes, err = strconv.Atoi(size); err != nil || d.Bytes < 0 || !IsDigest(sum) {
		return errData
	}
	d.SHA256 = sum
	switch kind {
	case "sha256":
		if more {
			return errData
		}
	case "hmac":
		d.Redacted = true
		left, rest, _ := strings.Cut(rest, ":")
		switch {
		case !more:
		case left == "json":
			d.JSON = json.RawMessage(rest)
		case left == "sha256" && IsDigest(rest):
			d.Shown = rest
		default:
			return errData
		}
	default:
		return errData
	}
	return nil
}

// IsDigest reports whether s is a SHA-256 in hexadecimal.
func IsDigest(s string) bool { return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == "" }

// plain reports whether a value can be in a line as it is and be read with the same bytes. It must
// be JSON without white space, not too deep, not null, and not begin with blobMark.
func plain(b []byte) bool {
	if string(b) == "null" || bytes.HasPrefix(b, []byte(`"`+blobMark)) || !utf8.Valid(b) {
		return false
	}
	var c bytes.Buffer
	c.Grow(len(b))
	return json.Compact(&c, b) == nil && bytes.Equal(c.Bytes(), b) && depth(b) <= maxNested
}

// depth returns the nesting depth of JSON.
func depth(b []byte) int {
	most, now, quoted := 0, 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			now++
			most = max(most, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return most
}

// quote returns a JSON string in its shortest spelling.
func quote(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(s) // a string always encodes
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Values are JSON values by name.
type Values map[string]Data

// ValuesOf returns JSON values as Values.
func ValuesOf(m map[string]json.RawMessage) Values {
	if m == nil {
		return nil
	}
	out := Values{}
	for k, v := range m {
		out[k] = Raw(v)
	}
	return out
}

// JSON returns v as JSON, or nil if that is null.
func JSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil || string(b) == "null" {
		return nil
	}
	return b
}
