package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/usetools/usetools/registry/jsontree"
)

// document is an OpenAPI document. It is decoded down to paths; the rest is decoded when a tool
// needs it.
type document struct {
	OpenAPI string `json:"openapi"`
	Info    struct {
		Title       looseString `json:"title"`
		Version     looseString `json:"version"` // often written as a number
		Description looseString `json:"description"`
	} `json:"info"`
	Servers []docServer                `json:"servers"`
	Paths   map[string]json.RawMessage `json:"paths"`
	swagger

	files   *files
	objects map[string]map[string]json.RawMessage // resolved references: the objects on their way, by reference
	trees   map[string]*jsontree.Value            // resolved references: schemas, by reference
}

// looseString is a string, or the JSON of another value.
type looseString string

func (t *looseString) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, (*string)(t)) != nil {
		*t = looseString(b)
	}
	return nil
}

type docServer struct {
	URL       string `json:"url"`
	Variables map[string]struct {
		Default string `json:"default"`
	} `json:"variables"`
}

// operation is one method of a path.
type operation struct {
	ID          string                     `json:"operationId"`
	Summary     string                     `json:"summary"`
	Description string                     `json:"description"`
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
	Style         string               `json:"style,omitempty"`
	Explode       *bool                `json:"explode,omitempty"`
	AllowReserved bool                 `json:"allowReserved,omitempty"`
	Schema        json.RawMessage      `json:"schema,omitempty"`
	Content       map[string]mediaType `json:"content,omitempty"`
}

type mediaType struct {
	Schema   json.RawMessage     `json:"schema,omitempty"`
	Encoding map[string]encoding `json:"encoding,omitempty"`
}

type encoding struct {
	ContentType   string `json:"contentType,omitempty"`
	Style         string `json:"style,omitempty"`
	Explode       *bool  `json:"explode,omitempty"`
	AllowReserved *bool  `json:"allowReserved,omitempty"`
}

// body is a request body or a response.
type body struct {
	Description string               `json:"description"`
	Required    bool                 `json:"required"`
	Content     map[string]mediaType `json:"content"`
}

// decode decodes a document.
func decode(data []byte, f *files) (*document, error) {
	raw, err := f.add("", data)
	if err != nil {
		return nil, err
	}
	d := &document{files: f, objects: map[string]map[string]json.RawMessage{}, trees: map[string]*jsontree.Value{}}
	err = json.Unmarshal(raw, d)
	switch {
	case err != nil:
		return nil, fmt.Errorf("no OpenAPI document: %w", err)
	case d.Swagger != "" && string(d.Swagger) != "2.0":
		return nil, fmt.Errorf("swagger is %q, want 2.0", d.Swagger)
	case d.Swagger == "" && !strings.HasPrefix(d.OpenAPI, "3."):
		return nil, fmt.Errorf("openapi is %q, want 3.0 or newer", d.OpenAPI)
	case len(d.Paths) == 0:
		return nil, errors.New("no paths; an MCPO server has its documents at /{server}/openapi.json")
	}
	if d.Swagger != "" {
		d.Servers = d.swagger.servers()
	}
	return d, nil
}

// maxRefs bounds a chain of references.
const maxRefs = 32

// follow returns the target of a reference. It returns other values unchanged.
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

// refOf returns the reference of an object, or "".
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

// at returns the value of a reference like "#/components/parameters/Page" or
// "parameters.yaml#/Page".
func (d *document) at(ref string) (json.RawMessage, error) {
	fail := func(err error) (json.RawMessage, error) {
		return nil, fmt.Errorf("the reference %.300q is not followed: %w", strings.TrimSuffix(ref, "#"), err)
	}
	key, pointer, _ := strings.Cut(ref, "#")
	value, err := d.files.file(key)
	if err != nil {
		return fail(err)
	}
	nowhere := errors.New("it leads nowhere")
	if pointer == "" {
		return value, nil
	}
	if pointer[0] != '/' {
		return fail(nowhere)
	}
	place := key + "#"
	for part := range strings.SplitSeq(pointer[1:], "/") {
		object, ok := d.objects[place]
		if !ok && json.Unmarshal(value, &object) == nil {
			d.objects[place] = object
		}
		if u, err := url.PathUnescape(part); err == nil {
			part = u
		}
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		if object != nil {
			value = object[part]
		} else if value = item(value, part); value == nil {
			return fail(nowhere)
		}
		place += "/" + part
	}
	if len(value) == 0 {
		return fail(nowhere)
	}
	return value, nil
}

// item returns an item of a list, or nil.
func item(value json.RawMessage, index string) json.RawMessage {
	var list []json.RawMessage
	i, err := strconv.Atoi(index)
	if err != nil || json.Unmarshal(value, &list) != nil || i < 0 || i >= len(list) {
		return nil
	}
	return list[i]
}

// into decodes raw, or the value that it refers to.
func into[T any](d *document, raw json.RawMessage) (T, error) {
	var v T
	raw, err := d.follow(raw)
	if err != nil {
		return v, err
	}
	return v, json.Unmarshal(raw, &v)
}

// server returns the URL of the API as the document has it: the first of its servers, with the
// defaults of its variables.
func (d *document) server() string {
	if len(d.Servers) == 0 {
		return "/"
	}
	text := d.Servers[0].URL
	for name, v := range d.Servers[0].Variables {
		text = strings.ReplaceAll(text, "{"+name+"}", v.Default)
	}
	return text
}
