package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// maxArgument bounds each text argument, in bytes.
const maxArgument = 4096

// A params struct describes a tool's arguments once, for the schema and for
// the check: the json tag names a property (optional with omitempty), the
// jsonschema tag describes it, a limits tag ("1..500") bounds a number, and
// the value given as defaults holds what an omitted property means.

// inputSchema is the JSON Schema of a params struct.
func inputSchema[T any](defaults T) *jsonschema.Schema {
	schema := schemaOf[T]()
	for field, value := range properties(reflect.ValueOf(&defaults).Elem()) {
		property := schema.Properties[field.name]
		if lo, hi, ok := field.limits(); ok {
			property.Minimum, property.Maximum = &lo, &hi
		}
		if field.optional && (property.Type != "string" || value.Len() > 0) {
			property.Default, _ = json.Marshal(value.Interface())
		}
	}
	return schema
}

// outputSchema is the JSON Schema of a result struct.
func outputSchema[T any]() *jsonschema.Schema { return schemaOf[T]() }

// schemaOf infers a schema. The types are this program's own, so failing is a
// mistake in it that every test would show.
func schemaOf[T any]() *jsonschema.Schema {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err)
	}
	neverNull(schema)
	return schema
}

// neverNull drops the null that inference allows for slices: a list without
// entries is sent as [].
func neverNull(s *jsonschema.Schema) {
	if slices.Contains(s.Types, "array") {
		s.Type, s.Types = "array", nil
	}
	if s.Items != nil {
		neverNull(s.Items)
	}
	for _, property := range s.Properties {
		neverNull(property)
	}
}

// parseArguments reads a tool's arguments over its defaults. An error names
// the argument, what was given and what is allowed. Null means omitted.
func parseArguments[T any](raw json.RawMessage, defaults T) (T, error) {
	given := map[string]json.RawMessage{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &given); err != nil {
			return defaults, errors.New("arguments must be a JSON object")
		}
	}
	params := defaults
	var names []string
	for field, value := range properties(reflect.ValueOf(&params).Elem()) {
		names = append(names, field.name)
		text, ok := given[field.name]
		delete(given, field.name)
		if !ok || string(text) == "null" {
			if !field.optional {
				return defaults, fmt.Errorf("argument %q is required", field.name)
			}
			continue
		}
		if err := field.set(value, text); err != nil {
			return defaults, fmt.Errorf("argument %q %w", field.name, err)
		}
	}
	if len(given) > 0 {
		unknown := slices.Min(slices.Collect(maps.Keys(given)))
		return defaults, fmt.Errorf("unknown argument %.60q: this tool takes %s", unknown, strings.Join(names, ", "))
	}
	return params, nil
}

type property struct {
	name     string
	optional bool
	bounds   string
}

// properties iterates over a params struct: each property with its value.
func properties(v reflect.Value) func(yield func(property, reflect.Value) bool) {
	return func(yield func(property, reflect.Value) bool) {
		for i := range v.NumField() {
			tag := v.Type().Field(i).Tag
			name, rest, _ := strings.Cut(tag.Get("json"), ",")
			if !yield(property{name, rest == "omitempty", tag.Get("limits")}, v.Field(i)) {
				return
			}
		}
	}
}

func (p property) limits() (lo, hi float64, ok bool) {
	first, last, ok := strings.Cut(p.bounds, "..")
	if !ok {
		return 0, 0, false
	}
	lo, errLo := strconv.ParseFloat(first, 64)
	hi, errHi := strconv.ParseFloat(last, 64)
	return lo, hi, errLo == nil && errHi == nil
}

func (p property) set(v reflect.Value, text json.RawMessage) error {
	switch v.Kind() {
	case reflect.String:
		var s string
		if json.Unmarshal(text, &s) != nil {
			return fmt.Errorf("must be a text, got %.40s", text)
		}
		if len(s) > maxArgument {
			return fmt.Errorf("is too long: %d bytes, at most %d", len(s), maxArgument)
		}
		if strings.ContainsRune(s, 0) {
			return errors.New("must not contain a NUL character")
		}
		v.SetString(s)
	case reflect.Bool:
		var b bool
		if json.Unmarshal(text, &b) != nil {
			return fmt.Errorf("must be true or false, got %.40s", text)
		}
		v.SetBool(b)
	case reflect.Int:
		var n float64 // 5.0 and 5e0 are integers in JSON Schema
		if json.Unmarshal(text, &n) != nil || n != math.Trunc(n) {
			return fmt.Errorf("must be an integer, got %.40s", text)
		}
		if lo, hi, ok := p.limits(); ok && (n < lo || n > hi) {
			return fmt.Errorf("is out of range: %.40s, allowed are %.0f to %.0f", text, lo, hi)
		}
		v.SetInt(int64(n))
	}
	return nil
}
