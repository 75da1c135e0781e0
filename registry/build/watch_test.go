package build_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/mcp/mcptest"
	"github.com/usetools/usetools/registry/build"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/localfile"
)

// writeConfig writes servers as a config file, as a whole, like an editor.
func writeConfig(t *testing.T, path string, settings string, servers ...config.Server) {
	t.Helper()
	entries := map[string]any{}
	for _, s := range servers {
		e := map[string]any{"command": s.Command, "env": map[string]string(s.Env)}
		if s.Type == config.Snapshot {
			abs, err := filepath.Abs(s.Path)
			if err != nil {
				t.Fatal(err)
			}
			e = map[string]any{"type": "snapshot", "path": abs}
		}
		entries[s.Name] = e
	}
	data, err := json.Marshal(map[string]any{"mcpServers": entries, "usetools": json.RawMessage(settings)})
	if err != nil {
		t.Fatal(err)
	}
	if err := localfile.Write(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// watch begins a watch that ends with the test, and returns its updates.
func watch(t *testing.T, path string, o *build.WatchOptions) <-chan build.Update {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	updates, ended := make(chan build.Update, 100), make(chan error, 1)
	go func() { ended <- build.Watch(ctx, []string{path}, o, func(u build.Update) { updates <- u }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("watch ended with %v", err)
		}
	})
	return updates
}

// next returns the next update.
func next(t *testing.T, updates <-chan build.Update) build.Update {
	t.Helper()
	select {
	case u := <-updates:
		return u
	case <-time.After(30 * time.Second): // only reached when the test fails
		t.Fatal("no update came")
		return build.Update{}
	}
}

func TestWatchFollowsTheConfigAndTheServers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), ".mcp.json")
	restless := mcptest.Server("s", mcptest.Restless)
	writeConfig(t, path, "{}", restless)
	updates := watch(t, path, &build.WatchOptions{Poll: -1})
	u := next(t, updates)
	if want := []string{"s.echo", "s.fail"}; u.Err != nil || !cmp.Equal(ids(u.Registry), want) {
		t.Fatalf("tools %q, error %v", ids(u.Registry), u.Err)
	}
	if _, err := u.Pool.Call(t.Context(), "s", &backend.Request{Tool: "echo"}); err != nil {
		t.Error(err)
	}
	writeConfig(t, path, "{}", restless, snap("a", "calculator.json"))
	before := u
	u = next(t, updates)
	if want := []string{"a.calculate", "s.echo", "s.fail"}; !cmp.Equal(ids(u.Registry), want) ||
		!cmp.Equal(u.Report.Changes.Added, []string{"a.calculate"}) {
		t.Errorf("tools %q, changes %+v", ids(u.Registry), u.Report.Changes)
	}
	if !strings.Contains(u.Why, ".mcp.json changed") || u.Previous != before.Registry || u.Pool == before.Pool {
		t.Errorf("update %q, previous %p", u.Why, u.Previous)
	}
	if !cmp.Equal(ids(before.Registry), []string{"s.echo", "s.fail"}) {
		t.Error("the registry before was changed")
	}
	// News of one server asks that one.
	if _, err := u.Pool.Call(t.Context(), "s", &backend.Request{Tool: "news"}); err != nil {
		t.Fatal(err)
	}
	before = u
	u = next(t, updates)
	want := registry.Changes{Added: []string{"s.new"}, Removed: []string{"s.fail"}, Changed: []string{"s.echo"}}
	if d := cmp.Diff(want, u.Report.Changes); d != "" {
		t.Errorf("changes (-want +got):\n%s", d)
	}
	if u.Why != `server "s" changed its tools` || u.Pool != before.Pool || u.Report.Servers[0].Time != 0 {
		t.Errorf("update %q, server a took %v", u.Why, u.Report.Servers[0].Time)
	}
	if c := u.Report.Changed; len(c) != 1 || !slices.Contains(c[0].What, "description") ||
		c[0].After.Description != "Changed." || c[0].Held {
		t.Errorf("changed %+v", c)
	}
	// A word on what tools do asks no server.
	writeConfig(t, path, `{"class": {"echo": "effect"}, "trust": "writes"}`, restless, snap("a", "calculator.json"))
	before = u
	u = next(t, updates)
	s, _ := u.Config.Server("s")
	if c := u.Report.Changes; len(c.Added)+len(c.Removed)+len(c.Changed) > 0 || s.Class("echo") == nil ||
		u.Report.Servers[0].Time+u.Report.Servers[1].Time != 0 || !cmp.Equal(ids(u.Registry), ids(before.Registry)) {
		t.Errorf("server %+v, report %+v", s, u.Report)
	}
	// A config that cannot be read leaves everything as it is.
	if err := localfile.Write(path, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	before = u
	if u = next(t, updates); u.Err == nil || u.Registry != before.Registry {
		t.Errorf("error %v, registry %p", u.Err, u.Registry)
	}
	if _, err := u.Pool.Call(t.Context(), "s", &backend.Request{Tool: "echo"}); err != nil {
		t.Errorf("after a broken config: %v", err)
	}
}

