// Package schema validates the arguments and results of tools against the JSON Schemas that
// their servers declare, in bounded time: see [Set].
package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/jsontree"
	"github.com/usetools/usetools/registry/text"
)

// ArgumentsError is returned for arguments that do not match the tool's input schema.
type ArgumentsError struct{ Err error }

func (e *ArgumentsError) Error() string { return "wrong arguments: " + e.Err.Error() }
func (e *ArgumentsError) Unwrap() error { return e.Err }

// Set validates the arguments and results of tools against their servers' schemas. Each schema
// is resolved once.
type Set struct {
	mu sync.Mutex
	by map[schemaOf]*schema
}

type schemaOf struct {
	tool   *registry.Tool
	output bool
}

// schema is an enforceable schema.
type schema struct {
	resolved *jsonschema.Resolved
	root     *jsontree.Value // the document, for weighing
}

// Arguments returns an error if the arguments do not match a tool's input schema. A schema that
// the library cannot resolve (an old draft, a pattern unknown to Go's regexp), or that would
// take too long, is not enforced; the server checks anyway.
func (s *Set) Arguments(t *registry.Tool, args registry.Args) error {
	if args.Err() != nil {
		return args.Err()
	}
	v, err := floats(args.Tree())
	if err != nil {
		return fmt.Errorf("the arguments are not JSON: %w", err)
	}
	if err := s.of(t, false).validate(v); err != nil {
		return &ArgumentsError{err}
	}
	return nil
}

// floats converts the numbers in a tree for the library, which treats a json.Number as a string
// and allocates unlimited memory for large exponents.
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

// maxValidated limits the validated results, in bytes. Larger results are not validated.
const maxValidated = 4 << 20

// Result returns an error if the structured part of a result does not match the tool's output
// schema. It returns nil if either is missing.
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

// of returns the schema of a tool's arguments or results, or nil if it cannot be enforced.
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
	// The weight is that of the schema as the library understood it.
	understood, err := json.Marshal(&parsed)
	s := &schema{}
	if err != nil {
		return nil
	}
	s.root, err = jsontree.Parse(understood, jsontree.Limits{})
	if err != nil || s.root.Kind != jsontree.Object || slices.ContainsFunc(s.root.Items, hasID) {
		return nil
	}
	if s.resolved, err = parsed.Resolve(nil); err != nil {
		return nil
	}
	return s
}

// hasID reports whether a part of a document has its own $id, which changes the meaning of its
// references.
func hasID(v *jsontree.Value) bool {
	id := v.Get("$id")
	return id != nil && id.Kind == jsontree.String || slices.ContainsFunc(v.Items, hasID)
}

// fault rewrites an error of the validation library with the place as a script would write it:
// "commits[].author: type: …" for "validating root: validating /properties/commits: validating
// /properties/commits/items/…".
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

// Limits of a validation: the number of pairs of a schema and a value, and their nesting.
// Servers write schemas: a reference to itself would overflow the stack, which ends the
// process, and doubling references would take forever.
const (
	maxSteps = 1 << 18
	maxNests = 2000
)

// weigher counts the steps that a validation may take.
type weigher struct {
	root *jsontree.Value
	left int // steps left; negative if there are too many, or the number is unknown
}

var (
	sameValue = []string{"not", "if", "then", "else"}
	sameIn    = []string{"allOf", "anyOf", "oneOf", "dependentSchemas", "dependencies"}
	members   = []string{"additionalProperties", "unevaluatedProperties", "propertyNames"}
	items     = []string{"items", "additionalItems", "unevaluatedItems", "contains"}
)

func (w *weigher) visit(m *jsontree.Value, v any, depth int) {
	w.left--
	if depth > maxNests {
		w.left = -1
	}
	if w.left < 0 || m == nil || m.Kind != jsontree.Object {
		return
	}
	for _, k := range sameValue {
		w.child(m.Get(k), v, depth)
	}
	for _, k := range sameIn {
		if in := m.Get(k); in != nil {
			for _, x := range in.Items {
				w.child(x, v, depth)
			}
		}
	}
	w.left -= len(m.List("enum"))
	if ref := m.Get("$ref"); ref != nil {
		to := w.root.At(ref.Text)
		if to == nil || strings.Contains(ref.Text, "%") { // not in the document, or interpreted differently by the library
			w.left = -1
		}
		w.visit(to, v, depth+1)
	}
	if m.Get("$dynamicRef") != nil || m.Get("$recursiveRef") != nil {
		w.left = -1
	}
	switch v := v.(type) {
	case map[string]any:
		w.object(m, v, depth)
	case []any:
		w.list(m, v, depth)
	}
}

func (w *weigher) child(m *jsontree.Value, v any, depth int) {
	if m != nil && m.Kind == jsontree.Object {
		w.visit(m, v, depth+1)
	}
}

func (w *weigher) object(m *jsontree.Value, v map[string]any, depth int) {
	props, patterns := m.Get("properties"), m.Get("patternProperties")
	for k, x := range v {
		if p := props.Get(k); p != nil {
			w.child(p, x, depth)
		} else {
			for _, key := range members {
				w.child(m.Get(key), x, depth)
			}
		}
		if patterns != nil {
			for _, p := range patterns.Items {
				w.child(p, x, depth)
			}
		}
	}
}

func (w *weigher) list(m *jsontree.Value, v []any, depth int) {
	w.left -= len(v)
	prefix := m.List("prefixItems")
	if old := m.List("items"); old != nil {
		prefix = old
	}
	for i, x := range v {
		if i < len(prefix) {
			w.child(prefix[i], x, depth)
		}
		for _, key := range items {
			w.child(m.Get(key), x, depth)
		}
	}
}
