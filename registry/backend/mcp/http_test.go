package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/internal/wiretest"
	"github.com/usetools/usetools/registry/backend/mcp"
	"github.com/usetools/usetools/registry/config"
)

// sdkServer is a server of the SDK with the tools echo, fail and wait. wait
// ends with the test at the latest: a cancellation may reach a server before
// its call does, and the SDK's handlers wait for the tools under way.
func sdkServer(t testing.TB) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "sdk", Title: "SDK server", Version: "9"}, nil)
	schema := json.RawMessage(`{"type":"object","properties":{"z":{"type":"integer"},"a":{"type":"string"}}}`)
	s.AddTool(&sdk.Tool{Name: "echo", InputSchema: schema},
		func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "ok"}},
				StructuredContent: r.Params.Arguments}, nil
		})
	s.AddTool(&sdk.Tool{Name: "fail", InputSchema: schema},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: "no such branch"}}}, nil
		})
	s.AddTool(&sdk.Tool{Name: "wait", InputSchema: schema},
		func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			select {
			case <-ctx.Done():
			case <-t.Context().Done():
			}
			return nil, context.Canceled
		})
	return s
}

func streamable(t testing.TB, o *sdk.StreamableHTTPOptions) http.Handler {
	s := sdkServer(t)
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, o)
}

// web serves a handler for the length of the test and returns a definition
// that leads to it.
func web(t testing.TB, kind string, h http.Handler) config.Server {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	return config.Server{Name: "w", Type: kind, URL: srv.URL + "/mcp", StartTimeout: 20 * time.Second,
		CallTimeout: time.Minute}
}

func TestEveryHTTPTransportListsAndCalls(t *testing.T) {
	over := func(o *sdk.StreamableHTTPOptions) func(testing.TB) http.Handler {
		return func(t testing.TB) http.Handler { return streamable(t, o) }
	}
	sse := func(t testing.TB) http.Handler {
		s := sdkServer(t)
		return sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return s }, nil)
	}
	for _, tc := range []struct {
		name, kind, protocol string
		handler              func(testing.TB) http.Handler
	}{
		{"stateful, event streams", "http", "2025-11-25", over(nil)},
		{"stateful, JSON", "http", "2025-11-25", over(&sdk.StreamableHTTPOptions{JSONResponse: true})},
		{"stateless", "http", "2026-07-28",
			over(&sdk.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})},
		{"stateless, JSON", "http", "2026-07-28",
			over(&sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true, PropagateRequestCancellation: true})},
		{"SSE", "sse", "2025-11-25", sse},
		{"SSE under the name of HTTP", "http", "2025-11-25", sse},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := open(t, web(t, tc.kind, tc.handler(t)), nil)
			l := list(t, b)
			if got, want := names(l.Tools), []string{"echo", "fail", "wait"}; !cmp.Equal(got, want) {
				t.Errorf("tools %q, want %q", got, want)
			}
			if got, want := string(l.Tools[0].Input),
				`{"type":"object","properties":{"z":{"type":"integer"},"a":{"type":"string"}}}`; got != want {
				t.Errorf("schema %s, want %s", got, want)
			}
			if l.Server.Protocol != tc.protocol || l.Server.Title != "SDK server" {
				t.Errorf("server %+v, want protocol %s", l.Server, tc.protocol)
			}
			args := `{"z":9007199254740993,"a":"é"}`
			if r := call(t, b, "echo", args); string(r.Structured) != args || r.Text() != "ok" {
				t.Errorf("structured %s, want %s; text %q", r.Structured, args, r.Text())
			}
			if r := call(t, b, "fail", ""); !r.IsError || r.Text() != "no such branch" {
				t.Errorf("got %+v", r)
			}
			var refused *backend.RefusedError
			if _, err := b.Call(t.Context(), &backend.Request{Tool: "nope"}); !errors.As(err, &refused) {
				t.Errorf("unknown tool: error %v, want a RefusedError", err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if _, err := b.Call(ctx, &backend.Request{Tool: "wait"}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("wait: error %v", err)
			}
			call(t, b, "echo", "{}")
		})
	}
}

