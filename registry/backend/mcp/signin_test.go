package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/mcp"
	"github.com/usetools/usetools/registry/config"
)

// authority is an MCP server that wants OAuth and the one that signs people in.
type authority struct {
	mu         sync.Mutex
	token      string // that is good now
	issued     int
	registered int
	scope      string        // that was asked for
	hangs      chan struct{} // renewals wait for that; nil: they do not
	hung       chan struct{} // receives when one begins to
}

func (a *authority) handler(t testing.TB, base func() string) http.Handler {
	reply := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(v)
	}
	mux := http.NewServeMux()
	guarded := func(h http.Handler) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			a.mu.Lock()
			good := a.token != "" && r.Header.Get("Authorization") == "Bearer "+a.token
			a.mu.Unlock()
			if !good {
				w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+base()+`/.well-known/oauth-protected-resource`+
					r.URL.Path+`"`)
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			if body, err := io.ReadAll(r.Body); err == nil {
				r.Body = io.NopCloser(bytes.NewReader(body))
				if bytes.Contains(body, []byte(`"name":"admin"`)) {
					w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="admin:all"`)
					w.WriteHeader(http.StatusForbidden)
					return
				}
			}
			h.ServeHTTP(w, r)
		}
	}
	sse := sdkServer(t)
	mux.Handle("/mcp", guarded(streamable(t, nil)))
	mux.Handle("/sse", guarded(sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return sse }, nil)))
	mux.HandleFunc("/.well-known/oauth-protected-resource/", func(w http.ResponseWriter, r *http.Request) {
		reply(w, map[string]any{"resource": base() + strings.TrimPrefix(r.URL.Path, "/.well-known/oauth-protected-resource"),
			"authorization_servers": []string{base()}, "scopes_supported": []string{"everything"}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{"issuer": base(), "authorization_endpoint": base() + "/authorize", "token_endpoint": base() +
			"/token",
			"registration_endpoint": base() + "/register", "response_types_supported": []string{"code"},
			"code_challenge_methods_supported":      []string{"S256"},
			"token_endpoint_auth_methods_supported": []string{"none", "client_secret_post"}})
	})
	mux.HandleFunc("/register", func(w http.ResponseWriter, r *http.Request) {
		var m map[string]any
		json.NewDecoder(r.Body).Decode(&m)
		a.mu.Lock()
		a.registered++
		a.mu.Unlock()
		m["client_id"] = "registered"
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		json.NewEncoder(w).Encode(m)
	})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		a.mu.Lock()
		a.scope = q.Get("scope")
		a.mu.Unlock()
		http.Redirect(w, r, q.Get("redirect_uri")+"?code=c0de&state="+url.QueryEscape(q.Get("state")), http.StatusFound)
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		r.ParseForm()
		a.mu.Lock()
		hangs := a.hangs
		a.mu.Unlock()
		if hangs != nil {
			a.hung <- struct{}{}
			<-hangs
			http.Error(w, "{}", http.StatusServiceUnavailable)
			return
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		if r.Form.Get("code") != "c0de" && r.Form.Get("refresh_token") != fmt.Sprintf("refresh%d", a.issued) {
			http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
			return
		}
		a.issued++
		a.token = fmt.Sprintf("access%d", a.issued)
		// Five seconds count as run out: a client renews ten before the end.
		reply(w, map[string]any{"access_token": a.token, "token_type": "Bearer", "expires_in": 5,
			"refresh_token": fmt.Sprintf("refresh%d", a.issued)})
	})
	return mux
}

// browse does what a person's browser would.
func browse(t *testing.T) func(string) {
	return func(u string) {
		res, err := http.Get(u)
		if err != nil {
			t.Error(err)
			return
		}
		res.Body.Close()
	}
}

// tokenDir is a folder for tokens. It goes when nobody renews one any more: a
// renewal goes on when the connection that it was for has been closed.
func tokenDir(t *testing.T) string {
	dir := t.TempDir()
	t.Cleanup(func() {
		for end := time.Now().Add(30 * time.Second); time.Now().Before(end); <-time.After(time.Millisecond) {
			buf := make([]byte, 1<<20)
			if !strings.Contains(string(buf[:runtime.Stack(buf, true)]), "singleflight.(*Group).doCall") {
				return
			}
		}
	})
	return dir
}

func TestSignInIsKeptAndRenewed(t *testing.T) {
	t.Parallel()
	a := &authority{}
	var srv *httptest.Server
	srv = httptest.NewServer(a.handler(t, func() string { return srv.URL }))
	t.Cleanup(func() { // after the connections that are closed before
		srv.CloseClientConnections()
		srv.Close()
	})
	dir := filepath.Join(tokenDir(t), "tokens")
	opts := &mcp.Options{Tokens: dir}
	s := config.Server{Name: "w", Type: config.HTTP, URL: srv.URL + "/mcp", OAuth: &config.OAuth{Scopes: []string{"read"}},
		StartTimeout: 20 * time.Second}

	_, err := mcp.Open(t.Context(), s, opts)
	if err == nil || !strings.Contains(err.Error(), "run: build-registry signin w") {
		t.Fatalf("before: error %v", err)
	}
	if a.registered != 0 {
		t.Error("an ordinary connection registered a client")
	}
	if err := mcp.SignIn(t.Context(), s, opts, browse(t)); err != nil {
		t.Fatal(err)
	}
	if a.registered != 1 || a.scope != "read" {
		t.Errorf("registered %d times, scope %q", a.registered, a.scope)
	}
	for range 2 { // each connection renews the token, and keeps the new one
		call(t, open(t, s, opts), "echo", "{}")
	}
	if a.issued < 3 {
		t.Errorf("%d tokens issued, want renewed ones", a.issued)
	}
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			t.Error(err)
			return nil
		}
		st, err := os.Stat(path)
		if err != nil {
			t.Error(err)
		} else if runtime.GOOS != "windows" && st.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s can be read by others: %v", path, st.Mode())
		}
		return nil
	})
	// A renewal that hangs ends with the time for the start.
	a.mu.Lock()
	a.hangs, a.hung = make(chan struct{}), make(chan struct{}, 100)
	hangs := a.hangs
	a.mu.Unlock()
	hasty := s
	// on a busy machine it does not get that far
	for hasty.StartTimeout = 200 * time.Millisecond; len(a.hung) == 0; hasty.StartTimeout *= 5 {
		if hasty.StartTimeout > 30*time.Second {
			t.Fatal("nobody renewed the token")
		}
		if _, err := mcp.Open(t.Context(), hasty, opts); err == nil ||
			!strings.Contains(err.Error(), "no answer to the handshake") {
			t.Errorf("a hanging renewal: error %v", err)
		}
	}
	a.mu.Lock()
	a.hangs = nil
	a.mu.Unlock()
	close(hangs)
	// What can no longer be renewed asks for a new sign-in, in words.
	a.mu.Lock()
	a.issued, a.token = 100, "other"
	a.mu.Unlock()
	if _, err := mcp.Open(t.Context(), s, opts); err == nil || !strings.Contains(err.Error(), "build-registry signin w") ||
		strings.Contains(err.Error(), "refresh") {
		t.Errorf("after the end: error %v", err)
	}
}

func TestSignInOverSSE(t *testing.T) {
	for _, kind := range []string{config.SSE, config.HTTP} { // http falls back
		t.Run(kind, func(t *testing.T) {
			a := &authority{}
			var srv *httptest.Server
			srv = httptest.NewServer(a.handler(t, func() string { return srv.URL }))
			t.Cleanup(func() {
				srv.CloseClientConnections()
				srv.Close()
			})
			opts := &mcp.Options{Tokens: tokenDir(t)}
			s := config.Server{Name: "w", Type: kind, URL: srv.URL + "/sse", OAuth: &config.OAuth{},
				StartTimeout: 20 * time.Second}
			if _, err := mcp.Open(t.Context(), s, opts); err == nil ||
				!strings.Contains(err.Error(), "run: build-registry signin w") {
				t.Fatalf("before: error %v", err)
			}
			if err := mcp.SignIn(t.Context(), s, opts, browse(t)); err != nil {
				t.Fatal(err)
			}
			b := open(t, s, opts)
			call(t, b, "echo", "{}")
			_, err := b.Call(t.Context(), &backend.Request{Tool: "admin"})
			if err == nil || !strings.Contains(err.Error(),
				`the sign-in does not cover the scope "admin:all"; add it to oauth.scopes`) {
				t.Errorf("without the scope: error %v", err)
			}
		})
	}
}

func TestCallBeyondTheScopeSaysWhichIsMissing(t *testing.T) {
	a := &authority{}
	var srv *httptest.Server
	srv = httptest.NewServer(a.handler(t, func() string { return srv.URL }))
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	opts := &mcp.Options{Tokens: tokenDir(t)}
	s := config.Server{Name: "w", Type: config.HTTP, URL: srv.URL + "/mcp", OAuth: &config.OAuth{},
		StartTimeout: 20 * time.Second}
	if err := mcp.SignIn(t.Context(), s, opts, browse(t)); err != nil {
		t.Fatal(err)
	}
	b := open(t, s, opts)
	_, err := b.Call(t.Context(), &backend.Request{Tool: "admin"})
	if err == nil || !strings.Contains(err.Error(),
		`the sign-in does not cover the scope "admin:all"; add it to oauth.scopes in its config entry; run: build-registry signin w`) {
		t.Errorf("error %v", err)
	}
	call(t, b, "echo", "{}")
}

func TestTokensAreNotRepeatedInFailures(t *testing.T) {
	a := &authority{}
	var srv *httptest.Server
	h := a.handler(t, func() string { return srv.URL })
	id := regexp.MustCompile(`"id":(\d+),"method":"tools/call"|"method":"tools/call".*"id":(\d+)`)
	srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if m := id.FindSubmatch(body); m != nil {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s%s,"error":{"code":-32000,"message":"bad token %s"}}`, m[1], m[2],
				r.Header.Get("Authorization"))
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	opts := &mcp.Options{Tokens: tokenDir(t)}
	s := config.Server{Name: "w", Type: config.HTTP, URL: srv.URL + "/mcp", OAuth: &config.OAuth{},
		StartTimeout: 20 * time.Second}
	if err := mcp.SignIn(t.Context(), s, opts, browse(t)); err != nil {
		t.Fatal(err)
	}
	b := open(t, s, opts)
	for range 2 { // the token is another each time
		if _, err := b.Call(t.Context(), &backend.Request{Tool: "echo"}); err == nil || !strings.Contains(err.Error(), "bad token Bearer •••") {
			t.Errorf("error %v", err)
		}
	}
}

