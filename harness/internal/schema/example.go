package schema

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Limits of an example: nesting, and the total number of values.
const (
	exampleDepth  = 12
	exampleValues = 500
)

// Example returns a value that matches a JSON Schema: its default or example if it has one, the
// first of several choices, every property, one element of a list. It returns nil if the schema
// cannot be read.
func Example(raw json.RawMessage) json.RawMessage {
	var s jsonschema.Schema
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return nil
	}
	e := &example{root: &s}
	out, err := json.Marshal(e.value(&s, 0))
	if err != nil {
		return nil
	}
	return out
}

type example struct {
	root   *jsonschema.Schema
	values int
}

func (e *example) value(s *jsonschema.Schema, depth int) any {
	e.values++
	if s == nil || depth > exampleDepth || e.values > exampleValues {
		return nil
	}
	switch {
	case s.Ref != "":
		return e.value(e.find(s.Ref), depth+1)
	case s.Const != nil:
		return *s.Const
	case s.Default != nil:
		return s.Default
	case len(s.Examples) > 0:
		return s.Examples[0]
	case len(s.Enum) > 0:
		return s.Enum[0]
	}
	for _, choice := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf, s.AllOf} {
		for _, c := range choice {
			if c != nil && c.Type != "null" {
				return e.value(c, depth+1)
			}
		}
	}
	kind := s.Type
	for _, t := range s.Types {
		if kind == "" && t != "null" {
			kind = t
		}
	}
	switch {
	case kind == "object", kind == "" && s.Properties != nil:
		m := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			m[name] = e.value(s.Properties[name], depth+1)
		}
		return m
	case kind == "array":
		least := 1
		if s.MinItems != nil {
			least = min(max(*s.MinItems, 1), 10)
		}
		list := []any{}
		for range least {
			list = append(list, e.value(s.Items, depth+1))
		}
		return list
	case kind == "string":
		return exampleText(s)
	case kind == "integer":
		return math.Ceil(exampleNumber(s))
	case kind == "number":
		return exampleNumber(s)
	case kind == "boolean":
		return true
	}
	return nil
}

// find returns the part of the document that a reference points to, or nil.
func (e *example) find(ref string) *jsonschema.Schema {
	at := e.root
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i := 0; path != "" && i < len(parts) && at != nil; i++ {
		name := func() string {
			if i++; i < len(parts) {
				return strings.NewReplacer("~1", "/", "~0", "~").Replace(parts[i])
			}
			return ""
		}
		switch parts[i] {
		case "$defs":
			at = at.Defs[name()]
		case "definitions":
			at = at.Definitions[name()]
		case "properties":
			at = at.Properties[name()]
		case "items":
			at = at.Items
		default:
			return nil
		}
	}
	return at
}

// formats are example texts for the formats in schemas.
var formats = map[string]string{
	"date-time": "2026-01-01T00:00:00Z", "date": "2026-01-01", "time": "00:00:00Z", "email": "somebody@example.com", //english:allow an example address
	"uri": "https://example.com/", "url": "https://example.com/", "hostname": "example.com", "ipv4": "192.0.2.1",
	"ipv6": "2001:db8::1", "uuid": "00000000-0000-4000-8000-000000000000",
}

func exampleText(s *jsonschema.Schema) string {
	v, ok := formats[s.Format]
	if !ok {
		v = "text"
	}
	if s.MinLength != nil && *s.MinLength < 1000 {
		v += strings.Repeat("x", max(0, *s.MinLength-len(v)))
	}
	if s.MaxLength != nil && *s.MaxLength < len(v) {
		v = v[:max(0, *s.MaxLength)]
	}
	return v
}

func exampleNumber(s *jsonschema.Schema) float64 {
	v := 1.0
	if s.Minimum != nil {
		v = max(v, *s.Minimum)
	}
	if s.ExclusiveMinimum != nil {
		v = max(v, *s.ExclusiveMinimum+1)
	}
	if s.Maximum != nil {
		v = min(v, *s.Maximum)
	}
	if s.ExclusiveMaximum != nil && v >= *s.ExclusiveMaximum {
		v = *s.ExclusiveMaximum - 1
	}
	return v
}
