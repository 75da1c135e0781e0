package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/harness/serve/transport"
	"github.com/usetools/usetools/wrappers/observe"
)

// listen serves HTTP and returns the address.
func listen(t *testing.T, s *serve.Server, h *serve.HTTP) string {
	t.Helper()
	if !*balanced {
		return listenAlone(t, s, h)
	}
	h.Stateless = true
	other := *h
	return balance(t, listenAlone(t, s, h), listenAlone(t, another(t, s), &other))
}

// listenAlone serves HTTP from one instance.
func listenAlone(t *testing.T, s *serve.Server, h *serve.HTTP) string {
	t.Helper()
	addr := at(t, h)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.HTTP(ctx, h) }()
	t.Cleanup(func() {
		cancel()
		if err := receive(t, done); err != nil {
			t.Error(err)
		}
	})
	return addr
}

// at makes h listen on the loopback interface, and returns the address.
func at(t *testing.T, h *serve.HTTP) string {
	t.Helper()
	h.Address = "127.0.0.1:0"
	if err := h.Listen(); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(h.URL())
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// fronting is a server's front for tests that look into it.
func fronting(t *testing.T, s *serve.Server, h *serve.HTTP, bodyTime time.Duration) (f *serve.Front, addr string) {
	t.Helper()
	f = s.Front(h, bodyTime)
	srv := httptest.NewUnstartedServer(nil)
	srv.Config = f.HTTPServer()
	srv.Start()
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		f.Close()
	})
	return f, srv.Listener.Addr().String()
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
		&mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(token)}},
		&mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cs.Close() })
	return &client{cs, t, nil, nil}
}

func TestHTTPServesAllRevisions(t *testing.T) {
	s, _ := serving(t, nil)
	url := "http://" + listen(t, s, &serve.HTTP{}) + "/mcp"
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

// large is a script whose value is cut, and reads returns one that reads it.
const large = `Return(strings.Repeat("x", 5000))`

func reads(id string) string {
	return fmt.Sprintf("var v string\nif err := Stored(%q, &v); err != nil { Return(err.Error()) } else { Return(len(v)) }", id)
}

// Values have numbers in a session, and handles elsewhere. Another token reads neither.
func TestWhatIsKeptFollowsTheSessionOrTheToken(t *testing.T) {
	s, _ := serving(t, &serve.Options{Answer: 600})
	url := "http://" + listenAlone(t, s,
		&serve.HTTP{Endpoint: transport.Endpoint{Tokens: map[string]string{"ann": "token-of-ann-0123", "bob": "token-of-bob-0123"}}}) + "/mcp"
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		ann, bob := dialHTTP(t, url, version, "token-of-ann-0123", nil), dialHTTP(t, url, version, "token-of-bob-0123", nil)
		_, a := ann.run(large)
		id := a.Cut["value"].Stored
		if (id == "r1") != (version == transport.LastStateful) || len(id) < 2 {
			t.Errorf("%s: %+v", version, a.Cut)
		}
		if got, _ := ann.run(reads(id)); got != "5000\n" {
			t.Errorf("%s: ann reads %s", version, got)
		}
		if got, _ := bob.run(reads(id)); !strings.Contains(got, "no value") {
			t.Errorf("%s: bob reads %s", version, got)
		}
	}
}

func TestWithoutASessionOrTokenAHandleReadsWhatIsKept(t *testing.T) {
	s, _ := serving(t, &serve.Options{Answer: 600})
	url := "http://" + listenAlone(t, s, &serve.HTTP{}) + "/mcp"
	_, a := dialHTTP(t, url, "2026-07-28", "", nil).run(large)
	c := dialHTTP(t, url, "2026-07-28", "", nil)
	if got, _ := c.run(reads(a.Cut["value"].Stored)); got != "5000\n" {
		t.Error(got)
	}
	if got, _ := c.run(reads("r1")); !strings.Contains(got, "no value") {
		t.Error(got)
	}
}