func TestHeadersGoToTheServerAndNowhereElse(t *testing.T) {
	foreign := make(chan http.Header, 10)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { foreign <- r.Header }))
	defer other.Close()
	own := make(chan http.Header, 100)
	h := streamable(t, nil)
	s := web(t, "http", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		own <- r.Header
		if r.URL.Path == "/away" {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
			return
		}
		h.ServeHTTP(w, r)
	}))
	s.Headers = config.Secrets{"X-Token": "hunter2hunter2"}
	call(t, open(t, s, nil), "echo", "{}")
	for range len(own) {
		if got := (<-own).Get("X-Token"); got != "hunter2hunter2" {
			t.Errorf("a request had the header %q", got)
		}
	}
	s.URL = strings.TrimSuffix(s.URL, "/mcp") + "/away"
	if b, err := mcp.Open(t.Context(), s, nil); err == nil {
		b.Close()
		t.Error("no error from a server that is elsewhere")
	}
	for range len(foreign) {
		if got := (<-foreign).Get("X-Token"); got != "" {
			t.Errorf("another host got the header %q", got)
		}
	}
}

// rpc is a hand-written server: it answers a method with the given body.
func rpc(contentType string, results map[string]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || json.Unmarshal(body, &req) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		result, ok := results[req.Method]
		switch {
		case len(req.ID) == 0:
			w.WriteHeader(http.StatusAccepted)
			return
		case req.Method == "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`
		case !ok:
			http.Error(w, "what?", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", contentType)
		message := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, req.ID, result)
		if contentType == "application/json" {
			io.WriteString(w, message)
			return
		}
		half := strings.IndexByte(message, ',')
		fmt.Fprintf(w, ": comment\nevent: log\ndata: hello\n\ndata: not a message\nid: 1\n\nid: 2\nevent: "+
			"message\r\ndata: %s\r\ndata:%s\n\n", message[:half], message[half:])
	})
}

func TestTolerantDecodingWorksOverHTTPToo(t *testing.T) {
	results := map[string]string{
		"tools/list": `{"tools":[{"name":"good","inputSchema":{"z":1,"a":1.0}},null,{"name":"hints","inputSchema":{},"annotations":{"readOnlyHint":"yes"}}]}`,
		"tools/call": `{"content":[{"type":"video","n":12345678901234567890}],"structuredContent":{"n":12345678901234567890}}`,
	}
	for _, kind := range []string{"application/json", "text/event-stream"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := open(t, web(t, "http", rpc(kind, results)), nil)
			l := list(t, b)
			if got, want := names(l.Tools), []string{"good", "hints"}; !cmp.Equal(got, want) || len(l.Server.Problems) != 2 {
				t.Errorf("tools %q, want %q; problems %q", got, want, l.Server.Problems)
			}
			r := call(t, b, "good", "{}")
			if string(r.Structured) != `{"n":12345678901234567890}` || r.Content[0].Type != "video" {
				t.Errorf("got %+v", r)
			}
		})
	}
}

func TestServerThatIsNotUpToTheNewerHandshakeGetsTheOlderOne(t *testing.T) {
	for name, discover := range map[string]http.HandlerFunc{
		"a web page": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>hello</html>") },
		"no answer":  func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := streamable(t, nil)
			s := web(t, "http", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if strings.Contains(string(body), "server/discover") {
					discover(w, r)
					return
				}
				r.Body = io.NopCloser(strings.NewReader(string(body)))
				h.ServeHTTP(w, r)
			}))
			var err error
			for _, s.StartTimeout = range limits { // the older one has what the newer one leaves
				var b backend.Backend
				if b, err = mcp.Open(t.Context(), s, nil); err == nil {
					call(t, b, "echo", "{}")
					b.Close()
					return
				}
			}
			t.Error(err)
		})
	}
}

func TestHTTPFailuresSayWhatHappened(t *testing.T) {
	hang := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	for _, tc := range []struct {
		name string
		edit func(*config.Server)
		h    http.Handler
		want []string
	}{
		{"refused connection", func(s *config.Server) { s.URL = "http://127.0.0.1:1/mcp?key=hunter2" }, hang,
			[]string{`server "w": cannot reach http://127.0.0.1:1/mcp: `, "check that the server is running"}},
		{"silent", func(s *config.Server) { s.StartTimeout = 300 * time.Millisecond }, hang,
			[]string{`server "w": no answer to the handshake from http://127.0.0.1`, "within 300ms"}},
		{"unauthorized", func(s *config.Server) {
			s.Headers = config.Secrets{"Authorization": "Bearer hunter2hunter2"}
		}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "bad token "+r.Header.Get("Authorization"), http.StatusUnauthorized)
		}), []string{"did not accept the handshake: status 401 Unauthorized; check the headers"}},
		{"no such page", func(*config.Server) {}, http.NotFoundHandler(), []string{"status 404 Not Found; check the path"}},
		{"a web page", func(*config.Server) {}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "<html>hello</html>")
		}), []string{"did not accept the handshake", "and over SSE"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := web(t, "http", tc.h)
			tc.edit(&s)
			b, err := mcp.Open(t.Context(), s, nil)
			if err == nil {
				b.Close()
				t.Fatal("no error")
			}
			for _, part := range tc.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error\n%v\nlacks %q", err, part)
				}
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("error shows a secret: %v", err)
			}
		})
	}
}

