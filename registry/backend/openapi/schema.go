package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxSchemaBytes bounds the schemas of one tool; what is larger is not told
// of, and the tool takes or returns anything there.
const maxSchemaBytes = 512 << 10

// object is a JSON object that keeps the order of its keys.
type object struct {
	keys   []string
	values map[string]any
}

func newObject() *object { return &object{values: map[string]any{}} }

func (o *object) set(key string, value any) {
	if _, ok := o.values[key]; !ok {
		o.keys = append(o.keys, key)
	}
	o.values[key] = value
}

func (o *object) remove(key string) {
	delete(o.values, key)
	o.keys = slices.DeleteFunc(o.keys, func(k string) bool { return k == key })
}

// MarshalJSON writes the members in their order.
func (o *object) MarshalJSON() ([]byte, error) { return appendJSON(nil, o), nil }

// appendJSON writes what tree has read.
func appendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case *object:
		b = append(b, '{')
		for i, k := range v.keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendText(b, k), ':')
			b = appendJSON(b, v.values[k])
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, item)
		}
		return append(b, ']')
	case string:
		return appendText(b, v)
	case json.Number:
		return append(b, v...)
	case bool:
		return strconv.AppendBool(b, v)
	}
	return append(b, "null"...)
}

// appendText writes a string, and no more escapes than JSON needs.
func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			var w bytes.Buffer
			enc := json.NewEncoder(&w)
			enc.SetEscapeHTML(false)
			enc.Encode(s) // a string is always written
			return append(b, bytes.TrimSuffix(w.Bytes(), []byte("\n"))...)
		}
	}
	b = append(append(b, '"'), s...)
	return append(b, '"')
}

// tree decodes JSON into objects, lists and plain values; numbers keep their
// digits.
func tree(raw json.RawMessage) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return branch(dec, 0)
}

func branch(dec *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		o := newObject()
		for dec.More() {
			key, err := dec.Token()
			if err != nil {
				return nil, err
			}
			value, err := branch(dec, depth+1)
			if err != nil {
				return nil, err
			}
			o.set(key.(string), value) // keys of JSON objects are strings
		}
		_, err = dec.Token()
		return o, err
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			value, err := branch(dec, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err = dec.Token()
		return list, err
	}
	return t, nil
}

// schemas turns the schemas of a document into those of one tool: references
// lead to its own $defs, and what OpenAPI 3.0 says in its own way is said in
// JSON Schema's.
type schemas struct {
	doc *document
	// drop names the properties' mark that leaves them out: readOnly in what a
	// tool takes, writeOnly in what it returns.
	drop  string
	defs  *object
	left  []string // names to be defined
	bytes int      // of what was read
}

var errTooLarge = errors.New("its schemas are too large")

// convert returns the schema as the tool has it.
func (s *schemas) convert(raw json.RawMessage) (any, error) {
	if len(raw) == 0 {
		return newObject(), nil
	}
	if s.bytes += len(raw); s.bytes > maxSchemaBytes {
		return nil, errTooLarge
	}
	v, err := tree(raw)
	if err != nil {
		return nil, err
	}
	return s.schema(v)
}

// finish adds the definitions that the schema refers to.
func (s *schemas) finish(root *object) error {
	for len(s.left) > 0 {
		name := s.left[0]
		s.left = s.left[1:]
		v, err := s.convert(s.doc.Components["schemas"][name])
		if err != nil {
			return err
		}
		s.defs.set(name, v)
	}
	used := newObject()
	s.collect(root, used)
	if len(used.keys) > 0 {
		root.set("$defs", used)
	}
	return nil
}

// collect finds the definitions that a value refers to, and those refer to: a
// body whose properties became arguments is no longer one of them.
func (s *schemas) collect(v any, used *object) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			s.collect(item, used)
		}
	case *object:
		for _, key := range v.keys {
			s.collect(v.values[key], used)
		}
		ref, _ := v.values["$ref"].(string)
		name, ok := strings.CutPrefix(ref, "#/$defs/")
		if _, seen := used.values[name]; ok && !seen && s.defs.values[name] != nil {
			used.set(name, s.defs.values[name])
			s.collect(s.defs.values[name], used)
		}
	}
}