// TestOnlyTheBrowserThatWasSentAwayEndsASignIn has other pages lead browsers
// to the callback first.
func TestOnlyTheBrowserThatWasSentAwayEndsASignIn(t *testing.T) {
	a := &authority{}
	var srv *httptest.Server
	h := a.handler(t, func() string { return srv.URL })
	srv = httptest.NewServer(h)
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	s := config.Server{Name: "w", Type: config.HTTP, URL: srv.URL + "/mcp", OAuth: &config.OAuth{},
		StartTimeout: 20 * time.Second}
	err := mcp.SignIn(t.Context(), s, &mcp.Options{Tokens: tokenDir(t)}, func(page string) {
		u, err := url.Parse(page)
		if err != nil {
			t.Fatal(err)
		}
		back := u.Query().Get("redirect_uri")
		for _, evil := range []struct{ query, host string }{
			{"state=wrong&code=evil", ""}, {"code=evil", ""}, {"state=&code=evil", ""},
			{"code=evil&state=" + url.QueryEscape(u.Query().Get("state")), "evil.example"},
		} {
			req, err := http.NewRequest(http.MethodGet, back+"?"+evil.query, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Host = evil.host
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if res.StatusCode != http.StatusNotFound {
				t.Errorf("%v: status %d", evil, res.StatusCode)
			}
		}
		browse(t)(page)
	})
	if err != nil {
		t.Error(err)
	}
}

func TestThePageForSigningInIsShownInPlainCharacters(t *testing.T) {
	for path, want := range map[string]string{
		"%s/authorize/\u009b31m\u202e?a=\u202e\u200b":   "/authorize/%C2%9B31m%E2%80%AE?a=%E2%80%AE%E2%80%8B&",
		"http://accounts.example@127.0.0.1:1/authorize": "",
		"javascript:alert(1)//":                         "",
	} {
		a := &authority{}
		var srv *httptest.Server
		h := a.handler(t, func() string { return srv.URL })
		srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/.well-known/oauth-authorization-server" {
				h.ServeHTTP(w, r)
				return
			}
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, r)
			var m map[string]any
			json.Unmarshal(rec.Body.Bytes(), &m)
			m["authorization_endpoint"] = strings.Replace(path, "%s", srv.URL, 1)
			w.Header().Set("Content-Type", "application/json")
			json.NewEncoder(w).Encode(m)
		}))
		s := config.Server{Name: "w", Type: config.HTTP, URL: srv.URL + "/mcp", OAuth: &config.OAuth{},
			StartTimeout: 20 * time.Second}
		ctx, cancel := context.WithCancel(t.Context())
		shown := ""
		err := mcp.SignIn(ctx, s, &mcp.Options{Tokens: tokenDir(t)}, func(page string) { shown = page; cancel() })
		if err == nil || (shown != "") != (want != "") || !strings.HasPrefix(strings.TrimPrefix(shown, srv.URL), want) {
			t.Errorf("%q is shown as %q, error %v", path, shown, err)
		}
		cancel()
		srv.CloseClientConnections()
		srv.Close()
	}
}

func TestSignInWhereThereIsNothingToSignInTo(t *testing.T) {
	s := web(t, "http", streamable(t, nil))
	opts := &mcp.Options{Tokens: tokenDir(t)}
	if err := mcp.SignIn(t.Context(), s, opts, browse(t)); err == nil || !strings.Contains(err.Error(), `"oauth": true`) {
		t.Errorf("error %v", err)
	}
	s.OAuth = &config.OAuth{ClientID: "id", ClientSecret: "hunter2"}
	if err := mcp.SignIn(t.Context(), s, opts, browse(t)); err == nil ||
		!strings.Contains(err.Error(), "without a sign-in") {
		t.Errorf("error %v", err)
	}
	call(t, open(t, s, opts), "echo", "{}")
}
