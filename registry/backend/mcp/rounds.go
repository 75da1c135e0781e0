package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/registry/backend"
)

// Limits of the pause before a call to a busy server is sent again. The pause doubles each time.
const (
	minBusy = 250 * time.Millisecond
	maxBusy = 5 * time.Second
)

// answer sends or continues a tools/call, and returns the tool's raw result. Without it, the SDK
// would send the call again after each question.
func (s *session) answer(c *call) (raw json.RawMessage, err error) {
	ctx, send, next := c.ctx, c.req.Send, &backend.Continue{}
	if send != nil && send.Continue != nil {
		next = send.Continue
	}
	input, err := responses(next.Input)
	if err != nil {
		return nil, &backend.OutcomeError{Outcome: backend.NotSent, Err: err}
	}
	state := next.State
	for wait := minBusy; ; wait = min(2*wait, maxBusy) {
		raw, err := s.capture(ctx, c, func(ctx context.Context) error {
			_, err := s.cs.CallTool(ctx, &mcp.CallToolParams{Name: c.req.Tool, Arguments: c.req.Args.JSON(), Meta: traced(ctx), RequestState: state,
				InputResponses: input})
			return err
		})
		if err != nil {
			if asks := needsURL(err); asks != nil {
				return nil, s.asks(send, asks)
			}
			return nil, err
		}
		switch resultType(raw) {
		case "task":
			return nil, &backend.OutcomeError{Outcome: backend.Unknown,
				Err: errors.New("it answered the call with a task, although the client does not support tasks")}
		case "input_required":
		default:
			return raw, nil
		}
		asks := &backend.InputRequiredError{}
		if asks.State, asks.Requests, err = round(raw); err != nil {
			return nil, refusal(err)
		}
		if string(asks.Requests) != "{}" {
			return nil, s.asks(send, asks)
		}
		state, input = asks.State, nil // it is busy
		if err := pause(ctx, wait); err != nil {
			return nil, refusal(&ended{fmt.Errorf("the server was too busy to begin: %w", err)})
		}
		send.Again()
	}
}

// asks returns the error of a call whose server asks for input, or an error if it asks for input
// that is not supported.
func (s *session) asks(send *backend.Send, asks *backend.InputRequiredError) error {
	if _, err := backend.Questions(asks.Requests); err != nil {
		return refusal(err)
	}
	asks.Requests = s.hide.JSON(asks.Requests)
	if send != nil && send.Later != nil {
		if err := send.Later(asks.State); err != nil {
			return fmt.Errorf("%w; recording that the call continues later: %w", asks, err)
		}
	}
	return asks
}

// ended is the error of a call that the server ended or did not begin. It applies even if the
// time of the call has expired.
type ended struct{ err error }

func (e *ended) Error() string { return e.err.Error() }
func (e *ended) Unwrap() error { return e.err }

// refusal returns the error of a call whose server demands something unsupported.
func refusal(err error) error { return &backend.OutcomeError{Outcome: backend.Answered, Err: err} }

// resultType returns "task" or "input_required" if a result is one of these instead of a tool's
// result, otherwise "".
func resultType(result json.RawMessage) string {
	if !bytes.Contains(result, []byte(`"input_required"`)) && !bytes.Contains(result, []byte(`"task"`)) {
		return ""
	}
	var r struct {
		Type string `json:"resultType"`
	}
	if json.Unmarshal(result, &r) != nil || r.Type != "task" && r.Type != "input_required" {
		return ""
	}
	return r.Type
}

// round returns the questions of a result, and the state to return to the server.
func round(result json.RawMessage) (state string, requests json.RawMessage, err error) {
	var r struct {
		State    string          `json:"requestState"`
		Requests json.RawMessage `json:"inputRequests"`
	}
	switch err := json.Unmarshal(result, &r); {
	case err != nil:
		return "", nil, errors.New("the server asks for input, but its requestState is not a string")
	case len(r.State) > backend.MaxQuestion:
		return "", nil, fmt.Errorf("the server asks for input with a state of %d bytes; the limit is %d", len(r.State),
			backend.MaxQuestion)
	}
	return r.State, orNone(r.Requests), nil
}

// orNone returns requests, or {} if it is empty.
func orNone(requests json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(requests, &members) == nil && len(members) == 0 || len(requests) == 0 {
		return json.RawMessage("{}")
	}
	return requests
}

// needsURL returns the request of an old session's server for an action at a URL before it
// accepts the call, or nil if the error is another one.
func needsURL(err error) *backend.InputRequiredError {
	var refused *jsonrpc.Error
	if !errors.As(err, &refused) || refused.Code != mcp.CodeURLElicitationRequired {
		return nil
	}
	var data struct {
		Elicitations []json.RawMessage `json:"elicitations"`
	}
	if json.Unmarshal(refused.Data, &data) != nil || len(data.Elicitations) == 0 {
		return nil
	}
	type request struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	requests := map[string]request{}
	for i, e := range data.Elicitations {
		requests[fmt.Sprint(i+1)] = request{"elicitation/create", e}
	}
	b, err := json.Marshal(requests)
	if err != nil {
		return nil
	}
	return &backend.InputRequiredError{Requests: b}
}

// response is one of inputResponses for sending. The SDK (v1.8.0) does not accept a raw response,
// so it is wrapped in one of the SDK's types.
type response struct {
	mcp.ElicitResult
	raw json.RawMessage
}

func (r *response) MarshalJSON() ([]byte, error) { return r.raw, nil }

// responses decodes inputResponses.
func responses(input json.RawMessage) (mcp.InputResponseMap, error) {
	if len(input) > backend.MaxQuestion {
		return nil, fmt.Errorf("the answers to the server's questions have %d bytes; the limit is %d", len(input),
			backend.MaxQuestion)
	}
	if len(input) == 0 {
		return nil, nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(input, &members); err != nil {
		return nil, errors.New("the answers to the server's questions are not a JSON object")
	}
	all := mcp.InputResponseMap{}
	for key, raw := range members {
		all[key] = &response{raw: raw}
	}
	return all, nil
}

// pause waits for a duration, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
