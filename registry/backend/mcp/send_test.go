package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/internal/wiretest"
	"github.com/usetools/usetools/registry/backend/mcp"
	"github.com/usetools/usetools/registry/backend/mcp/mcptest"
	"github.com/usetools/usetools/registry/config"
)

// speaker is an MCP server for wiretest, over streamable HTTP at /mcp and over
// SSE at /sse.
type speaker struct {
	mu        sync.Mutex
	stream    io.Writer   // of SSE
	calledOff atomic.Bool // a call
}

func (s *speaker) answer(w io.Writer, r *http.Request, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Name string `json:"name"`
		} `json:"params"`
	}
	switch {
	case r.Method == http.MethodGet && r.URL.Path == "/sse":
		s.stream = w
		io.WriteString(w, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nevent: endpoint\ndata: /posts\n\n")
		return
	case r.Method != http.MethodPost, json.Unmarshal(body, &m) != nil, r.URL.Path == "/sse":
		io.WriteString(w, wiretest.Status(405, "", "").Answer)
		return
	case r.URL.Path == "/old":
		io.WriteString(w, wiretest.Status(307, "Location: /mcp\r\n", "").Answer)
		return
	case len(m.ID) == 0:
		s.calledOff.CompareAndSwap(false, m.Method == "notifications/cancelled")
		io.WriteString(w, wiretest.Status(202, "", "").Answer)
		return
	}
	result := map[string]string{
		"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`,
		"tools/call": map[string]string{
			"fail": `{"content":[{"type":"text","text":"no such branch"}],"isError":true}`,
			"form": inputRequired("s", forms(1)),
			"task": `{"resultType":"task","taskId":"t","status":"working"}`,
			"asks": `{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}},"requestState":"s"}`,
			"bare": `[1]`,
			"big":  `{"content":[{"type":"text","text":"` + strings.Repeat("x", 8<<10) + `"}]}`,
		}[m.Params.Name],
	}[m.Method]
	if result == "" {
		result = `{"content":[{"type":"text","text":"ok"}]}`
	}
	message := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	switch m.Params.Name {
	case "garbage":
		message = `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":NaN}`
	case "rubbish":
		message = `<html>`
	case "refuse":
		message = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"not today"}}`, m.ID)
	}
	if r.URL.Path == "/posts" {
		io.WriteString(w, wiretest.Status(202, "", "").Answer)
		fmt.Fprintf(s.stream, "data: %s\n\n", message)
		return
	}
	io.WriteString(w, wiretest.Status(200, "Content-Type: application/json\r\n", message).Answer)
}

// TestACallWithAnEffectLeavesOnce has a server that does to a call what makes
// clients send it again, on connections that were used before.
func TestACallWithAnEffectLeavesOnce(t *testing.T) {
	elsewhere := "Location: /elsewhere?q=" + wiretest.Mark + "\r\n"
	led := "redirected to http://127.0.0.1:"
	reset := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
	cut := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {"
	hangsUp := wiretest.Fault{Silent: func() {}}
	for _, tc := range []struct {
		name, tool string
		fault      wiretest.Fault
		over       string // one transport only
		outcome    backend.Outcome
		text       string
	}{
		{name: "result", outcome: backend.Answered, text: "ok"},
		{name: "tool's error", tool: "fail", outcome: backend.Answered, text: "no such branch"},
		{name: "refusal", tool: "refuse", outcome: backend.Answered, text: "not today"},
		{name: "result that is no object", tool: "bare", outcome: backend.Unread, text: "not a JSON object"},
		{name: "result that is no JSON", tool: "garbage", outcome: backend.Unread, text: "cannot be read"},
		{name: "response that is not a JSON-RPC message", tool: "rubbish", over: "/mcp", outcome: backend.Unread},
		{name: "too large", tool: "big", outcome: backend.Unread, text: "too long"},
		{name: "asks for input", tool: "asks", outcome: backend.Answered, text: "the server asks for input"},
		{name: "question", tool: "form", outcome: backend.Later, text: "the server asks for input"},
		{name: "task", tool: "task", outcome: backend.Unknown, text: "does not support tasks"},
		{name: "401", fault: wiretest.Status(401, "", ""), outcome: backend.Answered},
		{name: "302", fault: wiretest.Status(302, elsewhere, ""), outcome: backend.Answered, text: led},
		{name: "307", fault: wiretest.Status(307, elsewhere, ""), outcome: backend.Answered, text: led},
		{name: "308", fault: wiretest.Status(308, elsewhere, ""), outcome: backend.Answered, text: led},
		{name: "404", fault: wiretest.Status(404, "", ""), outcome: backend.Answered},
		{name: "408", fault: wiretest.Status(408, "", ""), outcome: backend.Unknown},
		{name: "500", fault: wiretest.Status(500, "", ""), outcome: backend.Answered},
		{name: "503", fault: wiretest.Status(503, "Retry-After: 0\r\n", ""), outcome: backend.Unknown},
		{name: "reset at the first byte", fault: wiretest.Fault{At: "first byte", Reset: true}, outcome: backend.Unknown},
		{name: "reset after the headers", fault: wiretest.Fault{At: "headers", Reset: true}, outcome: backend.Unknown},
		{name: "reset before the response", fault: wiretest.Fault{Reset: true}, outcome: backend.Unknown},
		{name: "reset in the response", fault: wiretest.Fault{Answer: reset, Reset: true}, over: "/mcp",
			outcome: backend.Unknown},
		{name: "reset in the stream", fault: wiretest.Fault{Answer: cut, Reset: true}, over: "/mcp",
			outcome: backend.Unknown},
		{name: "all connections close", fault: hangsUp, outcome: backend.Unknown},
		{name: "cancelled", fault: hangsUp, outcome: backend.Unknown, text: "context canceled"},
		{name: "idle connections close", over: "/mcp", outcome: backend.Answered, text: "ok"},
	} {
		for _, path := range []string{"/mcp", "/sse"} {
			if tc.over != "" && tc.over != path {
				continue
			}
			t.Run(tc.name+path, func(t *testing.T) {
				t.Parallel()
				for _, key := range []string{"", "k1"} {
					once(t, tc.tool, path, key, tc.name, tc.fault, tc.outcome, tc.text)
				}
			})
		}
	}
}

// once makes one call with an effect, and looks at what the server saw of it.
func once(t *testing.T, tool, path, key, name string, fault wiretest.Fault, outcome backend.Outcome, want string) {
	s := wiretest.New(t, (&speaker{}).answer)
	def := config.Server{Name: "w", Type: config.HTTP, URL: s.URL + path, Protocol: "legacy", MaxMessage: 4 << 10,
		StartTimeout: 20 * time.Second, CallTimeout: time.Minute}
	if path == "/sse" {
		def.Type = config.SSE
	}
	b := open(t, def, nil)
	for range 2 {
		call(t, b, "", "{}")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if fault.Silent != nil {
		fault.Silent = cancel
		if name != "cancelled" {
			fault.Silent = func() { s.HangUp(false) }
		}
	}
	s.Next(&fault)
	send, times := wiretest.Ask(true, key, func() error {
		if s.Arrived() != 0 {
			t.Error("asked after a byte arrived")
		}
		if name == "idle connections close" {
			s.HangUp(true)
		}
		return nil
	})
	res, err := b.Call(ctx, &backend.Request{Tool: tool, Args: registry.ReadArgs([]byte(`{"q":"` + wiretest.Mark + `"}`)), Send: send})
	text := fmt.Sprint(err)
	if err == nil {
		text = res.Text()
	}
	if got := backend.OutcomeOf(err, *times > 0); got != outcome || !strings.Contains(text, want) {
		t.Errorf("outcome %s, text %q; want %s, %q", got, text, outcome, want)
	}
	if strings.Contains(text, wiretest.Mark) {
		t.Errorf("%q repeats what was sent", text)
	}
	b.Close()
	seen, used := s.Seen()
	if len(seen) != 1 || used != 0 || *times != 1 {
		t.Errorf("seen %d times, %d of them over a used connection, asked %d times", len(seen), used, *times)
	}
	for _, r := range seen {
		if r != nil && r.Header.Get("Idempotency-Key") != key {
			t.Errorf("the key is %q, want %q", r.Header.Get("Idempotency-Key"), key)
		}
	}
}

// What calls a call off is no call: it is sent though the call cannot be again.
func TestACallWithAnEffectIsCalledOff(t *testing.T) {
	for path, taken := range map[string]string{"/mcp": "", "/sse": wiretest.Status(202, "", "").Answer} {
		talk := &speaker{}
		s := wiretest.New(t, talk.answer)
		b := open(t, config.Server{Name: "w", Type: config.HTTP, URL: s.URL + path, StartTimeout: 20 * time.Second,
			CallTimeout: time.Minute}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s.Next(&wiretest.Fault{Answer: taken, Silent: cancel})
		send, times := wiretest.Ask(true, "", func() error { return nil })
		_, err := b.Call(ctx, &backend.Request{Tool: "", Args: registry.ReadArgs([]byte(`{"q":"` + wiretest.Mark + `"}`)), Send: send})
		if !errors.Is(err, context.Canceled) || *times != 1 {
			t.Errorf("%s: error %v, asked %d times", path, err, *times)
		}
		for end := time.Now().Add(30 * time.Second); !talk.calledOff.Load(); <-time.After(time.Millisecond) {
			if time.Now().After(end) { // only reached when the test fails
				t.Fatalf("%s: it is not called off", path)
			}
		}
	}
}

// A server whose URL leads on from the start gets such calls where it leads to.
func TestACallWithAnEffectGoesWhereTheHandshakeWent(t *testing.T) {
	s := wiretest.New(t, (&speaker{}).answer)
	b := open(t, config.Server{Name: "w", Type: config.HTTP, URL: s.URL + "/old", Protocol: "legacy",
		StartTimeout: 20 * time.Second, CallTimeout: time.Minute}, nil)
	s.Next(nil)
	send, times := wiretest.Ask(true, "", func() error { return nil })
	_, err := b.Call(t.Context(), &backend.Request{Tool: "", Args: registry.ReadArgs([]byte(`{"q":"` + wiretest.Mark + `"}`)), Send: send})
	if seen, _ := s.Seen(); err != nil || *times != 1 || len(seen) != 1 || seen[0].URL.Path != "/mcp" {
		t.Errorf("error %v, asked %d times, seen %v", err, *times, seen)
	}
}

// A token that a server does not take may be another one for the next call.
func TestACallWithAnEffectThatNeedsASignInIsNotSentAgain(t *testing.T) {
	t.Parallel()
	a := &authority{}
	var srv *httptest.Server
	var status, seen atomic.Int32
	h := a.handler(t, func() string { return srv.URL })
	srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Idempotency-Key") != "" {
			seen.Add(1)
			w.WriteHeader(int(status.Load()))
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	opts := &mcp.Options{Tokens: tokenDir(t)}
	for _, s := range []config.Server{
		{Type: config.HTTP, URL: srv.URL + "/mcp"}, {Type: config.SSE, URL: srv.URL + "/sse"},
	} {
		s.Name, s.OAuth, s.StartTimeout = "w", &config.OAuth{}, 20*time.Second
		if err := mcp.SignIn(t.Context(), s, opts, browse(t)); err != nil {
			t.Fatal(err)
		}
		for code, want := range map[int]string{401: "run: build-registry signin w", 403: "Forbidden"} {
			b := open(t, s, opts)
			status.Store(int32(code))
			seen.Store(0)
			send, times := wiretest.Ask(true, "k", func() error { return nil })
			_, err := b.Call(t.Context(), &backend.Request{Tool: "echo", Send: send})
			if backend.OutcomeOf(err, true) != backend.Answered || seen.Load() != 1 || *times != 1 || s.Type == config.HTTP &&
				!strings.Contains(err.Error(), want) {
				t.Errorf("%s, %d: seen %d times, asked %d times, error %v", s.Type, code, seen.Load(), *times, err)
			}
		}
	}
}

// servers are one of each kind.
func servers(t *testing.T) (defs map[string]config.Server, arrived func() int) {
	s := wiretest.New(t, (&speaker{}).answer)
	s.Next(nil)
	web := config.Server{Name: "w", Type: config.HTTP, URL: s.URL + "/mcp", Protocol: "legacy",
		StartTimeout: 20 * time.Second, CallTimeout: time.Minute}
	sse := web
	sse.Type, sse.URL = config.SSE, s.URL+"/sse"
	return map[string]config.Server{"stdio": mcptest.Server("s"), "http": web, "sse": sse}, func() int {
		seen, _ := s.Seen()
		return len(seen)
	}
}

func TestWhatMustNotBeSentIsNotSent(t *testing.T) {
	t.Parallel()
	no := errors.New("disk full")
	defs, arrived := servers(t)
	for kind, def := range defs {
		for _, effect := range []bool{true, false} {
			b := open(t, def, nil)
			send, times := wiretest.Ask(effect, "", func() error { return no })
			_, err := b.Call(t.Context(), &backend.Request{Tool: "echo", Args: registry.ReadArgs([]byte(`{"q":"` + wiretest.Mark + `"}`)), Send: send})
			if !errors.Is(err, no) || backend.OutcomeOf(err, true) != backend.NotSent || *times != 1 {
				t.Errorf("%s, effect %v: error %v, outcome %s, asked %d times", kind, effect, err,
					backend.OutcomeOf(err, true), *times)
			}
			if want := fmt.Sprintf("server %q: calling \"echo\": disk full", def.Name); err.Error() != want {
				t.Errorf("%s: error %q, want %q", kind, err, want)
			}
			if arrived() != 0 {
				t.Errorf("%s, effect %v: it arrived", kind, effect)
			}
			call(t, b, "echo", "{}") // the connection is as good as before

			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			send, times = wiretest.Ask(effect, "", func() error { return nil })
			if _, err := b.Call(ctx, &backend.Request{Tool: "echo", Send: send}); err == nil || *times != 0 {
				t.Errorf("%s, effect %v, cancelled: error %v, asked %d times", kind, effect, err, *times)
			}
			send, times = wiretest.Ask(effect, "", func() error { return nil })
			if _, err := b.Call(t.Context(), &backend.Request{Tool: "echo", Send: send}); err != nil || *times != 1 {
				t.Errorf("%s, effect %v: error %v, asked %d times", kind, effect, err, *times)
			}
			if err := send.Begin(t.Context()); (err == nil) == effect {
				t.Errorf("%s, effect %v: sent again: error %v", kind, effect, err)
			}
		}
	}
}

// A call that its caller gives up while it is asked about ends after that.
func TestNothingIsAskedAfterTheEnd(t *testing.T) {
	defs, arrived := servers(t)
	for kind, def := range defs {
		b := open(t, def, nil)
		ctx, cancel := context.WithCancel(t.Context())
		var over atomic.Bool
		send, times := wiretest.Ask(true, "", func() error {
			cancel()
			for range 10_000 {
				runtime.Gosched()
			}
			over.Store(true)
			return ctx.Err()
		})
		_, err := b.Call(ctx, &backend.Request{Tool: "echo", Args: registry.ReadArgs([]byte(`{"q":"` + wiretest.Mark + `"}`)), Send: send})
		if !over.Load() || err == nil || *times != 1 || arrived() != 0 {
			t.Errorf("%s: over %v, error %v, asked %d times, arrived %d times", kind, over.Load(), err, *times, arrived())
		}
		if err := send.Begin(t.Context()); err == nil {
			t.Errorf("%s: no error after the end", kind)
		}
	}
}

// TestAProcessThatDies is killed at each step of a call.
func TestAProcessThatDies(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, tool string
		kill       string // when
		outcome    backend.Outcome
	}{
		{"before the call", "echo", "before", backend.NotSent},
		{"before the write", "echo", "asked", backend.NotSent},
		{"after the write", "crash", "", backend.Unknown},
		{"in the middle of the answer", "half", "", backend.Unknown},
		{"after the answer", "echo", "", backend.Answered},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := open(t, mcptest.Server("s"), nil)
			pid, err := strconv.Atoi(call(t, b, "pid", "{}").Text())
			if err != nil {
				t.Fatal(err)
			}
			die := func() {
				p, err := os.FindProcess(pid)
				if err == nil {
					err = p.Kill()
				}
				if err != nil {
					t.Error(err)
				}
				<-b.(interface{ Done() <-chan struct{} }).Done()
			}
			if tc.kill == "before" {
				die()
			}
			send, times := wiretest.Ask(true, "", func() error {
				if tc.kill == "asked" {
					die()
				}
				return nil
			})
			_, err = b.Call(t.Context(), &backend.Request{Tool: tc.tool, Send: send})
			if got := backend.OutcomeOf(err, *times > 0); got != tc.outcome || *times > 1 {
				t.Errorf("outcome %s, want %s; asked %d times; error %v", got, tc.outcome, *times, err)
			}
			if err != nil && !errors.Is(err, backend.ErrDisconnected) {
				t.Errorf("error %v", err)
			}
		})
	}
}
