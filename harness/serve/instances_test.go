package serve

import (
	"flag"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness/record"
)

// With -balanced each test that serves HTTP has two instances without sessions, which
// take turns with the requests.
var balanced = flag.Bool("balanced", false, "serve HTTP from two instances that take turns with requests")

// alone leaves a test out that needs one instance, or a session.
func alone(t *testing.T, why string) {
	t.Helper()
	if *balanced {
		t.Skip("with one instance only: " + why)
	}
}

// asksSessions leaves a test out whose client can be asked in a session only.
func asksSessions(t *testing.T, version string) {
	t.Helper()
	if version == lastStateful {
		alone(t, "a client of this revision is asked in its session")
	}
}

// another is a second instance of a server: the same options, and the same key and
// folder of records.
func another(t *testing.T, s *Server) *Server {
	t.Helper()
	opts := s.opts
	if dir := s.records.Dir(); dir != "" {
		var err error
		if opts.Records, err = record.Open(dir, nil); err != nil {
			t.Fatal(err)
		}
	} else {
		opts.Records = s.records
	}
	two, err := New(&opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := two.Close(); err != nil {
			t.Error(err)
		}
	})
	return two
}

// balance sends each request to the next one of some addresses, and returns its own.
func balance(t *testing.T, addrs ...string) string {
	t.Helper()
	var n atomic.Int64
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: &httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: addrs[int(n.Add(1))%len(addrs)]})
		},
	}}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	t.Cleanup(func() { srv.Close(); <-done })
	return l.Addr().String()
}

// Any instance answers any request, of clients of each revision; each tells the same
// tools, and for how long that holds.
func TestAnyInstanceAnswersAnyRequest(t *testing.T) {
	one, f := serving(t, &Options{Records: folderStore(t, t.TempDir()), Answer: 600})
	two := another(t, one)
	tokens := map[string]string{"ann": "token-of-ann-0123", "bob": "token-of-bob-0123"}
	serve := func(s *Server) string { return listenAlone(t, s, &HTTP{Tokens: tokens, Stateless: true}) }
	addr := balance(t, serve(one), serve(two))
	for _, version := range []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"} {
		t.Run(version, func(t *testing.T) {
			c := dialHTTP(t, "http://"+addr+"/mcp", version, tokens["ann"], nil)
			var lists []*mcp.ListToolsResult
			for range 2 {
				list, err := c.ListTools(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				lists = append(lists, list)
			}
			if a, b := lists[0].Tools[0].Description, lists[1].Tools[0].Description; a != b || len(a) < 500 {
				t.Errorf("they tell of different tools:\n%s\n%s", a, b)
			}
			if version > lastStateful && lists[0].TTLMs <= 0 {
				t.Error("nobody says for how long the list holds")
			}
			before := f.calls.Load()
			for range 4 {
				if got, a := c.run(`r, err := git.Log(git.LogParams{MaxCount: 1}); if err != nil { panic(err) }; Return(r)`); a.Status != "ok" {
					t.Error(got)
				}
			}
			if n := f.calls.Load() - before; n != 4 {
				t.Errorf("%d calls, want 4", n)
			}
			if c.ID() != "" {
				t.Errorf("the session %s", c.ID())
			}
		})
	}
}
