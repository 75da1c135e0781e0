package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/otel/propagation"

	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/text"
)

// Kinds of messages between a caller and a node. The caller sends what it wants to the
// subject of the server, and asks every beat whether the node is still at it. All else is
// asked by the node, again and again until the caller answers with the same kind: what is
// said twice is done once.
const (
	// To a subject of the server.
	callKind    = "call"
	listKind    = "list"    // what the server says of its tools
	sessionKind = "session" // since when it has what a subject's calls did
	aliveKind   = "alive"   // is the node still at it? The answer is alive or over
	cancelKind  = "cancel"

	// The node's answers to the first three.
	takenKind     = "taken"
	elsewhereKind = "elsewhere" // Node has the subject's session
	refusedKind   = "refused"

	// To the inbox of the call.
	argsKind  = "args"  // part N of the arguments, please
	beginKind = "begin" // may the first byte of the call leave?
	askKind   = "ask"   // Question N for the person behind the call
	pageKind  = "page"  // what the URL of Question N leads to was done
	laterKind = "later" // the call goes on later, see backend.Send.Later
	partKind  = "part"  // part N of the answer, but for the last one
	endKind   = "end"   // the last part of the answer, or the error

	overKind = "over" // nobody here knows of the call any more
)

const (
	wireVersion = 1
	maxHead     = 400 << 10 // of a message, in bytes: with a part below what servers take
	maxBody     = 64 << 20  // of arguments or an answer, as of a message from a server
	maxSaid     = 16 << 10  // of an error, in bytes
	maxHide     = 64        // secrets in an answer
	maxSecret   = 4 << 10   // bytes of one
	maxToken    = 1 << 10   // of tools, subjects and keys, in bytes
)

// message is what a caller and a node tell each other: a line of JSON, and behind it a
// part of the arguments or of the answer.
type message struct {
	V        int            `json:"v"`
	Kind     string         `json:"kind"`
	ID       string         `json:"id,omitempty"`   // of the call
	Node     string         `json:"node,omitempty"` // that sends it, or has the session
	N        int            `json:"n,omitempty"`
	Call     *wireCall      `json:"call,omitempty"`
	Size     int            `json:"size,omitempty"`   // bytes of all parts
	Digest   string         `json:"digest,omitempty"` // SHA-256 of several parts in hexadecimal
	Error    *wireError     `json:"error,omitempty"`
	Question *wireQuestion  `json:"question,omitempty"`
	Reply    *backend.Reply `json:"reply,omitempty"`
	Later    *wireLater     `json:"later,omitempty"`
	Session  *wireSession   `json:"session,omitempty"`
	// Hide are secrets of the node's config that are in the answer: they are hidden in the
	// record of the run.
	Hide []string        `json:"hide,omitempty"`
	data json.RawMessage // behind the line
}

// wireCall is a call without its arguments.
type wireCall struct {
	Tool     string            `json:"tool,omitempty"`
	Left     int64             `json:"left_ms,omitempty"` // until it must have ended; 0: the node's own limit
	Effect   bool              `json:"effect,omitempty"`
	Key      string            `json:"key,omitempty"`
	Expect   string            `json:"expect,omitempty"`
	Tenant   string            `json:"tenant,omitempty"`
	Shares   bool              `json:"shares,omitempty"`
	Subject  string            `json:"subject,omitempty"`
	Asks     bool              `json:"asks,omitempty"`  // somebody can be asked
	Notes    bool              `json:"notes,omitempty"` // that it goes on later
	Continue *wireContinue     `json:"continue,omitempty"`
	Trace    map[string]string `json:"trace,omitempty"`
}

