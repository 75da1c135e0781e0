package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/registry/backend"
)

// asksServer asks the person at the terminal what a server wants to know in the
// middle of a call. The server's words stand behind a bar.
func (e *env) asksServer(ctx context.Context, server string, q *backend.Question) (*backend.Reply, error) {
	e.line.Clear()
	ascii := ascii()
	fmt.Fprintf(e.stderr, "\nThe server %s asks, in its own words:\n", present.Visible(server, 200, ascii))
	present.Bars(e.stderr, q.Message, columns(e.stderr, 80), ascii)
	if q.Mode == backend.URL {
		fmt.Fprintf(e.stderr, "It names a page. It is not opened here; who opens it is known to who runs it:\n")
		present.Bars(e.stderr, q.URL, columns(e.stderr, 80), ascii)
		word, err := e.chosen(ctx, "Have you done there what it asks for? [y/n] ", "yes", "no")
		if err != nil || word == "no" {
			return &backend.Reply{Action: refusal(err)}, nil
		}
		return &backend.Reply{Action: backend.Accept}, nil
	}
	all, err := q.Fields()
	if err != nil {
		fmt.Fprintf(e.stderr, "It cannot be answered here: %v.\n", err)
		return nil, err
	}
	content, err := e.form(ctx, q, all)
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
func (e *env) form(ctx context.Context, q *backend.Question, all []backend.Field) (json.RawMessage, error) {
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
			fmt.Fprintf(e.stderr, "That does not fit what it asks for: %s\n", present.Visible(err.Error(), 500, ascii()))
			question = "Again? [y/n] "
			continue
		}
		io.WriteString(e.stderr, "It will be told:\n")
		present.Bars(e.stderr, string(content), columns(e.stderr, 80), ascii())
		word, err = e.chosen(ctx, "Tell it? [y/n] ", "yes", "no")
		if err != nil || word == "no" {
			return nil, err
		}
		return content, nil
	}
}

func names(all []backend.Field) string {
	var out []string
	for _, f := range all {
		out = append(out, present.Visible(f.Name, 100, ascii()))
	}
	return strings.Join(out, ", ")
}

// filled asks for each field.
func (e *env) filled(ctx context.Context, all []backend.Field) (json.RawMessage, error) {
	values := map[string]json.RawMessage{}
	for _, f := range all {
		v, err := e.fill(ctx, &f)
		if err != nil {
			return nil, err
		}
		values[f.Name] = v
	}
	return backend.Filled(all, values), nil
}

// fill asks for a field; nil: it is left out.
func (e *env) fill(ctx context.Context, f *backend.Field) (json.RawMessage, error) {
	var notes []string
	for _, s := range []string{f.Title, f.About} {
		if s != "" {
			notes = append(notes, s)
		}
	}
	switch choices := f.Choices(); {
	case choices != nil && f.Type == "array":
		notes = append(notes, "some of "+f.Listed())
	case choices != nil:
		notes = append(notes, "one of "+f.Listed())
	case f.Type == "boolean":
		notes = append(notes, "y or n")
	case f.Type == "integer" || f.Type == "number":
		notes = append(notes, "a number")
	}
	switch {
	case f.Default != nil:
		notes = append(notes, "empty: "+string(f.Default))
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
		case text == "" && f.Default != nil:
			return f.Default, nil
		case text == "" && !f.Required:
			return nil, nil
		case text == "" && f.Type != "string":
			continue
		}
		v, err := f.Value(text)
		if err == nil {
			return v, nil
		}
		fmt.Fprintf(e.stderr, "%s\n", present.Visible(err.Error(), 1000, ascii()))
	}
}