func TestHTTPRefusesStrangers(t *testing.T) {
	s, _ := serving(t, nil)
	addr := listenAlone(t, s, &serve.HTTP{Endpoint: transport.Endpoint{Tokens: map[string]string{"ann": "token-of-ann-0123"}, Origins: []string{"https://app.example"}}})
	receive(t, s.Ready()) // it is healthy then
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
	addr := listenAlone(t, s, &serve.HTTP{})
	res, err := http.Post("http://"+addr+"/mcp", "application/json", io.LimitReader(zeros{}, transport.MaxBody+1))
	if err != nil {
		t.Skip("the connection was cut before the answer was read:", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Error(res.Status)
	}
}

// All answers of a batch are made before the client reads one.
func TestBatchesAreBounded(t *testing.T) {
	s, _ := serving(t, nil)
	url := "http://" + listen(t, s, &serve.HTTP{}) + "/mcp"
	c := dialHTTP(t, url, "2025-03-26", "", nil)
	for _, tc := range []struct {
		n       int
		version string
		want    int
	}{{1, "", 200}, {transport.MaxBatch, "2025-03-26", 200}, {transport.MaxBatch + 1, "", 400}, {transport.MaxBatch + 1, "2025-03-26", 400},
		{1, "2025-06-18", 400}, {1, "2026-07-28", 400}} {
		var messages []string
		for i := range tc.n {
			messages = append(messages, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i+1000))
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url,
			strings.NewReader(" \n["+strings.Join(messages, ",")+"]"))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{"Content-Type": "application/json",
			"Accept": "application/json, text/event-stream", "Mcp-Session-Id": c.ID(), "Mcp-Protocol-Version": tc.version} {
			if value != "" {
				req.Header.Set(name, value)
			}
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != tc.want || tc.want == 200 && strings.Count(string(body), `"result"`) != tc.n {
			t.Errorf("%d messages, revision %q: %s: %.200s", tc.n, tc.version, res.Status, body)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestABodyThatDoesNotComeEndsTheConnection(t *testing.T) {
	s, _ := serving(t, nil)
	_, addr := fronting(t, s, &serve.HTTP{}, 50*time.Millisecond)
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "POST /mcp HTTP/1.1\r\nHost: "+addr+
		"\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
	c.SetReadDeadline(time.Now().Add(patience))
	got, err := io.ReadAll(c) // ends when the server hangs up
	if err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 408 ") {
		t.Errorf("%q, %v", got, err)
	}
}

// An answer that does not depend on the body is not held up by one that does
// not come, and ends the connection.
func TestARefusalDoesNotWaitForTheBody(t *testing.T) {
	s, _ := serving(t, nil)
	addr := listenAlone(t, s, &serve.HTTP{Endpoint: transport.Endpoint{Tokens: map[string]string{"ann": "token-of-ann-0123"}}})
	receive(t, s.Ready())
	const auth = "Authorization: Bearer token-of-ann-0123\r\n"
	for name, x := range map[string]struct{ line, headers, want string }{
		"no token":         {"POST /mcp", "", "401"},
		"wrong token":      {"POST /mcp", "Authorization: Bearer x\r\n", "401"},
		"metrics":          {"GET /metrics", "", "401"},
		"other origin":     {"POST /mcp", auth + "Origin: https://evil.example\r\n", "403"},
		"cross-site":       {"POST /mcp", auth + "Sec-Fetch-Site: cross-site\r\n", "403"},
		"no such page":     {"POST /x", auth, "404"},
		"no such method":   {"POST /healthz", auth, "405"},
		"other path":       {"POST //mcp", auth, "307"},
		"what wants none":  {"GET /healthz", "", "200"},
		"of all":           {"OPTIONS *", "", "400"},
		"that is expected": {"POST /mcp", "Expect: 100-continue\r\n", "401"},
	} {
		for _, length := range []string{
			"Content-Length: 100\r\n\r\n{", "Content-Length: 1000000000\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n5\r\n{",
		} {
			t.Run(name+" "+length[:15], func(t *testing.T) {
				t.Parallel()
				got := said(t, addr, x.line+" HTTP/1.1\r\nHost: "+addr+"\r\n"+x.headers+length)
				if !strings.HasPrefix(got, "HTTP/1.1 "+x.want+" ") || !strings.Contains(got, "\r\nConnection: close\r\n") {
					t.Errorf("got %q, want %s", got, x.want)
				}
				if challenged := strings.Contains(got, "\r\nWww-Authenticate: Bearer "); challenged != (x.want == "401") {
					t.Errorf("challenged %v: %q", challenged, got)
				}
			})
		}
	}
}

// said is all that a server says to what is sent, until it hangs up.
func said(t *testing.T, addr, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, text)
	c.SetReadDeadline(time.Now().Add(patience))
	got, err := io.ReadAll(c)
	if err != nil {
		t.Errorf("after %q: %v", got, err)
	}
	return string(got)
}

// What bounds the time of a body does not bound that of an answer or a stream.
func TestALongAnswerIsNotCut(t *testing.T) {
	t.Parallel()
	s, _ := serving(t, &serve.Options{Tools: serve.Discovery})
	_, addr := fronting(t, s, &serve.HTTP{}, 100*time.Millisecond)
	url := "http://" + addr + "/mcp"
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		told := make(chan struct{}, 10)
		c := dialHTTP(t, url, version, "", &mcp.ClientOptions{
			ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told <- struct{}{} },
		})
		for range 2 {
			if got, _ := c.run("time.Sleep(300 * time.Millisecond); Return(1)"); got != "1\n" {
				t.Errorf("%s: %q", version, got)
			}
		}
		if version != "2025-11-25" { // who has no session is told of no change
			continue
		}
		if _, err := c.ListTools(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		// told over a stream that has been open for longer than a body may take
		c.call("tool_load", map[string]any{"tool": "files.read_file"})
		receive(t, told)
	}
}

// A connection beyond the bound waits until another one ends.
func TestConnectionsAreBounded(t *testing.T) {
	s, _ := serving(t, nil)
	addr := listenAlone(t, s, &serve.HTTP{Endpoint: transport.Endpoint{MaxConnections: 1}})
	ask := func(c net.Conn) { fmt.Fprintf(c, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", addr) }
	answered := func(c net.Conn, until time.Time) error {
		c.SetReadDeadline(until)
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err == nil {
			_, err = io.Copy(io.Discard, res.Body)
		}
		return err
	}
	var conns [2]net.Conn
	for i := range conns {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		ask(c)
		conns[i] = c
		if i > 0 { // the first goes on
			ask(conns[0])
		}
		if err := answered(conns[0], time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
	}
	if err := answered(conns[1], time.Now()); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the second was answered while the first was open: %v", err)
	}
	conns[0].Close()
	if err := answered(conns[1], time.Now().Add(patience)); err != nil {
		t.Error(err)
	}
}

func TestHealthNamesServersToThoseWithAToken(t *testing.T) {
	reg, down := testRegistry(), "not reached"
	reg.Servers[0].Error = &down
	opts := &serve.Options{Catalog: func(context.Context) (*catalog.Catalog, error) {
		return &catalog.Catalog{Registry: reg, Calls: newFake()}, nil
	}}
	s, _ := serving(t, opts)
	receive(t, s.Ready())
	with, without := listenAlone(t, s, &serve.HTTP{Endpoint: transport.Endpoint{Tokens: map[string]string{"ann": "token-of-ann-0123"}}}), listenAlone(t, s, &serve.HTTP{})
	for _, x := range []struct {
		addr, auth string
		want       bool
	}{
		{with, "", false}, {with, "Bearer token-of-ann-0124", false}, {with, "Bearer", false},
		{with, "Basic token-of-ann-0123", false},
		{with, "Bearer token-of-ann-0123", true}, {with, "bearer token-of-ann-0123", true}, {without, "", true},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+x.addr+"/healthz", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", x.auth)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(res.Body)
		res.Body.Close()
		if got := strings.Contains(string(b), reg.Servers[0].Name); err != nil || got != x.want ||
			!strings.Contains(string(b), `"status":"ok"`) {
			t.Errorf("%q: %s, %v", x.auth, b, err)
		}
	}
}

func TestASecondRequestOverHTTPWithTheIDOfOneUnderWayIsRefused(t *testing.T) {
	s, f := serving(t, nil)
	url := "http://" + listenAlone(t, s, &serve.HTTP{}) + "/mcp"
	c := dialHTTP(t, url, "2025-11-25", "", nil)
	post := func(body string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			return 0, err.Error()
		}
		for name, value := range map[string]string{"Content-Type": "application/json",
			"Accept": "application/json, text/event-stream", "Mcp-Session-Id": c.ID(), "Mcp-Protocol-Version": "2025-11-25"} {
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
	if code, got := post(`{"jsonrpc":"2.0","id":77,"method":"ping"}`); code != http.StatusBadRequest ||
		!strings.Contains(got, "-32600") {
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
	f, addr := fronting(t, s, &serve.HTTP{Endpoint: transport.Endpoint{Tokens: map[string]string{"a": "token-of-the-first", "b": "token-of-the-second"}}}, patience)
	first := dialHTTP(t, "http://"+addr+"/mcp", "2025-11-25", "token-of-the-first", nil)
	until(t, f.AgeSilent) // its stream is open
	f.Fill("a")
	second := dialHTTP(t, "http://"+addr+"/mcp", "2025-11-25", "token-of-the-second", nil)
	if got, _ := second.run("Return(2)"); strings.TrimSpace(got) != "2" {
		t.Errorf("got %q", got)
	}
	if _, err := first.ListTools(t.Context(), nil); err == nil {
		t.Error("the session that made room goes on")
	}
}

func TestAPortThatIsTakenIsSaid(t *testing.T) {
	s, _ := serving(t, nil)
	addr := listenAlone(t, s, &serve.HTTP{})
	if err := s.HTTP(t.Context(), &serve.HTTP{Endpoint: transport.Endpoint{Address: addr}}); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Error(err)
	}
}

func TestTheURLChoosesTheTools(t *testing.T) {
	s, _ := serving(t, nil)
	addr := listen(t, s, &serve.HTTP{})
	for query, want := range map[string]string{"?codemode=false": "search_tools describe_tool call_tool",
		"?tools=all": "execute tool_find tool_load search_tools"} {
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
	addr := listenAlone(t, s, &serve.HTTP{})
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
	var h serve.Health
	if err := json.Unmarshal([]byte(get("/healthz")), &h); err != nil || h.Status != "ok" || h.Tools != 8 {
		t.Error(h, err)
	}
	if m := get("/metrics"); !strings.Contains(m, `usetools_runs_total{status="ok"} 1`) ||
		!strings.Contains(m, "usetools_tools 8") {
		t.Error(m)
	}
}

func TestADroppedRequestCancelsItsScript(t *testing.T) {
	s, f := serving(t, nil)
	addr := listen(t, s, &serve.HTTP{})
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
	s, f := serving(t, &serve.Options{Grace: time.Minute})
	ctx, stop := context.WithCancel(t.Context())
	h, done := &serve.HTTP{}, make(chan error, 1)
	addr := at(t, h)
	go func() { done <- s.HTTP(ctx, h) }()
	c := dialHTTP(t, "http://"+addr+"/mcp", "2026-07-28", "", nil)
	type answer struct {
		res *mcp.CallToolResult
		err error
	}
	got := make(chan answer, 1)
	go func() {
		res, err := c.CallTool(t.Context(),
			&mcp.CallToolParams{Name: "execute",
				Arguments: map[string]any{"script": "_, err := files.Wait(); Return(err == nil)"}})
		got <- answer{res, err}
	}()
	receive(t, f.blocked)
	stop()
	until(t, s.Ending)
	f.release <- struct{}{}
	a := receive(t, got) // it ends, and its answer arrives
	if a.err != nil || !strings.HasPrefix(textOf(a.res), "true\n") {
		t.Error(textOf(a.res), a.err)
	}
	if err := receive(t, done); err != nil {
		t.Error(err)
	}
}

// TestATokenIsToldOfItsOwnResultsOnly has ann call a tool often enough for a
// type, and looks for that type in all that shows tools.
func TestATokenIsToldOfItsOwnResultsOnly(t *testing.T) {
	t.Parallel()
	if *clustered {
		t.Skip("the runner learns the types of what tokens get, and tells them to their scripts")
	}
	alone(t, "each learns by itself")
	f, folder := newFake(), t.TempDir()
	start := func(tokens map[string]string) (*serve.Server, string) {
		t.Helper()
		shapes, err := observe.Open(filepath.Join(folder, "shapes.json"))
		if err != nil {
			t.Fatal(err)
		}
		s, _ := serving(t, &serve.Options{Tools: serve.All, Catalog: func(context.Context) (*catalog.Catalog, error) {
			return &catalog.Catalog{Registry: testRegistry(), Calls: f, Shapes: shapes}, nil
		}})
		return s, "http://" + listen(t, s, &serve.HTTP{Endpoint: transport.Endpoint{Tokens: tokens}}) + "/mcp"
	}
	const field = "Title string"
	// shown is what a client is told of a tool, by the way of asking.
	shown := func(c *client) map[string]string {
		t.Helper()
		probe, _ := c.run(`UseTools("issues.search")`)
		script, _ := c.run(`import "discovery"
d, err := discovery.DescribeAs("go", "issues.search")
if err != nil { panic(err) }
Return(d.Tools[0].Signature)`)
		page, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "tool://issues/search"})
		if err != nil {
			t.Fatal(err)
		}
		return map[string]string{
			"look-up": probe, "script": script, "resource": page.Contents[0].Text,
			"tool_describe": textOf(c.call("tool_describe", map[string]any{"tool": "issues.search"})),
			"describe_tool": textOf(c.call("describe_tool", map[string]any{"tool": "issues.search", "detail": "go"})),
			"tool_find":     textOf(c.call("tool_find", map[string]any{"query": "search issues", "detail": "go"})),
			"search_tools":  textOf(c.call("search_tools", map[string]any{"query": "search issues", "detail": "go"})),
		}
	}
	check := func(who string, c *client, want bool) {
		t.Helper()
		for way, text := range shown(c) {
			if got := strings.Contains(text, field); got != want {
				t.Errorf("%s, %s: typed %v, want %v:\n%s", who, way, got, want, text)
			}
		}
	}
	seen := func(s *serve.Server, who string) string {
		t.Helper()
		catalogs := s.Catalogs(t.Context(), who)
		if len(catalogs) == 0 {
			t.Fatalf("%s has no session", who)
		}
		view, err := catalogs[0].View()
		if err != nil {
			t.Fatal(err)
		}
		tool, _ := view.Tool("issues.search")
		outline, _, _ := tool.Seen()
		return outline
	}
	search := func(c *client, query string) {
		t.Helper()
		if got, _ := c.run(fmt.Sprintf(`r, err := issues.Search(issues.SearchParams{Query: %q}); if err != nil { panic(err) }; Return(r.Text())`, query)); !strings.Contains(got, "number") {
			t.Fatal(got)
		}
	}
	tokens := map[string]string{"ann": "token-of-ann-0123", "bob": "token-of-bob-0123"}
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		folder = t.TempDir()
		s, url := start(tokens)
		ann, bob := dialHTTP(t, url, version, tokens["ann"], nil), dialHTTP(t, url, version, tokens["bob"], nil)
		search(ann, "0")
		search(bob, "0")
		if a, b := seen(s, "ann"), seen(s, "bob"); a != "[]{number int, title string}" || a != b {
			t.Errorf("%s: ann was told %q, bob %q", version, a, b)
		}
		for i := range 5 {
			search(ann, fmt.Sprint(i))
		}
		check("ann", ann, true)
		check("bob", bob, false)
		s.Close() // saves
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) != 3 {
		t.Errorf("%q, %v; want a file for each token, and one for all", files, err)
	}

	_, url := start(map[string]string{"ann": tokens["ann"], "bob": "another-token-0123"})
	check("ann after a restart", dialHTTP(t, url, "", tokens["ann"], nil), true)
	check("who has bob's name now", dialHTTP(t, url, "", "another-token-0123", nil), false)
	_, url = start(map[string]string{"ann": tokens["ann"]})
	check("ann alone, who has what all had", dialHTTP(t, url, "", tokens["ann"], nil), false)
}

// What is no beginning of a session takes no place of one.
func TestWhatNeverBecomesASessionIsForgotten(t *testing.T) {
	s, _ := serving(t, nil)
	url := "http://" + listenAlone(t, s, &serve.HTTP{}) + "/mcp"
	for _, body := range []string{"{", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "[]"} {
		req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	until(t, func() bool { return s.Sessions() == 0 })
	c := dialHTTP(t, url, "2025-11-25", "", nil)
	if got, _ := c.run("Return(1)"); got != "1\n" || s.Sessions() != 1 {
		t.Error(got, s.Sessions())
	}
}
