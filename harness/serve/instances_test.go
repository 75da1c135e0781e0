package serve_test

import (
	"context"
	"errors"
	"flag"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/cluster/clustertest"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/harness/serve/transport"
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
	if version == transport.LastStateful {
		alone(t, "a client of this revision is asked in its session")
	}
}

// another is a second instance of a server: the same options, and the same key and
// folder of records.
func another(t *testing.T, s *serve.Server) *serve.Server {
	t.Helper()
	opts := s.Opts()
	if dir := s.Records().Dir(); dir != "" {
		var err error
		if opts.Records, err = store.Open(dir, nil); err != nil {
			t.Fatal(err)
		}
	} else {
		opts.Records = s.Records()
	}
	two, err := serve.New(&opts)
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
	srv := httptest.NewServer(&httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: addrs[int(n.Add(1))%len(addrs)]})
			r.Out.Host = r.In.Host
			for _, name := range []string{"X-Forwarded-For", "X-Forwarded-Proto"} { // of the balancer before this one
				r.Out.Header[name] = r.In.Header[name]
			}
		},
	})
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	return srv.Listener.Addr().String()
}

// Any instance answers any request, of clients of each revision; each tells the same
// tools, and for how long that holds.
func TestAnyInstanceAnswersAnyRequest(t *testing.T) {
	t.Parallel()
	one, f := serving(t, &serve.Options{Records: folderStore(t, t.TempDir()), Answer: 600})
	two := another(t, one)
	tokens := map[string]string{"ann": "token-of-ann-0123", "bob": "token-of-bob-0123"}
	front := func(s *serve.Server) string {
		return listenAlone(t, s, &serve.HTTP{Endpoint: transport.Endpoint{Tokens: tokens}, Stateless: true})
	}
	addr := balance(t, front(one), front(two))
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
			if version > transport.LastStateful && lists[0].TTLMs <= 0 {
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

// What one instance has begun since another read the records is known to that too.
func TestInstancesKnowOneAnothersRequests(t *testing.T) {
	t.Parallel()
	both := func(opts *serve.Options) (one, two *client, f *fake) {
		opts.Records = folderStore(t, t.TempDir())
		s, f := serving(t, opts)
		one, two = connect(t, s, nil), connect(t, another(t, s), nil)
		for _, c := range []*client{one, two} { // each has read the records
			if got, a := c.run("Return(1)"); a.Status != outcome.OK {
				t.Fatal(got)
			}
		}
		return one, two, f
	}
	once := func(c *client) (string, *serve.Answer) {
		res := c.call("execute", map[string]any{"script": deleting, "once": "a"})
		return textOf(res), structured(t, res)
	}
	t.Run("once", func(t *testing.T) {
		one, two, f := both(&serve.Options{})
		_, first := once(one)
		if got, again := once(two); again.Run != first.Run || f.calls.Load() != 1 {
			t.Errorf("%d calls: %s", f.calls.Load(), got)
		}
	})
	t.Run("once at the same time", func(t *testing.T) {
		one, two, f := both(&serve.Options{MaxRuns: 8})
		runs := make([]string, 8)
		var all sync.WaitGroup
		for i := range runs {
			c := []*client{one, two}[i%2]
			all.Go(func() {
				res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "execute",
					Arguments: map[string]any{"script": deleting, "once": "a"}})
				if err != nil || res.StructuredContent == nil {
					t.Errorf("%v %+v", err, res)
					return
				}
				runs[i] = structured(t, res).Run
			})
		}
		all.Wait()
		if got := slices.Compact(slices.Sorted(slices.Values(runs))); len(got) != 1 || f.calls.Load() != 1 {
			t.Errorf("%d calls, runs %q", f.calls.Load(), got)
		}
	})
	t.Run("waiting", func(t *testing.T) {
		one, two, f := both(&serve.Options{Policy: asksForWrites})
		_, first := one.run(deleting)
		if first.Status != outcome.Waiting {
			t.Fatal(first.Status)
		}
		if got, again := two.run(deleting); again.Run != first.Run || again.Status != outcome.Waiting ||
			!strings.Contains(got, "not started again") || f.calls.Load() != 0 {
			t.Errorf("%d calls: %s", f.calls.Load(), got)
		}
	})
}

// A run that waits at one instance continues at any other: when it was approved elsewhere, and with the answers of
// the client's user.
func TestAnyInstanceResumesARun(t *testing.T) {
	t.Parallel()
	t.Run("approved elsewhere", func(t *testing.T) {
		one, f := serving(t, &serve.Options{Policy: asksForWrites, Records: folderStore(t, t.TempDir())})
		two := another(t, one)
		got, first := connect(t, one, nil).run(deleting)
		if first.Status != outcome.Waiting {
			t.Fatal(got)
		}
		third := folderStore(t, one.Records().Dir())
		if err := third.Answer(first.Waiting[0].ID, &record.Answer{Yes: true}); err != nil {
			t.Fatal(err)
		}
		c := connect(t, two, nil)
		again := first
		until(t, func() bool { got, again = c.run(deleting); return again.Status != outcome.Waiting }) // the first may be about to resume it
		if again.Run != first.Run || !strings.HasPrefix(got, "deleted\n") || f.calls.Load() != 1 {
			t.Errorf("%d calls: %s", f.calls.Load(), got)
		}
	})
	t.Run("answered by its client", func(t *testing.T) {
		one, f := serving(t, &serve.Options{Policy: asksForWrites, Records: folderStore(t, t.TempDir())})
		two := another(t, one)
		front := func(s *serve.Server) string { return listenAlone(t, s, &serve.HTTP{Stateless: true}) }
		p := always(accept)
		c := dialHTTP(t, "http://"+balance(t, front(one), front(two))+"/mcp", "2026-07-28", "", p.options())
		got, a := c.run(deletesThree)
		if got != "0 <nil>\n1 <nil>\n2 <nil>\n" || len(p.questions()) != 3 || f.calls.Load() != 3 || a.Attempts < 4 { // the other instance may have looked too
			t.Errorf("%d calls, %d attempts, asked %q: %s", f.calls.Load(), a.Attempts, p.questions(), got)
		}
	})
}

// With -clustered the scripts of each test run at a runner, and go there through a queue.
var clustered = flag.Bool("clustered", false, "run scripts at a runner, through NATS JetStream")

// inCluster makes options those of a front end, and starts a runner for it.
func inCluster(t testing.TB, opts *serve.Options) (of func(*serve.Server)) {
	t.Helper()
	url := clustertest.Server(t)
	connect := func() *cluster.Cluster {
		c, err := cluster.Connect(t.Context(), &cluster.Options{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	c, runs := connect(), connect()
	there := opts.Records // of a test that looks into them
	if there == nil {
		opts.Records, there = c.Store(nil), runs.Store(nil)
	}
	f, err := c.Front(&cluster.FrontOptions{Records: opts.Records, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	opts.Elsewhere = f
	h := harness.New(&harness.Options{Records: there, WorkerCommand: opts.WorkerCommand, BestEffort: opts.BestEffort,
		Spares: opts.Spares, Version: "test"})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	served := make(chan *serve.Server, 1)
	go func() {
		s := <-served
		done <- runs.Serve(ctx, &cluster.RunnerOptions{Harness: h, Records: there, MaxRuns: opts.MaxRuns,
			Limits: opts.Limits, Catalog: s.Acquire()})
	}()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(receive(t, done), f.Close(), h.Close()); err != nil {
			t.Error(err)
		}
	})
	return func(s *serve.Server) { served <- s }
}
