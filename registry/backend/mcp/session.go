package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/propagation"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/text"
)

const (
	// maxPages, maxListBytes and maxTools bound a listing. The largest known server has 353 tools
	// in 392 KB.
	maxPages     = 1000
	maxListBytes = 64 << 20
	maxTools     = 100_000
	// maxInstructions bounds the stored instructions of a server, in bytes.
	maxInstructions = 64 << 10
	// closeTimeout is how long Close waits for the SDK before it cuts the connection. A process
	// has its own, shorter limits before that.
	closeTimeout = 8 * time.Second
)

// session is a connection after the handshake.
type session struct {
	*dialer
	cs       *mcp.ClientSession
	captures *captures
	overSSE  bool
	process  *process // stdio only
	hush     func()   // http, sse: ends running responses to the server
	hangUp   func()   // http, sse: ends idle connections
	base     context.Context
	cancel   context.CancelFunc
	done     chan struct{} // closed when the connection has ended

	close    sync.Once
	closeErr error
}

// Done returns a channel that is closed when the connection has ended: the process died, the
// server hung up, or Close was called.
func (s *session) Done() <-chan struct{} { return s.done }

// List implements backend.Backend. The tools take at most the server's StartTimeout, and its
// skills at most skillsTimeout more.
func (s *session) List(ctx context.Context) (*backend.Listing, error) {
	l, err := s.listTools(ctx)
	if err != nil {
		return nil, err
	}
	skills, problems := s.skills(ctx)
	l.Server.Skills, l.Server.Problems = skills, append(l.Server.Problems, problems...)
	return l, ctx.Err()
}

func (s *session) listTools(ctx context.Context) (*backend.Listing, error) {
	ctx, cancel := s.limit(ctx, s.server.StartTimeout)
	defer cancel()
	var good []*mcp.Tool // those that the SDK accepts
	raws, problems, err := s.pages(ctx, "tools", maxTools, func(ctx context.Context, cursor string) error {
		page, err := s.cs.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		if err == nil {
			good = append(good, page.Tools...)
		}
		return err
	})
	if err != nil && !s.hasNoTools(err) {
		return nil, s.explain(ctx, err, "listing its tools", "", s.server.StartTimeout)
	}
	if s.process == nil { // only HTTP has headers
		var bad []string
		raws, bad = withoutBadHeaders(raws, good)
		problems = append(problems, bad...)
	}
	l := &backend.Listing{Server: s.info()}
	l.Tools, l.Server.Problems = backend.DecodeTools(s.server.Name, raws)
	l.Server.Problems = append(problems, l.Server.Problems...)
	return l, nil
}

// info returns the server's description of itself in the handshake.
func (s *session) info() registry.Server {
	r := s.cs.InitializeResult()
	info := registry.Server{Name: s.server.Name, Transport: s.server.Type, Protocol: r.ProtocolVersion}
	if s.overSSE {
		info.Transport = config.SSE
	}
	if r.ServerInfo != nil {
		info.Title, info.Version = r.ServerInfo.Title, r.ServerInfo.Version
	}
	info.Instructions = text.FirstBytes(r.Instructions, maxInstructions)
	return info
}

// pages requests all pages of a list, within limits. member is the list's name in a result.
func (s *session) pages(ctx context.Context, member string, most int, ask func(ctx context.Context, cursor string) error) (
	items []json.RawMessage, problems []string, err error) {
	var cursor string
	bytes, seen := 0, map[string]bool{}
	for page := 1; ; page++ {
		raw, err := s.capture(ctx, nil, func(ctx context.Context) error { return ask(ctx, cursor) })
		if err != nil {
			return nil, nil, err
		}
		var p map[string]json.RawMessage
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, nil, fmt.Errorf("page %d of the list: %w", page, err)
		}
		if p[member] != nil {
			if err := json.Unmarshal(p[member], &list); err != nil {
				return nil, nil, fmt.Errorf("page %d of the list: %w", page, err)
			}
		}
		if room := most - len(items); len(list) > room {
			return append(items, list[:room]...),
				append(problems, fmt.Sprintf("the list has more than %d %s; the rest is omitted", most, member)), nil
		}
		items = append(items, list...)
		bytes += len(raw)
		cursor = ""
		json.Unmarshal(p["nextCursor"], &cursor) // a cursor that is not a string counts as none
		switch {
		case cursor == "":
			return items, problems, nil
		case seen[cursor]:
			return items, append(problems, fmt.Sprintf("the list repeats the cursor %.40q after page %d; the rest is omitted",
				cursor, page)), nil
		case page == maxPages:
			return items, append(problems, fmt.Sprintf("the list has more than %d pages; the rest is omitted", maxPages)), nil
		case bytes > maxListBytes:
			return items, append(problems, fmt.Sprintf("the list has more than %d bytes; the rest is omitted", maxListBytes)),
				nil
		}
		seen[cursor] = true
	}
}

