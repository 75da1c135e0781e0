package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// listen serves HTTP and returns the address.
func listen(t *testing.T, s *Server, h *HTTP) string {
	t.Helper()
	addr := make(chan string, 1)
	h.Address = "127.0.0.1:0"
	h.listening = func(a net.Addr) { addr <- a.String() }
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.HTTP(ctx, h) }()
	t.Cleanup(func() {
		cancel()
		if err := receive(t, done); err != nil {
			t.Error(err)
		}
	})
	select {
	case a := <-addr:
		return a
	case err := <-done:
		t.Fatal(err)
	case <-time.After(patience):
		t.Fatal("it does not listen")
	}
	return ""
}

// bearer sends a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b != "" {
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// dialHTTP connects with a revision of the protocol; "" is the newest.
func dialHTTP(t *testing.T, url, version, token string, opts *mcp.ClientOptions) *client {
	t.Helper()
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opts).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(token)}}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cs.Close() })
	return &client{cs, t, nil}
}

func TestHTTPServesAllRevisions(t *testing.T) {
	s, _ := serving(t, nil)
	url := "http://" + listen(t, s, &HTTP{}) + "/mcp"
	for _, version := range []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"} {
		t.Run(version, func(t *testing.T) {
			c := dialHTTP(t, url, version, "", nil)
			if got := c.InitializeResult().ProtocolVersion; got != version {
				t.Errorf("speaks %s", got)
			}
			list, err := c.ListTools(t.Context(), nil)
			if err != nil || len(list.Tools) != 1 {
				t.Fatal(list, err)
			}
			if got, _ := c.run("Return(1 + 1)"); got != "2\n" {
				t.Error(got)
			}
		})
	}
}

func TestWhatIsKeptFollowsTheSession(t *testing.T) {
	s, _ := serving(t, &Options{Answer: 600})
	large, read := `Return(strings.Repeat("x", 5000))`, `var v string
if err := Stored("r1", &v); err != nil { Return(err.Error()) } else { Return(len(v)) }`
	url := "http://" + listen(t, s, &HTTP{Tokens: map[string]string{"ann": "token-of-ann-0123", "bob": "token-of-bob-0123"}}) + "/mcp"
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		ann, bob := dialHTTP(t, url, version, "token-of-ann-0123", nil), dialHTTP(t, url, version, "token-of-bob-0123", nil)
		if _, a := ann.run(large); a.Cut["value"].Stored != "r1" {
			t.Errorf("%s: %+v", version, a.Cut)
		}
		if got, _ := ann.run(read); got != "5000\n" {
			t.Errorf("%s: ann reads %s", version, got)
		}
		if got, _ := bob.run(read); !strings.Contains(got, "there is no value") {
			t.Errorf("%s: bob reads %s", version, got)
		}
	}
}

func TestWithoutASessionNothingIsKept(t *testing.T) {
	s, _ := serving(t, &Options{Answer: 600})
	c := dialHTTP(t, "http://"+listen(t, s, &HTTP{})+"/mcp", "2026-07-28", "", nil)
	got, a := c.run(`Return(strings.Repeat("x", 5000))`)
	if a.Cut["value"].Stored != "" || !strings.Contains(got, "without a session") {
		t.Error(got)
	}
	if got, _ = c.run(`var v string; Return(fmt.Sprint(Stored("r1", &v)))`); !strings.Contains(got, "there is no session") {
		t.Error(got)
	}
}

