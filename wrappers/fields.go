package wrappers

import (
	"encoding/json"

	"github.com/usetools/usetools/registry"
)

// Field is a parameter of a tool, or a property of one, as its schema declares it.
type Field struct {
	Name  string // the property's name
	Title string
	// Kind is string, integer, number, boolean, list or object. If empty, the value is any JSON.
	// Elem is the kind of a list's elements.
	Kind, Elem string
	Doc        string // the description in the schema
	Limits     string // the schema's limits on values, in words: "1 to 100"
	Required   bool
	Nullable   bool
	Enum       []string // allowed values, or elements of a list, as JSON
	Labels     []string // titles of Enum; nil if the schema has none
	Default    string   // as JSON; empty without an informative default
	Unset      string   // the JSON value to send if the field is not set; if empty, it is omitted
	object     *object
}

// Fields returns the parameters of the tool, the required ones first. It returns nil if
// the schema does not name them.
func (t *Tool) Fields() []*Field {
	t.server.load()
	return t.input.exported()
}

// SchemaFields returns the properties of a JSON Schema of an object, the required ones first.
func SchemaFields(schema json.RawMessage) []*Field {
	if len(schema) == 0 {
		return nil
	}
	v := NewView(&registry.Registry{Servers: []registry.Server{{Name: "form"}},
		Tools: []registry.Tool{{ID: "form.fields", Server: "form", Name: "fields", Input: schema}}})
	return v.servers[0].Tools[0].Fields()
}

// Fields returns the properties of an object. They can nest without end, because a schema may
// refer to itself.
func (f *Field) Fields() []*Field { return f.object.exported() }

func (o *object) exported() []*Field {
	if o == nil || o.union {
		return nil
	}
	var out []*Field
	for _, f := range o.fields {
		if f.extra {
			continue
		}
		x := &Field{Name: f.property, Kind: f.typ.jsonType(), Doc: f.doc, Limits: f.limits, Required: f.required,
			Nullable: f.nullable, Title: f.title, Enum: f.enum, Labels: f.labels, Default: f.def, Unset: f.unset}
		switch {
		case f.typ.kind == kindList && f.typ.elem != nil:
			x.Elem = f.typ.elem.jsonType()
		case x.Kind == "object":
			x.object = f.typ.object
		}
		if f.fixed != "" {
			x.Enum = []string{f.fixed}
		}
		out = append(out, x)
	}
	return out
}

// jsonType returns the JSON Schema name of a type, or "" if it stands for any value.
func (t *typ) jsonType() string {
	switch t.kind {
	case kindString:
		return "string"
	case kindInt:
		return "integer"
	case kindFloat:
		return "number"
	case kindBool:
		return "boolean"
	case kindList:
		return "list"
	case kindStruct:
		if !t.object.union {
			return "object"
		}
	}
	return ""
}
