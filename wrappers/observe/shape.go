package observe

import (
	"encoding/json"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"unicode"
)

// A shape describes the values at one place.
type shape struct {
	// Types are the JSON types seen, one letter each, in this order: o object, a array, s string,
	// i integer, f other number, b boolean, n null.
	Types string `json:"types,omitempty"`
	// Count is how many objects were seen here. A property that all of them have is required.
	Count  int               `json:"count,omitempty"`
	Fields map[string]*field `json:"fields,omitempty"`
	// Items is the shape of an array's items, or of the values of an object with data as keys
	// (Map).
	Items *shape `json:"items,omitempty"`
	Map   bool   `json:"map,omitempty"`
	// Size is the greatest length of a string in bytes or of an array in items, rounded up to a
	// power of two.
	Size int `json:"size,omitempty"`
}

// field is a property and how many objects had it.
type field struct {
	Shape *shape `json:"shape"`
	Count int    `json:"count"`
}

const (
	maxDepth  = 12  // of analysed nesting
	maxFields = 64  // of an object; with more it becomes a map
	maxNodes  = 500 // shapes of one tool
	maxItems  = 200 // of an array that are analysed
	maxName   = 40  // bytes of a property name; longer ones are data
	// uniform is the number of properties with the same shape above which their names count as
	// data.
	uniform = 12
)

const letters = "oasifbn"

// merger adds values to a shape.
type merger struct {
	nodes        int
	grew         bool // something new was seen
	contradicted bool // something new contradicts the shape
}

func (m *merger) add(s *shape, v any, depth int) {
	t := typeOf(v)
	if !strings.Contains(s.Types, t) {
		m.note(s.Types, t)
		s.Types = inOrder(s.Types + t)
	}
	switch v := v.(type) {
	case string:
		s.grow(len(v))
	case []any:
		s.grow(len(v))
		for _, x := range v[:min(len(v), maxItems)] {
			if item := m.items(s, depth); item != nil {
				m.add(item, x, depth+1)
			}
		}
	case map[string]any:
		m.object(s, v, depth)
	}
}

// note records a new type at a place.
func (m *merger) note(before, t string) {
	m.grew = true
	known := strings.Trim(before, "n")
	number := (known == "i" || known == "f") && (t == "i" || t == "f")
	if known != "" && t != "n" && !number {
		m.contradicted = true
	}
}

func (s *shape) grow(n int) {
	if n > s.Size {
		s.Size = 1 << bits.Len(uint(n-1))
	}
}

// items returns the shape of a place's items, or nil if a limit is reached.
func (m *merger) items(s *shape, depth int) *shape {
	if s.Items == nil {
		if depth >= maxDepth || m.nodes >= maxNodes {
			return nil
		}
		m.nodes++
		m.grew = true
		s.Items = &shape{}
	}
	return s.Items
}

func (m *merger) object(s *shape, v map[string]any, depth int) {
	s.Count++
	if !s.Map && (len(v) > maxFields || slices.ContainsFunc(slices.Collect(maps.Keys(v)), isData)) {
		m.toMap(s, depth)
	}
	for _, k := range slices.Sorted(maps.Keys(v)) {
		if s.Map {
			if item := m.items(s, depth); item != nil {
				m.add(item, v[k], depth+1)
			}
			continue
		}
		f := s.Fields[k]
		if f == nil {
			if depth >= maxDepth || m.nodes >= maxNodes {
				continue
			}
			if s.Fields == nil {
				s.Fields = map[string]*field{}
			}
			m.nodes++
			m.grew = true
			f = &field{Shape: &shape{}}
			s.Fields[k] = f
		}
		f.Count++
		m.add(f.Shape, v[k], depth+1)
	}
	if s.Map {
		return
	}
	for _, f := range s.Fields { // a property that is missing for the first time is optional from now on
		if f.Count == s.Count-1 && f.Count > 0 {
			m.grew = true
		}
	}
	if len(s.Fields) > maxFields || s.isUniform() {
		m.toMap(s, depth)
	}
}

// toMap turns an object with properties into a map and drops the names.
func (m *merger) toMap(s *shape, depth int) {
	m.grew = true
	m.contradicted = m.contradicted || len(s.Fields) > 0
	fields := s.Fields
	s.Map, s.Fields, s.Items = true, nil, nil
	for _, k := range slices.Sorted(maps.Keys(fields)) {
		if s.Items == nil {
			s.Items = fields[k].Shape
			continue
		}
		s.Items.union(fields[k].Shape)
	}
}

