package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/cluster/clustertest"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/wrappers/observe"
)

func saveRegistry(t testing.TB, path string, tools ...string) {
	t.Helper()
	reg := &registry.Registry{Servers: []registry.Server{{Name: "s"}}}
	for _, name := range tools {
		reg.Tools = append(reg.Tools, registry.Tool{Server: "s", Name: name, Input: []byte(`{"type":"object"}`)})
	}
	reg.Normalize()
	if err := reg.Save(path); err != nil {
		t.Fatal(err)
	}
}

func publish(t testing.TB, c *cluster.Cluster, path string) string {
	t.Helper()
	revision, err := c.PublishRegistry(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return revision
}

// follower is a process that follows the registry.
type follower struct {
	c     *cluster.Cluster
	files *catalog.Files
	tools chan int // how many tools each new catalog has
}

func follows(t testing.TB, url string, configs ...string) *follower {
	t.Helper()
	f := &follower{connect(t, cluster.Options{URL: url}), &catalog.Files{Configs: configs, NoUsage: true}, make(chan int, 16)}
	if err := f.c.Follow(t.Context(), f.files); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.files.Watch(ctx, 0, func(c *catalog.Catalog, err error) {
			if err != nil {
				t.Error(err)
				return
			}
			f.tools <- len(c.Registry.Tools)
		})
	}()
	t.Cleanup(func() { cancel(); <-done; f.files.Close() })
	return f
}

// arrives waits until the process has a revision, which it says after its tools.
func (f *follower) arrives(t testing.TB, revision string) {
	t.Helper()
	eventually(t, "the revision "+revision, func() bool { return f.c.Revision() == revision })
}