// schema rewrites a schema in place.
func (s *schemas) schema(v any) (any, error) {
	o, ok := v.(*object)
	if !ok {
		if _, ok := v.(bool); ok {
			return v, nil
		}
		return newObject(), nil
	}
	for _, key := range []string{"example", "examples", "xml", "externalDocs", "discriminator"} {
		o.remove(key)
	}
	if ref, ok := o.values["$ref"].(string); ok {
		to, err := s.refer(ref)
		if err != nil || to == "" {
			return newObject(), err
		}
		o.set("$ref", to)
	}
	s.plain30(o)
	if p, ok := o.values["properties"].(*object); ok {
		s.dropMarked(o, p)
	}
	return o, s.inside(o)
}

// inside rewrites the schemas that a schema holds.
func (s *schemas) inside(o *object) error {
	one := func(in *object, key string) error {
		v, err := s.schema(in.values[key])
		in.values[key] = v
		return err
	}
	for _, key := range o.keys {
		switch v := o.values[key]; key {
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			if members, ok := v.(*object); ok {
				for _, name := range members.keys {
					if err := one(members, name); err != nil {
						return err
					}
				}
			}
		case "allOf", "anyOf", "oneOf", "prefixItems":
			list, _ := v.([]any)
			for i := range list {
				var err error
				if list[i], err = s.schema(list[i]); err != nil {
					return err
				}
			}
		case "items", "not", "additionalProperties", "propertyNames", "contains", "if", "then", "else":
			if err := one(o, key); err != nil {
				return err
			}
		}
	}
	return nil
}

// refer returns where a reference leads in the tool's own schema; empty for
// one that leads out of the document's schemas.
func (s *schemas) refer(ref string) (string, error) {
	name, ok := strings.CutPrefix(ref, "#/components/schemas/")
	if !ok || strings.Contains(name, "/") || len(s.doc.Components["schemas"][name]) == 0 {
		return "", nil
	}
	if _, ok := s.defs.values[name]; !ok {
		s.defs.set(name, newObject()) // so that a circle ends here
		s.left = append(s.left, name)
	}
	return "#/$defs/" + name, nil
}

// plain30 says in JSON Schema's way what OpenAPI 3.0 says in its own.
func (s *schemas) plain30(o *object) {
	if nullable, _ := o.values["nullable"].(bool); nullable {
		if t, ok := o.values["type"].(string); ok {
			o.set("type", []any{t, "null"})
		}
		if enum, ok := o.values["enum"].([]any); ok && !slices.Contains(enum, nil) {
			o.set("enum", append(enum, nil))
		}
	}
	o.remove("nullable")
	for _, k := range [][2]string{{"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"}} {
		limit, exclusive := k[0], k[1]
		if on, ok := o.values[exclusive].(bool); ok {
			o.remove(exclusive)
			if v, has := o.values[limit]; on && has {
				o.remove(limit)
				o.set(exclusive, v)
			}
		}
	}
}

// dropMarked leaves out the properties that only go the other way.
func (s *schemas) dropMarked(o, properties *object) {
	for _, name := range slices.Clone(properties.keys) {
		p, ok := properties.values[name].(*object)
		if !ok {
			continue
		}
		if on, _ := p.values[s.drop].(bool); !on {
			continue
		}
		properties.remove(name)
		if required, ok := o.values["required"].([]any); ok {
			o.set("required", slices.DeleteFunc(required, func(r any) bool { return r == any(name) }))
		}
	}
}

// resolved returns the schema that a converted schema is or refers to.
func (s *schemas) resolved(v any) (*object, error) {
	for range maxRefs {
		o, ok := v.(*object)
		if !ok {
			return newObject(), nil
		}
		ref, ok := o.values["$ref"].(string)
		if !ok {
			return o, nil
		}
		name := strings.TrimPrefix(ref, "#/$defs/")
		if slices.Contains(s.left, name) { // not yet converted
			def, err := s.convert(s.doc.Components["schemas"][name])
			if err != nil {
				return nil, err
			}
			s.defs.set(name, def)
			s.left = slices.DeleteFunc(s.left, func(n string) bool { return n == name })
		}
		v = s.defs.values[name]
	}
	return newObject(), nil
}
