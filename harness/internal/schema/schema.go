// Package schema validates the arguments and results of tools against the JSON
// Schemas that their servers declare, in bounded time: see [Set].
package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/text"
)

// ArgumentsError is returned for arguments that do not fit the tool's input
// schema.
type ArgumentsError struct{ Err error }

func (e *ArgumentsError) Error() string { return "wrong arguments: " + e.Err.Error() }
func (e *ArgumentsError) Unwrap() error { return e.Err }

// Set validates the arguments and results of tools against what their
// servers declare; each schema is resolved once.
type Set struct {
	mu sync.Mutex
	by map[schemaOf]*schema
}

type schemaOf struct {
	tool   *registry.Tool
	output bool
}

// schema is one that can be enforced.
type schema struct {
	resolved *jsonschema.Resolved
	root     map[string]any // the document, for weighing
}

// Arguments checks that arguments fit a tool's input schema. A schema that the
// library cannot resolve (an old draft, a pattern that Go's regexp does not
// know), or that would take too long, is not enforced: the server checks
// anyway.
func (s *Set) Arguments(t *registry.Tool, args registry.Args) error {
	if args.Err() != nil {
		return args.Err()
	}
	v, err := floats(args.Tree())
	if err != nil {
		return fmt.Errorf("the arguments are no JSON: %w", err)
	}
	if err := s.of(t, false).validate(v); err != nil {
		return &ArgumentsError{err}
	}
	return nil
}

// floats returns a tree with numbers as the library takes them: to it a json.Number is a
// string, and one with a large exponent takes all memory.
func floats(v any) (_ any, err error) {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return nil, &json.UnmarshalTypeError{Value: "number " + v.String(), Type: reflect.TypeFor[float64]()}
		}
		return f, nil
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, x := range v {
			if out[key], err = floats(x); err != nil {
				return nil, err
			}
		}
		return out, nil
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			if out[i], err = floats(x); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return v, nil
}

// maxValidated bounds the results that are validated, in bytes; what is larger
// is taken as it is.
const maxValidated = 4 << 20

// Result checks that the structured part of a result fits the tool's output
// schema. Without the one or the other there is nothing to check.
func (s *Set) Result(t *registry.Tool, res *backend.Result) error {
	if len(res.Structured) == 0 || len(t.Output) == 0 || len(res.Structured) > maxValidated {
		return nil
	}
	v, err := res.Value()
	if err != nil {
		return err
	}
	return s.of(t, true).validate(v)
}

// of returns the schema of a tool's arguments or results, nil where it cannot
// be enforced.
func (s *Set) of(t *registry.Tool, output bool) *schema {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := schemaOf{t, output}
	known, ok := s.by[key]
	if !ok {
		if s.by == nil {
			s.by = map[schemaOf]*schema{}
		}
		raw := t.Input
		if output {
			raw = t.Output
		}
		known = resolve(raw)
		s.by[key] = known
	}
	return known
}

func resolve(raw json.RawMessage) *schema {
	var parsed jsonschema.Schema
	if json.Unmarshal(raw, &parsed) != nil {
		return nil
	}
	// What is weighed is what the library understood, not what was sent.
	understood, err := json.Marshal(&parsed)
	s := &schema{}
	if err != nil || json.Unmarshal(understood, &s.root) != nil || hasInnerID(s.root, true) {
		return nil
	}
	if s.resolved, err = parsed.Resolve(nil); err != nil {
		return nil
	}
	return s
}

// hasInnerID reports whether a part of a document has an address of its own,
// by which its references mean something else than they seem to.
func hasInnerID(v any, root bool) bool {
	switch v := v.(type) {
	case map[string]any:
		if _, ok := v["$id"].(string); ok && !root {
			return true
		}
		for _, x := range v {
			if hasInnerID(x, false) {
				return true
			}
		}
	case []any:
		for _, x := range v {
			if hasInnerID(x, false) {
				return true
			}
		}
	}
	return false
}

// fault is what the validation library says, with the place as a script would
// write it: "commits[].author: type: …" for "validating root: validating
// /properties/commits: validating /properties/commits/items/…".
func fault(message string) string {
	place := ""
	for {
		rest, ok := strings.CutPrefix(message, "validating ")
		at, rest, found := strings.Cut(rest, ": ")
		if !ok || !found {
			break
		}
		place, message = at, rest
	}
	var b strings.Builder
	segs := strings.Split(place, "/")
	for i := 0; i < len(segs); i++ {
		switch {
		case segs[i] == "properties" && i+1 < len(segs):
			i++
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(segs[i])
		case segs[i] == "items":
			b.WriteString("[]")
		}
	}
	if b.Len() > 0 {
		message = b.String() + ": " + message
	}
	return text.Cut(strings.ReplaceAll(message, "<invalid reflect.Value>", "null"), 400) // the library's word for null
}

