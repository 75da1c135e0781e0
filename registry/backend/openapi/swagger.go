package openapi

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/usetools/usetools/registry/jsontree"
)

// swagger has the parts of a Swagger 2.0 document for all operations. Its operations are
// converted to the form of OpenAPI 3. Its references need no conversion, because references can
// have any target.
type swagger struct {
	Swagger  looseString `json:"swagger"`
	Host     string      `json:"host"`
	BasePath string      `json:"basePath"`
	Schemes  []string    `json:"schemes"`
	Consumes []string    `json:"consumes"`
	Produces []string    `json:"produces"`
}

// servers returns the address of the API. Without schemes, it has the document's scheme.
func (s *swagger) servers() []docServer {
	base := s.BasePath
	if base == "" || base[0] != '/' {
		base = "/" + base
	}
	if s.Host == "" {
		return []docServer{{URL: base}}
	}
	scheme := ""
	for _, want := range []string{"https", "http"} {
		if scheme == "" && slices.Contains(s.Schemes, want) {
			scheme = want + ":"
		}
	}
	return []docServer{{URL: scheme + "//" + s.Host + base}}
}

// parameter2 is a parameter of Swagger 2.0. Except in the body, the keys that are not listed here
// are its schema.
type parameter2 struct {
	parameter
	Type       string `json:"type"`
	Collection string `json:"collectionFormat"`
}

// operation decodes an operation. Parameters of its path follow its own.
func (d *document) operation(raw, shared json.RawMessage) (*operation, error) {
	op := &operation{}
	if err := json.Unmarshal(raw, op); err != nil {
		return nil, err
	}
	if len(shared) > 0 {
		var more []json.RawMessage
		if err := json.Unmarshal(shared, &more); err != nil {
			return nil, err
		}
		op.Parameters = append(op.Parameters, more...)
	}
	if d.Swagger == "" {
		return op, nil
	}
	kinds := struct {
		Consumes, Produces []string
	}{d.Consumes, d.Produces}
	if err := json.Unmarshal(raw, &kinds); err != nil {
		return nil, err
	}
	if err := d.parameters2(op, kinds.Consumes); err != nil {
		return nil, err
	}
	for status, raw := range op.Responses {
		r, err := into[struct {
			Schema json.RawMessage `json:"schema"`
		}](d, raw)
		if err != nil {
			return nil, fmt.Errorf("its response %s: %w", status, err)
		}
		b := body{}
		if len(r.Schema) > 0 {
			b.Content = contents(kinds.Produces, mediaType{Schema: r.Schema})
		}
		if op.Responses[status], err = json.Marshal(b); err != nil {
			return nil, err
		}
	}
	return op, nil
}

// contents returns a body with the given content types, or JSON without any.
func contents(kinds []string, m mediaType) map[string]mediaType {
	if len(kinds) == 0 {
		kinds = []string{"application/json"}
	}
	out := map[string]mediaType{}
	for _, kind := range kinds {
		out[kind] = m
	}
	return out
}

// parameters2 converts an operation's parameters to those of OpenAPI 3, and makes a body of those
// in one.
func (d *document) parameters2(op *operation, consumes []string) error {
	var kept []json.RawMessage
	var combined *body
	fields, required, encodings, file := jsontree.NewObject(), jsontree.NewList(), map[string]encoding{}, false
	seen := map[[2]string]bool{}
	for _, raw := range op.Parameters {
		raw, err := d.follow(raw)
		if err != nil {
			return fmt.Errorf("a parameter: %w", err)
		}
		var p parameter2
		if err := json.Unmarshal(raw, &p); err != nil {
			return fmt.Errorf("a parameter: %w", err)
		}
		key := [2]string{p.In, p.Name}
		if seen[key] {
			continue
		}
		seen[key] = true
		if p.In == "body" {
			content := contents(consumes, mediaType{Schema: p.Schema})
			combined = &body{Description: p.Description, Required: p.Required, Content: content}
			continue
		}
		schema, err := tree(raw)
		if err != nil {
			return err
		}
		for _, key := range []string{"name", "in", "required", "collectionFormat", "allowEmptyValue"} {
			schema.Remove(key)
		}
		style, explode := collection(p.In, p.Collection)
		if p.In == "formData" {
			fields.Set(p.Name, schema)
			if p.Required {
				required.Items = append(required.Items, jsontree.NewString(p.Name))
			}
			if file = file || p.Type == "file"; p.Type == "array" {
				encodings[p.Name] = encoding{Style: style, Explode: &explode}
			}
			continue
		}
		p.Style, p.Explode, p.Schema = style, &explode, json.RawMessage(schema.JSON())
		if raw, err = json.Marshal(p.parameter); err != nil {
			return err
		}
		kept = append(kept, raw)
	}
	op.Parameters = kept
	if combined == nil && len(fields.Keys) > 0 {
		schema := jsontree.NewObject().Set("type", jsontree.NewString("object")).Set("properties", fields).Set("required", required)
		kind := formType
		if file || slices.Contains(consumes, multipartType) && !slices.Contains(consumes, formType) {
			kind = multipartType
		}
		combined = &body{Required: len(required.Items) > 0, Content: map[string]mediaType{
			kind: {Schema: json.RawMessage(schema.JSON()), Encoding: encodings}}}
	}
	if combined == nil {
		return nil
	}
	var err error
	op.Body, err = json.Marshal(combined)
	return err
}

// collection returns the style of a collectionFormat.
func collection(in, format string) (style string, explode bool) {
	switch {
	case format == "multi":
		return "form", true
	case in == "path" || in == "header":
		return "simple", false
	case format == "ssv":
		return "spaceDelimited", false
	case format == "pipes":
		return "pipeDelimited", false
	case format == "tsv":
		return tabs, false
	}
	return "form", false
}
