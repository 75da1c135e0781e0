package discovery

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/usetools/usetools/registry"
)

// Shorter forms of a JSON Schema, for a model that is to call a tool and has
// no tokens to spare. Schemas come from servers: what is not one is shown as
// what allows anything, and nothing is followed deeper than schemaDepth.

const schemaDepth = 32

// MicroOf returns the arguments of an input schema in a short form:
//
//	{"p":{"path":"s","depth":{"t":"i","d":1},"sort":{"e":["name","size"]},"tags":{"t":"a","i":"s"}},"r":["path"]}
//
// p are the properties, r the required ones. A property is its type, or an
// object with t (type), e (enum), d (default), i (of an array: its items), p
// and r (of an object). Types are one letter: s string, n number, i integer, b
// boolean, a array, o object, z null, * anything; "s|z" is one of several.
func MicroOf(schema json.RawMessage) json.RawMessage {
	var root any
	if json.Unmarshal(schema, &root) != nil {
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
	root any
	// nodes bounds the work: one small definition may be referred to from
	// many places, which refer on.
	nodes int
}

const maxMicroNodes = 10_000

// schema returns a letter, or an object where there is more to say.
func (m *micro) schema(v any, depth int) any {
	m.nodes++
	s, ok := v.(map[string]any)
	if !ok || depth > schemaDepth || m.nodes > maxMicroNodes {
		return "*"
	}
	if ref, ok := s["$ref"].(string); ok {
		to := m.follow(ref)
		if to == nil {
			return "*"
		}
		if depth > 4 { // of what refers to itself a few levels say enough
			return m.letters(to)
		}
		return m.schema(to, depth+1)
	}
	out := map[string]any{}
	if t := m.letters(s); t != "*" {
		out["t"] = t
	}
	if e, ok := s["enum"].([]any); ok {
		out["e"] = e
		delete(out, "t")
	}
	if c, ok := s["const"]; ok {
		out["e"] = []any{c}
		delete(out, "t")
	}
	if d, ok := s["default"]; ok && d != nil {
		out["d"] = d
	}
	m.fill(out, s, depth)
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		for _, branch := range list(s[key]) {
			b, _ := branch.(map[string]any)
			if ref, ok := b["$ref"].(string); ok {
				b, _ = m.follow(ref).(map[string]any)
			}
			m.fill(out, b, depth)
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

// fill adds properties, required ones, items and enum of a schema, or of one
// branch of a union, unless there are some.
func (m *micro) fill(out, s map[string]any, depth int) {
	if s == nil {
		return
	}
	if items, ok := s["items"]; ok && out["i"] == nil {
		if i := m.schema(items, depth+1); i != "*" {
			out["i"] = i
		}
	}
	if props, ok := s["properties"].(map[string]any); ok && out["p"] == nil && len(props) > 0 {
		p := map[string]any{}
		for name, x := range props {
			p[name] = m.schema(x, depth+1)
		}
		out["p"] = p
		if r := list(s["required"]); len(r) > 0 {
			out["r"] = r
		}
	}
	if e, ok := s["enum"].([]any); ok && out["e"] == nil {
		out["e"] = e
	}
}

// letters is the type of a schema, or those of the branches of a union.
func (m *micro) letters(v any) string {
	s, _ := v.(map[string]any)
	var out []string
	add := func(l string) {
		if l != "" && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	switch t := s["type"].(type) {
	case string:
		add(letter(t))
	case []any:
		for _, x := range t {
			name, _ := x.(string)
			add(letter(name))
		}
	}
	if len(out) == 0 {
		for _, key := range []string{"anyOf", "oneOf"} {
			for _, branch := range list(s[key]) {
				b, _ := branch.(map[string]any)
				if ref, ok := b["$ref"].(string); ok {
					b, _ = m.follow(ref).(map[string]any)
				}
				name, _ := b["type"].(string)
				add(letter(name))
			}
		}
	}
	if len(out) == 0 && s["properties"] != nil {
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

// follow returns what a reference within the schema points to, nil for others.
func (m *micro) follow(ref string) any {
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	at := m.root
	for _, key := range strings.Split(path, "/") {
		o, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = o[strings.NewReplacer("~1", "/", "~0", "~").Replace(key)]
	}
	return at
}

func list(v any) []any { l, _ := v.([]any); return l }

// compact returns a schema without what is only there to be read:
// descriptions, titles, examples and comments.
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

// strip removes the annotations from a schema, and from those inside it; data
// (enum, const, default) stays as it is.
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

// examplesIn returns the examples of whole arguments that an input schema has.
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

// marshal is json.Marshal that leaves <, > and & alone.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}
