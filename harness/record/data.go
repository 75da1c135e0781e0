package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Data is a JSON value of a line, or where it is kept when it is large or not
// kept at all.
type Data struct {
	JSON json.RawMessage // nil: see the others; or there is none
	// SHA256 is the digest of a value that stands beside the record, in
	// hexadecimal, or of one that was Redacted, keyed with the store's key.
	SHA256   string
	Bytes    int
	Redacted bool // it is not kept
}

// String is a text as Data.
func String(s string) Data {
	b, _ := json.Marshal(s) // what is no UTF-8 becomes U+FFFD
	return Data{JSON: b, Bytes: len(b)}
}

// Raw is JSON as Data.
func Raw(raw json.RawMessage) Data { return Data{JSON: raw, Bytes: len(raw)} }

// IsZero reports whether there is no value.
func (d Data) IsZero() bool { return d.JSON == nil && d.SHA256 == "" }

// Text is the text of a JSON string, "" for anything else.
func (d Data) Text() string {
	var s string
	json.Unmarshal(d.JSON, &s)
	return s
}

// blobMark begins the JSON string that stands in a line for a value that is not
// in it; a text that begins so is never in it.
const blobMark = "blob:"

// MarshalJSON implements json.Marshaler: the value itself, or
// "blob:sha256:HEX:BYTES" for one beside the record, "blob:hmac:HEX:BYTES" for one
// that was not kept.
func (d Data) MarshalJSON() ([]byte, error) {
	switch {
	case d.SHA256 != "" && d.Redacted:
		return fmt.Appendf(nil, `"%shmac:%s:%d"`, blobMark, d.SHA256, d.Bytes), nil
	case d.SHA256 != "":
		return fmt.Appendf(nil, `"%ssha256:%s:%d"`, blobMark, d.SHA256, d.Bytes), nil
	case d.JSON == nil:
		return []byte("null"), nil
	}
	return d.JSON, nil
}

var errData = errors.New("a value that stands beside the record is named wrongly")

// UnmarshalJSON implements json.Unmarshaler.
func (d *Data) UnmarshalJSON(b []byte) error {
	*d = Data{}
	if string(b) == "null" {
		return nil
	}
	if !strings.HasPrefix(string(b), `"`+blobMark) {
		d.JSON, d.Bytes = append(json.RawMessage(nil), b...), len(b)
		return nil
	}
	kind, rest, _ := strings.Cut(strings.Trim(string(b), `"`)[len(blobMark):], ":")
	sum, size, _ := strings.Cut(rest, ":")
	if len(sum) != 64 || strings.Trim(sum, "0123456789abcdef") != "" || kind != "sha256" && kind != "hmac" {
		return errData
	}
	if _, err := fmt.Sscanf(size, "%d", &d.Bytes); err != nil || d.Bytes < 0 {
		return errData
	}
	d.SHA256, d.Redacted = sum, kind == "hmac"
	return nil
}

// Values are JSON values by name.
type Values map[string]Data
