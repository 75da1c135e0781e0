package console

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
	"github.com/usetools/usetools/wrappers"
)

// Limits of a form. Schemas come from servers and are untrusted.
const (
	maxArgumentFields = 200 // in total; above, arguments are entered as JSON
	formDepth         = 4   // depth of nested objects; deeper ones are entered as JSON
	formOptions       = 300 // options of a choice; above, the value is entered as JSON
	formTicks         = 24  // options to tick; above, the list is entered as text
	formName          = 200 // bytes of a property name
)

// form has a field for each argument of a tool, and builds the arguments.
type form struct {
	Fields []*argument
	// JSON is all arguments as JSON, as entered or as built from the fields.
	JSON string
	// Error is an error that belongs to no field.
	Error string
	count int
}

// argument is a form field for an argument, or for a part of one.
type argument struct {
	*wrappers.Field
	ID   string // ID of the form field
	Path string // path as in errors about arguments: commits.author
	// Kind is text, area, number, choice, lines, ticks, json or object.
	Kind string
	// Input is the type of an input element.
	Input   string
	Limits  string // the schema's constraints in words
	Options []formOption
	Fields  []*argument // the fields of an object

	Value  string // as entered
	Ticked map[string]bool
	Error  string
}

// Placeholder returns the schema's default in the form in which it would be entered.
func (x *argument) Placeholder() string { return plain(json.RawMessage(x.Default)) }

// formOption is a value of a choice. Value is JSON.
type formOption struct{ Value, Label string }

// newForm returns an empty form. It has no fields if there are too many parameters; the arguments
// are then entered as JSON.
func newForm(parameters []*wrappers.Field) *form { return newFormAt("a", parameters) }

// newFormAt returns a form with field IDs that begin with id.
func newFormAt(id string, parameters []*wrappers.Field) *form {
	f := &form{}
	if f.Fields = f.arguments(id, "", parameters, 0); f.count > maxArgumentFields {
		f.Fields = nil
	}
	return f
}

func (f *form) arguments(id, path string, fields []*wrappers.Field, depth int) []*argument {
	var out []*argument
	for _, field := range fields {
		if f.count++; f.count > maxArgumentFields || len(field.Name) > formName {
			f.count = maxArgumentFields + 1
			return nil
		}
		out = append(out, f.argument(id+"/"+url.PathEscape(field.Name), strings.TrimPrefix(path+"."+field.Name, "."), field, depth))
	}
	return out
}

// long are the last words of property names that usually have texts of several lines.
var long = []string{"body", "content", "text", "message", "description", "code", "script", "sql", "markdown", "html", "patch"}

// inputs are the types of input elements, by the limits of a text.
var inputs = map[string]string{"format date": "date", "format email": "email", "format uri": "url", "format url": "url"}

func (f *form) argument(id, path string, field *wrappers.Field, depth int) *argument {
	x := &argument{Field: field, ID: id, Path: path, Kind: "json", Limits: field.Limits, Ticked: map[string]bool{}}
	options := optionsOf(field)
	switch {
	case field.Kind == "list" && len(field.Enum) > 0:
		if options != nil && len(options) <= formTicks {
			x.Kind, x.Options = "ticks", options
		}
	case field.Kind == "list" && slices.Contains([]string{"string", "number", "integer"}, field.Elem):
		x.Kind, x.Limits = "lines", "one per line"
	case options != nil:
		x.Kind, x.Options = "choice", options
		if len(options) == 1 && field.Required {
			x.Value = options[0].Value
		}
	case len(field.Enum) > 0:
	case field.Kind == "string":
		x.Kind, x.Input = "text", "text"
		if input := inputs[field.Limits]; input != "" {
			x.Input = input
		} else if low := strings.ToLower(x.Name); slices.ContainsFunc(long, func(word string) bool { return strings.HasSuffix(low, word) }) {
			x.Kind = "area"
		}
	case field.Kind == "boolean":
		x.Kind, x.Options = "choice", []formOption{{"true", "true"}, {"false", "false"}}
	case field.Kind == "number" || field.Kind == "integer":
		x.Kind, x.Input = "number", "text"
	case field.Kind == "object" && depth+1 < formDepth:
		x.Kind, x.Fields = "object", f.arguments(id, path, field.Fields(), depth+1)
	}
	return x
}

// optionsOf returns the values of an enumerated field. It returns nil if the values are not listed,
// are too many, or are objects or lists.
func optionsOf(field *wrappers.Field) []formOption {
	values := slices.Clone(field.Enum)
	if field.Nullable && len(values) > 1 && field.Kind != "list" {
		values = append(values, "null")
	}
	if len(values) > formOptions {
		return nil
	}
	var out []formOption
	for i, v := range values {
		if v[0] == '{' || v[0] == '[' || len(v) > 1000 {
			return nil
		}
		label := cmp.Or(plain(json.RawMessage(v)), v)
		if i < len(field.Labels) && field.Labels[i] != "" {
			label = field.Labels[i]
		}
		out = append(out, formOption{string(registry.PrintableJSON([]byte(v))), label})
	}
	return out
}