type wireContinue struct {
	State string          `json:"state,omitempty"`
	Task  string          `json:"task,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
}

type wireLater struct {
	State string `json:"state,omitempty"`
	Task  string `json:"task,omitempty"`
}

type wireQuestion struct {
	Key     string          `json:"key,omitempty"`
	Mode    string          `json:"mode"`
	Message string          `json:"message,omitempty"`
	URL     string          `json:"url,omitempty"`
	Schema  json.RawMessage `json:"schema,omitempty"`
	Page    bool            `json:"page,omitempty"` // it will be said that it was done
}

// wireSession is what a node says of a server's session.
type wireSession struct {
	Keeps bool  `json:"keeps"`
	Age   int64 `json:"age_ms"` // since when it is there; negative: it is not
}

// wireError is the error of a call.
type wireError struct {
	Outcome  backend.Outcome `json:"outcome"`
	Text     string          `json:"text"`
	Is       []string        `json:"is,omitempty"` // see wireErrors
	Refused  *wireRefused    `json:"refused,omitempty"`
	Pause    *int64          `json:"pause_ms,omitempty"`
	Asks     *wireLater      `json:"asks,omitempty"`
	Requests json.RawMessage `json:"requests,omitempty"` // of Asks
}

type wireRefused struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
}

// wireErrors are the errors by which callers decide.
var wireErrors = map[string]error{
	"disconnected": backend.ErrDisconnected,
	"not_callable": backend.ErrNotCallable,
	"unavailable":  backend.ErrUnavailable,
	"sign_in":      backend.ErrSignIn,
	"closed":       backend.ErrClosed,
	"deadline":     context.DeadlineExceeded,
	"canceled":     context.Canceled,
}

// encode returns a message as it is sent.
func (m *message) encode() ([]byte, error) {
	m.V = wireVersion
	var b bytes.Buffer
	b.Grow(512 + len(m.data))
	e := json.NewEncoder(&b) // ends with a line feed
	e.SetEscapeHTML(false)
	err := e.Encode(m)
	if err == nil && b.Len() > maxHead {
		err = fmt.Errorf("a message of %d bytes beside its data, at most %d are sent", b.Len(), maxHead)
	}
	if err != nil {
		return nil, err
	}
	b.Write(m.data)
	return b.Bytes(), nil
}

// decodeMessage reads what encode wrote.
func decodeMessage(b []byte) (*message, error) {
	head, data, _ := bytes.Cut(b, []byte{'\n'})
	m := &message{data: data}
	if len(head) > maxHead || len(data) > part {
		return nil, fmt.Errorf("a message of %d and %d bytes, at most %d and %d are read", len(head), len(data), maxHead,
			part)
	}
	if err := json.Unmarshal(head, m); err != nil {
		return nil, fmt.Errorf("a message that cannot be read: %w", err)
	}
	if m.V != wireVersion {
		return nil, fmt.Errorf("a message of version %d, want %d: update the older program", m.V, wireVersion)
	}
	if len(m.ID) > maxToken || len(m.Node) > maxToken || m.N < 0 || m.Size < 0 || m.Size > maxBody {
		return nil, errors.New("a message with an ID, a number or a size out of bounds")
	}
	if len(m.Hide) > maxHide || slices.ContainsFunc(m.Hide, func(s string) bool { return len(s) > maxSecret }) {
		return nil, fmt.Errorf("a message with %d secrets; at most %d of %d bytes are read", len(m.Hide), maxHide, maxSecret)
	}
	if c := m.Call; c != nil {
		for _, s := range []string{c.Tool, c.Key, c.Tenant, c.Subject} {
			if len(s) > maxToken {
				return nil, fmt.Errorf("a call with a name of %d bytes, at most %d are read", len(s), maxToken)
			}
		}
	}
	return m, nil
}

// inParts gives m what must be known of a body in several parts.
func (m *message) inParts(body []byte) {
	if m.Size = len(body); len(body) > part {
		sum := sha256.Sum256(body)
		m.Digest = hex.EncodeToString(sum[:])
	}
}

// partOf returns part n of a body, nil where there is none.
func partOf(body []byte, n int) []byte {
	if n < 0 || n > len(body)/part {
		return nil
	}
	return body[n*part : min((n+1)*part, len(body))]
}

// whole reports what is wrong with a body that came in parts; m is what inParts filled.
func (m *message) whole(body []byte) error {
	sum := sha256.Sum256(body)
	switch {
	case len(body) != m.Size:
		return fmt.Errorf("%d of its %d bytes have arrived", len(body), m.Size)
	case m.Size > part && hex.EncodeToString(sum[:]) != m.Digest:
		return errors.New("its bytes are not those that were sent")
	}
	return nil
}

// errorOnWire is the error of a call of which an outcome is known.
func errorOnWire(err error, o backend.Outcome) *wireError {
	w := &wireError{Outcome: o, Text: text.CutBytes(err.Error(), maxSaid)}
	for name, is := range wireErrors {
		if errors.Is(err, is) {
			w.Is = append(w.Is, name)
		}
	}
	if refused := (*backend.RefusedError)(nil); errors.As(err, &refused) {
		w.Refused = &wireRefused{refused.Code, text.CutBytes(refused.Message, maxSaid)}
	}
	if pause := (*backend.PauseError)(nil); errors.As(err, &pause) {
		ms := pause.Wait.Milliseconds()
		w.Pause = &ms
	}
	if asks := (*backend.InputRequiredError)(nil); errors.As(err, &asks) {
		w.Asks, w.Requests = &wireLater{asks.State, asks.Task}, asks.Requests
	}
	return w
}

// nodeError is the error of a call at a node: what it said, and the types that it had.
type nodeError struct {
	text string
	is   []error
}

func (e *nodeError) Error() string   { return e.text }
func (e *nodeError) Unwrap() []error { return e.is }

// error returns the error of a call of a tool. Requests that ask too much were not sent by
// a node: they are an answer that cannot be read.
func (w *wireError) error(server, tool string) error {
	e := &nodeError{text: text.CutBytes(w.Text, maxSaid)}
	for _, name := range w.Is {
		if is := wireErrors[name]; is != nil {
			e.is = append(e.is, is)
		}
	}
	if w.Refused != nil {
		e.is = append(e.is, &backend.RefusedError{Server: server, Tool: tool, Code: w.Refused.Code,
			Message: w.Refused.Message})
	}
	if w.Pause != nil {
		e.is = append(e.is, &backend.PauseError{Err: errors.New(e.text), Wait: time.Duration(*w.Pause) * time.Millisecond})
	}
	if w.Asks != nil {
		if _, err := backend.Questions(w.Requests); err != nil || len(w.Asks.State) > backend.MaxQuestion ||
			len(w.Asks.Task) > backend.MaxTaskID {
			return &backend.OutcomeError{Outcome: backend.Answered, Err: errors.New(e.text)}
		}
		e.is = append(e.is, &backend.InputRequiredError{State: w.Asks.State, Task: w.Asks.Task, Requests: w.Requests})
	}
	switch w.Outcome {
	case backend.Answered, backend.NotSent, backend.Unread, backend.Later:
		return &backend.OutcomeError{Outcome: w.Outcome, Err: e}
	}
	return &backend.OutcomeError{Outcome: backend.Unknown, Err: e}
}

// traced is the trace that a context belongs to.
func traced(ctx context.Context) map[string]string {
	trace := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, trace)
	return trace
}

func callSubject(server string) string          { return prefix + "call." + token(server) }
func nodeSubject(server, process string) string { return callSubject(server) + "." + token(process) }

// ownerSubject is that of the claim of a server's session of a subject of calls.
func ownerSubject(server, subject string) string {
	return prefix + "owner." + token(server) + "." + token(subject)
}
