package cluster

import (
	"context"
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
)

// orders is an MCP server whose one tool counts its calls.
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
		must(t, elsewhere.firstRevision(t.Context(), path))
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