// hasNoTools reports whether an error means that the server does not support tools, as declared
// in the handshake.
func (s *session) hasNoTools(err error) bool {
	var e *jsonrpc.Error
	c := s.cs.InitializeResult().Capabilities
	return errors.As(err, &e) && e.Code == jsonrpc.CodeMethodNotFound && (c == nil || c.Tools == nil)
}

// Call implements backend.Backend. It takes at most the server's CallTimeout.
func (s *session) Call(ctx context.Context, req *backend.Request) (*backend.Result, error) {
	tool, send := req.Tool, req.Send
	if err := req.Args.Err(); err != nil {
		return nil, fmt.Errorf("calling %q of server %q: %w", tool, s.server.Name, err)
	}
	ctx, cancel := s.limit(ctx, s.server.CallTimeout)
	defer cancel()
	defer send.End() // a message may still be on its way
	c, end := s.captures.asked.begin(ctx, req)
	defer end()
	ctx = c.ctx
	raw, err := s.answer(c)
	if asks := (*backend.InputRequiredError)(nil); errors.As(err, &asks) {
		return nil, fmt.Errorf("server %q: calling %q: %w", s.server.Name, tool, err)
	}
	if err != nil {
		return nil, &backend.OutcomeError{Outcome: send.Outcome(err),
			Err: s.explain(ctx, err, fmt.Sprintf("calling %q", tool), tool, s.server.CallTimeout)}
	}
	res, err := backend.DecodeResult(raw)
	if err == nil && res.IsError {
		res, err = backend.DecodeResult(s.hide.JSON(raw)) // servers repeat keys that they refuse
	}
	if err != nil {
		return nil, &backend.OutcomeError{Outcome: backend.Unread,
			Err: fmt.Errorf("server %q: calling %q: %w", s.server.Name, tool, err)}
	}
	return res, nil
}

// traced returns the _meta of a call with the trace of the context, or nil if it has none.
func traced(ctx context.Context) mcp.Meta {
	trace := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, trace)
	var m mcp.Meta
	for k, v := range trace {
		if m == nil {
			m = mcp.Meta{}
		}
		m[k] = v
	}
	return m
}

// limit returns a context with the deadline of one exchange, which also ends with Close.
func (s *session) limit(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeoutCause(ctx, d, errExchangeDeadline)
	stop := context.AfterFunc(s.base, cancel)
	return ctx, func() { stop(); cancel() }
}

var errExchangeDeadline = errors.New("deadline of one exchange")

// capture runs one exchange and returns its raw result. by is nil for tools/list.
func (s *session) capture(ctx context.Context, by *call, exchange func(context.Context) error) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil { // the SDK would send and then cancel it
		return nil, err
	}
	c := &capture{call: by}
	defer s.captures.forget(c)
	if err := exchange(context.WithValue(ctx, captureKey{}, c)); err != nil {
		return nil, s.captures.failure(c, err)
	}
	return c.raw, nil
}