func TestHTTPRefusesStrangers(t *testing.T) {
	s, _ := serving(t, nil)
	addr := listen(t, s, &HTTP{Tokens: map[string]string{"ann": "token-of-ann-0123"}, Origins: []string{"https://app.example"}})
	receive(t, s.live.ready) // it is healthy then
	for name, x := range map[string]struct {
		path, host, origin, token string
		want                      int
	}{
		"no token":           {"/mcp", "", "", "", 401},
		"wrong token":        {"/mcp", "", "", "token-of-ann-0124", 401},
		"metrics too":        {"/metrics", "", "", "", 401},
		"metrics":            {"/metrics", "", "", "token-of-ann-0123", 200},
		"rebound name":       {"/mcp", "evil.example", "", "token-of-ann-0123", 403},
		"page of a stranger": {"/mcp", "", "https://evil.example", "token-of-ann-0123", 403},
		"page of a friend":   {"/mcp", "", "https://app.example", "token-of-ann-0123", 400},
		"health":             {"/healthz", "", "", "", 200},
		"no such page":       {"/x", "", "", "token-of-ann-0123", 404},
	} {
		t.Run(name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+addr+x.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Accept", "text/event-stream")
			if x.host != "" {
				req.Host = x.host
			}
			if x.origin != "" {
				req.Header.Set("Origin", x.origin)
			}
			if x.token != "" {
				req.Header.Set("Authorization", "Bearer "+x.token)
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if res.StatusCode != x.want {
				body, _ := io.ReadAll(res.Body)
				t.Errorf("%s: %s", res.Status, body)
			}
		})
	}
}

