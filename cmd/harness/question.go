package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/wrappers"
)

// asksServer asks the person at the terminal a question that a server has during a call.
func (e *env) asksServer(ctx context.Context, server string, q *backend.Question) (*backend.Reply, error) {
	e.line.Clear()
	fmt.Fprintf(e.stderr, "\nThe server %s asks, in its own words:\n", present.Visible(server, 200, ascii()))
	e.quote(q.Message)
	if q.Mode == backend.URL {
		io.WriteString(e.stderr, "It names a page, which is not opened here. The page can see who opens it:\n")
		e.quote(q.URL)
		word, err := e.chosen(ctx, "Have you done what the page asks for? [y/n] ", "yes", "no")
		if err != nil || word == "no" {
			return &backend.Reply{Action: refusal(err)}, nil
		}
		return &backend.Reply{Action: backend.Accept}, nil
	}
	content, err := e.form(ctx, q, wrappers.SchemaFields(q.Schema))
	if err != nil || content == nil {
		return &backend.Reply{Action: refusal(err)}, nil
	}
	return &backend.Reply{Action: backend.Accept, Content: content}, nil
}

// quote writes an untrusted text behind a bar.
func (e *env) quote(text string) {
	_ = present.Document{&present.Quote{Text: text}}.Terminal(e.stderr, &present.Options{Width: columns(e.stderr, 80), ASCII: ascii()})
}

// refusal returns the elicitation action for a person who refuses or, if err is not nil,
// does not answer.
func refusal(err error) string {
	if err != nil {
		return backend.Cancel
	}
	return backend.Decline
}

// form asks for fields one by one, and returns them as an object, or nil if the person refuses.
func (e *env) form(ctx context.Context, q *backend.Question, all []*wrappers.Field) (json.RawMessage, error) {
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
		if err := q.Fits(content); err != nil {
			fmt.Fprintf(e.stderr, "The answer does not fit the question: %s\n", present.Visible(err.Error(), 500, ascii()))
			question = "Again? [y/n] "
			continue
		}
		io.WriteString(e.stderr, "Your answer:\n")
		e.quote(string(content))
		word, err = e.chosen(ctx, "Send it? [y/n] ", "yes", "no")
		if err != nil || word == "no" {
			return nil, err
		}
		return content, nil
	}
}

func names(all []*wrappers.Field) string {
	var out []string
	for _, f := range all {
		out = append(out, present.Visible(f.Name, 100, ascii()))
	}
	return strings.Join(out, ", ")
}

// filled asks for each field, and returns an object with the values.
func (e *env) filled(ctx context.Context, all []*wrappers.Field) (json.RawMessage, error) {
	values := map[string]json.RawMessage{}
	for _, f := range all {
		v, err := e.fill(ctx, f)
		if err != nil {
			return nil, err
		}
		if v != nil {
			values[f.Name] = v
		}
	}
	return json.Marshal(values)
}

// fill asks for a field. It returns nil if the field is omitted.
func (e *env) fill(ctx context.Context, f *wrappers.Field) (json.RawMessage, error) {
	var notes []string
	for _, s := range []string{f.Title, f.Doc, f.Limits} {
		if s != "" {
			notes = append(notes, s)
		}
	}
	choices := make([]string, len(f.Enum))
	for i, v := range f.Enum {
		if choices[i] = v; i < len(f.Labels) && f.Labels[i] != "" {
			choices[i] += " (" + f.Labels[i] + ")"
		}
	}
	switch {
	case len(choices) > 0 && f.Kind == "list":
		notes = append(notes, "some of "+strings.Join(choices, ", "))
	case len(choices) > 0:
		notes = append(notes, "one of "+strings.Join(choices, ", "))
	case f.Kind == "list":
		notes = append(notes, "separated by commas")
	case f.Kind == "boolean":
		notes = append(notes, "y or n")
	case f.Kind == "integer" || f.Kind == "number":
		notes = append(notes, "a number")
	case f.Kind != "string":
		notes = append(notes, "JSON")
	}
	switch {
	case f.Default != "":
		notes = append(notes, "default: "+f.Default)
	case !f.Required:
		notes = append(notes, "may be left empty")
	}
	question := present.Visible(f.Name, 100, ascii())
	if len(notes) > 0 {
		question += " (" + present.Visible(strings.Join(notes, "; "), 1000, ascii()) + ")"
	}
	for {
		text, err := e.answer(ctx, question+": ")
		switch {
		case err != nil:
			return nil, err
		case text == "" && f.Default != "":
			return json.RawMessage(f.Default), nil
		case text == "" && !f.Required:
			return nil, nil
		case text == "" && f.Kind != "string":
			continue
		}
		v, err := typed(f, f.Kind, text)
		if err == nil {
			return v, nil
		}
		fmt.Fprintf(e.stderr, "%s\n", present.Visible(err.Error(), 1000, ascii()))
	}
}

// typed returns the value of a field as JSON, from a text that a person typed: y or n, a
// number, JSON, a text, or a list with commas.
func typed(f *wrappers.Field, kind, text string) (json.RawMessage, error) {
	quoted, err := json.Marshal(text)
	word := strings.ToLower(text)
	switch {
	case err != nil:
		return nil, err
	case kind == "list":
		list := []json.RawMessage{}
		for s := range strings.SplitSeq(text, ",") {
			if s = strings.TrimSpace(s); s == "" {
				continue
			}
			v, err := typed(f, f.Elem, s)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return json.Marshal(list)
	case len(f.Enum) > 0:
		for _, v := range f.Enum {
			if v == text || v == string(quoted) {
				return json.RawMessage(v), nil
			}
		}
		return nil, fmt.Errorf("want one of %s", strings.Join(f.Enum, ", "))
	case kind == "string":
		return quoted, nil
	case kind == "boolean" && (word == "y" || word == "yes" || word == "true"):
		return json.RawMessage("true"), nil
	case kind == "boolean" && (word == "n" || word == "no" || word == "false"):
		return json.RawMessage("false"), nil
	case kind == "boolean":
		return nil, errors.New("want y or n")
	}
	d := json.RawMessage(text)
	var n json.Number
	switch {
	case kind == "integer" && (json.Unmarshal(d, &n) != nil || strings.ContainsAny(text, ".eE")):
		return nil, errors.New("want a whole number")
	case kind == "number" && json.Unmarshal(d, &n) != nil:
		return nil, errors.New("want a number")
	case !json.Valid(d):
		return nil, errors.New("want JSON")
	}
	return d, nil
}