// A burst of writes is one rebuild, or two when the disk is slow, of which one
// finds nothing new.
func TestABurstOfWritesIsOneUpdate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), ".mcp.json")
	writeConfig(t, path, "{}", snap("a", "calculator.json"))
	updates := watch(t, path, &build.WatchOptions{Poll: -1})
	next(t, updates)
	for range 10 {
		writeConfig(t, path, "{}", snap("b", "calculator.json"))
	}
	if u := next(t, updates); !cmp.Equal(ids(u.Registry), []string{"b.calculate"}) {
		t.Errorf("tools %q", ids(u.Registry))
	}
	writeConfig(t, path, "{}", snap("c", "calculator.json"))
	if u := next(t, updates); !cmp.Equal(ids(u.Registry), []string{"c.calculate"}) {
		t.Errorf("another update: tools %q", ids(u.Registry))
	}
}

func TestWatchPollsForWhatNobodyAnnounces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, ".mcp.json")
	writeConfig(t, path, "{}", mcptest.Again("s", dir))
	updates := watch(t, path, &build.WatchOptions{Poll: 50 * time.Millisecond, Settle: time.Millisecond})
	u := next(t, updates)
	u.Pool.Call(t.Context(), "s", &backend.Request{Tool: "crash"}) // it comes back with other tools
	u = next(t, updates)
	for u.Report.Servers[0].Err != nil { // it was asked while it was gone
		u = next(t, updates)
	}
	if u.Why != "poll" || !cmp.Equal(u.Report.Changes.Added, []string{"s.new"}) {
		t.Errorf("update %q, changes %+v", u.Why, u.Report.Changes)
	}
}

func TestServerThatKeepsFailingIsToldOfOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), ".mcp.json")
	writeConfig(t, path, "{}", mcptest.Server("good"), mcptest.Server("bad", mcptest.ExitAtStart))
	builds := make(chan bool, 1000)
	updates := watch(t, path, &build.WatchOptions{
		Poll: 5 * time.Millisecond, Settle: time.Millisecond,
		Build: build.Options{Progress: func(e build.Event) {
			if e.Done && e.Finished == e.Total {
				builds <- true
			}
		}},
	})
	if err := next(t, updates).Report.Servers[0].Err; err == nil || strings.Contains(err.Error(), "next attempt") {
		t.Errorf("error %v", err)
	}
	for range 10 {
		<-builds
	}
	if len(updates) > 0 {
		u := <-updates
		t.Errorf("another update: %q, %v", u.Why, u.Report.Servers[0].Err)
	}
}

func TestWatchOfNothingReadableEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.json")
	err := build.Watch(t.Context(), []string{path}, nil, func(build.Update) {})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestPinnedToolThatChangesIsHeldUntilItIsAccepted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, file := filepath.Join(dir, ".mcp.json"), filepath.Join(dir, "tool_pins.json")
	writeConfig(t, path, `{"pin": true}`, mcptest.Server("s", mcptest.Restless))
	updates := watch(t, path, &build.WatchOptions{Poll: -1, Build: build.Options{Pins: file}})
	held := func(u build.Update) bool {
		tool, ok := u.Registry.Tool("s.echo")
		return ok && tool.Held && strings.Contains(tool.Error, "build-registry accept s.echo")
	}
	u := next(t, updates)
	if pins := registry.LoadPins(file); held(u) || pins.Err != nil || len(pins.Servers["s"].Tools) != 2 {
		t.Errorf("held at first sight; pins %+v", pins)
	}
	first, _ := u.Registry.Tool("s.echo")
	if _, err := u.Pool.Call(t.Context(), "s", &backend.Request{Tool: "news"}); err != nil {
		t.Fatal(err)
	}
	if u = next(t, updates); !held(u) || !u.Report.Changed[0].Held {
		t.Error("the changed tool is not held")
	}
	if tool, _ := u.Registry.Tool("s.echo"); tool.Description != first.Description || tool.Hash != first.Hash {
		t.Errorf("the held tool says %q, accepted was %q", tool.Description, first.Description)
	}
	if tool, _ := u.Registry.Tool("s.new"); !tool.New() || tool.Description != "" {
		t.Errorf("a new tool is not held: %+v", tool)
	}
	// It is accepted in the file.
	pins, r := registry.LoadPins(file), *u.Registry
	r.Tools = slices.Clone(r.Tools)
	if err := pins.Accept(&r, "s.echo"); err != nil {
		t.Fatal(err)
	}
	if err := pins.Save(file); err != nil {
		t.Fatal(err)
	}
	u = next(t, updates)
	if tool, _ := u.Registry.Tool("s.echo"); held(u) || !strings.Contains(u.Why, "tool_pins.json changed") ||
		tool.Description == first.Description {
		t.Errorf("after %q: held %v, it says %q", u.Why, tool.Held, tool.Description)
	}
}

func TestPinsOutliveToolsAndFaults(t *testing.T) {
	t.Parallel()
	pinned := func(faults ...mcptest.Fault) *config.Config {
		s := mcptest.Server("s", faults...)
		s.Pin = true
		return servers(s)
	}
	file := filepath.Join(t.TempDir(), "tool_pins.json")
	digest := func(tool string) string {
		if sp := registry.LoadPins(file).Servers["s"]; sp != nil && sp.Tools[tool] != nil {
			return sp.Tools[tool].Digest
		}
		return ""
	}
	r, _ := must(t, pinned(), &build.Options{Pins: file})
	fail := digest("fail")
	for _, c := range []*config.Config{pinned(mcptest.OtherTools), pinned(mcptest.ExitAtStart), pinned(mcptest.NoTools),
		servers(mcptest.Server("other"))} {
		r, _ = must(t, c, &build.Options{Previous: r, Pins: file})
	}
	broken := servers(config.Server{Name: "s", Err: errors.New("its entry cannot be read")})
	r, _ = must(t, broken, &build.Options{Previous: r, Pins: file})
	if fail == "" || digest("fail") != fail {
		t.Errorf("the pin of a tool that went is %q, want %q", digest("fail"), fail)
	}
	r, _ = must(t, pinned(), &build.Options{Previous: r, Pins: file})
	for i := range r.Tools {
		if r.Tools[i].Held {
			t.Errorf("%s came back as it was and is held", r.Tools[i].ID)
		}
	}
	// Pinned later: what was known before counts.
	file = filepath.Join(t.TempDir(), "tool_pins.json")
	r, _ = must(t, servers(mcptest.Server("s")), &build.Options{Pins: file})
	r, _ = must(t, pinned(mcptest.OtherTools), &build.Options{Previous: r, Pins: file})
	if tool, _ := r.Tool("s.echo"); !tool.Held {
		t.Error("a tool that changed while the pin was set is not held")
	}
	if must(t, servers(mcptest.Server("s")), &build.Options{Previous: r, Pins: file}); digest("echo") != "" {
		t.Errorf("a pin %v of a server that is not pinned", digest("echo"))
	}
}

