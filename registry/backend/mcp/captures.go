package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/registry/backend"
)

// captures takes raw results out of responses. It records a request whose context
// holds a capture when the request is sent. When the response arrives, the capture
// gets the bytes of the result, and the SDK gets an empty result to decode. So
// no result can make the SDK's decoding fail, and no byte of it is changed.
//
// The SDK (v1.8.0) has no other access to raw results. AddSendingCustomMethod refuses the name
// tools/call. A Connection that wraps the one of StreamableClientTransport misses the handshake,
// because sessionUpdated is not exported. Once either becomes possible, captures and the
// rewriting of events and bodies can be removed.
//
// Errors pass unchanged. A result that asks the client for input is captured too,
// because the SDK would answer it by sending the request again.
type captures struct {
	asked *questions

	mu   sync.Mutex
	byID map[jsonrpc.ID]*capture
}

// capture holds one raw result. It may be read after the SDK has returned without an
// error.
type capture struct {
	id     jsonrpc.ID
	call   *call // nil for tools/list
	raw    json.RawMessage
	err    error           // our own reason for a missing result
	became backend.Outcome // of a request without a result, if it is known
}

type captureKey struct{}

// newCaptures returns an empty captures. relayed is the field of questions.
func newCaptures(relayed bool) *captures {
	return &captures{asked: newQuestions(relayed), byID: map[jsonrpc.ID]*capture{}}
}

// wanted returns the capture that a request's context holds, or nil.
func wanted(ctx context.Context) *capture {
	c, _ := ctx.Value(captureKey{}).(*capture)
	return c
}

// sendOf returns the Send of the call that a request belongs to, or nil.
func sendOf(ctx context.Context) *backend.Send {
	if c := wanted(ctx); c != nil && c.call != nil {
		return c.call.req.Send
	}
	return nil
}

// sent records a request before it is written.
func (cs *captures) sent(ctx context.Context, m jsonrpc.Message) {
	c := wanted(ctx)
	r, ok := m.(*jsonrpc.Request)
	if c == nil || !ok || !r.IsCall() {
		return
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c.id = r.ID
	cs.byID[r.ID] = c
}

// fail records why an answered request gets no result.
func (cs *captures) fail(id jsonrpc.ID, err error) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if c := cs.byID[id]; c != nil {
		c.err, c.became = err, backend.Unread
	}
}

// became records the outcome of a request, unless it has one.
func (cs *captures) became(id jsonrpc.ID, o backend.Outcome) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if c := cs.byID[id]; c != nil {
		c.became = cmp.Or(c.became, o)
	}
}

// failure returns the error of a request with its outcome, if that is known. err is the
// SDK's error.
func (cs *captures) failure(c *capture, err error) error {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	err = cmp.Or(c.err, err)
	if c.became == "" {
		return err
	}
	return &backend.OutcomeError{Outcome: c.became, Err: err}
}

// forget removes a capture for which no response is expected any more.
func (cs *captures) forget(c *capture) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	delete(cs.byID, c.id)
}

var (
	emptyCall = json.RawMessage(`{"content":[]}`)
	emptyList = json.RawMessage(`{"tools":[]}`)
)

// incoming handles a message before the SDK gets it, and reports whether the SDK may get it. from
// is the request that its stream belongs to, or nil. It blocks while too many requests of the server
// are unanswered, until quit ends.
func (cs *captures) incoming(m jsonrpc.Message, from *capture, quit <-chan struct{}) bool {
	r, ok := m.(*jsonrpc.Request)
	switch {
	case !ok:
		cs.received(m)
	case r.IsCall():
		if !cs.asked.ask(r.ID, quit) {
			return false
		}
		if params, relayed := cs.asked.mark(r.ID, r.Method, r.Params, from); relayed {
			r.Params = params
		}
	}
	return true
}

// received takes the result out of an expected response, and reports whether it did.
func (cs *captures) received(m jsonrpc.Message) bool {
	r, ok := m.(*jsonrpc.Response)
	if !ok {
		return false
	}
	if r.Error != nil {
		cs.became(r.ID, backend.Answered)
		return false
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c := cs.byID[r.ID]
	if c == nil {
		return false
	}
	delete(cs.byID, r.ID)
	c.raw, r.Result = r.Result, emptyCall
	if c.call == nil {
		r.Result = headerTools(c.raw)
	}
	return true
}

// headerTools returns the list for the SDK: only the tools whose arguments are repeated in
// HTTP headers, because the SDK sets those headers.
func headerTools(list json.RawMessage) json.RawMessage {
	if !bytes.Contains(list, headerMark) {
		return emptyList
	}
	var l struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if json.Unmarshal(list, &l) != nil {
		return emptyList
	}
	kept := []json.RawMessage{}
	for _, t := range l.Tools {
		if _, ok := headerTool(t); ok {
			kept = append(kept, t)
		}
	}
	l.Tools = kept
	b, err := json.Marshal(l)
	if err != nil {
		return emptyList
	}
	return b
}

var headerMark = []byte(`"x-mcp-header"`)

// headerTool returns the name of a tool whose arguments are repeated in headers.
func headerTool(raw json.RawMessage) (name string, ok bool) {
	if !bytes.Contains(raw, headerMark) {
		return "", false
	}
	var t mcp.Tool
	err := json.Unmarshal(raw, &t)
	return t.Name, err == nil
}

// withoutBadHeaders removes tools with arguments in invalid headers, as the protocol requires.
// good are the tools of headerTools that the SDK accepted.
func withoutBadHeaders(tools []json.RawMessage, good []*mcp.Tool) (kept []json.RawMessage, problems []string) {
	for _, raw := range tools {
		name, ok := headerTool(raw)
		if ok && !slices.ContainsFunc(good, func(t *mcp.Tool) bool { return t.Name == name }) {
			problems = append(problems, fmt.Sprintf("tool %.100q omitted: its x-mcp-header is not valid", name))
			continue
		}
		kept = append(kept, raw)
	}
	return kept, problems
}

// envelope is a message. Only its outermost level is decoded.
type envelope struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  *string         `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`

	id jsonrpc.ID // not valid in a notification
}

// isResult reports whether the message is a response without an error.
func (e *envelope) isResult() bool {
	return e.Method == nil && e.id.IsValid() && len(e.Result) > 0 && (len(e.Error) == 0 || string(e.Error) == "null")
}

func decodeEnvelope(data []byte) (*envelope, error) {
	var e envelope
	if err := json.Unmarshal(data, &e); err != nil {
		return nil, err
	}
	if e.Version != "2.0" {
		return nil, fmt.Errorf("version %q of JSON-RPC: want 2.0", e.Version)
	}
	var id any
	if len(e.ID) > 0 {
		if err := json.Unmarshal(e.ID, &id); err != nil {
			return nil, err
		}
	}
	var err error
	e.id, err = jsonrpc.MakeID(id)
	return &e, err
}

// decodeMessage decodes a message. It decodes only the envelope of a result, which may be large.
// That saves the SDK's buffers, and avoids the SDK's limit of 1,000 levels.
func decodeMessage(data []byte) (jsonrpc.Message, error) {
	if e, err := decodeEnvelope(data); err == nil && e.isResult() {
		return &jsonrpc.Response{ID: e.id, Result: e.Result}, nil
	}
	return jsonrpc.DecodeMessage(data)
}
