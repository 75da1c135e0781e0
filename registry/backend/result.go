package backend

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// Result is the result of a tool call.
type Result struct {
	Content    []Content
	Structured json.RawMessage // structuredContent, exact bytes; nil if absent
	IsError    bool            // the tool failed; Content says why
	Raw        json.RawMessage // the complete result as the server sent it

	value    any // see Value
	valueErr error
}

// Value returns the decoded Structured, or nil if that is empty. It is decoded once; do not
// change it.
func (r *Result) Value() (any, error) {
	if r.value == nil && r.valueErr == nil && len(r.Structured) > 0 {
		r.valueErr = json.Unmarshal(r.Structured, &r.value)
	}
	return r.value, r.valueErr
}

// Content is one block of a result.
type Content struct {
	// Type is text, image, audio, resource, resource_link, or another name from the server.
	Type     string
	Text     string // of text and text resources; for an unknown type, the block's JSON
	MIMEType string
	Data     []byte // of images, audio and binary resources; nil if it was not base64
	URI      string // of resources and links
}

// Text returns the texts of the result's content, separated by newlines.
func (r *Result) Text() string {
	var texts []string
	for _, c := range r.Content {
		if c.Text != "" && (c.Type == "text" || c.Type == "resource") {
			texts = append(texts, c.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// block is a content block of any type, as in a message.
type block struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Data     string `json:"data"`
	MIMEType string `json:"mimeType"`
	URI      string `json:"uri"`
	Name     string `json:"name"`
	Resource *struct {
		URI      string `json:"uri"`
		MIMEType string `json:"mimeType"`
		Text     string `json:"text"`
		Blob     string `json:"blob"`
	} `json:"resource"`
}

// DecodeResult decodes the result of a tools/call. It returns an error only if raw is not a JSON
// object. A malformed block of content becomes a block of its type, or of type "unknown", with
// its JSON as text. Invalid UTF-8 is replaced; all other bytes are kept.
func DecodeResult(raw json.RawMessage) (*Result, error) {
	if !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, []byte("\ufffd"))
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil || fields == nil {
		return nil, errors.New("the result is not a JSON object")
	}
	r := &Result{Raw: bytes.TrimSpace(raw)}
	if s := fields["structuredContent"]; len(s) > 0 && string(s) != "null" {
		r.Structured = s
	}
	var isError bool
	if json.Unmarshal(fields["isError"], &isError) == nil {
		r.IsError = isError
	}
	var blocks []json.RawMessage
	if json.Unmarshal(fields["content"], &blocks) != nil && len(fields["content"]) > 0 {
		blocks = []json.RawMessage{fields["content"]} // a single block, or something else
	}
	for _, b := range blocks {
		r.Content = append(r.Content, decodeBlock(b))
	}
	return r, nil
}

func decodeBlock(raw json.RawMessage) Content {
	var b block
	err := json.Unmarshal(raw, &b)
	c := Content{Type: b.Type, Text: b.Text, MIMEType: b.MIMEType, URI: b.URI}
	switch {
	case err != nil:
		c = Content{Type: b.Type, Text: string(raw)}
	case b.Type == "text":
	case b.Type == "image", b.Type == "audio":
		c.Data = decodeBase64(b.Data)
	case b.Type == "resource" && b.Resource != nil:
		c.URI, c.MIMEType, c.Text = b.Resource.URI, b.Resource.MIMEType, b.Resource.Text
		c.Data = decodeBase64(b.Resource.Blob)
	case b.Type == "resource_link":
		c.Text = b.Name
	default:
		c.Text = string(raw)
	}
	if c.Type == "" {
		c.Type = "unknown"
	}
	return c
}

// decodeBase64 decodes standard and URL alphabets, padded or not, also after the head of a data:
// URL. It returns nil for other text.
func decodeBase64(s string) []byte {
	if s == "" {
		return nil
	}
	if strings.HasPrefix(s, "data:") {
		_, s, _ = strings.Cut(s, ",")
	}
	s = strings.TrimRight(s, "=")
	enc := base64.RawStdEncoding
	if strings.ContainsAny(s, "-_") {
		enc = base64.RawURLEncoding
	}
	data, err := enc.DecodeString(s)
	if err != nil {
		return nil
	}
	return data
}
