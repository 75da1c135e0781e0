package discovery

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/jsontree"
)

// Shorter forms of a JSON Schema, for a model that has to call a tool with few tokens. Schemas
// come from servers: an invalid one is shown as one that allows anything, and nesting deeper than
// schemaDepth is not followed.

const schemaDepth = 32

// MicroOf returns the arguments of an input schema in a short form:
//
//	{"p":{"path":"s","depth":{"t":"i","d":1},"sort":{"e":["name","size"]},"tags":{"t":"a","i":"s"}},"r":["path"]}
//
// p are the properties, r the required ones. A property is its type, or an object with t (type),
// e (enum), d (default), i (the items of an array), p and r (of an object). Types are one letter:
// s string, n number, i integer, b boolean, a array, o object, z null, * anything; "s|z" is a
// union.
func MicroOf(schema json.RawMessage) json.RawMessage {
	root, err := jsontree.Parse(schema, jsontree.Limits{})
	if err != nil {
		return json.RawMessage(`{}`)
	}
	m := micro{root: root}
	out, ok := m.schema(root, 0).(map[string]any)
	if !ok {
		out = map[string]any{}
	}
	if out["t"] == "o" {
		delete(out, "t")
	}
	b, err := marshal(out)
	if err != nil {
		return json.RawMessage(`{}`)
	}
	return b
}

type micro struct {
	root *jsontree.Value
	// nodes bounds the work: one small definition may be referred to many times, and refer to
	// others.
	nodes int
}

const maxMicroNodes = 10_000

// schema returns a letter, or an object if there is more to show.
func (m *micro) schema(s *jsontree.Value, depth int) any {
	m.nodes++
	if s == nil || s.Kind != jsontree.Object || depth > schemaDepth || m.nodes > maxMicroNodes {
		return "*"
	}
	if to := m.follow(s); to != s {
		if depth > 4 { // a few levels are enough of a schema that refers to itself
			return m.letters(to)
		}
		return m.schema(to, depth+1)
	}
	out := map[string]any{}
	if t := m.letters(s); t != "*" {
		out["t"] = t
	}
	if e := s.Get("enum"); e != nil && e.Kind == jsontree.List {
		out["e"] = e
		delete(out, "t")
	}
	if c := s.Get("const"); c != nil {
		out["e"] = jsontree.NewList(c)
		delete(out, "t")
	}
	if d := s.Get("default"); d != nil && d.Kind != jsontree.Null {
		out["d"] = d
	}
	m.fill(out, s, depth)
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		for _, branch := range s.List(key) {
			m.fill(out, m.follow(branch), depth)
		}
	}
	switch t, only := out["t"]; {
	case len(out) == 0:
		return "*"
	case len(out) == 1 && only:
		return t
	}
	return out
}

// fill adds the properties, required properties, items and enum of a schema, or of one branch of
// a union, unless out has them already.
func (m *micro) fill(out map[string]any, s *jsontree.Value, depth int) {
	if items := s.Get("items"); items != nil && out["i"] == nil {
		if i := m.schema(items, depth+1); i != "*" {
			out["i"] = i
		}
	}
	if props := s.Get("properties"); props != nil && len(props.Keys) > 0 && out["p"] == nil {
		p := map[string]any{}
		for i, name := range props.Keys {
			p[name] = m.schema(props.Items[i], depth+1)
		}
		out["p"] = p
		if r := s.List("required"); len(r) > 0 {
			out["r"] = r
		}
	}
	if e := s.Get("enum"); e != nil && e.Kind == jsontree.List && out["e"] == nil {
		out["e"] = e
	}
}

// letters returns the types of a schema or of its branches by their first letters: s|n; see letter.
func (m *micro) letters(s *jsontree.Value) string {
	var out []string
	add := func(l string) {
		if l != "" && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	add(letter(s.Str("type")))
	for _, t := range s.List("type") {
		add(letter(t.Text))
	}
	if len(out) == 0 {
		for _, key := range []string{"anyOf", "oneOf"} {
			for _, branch := range s.List(key) {
				add(letter(m.follow(branch).Str("type")))
			}
		}
	}
	if len(out) == 0 && s.Get("properties") != nil {
		add("o")
	}
	if len(out) == 0 {
		return "*"
	}
	return strings.Join(out, "|")
}

func letter(name string) string {
	switch name {
	case "string", "number", "integer", "boolean", "array", "object":
		return name[:1]
	case "null":
		return "z"
	}
	return ""
}

// follow returns the schema that a schema refers to, or nil if the document lacks it. It returns
// a schema without a reference unchanged.
func (m *micro) follow(s *jsontree.Value) *jsontree.Value {
	if ref := s.Get("$ref"); ref != nil && ref.Kind == jsontree.String {
		return m.root.At(ref.Text)
	}
	return s
}

// compact returns a schema without documentation: descriptions, titles, examples and comments.
func compact(schema json.RawMessage) json.RawMessage {
	if len(schema) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(schema))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return json.RawMessage(`{}`)
	}
	b, err := marshal(strip(v, 0))
	if err != nil {
		return json.RawMessage(`{}`)
	}
	return b
}

// strip removes the annotations from a schema and its subschemas. It keeps data (enum, const,
// default).
func strip(v any, depth int) any {
	switch x := v.(type) {
	case []any:
		for i := range x {
			x[i] = strip(x[i], depth+1)
		}
	case map[string]any:
		if depth > schemaDepth {
			return map[string]any{}
		}
		for _, key := range []string{"description", "title", "examples", "example", "$comment", "$schema"} {
			delete(x, key)
		}
		for key, sub := range x {
			switch key {
			case "enum", "const", "default", "required":
			case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
				if named, ok := sub.(map[string]any); ok { // the keys are names, not keywords
					for name := range named {
						named[name] = strip(named[name], depth+1)
					}
				}
			default:
				x[key] = strip(sub, depth+1)
			}
		}
	}
	return v
}

const maxExamples = 3

// examplesIn returns the examples of complete arguments in an input schema.
func examplesIn(schema json.RawMessage) []registry.Example {
	if !bytes.Contains(schema, []byte(`"examples"`)) {
		return nil
	}
	var s struct {
		Examples []json.RawMessage `json:"examples"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	var out []registry.Example
	for _, e := range s.Examples {
		if e = bytes.TrimSpace(e); len(e) > 0 && e[0] == '{' && len(out) < maxExamples {
			out = append(out, e)
		}
	}
	return out
}

// marshal is json.Marshal without escaping <, > and &.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}