// TestFailuresRepeatNoSecrets has a server that says in all kinds of failures
// what it was sent, and one in a result that is none.
func TestFailuresRepeatNoSecrets(t *testing.T) {
	t.Parallel()
	const key = "a1b2c3hunterd4e5f6"
	s := web(t, "http", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent, _ := json.Marshal(r.Header.Get("Authorization") + " " + r.URL.String())
		what := regexp.MustCompile(`"name":"(\w+)"`).FindSubmatch(body)
		name := ""
		if what != nil {
			name = string(what[1])
		}
		result := fmt.Sprintf(`{"content":[{"type":"text","text":%s}],"structuredContent":{"n":1.50,%s:[%s]},"isError":%t}`,
			sent, sent, sent, name == "fail")
		if name == "refuse" {
			id := regexp.MustCompile(`"id":(\d+)`).FindSubmatch(body)[1]
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":%s}}`, id, sent)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		rpc("application/json", map[string]string{"tools/call": result}).ServeHTTP(w, r)
	}))
	s.Headers = config.Secrets{"Authorization": "Bearer hunter2<hunter2"}
	s.URL = strings.TrimSuffix(s.URL, "/mcp") + "/s/" + key + "/mcp?token=hunter3hunter3"
	b := open(t, s, nil)
	if r := call(t, b, "fail", ""); !r.IsError || strings.Contains(string(r.Raw), "hunter") ||
		strings.Contains(r.Text(), "hunter") ||
		!strings.Contains(string(r.Structured), `"n":1.50`) || !strings.Contains(r.Text(), "•••") {
		t.Errorf("a failure is %s, %q", r.Raw, r.Text())
	}
	if r := call(t, b, "fine", ""); !strings.Contains(r.Text(), "hunter2<hunter2") ||
		!strings.Contains(string(r.Structured), key) {
		t.Errorf("a result is not as the server sent it: %s", r.Raw)
	}
	if _, err := b.Call(t.Context(), &backend.Request{Tool: "refuse"}); err == nil || strings.Contains(err.Error(), "hunter") ||
		!strings.Contains(err.Error(), "•••") {
		t.Errorf("a refusal is %v", err)
	}
	for name, broken := range map[string]config.Server{
		"down": {URL: "http://127.0.0.1:1/s/" + key + "/mcp"},
		"silent": {URL: web(t, "http", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		})).URL + "/" + key, StartTimeout: 50 * time.Millisecond},
		"web page": {URL: web(t, "http", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "no "+r.URL.Path, http.StatusInternalServerError)
		})).URL + "/" + key},
		"elsewhere": {URL: web(t, "http", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1"+r.URL.Path, http.StatusTemporaryRedirect)
		})).URL + "/" + key},
	} {
		broken.Name, broken.Type = "w", config.HTTP
		b, err := mcp.Open(t.Context(), broken, nil)
		if err == nil {
			b.Close()
		}
		if err == nil || strings.Contains(err.Error(), "hunter") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestHTTPServerThatForgotTheSessionIsDisconnected(t *testing.T) {
	h := streamable(t, nil)
	s := web(t, "http", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(w, r) }))
	b := open(t, s, nil)
	call(t, b, "echo", "{}")
	h = streamable(t, nil) // the server restarts: nobody is under way
	if _, err := b.Call(t.Context(), &backend.Request{Tool: "echo"}); !errors.Is(err, backend.ErrDisconnected) {
		t.Errorf("error %v, want ErrDisconnected", err)
	}
	call(t, open(t, s, nil), "echo", "{}")
}

func TestHTTPAnswerThatIsNoJSONIsAnError(t *testing.T) {
	for _, kind := range []string{"application/json", "text/event-stream"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := open(t, web(t, "http", rpc(kind,
				map[string]string{"tools/call": `{"content":[],"structuredContent":{"mean":NaN}}`})), nil)
			for range 2 {
				_, err := b.Call(t.Context(), &backend.Request{Tool: "good"})
				if err == nil || !strings.Contains(err.Error(),
					`calling "good": its answer cannot be read: invalid character 'N'`) {
					t.Errorf("error %v", err)
				}
			}
		})
	}
}