func TestABodyHasALimit(t *testing.T) {
	s, _ := serving(t, nil)
	addr := listen(t, s, &HTTP{})
	res, err := http.Post("http://"+addr+"/mcp", "application/json", io.LimitReader(zeros{}, maxBody+1))
	if err != nil {
		t.Skip("the connection was cut before the answer was read:", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Error(res.Status)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestABodyThatDoesNotComeEndsTheConnection(t *testing.T) {
	s, _ := serving(t, nil)
	addr := listen(t, s, &HTTP{bodyWait: 50 * time.Millisecond})
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "POST /mcp HTTP/1.1\r\nHost: "+addr+"\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
	c.SetReadDeadline(time.Now().Add(patience))
	got, err := io.ReadAll(c) // ends when the server hangs up
	if err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 408 ") {
		t.Errorf("%q, %v", got, err)
	}
}

// A flood of sessions keeps nobody away for long: those that are not used make
// room, of whoever has the most.
func TestUnusedSessionsMakeRoom(t *testing.T) {
	s, _ := serving(t, nil)
	f := &front{s: s, h: &HTTP{}, stateful: map[string]*session{}}
	add := func(id, subject string, unused time.Duration) {
		f.stateful[id] = &session{s: s, id: id, mcp: mcp.NewServer(&mcp.Implementation{}, nil), subject: subject, used: time.Now().Add(-unused)}
	}
	for i := range maxSessions - 2 {
		add(fmt.Sprint("flood", i), "flood", 2*unusedTime)
	}
	add("oldest", "flood", 3*unusedTime)
	add("other", "other", 4*unusedTime)
	// A stream that is open keeps no session, but those without go first.
	for id := range f.stateful {
		if id != "oldest" && id != "flood7" {
			f.visit(id, http.MethodGet)
		}
	}
	for _, gone := range []string{"oldest", "flood7"} {
		if !f.room("flood") || f.stateful[gone] != nil || f.stateful["other"] == nil {
			t.Errorf("%s was to go, the session that has been unused the longest of the one who has the most", gone)
		}
		add("again"+gone, "other", 0)
		f.visit("again"+gone, http.MethodGet)
	}
	if !f.room("flood") || len(f.stateful) != maxSessions-1 {
		t.Error("sessions with an open stream made no room")
	}
	add("more", "flood", 0)
	for _, c := range f.stateful {
		c.used = time.Now()
	}
	if f.room("flood") {
		t.Error("a session in use made room for another of the same client")
	}
	if !f.room("third") || len(f.stateful) != maxSessions-1 {
		t.Error("one client's sessions kept another client away")
	}
	add("third", "third", 0)
	for id, c := range f.stateful {
		c.used = time.Now().Add(-2 * unusedTime)
		defer f.visit(id, http.MethodPost)()
	}
	if f.room("fourth") {
		t.Error("a session with a request made room")
	}
}

func TestASecondRequestOverHTTPWithTheIDOfOneUnderWayIsRefused(t *testing.T) {
	s, f := serving(t, nil)
	url := "http://" + listen(t, s, &HTTP{}) + "/mcp"
	c := dialHTTP(t, url, "2025-11-25", "", nil)
	post := func(body string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			return 0, err.Error()
		}
		for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Session-Id": c.ID(), "Mcp-Protocol-Version": "2025-11-25"} {
			req.Header.Set(name, value)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0, err.Error()
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		return resp.StatusCode, fmt.Sprint(string(b), err)
	}
	first := make(chan string, 1)
	go func() {
		_, got := post(`{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"execute","arguments":{"script":"_, err := files.Wait()\nReturn(err == nil)"}}}`)
		first <- got
	}()
	receive(t, f.blocked)
	if code, got := post(`{"jsonrpc":"2.0","id":77,"method":"ping"}`); code != http.StatusBadRequest || !strings.Contains(got, "-32600") {
		t.Errorf("%d: %s", code, got)
	}
	f.release <- struct{}{}
	if got := receive(t, first); !strings.Contains(got, `"text":"true`) {
		t.Errorf("the first was answered with %s", got)
	}
}

// A thousand clients that stay connected and are silent are not the last.
func TestOpenStreamsKeepNobodyOut(t *testing.T) {
	s, _ := serving(t, nil)
	front := make(chan *front, 1)
	addr := listen(t, s, &HTTP{Tokens: map[string]string{"a": "token-of-the-first", "b": "token-of-the-second"}, fronted: front})
	f := receive(t, front)
	first := dialHTTP(t, "http://"+addr+"/mcp", "2025-11-25", "token-of-the-first", nil)
	until(t, func() bool { // its stream is open
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, c := range f.stateful {
			if c.streams == 1 && c.visits == 0 {
				c.used = time.Now().Add(-2 * unusedTime)
				return true
			}
		}
		return false
	})
	f.mu.Lock()
	for i := range maxSessions - 1 {
		id := fmt.Sprint("open", i)
		f.stateful[id] = &session{s: s, id: id, mcp: mcp.NewServer(&mcp.Implementation{}, nil), subject: "a", used: time.Now(), streams: 1}
	}
	f.mu.Unlock()
	second := dialHTTP(t, "http://"+addr+"/mcp", "2025-11-25", "token-of-the-second", nil)
	if got, _ := second.run("Return(2)"); strings.TrimSpace(got) != "2" {
		t.Errorf("got %q", got)
	}
	if _, err := first.ListTools(t.Context(), nil); err == nil {
		t.Error("the session that made room goes on")
	}
}

func TestAnOpenAddressNeedsATokenOrAWord(t *testing.T) {
	for addr, want := range map[string]string{"0.0.0.0:80": "-insecure", "example.org:80": "-insecure", "7337": "want host:port"} {
		if err := (&HTTP{Address: addr}).Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", addr, err)
		}
	}
	for _, h := range []*HTTP{{Address: "127.0.0.1:0"}, {Address: "[::1]:0"}, {Address: ":0"}, {Address: "0.0.0.0:0", Insecure: true},
		{Address: "0.0.0.0:0", Tokens: map[string]string{"a": "b"}}} {
		if err := h.Check(); err != nil {
			t.Error(err)
		}
	}
}

func TestAPortThatIsTakenIsSaid(t *testing.T) {
	s, _ := serving(t, nil)
	addr := listen(t, s, &HTTP{})
	if err := s.HTTP(t.Context(), &HTTP{Address: addr}); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Error(err)
	}
}

func TestTokensAreReadFromFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("# ours\nann 0123456789abcdef\n\nfedcba9876543210\n")
	got, err := ReadTokens(file, "env-0123456789abcdef")
	if err != nil || len(got) != 3 || got["ann"] != "0123456789abcdef" || got["line4"] != "fedcba9876543210" {
		t.Error(got, err)
	}
	for _, bad := range []string{"short\n", "", "a b c\n"} {
		write(bad)
		if _, err := ReadTokens(file, ""); err == nil || strings.Contains(err.Error(), "short") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestTheURLChoosesTheTools(t *testing.T) {
	s, _ := serving(t, nil)
	addr := listen(t, s, &HTTP{})
	for query, want := range map[string]string{"?codemode=false": "search_tools describe_tool call_tool", "?tools=all": "execute tool_find tool_load search_tools"} {
		for _, version := range []string{"2025-11-25", "2026-07-28"} {
			c := dialHTTP(t, "http://"+addr+"/mcp"+query, version, "", nil)
			list, err := c.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, x := range list.Tools {
				names = append(names, x.Name)
			}
			for _, w := range strings.Fields(want) {
				if !strings.Contains(" "+strings.Join(names, " ")+" ", " "+w+" ") {
					t.Errorf("%s %s: %v, without %s", query, version, names, w)
				}
			}
		}
	}
}

func TestHealthAndMetricsTellHowItIs(t *testing.T) {
	s, _ := serving(t, nil)
	addr := listen(t, s, &HTTP{})
	c := dialHTTP(t, "http://"+addr+"/mcp", "", "", nil)
	c.run("Return(1)")
	get := func(path string) string {
		res, err := http.Get("http://" + addr + path)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, _ := io.ReadAll(res.Body)
		return string(b)
	}
	var h health
	if err := json.Unmarshal([]byte(get("/healthz")), &h); err != nil || h.Status != "ok" || h.Tools != 8 {
		t.Error(h, err)
	}
	if m := get("/metrics"); !strings.Contains(m, `usetools_runs_total{status="ok"} 1`) || !strings.Contains(m, "usetools_tools 8") {
		t.Error(m)
	}
}

func TestADroppedRequestCancelsItsScript(t *testing.T) {
	s, f := serving(t, nil)
	addr := listen(t, s, &HTTP{})
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		c := dialHTTP(t, "http://"+addr+"/mcp", version, "", nil)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.CallTool(ctx, &mcp.CallToolParams{Name: "execute", Arguments: map[string]any{"script": "files.Wait()"}})
		}()
		receive(t, f.blocked)
		begin := time.Now()
		cancel()
		receive(t, f.canceled)
		t.Logf("%s: the backend call was canceled after %v", version, time.Since(begin))
		receive(t, done)
	}
}

func TestShutdownLetsScriptsEnd(t *testing.T) {
	s, f := serving(t, &Options{Grace: time.Minute})
	ctx, stop := context.WithCancel(t.Context())
	addr, done := make(chan string, 1), make(chan error, 1)
	go func() {
		done <- s.HTTP(ctx, &HTTP{Address: "127.0.0.1:0", listening: func(a net.Addr) { addr <- a.String() }})
	}()
	c := dialHTTP(t, "http://"+receive(t, addr)+"/mcp", "2026-07-28", "", nil)
	type answer struct {
		res *mcp.CallToolResult
		err error
	}
	got := make(chan answer, 1)
	go func() {
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "execute", Arguments: map[string]any{"script": "_, err := files.Wait(); Return(err == nil)"}})
		got <- answer{res, err}
	}()
	receive(t, f.blocked)
	stop()
	until(t, func() bool { s.queue.mu.Lock(); defer s.queue.mu.Unlock(); return s.queue.closed })
	f.release <- struct{}{}
	a := receive(t, got) // it ends, and its answer arrives
	if a.err != nil || !strings.HasPrefix(text(a.res), "true\n") {
		t.Error(text(a.res), a.err)
	}
	if err := receive(t, done); err != nil {
		t.Error(err)
	}
}