func (s *schema) validate(v any) error {
	if s == nil {
		return nil
	}
	w := weigher{root: s.root, left: maxSteps}
	if w.visit(s.root, v, 0); w.left < 0 {
		return nil
	}
	if err := s.resolved.Validate(v); err != nil {
		return errors.New(fault(err.Error()))
	}
	return nil
}

// Bounds of a validation: how many pairs of a schema and a value are looked
// at, and how deep they nest. Servers write schemas: a reference to itself
// would overflow the stack, which ends the process, and references that double
// would take for ever.
const (
	maxSteps = 1 << 18
	maxNests = 2000
)

// weigher counts what a validation may look at, at most.
type weigher struct {
	root any
	left int // of maxSteps; negative: too much, or unknown
}

var (
	sameValue = []string{"not", "if", "then", "else"}
	sameLists = []string{"allOf", "anyOf", "oneOf"}
	sameMaps  = []string{"dependentSchemas", "dependencies"}
	members   = []string{"additionalProperties", "unevaluatedProperties", "propertyNames"}
	items     = []string{"items", "additionalItems", "unevaluatedItems", "contains"}
)

func (w *weigher) visit(schema, v any, depth int) {
	w.left--
	if depth > maxNests {
		w.left = -1
	}
	m, ok := schema.(map[string]any)
	if w.left < 0 || !ok {
		return
	}
	for _, k := range sameValue {
		w.child(m[k], v, depth)
	}
	for _, k := range sameLists {
		list, _ := m[k].([]any)
		for _, x := range list {
			w.child(x, v, depth)
		}
	}
	for _, k := range sameMaps {
		of, _ := m[k].(map[string]any)
		for _, x := range of {
			w.child(x, v, depth)
		}
	}
	if e, ok := m["enum"].([]any); ok {
		w.left -= len(e)
	}
	if ref, ok := m["$ref"].(string); ok {
		w.visit(w.lookUp(ref), v, depth+1)
	}
	if m["$dynamicRef"] != nil || m["$recursiveRef"] != nil {
		w.left = -1
	}
	switch v := v.(type) {
	case map[string]any:
		w.object(m, v, depth)
	case []any:
		w.list(m, v, depth)
	}
}

func (w *weigher) child(schema, v any, depth int) {
	if m, ok := schema.(map[string]any); ok {
		w.visit(m, v, depth+1)
	}
}

func (w *weigher) object(m, v map[string]any, depth int) {
	props, _ := m["properties"].(map[string]any)
	patterns, _ := m["patternProperties"].(map[string]any)
	for k, x := range v {
		if p, ok := props[k]; ok {
			w.child(p, x, depth)
		} else {
			for _, key := range members {
				w.child(m[key], x, depth)
			}
		}
		for _, p := range patterns {
			w.child(p, x, depth)
		}
	}
}

func (w *weigher) list(m map[string]any, v []any, depth int) {
	w.left -= len(v)
	prefix, _ := m["prefixItems"].([]any)
	if old, ok := m["items"].([]any); ok {
		prefix = old
	}
	for i, x := range v {
		if i < len(prefix) {
			w.child(prefix[i], x, depth)
		}
		for _, key := range items {
			w.child(m[key], x, depth)
		}
	}
}

// lookUp follows a reference inside the document; any other is too much.
func (w *weigher) lookUp(ref string) any {
	rest, ok := strings.CutPrefix(ref, "#")
	if !ok || rest != "" && rest[0] != '/' || strings.Contains(rest, "%") {
		w.left = -1
		return nil
	}
	v := w.root
	for _, seg := range strings.Split(rest, "/")[1:] {
		switch at := v.(type) {
		case map[string]any:
			if strings.Contains(seg, "~") {
				seg = strings.ReplaceAll(strings.ReplaceAll(seg, "~1", "/"), "~0", "~")
			}
			v = at[seg]
		case []any:
			n, err := strconv.Atoi(seg)
			if err != nil || n < 0 || n >= len(at) {
				w.left = -1
				return nil
			}
			v = at[n]
		default:
			w.left = -1
			return nil
		}
	}
	return v
}
