// Package telemetry sends traces and metrics of scripts to the destination in the OTEL_ environment
// variables. Its spans follow OpenTelemetry's conventions for MCP: one for a request, and below it
// the phases of the run and its tool calls. If a runner of a cluster runs the script, the request
// has two spans below it, "queue" and "run", and the phases are below the latter.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry/text"
)

// Names of spans, metrics and attributes, from OpenTelemetry's conventions for MCP, which are not
// final yet.
const (
	spanExecute   = "tools/call execute"
	spanCall      = "tools/call "
	spanQueue     = "queue"
	spanRun       = "run"
	attrMethod    = "mcp.method.name"
	attrTool      = "gen_ai.tool.name"
	attrStatus    = "usetools.status"
	attrCalls     = "usetools.calls"
	attrRun       = "usetools.run"
	attrPool      = "usetools.pool"
	attrDelivered = "usetools.delivered"
	attrError     = "error.type"
	metricServer  = "mcp.server.operation.duration"
	metricClient  = "mcp.client.operation.duration"
	scope         = "github.com/usetools/usetools/harness/telemetry"

	maxMessage = 200 // characters of a call's error
)

// Telemetry sends traces and metrics. A nil Telemetry does nothing.
type Telemetry struct {
	tracer         trace.Tracer
	traces         bool // traces are sent
	server, client metric.Float64Histogram
	shutdown       []func(context.Context) error
}

// Open reads the OTEL_ variables. An OTLP endpoint, or the name of an exporter (otlp, console),
// turns traces and metrics on. If both are off, Open returns nil. version is the version of this
// build. log gets a warning if data is sent in another way than configured.
func Open(ctx context.Context, version string, log *slog.Logger) (*Telemetry, error) {
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
	t := &Telemetry{traces: traces != nil}
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
	t.tracer = tp.Tracer(scope, trace.WithInstrumentationVersion(version))
	meter := mp.Meter(scope)
	t.server, err = meter.Float64Histogram(metricServer, metric.WithUnit("s"),
		metric.WithDescription("Scripts, from request to answer."))
	if err == nil {
		t.client, err = meter.Float64Histogram(metricClient, metric.WithUnit("s"),
			metric.WithDescription("Tool calls of scripts."))
	}
	return t, err
}

// Close sends the remaining data.
func (t *Telemetry) Close() error {
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

// Span is one run under way. Its calls are recorded as they end. Its phases are recorded when it
// ends, with the Result's times. A nil Span does nothing.
type Span struct {
	t         *Telemetry
	ctx       context.Context
	root      trace.Span
	begun     time.Time
	job       *Job // if nil, it is a client's request
	parent    context.Context
	elsewhere bool
	calls     atomic.Int64 // that have ended
}

// Request begins the span of a client's request to a tool, below the span in ctx, and returns the
// context for handling the request.
func (t *Telemetry) Request(ctx context.Context, tool string) (*Span, context.Context) {
	if t == nil {
		return nil, ctx
	}
	return t.begin(ctx, &Span{}, spanExecute, trace.SpanKindServer, attribute.String(attrMethod, "tools/call"),
		attribute.String(attrTool, tool))
}

// Job is a script that a runner has taken from a queue.
type Job struct {
	Run, Pool string
	Queued    time.Time // when it was put into the queue
	Delivered uint64    // how many times it was delivered to a runner
}

// Run begins the spans of a job, below the span in ctx, which is that of the request at its front
// end. It returns the context for running the script.
func (t *Telemetry) Run(ctx context.Context, j *Job) (*Span, context.Context) {
	if t == nil {
		return nil, ctx
	}
	return t.begin(ctx, &Span{job: j}, spanRun, trace.SpanKindConsumer, attribute.String(attrRun, j.Run))
}

func (t *Telemetry) begin(ctx context.Context, s *Span, name string, kind trace.SpanKind,
	attrs ...attribute.KeyValue) (*Span, context.Context) {
	s.t, s.parent, s.begun = t, ctx, time.Now()
	s.ctx, s.root = t.tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithTimestamp(s.begun),
		trace.WithAttributes(attrs...))
	if !t.traces {
		return s, ctx // a span that is not sent must not be a parent
	}
	return s, s.ctx
}

// Elsewhere notes that the process that runs the script records the phases and calls.
func (s *Span) Elsewhere() {
	if s != nil {
		s.elsewhere = true
	}
}

// Progress records a call that has ended.
func (s *Span) Progress(p record.Progress) {
	if s == nil || p.Done == nil {
		return
	}
	s.calls.Add(1)
	if !s.elsewhere {
		s.call(p.Call.Tool, p.Done)
	}
}

// End records the run and its status. res may be nil.
func (s *Span) End(status string, res *outcome.Result) {
	if s == nil {
		return
	}
	if s.job != nil {
		s.queue()
	}
	if !s.elsewhere && res != nil {
		s.phases(&res.Timing)
	}
	s.root.SetAttributes(attribute.String(attrStatus, status), attribute.Int64(attrCalls, s.calls.Load()))
	if status != string(outcome.OK) {
		s.root.SetStatus(codes.Error, status)
	}
	s.root.End()
	if s.job == nil {
		s.t.server.Record(s.ctx, time.Since(s.begun).Seconds(), metric.WithAttributes(attribute.String(attrStatus, status)))
	}
}

// queue records the span of the job in the queue. Its begin comes from another machine's clock.
func (s *Span) queue() {
	j := s.job
	_, span := s.t.tracer.Start(s.parent, spanQueue, trace.WithTimestamp(j.Queued), trace.WithAttributes(
		attribute.String(attrRun, j.Run), attribute.String(attrPool, j.Pool), attribute.Int64(attrDelivered, int64(j.Delivered))))
	end := s.begun
	if end.Before(j.Queued) {
		end = j.Queued
	}
	span.End(trace.WithTimestamp(end))
}

func (s *Span) call(tool string, d *record.Done) {
	_, child := s.t.tracer.Start(s.ctx, spanCall+tool, trace.WithTimestamp(d.Time.Add(-milliseconds(d.Ms))),
		trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String(attrMethod, "tools/call"), attribute.String(attrTool, tool)))
	attrs := []attribute.KeyValue{attribute.String(attrTool, tool)}
	if d.Message != "" {
		child.SetStatus(codes.Error, text.Cut(d.Message, maxMessage))
		attrs = append(attrs, attribute.String(attrError, "tool_error"))
	}
	child.End(trace.WithTimestamp(d.Time))
	s.t.client.Record(s.ctx, d.Ms/1000, metric.WithAttributes(attrs...))
}

// phases records the phases of a run in order.
func (s *Span) phases(t *outcome.Timing) {
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
		at = at.Add(milliseconds(p.ms))
		child.End(trace.WithTimestamp(at))
	}
}

func milliseconds(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
