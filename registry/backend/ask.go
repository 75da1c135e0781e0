package backend

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Limits of a server's questions in the middle of a call, and of the answers.
const (
	MaxQuestions = 3        // in one round, or of an old session in one call
	MaxQuestion  = 64 << 10 // bytes of all questions of a round, of its state, or of the answers
)

// The modes of a [Question].
const (
	Form = "form" // fields to fill in
	URL  = "url"  // a page to open; the client does not see what the person does there
)

// Question is a server's question to the person behind a call (elicitation). All its texts come
// from the server.
type Question struct {
	Key     string // identifies the question in its round; empty for an old session
	Mode    string // Form or URL
	Message string
	URL     string          // for mode URL
	Schema  json.RawMessage // for mode Form: a JSON Schema of an object with plain properties; nil allows anything
	// Done is closed when the server reports that the action at URL was done. It is nil if the
	// server will not report it.
	Done <-chan struct{}
}

// Reply is a person's answer to a [Question].
type Reply struct {
	Action  string          `json:"action"`            // Accept, Decline or Cancel
	Content json.RawMessage `json:"content,omitempty"` // for Accept in mode Form: a JSON object that fits Schema
}

// The actions of a [Reply].
const (
	Accept  = "accept"
	Decline = "decline" // the person refused
	Cancel  = "cancel"  // the person did not answer
)

// Asker asks a person. It must return before ctx ends. An error counts as Cancel.
type Asker func(ctx context.Context, q *Question) (*Reply, error)

// Continue continues a call that ended with an [InputRequiredError].
type Continue struct {
	State string          // from the InputRequiredError
	Input json.RawMessage // the answers, as [Answers] returns them
}

// InputRequiredError is returned for a call if its server has questions before it can continue.
// The call has not ended: call the same tool with the same arguments and [Send.Continue] to
// continue it, from any process, as long as the server keeps its state.
type InputRequiredError struct {
	State string // returned to the server unchanged; at most MaxQuestion bytes
	// Requests are MCP's inputRequests: a JSON object of at most MaxQuestions
	// questions and MaxQuestion bytes, see [Questions].
	Requests json.RawMessage
}

func (e *InputRequiredError) Error() string {
	var texts []string
	questions, _ := Questions(e.Requests)
	for _, q := range questions {
		texts = append(texts, strings.TrimSpace(fmt.Sprintf("%.200q %.200s", q.Message, q.URL)))
	}
	return "the server asks for input: " + strings.Join(texts, "; ")
}

// Questions returns the questions in inputRequests, ordered by their keys. It returns an error
// for requests that cannot be passed to a person: sampling, roots, or too many.
func Questions(requests json.RawMessage) ([]*Question, error) {
	var all map[string]struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	switch {
	case len(requests) > MaxQuestion:
		return nil, fmt.Errorf("the server asks for input with %d bytes; the limit is %d", len(requests), MaxQuestion)
	case len(bytes.TrimSpace(requests)) == 0:
		return nil, nil
	case json.Unmarshal(requests, &all) != nil:
		return nil, errors.New("the server asks for input, but its inputRequests are not a JSON object of requests")
	case len(all) > MaxQuestions:
		return nil, fmt.Errorf("the server asks for input with %d questions at once; the limit is %d", len(all),
			MaxQuestions)
	}
	var questions []*Question
	for _, key := range slices.Sorted(maps.Keys(all)) {
		r := all[key]
		if r.Method != "elicitation/create" {
			return nil, fmt.Errorf("the server asks for input by %.100q, which is not supported; it can only ask people, by "+
				"elicitation/create", r.Method)
		}
		q, err := ParseQuestion(r.Params)
		if err != nil {
			return nil, err
		}
		q.Key = key
		questions = append(questions, q)
	}
	return questions, nil
}

// ParseQuestion parses the params of an elicitation/create request.
func ParseQuestion(params json.RawMessage) (*Question, error) {
	var p struct {
		Mode    string          `json:"mode"`
		Message string          `json:"message"`
		URL     string          `json:"url"`
		Schema  json.RawMessage `json:"requestedSchema"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, errors.New("the server asks for input, but its question is not valid JSON")
	}
	if string(p.Schema) == "null" {
		p.Schema = nil
	}
	q := &Question{Mode: p.Mode, Message: p.Message, URL: p.URL, Schema: p.Schema}
	if q.Mode == "" {
		q.Mode = Form
	}
	switch {
	case q.Mode != Form && q.Mode != URL:
		return nil, fmt.Errorf("the server asks for input in the mode %.100q: want form or url", q.Mode)
	case (q.Mode == URL) != (q.URL != ""):
		return nil, fmt.Errorf("the server asks for input in the mode %s with the URL %.100q", q.Mode, q.URL)
	case q.Mode == URL && q.Schema != nil:
		return nil, errors.New("the server asks for input in the mode url with a schema")
	case q.Schema != nil && q.Schema[0] != '{':
		return nil, errors.New("the server asks for input with a schema that is not a JSON object")
	}
	return q, nil
}

// Answers returns the inputResponses for replies, by the keys of their questions.
func Answers(replies map[string]*Reply) (json.RawMessage, error) {
	for key, r := range replies {
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("the answer to %.100q: %w", key, err)
		}
	}
	b, err := json.Marshal(replies)
	if err == nil && len(b) > MaxQuestion {
		err = fmt.Errorf("the answers have %d bytes; the limit is %d", len(b), MaxQuestion)
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// check returns why a reply is invalid.
func (r *Reply) check() error {
	switch {
	case r == nil:
		return errors.New("it is missing")
	case r.Action != Accept && r.Action != Decline && r.Action != Cancel:
		return fmt.Errorf("the action is %.100q: want accept, decline or cancel", r.Action)
	case len(r.Content) == 0:
		return nil
	case r.Action != Accept:
		return fmt.Errorf("it has content, although the action is %q", r.Action)
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(r.Content, &object) != nil || object == nil {
		return errors.New("the content is not a JSON object")
	}
	return nil
}
