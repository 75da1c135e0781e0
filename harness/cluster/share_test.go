package cluster

import (
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
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/cluster/clustertest"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
)

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

// A runner without a config runs a script whose server only another process has.
func TestAScriptCallsAServerOfAnotherProcess(t *testing.T) {
	for _, session := range []bool{false, true} {
		url := clustertest.Server(t)
		server, taken := orders(t)
		folder := t.TempDir()
		at := filepath.Join(folder, "mcp.json")
		entry := fmt.Sprintf(`{"mcpServers": {"orders": {"url": %q, "usetools": {"node": true, "session": %t}}}}`, server, session)
		must(t, os.WriteFile(at, []byte(entry), 0o600))
		has := &harness.Files{Configs: []string{at}, NoUsage: true, NoMemory: true}
		t.Cleanup(func() { has.Close() })
		node := to(t, url)
		node.ShareServers(has)
		built, err := has.Catalog(t.Context())
		must(t, err)
		if session { // it calls its own through the node, too
			if _, err := built.Calls.Call(t.Context(), "orders", "order_item", []byte(`{"item":"nut"}`)); err != nil {
				t.Fatal(err)
			}
			taken.Store(0)
		}
		if _, err := node.PublishRegistry(t.Context(), has.Path()); err != nil {
			t.Fatal(err)
		}

		elsewhere := to(t, url)
		path := filepath.Join(t.TempDir(), "registry.json")
		_, err = elsewhere.firstRevision(t.Context(), path)
		must(t, err)
		lacks := &harness.Files{Registry: path, NoUsage: true, NoMemory: true,
			Follow: func(ctx context.Context, _ func()) error { <-ctx.Done(); return ctx.Err() }}
		t.Cleanup(func() { lacks.Close() })
		elsewhere.ShareServers(lacks)
		h := harness.New(&harness.Options{Catalog: lacks.Catalog, Records: elsewhere.Store(nil)})
		t.Cleanup(func() { h.Close() })
		res, err := h.Run(t.Context(), &harness.Script{Subject: "ann", Source: `package main

func main() {
	UseTools("order an item")
	o, err := orders.OrderItem(orders.OrderItemParams{Item: "nut"})
	fmt.Println(o.Number, err)
}
`})
		must(t, err)
		if res.Status != harness.OK || res.Stdout != "1 <nil>\n" || taken.Load() != 1 {
			t.Fatalf("session %t: %s, %d orders", session, res.Text(), taken.Load())
		}
		if !session {
			continue
		}
		cat, err := lacks.Catalog(t.Context())
		must(t, err)
		subject := contextOf(t, "ann")
		if keeps, since := cat.Calls.(*Calls).Session(subject, "orders"); !keeps || time.Since(since) > time.Minute {
			t.Errorf("%t, since %v", keeps, since)
		}
		has.Close() // the connection, and what was kept there
		if keeps, since := cat.Calls.(*Calls).Session(subject, "orders"); !keeps || !since.IsZero() {
			t.Errorf("after its end: %t, since %v", keeps, since)
		}
	}
}

// A secret of a node's config that is in an answer is hidden in the record of the runner.
func TestSecretsOfANodeAreHiddenInRecords(t *testing.T) {
	const secret = `node"secret"42`
	url := clustertest.Server(t)
	s := mcp.NewServer(&mcp.Implementation{Name: "orders", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "show_key", Description: "show the key", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, struct{ Key string }, error) {
			return nil, struct{ Key string }{"it is " + secret}, nil
		})
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(web.Close)
	at := filepath.Join(t.TempDir(), "mcp.json")
	must(t, os.WriteFile(at, fmt.Appendf(nil, `{"mcpServers": {"orders": {"url": %q, "headers": {"X-Key": %q}, "usetools": {"node": true}}}}`,
		web.URL, secret), 0o600))
	has := &harness.Files{Configs: []string{at}, NoUsage: true, NoMemory: true}
	t.Cleanup(func() { has.Close() })
	to(t, url).ShareServers(has)
	_, err := has.Catalog(t.Context())
	must(t, err)

	runner := to(t, url)
	lacks := &harness.Files{Registry: has.Path(), NoUsage: true, NoMemory: true,
		Follow: func(ctx context.Context, _ func()) error { <-ctx.Done(); return ctx.Err() }}
	t.Cleanup(func() { lacks.Close() })
	runner.ShareServers(lacks)
	store := runner.Store(&record.StoreOptions{Redact: lacks.Redact, Unfinished: lacks.Unfinished})
	h := harness.New(&harness.Options{Catalog: lacks.Catalog, Records: store})
	t.Cleanup(func() { h.Close() })
	res, err := h.Run(t.Context(), &harness.Script{Source: `package main

func main() {
	UseTools("show the key")
	r, err := orders.ShowKey()
	fmt.Println(r.Key, err)
	Return(r)
}
`})
	must(t, err)
	if res.Status != harness.OK || res.Stdout != "it is "+secret+" <nil>\n" {
		t.Fatal(res.Text())
	}
	names, err := runner.Backing().Find(res.Run)
	must(t, err)
	from, err := runner.Backing().Open(names[0])
	must(t, err)
	defer from.Close()
	size, err := from.Size()
	must(t, err)
	all := make([]byte, size)
	_, err = from.ReadAt(all, 0)
	must(t, err)
	if !strings.Contains(string(all), "it is •••") || strings.Contains(string(all), "42") && strings.Contains(string(all), "secret") {
		t.Errorf("%s", all)
	}
}

