package openapi

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/internal/wiretest"
	"github.com/usetools/usetools/registry/config"
)

// verbs is a document with one operation per method.
func verbs(t testing.TB, base string) config.Server {
	var operations []string
	for _, m := range []string{"get", "post", "put", "delete"} {
		body := ""
		if m == "post" || m == "put" {
			body = `"requestBody":{"content":{"application/json":{"schema":{"type":"object"}}}},`
		}
		operations = append(operations, fmt.Sprintf(`%q:{"operationId":%q,"parameters":[{"name":"q","in":"query",`+
			`"schema":{"type":"string"}}],%s"responses":{}}`, m, m, body))
	}
	path := file(t, "verbs.json", fmt.Sprintf(`{"openapi":"3.1.0","servers":[{"url":%q}],"paths":{"/thing":{%s}}}`, base,
		strings.Join(operations, ",")))
	return config.Server{Name: "a", Type: config.OpenAPI, Path: path, CallTimeout: 10 * time.Second}
}

// answerOK answers everything with {}.
func answerOK(w io.Writer, _ *http.Request, _ []byte) {
	io.WriteString(w, wiretest.Status(200, "Content-Type: application/json\r\n", "{}").Answer)
}

// TestACallWithAnEffectLeavesOnce has a server that does to a call what makes
// clients send it again, on connections that were used before.
func TestACallWithAnEffectLeavesOnce(t *testing.T) {
	const led = "it redirects to http://127.0.0.1:"
	elsewhere := "Location: /elsewhere?q=" + wiretest.Mark + "\r\n"
	for _, f := range []struct {
		name    string
		fault   wiretest.Fault
		outcome backend.Outcome
		text    string
	}{
		{"200", wiretest.Fault{}, backend.Answered, "{}"},
		{"401", wiretest.Status(401, "WWW-Authenticate: Bearer\r\n", ""), backend.Answered, "401 Unauthorized"},
		{"302", wiretest.Status(302, elsewhere, ""), backend.Answered, led},
		{"307", wiretest.Status(307, elsewhere, ""), backend.Answered, led},
		{"308", wiretest.Status(308, elsewhere, ""), backend.Answered, led},
		{"408", wiretest.Status(408, "", ""), backend.Unknown, "408 Request Timeout"},
		{"429", wiretest.Status(429, "Retry-After: 0\r\n", ""), backend.Answered, "429 Too Many Requests"},
		{"500", wiretest.Status(500, "", `{"error":"no"}`), backend.Answered, "500 Internal Server Error: no"},
		{"503", wiretest.Status(503, "Retry-After: 0\r\n", ""), backend.Unknown, "503 Service Unavailable"},
		{"reset at the first byte", wiretest.Fault{At: "first byte", Reset: true}, backend.Unknown, ""},
		{"reset after the headers", wiretest.Fault{At: "headers", Reset: true}, backend.Unknown, ""},
		{"reset before the response", wiretest.Fault{Reset: true}, backend.Unknown, ""},
		{"reset in the response", wiretest.Fault{Reset: true, Answer: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"},
			backend.Unknown, ""},
		{"too large", wiretest.Status(200, "", strings.Repeat(" ", 2<<10)), backend.Unread, "larger than 1024 bytes"},
		{"cancelled", wiretest.Fault{Silent: func() {}}, backend.Unknown, "context canceled"},
		{"idle connections close", wiretest.Fault{}, backend.Answered, "{}"},
	} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			s := wiretest.New(t, answerOK)
			def := verbs(t, s.URL)
			def.MaxMessage = 1024
			b := open(t, def)
			for _, method := range []string{"get", "post", "put", "delete"} {
				for _, key := range []string{"", "k1"} {
					for range 2 {
						if _, err := b.Call(t.Context(), &backend.Request{Tool: "get"}); err != nil {
							t.Fatal(err)
						}
					}
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					fault := f.fault
					if fault.Silent != nil {
						fault.Silent = cancel
					}
					s.Next(&fault)
					send, times := wiretest.Ask(true, key, func() error {
						if s.Arrived() != 0 {
							t.Errorf("%s: asked after a byte arrived", method)
						}
						if f.name == "idle connections close" {
							s.HangUp(true)
						}
						return nil
					})
					res, err := b.Call(ctx, &backend.Request{Tool: method, Args: registry.ReadArgs([]byte(`{"q":"` + wiretest.Mark + `"}`)), Send: send})
					text := fmt.Sprint(err)
					if err == nil {
						text = res.Text()
					}
					if got := backend.OutcomeOf(err, *times > 0); got != f.outcome || !strings.Contains(text, f.text) {
						t.Errorf("%s: outcome %s, text %q; want %s, %q", method, got, text, f.outcome, f.text)
					}
					if strings.Contains(text, wiretest.Mark) {
						t.Errorf("%s: %q repeats what was sent", method, text)
					}
					seen, used := s.Seen()
					if len(seen) != 1 || used != 0 || *times != 1 {
						t.Errorf("%s: seen %d times, %d of them over a used connection, asked %d times", method, len(seen),
							used, *times)
					}
					for _, r := range seen {
						if r != nil && (r.Header.Get("Idempotency-Key") != key || r.Method != strings.ToUpper(method)) {
							t.Errorf("%s: got %s with the key %q, want %q", method, r.Method,
								r.Header.Get("Idempotency-Key"), key)
						}
						if r != nil && !r.Close {
							t.Errorf("%s: its connection stays open", method)
						}
					}
				}
			}
		})
	}
}

