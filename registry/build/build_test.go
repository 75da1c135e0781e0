package build_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/mcp/mcptest"
	"github.com/usetools/usetools/registry/build"
	"github.com/usetools/usetools/registry/config"
)

func TestMain(m *testing.M) {
	mcptest.Main()
	os.Exit(m.Run())
}

func snap(name, file string) config.Server {
	return config.Server{Name: name, Type: config.Snapshot,
		Path: filepath.Join("..", "backend", "snapshot", "testdata", file)}
}

func servers(s ...config.Server) *config.Config { return &config.Config{Servers: s} }

func must(t testing.TB, c *config.Config, o *build.Options) (*registry.Registry, *build.Report) {
	t.Helper()
	r, rep, err := build.Build(t.Context(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	return r, rep
}

func encode(t testing.TB, r *registry.Registry) string {
	t.Helper()
	b, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func ids(r *registry.Registry) []string {
	out := []string{}
	for _, t := range r.Tools {
		out = append(out, t.ID)
	}
	return out
}

// embed gives every tool without an embedding one, and counts them.
func embed(n *int) func(context.Context, *registry.Registry) error {
	return func(_ context.Context, r *registry.Registry) error {
		r.Embedder = &registry.Embedder{Name: "test", Dimensions: 1, Encoding: "i8"}
		for i := range r.Tools {
			if t := &r.Tools[i]; len(t.Embedding) == 0 {
				t.Embedding, t.Category = []byte(t.Name), "category of "+t.Name
				*n++
			}
		}
		return nil
	}
}

func TestFailingServersAreReportedAndTheOthersWork(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tools.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := servers(
		config.Server{Name: "brokendef", Type: config.Stdio,
			Err: errors.New(`server "brokendef": environment variable "TOKEN" is not set`)},
		config.Server{Name: "brokensnap", Type: config.Snapshot, Path: filepath.Join(dir, "tools.json")},
		mcptest.Server("exits", mcptest.ExitAtStart),
		mcptest.Server("good", mcptest.Banner),
		mcptest.Server("malformed", mcptest.Malformed),
		mcptest.Server("rubbish", mcptest.Rubbish),
		mcptest.Server("silent", mcptest.Silent),
		mcptest.Server("silentlist", mcptest.ListSilent),
		snap("snap", "calculator.json"),
	)
	var r *registry.Registry
	var rep *build.Report
	// On a busy machine some have not said by then what is wrong with them.
	for _, limit := range []time.Duration{time.Second, 5 * time.Second, 25 * time.Second} {
		for i := 5; i < 8; i++ {
			c.Servers[i].StartTimeout = limit
		}
		if r, rep = must(t, c, nil); strings.Contains(fmt.Sprint(rep.Servers[5].Err), "Welcome") &&
			strings.Contains(fmt.Sprint(rep.Servers[7].Err), "listing") {
			break
		}
	}
	want := []string{"good.echo", "good.fail", "malformed.badoutput", "malformed.echo", "malformed.fail",
		"malformed.hints", "snap.calculate"}
	if d := cmp.Diff(want, ids(r)); d != "" {
		t.Errorf("tools (-want +got):\n%s", d)
	}
	errs := map[string]string{
		"brokendef": "TOKEN", "brokensnap": "tools.json", "exits": "boom", "rubbish": "Welcome to the worst server",
		"silent": "no answer to the handshake within", "silentlist": "listing its tools",
	}
	for i, s := range rep.Servers {
		if s.Name != c.Servers[i].Name {
			t.Errorf("report %d is on %q, want %q", i, s.Name, c.Servers[i].Name)
		}
		part := errs[s.Name]
		if (s.Err == nil) != (part == "") || s.Err != nil && !strings.Contains(s.Err.Error(), part) {
			t.Errorf("%s: error %v, want %q in it", s.Name, s.Err, part)
		}
		rs, ok := r.Server(s.Name)
		if !ok || (rs.Error == nil) != (s.Err == nil) || rs.Tools != s.Tools {
			t.Errorf("%s: in the registry %+v", s.Name, rs)
		}
	}
	if n := len(rep.Servers[4].Problems); n != 7 {
		t.Errorf("malformed: %d problems, want 7: %q", n, rep.Servers[4].Problems)
	}
	if rep.OK() != 3 || len(rep.Changes.Added) != len(want) {
		t.Errorf("%d servers fine, changes %+v", rep.OK(), rep.Changes)
	}
	b, err := json.Marshal(rep)
	if err != nil || !strings.Contains(string(b), `"error":"server \"exits\": exited at start`) ||
		!strings.Contains(string(b), `"changes":{"added":["good.echo"`) {
		t.Errorf("report as JSON: %s, %v", b, err)
	}
}

func TestTheSameAnswersGiveTheSameBytes(t *testing.T) {
	t.Parallel()
	c := servers(snap("a", "memory.json"), mcptest.Server("b", mcptest.Pages), snap("c", "list.json"))
	first, _ := must(t, c, nil)
	second, rep := must(t, c, &build.Options{Previous: first})
	if encode(t, first) != encode(t, second) {
		t.Error("a rebuild of the same has other bytes")
	}
	if !rep.Changes.Empty() {
		t.Errorf("changes %+v", rep.Changes)
	}
	if first.Config != c.Digest() {
		t.Errorf("config %q", first.Config)
	}
}

func TestRebuildEmbedsOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	n := 0
	first, _ := must(t, servers(mcptest.Server("s"), snap("m", "memory.json")), &build.Options{Embed: embed(&n)})
	if n != len(first.Tools) {
		t.Errorf("first build embedded %d of %d", n, len(first.Tools))
	}
	n = 0
	second, rep := must(t, servers(mcptest.Server("s", mcptest.OtherTools), snap("m", "memory.json")),
		&build.Options{Previous: first, Embed: embed(&n)})
	if n != 2 {
		t.Errorf("rebuild embedded %d tools, want the changed one and the new one", n)
	}
	want := registry.Changes{Added: []string{"s.new"}, Removed: []string{"s.fail"}, Changed: []string{"s.echo"}}
	if d := cmp.Diff(want, rep.Changes); d != "" {
		t.Errorf("changes (-want +got):\n%s", d)
	}
	old, _ := first.Tool("m.read_graph")
	kept, _ := second.Tool("m.read_graph")
	if !bytes.Equal(old.Embedding, kept.Embedding) || kept.Category != "category of read_graph" || second.Embedder == nil {
		t.Errorf("kept %+v", kept)
	}
	// Without a hook, what is known is kept and the new ones stay without.
	third, _ := must(t, servers(mcptest.Server("s")), &build.Options{Previous: second})
	if third.Embedder != nil {
		t.Error("an embedder is named, but no tool has an embedding")
	}
}

func TestServerThatFailsKeepsItsLastToolsAsStale(t *testing.T) {
	n := 0
	first, _ := must(t, servers(mcptest.Server("s")), &build.Options{Embed: embed(&n)})
	down, rep := must(t, servers(mcptest.Server("s", mcptest.ExitAtStart)),
		&build.Options{Previous: first, Embed: embed(&n)})
	if !cmp.Equal(ids(first), ids(down)) || !rep.Changes.Empty() || !rep.Servers[0].Stale || rep.Servers[0].Tools != 2 {
		t.Errorf("tools %q, report %+v", ids(down), rep.Servers[0])
	}
	for _, tool := range down.Tools {
		if !tool.Stale || len(tool.Embedding) == 0 {
			t.Errorf("%s: stale %v, embedding %v", tool.ID, tool.Stale, tool.Embedding)
		}
	}
	s, _ := down.Server("s")
	if s.Error == nil || !strings.Contains(*s.Error, "boom") || s.Title != "Test server" {
		t.Errorf("server %+v", s)
	}
	if n != len(first.Tools) {
		t.Errorf("%d tools embedded, want each once", n)
	}
	for _, tool := range first.Tools {
		if tool.Stale {
			t.Errorf("%s became stale in the earlier registry", tool.ID)
		}
	}
	up, _ := must(t, servers(mcptest.Server("s")), &build.Options{Previous: down})
	if encode(t, up) != encode(t, first) {
		t.Errorf("after the recovery:\n%s\nwant\n%s", encode(t, up), encode(t, first))
	}
	gone, rep := must(t, servers(), &build.Options{Previous: first})
	if len(gone.Tools) != 0 || len(rep.Changes.Removed) != 2 {
		t.Errorf("a server that is no longer configured left %q", ids(gone))
	}
}

func TestIncludeAndExcludeChooseTools(t *testing.T) {
	s := snap("m", "memory.json")
	s.Include, s.Exclude = []string{"*_graph", "search_nodes", "serch_nodes"}, []string{"search_nodes"}
	r, rep := must(t, servers(s), nil)
	if want := []string{"m.read_graph"}; !cmp.Equal(ids(r), want) {
		t.Errorf("tools %q, want %q", ids(r), want)
	}
	p := rep.Servers[0].Problems
	if rep.Servers[0].Hidden != 8 || len(p) != 1 ||
		!strings.Contains(p[0], `"serch_nodes" in its allow list matches no tool; its tools are `) {
		t.Errorf("report %+v", rep.Servers[0])
	}
	s.Include = []string{}
	if r, _ := must(t, servers(s), nil); len(r.Tools) != 0 {
		t.Errorf("an empty include list let %q through", ids(r))
	}
}

// The server corp may not bring a tool corp.internal.deploy where there is a
// server corp.internal.
func TestAToolTakesNoIDOfAnotherServer(t *testing.T) {
	saved := func(name, tools string) config.Server {
		file := filepath.Join(t.TempDir(), "tools.json")
		if err := os.WriteFile(file, []byte(tools), 0o600); err != nil {
			t.Fatal(err)
		}
		return config.Server{Name: name, Type: config.Snapshot, Path: file}
	}
	r, rep := must(t, servers(
		saved("corp", `[{"name":"internal.deploy","title":"hostile"},{"name":"internal.x"},{"name":"internals"},{"name":"a.b"}]`),
		saved("corp.internal", `[{"name":"deploy","title":"right"}]`)), nil)
	if want := []string{"corp.a.b", "corp.internal.deploy", "corp.internals"}; !cmp.Equal(ids(r), want) {
		t.Errorf("tools %q, want %q", ids(r), want)
	}
	if tool, _ := r.Tool("corp.internal.deploy"); tool.Title != "right" {
		t.Errorf("another server's tool: %+v", tool)
	}
	if p := rep.Servers[0].Problems; len(p) != 1 ||
		!strings.Contains(p[0], `omitted 2 tools with IDs that belong to the server "corp.internal", the first is "internal.deploy"`) {
		t.Errorf("problems %q", p)
	}
}

func TestProgressTellsOfEveryServer(t *testing.T) {
	var log []string
	finished := 0
	must(t, servers(snap("a", "memory.json"), mcptest.Server("b", mcptest.ExitAtStart)),
		&build.Options{Progress: func(e build.Event) {
			if e.Done {
				finished++
				if e.Finished != finished || e.Total != 2 || (e.Err == nil) != (e.Server == "a") {
					t.Errorf("event %+v", e)
				}
			}
			log = append(log, e.Server)
		}})
	if len(log) != 4 || finished != 2 {
		t.Errorf("events %q", log)
	}
}

func TestFailedEmbeddingIsAnError(t *testing.T) {
	broken := errors.New("no model")
	_, _, err := build.Build(t.Context(), servers(snap("a", "memory.json")), &build.Options{
		Embed: func(context.Context, *registry.Registry) error { return broken }})
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

func TestCanceledBuildGivesNoRegistry(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, _, err := build.Build(ctx, servers(mcptest.Server("s", mcptest.Silent)), nil); !errors.Is(err,
		context.Canceled) || r != nil {
		t.Errorf("registry %v, error %v", r, err)
	}
}

// sleeper is a server that takes its time, by the clock of a synctest bubble.
type sleeper time.Duration

func (s sleeper) List(context.Context) (*backend.Listing, error) {
	<-time.After(time.Duration(s))
	return &backend.Listing{Tools: []registry.Tool{{Name: "x"}}}, nil
}
func (sleeper) Call(_ context.Context, _ *backend.Request) (*backend.Result, error) {
	return nil, backend.ErrNotCallable
}
func (sleeper) Close() error { return nil }

func TestBuildTakesAsLongAsItsSlowestServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &config.Config{}
		for i := range 20 {
			c.Servers = append(c.Servers, config.Server{Name: string(rune('a' + i)),
				StartTimeout: time.Duration(i) * time.Second})
		}
		_, rep, err := build.Build(t.Context(), c,
			&build.Options{Dial: func(_ context.Context, s config.Server) (backend.Backend, error) {
				return sleeper(s.StartTimeout), nil
			}})
		if err != nil || rep.Time != 19*time.Second || rep.Servers[3].Time != 3*time.Second {
			t.Errorf("took %v, want 19 s; %v", rep.Time, err)
		}
	})
}