// However the registry's file or the pins' get lost, a tool that changed stays
// held, and shows what was accepted of it.
func TestLostFilesReleaseNoPinnedTool(t *testing.T) {
	t.Parallel()
	pinned := func(faults ...mcptest.Fault) *config.Config {
		s := mcptest.Server("s", faults...)
		s.Pin = true
		return servers(s)
	}
	write := func(file, text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, lose := range map[string]func(r *registry.Registry, file string) *registry.Registry{
		"the registry": func(*registry.Registry, string) *registry.Registry { return nil },
		"the pins":     func(r *registry.Registry, file string) *registry.Registry { os.Remove(file); return r },
		"the pins are half": func(r *registry.Registry, file string) *registry.Registry {
			write(file, `{"version":1,"serv`)
			return r
		},
		"the pins are of later": func(r *registry.Registry,
			file string) *registry.Registry {
			write(file, `{"version":2}`)
			return r
		},
		"nothing":                func(r *registry.Registry, _ string) *registry.Registry { return r },
		"half pins, no registry": func(_ *registry.Registry, file string) *registry.Registry { write(file, `{`); return nil },
	} {
		file := filepath.Join(t.TempDir(), "tool_pins.json")
		r, _ := must(t, pinned(), &build.Options{Pins: file})
		was, _ := r.Tool("s.echo")
		old := was.Description
		r = lose(r, file)
		for range 2 { // and what is built upon that
			r, _ = must(t, pinned(mcptest.OtherTools), &build.Options{Previous: r, Pins: file})
			tool, _ := r.Tool("s.echo")
			if !tool.Held || tool.Error == "" || tool.Description != old && tool.Description != "" {
				t.Errorf("without %s: held %v, %q, error %q", name, tool.Held, tool.Description, tool.Error)
			}
		}
	}
}

func TestReadOnlyServerShowsOnlyToolsThatRead(t *testing.T) {
	s := mcptest.Server("s")
	s.ReadOnly = true
	if r, rep := must(t, servers(s), nil); !cmp.Equal(ids(r), []string{"s.echo"}) || rep.Servers[0].Hidden != 1 {
		t.Errorf("tools %q, hidden %d", ids(r), rep.Servers[0].Hidden)
	}
	s.Trust = config.TrustNothing
	if r, _ := must(t, servers(s), nil); len(r.Tools) != 0 {
		t.Errorf("of a server that is not trusted: %q", ids(r))
	}
	s.Classes = []config.ClassRule{{Pattern: "fail", Class: config.ClassRead}}
	if r, _ := must(t, servers(s), nil); !cmp.Equal(ids(r), []string{"s.fail"}) {
		t.Errorf("where the config says which read: %q", ids(r))
	}
}

func TestHistoryKeepsWhatChanged(t *testing.T) {
	t.Parallel()
	path := build.HistoryFile(filepath.Join(t.TempDir(), "tool_registry.json"))
	if !strings.HasSuffix(path, "tool_registry.history.jsonl") {
		t.Errorf("history in %q", path)
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	var r *registry.Registry
	for _, faults := range [][]mcptest.Fault{nil, {mcptest.OtherTools}, {mcptest.OtherTools}, nil} {
		built, report := must(t, servers(mcptest.Server("s", faults...)), &build.Options{Previous: r})
		if err := build.Record(path, r, report, now); err != nil {
			t.Fatal(err)
		}
		r, now = built, now.Add(time.Hour)
	}
	got, err := build.History(path, 10)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || !cmp.Equal(got[0].Added, []string{"s.new"}) || !cmp.Equal(got[1].Removed, []string{"s.new"}) ||
		got[0].Changed[0].Before.Description != "Returns its arguments." ||
		!got[0].Time.Equal(time.Date(2026, 1, 2, 4, 4, 5, 0, time.UTC)) {
		t.Errorf("history %+v", got)
	}
	if last, _ := build.History(path, 1); len(last) != 1 || !cmp.Equal(last[0], got[1]) {
		t.Errorf("last entry %+v", last)
	}
	if err := os.WriteFile(path, []byte(strings.Repeat(strings.Repeat("x", 1023)+"\n", 5<<10)), 0o644); err != nil {
		t.Fatal(err)
	}
	_, report := must(t, servers(mcptest.Server("s", mcptest.OtherTools)), &build.Options{Previous: r})
	if err := build.Record(path, r, report, now); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(path); err != nil || st.Size() > 3<<20 {
		t.Errorf("a history of %d bytes", st.Size())
	}
	if got, _ := build.History(path, 10); len(got) != 1 {
		t.Errorf("%d entries after rubbish, want 1", len(got))
	}
}
