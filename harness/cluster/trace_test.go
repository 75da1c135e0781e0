package cluster_test

import (
	"log/slog"
	"testing"

	"go.opentelemetry.io/otel/propagation"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/cluster"
	"github.com/usetools/usetools/harness/cluster/clustertest"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/telemetry"
	"github.com/usetools/usetools/harness/telemetry/telemetrytest"
)

// The trace of a request goes on at the runner: its time in the queue, its run, and below
// that all that a run in one process has.
func TestSpansOfARunner(t *testing.T) {
	url := clustertest.Server(t)
	collector := telemetrytest.Start(t)
	sends, err := telemetry.Open(t.Context(), "1", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	_, h := fronting(t, connected(t, url, cluster.Options{}), cluster.FrontOptions{})
	shop := newSeller()
	stop := serving(t, connected(t, url, cluster.Options{}), shop, cluster.RunnerOptions{Telemetry: sends})
	const traceID, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	ctx := propagation.TraceContext{}.Extract(t.Context(), propagation.MapCarrier{"traceparent": "00-" + traceID + "-" + parent + "-01"})
	res, err := h.Run(ctx, &harness.Script{Source: `UseTools("order an item", "complain about an item")
_, err := shop.Buy(shop.BuyParams{Item: "nut"})
if err != nil { panic(err) }
shop.Fail()`})
	if err != nil || res.Status != outcome.OK {
		t.Fatalf("%v, %+v", err, res)
	}
	stop()
	if err := sends.Close(); err != nil {
		t.Fatal(err)
	}
	spans, run := map[string]*telemetrytest.Span{}, ""
	for _, s := range collector.Spans(t) {
		if s.TraceID != traceID {
			t.Errorf("another trace: %+v", s)
		}
		if s.Name == "run" && s.ParentSpanID != parent { // the part of the run that is called so
			continue
		}
		spans[s.Name] = s
		if s.Name == "run" {
			run = s.SpanID
		}
	}
	for name, below := range map[string]string{"queue": parent, "run": parent, "resolve": run, "check": run,
		"tools/call shop.buy": run, "tools/call shop.fail": run} {
		if s := spans[name]; s == nil || s.ParentSpanID != below || below == "" {
			t.Errorf("%s is not below %q: %+v", name, below, s)
		}
	}
	if t.Failed() {
		return
	}
	if q, r := spans["queue"], spans["run"]; q.EndTimeUnixNano != r.StartTimeUnixNano || q.Attribute("usetools.pool") != cluster.DefaultPool ||
		r.Attribute("usetools.run") != res.Run || r.Attribute("usetools.status") != "ok" || r.Attribute("usetools.calls") != "2" {
		t.Errorf("queue %+v, run %+v", q, r)
	}
	if spans["tools/call shop.fail"].Status.Code != 2 || spans["tools/call shop.buy"].Status.Code != 0 {
		t.Errorf("%+v, %+v", spans["tools/call shop.fail"], spans["tools/call shop.buy"])
	}
}
