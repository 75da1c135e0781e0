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

	"github.com/usetools/usetools/registry/jsontree"
)

const multipartType = "multipart/form-data"

// part says how a property of a form or a multipart body is sent.
type part struct {
	File        bool   `json:"file,omitempty"`        // bytes, as base64 in the argument
	ContentType string `json:"contentType,omitempty"` // if empty, it depends on the value
	Style       *style `json:"style,omitempty"`       // if nil, it depends on the content type
}

// items returns the values to send under one name: those of a list without nulls, or the value
// itself.
func items(v *jsontree.Value) []*jsontree.Value {
	list := []*jsontree.Value{v}
	if v.Kind == jsontree.List {
		list = v.Items
	}
	return slices.DeleteFunc(list, isNull)
}

// style returns the style of a value in a form.
func (p part) style(v *jsontree.Value) style {
	if p.Style != nil {
		return *p.Style
	}
	if v.Kind == jsontree.List || v.Kind == jsontree.Object {
		return style{Media: cmp.Or(p.ContentType, "application/json")}
	}
	return style{Media: cmp.Or(p.ContentType, "text/plain")}
}

// encodings returns how to send the properties that the media type describes. Style, explode and
// allowReserved precede the content type.
func (m mediaType) encodings() (map[string]part, error) {
	out := map[string]part{}
	for name, e := range m.Encoding {
		p := part{ContentType: e.ContentType}
		if strings.ContainsAny(p.ContentType, ",*") { // a choice of types
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

// isBytes reports whether a schema describes bytes, as in OpenAPI 3.0 or 3.1.
func isBytes(o *jsontree.Value) bool {
	kind, encoded, media := o.Str("type"), o.Get("contentEncoding") != nil, o.Get("contentMediaType") != nil
	return o.Str("format") == "binary" || !encoded && media && (kind == "" || kind == "string")
}

// base64Schema returns the schema of bytes as an argument.
func base64Schema(o *jsontree.Value) *jsontree.Value {
	return jsontree.NewObject().Set("type", jsontree.NewString("string")).Set("contentEncoding", jsontree.NewString("base64")).
		Set("description", jsontree.NewString(strings.TrimSpace(o.Str("description")+" (its bytes, as base64)")))
}

// files turns the bytes among the properties of a multipart body into text, and marks them.
func (s *schemas) files(members *jsontree.Value, parts map[string]part) error {
	for i, k := range members.Keys {
		o, err := s.resolved(members.Items[i])
		if err != nil {
			return err
		}
		p := parts[k]
		if items := o.Get("items"); items != nil && o.Str("type") == "array" {
			item, err := s.resolved(items)
			if err != nil {
				return err
			}
			if p.File = isBytes(item); p.File {
				members.Set(k, copyOf(o).Set("items", base64Schema(item)))
			}
		} else if p.File = isBytes(o); p.File {
			members.Set(k, base64Schema(o))
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
				if err := (part{}).write(w, pair.name, jsontree.NewString(pair.value)); err != nil {
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

// write writes a value as a part.
func (p part) write(w *multipart.Writer, name string, v *jsontree.Value) error {
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r", "%0D", "\n", "%0A").Replace(name)
	disposition, kind := fmt.Sprintf(`form-data; name="%s"`, quoted), p.ContentType
	var data []byte
	if p.File {
		if v.Kind != jsontree.String {
			return fmt.Errorf("the argument %q is not a text", name)
		}
		var err error
		if data, err = unbase64(name, v.Text); err != nil {
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

// unbase64 returns the bytes in an argument.
func unbase64(name, text string) ([]byte, error) {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("the argument %q is not base64: encode the bytes with base64.StdEncoding", name)
	}
	return data, nil
}
