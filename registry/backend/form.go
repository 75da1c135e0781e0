package backend

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// maxFields bounds the fields of a form that is filled in by a person here.
const maxFields = 50

// Field is a field of a form that a server asks a person to fill in.
type Field struct {
	Name     string          `json:"-"`
	Required bool            `json:"-"`
	Type     string          `json:"type"` // string, boolean, integer, number or array
	Title    string          `json:"title"`
	About    string          `json:"description"`
	Enum     []string        `json:"enum"`
	OneOf    []Constant      `json:"oneOf"`
	Default  json.RawMessage `json:"default"`
	Items    struct {
		Enum  []string   `json:"enum"`
		AnyOf []Constant `json:"anyOf"`
	} `json:"items"`
}

// Constant is a value that is chosen, with what it means.
type Constant struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// Fields returns the fields of a question of mode Form, in the order of its schema;
// at most 50.
func (q *Question) Fields() ([]Field, error) {
	if len(q.Schema) == 0 {
		return nil, nil
	}
	var s struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if err := json.Unmarshal(q.Schema, &s); err != nil {
		return nil, errors.New("its schema is not understood")
	}
	if len(s.Properties) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(s.Properties))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("the properties of its schema are no object")
	}
	var out []Field
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, errors.New("its schema is not understood")
		}
		f := Field{Name: name.(string)} // a key
		if err := d.Decode(&f); err != nil {
			return nil, fmt.Errorf("its field %.100q is not understood", f.Name)
		}
		if slices.ContainsFunc(out, func(g Field) bool { return g.Name == f.Name }) {
			return nil, fmt.Errorf("its field %.100q is there twice", f.Name)
		}
		f.Required = slices.Contains(s.Required, f.Name)
		if out = append(out, f); len(out) > maxFields {
			return nil, fmt.Errorf("it has more than %d fields", maxFields)
		}
	}
	return out, nil
}

// Choices are the values that the field may have, with what they mean; nil: any of
// its type.
func (f *Field) Choices() []Constant {
	var all []Constant
	for _, c := range slices.Concat(f.Enum, f.Items.Enum) {
		all = append(all, Constant{Const: c})
	}
	return slices.Concat(all, f.OneOf, f.Items.AnyOf)
}

// Value reads what was typed for the field: y or n, a number, a text; a list has
// commas between its elements.
func (f *Field) Value(text string) (json.RawMessage, error) {
	var v any = text
	switch f.Type {
	case "boolean":
		switch word := strings.ToLower(text); word {
		case "y", "yes", "true":
			v = true
		case "n", "no", "false":
			v = false
		default:
			return nil, errors.New("want y or n")
		}
	case "integer":
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, errors.New("want a whole number")
		}
		v = n
	case "number":
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			return nil, errors.New("want a number")
		}
		v = n
	case "array":
		var list []string
		for s := range strings.SplitSeq(text, ",") {
			if s = strings.TrimSpace(s); s != "" {
				list = append(list, s)
			}
		}
		return f.List(list)
	default:
		if err := f.chosen(text); err != nil {
			return nil, err
		}
	}
	return json.Marshal(v)
}

// List is the value of a field of type array with elements.
func (f *Field) List(elements []string) (json.RawMessage, error) {
	for _, s := range elements {
		if err := f.chosen(s); err != nil {
			return nil, err
		}
	}
	return json.Marshal(append([]string{}, elements...))
}

// chosen returns an error for a text that is none of the choices.
func (f *Field) chosen(s string) error {
	choices := f.Choices()
	if choices == nil || slices.ContainsFunc(choices, func(c Constant) bool { return c.Const == s }) {
		return nil
	}
	return fmt.Errorf("want one of %s", f.Listed())
}

// Listed are the choices in one line.
func (f *Field) Listed() string {
	var all []string
	for _, c := range f.Choices() {
		all = append(all, c.Const)
	}
	return strings.Join(all, ", ")
}

// Filled is the object with values of fields, by their names, in the order of the
// fields; those without a value are left out.
func Filled(fields []Field, values map[string]json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, f := range fields {
		v := values[f.Name]
		if v == nil {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		key, _ := json.Marshal(f.Name) // a string
		b.Write(append(append(key, ':'), v...))
	}
	b.WriteByte('}')
	return b.Bytes()
}

// Fits says in what an answer is not what the question's schema describes. A schema
// that cannot be used says nothing: the server looks itself.
func (q *Question) Fits(content json.RawMessage) error {
	var s jsonschema.Schema
	if json.Unmarshal(q.Schema, &s) != nil {
		return nil
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil
	}
	var v any
	if err := json.Unmarshal(content, &v); err != nil {
		return err
	}
	return resolved.Validate(v)
}

// Declined is a no to all that inputRequests ask, as [Answers] returns it; nil where
// they ask nothing.
func Declined(requests json.RawMessage) (json.RawMessage, error) {
	all, err := Questions(requests)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	replies := map[string]*Reply{}
	for _, q := range all {
		replies[q.Key] = &Reply{Action: Decline}
	}
	return Answers(replies)
}