// BenchmarkBuildWithFaults asks 18 servers that work, one that hangs and one
// that dies: it takes as long as the slowest one is waited for, the 2 s that
// the one that hangs is given. "healthy" is how long the others alone take,
// "ready" when the last of them had answered beside the two.
func BenchmarkBuildWithFaults(b *testing.B) {
	var healthy []config.Server
	for i := range 18 {
		healthy = append(healthy, mcptest.Server("s"+itoa(i)))
	}
	hangs, dies := mcptest.Server("hangs", mcptest.Silent), mcptest.Server("dies", mcptest.ExitAtStart)
	hangs.StartTimeout = 2 * time.Second
	slowest := func(c *config.Config) (last time.Duration) {
		_, rep := must(b, c, nil)
		for _, s := range rep.Servers {
			if s.Err == nil {
				last = max(last, s.Time)
			}
		}
		return last
	}
	var alone, beside time.Duration
	n := 0
	for b.Loop() {
		alone += slowest(servers(healthy...))
		beside += slowest(servers(append([]config.Server{hangs, dies}, healthy...)...))
		n++
	}
	b.ReportMetric(float64(alone.Milliseconds())/float64(n), "ms-healthy")
	b.ReportMetric(float64(beside.Milliseconds())/float64(n), "ms-ready")
}