// union adds everything that another shape has seen.
func (s *shape) union(other *shape) {
	s.Types = inOrder(s.Types + other.Types)
	s.Count += other.Count
	s.Size = max(s.Size, other.Size)
	s.Map = s.Map || other.Map
	for k, f := range other.Fields {
		own := s.Fields[k]
		if own == nil {
			if s.Fields == nil {
				s.Fields = map[string]*field{}
			}
			s.Fields[k] = f
			continue
		}
		own.Count += f.Count
		own.Shape.union(f.Shape)
	}
	switch {
	case s.Items == nil:
		s.Items = other.Items
	case other.Items != nil:
		s.Items.union(other.Items)
	}
	if s.Map && len(s.Fields) > 0 {
		(&merger{}).toMap(s, 0)
	}
}

// isUniform reports whether an object has so many properties of the same shape that their names
// are probably data.
func (s *shape) isUniform() bool {
	if len(s.Fields) <= uniform {
		return false
	}
	first := ""
	for _, f := range s.Fields {
		if f.Shape.Types != "o" { // plain records have many strings or numbers
			return false
		}
		text := string(f.Shape.schema())
		if first == "" {
			first = text
		}
		if text != first {
			return false
		}
	}
	return true
}

// isData reports whether a key looks like a value: not a plain word, too long, or with a number
// in it as in IDs, dates and addresses.
func isData(key string) bool {
	digits := 0
	for i, r := range key {
		switch {
		case unicode.IsDigit(r):
			if digits++; i == 0 {
				return true
			}
		case r == '_' || r == '-' || r == ' ' || i == 0 && (r == '$' || r == '@'):
		case !unicode.IsLetter(r):
			return true
		}
	}
	return key == "" || len(key) > maxName || digits > 3
}

func typeOf(v any) string {
	switch v := v.(type) {
	case map[string]any:
		return "o"
	case []any:
		return "a"
	case string:
		return "s"
	case bool:
		return "b"
	case json.Number:
		if _, err := v.Int64(); err == nil {
			return "i"
		}
		return "f"
	}
	return "n"
}

// inOrder sorts type letters and removes duplicates.
func inOrder(types string) string {
	var b strings.Builder
	for _, l := range letters {
		if strings.ContainsRune(types, l) {
			b.WriteRune(l)
		}
	}
	return b.String()
}

// schema returns a shape as JSON Schema. Places with several types allow anything.
func (s *shape) schema() json.RawMessage {
	out := map[string]any{}
	types := strings.Trim(s.Types, "n")
	if types == "if" {
		types = "f"
	}
	if name := schemaTypes[types]; name != "" {
		out["type"] = name
		if strings.Contains(s.Types, "n") {
			out["type"] = []string{name, "null"}
		}
	}
	switch {
	case types == "a" && s.Items != nil:
		out["items"] = s.Items.schema()
	case types == "o" && s.Map && s.Items != nil:
		out["additionalProperties"] = s.Items.schema()
	case types == "o" && !s.Map:
		props := map[string]json.RawMessage{}
		var required []string
		for _, k := range slices.Sorted(maps.Keys(s.Fields)) {
			props[k] = s.Fields[k].Shape.schema()
			if s.Fields[k].Count == s.Count {
				required = append(required, k)
			}
		}
		out["properties"] = props
		if len(required) > 0 {
			out["required"] = required
		}
	}
	b, err := json.Marshal(out)
	if err != nil { // cannot happen: strings and their maps
		return json.RawMessage("{}")
	}
	return b
}

var schemaTypes = map[string]string{"o": "object", "a": "array", "s": "string", "i": "integer", "f": "number",
	"b": "boolean"}

// nodes counts the shapes in a shape.
func (s *shape) nodes() int {
	if s == nil {
		return 0
	}
	n := 1 + s.Items.nodes()
	for _, f := range s.Fields {
		n += f.Shape.nodes()
	}
	return n
}

// valid reports whether a shape from a file is valid.
func (s *shape) valid(depth int) bool {
	if s == nil || depth > maxDepth+1 || inOrder(s.Types) != s.Types {
		return false
	}
	for name, f := range s.Fields {
		if f == nil || len(name) > maxName || !f.Shape.valid(depth+1) {
			return false
		}
	}
	return s.Items == nil || s.Items.valid(depth+1)
}
