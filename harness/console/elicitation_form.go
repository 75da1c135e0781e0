package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/text"
)

// formQuestion is a question of a server.
type formQuestion struct {
	Message string
	URL     string // it wants this page to be opened; "": it has fields
	Fields  []formField
}

// formField is a field of a server's form; Name is that of the input.
type formField struct {
	backend.Field
	Input, Value, Error string
	Values              []string // of a list
}

// Chosen reports whether a choice is selected.
func (f *formField) Chosen(choice string) bool {
	return f.Value == choice || slices.Contains(f.Values, choice)
}

// filledForm is a form that was sent for a server's questions, and its errors.
type filledForm struct {
	form   url.Values
	errors map[string]string // by input
	other  string
}

// form sets the questions of a server, with the values of a rejected form.
func (q *question) form(filled *filledForm) {
	all, err := backend.Questions(q.Question)
	if err != nil {
		q.Unreadable = whole(text.FirstBytes(err.Error(), 500))
		return
	}
	for i, one := range all {
		f := formQuestion{Message: inLines(one.Message), URL: whole(one.URL)}
		fields, err := one.Fields()
		if err != nil {
			q.Unreadable = whole(text.FirstBytes(err.Error(), 500))
			return
		}
		for j, field := range fields {
			x := formField{Field: field, Input: inputName(i, j)}
			if filled != nil {
				x.Value, x.Values, x.Error = filled.form.Get(x.Input), filled.form[x.Input], filled.errors[x.Input]
			} else {
				x.Value, x.Values = preset(field.Default)
			}
			f.Fields = append(f.Fields, x)
		}
		q.Form = append(q.Form, f)
	}
	if filled != nil {
		q.FormError = filled.other
	}
}

func inputName(question, field int) string { return fmt.Sprintf("f%d.%d", question, field) }

// preset returns a field's default as the value of an input.
func preset(value json.RawMessage) (string, []string) {
	var list []string
	var s string
	switch {
	case value == nil:
		return "", nil
	case json.Unmarshal(value, &list) == nil:
		return strings.Join(list, ", "), list
	case json.Unmarshal(value, &s) == nil:
		return s, nil
	}
	return string(value), nil
}

// fill reads the answers to a server's questions. If it has errors, it returns the form with
// them.
func fill(question json.RawMessage, form url.Values) (json.RawMessage, *filledForm, error) {
	all, err := backend.Questions(question)
	if err != nil {
		return nil, nil, err
	}
	bad := &filledForm{form: form, errors: map[string]string{}}
	replies := map[string]*backend.Reply{}
	for i, q := range all {
		r := &backend.Reply{Action: backend.Accept}
		replies[q.Key] = r
		if q.Mode == backend.URL {
			if form.Get(inputName(i, 0)) == "" {
				bad.other = "Confirm first that you have done what its page asks for."
			}
			continue
		}
		fields, err := q.Fields()
		if err != nil {
			return nil, nil, err
		}
		values := map[string]json.RawMessage{}
		for j, f := range fields {
			input := inputName(i, j)
			value, err := fieldValue(&f, form[input])
			if err != nil {
				bad.errors[input] = err.Error()
			}
			values[f.Name] = value
		}
		r.Content = backend.Filled(fields, values)
		if err := q.Fits(r.Content); err != nil && len(bad.errors) == 0 {
			bad.other = "The answer does not fit the question: " + whole(text.FirstBytes(err.Error(), 500))
		}
	}
	if len(bad.errors) > 0 || bad.other != "" {
		return nil, bad, nil
	}
	input, err := backend.Answers(replies)
	return input, nil, err
}

// fieldValue returns the value of a field, or nil if it is left out.
func fieldValue(f *backend.Field, sent []string) (json.RawMessage, error) {
	first := ""
	if len(sent) > 0 {
		first = strings.ReplaceAll(sent[0], "\r\n", "\n")
	}
	switch {
	case f.Type == "array" && f.Choices() != nil:
		if len(sent) == 0 && !f.Required {
			return nil, nil
		}
		return f.List(sent)
	case first == "" && !f.Required:
		return nil, nil
	case first == "" && f.Type != "string":
		return nil, errors.New("this field is required")
	}
	return f.Value(first)
}