// BenchmarkOneServerChanged is a rebuild of 535 tools of which one server's
// are asked for anew.
func BenchmarkOneServerChanged(b *testing.B) {
	c := &config.Config{}
	for i := range 10 {
		path := filepath.Join(b.TempDir(), "tools.json")
		if err := os.WriteFile(path, snapshotOf(54), 0o644); err != nil {
			b.Fatal(err)
		}
		c.Servers = append(c.Servers, config.Server{Name: string(rune('a' + i)), Type: config.Snapshot, Path: path})
	}
	previous, _ := must(b, c, nil)
	for b.Loop() {
		must(b, c, &build.Options{Previous: previous, Only: map[string]bool{"c": true}})
	}
}

func BenchmarkBuildFromSnapshots(b *testing.B) {
	for _, n := range []int{535, 10000} {
		c := &config.Config{}
		per := n / 10
		for i := range 10 {
			path := filepath.Join(b.TempDir(), "tools.json")
			if err := os.WriteFile(path, snapshotOf(per), 0o644); err != nil {
				b.Fatal(err)
			}
			c.Servers = append(c.Servers, config.Server{Name: string(rune('a' + i)), Type: config.Snapshot, Path: path})
		}
		previous, _ := must(b, c, nil)
		for name, o := range map[string]*build.Options{"cold": nil, "unchanged": {Previous: previous}} {
			b.Run(strings.Join([]string{name, "tools=" + itoa(n)}, "/"), func(b *testing.B) {
				for b.Loop() {
					r, _ := must(b, c, o)
					if _, err := r.Encode(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// snapshotOf returns a snapshot of n tools of usual size, about 1 KB each.
func snapshotOf(n int) []byte {
	type tool struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Input       json.RawMessage `json:"inputSchema"`
	}
	schema := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string","description":"Absolute path of the repository"},"max_count":{"type":"integer","default":10,"minimum":1,"description":"How many"}},"required":["path"],"additionalProperties":false}`)
	tools := make([]tool, n)
	for i := range tools {
		tools[i] = tool{"tool_" + itoa(i), strings.Repeat("Shows the history of a repository. ", 10), schema}
	}
	b, err := json.Marshal(tools)
	if err != nil {
		panic(err)
	}
	return b
}

func itoa(n int) string { return strconv.Itoa(n) }

func TestOnlyServersWhoseDefinitionChangedAreAsked(t *testing.T) {
	c := servers(
		config.Server{Name: "a", Type: config.Stdio, Command: "a"},
		config.Server{Name: "b", Type: config.Stdio, Command: "b"},
		config.Server{Name: "down", Type: config.Stdio, Command: "down"},
	)
	var mu sync.Mutex
	asked := map[string]int{}
	o := &build.Options{Changed: true, Dial: func(_ context.Context, s config.Server) (backend.Backend, error) {
		mu.Lock()
		defer mu.Unlock()
		asked[s.Name]++
		if s.Name == "down" {
			return nil, errors.New("down")
		}
		return sleeper(0), nil
	}}
	first, _ := must(t, c, o)
	c.Servers[1].Args = []string{"other"}
	c.Servers[0].StartTimeout = time.Hour // no matter
	o.Previous = first
	r, rep := must(t, c, o)
	if want := map[string]int{"a": 1, "b": 2, "down": 1}; !cmp.Equal(asked, want) {
		t.Errorf("asked %v, want %v", asked, want)
	}
	if s, _ := r.Server("down"); s.Error == nil || *s.Error != "down" || rep.OK() != 2 || r.Config != c.Digest() {
		t.Errorf("server %+v, %d fine", s, rep.OK())
	}
}

func TestWhatIsNotAnsweredYetIsKnownFromTheLastBuild(t *testing.T) {
	c := servers(config.Server{Name: "a", Type: config.Stdio, Command: "a"},
		config.Server{Name: "b", Type: config.Stdio, Command: "b"})
	dial := func(context.Context, config.Server) (backend.Backend, error) { return sleeper(0), nil }
	first, _ := must(t, c, &build.Options{Dial: dial})
	c.Servers[0].Args, c.Servers[1].Args = []string{"x"}, []string{"x"}
	answer := make(chan bool)
	j := build.Start(t.Context(), c,
		&build.Options{Previous: first, Changed: true,
			Dial: func(_ context.Context, s config.Server) (backend.Backend, error) {
				if s.Name == "b" {
					<-answer
				}
				return sleeper(0), nil
			}})
	defer j.Close()
	if err := j.Wait(t.Context(), "a"); err != nil || !cmp.Equal(j.Pending(), []string{"b"}) {
		t.Fatal(err, j.Pending())
	}
	r, rep, err := j.Registry(t.Context())
	if err != nil || r.Config != "" || !cmp.Equal(ids(r), []string{"a.x", "b.x"}) || r.Tools[0].Stale ||
		!r.Tools[1].Stale || !rep.Servers[1].Pending {
		t.Errorf("%+v, report %+v, %v", r, rep, err)
	}
	if s, _ := r.Server("b"); s.Definition != "" {
		t.Errorf("nobody would ask again: %+v", s)
	}
	close(answer)
	if err := j.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	whole, _, err := j.Registry(t.Context())
	if err != nil || whole.Config != c.Digest() || whole.Tools[1].Stale || !r.Tools[1].Stale {
		t.Errorf("%+v, %v", whole, err)
	}
}

func TestServersThatTimedOutAreTriedOnceMoreOneAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c config.Config
		for i := range 8 {
			c.Servers = append(c.Servers, config.Server{Name: fmt.Sprint("s", i)})
		}
		var mu sync.Mutex
		tries, now, most := map[string]int{}, 0, 0
		late := fmt.Errorf("no answer: %w", context.DeadlineExceeded)
		r, rep := must(t, &c, &build.Options{Dial: func(ctx context.Context, s config.Server) (backend.Backend, error) {
			mu.Lock()
			tries[s.Name]++
			try := tries[s.Name]
			if try > 1 {
				now++
				most = max(most, now)
			}
			mu.Unlock()
			defer func() {
				mu.Lock()
				defer mu.Unlock()
				if try > 1 {
					now--
				}
			}()
			select {
			case <-time.After(30 * time.Second):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			switch {
			case s.Name == "s0": // another failure
				return nil, errors.New("broken")
			case try == 1 || s.Name > "s3":
				return nil, late
			}
			return sleeper(0), nil
		}})
		if most != 1 || tries["s0"] != 1 || tries["s1"] != 2 || tries["s7"] != 1 {
			t.Errorf("%d at a time, tries %v", most, tries)
		}
		if want := []string{"s1.x", "s2.x", "s3.x"}; !cmp.Equal(ids(r), want) || !errors.Is(rep.Servers[7].Err, late) {
			t.Errorf("tools %q, report %+v", ids(r), rep.Servers)
		}
		if rep.Time > 30*time.Second+2*time.Minute+time.Second {
			t.Errorf("took %v", rep.Time)
		}
	})
}

// A server that a script needs is asked before the others, and again after them if its
// first answer takes too long.
func TestAnsweringSlowlyDoesNotKeepOthersFromBeingAsked(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var asked []string
	job := build.Prepare(servers(snap("first", "memory.json"), snap("slow", "time.json")), &build.Options{
		Dial: func(_ context.Context, s config.Server) (backend.Backend, error) {
			mu.Lock()
			defer mu.Unlock()
			if asked = append(asked, s.Name); len(asked) == 1 {
				return nil, context.DeadlineExceeded
			}
			return sleeper(0), nil
		}})
	defer job.Close()
	if len(job.Pending()) != 2 || len(asked) != 0 {
		t.Errorf("before it asks: %q", asked)
	}
	job.Ask(t.Context(), "slow")
	if err := job.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	if d := cmp.Diff([]string{"slow", "first", "slow"}, asked); d != "" {
		t.Error(d)
	}
}
