// Package telemetry sends traces and metrics of scripts to where the OTEL_ variables of
// the environment say. Its spans are those of OpenTelemetry's conventions for MCP: one for
// a request, below it the parts of the run and its tool calls. Where a runner of a cluster
// runs the script, the request has two spans below it, "queue" and "run", and the parts
// are below the latter.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
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

// Names of spans, metrics and attributes, from OpenTelemetry's conventions for
// MCP, which are still in the making.
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

// Telemetry sends traces and metrics. Where it is nil it does nothing.
type Telemetry struct {
	tracer         trace.Tracer
	traces         bool // are sent
	server, client metric.Float64Histogram
	shutdown       []func(context.Context) error
}

// Open reads the OTEL_ variables: an endpoint of OTLP, or an exporter by name (otlp,
// console), switches traces and metrics on. It is nil where they ask for nothing. version
// is that of this build, and log is told what is sent otherwise than asked for.
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

// Close sends what is left.
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

// Span is one run in the making. Its parts are recorded when it ends, from the
// Result's times. Where it is nil it does nothing.
type Span struct {
	t         *Telemetry
	ctx       context.Context
	root      trace.Span
	begun     time.Time
	job       *Job // nil: it is a client's request
	parent    context.Context
	elsewhere bool

	mu    sync.Mutex
	calls map[int]string // tools of calls under way, by number
	made  []timedCall
}

type timedCall struct {
	tool    string
	end     time.Time
	ms      float64
	message string // of its error
}

// Request begins the span of a client's request to a tool, below the span that ctx has,
// and returns the context in which the request is handled.
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
	Queued    time.Time // when it was put there
	Delivered uint64    // how many times a runner was given it
}

// Run begins the spans of a job, below the one that ctx has, which is that of the request
// at its front end; and returns the context in which the script runs. They are recorded by
// End alone.
func (t *Telemetry) Run(ctx context.Context, j *Job) (*Span, context.Context) {
	if t == nil {
		return nil, ctx
	}
	return t.begin(ctx, &Span{job: j}, spanRun, trace.SpanKindConsumer, attribute.String(attrRun, j.Run))
}

func (t *Telemetry) begin(ctx context.Context, s *Span, name string, kind trace.SpanKind,
	attrs ...attribute.KeyValue) (*Span, context.Context) {
	s.t, s.parent, s.begun, s.calls = t, ctx, time.Now(), map[int]string{}
	s.ctx, s.root = t.tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithTimestamp(s.begun),
		trace.WithAttributes(attrs...))
	if !t.traces {
		return s, ctx // what nobody records is nobody's parent
	}
	return s, s.ctx
}

// Elsewhere says that the parts of the run are recorded by the process that runs it.
func (s *Span) Elsewhere() {
	if s != nil {
		s.elsewhere = true
	}
}

// Line is told of the lines of the run's record.
func (s *Span) Line(l record.Line) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch l := l.(type) {
	case *record.Call:
		s.calls[l.N] = l.Tool
	case *record.Done:
		tool, ok := s.calls[l.N]
		if delete(s.calls, l.N); ok {
			s.made = append(s.made, timedCall{tool, l.Time, l.Ms, text.Cut(l.Message, maxMessage)})
		}
	}
}

// End records the run, and what it came to. res is nil where there is no result.
func (s *Span) End(status string, res *outcome.Result) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.job != nil {
		s.queue()
	}
	if !s.elsewhere {
		if res != nil {
			s.phases(&res.Timing)
		}
		for _, c := range s.made {
			s.call(c)
		}
	}
	s.root.SetAttributes(attribute.String(attrStatus, status), attribute.Int(attrCalls, len(s.made)))
	if status != string(outcome.OK) {
		s.root.SetStatus(codes.Error, status)
	}
	s.root.End()
	if s.job == nil {
		s.t.server.Record(s.ctx, time.Since(s.begun).Seconds(), metric.WithAttributes(attribute.String(attrStatus, status)))
	}
}

// queue is the span from when the job was put into the queue until it was taken. The
// former is told by another machine's clock.
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

func (s *Span) call(c timedCall) {
	_, child := s.t.tracer.Start(s.ctx, spanCall+c.tool, trace.WithTimestamp(c.end.Add(-milliseconds(c.ms))),
		trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String(attrMethod, "tools/call"), attribute.String(attrTool, c.tool)))
	attrs := []attribute.KeyValue{attribute.String(attrTool, c.tool)}
	if c.message != "" {
		child.SetStatus(codes.Error, c.message)
		attrs = append(attrs, attribute.String(attrError, "tool_error"))
	}
	child.End(trace.WithTimestamp(c.end))
	s.t.client.Record(s.ctx, c.ms/1000, metric.WithAttributes(attrs...))
}

// phases are the parts of a run in their order.
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
