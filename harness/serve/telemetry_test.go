package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend/dial"
	"github.com/usetools/usetools/registry/config"
)

func TestTelemetryIsOffUnlessAskedFor(t *testing.T) {
	s, _ := serving(t, &Options{Telemetry: true})
	if s.otel != nil {
		t.Error("it is on")
	}
}

func TestSpansAndMetricsReachACollector(t *testing.T) {
	var mu sync.Mutex
	got := map[string][][]byte{} // a batch is sent every few seconds, and at the end
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		got[r.URL.Path] = append(got[r.URL.Path], b)
		if r.Header.Get("X-Key") != "k=1" || r.Header.Get("Content-Type") != "application/json" {
			t.Error(r.Header)
		}
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=k%3D1")
	s, _ := serving(t, &Options{Telemetry: true})
	c := connect(t, s, nil)
	parent := "4bf92f3577b34da6a3ce929d0e0e4736"
	if _, err := c.CallTool(t.Context(),
		&mcp.CallToolParams{Meta: mcp.Meta{"traceparent": "00-" + parent + "-00f067aa0ba902b7-01"}, Name: "execute",
			Arguments: map[string]any{"script": `files.ReadFile(files.ReadFileParams{Path: "missing"})`}}); err != nil {
		t.Fatal(err)
	}
	if err := s.otel.Close(); err != nil {
		t.Fatal(err)
	}
	s.otel = nil
	mu.Lock()
	defer mu.Unlock()
	type sent struct {
		TraceID, SpanID, ParentSpanID, Name string
		Status                              struct{ Code int }
	}
	var spans []sent
	for _, b := range got["/v1/traces"] {
		var batch struct {
			ResourceSpans []struct{ ScopeSpans []struct{ Spans []sent } }
		}
		if err := json.Unmarshal(b, &batch); err != nil {
			t.Fatal(err)
		}
		spans = append(spans, batch.ResourceSpans[0].ScopeSpans[0].Spans...)
	}
	seen, root := map[string]string{}, ""
	for _, x := range spans {
		if x.TraceID != parent {
			t.Error("another trace:", x)
		}
		seen[x.Name] = x.ParentSpanID
		if x.Name == spanExecute {
			root = x.SpanID
		}
		if x.Name == "tools/call files.read_file" && x.Status.Code != 2 {
			t.Error("the failed call is no error:", x)
		}
	}
	for _, name := range []string{"resolve", "check", "run", "tools/call files.read_file"} {
		if seen[name] != root || root == "" {
			t.Errorf("%s is not below the run: %v", name, seen)
		}
	}
	if m := string(bytes.Join(got["/v1/metrics"], nil)); !strings.Contains(m, metricServer) ||
		!strings.Contains(m, metricClient) {
		t.Error(m)
	}
}

// A collector cannot pass on the headers that it gets.
func TestTelemetryFollowsNoRedirect(t *testing.T) {
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	collector := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=secret")
	s, err := otelSink("TRACES", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.send(t.Context(), object{}); err == nil || !strings.Contains(err.Error(), "307") || elsewhere.Load() > 0 {
		t.Errorf("%v, %d requests elsewhere", err, elsewhere.Load())
	}
}

func TestAWrongExporterIsSaid(t *testing.T) {
	t.Setenv("OTEL_TRACES_EXPORTER", "jaeger")
	if _, err := New(&Options{Telemetry: true}); err == nil || !strings.Contains(err.Error(), "otlp, console or none") {
		t.Error(err)
	}
}

// A client's trace goes on in the backends that its script calls.
func TestTracesReachTheBackends(t *testing.T) {
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	seen := make(chan [2]string, 10) // of _meta and of the header
	srv := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	srv.AddTool(&mcp.Tool{Name: "echo", InputSchema: schema(`{"type":"object"}`)},
		func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			meta, _ := req.Params.Meta["traceparent"].(string)
			seen <- [2]string{meta, req.Extra.Header.Get("Traceparent")}
			return textResult("heard", nil), nil
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
		Input: schema(`{"type":"object"}`)}}}
	reg.Normalize()
	s, _ := serving(t, &Options{Catalog: func(context.Context) (*harness.Catalog, error) {
		return &harness.Catalog{Registry: reg, Calls: pool}, nil
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