// What a node's entry says of calls of a server's tools holds for runners without the
// entry, by the registry; where the registry does not say it, the node makes no call that
// a runner takes for one that only reads.
func TestWhatANodesEntrySaysHoldsElsewhere(t *testing.T) {
	for what, entry := range map[string]string{
		"class": `"class": {"check_*": "effect"}, "private": ["check_item"]`,
		"trust": `"trust": false, "private": ["check_*"]`,
	} {
		url := clustertest.Server(t)
		server, taken := orders(t)
		at := filepath.Join(t.TempDir(), "mcp.json")
		must(t, os.WriteFile(at, fmt.Appendf(nil, `{"mcpServers": {"orders": {"url": %q, "usetools": {"node": true, %s}}}}`, server,
			entry), 0o600))
		has := &harness.Files{Configs: []string{at}, NoUsage: true, NoMemory: true}
		t.Cleanup(func() { has.Close() })
		node := to(t, url)
		node.ShareServers(has)
		_, err := has.Catalog(t.Context())
		must(t, err)
		reg, err := registry.Load(has.Path())
		must(t, err)
		for _, told := range []bool{true, false} {
			path := filepath.Join(t.TempDir(), "registry.json")
			if !told {
				reg.Servers[0].Rules = nil
			}
			must(t, reg.Save(path))
			lacks := &harness.Files{Registry: path, NoUsage: true, NoMemory: true,
				Follow: func(ctx context.Context, _ func()) error { <-ctx.Done(); return ctx.Err() }}
			t.Cleanup(func() { lacks.Close() })
			elsewhere := to(t, url)
			elsewhere.ShareServers(lacks)
			store := elsewhere.Store(&record.StoreOptions{Unkept: lacks.Private})
			h := harness.New(&harness.Options{Catalog: lacks.Catalog, Records: store})
			t.Cleanup(func() { h.Close() })
			s := &harness.Script{Source: "UseTools(\"check an item\")\n_, err := orders.CheckItem(orders.CheckItemParams{Item: " +
				"\"walnut\"})\nfmt.Println(err)"}
			res, err := h.Run(t.Context(), s)
			must(t, err)
			if !told {
				if !strings.Contains(res.Stdout, "may change something") || len(res.Calls) != 1 || res.Calls[0].Class != record.Read ||
					taken.Load() != 1 {
					t.Errorf("%s, not told: %d calls: %s", what, taken.Load(), res.Text())
				}
				continue
			}
			if res.Stdout != "<nil>\n" || len(res.Calls) != 1 || res.Calls[0].Class != record.Effect || taken.Load() != 1 {
				t.Errorf("%s: %d calls, %+v: %s", what, taken.Load(), res.Calls, res.Text())
			}
			run, err := store.Load(res.Run)
			must(t, err)
			for _, l := range run.Lines {
				if c, ok := l.(*record.Call); ok {
					if args, err := run.Value(c.Args); !errors.Is(err, record.ErrNotKept) {
						t.Errorf("%s: the record keeps %s, %v", what, args, err)
					}
				}
			}
			if res, err = h.Run(t.Context(), &harness.Script{Source: s.Source, ReadOnly: true}); err == nil && res.Status == harness.OK {
				t.Errorf("%s: a script that only reads has called it: %s", what, res.Text())
			}
		}
	}
}

// Without its config a process finds the tools, and says that no node has the server.
func TestAScriptWhoseServerIsNowhere(t *testing.T) {
	url := clustertest.Server(t)
	server, _ := orders(t)
	at := filepath.Join(t.TempDir(), "mcp.json")
	must(t, os.WriteFile(at, fmt.Appendf(nil, `{"mcpServers": {"orders": {"url": %q}}}`, server), 0o600))
	has := &harness.Files{Configs: []string{at}, NoUsage: true, NoMemory: true}
	t.Cleanup(func() { has.Close() })
	if _, err := has.Catalog(t.Context()); err != nil {
		t.Fatal(err)
	}
	lacks := &harness.Files{Registry: has.Path(), NoUsage: true, NoMemory: true,
		Follow: func(ctx context.Context, _ func()) error { <-ctx.Done(); return ctx.Err() }}
	t.Cleanup(func() { lacks.Close() })
	to(t, url).ShareServers(lacks)
	h := harness.New(&harness.Options{Catalog: lacks.Catalog})
	t.Cleanup(func() { h.Close() })
	res, err := h.Run(t.Context(), &harness.Script{Source: `package main

func main() {
	UseTools("order an item")
	_, err := orders.OrderItem(orders.OrderItemParams{Item: "nut"})
	fmt.Println(err)
}
`})
	must(t, err)
	if res.Status != harness.OK || !strings.Contains(res.Stdout, "not sent: ") ||
		!strings.Contains(res.Stdout, "no node of the cluster has the server now") {
		t.Error(res.Text())
	}
}
