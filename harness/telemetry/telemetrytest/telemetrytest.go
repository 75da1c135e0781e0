// Package telemetrytest has a collector for tests of telemetry.
package telemetrytest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Collector stores the data that it receives.
type Collector struct {
	URL string

	mu  sync.Mutex
	got map[string][]received // by path
}

type received struct {
	header http.Header
	body   []byte
}

// Start starts a collector that listens until the test ends, and sets an OTEL_ variable to its URL.
func Start(t *testing.T) *Collector {
	c := &Collector{got: map[string][]received{}}
	s := httptest.NewServer(c)
	t.Cleanup(s.Close)
	c.URL = s.URL
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", s.URL)
	return c
}

// ServeHTTP stores a batch.
func (c *Collector) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got[r.URL.Path] = append(c.got[r.URL.Path], received{r.Header, b})
}

// Span is a received span.
type Span struct {
	TraceID, SpanID, ParentSpanID, Name string
	Kind                                int
	StartTimeUnixNano, EndTimeUnixNano  int64 `json:",string"`
	Status                              struct{ Code int }
	Attributes                          []Attribute
}

// Attribute is an attribute of a span.
type Attribute struct {
	Key   string
	Value struct{ StringValue, IntValue string }
}

// Attribute returns the value of an attribute, or "".
func (s *Span) Attribute(key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value.StringValue + a.Value.IntValue
		}
	}
	return ""
}

// Spans returns all received spans.
func (c *Collector) Spans(t testing.TB) (all []*Span) {
	t.Helper()
	for _, r := range c.received("/v1/traces") {
		var batch struct {
			ResourceSpans []struct{ ScopeSpans []struct{ Spans []*Span } }
		}
		if err := json.Unmarshal(r.body, &batch); err != nil {
			t.Fatalf("%v: %s", err, r.body)
		}
		for _, of := range batch.ResourceSpans {
			for _, scope := range of.ScopeSpans {
				all = append(all, scope.Spans...)
			}
		}
	}
	return all
}

// Metrics returns the received batches of metrics.
func (c *Collector) Metrics() string {
	all := ""
	for _, r := range c.received("/v1/metrics") {
		all += string(r.body)
	}
	return all
}

// Headers returns the headers of all requests.
func (c *Collector) Headers() (all []http.Header) {
	for _, path := range []string{"/v1/traces", "/v1/metrics"} {
		for _, r := range c.received(path) {
			all = append(all, r.header)
		}
	}
	return all
}

func (c *Collector) received(path string) []received {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]received{}, c.got[path]...)
}