// explain turns the failure of an exchange into an error for a person and for a pool. what
// describes the exchange; tool is empty for a listing.
func (s *session) explain(ctx context.Context, err error, what, tool string, limit time.Duration) error {
	name := s.server.Name
	var refusal *jsonrpc.Error
	var became *backend.OutcomeError
	var over *ended
	switch {
	case errors.As(err, &over) && !errors.As(over, &refusal):
		return fmt.Errorf("server %q: %s: %w", name, what, s.hide.Err(over))
	case over != nil:
		return s.refused(tool, refusal)
	case s.base.Err() != nil:
		return fmt.Errorf("server %q: %s: %w", name, what, backend.ErrClosed)
	case errors.As(err, &became) && became.Outcome == backend.NotSent && ctx.Err() == nil && !s.lost(err):
		return fmt.Errorf("server %q: %s: %w", name, what, s.hide.Err(became))
	case errors.Is(context.Cause(ctx), errExchangeDeadline):
		key := "callTimeout"
		if tool == "" {
			key = "startTimeout"
		}
		return &textError{fmt.Sprintf("server %q: %s: no answer within %v; raise usetools.%s in its config entry if it needs "+
			"longer",
			name, what, limit, key), context.DeadlineExceeded}
	case ctx.Err() != nil:
		return fmt.Errorf("server %q: %s: %w", name, what, ctx.Err())
	case errors.Is(err, backend.ErrSignIn):
		var e *signInError
		errors.As(err, &e)
		return fmt.Errorf("server %q: %s: %w; run: build-registry signin %s", name, what, s.hide.Err(e), name)
	case errors.Is(err, errFrameTooLong), errors.Is(err, errUnreadable):
		return fmt.Errorf("server %q: %s: %s", name, what, s.hide.Err(err)) // affects only this answer
	case s.lost(err):
		return fmt.Errorf("server %q: %s: %w%s", name, what, backend.ErrDisconnected, s.obituary())
	case errors.As(err, &refusal) && !ownCode(refusal):
		if tool != "" {
			return s.refused(tool, refusal)
		}
		return fmt.Errorf("server %q: %s: it answered: %s (code %d)", name, what, s.hide.Text(refusal.Message), refusal.Code)
	}
	return fmt.Errorf("server %q: %s: %s", name, what, s.hide.Err(err))
}

func (s *session) refused(tool string, e *jsonrpc.Error) error {
	return &backend.RefusedError{Server: s.server.Name, Tool: tool, Code: e.Code, Message: s.hide.Text(e.Message)}
}

// Codes of the SDK's own errors: the connection is closing, or the transport could not deliver a
// request.
const (
	codeClientClosing = -32003
	codeServerClosing = -32004
	codeRejected      = -32005
)

// ownCode reports whether an error that looks like a server's answer is the SDK's (v1.8.0). Only
// these codes distinguish its own errors.
func ownCode(e *jsonrpc.Error) bool {
	return e.Code == codeClientClosing || e.Code == codeServerClosing || e.Code == codeRejected
}

// lost reports whether a failed exchange means that the connection has ended.
func (s *session) lost(err error) bool {
	select {
	case <-s.done:
		return true
	default:
	}
	for _, e := range []error{mcp.ErrConnectionClosed, mcp.ErrSessionMissing, io.EOF, io.ErrUnexpectedEOF, errEndless} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// obituary describes how the server's process ended, with its last output.
func (s *session) obituary() string {
	p := s.process
	if p == nil {
		return ""
	}
	var b strings.Builder
	if err := p.readFailure(); err != nil {
		fmt.Fprintf(&b, ": %v", err)
	} else if p.died() {
		fmt.Fprintf(&b, " (%s)", p.exitStatus())
	}
	b.WriteString(p.lastWords(s.hide))
	return b.String()
}

// Close implements backend.Backend. It returns within about 10 s, after all of the server's
// processes have ended.
func (s *session) Close() error {
	s.close.Do(func() {
		s.cancel() // first: the SDK's Close waits for running calls
		if s.hush != nil {
			s.hush()
		}
		if s.process != nil {
			s.process.Close() // then this: it also waits for running writes
		}
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			s.cs.Close()
		}()
		t := time.NewTimer(closeTimeout)
		defer t.Stop()
		select {
		case <-closed:
		case <-t.C:
			s.closeErr = fmt.Errorf("server %q: closing: not done within %v", s.server.Name, closeTimeout)
		}
		if s.hangUp != nil {
			s.hangUp()
		}
	})
	return s.closeErr
}