// A read shares connections and is repeated by HTTP; it is asked once.
func TestAReadIsAskedOnce(t *testing.T) {
	s := wiretest.New(t, answerOK)
	b := open(t, verbs(t, s.URL))
	if _, err := b.Call(t.Context(), &backend.Request{Tool: "get"}); err != nil {
		t.Fatal(err)
	}
	s.Next(&wiretest.Fault{Reset: true})
	send, times := wiretest.Ask(false, "k", func() error {
		if s.Arrived() != 0 {
			t.Error("asked after a byte arrived")
		}
		return nil
	})
	_, err := b.Call(t.Context(), &backend.Request{Tool: "get", Args: registry.ReadArgs([]byte(`{"q":"` + wiretest.Mark + `"}`)), Send: send})
	seen, used := s.Seen()
	if err != nil || *times != 1 || len(seen) != 2 || used != 1 {
		t.Errorf("error %v, asked %d times, seen %d times, %d of them over a used connection", err, *times, len(seen), used)
	}
}

func TestWhatMustNotBeSentIsNotSent(t *testing.T) {
	no := errors.New("disk full")
	for _, effect := range []bool{true, false} {
		s := wiretest.New(t, answerOK)
		b := open(t, verbs(t, s.URL))
		s.Next(nil)
		send, times := wiretest.Ask(effect, "", func() error { return no })
		_, err := b.Call(t.Context(), &backend.Request{Tool: "post", Send: send})
		if !errors.Is(err, no) || backend.OutcomeOf(err, true) != backend.NotSent || *times != 1 {
			t.Errorf("effect %v: error %v, outcome %s, asked %d times", effect, err, backend.OutcomeOf(err, true), *times)
		}
		if s.Arrived() != 0 {
			t.Errorf("effect %v: %d requests arrived", effect, s.Arrived())
		}

		send, times = wiretest.Ask(true, "", func() error { return nil })
		if _, err = b.Call(t.Context(), &backend.Request{Tool: "post", Args: registry.ReadArgs([]byte(`{"x":1}`)), Send: send}); *times != 0 ||
			backend.OutcomeOf(err, false) != backend.NotSent {
			t.Errorf("bad arguments: error %v, asked %d times", err, *times)
		}
		s.Stop()
		s.HangUp(false)
		send, times = wiretest.Ask(effect, "", func() error { return nil })
		_, err = b.Call(t.Context(), &backend.Request{Tool: "post", Send: send})
		if backend.OutcomeOf(err, true) != backend.NotSent || effect && *times != 0 {
			t.Errorf("effect %v, server gone: error %v, outcome %s, asked %d times", effect, err,
				backend.OutcomeOf(err, true), *times)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		send, times = wiretest.Ask(effect, "", func() error { return nil })
		if _, err = b.Call(ctx, &backend.Request{Tool: "post", Send: send}); !errors.Is(err, context.Canceled) || *times != 0 {
			t.Errorf("effect %v, cancelled: error %v, asked %d times", effect, err, *times)
		}
	}
}

// trust makes this process trust the server's certificate.
func trust(t testing.TB, srv *httptest.Server) {
	roots := x509.NewCertPool()
	roots.AddCert(srv.Certificate())
	shared := http.DefaultTransport.(*http.Transport)
	before := shared.TLSClientConfig
	shared.TLSClientConfig = &tls.Config{RootCAs: roots}
	t.Cleanup(func() { shared.TLSClientConfig = before })
}

// HTTP/2 sends again what a server that closes the connection has not begun.
func TestACallWithAnEffectUsesNoHTTP2(t *testing.T) {
	var mu sync.Mutex
	var protocols []int
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		protocols = append(protocols, r.ProtoMajor)
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Connection", "close") // over HTTP/2, GOAWAY
		if r.Method == http.MethodPost {
			panic(http.ErrAbortHandler)
		}
		io.WriteString(w, "{}")
	}))
	srv.EnableHTTP2 = true
	srv.StartTLS()
	t.Cleanup(srv.Close)
	trust(t, srv)
	b := open(t, verbs(t, srv.URL))
	if _, err := b.Call(t.Context(), &backend.Request{Tool: "get"}); err != nil {
		t.Fatal(err)
	}
	send, times := wiretest.Ask(true, "k", func() error {
		mu.Lock()
		defer mu.Unlock()
		if len(protocols) != 1 {
			t.Errorf("asked after %d requests", len(protocols))
		}
		return nil
	})
	_, err := b.Call(t.Context(), &backend.Request{Tool: "post", Send: send})
	if fmt.Sprint(protocols) != "[2 1]" || *times != 1 || backend.OutcomeOf(err, true) != backend.Unknown {
		t.Errorf("protocols %v, asked %d times, error %v: %s", protocols, *times, err, backend.OutcomeOf(err, true))
	}
	no := errors.New("no")
	send, _ = wiretest.Ask(true, "", func() error { return no })
	if _, err = b.Call(t.Context(), &backend.Request{Tool: "post", Send: send}); !errors.Is(err, no) || len(protocols) != 2 {
		t.Errorf("error %v, protocols %v", err, protocols)
	}
}

// BenchmarkCall is one call that nobody is asked about, one that may be sent
// again, and one that may not, over a plain connection and over TLS.
func BenchmarkCall(b *testing.B) {
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, "{}")
	})
	plain, secure := httptest.NewServer(h), httptest.NewTLSServer(h)
	b.Cleanup(plain.Close)
	b.Cleanup(secure.Close)
	trust(b, secure)
	for name, url := range map[string]string{"tcp": plain.URL, "tls": secure.URL} {
		s := open(b, verbs(b, url))
		for _, how := range []string{"plain", "read", "effect"} {
			b.Run(name+"/"+how, func(b *testing.B) {
				for b.Loop() {
					req := &backend.Request{Tool: "post"}
					if how != "plain" {
						req.Send, _ = wiretest.Ask(how == "effect", "", func() error { return nil })
					}
					if _, err := s.Call(b.Context(), req); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
