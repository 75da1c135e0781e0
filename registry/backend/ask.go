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

// Bounds of what a server asks in the middle of a call, and of what it is told.
const (
	MaxQuestions = 3        // at a time, and by an old session in one call
	MaxQuestion  = 64 << 10 // bytes of all questions of a round, of its state, or of the answers
)

// Ways in which a [Question] is asked.
const (
	Form = "form" // fields to fill in
	URL  = "url"  // a page to open; what is done there the client never sees
)

// Question is what a server asks the person behind a call (elicitation). All of
// it is the server's own words.
type Question struct {
	Key     string // of the question among those of its round; empty: asked by an old session
	Mode    string // Form or URL
	Message string
	URL     string          // of mode URL
	Schema  json.RawMessage // of mode Form: a JSON Schema of an object with plain properties; nil: any
	// Done is closed when the server says that what URL leads to was done; nil: it
	// will not say so.
	Done <-chan struct{}
}

// Reply is what a person answers to a [Question].
type Reply struct {
	Action  string          `json:"action"`            // Accept, Decline or Cancel
	Content json.RawMessage `json:"content,omitempty"` // of Accept in mode Form: a JSON object as Schema says
}

// What a [Reply] can say.
const (
	Accept  = "accept"
	Decline = "decline" // the person said no
	Cancel  = "cancel"  // nobody said anything
)

// Asker asks a person. It must not take longer than ctx. An error is an answer
// with Cancel.
type Asker func(ctx context.Context, q *Question) (*Reply, error)

// Continue continues a call that ended with an [InputRequiredError].
type Continue struct {
	State string          // of the InputRequiredError
	Input json.RawMessage // the answers, as [Answers] returns them
}

// InputRequiredError is returned for a call whose server has questions before
// it goes on. The call is not over: a call of the same tool with the same
// arguments and [Send.Continue] goes on with it, also from another process, as
// long as the server keeps its state.
type InputRequiredError struct {
	State string // goes back to the server as it is; at most MaxQuestion bytes
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
	return "it asks for input: " + strings.Join(texts, "; ")
}

// Questions returns what inputRequests ask, ordered by their keys. The error
// says what cannot be asked of a person: sampling, roots, too much.
func Questions(requests json.RawMessage) ([]*Question, error) {
	var all map[string]struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	switch {
	case len(requests) > MaxQuestion:
		return nil, fmt.Errorf("it asks for input with %d bytes; at most %d are passed on", len(requests), MaxQuestion)
	case len(bytes.TrimSpace(requests)) == 0:
		return nil, nil
	case json.Unmarshal(requests, &all) != nil:
		return nil, errors.New("it asks for input, but its inputRequests are not a JSON object of requests")
	case len(all) > MaxQuestions:
		return nil, fmt.Errorf("it asks for input with %d questions at once; at most %d are passed on", len(all),
			MaxQuestions)
	}
	var questions []*Question
	for _, key := range slices.Sorted(maps.Keys(all)) {
		r := all[key]
		if r.Method != "elicitation/create" {
			return nil, fmt.Errorf("it asks for input by %.100q, which is not offered; only people are asked, by "+
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

// ParseQuestion reads the params of an elicitation/create.
func ParseQuestion(params json.RawMessage) (*Question, error) {
	var p struct {
		Mode    string          `json:"mode"`
		Message string          `json:"message"`
		URL     string          `json:"url"`
		Schema  json.RawMessage `json:"requestedSchema"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, errors.New("it asks for input, but its question cannot be read")
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
		return nil, fmt.Errorf("it asks for input in the mode %.100q, want form or url", q.Mode)
	case (q.Mode == URL) != (q.URL != ""):
		return nil, fmt.Errorf("it asks for input in the mode %s with the URL %.100q", q.Mode, q.URL)
	case q.Mode == URL && q.Schema != nil:
		return nil, errors.New("it asks for input in the mode url with a schema")
	case q.Schema != nil && q.Schema[0] != '{':
		return nil, errors.New("it asks for input with a schema that is not a JSON object")
	}
	return q, nil
}

// Answers returns the inputResponses of replies by the keys of their questions.
func Answers(replies map[string]*Reply) (json.RawMessage, error) {
	for key, r := range replies {
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("the answer to %.100q: %w", key, err)
		}
	}
	b, err := json.Marshal(replies)
	if err == nil && len(b) > MaxQuestion {
		err = fmt.Errorf("the answers have %d bytes, more than %d", len(b), MaxQuestion)
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// check reports what is wrong with a reply.
func (r *Reply) check() error {
	switch {
	case r == nil:
		return errors.New("there is none")
	case r.Action != Accept && r.Action != Decline && r.Action != Cancel:
		return fmt.Errorf("the action %.100q, want accept, decline or cancel", r.Action)
	case len(r.Content) == 0:
		return nil
	case r.Action != Accept:
		return fmt.Errorf("content with %q", r.Action)
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(r.Content, &object) != nil || object == nil {
		return errors.New("the content is not a JSON object")
	}
	return nil
}
