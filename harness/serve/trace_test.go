package serve_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/harness/telemetry"
	"github.com/usetools/usetools/harness/telemetry/telemetrytest"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend/dial"
	"github.com/usetools/usetools/registry/config"
)

func TestSpansAndMetricsReachACollector(t *testing.T) {
	collector := telemetrytest.Start(t)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=k%3D1")
	sends, err := telemetry.Open(t.Context(), "1", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	s, _ := serving(t, &serve.Options{Telemetry: sends})
	c := connect(t, s, nil)
	parent := "4bf92f3577b34da6a3ce929d0e0e4736"
	if _, err := c.CallTool(t.Context(),
		&mcp.CallToolParams{Meta: mcp.Meta{"traceparent": "00-" + parent + "-00f067aa0ba902b7-01"}, Name: "execute",
			Arguments: map[string]any{"script": `_, _ = files.ReadFile(files.ReadFileParams{Path: "missing"})`}}); err != nil {
		t.Fatal(err)
	}
	if err := sends.Close(); err != nil {
		t.Fatal(err)
	}
	for _, h := range collector.Headers() {
		if h.Get("X-Key") != "k=1" || h.Get("Content-Type") != "application/json" {
			t.Error(h)
		}
	}
	const called = "tools/call files.read_file"
	seen, root := map[string]string{}, ""
	for _, x := range collector.Spans(t) {
		if x.TraceID != parent {
			t.Error("another trace:", x)
		}
		seen[x.Name] = x.ParentSpanID
		if x.Name == "tools/call execute" {
			root = x.SpanID
		}
		if x.Name == called && x.Status.Code != 2 {
			t.Error("the failed call is not an error:", x)
		}
	}
	for _, name := range []string{"resolve", "check", "run", called} {
		if seen[name] != root || root == "" {
			t.Errorf("%s is not below the run: %v", name, seen)
		}
	}
	if m := collector.Metrics(); !strings.Contains(m, "mcp.server.operation.duration") ||
		!strings.Contains(m, "mcp.client.operation.duration") {
		t.Error(m)
	}
}

// A client's trace goes on in the backends that its script calls.
func TestTracesReachTheBackends(t *testing.T) {
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	seen := make(chan [2]string, 10) // of _meta and of the header
	srv := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	srv.AddTool(&mcp.Tool{Name: "echo", InputSchema: serve.Schema(`{"type":"object"}`)},
		func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			meta, _ := req.Params.Meta["traceparent"].(string)
			seen <- [2]string{meta, req.Extra.Header.Get("Traceparent")}
			return serve.TextResult("heard"), nil
		})
	backends := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return srv }, nil))
	defer backends.Close()
	file := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(file, []byte(`{"mcpServers":{"s":{"url":"`+backends.URL+`"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	pool := dial.Pool(cfg)
	defer pool.Close()
	reg := &registry.Registry{Tools: []registry.Tool{{Server: "s", Name: "echo", Description: "Say a text back",
		Input: serve.Schema(`{"type":"object"}`)}}}
	reg.Normalize()
	s, _ := serving(t, &serve.Options{Catalog: func(context.Context) (*catalog.Catalog, error) {
		return &catalog.Catalog{Registry: reg, Calls: pool}, nil
	}})
	c := connect(t, s, nil)
	for _, meta := range []mcp.Meta{{"traceparent": parent}, {"traceparent": "rubbish\nx"}, nil} {
		res, err := c.CallTool(t.Context(),
			&mcp.CallToolParams{Meta: meta, Name: "execute",
				Arguments: map[string]any{"script": `r, err := s.Echo(); if err != nil { panic(err) }; Return(r.Text())`}})
		if err != nil || res.IsError {
			t.Fatal(err, textOf(res))
		}
		want := ""
		if meta["traceparent"] == parent {
			want = parent
		}
		if got := receive(t, seen); got != [2]string{want, want} {
			t.Errorf("%v came through as %q", meta, got)
		}
	}
}