func TestHTTPMessageBeyondTheLimitIsAnError(t *testing.T) {
	big := fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, strings.Repeat("x", 2<<20))
	for _, kind := range []string{"application/json", "text/event-stream"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			answers := map[string]string{"tools/call": big}
			s := web(t, "http", rpc(kind, answers))
			s.MaxMessage = 1 << 20
			b := open(t, s, nil)
			for range 2 { // the connection holds
				_, err := b.Call(t.Context(), &backend.Request{Tool: "good"})
				if err == nil || !strings.Contains(err.Error(),
					`server "w": calling "good": message too long: more than 1048576 bytes`) {
					t.Errorf("error %v", err)
				}
			}
		})
	}
}

func TestArgumentsThatBelongInHeadersGetThere(t *testing.T) {
	s := sdk.NewServer(&sdk.Implementation{Name: "sdk", Version: "9"}, nil)
	s.AddTool(&sdk.Tool{Name: "echo", InputSchema: json.RawMessage(
		`{"type":"object","properties":{"tenant":{"type":"string","x-mcp-header":"Tenant"}}}`)},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{}, nil
		})
	h := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s },
		&sdk.StreamableHTTPOptions{Stateless: true})
	got := make(chan string, 100)
	b := open(t, web(t, "http", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Method") == "tools/call" {
			got <- r.Header.Get("Mcp-Param-Tenant")
		}
		h.ServeHTTP(w, r)
	})), nil)
	list(t, b)
	call(t, b, "echo", `{"tenant":"acme"}`)
	if v := <-got; v != "acme" {
		t.Errorf("header %q, want %q", v, "acme")
	}
}

// TestCancellationComesAfterWhatItCancels gives up calls while they are being
// sent: a cancellation that overtook its call would leave the call running.
func TestCancellationComesAfterWhatItCancels(t *testing.T) {
	t.Parallel()
	var begun, ended atomic.Int64
	s := sdk.NewServer(&sdk.Implementation{Name: "sdk", Version: "9"}, nil)
	s.AddTool(&sdk.Tool{Name: "wait", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			begun.Add(1)
			defer ended.Add(1)
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-t.Context().Done(): // nobody said that it is over
				return nil, errors.New("still running at the end of the test")
			}
		})
	b := open(t, web(t, "sse", sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return s }, nil)), nil)
	// on a busy machine all are given up before they are sent
	for step := 20 * time.Microsecond; begun.Load() == 0 && step < time.Second; step *= 2 {
		var wg sync.WaitGroup
		for i := range 300 {
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*step)
				defer cancel()
				if _, err := b.Call(ctx, &backend.Request{Tool: "wait"}); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("wait: error %v", err)
				}
			})
		}
		wg.Wait()
	}
	for deadline := time.Now().Add(time.Minute); begun.Load() != ended.Load() ||
		begun.Load() == 0; <-time.After(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d calls are still running", begun.Load()-ended.Load(), begun.Load())
		}
	}
}

// What happens to one call over HTTP is not the end of another.
func TestHTTPCallsDoNotEndOthers(t *testing.T) {
	const cancelled, cut, foreign = 0, -1, -2
	for _, status := range []int{400, 403, 404, 408, 409, 429, 500, 501, 502, 503, cancelled, cut, foreign} {
		held, release := make(chan struct{}), make(chan struct{})
		l := newLater()
		def := web(t, config.HTTP, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			fails := bytes.Contains(body, []byte(`"fails"`))
			switch {
			case bytes.Contains(body, []byte(`"held"`)):
				close(held)
				<-release
				l.ServeHTTP(w, r)
			case !fails:
				l.ServeHTTP(w, r)
			case status == cancelled:
				<-r.Context().Done()
			case status == cut:
				if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
					conn.Close()
				}
			case status == foreign:
				io.WriteString(w, "<html>")
			default:
				w.WriteHeader(status)
			}
		}))
		def.Protocol = "legacy"
		b := open(t, def, nil)
		send, _ := wiretest.Ask(true, "", func() error { return nil })
		ended := make(chan error, 1)
		go func() {
			_, err := b.Call(t.Context(), &backend.Request{Tool: "held", Send: send})
			ended <- err
		}()
		<-held
		ctx, cancel := context.WithCancel(t.Context())
		fails, _ := wiretest.Ask(true, "", func() error {
			if status == cancelled {
				cancel()
			}
			return nil
		})
		if _, err := b.Call(ctx, &backend.Request{Tool: "fails", Send: fails}); err == nil {
			t.Errorf("%d: no error", status)
		}
		close(release)
		if err := <-ended; err != nil {
			t.Errorf("%d: the other call: %v", status, err)
		}
		cancel()
	}
}