// orders is an MCP server whose tools count their calls; of check_item it says that it
// only reads.
func orders(t *testing.T) (url string, taken *atomic.Int64) {
	taken = &atomic.Int64{}
	s := mcp.NewServer(&mcp.Implementation{Name: "orders", Version: "1"}, nil)
	type order struct {
		Item string `json:"item"`
	}
	type number struct {
		Number int64 `json:"number"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "order_item", Description: "order an item"},
		func(_ context.Context, _ *mcp.CallToolRequest, o order) (*mcp.CallToolResult, number, error) {
			return nil, number{taken.Add(1)}, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "check_item", Description: "check an item", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *mcp.CallToolRequest, o order) (*mcp.CallToolResult, number, error) {
			return nil, number{taken.Add(1)}, nil
		})
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(web.Close)
	return web.URL, taken
}

// What one process publishes all that follow have: those that were there before, and
// those that come later; with what was learnt from results, and nothing of what was
// published before.
func TestARegistryReachesAllProcesses(t *testing.T) {
	dir := home(t)
	url := clustertest.Server(t)
	before := follows(t, url)
	if r := before.c.Revision(); r != "" {
		t.Errorf("revision %q of nothing", r)
	}
	if _, err := before.files.Early(t.Context()); err == nil || !strings.Contains(err.Error(), "no registry has been published yet") {
		t.Error(err)
	}
	path := filepath.Join(dir, "tool_registry.json")
	saveRegistry(t, path, "one")
	shapes, err := observe.Path(path)
	if err != nil {
		t.Fatal(err)
	}
	learnt := observe.New(shapes)
	for range 5 {
		learnt.Observe("s.one", []byte(`{"structuredContent":{"id":1}}`), true)
	}
	if err := learnt.Save(); err != nil {
		t.Fatal(err)
	}
	builder := connect(t, cluster.Options{URL: url})
	first := publish(t, builder, path)
	if n := receive(t, before.tools); n != 1 {
		t.Errorf("%d tools", n)
	}
	before.arrives(t, first)
	later := follows(t, url)
	if got := later.c.Revision(); got != first {
		t.Errorf("revision %q, want %q", got, first)
	}
	cat, err := later.files.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := cat.Shapes.Schema("s.one"); !ok {
		t.Error("what was learnt is not there")
	}
	if again := publish(t, builder, path); again != first {
		t.Errorf("the same is revision %q, was %q", again, first)
	}

	saveRegistry(t, path, "one", "two")
	os.Remove(shapes)
	second := publish(t, builder, path)
	for _, f := range []*follower{before, later} {
		if n := receive(t, f.tools); n != 2 {
			t.Errorf("%d tools", n)
		}
		f.arrives(t, second)
		if !f.c.HasRevision(t.Context(), first) || f.c.Revision() != second {
			t.Errorf("revision %q", f.c.Revision())
		}
		cat, err := f.files.Catalog(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := cat.Shapes.Schema("s.one"); ok {
			t.Error("what was learnt is still there")
		}
	}
	if builder.Revision() != "" || !builder.HasRevision(t.Context(), "") {
		t.Error("who publishes follows")
	}
	store := builder.Objects()
	status, err := store.Status(t.Context())
	if err != nil || status.Size() > 4<<10 {
		t.Errorf("%v; revisions take %d bytes", err, status.Size())
	}
}

// A process that began before there was a registry takes the first one that is published,
// whether it has built its own until then or had none; its servers are those of its config
// all the same.
func TestARegistryThatComesLaterIsTaken(t *testing.T) {
	dir := home(t)
	t.Chdir(dir) // where no config is found
	url := clustertest.Server(t)
	server, taken := orders(t)
	at := filepath.Join(dir, "mcp.json")
	entry := fmt.Sprintf(`{"mcpServers": {"orders": {"url": %q}}}`, server)
	must(t, os.WriteFile(at, []byte(entry), 0o600))
	builds, lacks := follows(t, url, at), follows(t, url)
	if got := receive(t, builds.tools); got != 2 {
		t.Errorf("%d tools of its own config", got)
	}
	if _, err := lacks.files.Catalog(t.Context()); err == nil || !strings.Contains(err.Error(), "no registry has been published yet") {
		t.Errorf("without a config and a registry: %v", err)
	}
	own, err := os.ReadFile(builds.files.Path())
	must(t, err)

	reg, err := registry.Load(builds.files.Path())
	must(t, err)
	reg.Tools = reg.Tools[1:] // order_item
	reg.Normalize()
	path := filepath.Join(dir, "published.json")
	must(t, reg.Save(path))
	revision := publish(t, connect(t, cluster.Options{URL: url}), path)
	for what, f := range map[string]*follower{"with a config": builds, "without": lacks} {
		if got := receive(t, f.tools); got != 1 {
			t.Errorf("%s: %d tools of the registry that came later", what, got)
		}
		f.arrives(t, revision)
	}
	cat, err := builds.files.Catalog(t.Context())
	must(t, err)
	if _, err := cat.Calls.Call(t.Context(), "orders", &backend.Request{Tool: "order_item", Args: registry.ReadArgs([]byte(`{"item":"nut"}`))}); err != nil || taken.Load() != 1 {
		t.Errorf("%d orders, %v", taken.Load(), err)
	}

	// Its config may change: the tools stay those of the cluster.
	must(t, os.WriteFile(at, []byte(strings.Replace(entry, `"url"`, `"usetools": {"class": {"*": "again"}}, "url"`, 1)), 0o600))
	for class := record.Class(""); class != record.Idempotent; { // it may be told once more of what it had before
		if got := receive(t, builds.tools); got != 1 {
			t.Errorf("%d tools after a change of the config", got)
		}
		cat, err = builds.files.Catalog(t.Context())
		must(t, err)
		class, _ = cat.Class(&cat.Registry.Tools[0])
	}
	saveRegistry(t, path, "a", "b", "c")
	publish(t, connect(t, cluster.Options{URL: url}), path)
	for _, f := range []*follower{builds, lacks} {
		for receive(t, f.tools) != 3 { // the tools of the second revision
		}
	}
	if now, err := os.ReadFile(filepath.Join(dir, catalog.RegistryFile)); err != nil || !bytes.Equal(own, now) {
		t.Errorf("its own registry was written: %v", err)
	}
}

// A runner knows whether it is behind the front end of a job.
func TestARunnerKnowsWhetherItIsBehind(t *testing.T) {
	dir := home(t)
	url := clustertest.Server(t)
	f, elsewhere := follows(t, url), connect(t, cluster.Options{URL: url})
	path := filepath.Join(dir, "tool_registry.json")
	saveRegistry(t, path, "one")
	first := publish(t, elsewhere, path)
	receive(t, f.tools)
	f.arrives(t, first)
	if elsewhere.HasRevision(t.Context(), first) {
		t.Error("a process that does not follow has it")
	}
	saveRegistry(t, path, "one", "two")
	second := publish(t, elsewhere, path)
	receive(t, f.tools)
	f.arrives(t, second)
	if !f.c.HasRevision(t.Context(), first) {
		t.Error("a job of an earlier registry is not run")
	}
	f.c.SetRevision(first) // as long as it has not heard of the second one
	if f.c.HasRevision(t.Context(), "SHA-256=other") {
		t.Error("it has a revision that nobody has published yet")
	}
}

// Whatever else is published under the name changes nothing, and is told of.
func TestADamagedRevisionIsNotTaken(t *testing.T) {
	dir := home(t)
	url := clustertest.Server(t)
	path := filepath.Join(dir, "tool_registry.json")
	if _, err := connect(t, cluster.Options{URL: url}).PublishRegistry(t.Context(), path); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	os.WriteFile(path, []byte("{}"), 0o600)
	if _, err := connect(t, cluster.Options{URL: url}).PublishRegistry(t.Context(), path); !errors.As(err, new(*registry.FormatError)) {
		t.Error(err)
	}
	saveRegistry(t, path, "one")
	builder := connect(t, cluster.Options{URL: url})
	publish(t, builder, path)
	f := follows(t, url)
	if _, err := f.files.Catalog(t.Context()); err != nil {
		t.Fatal(err)
	}
	store := builder.Objects()
	if _, err := store.Put(t.Context(), jetstream.ObjectMeta{Name: cluster.RegistryObject}, strings.NewReader("no revision")); err != nil {
		t.Fatal(err)
	}
	saveRegistry(t, path, "one", "two")
	next := publish(t, builder, path)
	for n := range f.tools {
		if n == 2 {
			break
		}
	}
	f.arrives(t, next)
	other := connect(t, cluster.Options{URL: url})
	if _, err := store.Put(t.Context(), jetstream.ObjectMeta{Name: cluster.RegistryObject}, strings.NewReader("no revision")); err != nil {
		t.Fatal(err)
	}
	if err := other.Follow(t.Context(), &catalog.Files{}); err == nil || !strings.Contains(err.Error(), "gzip") {
		t.Error(err)
	}
}

func FuzzUnpackRevision(f *testing.F) {
	path := filepath.Join(f.TempDir(), "tool_registry.json")
	saveRegistry(f, path, "one")
	data, err := cluster.PackRevision(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		reg, shapes, err := cluster.UnpackRevision(data)
		if err == nil && (reg == nil || len(shapes) > cluster.MaxShapes) {
			t.Errorf("%d bytes of shapes, the registry is %v", len(shapes), reg == nil)
		}
	})
}
