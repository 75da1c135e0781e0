package openapi

import (
	"bytes"
	"cmp"
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

// part is how a property of a form or a multipart body is sent.
type part struct {
	File        bool   `json:"file,omitempty"`        // bytes, which the argument holds as base64
	ContentType string `json:"contentType,omitempty"` // empty: as the value suggests
	Style       *style `json:"style,omitempty"`       // nil: by its content type
}

// items are what is sent under one name one after the other: those of a list
// without the nulls, or the value itself.
func items(v any) []any {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	return slices.DeleteFunc(list, func(item any) bool { return item == nil })
}

// style is how a value of a form is written.
func (p part) style(v any) style {
	if p.Style != nil {
		return *p.Style
	}
	switch v.(type) {
	case []any, *object:
		return style{Media: cmp.Or(p.ContentType, "application/json")}
	}
	return style{Media: cmp.Or(p.ContentType, "text/plain")}
}

// encodings are how the properties of a body are sent that its media type says
// something of. Style, explode and allowReserved go before the content type.
func (m mediaType) encodings() (map[string]part, error) {
	out := map[string]part{}
	for name, e := range m.Encoding {
		p := part{ContentType: e.ContentType}
		if strings.ContainsAny(p.ContentType, ",*") { // a choice
			p.ContentType = ""
		}
		if e.Style != "" || e.Explode != nil || e.AllowReserved != nil {
			s, err := newStyle("query", e.Style, e.Explode, e.AllowReserved != nil && *e.AllowReserved)
			if err != nil {
				return nil, fmt.Errorf("the property %q of its body has %w", name, err)
			}
			p = part{Style: &s}
		}
		out[name] = p
	}
	return out, nil
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

// files makes text of the properties of a multipart body that are bytes, and
// marks them.
func (s *schemas) files(members *object, parts map[string]part) error {
	for _, k := range members.keys {
		o, err := s.resolved(members.values[k])
		if err != nil {
			return err
		}
		p := parts[k]
		if items, ok := o.values["items"]; ok && o.values["type"] == "array" {
			item, err := s.resolved(items)
			if err != nil {
				return err
			}
			if p.File = isBytes(item); p.File {
				list := copyOf(o)
				list.set("items", base64Schema(item))
				members.set(k, list)
			}
		} else if p.File = isBytes(o); p.File {
			members.set(k, base64Schema(o))
		}
		if p != (part{}) {
			parts[k] = p
		}
	}
	return nil
}

// multipartBody writes arguments as the parts of a body.
func multipartBody(args map[string]json.RawMessage, how map[string]part) (data []byte, contentType string, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(args)) {
		v, err := tree(args[name])
		if err != nil {
			return nil, "", fmt.Errorf("the argument %q: %w", name, err)
		}
		p := how[name]
		if p.Style != nil && !p.File {
			pairs, err := p.Style.pairs(name, v, func(s string) string { return s })
			if err != nil {
				return nil, "", fmt.Errorf("the argument %q %w", name, err)
			}
			for _, pair := range pairs {
				if err := (part{}).write(w, pair.name, pair.value); err != nil {
					return nil, "", err
				}
			}
			continue
		}
		for _, v := range items(v) {
			if err := p.write(w, name, v); err != nil {
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
func (p part) write(w *multipart.Writer, name string, v any) error {
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r", "%0D", "\n", "%0A").Replace(name)
	disposition, kind := fmt.Sprintf(`form-data; name="%s"`, quoted), p.ContentType
	var data []byte
	if p.File {
		text, ok := v.(string)
		if !ok {
			return fmt.Errorf("the argument %q is no text", name)
		}
		var err error
		if data, err = unbase64(name, text); err != nil {
			return err
		}
		disposition += fmt.Sprintf(`; filename="%s"`, quoted)
		kind = cmp.Or(kind, "application/octet-stream")
	} else {
		if _, err := scalar(v); err != nil {
			kind = cmp.Or(kind, "application/json")
		}
		text, err := asMedia(cmp.Or(kind, "text/plain"), v)
		if err != nil {
			return fmt.Errorf("the argument %q %w", name, err)
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
func unbase64(name, text string) ([]byte, error) {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("the argument %q is no base64: encode the bytes with base64.StdEncoding", name)
	}
	return data, nil
}
