package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/record"
)

// Names of spans, metrics and attributes, from OpenTelemetry's conventions for
// MCP, which are still in the making.
const (
	spanExecute   = "tools/call execute"
	spanCall      = "tools/call "
	attrMethod    = "mcp.method.name"
	attrTool      = "gen_ai.tool.name"
	attrStatus    = "usetools.status"
	attrCalls     = "usetools.calls"
	attrError     = "error.type"
	metricServer  = "mcp.server.operation.duration"
	metricClient  = "mcp.client.operation.duration"
	telemetryName = "github.com/usetools/usetools/harness/serve"
)

// telemetry sends traces and metrics. It is nil, and does nothing, unless the
// environment asks for it.
type telemetry struct {
	tracer         trace.Tracer
	traces         bool // are sent
	server, client metric.Float64Histogram
	shutdown       []func(context.Context) error
}

// openTelemetry reads the OTEL_ variables: an endpoint of OTLP, or an exporter
// by name (otlp, console), switches traces and metrics on.
func openTelemetry(ctx context.Context, version string, log *slog.Logger) (*telemetry, error) {
	if os.Getenv("OTEL_SDK_DISABLED") == "true" {
		return nil, nil
	}
	traces, err := otelSink("TRACES", log)
	if err != nil {
		return nil, err
	}
	metrics, err := otelSink("METRICS", log)
	if err != nil || traces == nil && metrics == nil {
		return nil, err
	}
	res, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "usetools"),
		attribute.String("service.version", version)), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("reading OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	t := &telemetry{traces: traces != nil}
	tp, mp := sdktrace.NewTracerProvider(sdktrace.WithResource(res), sdktrace.WithSampler(sdktrace.NeverSample())),
		sdkmetric.NewMeterProvider()
	if traces != nil {
		tp = sdktrace.NewTracerProvider(sdktrace.WithResource(res), sdktrace.WithBatcher(&spanExporter{traces}))
		t.shutdown = append(t.shutdown, tp.Shutdown)
	}
	if metrics != nil {
		mp = sdkmetric.NewMeterProvider(sdkmetric.WithResource(res),
			sdkmetric.WithReader(sdkmetric.NewPeriodicReader(&metricExporter{metrics})))
		t.shutdown = append(t.shutdown, mp.Shutdown)
	}
	t.tracer = tp.Tracer(telemetryName, trace.WithInstrumentationVersion(version))
	meter := mp.Meter(telemetryName)
	t.server, err = meter.Float64Histogram(metricServer, metric.WithUnit("s"),
		metric.WithDescription("Scripts, from request to answer."))
	if err == nil {
		t.client, err = meter.Float64Histogram(metricClient, metric.WithUnit("s"),
			metric.WithDescription("Tool calls of scripts."))
	}
	return t, err
}

// Close sends what is left.
func (t *telemetry) Close() error {
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	var errs []error
	for _, f := range t.shutdown {
		errs = append(errs, f(ctx))
	}
	return errors.Join(errs...)
}

// span is one run in the making. Its parts are recorded when it ends, from the
// Result's times.
type span struct {
	t     *telemetry
	ctx   context.Context
	root  trace.Span
	begun time.Time

	mu    sync.Mutex
	calls []timedCall
}

type timedCall struct {
	*record.Call
	done *record.Done
}

// withTrace puts the trace that a client belongs to into the context: from
// _meta, as MCP has it, else from the HTTP headers. Calls of backends carry it on.
func withTrace(ctx context.Context, req mcp.Request) context.Context {
	parent := propagation.MapCarrier{}
	if p := req.GetParams(); p != nil {
		meta := p.GetMeta()
		for _, k := range (propagation.TraceContext{}).Fields() {
			if v, ok := meta[k].(string); ok {
				parent[k] = v
			}
		}
	}
	if extra := req.GetExtra(); len(parent) == 0 && extra != nil {
		return propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(extra.Header))
	}
	return propagation.TraceContext{}.Extract(ctx, parent)
}

// begin starts the span of a request, below the one that its client sent, and
// returns the context in which it calls backends.
func (t *telemetry) begin(ctx context.Context, req *mcp.CallToolRequest) (*span, context.Context) {
	if t == nil {
		return nil, ctx
	}
	s := &span{t: t, begun: time.Now()}
	s.ctx, s.root = t.tracer.Start(ctx, spanExecute, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
		attribute.String(attrMethod, "tools/call"), attribute.String(attrTool, req.Params.Name)))
	if !t.traces {
		return s, ctx // what nobody records is nobody's parent
	}
	return s, s.ctx
}

func (s *span) ended(c *record.Call, d *record.Done) {
	if s == nil {
		return
	}
	timing := *d
	timing.Result = record.Data{} // which may be large
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, timedCall{&record.Call{Tool: c.Tool}, &timing})
}

func (s *span) end(status string, res *harness.Result) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if res != nil {
		s.phases(&res.Timing)
	}
	for _, c := range s.calls {
		begin := c.done.Time.Add(-time.Duration(c.done.Ms * float64(time.Millisecond)))
		_, child := s.t.tracer.Start(s.ctx, spanCall+c.Tool, trace.WithTimestamp(begin),
			trace.WithSpanKind(trace.SpanKindClient),
			trace.WithAttributes(attribute.String(attrMethod, "tools/call"), attribute.String(attrTool, c.Tool)))
		attrs := []attribute.KeyValue{attribute.String(attrTool, c.Tool)}
		if c.done.Message != "" {
			child.SetStatus(codes.Error, cutText(c.done.Message, 200))
			attrs = append(attrs, attribute.String(attrError, "tool_error"))
		}
		child.End(trace.WithTimestamp(c.done.Time))
		s.t.client.Record(s.ctx, c.done.Ms/1000, metric.WithAttributes(attrs...))
	}
	s.root.SetAttributes(attribute.String(attrStatus, status), attribute.Int(attrCalls, len(s.calls)))
	if status != string(harness.OK) {
		s.root.SetStatus(codes.Error, status)
	}
	s.root.End()
	s.t.server.Record(s.ctx, time.Since(s.begun).Seconds(), metric.WithAttributes(attribute.String(attrStatus, status)))
}

// phases are the parts of a run in their order.
func (s *span) phases(t *harness.Timing) {
	at := s.begun
	for _, p := range []struct {
		name string
		ms   float64
	}{{"worker start", t.Start}, {"parse", t.Parse}, {"resolve", t.Resolve}, {"generate", t.Generate}, {"check", t.Check},
		{"lower", t.Lower}, {"run", t.Run}} {
		if p.ms <= 0 {
			continue
		}
		_, child := s.t.tracer.Start(s.ctx, p.name, trace.WithTimestamp(at))
		at = at.Add(time.Duration(p.ms * float64(time.Millisecond)))
		child.End(trace.WithTimestamp(at))
	}
}
