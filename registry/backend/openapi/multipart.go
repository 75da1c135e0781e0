package openapi

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"mime/multipart"
	"net/textproto"
	"slices"
	"strings"
)

const multipartType = "multipart/form-data"

// part is how a property of a multipart body is sent.
type part struct {
	file        bool   // bytes, which the argument holds as base64
	contentType string // empty: as the value suggests
}

// isBytes reports whether a schema stands for bytes, as OpenAPI 3.0 and 3.1
// write it.
func isBytes(o *object) bool {
	kind, _ := o.values["type"].(string)
	_, encoded := o.values["contentEncoding"]
	_, media := o.values["contentMediaType"]
	return o.values["format"] == "binary" || !encoded && media && (kind == "" || kind == "string")
}

// base64Schema is the schema of bytes as an argument.
func base64Schema(o *object) *object {
	out := newObject()
	out.set("type", "string")
	out.set("contentEncoding", "base64")
	text, _ := o.values["description"].(string)
	out.set("description", strings.TrimSpace(text+" (its bytes, as base64)"))
	return out
}

// parts finds out how the properties of a multipart body are sent, and makes
// those that are bytes text.
func (s *schemas) parts(members *object, media mediaType) (map[string]part, error) {
	out := map[string]part{}
	for _, k := range members.keys {
		p := part{contentType: media.Encoding[k].ContentType}
		if strings.ContainsAny(p.contentType, ",*") { // a choice
			p.contentType = ""
		}
		o, err := s.resolved(members.values[k])
		if err != nil {
			return nil, err
		}
		if items, ok := o.values["items"]; ok && o.values["type"] == "array" {
			item, err := s.resolved(items)
			if err != nil {
				return nil, err
			}
			if isBytes(item) {
				p.file = true
				list := copyOf(o)
				list.set("items", base64Schema(item))
				members.set(k, list)
			}
		} else if isBytes(o) {
			p.file = true
			members.set(k, base64Schema(o))
		}
		out[k] = p
	}
	return out, nil
}

// multipartBody writes arguments as the parts of a body.
func multipartBody(args map[string]json.RawMessage, how map[string]part) (data []byte, contentType string, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(args)) {
		values := []json.RawMessage{args[name]}
		if args[name][0] == '[' && json.Unmarshal(args[name], &values) != nil {
			return nil, "", fmt.Errorf("the argument %q is no list", name)
		}
		for _, v := range values {
			if err := how[name].write(w, name, v); err != nil {
				return nil, "", err
			}
		}
	}
	if err := w.Close(); err != nil {
		return nil, "", err
	}
	return b.Bytes(), w.FormDataContentType(), nil
}

// write writes one value as a part.
func (p part) write(w *multipart.Writer, name string, v json.RawMessage) error {
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r", "%0D", "\n", "%0A").Replace(name)
	disposition, kind := fmt.Sprintf(`form-data; name="%s"`, quoted), p.contentType
	var data []byte
	switch {
	case p.file:
		var err error
		if data, err = unbase64(name, v); err != nil {
			return err
		}
		disposition += fmt.Sprintf(`; filename="%s"`, quoted)
		if kind == "" {
			kind = "application/octet-stream"
		}
	case v[0] == '{' || v[0] == '[':
		data = v
		if kind == "" {
			kind = "application/json"
		}
	default:
		text, err := plain(name, v)
		if err != nil {
			return err
		}
		data = []byte(text)
	}
	header := textproto.MIMEHeader{"Content-Disposition": {disposition}}
	if kind != "" {
		header.Set("Content-Type", kind)
	}
	to, err := w.CreatePart(header)
	if err == nil {
		_, err = to.Write(data)
	}
	return err
}

// unbase64 returns the bytes that an argument holds.
func unbase64(name string, v json.RawMessage) ([]byte, error) {
	var text string
	if err := json.Unmarshal(v, &text); err != nil {
		return nil, fmt.Errorf("the argument %q is no text", name)
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("the argument %q is no base64: encode the bytes with base64.StdEncoding", name)
	}
	return data, nil
}
