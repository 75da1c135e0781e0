package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// MaxDocumentBytes bounds a document; the largest known, GitHub's, has 13 MB.
const MaxDocumentBytes = 64 << 20

// document is an OpenAPI document, decoded as far as operations; schemas stay
// as they are until a tool needs them.
type document struct {
	OpenAPI string `json:"openapi"`
	Swagger string `json:"swagger"`
	Info    struct {
		Title       text `json:"title"`
		Version     text `json:"version"` // often written as a number
		Description text `json:"description"`
	} `json:"info"`
	Servers    []docServer                           `json:"servers"`
	Paths      map[string]json.RawMessage            `json:"paths"`
	Components map[string]map[string]json.RawMessage `json:"components"`
}

// text is a string that may also be another value, which then stands for its
// JSON.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, (*string)(t)) != nil {
		*t = text(b)
	}
	return nil
}

type docServer struct {
	URL       string `json:"url"`
	Variables map[string]struct {
		Default string `json:"default"`
	} `json:"variables"`
}

// operation is one method of one path.
type operation struct {
	Ref         string                     `json:"$ref"`
	ID          string                     `json:"operationId"`
	Summary     string                     `json:"summary"`
	Description string                     `json:"description"`
	Tags        []string                   `json:"tags"`
	Deprecated  bool                       `json:"deprecated"`
	Parameters  []json.RawMessage          `json:"parameters"`
	Body        json.RawMessage            `json:"requestBody"`
	Responses   map[string]json.RawMessage `json:"responses"`
}

// parameter is an argument outside of the body.
type parameter struct {
	Name          string               `json:"name"`
	In            string               `json:"in"`
	Description   string               `json:"description"`
	Required      bool                 `json:"required"`
	Style         string               `json:"style"`
	Explode       *bool                `json:"explode"`
	AllowReserved bool                 `json:"allowReserved"`
	Schema        json.RawMessage      `json:"schema"`
	Content       map[string]mediaType `json:"content"`
}

type mediaType struct {
	Schema   json.RawMessage `json:"schema"`
	Encoding map[string]struct {
		ContentType   string `json:"contentType"`
		Style         string `json:"style"`
		Explode       *bool  `json:"explode"`
		AllowReserved *bool  `json:"allowReserved"`
	} `json:"encoding"`
}

// body is a request body or a response.
type body struct {
	Description string               `json:"description"`
	Required    bool                 `json:"required"`
	Content     map[string]mediaType `json:"content"`
}

// decode reads a document.
func decode(data []byte) (*document, error) {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	if len(data) == 0 || data[0] != '{' {
		var err error
		if data, err = jsonOfYAML(data); err != nil {
			return nil, err
		}
	}
	d := &document{}
	err := json.Unmarshal(data, d)
	switch {
	case err != nil:
		return nil, fmt.Errorf("no OpenAPI document: %w", err)
	case d.Swagger != "":
		return nil, fmt.Errorf("swagger %q is not read; convert it to OpenAPI 3", d.Swagger)
	case !strings.HasPrefix(d.OpenAPI, "3."):
		return nil, fmt.Errorf("openapi is %q, want 3.0 or newer", d.OpenAPI)
	case len(d.Paths) == 0:
		return nil, errors.New("no paths; an MCPO server has its documents at /{server}/openapi.json")
	}
	return d, nil
}

// maxRefs bounds a chain of references.
const maxRefs = 32

// follow returns what a value refers to, or the value itself where it is no
// reference. Only references inside the document are followed.
func (d *document) follow(raw json.RawMessage) (json.RawMessage, error) {
	for range maxRefs {
		ref := refOf(raw)
		if ref == "" {
			return raw, nil
		}
		var err error
		if raw, err = d.at(ref); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("references lead in a circle")
}

// refOf returns the reference that an object is, or empty.
func refOf(raw json.RawMessage) string {
	if !bytes.Contains(raw, []byte(`"$ref"`)) {
		return ""
	}
	var r struct {
		Ref string `json:"$ref"`
	}
	if json.Unmarshal(raw, &r) != nil {
		return ""
	}
	return r.Ref
}

// at returns the value that a reference like "#/components/parameters/Page"
// names.
func (d *document) at(ref string) (json.RawMessage, error) {
	pointer, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil, fmt.Errorf("the reference %q leads out of the document, which is not followed", ref)
	}
	parts := strings.Split(pointer, "/")
	for i, p := range parts {
		if u, err := url.PathUnescape(p); err == nil {
			p = u
		}
		parts[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(p)
	}
	missing := fmt.Errorf("the reference %q leads nowhere", ref)
	var value json.RawMessage
	switch {
	case parts[0] == "components" && len(parts) >= 3:
		value, parts = d.Components[parts[1]][parts[2]], parts[3:]
	case parts[0] == "paths" && len(parts) >= 2:
		value, parts = d.Paths[parts[1]], parts[2:]
	default:
		return nil, missing
	}
	for _, p := range parts {
		var err error
		if value, err = child(value, p); err != nil {
			return nil, missing
		}
	}
	if len(value) == 0 {
		return nil, missing
	}
	return value, nil
}

// child returns a member of an object, or an item of a list by its index.
func child(value json.RawMessage, key string) (json.RawMessage, error) {
	var object map[string]json.RawMessage
	if json.Unmarshal(value, &object) == nil {
		return object[key], nil
	}
	var list []json.RawMessage
	var i int
	if _, err := fmt.Sscanf(key, "%d", &i); err != nil || json.Unmarshal(value, &list) != nil || i < 0 || i >= len(list) {
		return nil, errors.New("not there")
	}
	return list[i], nil
}

// into decodes what raw is, or refers to.
func into[T any](d *document, raw json.RawMessage) (T, error) {
	var v T
	raw, err := d.follow(raw)
	if err != nil {
		return v, err
	}
	return v, json.Unmarshal(raw, &v)
}

// base returns the URL of the API: the first of the document's servers, with
// the defaults of its variables, seen from where the document is.
func (d *document) base(from *url.URL) (*url.URL, error) {
	text := "/"
	if len(d.Servers) > 0 {
		text = d.Servers[0].URL
		for name, v := range d.Servers[0].Variables {
			text = strings.ReplaceAll(text, "{"+name+"}", v.Default)
		}
	}
	u, err := url.Parse(text)
	if err == nil && from != nil {
		u = from.ResolveReference(u)
	}
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("the document does not say where its API is (%q); set baseUrl in the config entry", text)
	}
	return u, nil
}