// plain returns a JSON value as it is entered: strings without quotes, other values as JSON.
func plain(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(compact(raw))
}

// compact returns JSON without white space. Numbers keep their digits.
func compact(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return nil
	}
	return b.Bytes()
}

// quoted returns a text as a JSON string.
func quoted(s string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)
	return bytes.TrimSpace(b.Bytes())
}

// isNumber reports whether a text is a JSON number.
func isNumber(s string) bool {
	return s != "" && (s[0] == '-' || s[0] >= '0' && s[0] <= '9') && json.Valid([]byte(s))
}

// read reads the submitted form and returns the arguments as an object. ok is false if a field has
// an error.
func (f *form) read(sent url.Values) (args json.RawMessage, ok bool) {
	args, _, ok = readFields(f.Fields, sent)
	f.JSON = indented(args)
	return args, ok
}

// readFields returns the object of some fields. some reports whether any of them has a value.
func readFields(fields []*argument, sent url.Values) (object json.RawMessage, some, ok bool) {
	var b bytes.Buffer
	ok = true
	b.WriteByte('{')
	var missing []*argument
	for _, x := range fields {
		value, fine := x.read(sent)
		ok, some = ok && fine, some || value != nil || x.Error != ""
		if value == nil && fine && x.Unset != "" {
			value = json.RawMessage(x.Unset)
		}
		switch {
		case value != nil:
			if b.Len() > 1 {
				b.WriteByte(',')
			}
			b.Write(quoted(x.Name))
			b.WriteByte(':')
			b.Write(value)
		case x.Required && x.Error == "":
			missing = append(missing, x)
		}
	}
	for _, x := range missing {
		x.missed()
	}
	b.WriteByte('}')
	return b.Bytes(), some, ok && len(missing) == 0
}

// missed sets the error of a missing required field.
func (x *argument) missed() {
	if x.Error = "is required"; x.Kind == "choice" {
		x.Error = "is required: choose one"
	}
}

// forget removes the errors about missing fields in an object that is optional.
func (x *argument) forget() {
	x.Error = ""
	for _, y := range x.Fields {
		y.forget()
	}
}

// read returns the JSON of the submitted value, or nil if the field is empty. fine is false if the
// value is invalid; Error says why.
func (x *argument) read(sent url.Values) (value json.RawMessage, fine bool) {
	if x.Kind == "object" {
		object, some, fine := readFields(x.Fields, sent)
		switch {
		case some || x.Required && fine:
			return object, fine
		case x.Required:
			return object, false // the missing fields have the errors
		}
		for _, y := range x.Fields {
			y.forget()
		}
		return nil, true
	}
	typed := sent[x.ID]
	if x.Kind == "ticks" {
		return x.ticks(typed)
	}
	if len(typed) > 0 {
		x.Value = strings.ReplaceAll(typed[0], "\r\n", "\n")
	} else {
		x.Value = ""
	}
	if x.Value == "" {
		return nil, true
	}
	if !utf8.ValidString(x.Value) {
		return nil, x.wrong("must be UTF-8 text")
	}
	trimmed := strings.TrimSpace(x.Value)
	switch x.Kind {
	case "text", "area":
		return quoted(x.Value), true
	case "number":
		if why := wrongNumber(trimmed, x.Field.Kind); why != "" {
			return nil, x.wrong(why)
		}
		return json.RawMessage(trimmed), true
	case "choice":
		if !slices.ContainsFunc(x.Options, func(o formOption) bool { return o.Value == x.Value }) {
			return nil, x.wrong("is not an allowed value")
		}
		return json.RawMessage(x.Value), true
	case "lines":
		return x.lines()
	}
	if trimmed == "" {
		return nil, true
	}
	if why := wrongJSON(trimmed); why != "" {
		return nil, x.wrong(why)
	}
	return compact(json.RawMessage(trimmed)), true
}

func (x *argument) wrong(why string) bool {
	x.Error = why
	return false
}

func (x *argument) ticks(typed []string) (json.RawMessage, bool) {
	for _, v := range typed {
		x.Ticked[v] = true
	}
	var values []string
	for _, o := range x.Options {
		if x.Ticked[o.Value] {
			values = append(values, o.Value)
		}
	}
	if len(values) < len(x.Ticked) {
		return nil, x.wrong("has a value that is not allowed")
	}
	if len(values) == 0 {
		return nil, true
	}
	return json.RawMessage("[" + strings.Join(values, ",") + "]"), true
}

func (x *argument) lines() (json.RawMessage, bool) {
	var values []string
	for line := range strings.SplitSeq(x.Value, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "":
		case x.Elem == "string":
			values = append(values, string(quoted(line)))
		default:
			if why := wrongNumber(trimmed, x.Elem); why != "" {
				return nil, x.wrong(fmt.Sprintf("%q %s", text.Cut(trimmed, 40), why))
			}
			values = append(values, trimmed)
		}
	}
	if values == nil {
		return nil, true
	}
	return json.RawMessage("[" + strings.Join(values, ",") + "]"), true
}

