package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/usetools/usetools/harness/record/show"
	"github.com/usetools/usetools/registry/backend"
)

// maxFields bounds the fields of a form that is filled in at a terminal.
const maxFields = 50

// field is a field of a form that a server asks for.
type field struct {
	name     string
	required bool
	Type     string          `json:"type"`
	Title    string          `json:"title"`
	About    string          `json:"description"`
	Enum     []string        `json:"enum"`
	OneOf    []constant      `json:"oneOf"`
	Default  json.RawMessage `json:"default"`
	Items    struct {
		Enum  []string   `json:"enum"`
		AnyOf []constant `json:"anyOf"`
	} `json:"items"`
}

// constant is a value that is chosen, with what it means.
type constant struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// fields are those of a form, in the order of its schema.
func fields(schema json.RawMessage) ([]field, error) {
	if len(schema) == 0 {
		return nil, nil
	}
	var s struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, errors.New("its schema is not understood")
	}
	if len(s.Properties) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(s.Properties))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("the properties of its schema are no object")
	}
	var out []field
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, errors.New("its schema is not understood")
		}
		f := field{name: name.(string)} // a key
		if err := d.Decode(&f); err != nil {
			return nil, fmt.Errorf("its field %.100q is not understood", f.name)
		}
		f.required = slices.Contains(s.Required, f.name)
		if out = append(out, f); len(out) > maxFields {
			return nil, fmt.Errorf("it has more than %d fields", maxFields)
		}
	}
	return out, nil
}

// choices are the values that the field may have; nil: any of its type.
func (f *field) choices() []string {
	all := slices.Concat(f.Enum, f.Items.Enum)
	for _, c := range slices.Concat(f.OneOf, f.Items.AnyOf) {
		all = append(all, c.Const)
	}
	return all
}

// value reads what was typed for the field.
func (f *field) value(text string) (json.RawMessage, error) {
	choices := f.choices()
	one := func(s string) error {
		if choices != nil && !slices.Contains(choices, s) {
			return fmt.Errorf("want one of %s", strings.Join(choices, ", "))
		}
		return nil
	}
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
		list := []string{}
		for s := range strings.SplitSeq(text, ",") {
			if s = strings.TrimSpace(s); s == "" {
				continue
			}
			if err := one(s); err != nil {
				return nil, err
			}
			list = append(list, s)
		}
		v = list
	default:
		if err := one(text); err != nil {
			return nil, err
		}
	}
	return json.Marshal(v)
}

// asksServer asks the person at the terminal what a server wants to know in the
// middle of a call. The server's words stand behind a bar.
func (e *env) asksServer(ctx context.Context, server string, q *backend.Question) (*backend.Reply, error) {
	e.line.Clear()
	ascii := ascii()
	fmt.Fprintf(e.stderr, "\nThe server %s asks, in its own words:\n", show.Visible(server, 200, ascii))
	show.Bars(e.stderr, q.Message, columns(e.stderr, 80), ascii)
	if q.Mode == backend.URL {
		fmt.Fprintf(e.stderr, "It names a page. It is not opened here; who opens it is known to who runs it:\n")
		show.Bars(e.stderr, q.URL, columns(e.stderr, 80), ascii)
		word, err := e.chosen(ctx, "Have you done there what it asks for? [y/n] ", "yes", "no")
		if err != nil || word == "no" {
			return &backend.Reply{Action: refusal(err)}, nil
		}
		return &backend.Reply{Action: backend.Accept}, nil
	}
	all, err := fields(q.Schema)
	if err != nil {
		fmt.Fprintf(e.stderr, "It cannot be answered here: %v.\n", err)
		return nil, err
	}
	content, err := e.form(ctx, q.Schema, all)
	if err != nil || content == nil {
		return &backend.Reply{Action: refusal(err)}, nil
	}
	return &backend.Reply{Action: backend.Accept, Content: content}, nil
}

// refusal is what a server is told where a person gives no answer: err says that
// nobody said anything.
func refusal(err error) string {
	if err != nil {
		return backend.Cancel
	}
	return backend.Decline
}

// form asks for fields one by one, and returns them as an object; nil: the person
// does not want to tell.
func (e *env) form(ctx context.Context, schema json.RawMessage, all []field) (json.RawMessage, error) {
	question := "Answer it? [y/n] "
	if len(all) > 0 {
		question = fmt.Sprintf("It asks for %s. Answer it? [y/n] ", names(all))
	}
	for {
		word, err := e.chosen(ctx, question, "yes", "no")
		if err != nil || word == "no" {
			return nil, err
		}
		content, err := e.filled(ctx, all)
		if err != nil {
			return nil, err
		}
		if len(all) == 0 {
			return content, nil
		}
		if err := fits(schema, content); err != nil {
			fmt.Fprintf(e.stderr, "That does not fit what it asks for: %s\n", show.Visible(err.Error(), 500, ascii()))
			question = "Again? [y/n] "
			continue
		}
		io.WriteString(e.stderr, "It will be told:\n")
		show.Bars(e.stderr, string(content), columns(e.stderr, 80), ascii())
		word, err = e.chosen(ctx, "Tell it? [y/n] ", "yes", "no")
		if err != nil || word == "no" {
			return nil, err
		}
		return content, nil
	}
}

func names(all []field) string {
	var out []string
	for _, f := range all {
		out = append(out, show.Visible(f.name, 100, ascii()))
	}
	return strings.Join(out, ", ")
}

// filled asks for each field.
func (e *env) filled(ctx context.Context, all []field) (json.RawMessage, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, f := range all {
		v, err := e.fill(ctx, &f)
		if err != nil {
			return nil, err
		}
		if v == nil {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		key, _ := json.Marshal(f.name) // a string
		b.Write(append(append(key, ':'), v...))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// fill asks for a field; nil: it is left out.
func (e *env) fill(ctx context.Context, f *field) (json.RawMessage, error) {
	var notes []string
	for _, s := range []string{f.Title, f.About} {
		if s != "" {
			notes = append(notes, s)
		}
	}
	switch choices := f.choices(); {
	case choices != nil && f.Type == "array":
		notes = append(notes, "some of "+strings.Join(choices, ", "))
	case choices != nil:
		notes = append(notes, "one of "+strings.Join(choices, ", "))
	case f.Type == "boolean":
		notes = append(notes, "y or n")
	case f.Type == "integer" || f.Type == "number":
		notes = append(notes, "a number")
	}
	switch {
	case f.Default != nil:
		notes = append(notes, "empty: "+string(f.Default))
	case !f.required:
		notes = append(notes, "may be left empty")
	}
	question := show.Visible(f.name, 100, ascii())
	if len(notes) > 0 {
		question += " (" + show.Visible(strings.Join(notes, "; "), 1000, ascii()) + ")"
	}
	for {
		text, err := e.answer(ctx, question+": ")
		switch {
		case err != nil:
			return nil, err
		case text == "" && f.Default != nil:
			return f.Default, nil
		case text == "" && !f.required:
			return nil, nil
		case text == "" && f.Type != "string":
			continue
		}
		v, err := f.value(text)
		if err == nil {
			return v, nil
		}
		fmt.Fprintf(e.stderr, "%s\n", show.Visible(err.Error(), 1000, ascii()))
	}
}

// fits says in what an answer is not what a schema describes. A schema that cannot be
// used says nothing: the server looks itself.
func fits(schema, content json.RawMessage) error {
	var s jsonschema.Schema
	if json.Unmarshal(schema, &s) != nil {
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
