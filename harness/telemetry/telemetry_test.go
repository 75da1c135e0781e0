package telemetry

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/telemetry/telemetrytest"
)

func TestItIsOffUnlessAskedFor(t *testing.T) {
	tel, err := Open(t.Context(), "1", slog.New(slog.DiscardHandler))
	if tel != nil || err != nil {
		t.Fatalf("%v, %v", tel, err)
	}
	span, _ := tel.Request(t.Context(), "execute") // and takes all the same what it is told
	span.Elsewhere()
	span.Progress(record.Progress{})
	span.End("ok", nil)
	if err := tel.Close(); err != nil {
		t.Error(err)
	}
}

// A collector cannot pass on the headers that it gets.
func TestItFollowsNoRedirect(t *testing.T) {
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
	if _, err := Open(t.Context(), "1", slog.New(slog.DiscardHandler)); err == nil ||
		!strings.Contains(err.Error(), "otlp, console or none") {
		t.Error(err)
	}
}

// What another process runs, that one tells.
func TestPartsOfARunElsewhereAreNotToldTwice(t *testing.T) {
	collector := telemetrytest.Start(t)
	tel, err := Open(t.Context(), "1", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	span, _ := tel.Request(t.Context(), "execute")
	span.Elsewhere()
	span.Progress(record.Progress{Call: &record.Call{N: 1, Tool: "shop.buy"}, Done: &record.Done{N: 1, Ms: 1}})
	span.End(string(outcome.OK), &outcome.Result{Timing: outcome.Timing{Run: 3}})
	if err := tel.Close(); err != nil {
		t.Fatal(err)
	}
	spans := collector.Spans(t)
	if len(spans) != 1 || spans[0].Name != spanExecute || spans[0].Attribute(attrCalls) != "1" {
		t.Errorf("%+v", spans)
	}
	if m := collector.Metrics(); !strings.Contains(m, metricServer) || strings.Contains(m, metricClient) {
		t.Error(m)
	}
}

// The clock of the machine that queued a job may be ahead.
func TestATimeInTheQueueIsNeverNegative(t *testing.T) {
	collector := telemetrytest.Start(t)
	tel, err := Open(t.Context(), "1", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	span, _ := tel.Run(t.Context(), &Job{Run: "abc", Pool: "gpu", Queued: time.Now().Add(time.Hour), Delivered: 2})
	span.End(string(outcome.Lost), nil)
	if err := tel.Close(); err != nil {
		t.Fatal(err)
	}
	spans := collector.Spans(t)
	if len(spans) != 2 {
		t.Fatalf("%d spans", len(spans))
	}
	for _, s := range spans {
		if s.EndTimeUnixNano < s.StartTimeUnixNano || s.Attribute(attrRun) != "abc" {
			t.Errorf("%+v", s)
		}
		if s.Name == spanRun && (s.Status.Code != 2 || s.Attribute(attrStatus) != "lost") {
			t.Errorf("%+v", s)
		}
		if s.Name == spanQueue && (s.Attribute(attrPool) != "gpu" || s.Attribute(attrDelivered) != "2") {
			t.Errorf("%+v", s)
		}
	}
}