// wrongNumber returns the fault of a number or an integer, or "".
func wrongNumber(s, kind string) string {
	switch {
	case kind == "integer" && (!isNumber(s) || strings.ContainsAny(s, ".eE")):
		return "must be a whole number, such as 12"
	case !isNumber(s):
		return "must be a number, such as 12 or 0.5"
	}
	return ""
}

// wrongJSON returns the fault of a JSON value, or "".
func wrongJSON(s string) string {
	var v json.RawMessage
	err := json.Unmarshal([]byte(s), &v)
	if err == nil {
		return ""
	}
	why := "is not JSON: " + text.Cut(err.Error(), 200)
	if at, ok := err.(*json.SyntaxError); ok && at.Offset > 0 {
		before := s[:min(int(at.Offset)-1, len(s))]
		why += fmt.Sprintf(", in line %d, character %d", 1+strings.Count(before, "\n"),
			1+utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]))
	}
	return why + `. Put text in quotes: "text"`
}

// readJSON reads arguments that were entered as JSON.
func (f *form) readJSON(s string) (args json.RawMessage, ok bool) {
	f.JSON = strings.ReplaceAll(s, "\r\n", "\n")
	trimmed := strings.TrimSpace(f.JSON)
	if trimmed == "" {
		trimmed = "{}"
	}
	if !utf8.ValidString(trimmed) {
		f.Error = "The arguments must be UTF-8 text"
		return nil, false
	}
	if why := wrongJSON(trimmed); why != "" {
		f.Error = "The text " + why
		return nil, false
	}
	if trimmed[0] != '{' {
		f.Error = `The arguments must be an object: {"name": value, …}`
		return nil, false
	}
	return compact(json.RawMessage(trimmed)), true
}

// fill writes arguments into the fields. It returns false if the fields cannot show all of them.
func (f *form) fill(args json.RawMessage) bool {
	args = registry.PrintableJSON(args)
	f.JSON = indented(args)
	return fillFields(f.Fields, args)
}

func fillFields(fields []*argument, object json.RawMessage) bool {
	var of map[string]json.RawMessage
	all := json.Unmarshal(object, &of) == nil && of != nil
	for name, value := range of {
		i := slices.IndexFunc(fields, func(x *argument) bool { return x.Name == name })
		all = i >= 0 && fields[i].fill(value) && all
	}
	return all
}

func (x *argument) fill(raw json.RawMessage) bool {
	raw = compact(raw)
	var s string
	isText := json.Unmarshal(raw, &s) == nil && len(raw) > 0 && raw[0] == '"'
	switch x.Kind {
	case "object":
		return fillFields(x.Fields, raw)
	case "text", "area":
		// An empty text is not sent, and an input element has one line. Invisible characters need
		// JSON with escapes.
		if registry.PrintableText(s, len(s)) != s {
			return false
		}
		x.Value = s
		return isText && s != "" && !strings.Contains(s, "\r") && (x.Kind == "area" || !strings.Contains(s, "\n"))
	case "choice":
		x.Value = string(raw)
		return slices.ContainsFunc(x.Options, func(o formOption) bool { return o.Value == x.Value })
	case "number":
		x.Value = string(raw)
		return wrongNumber(x.Value, x.Field.Kind) == ""
	case "json":
		x.Value = indented(raw)
		return true
	}
	var values []json.RawMessage
	if json.Unmarshal(raw, &values) != nil || len(values) == 0 {
		return false
	}
	if x.Kind == "ticks" {
		for _, v := range values {
			x.Ticked[string(v)] = true
		}
		got, fine := x.ticks(nil)
		x.Error = ""
		return fine && bytes.Equal(got, raw)
	}
	var lines []string
	for _, v := range values {
		lines = append(lines, plain(v))
	}
	x.Value = strings.Join(lines, "\n")
	got, fine := x.lines()
	x.Error = ""
	return fine && bytes.Equal(got, raw)
}

// indented returns JSON, over several lines if it is long.
func indented(raw json.RawMessage) string {
	if len(raw) <= 60 {
		return string(raw)
	}
	return present.Indented(raw)
}

// place shows an error about arguments, "commits[].author: type: …", beside the field that it
// names, or else above the form.
func (f *form) place(message string) {
	at, rest, ok := strings.Cut(message, ": ")
	if ok {
		if x := find(f.Fields, strings.ReplaceAll(at, "[]", "")); x != nil {
			x.Error = rest
			return
		}
	}
	f.Error = message
}

// find returns the field with a path, or the nearest field that contains it.
func find(fields []*argument, path string) *argument {
	for _, x := range fields {
		switch {
		case x.Path == path:
			return x
		case strings.HasPrefix(path, x.Path+"."):
			if y := find(x.Fields, path); y != nil {
				return y
			}
			return x
		}
	}
	return nil
}

// wrongFields returns the fields with an error.
func wrongFields(fields []*argument) (out []*argument) {
	for _, x := range fields {
		if x.Error != "" {
			out = append(out, x)
		}
		out = append(out, wrongFields(x.Fields)...)
	}
	return out
}
