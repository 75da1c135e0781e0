package discovery

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/usetools/usetools/registry/jsontree"
)

// maxProperties bounds the parameter names that are read per tool.
const maxProperties = 1000

// maxPropertyTexts bounds the descriptions of parameters that are read per tool, in bytes.
const maxPropertyTexts = 8000

// properties returns the sorted names of a JSON Schema's top-level properties, and the
// title, description and enumerated values of each as JSON.
func properties(schema []byte) (names, values []string) {
	var s struct {
		Properties map[string]struct{ Title, Description, Enum json.RawMessage }
	}
	_ = json.Unmarshal(schema, &s) // a property may be true, and a schema any JSON
	names = slices.Sorted(maps.Keys(s.Properties))
	names = names[:min(len(names), maxProperties)]
	left := maxPropertyTexts
	for _, name := range names {
		p := s.Properties[name]
		text := bytes.Join([][]byte{p.Title, p.Description, p.Enum}, []byte("\n"))
		text = text[:min(len(text), left)]
		left -= len(text)
		values = append(values, string(text))
	}
	return names, values
}

// propertyNames returns the names of a JSON Schema's top-level properties, in the
// order of the document.
func propertyNames(schema []byte) []string {
	var s map[string]json.RawMessage
	_ = json.Unmarshal(schema, &s)
	var names []string
	jsontree.Members(s["properties"], func(name string, _ *jsontree.Value) bool {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		return len(names) < maxProperties
	})
	return names
}
