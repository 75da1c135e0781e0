package telemetry

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/usetools/usetools/registry/redact"
)

// This is OTLP in its JSON form, which collectors accept at the same address. The usual exporters
// need gRPC and Protobuf, whose initialisation would cost every worker 1 ms and every copy of the
// program 10 MB.

// sink is the destination of one signal: a URL, or a writer for console.
type sink struct {
	url     string
	headers http.Header
	client  *http.Client
	hide    *redact.Redactor
	out     io.Writer // for console; otherwise nil
}

// otelSink reads the variables of a signal (TRACES, METRICS). If the signal is off, it returns nil.
func otelSink(signal string, log *slog.Logger) (*sink, error) {
	env := func(name string) string {
		return cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_"+name), os.Getenv("OTEL_EXPORTER_OTLP_"+name))
	}
	endpoint := env("ENDPOINT")
	switch kind := os.Getenv("OTEL_" + signal + "_EXPORTER"); kind {
	case "none":
		return nil, nil
	case "console":
		return &sink{out: os.Stderr}, nil
	case "":
		if endpoint == "" {
			return nil, nil
		}
	case "otlp":
		endpoint = cmp.Or(endpoint, "http://localhost:4318")
	default:
		return nil, fmt.Errorf("OTEL_%s_EXPORTER is %q; want otlp, console or none", signal, kind)
	}
	if p := env("PROTOCOL"); p != "" && p != "http/json" {
		log.Warn("telemetry is sent as http/json, which collectors accept at their HTTP port", "asked_for", p)
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		// the endpoint may have a secret
		return nil, fmt.Errorf("the OTLP endpoint of %s is not an http or https URL", strings.ToLower(signal))
	}
	if os.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT") == "" { // the general variable is a base URL
		u = u.JoinPath("v1", strings.ToLower(signal))
	}
	s := &sink{url: u.String(), headers: http.Header{}, client: &http.Client{
		Timeout: 10 * time.Second,
		// do not send the headers elsewhere: they may be secret
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	secrets := map[string]string{}
	for _, pair := range strings.Split(env("HEADERS"), ",") {
		name, value, ok := strings.Cut(pair, "=")
		if v, err := url.PathUnescape(strings.TrimSpace(value)); ok && err == nil {
			s.headers.Set(strings.TrimSpace(name), v)
			secrets[strings.TrimSpace(name)] = v
		}
	}
	s.hide = redact.New(&redact.Secrets{URLs: []string{s.url}, Named: []map[string]string{secrets}})
	if ms, err := strconv.Atoi(env("TIMEOUT")); err == nil && ms > 0 {
		s.client.Timeout = time.Duration(ms) * time.Millisecond
	}
	return s, nil
}

func (s *sink) send(ctx context.Context, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if s.out != nil {
		_, err := s.out.Write(append(body, '\n'))
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header = s.headers.Clone()
	req.Header.Set("Content-Type", "application/json")
	res, err := s.client.Do(req)
	if err != nil {
		return s.hide.Err(err)
	}
	defer res.Body.Close()
	io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10))
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answered %s", s.hide.Text(res.Status))
	}
	return nil
}

// object is a JSON object of the OTLP schema.
type object = map[string]any

func attributes(kvs []attribute.KeyValue) []object {
	out := []object{}
	for _, kv := range kvs {
		var v object
		switch kv.Value.Type() {
		case attribute.BOOL:
			v = object{"boolValue": kv.Value.AsBool()}
		case attribute.INT64:
			v = object{"intValue": strconv.FormatInt(kv.Value.AsInt64(), 10)}
		case attribute.FLOAT64:
			v = object{"doubleValue": kv.Value.AsFloat64()}
		default:
			v = object{"stringValue": kv.Value.String()}
		}
		out = append(out, object{"key": string(kv.Key), "value": v})
	}
	return out
}

func resourceObject(r *resource.Resource) object {
	if r == nil {
		return object{}
	}
	return object{"attributes": attributes(r.Attributes())}
}

func scopeObject(s instrumentation.Scope) object {
	return object{"name": s.Name, "version": s.Version}
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

// spanExporter sends spans.
type spanExporter struct{ *sink }

// ExportSpans implements sdktrace.SpanExporter.
func (e *spanExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	var list []object
	for _, s := range spans {
		o := object{
			"traceId": s.SpanContext().TraceID().String(), "spanId": s.SpanContext().SpanID().String(),
			"name": s.Name(), "kind": int(s.SpanKind()), "flags": int(s.SpanContext().TraceFlags()),
			"startTimeUnixNano": nanos(s.StartTime()), "endTimeUnixNano": nanos(s.EndTime()),
			"attributes": attributes(s.Attributes()),
		}
		if s.Parent().SpanID().IsValid() {
			o["parentSpanId"] = s.Parent().SpanID().String()
		}
		// OTLP counts unset 0, ok 1, error 2; this package 0, error 1, ok 2.
		if code := int(s.Status().Code); code > 0 {
			o["status"] = object{"code": 3 - code, "message": s.Status().Description}
		}
		list = append(list, o)
	}
	return e.send(ctx, object{"resourceSpans": []object{{
		"resource":   resourceObject(spans[0].Resource()),
		"scopeSpans": []object{{"scope": scopeObject(spans[0].InstrumentationScope()), "spans": list}},
	}}})
}

// Shutdown implements sdktrace.SpanExporter.
func (e *spanExporter) Shutdown(context.Context) error { return nil }

// metricExporter sends metrics. All metrics are histograms.
type metricExporter struct{ *sink }

// Temporality implements sdkmetric.Exporter.
func (e *metricExporter) Temporality(k sdkmetric.InstrumentKind) metricdata.Temporality {
	return sdkmetric.DefaultTemporalitySelector(k)
}

// Aggregation implements sdkmetric.Exporter.
func (e *metricExporter) Aggregation(k sdkmetric.InstrumentKind) sdkmetric.Aggregation {
	return sdkmetric.DefaultAggregationSelector(k)
}

// Export implements sdkmetric.Exporter.
func (e *metricExporter) Export(ctx context.Context, rm *metricdata.ResourceMetrics) error {
	var scopes []object
	for _, s := range rm.ScopeMetrics {
		var list []object
		for _, m := range s.Metrics {
			h, ok := m.Data.(metricdata.Histogram[float64])
			if !ok {
				continue
			}
			var points []object
			for _, p := range h.DataPoints {
				counts := []string{}
				for _, n := range p.BucketCounts {
					counts = append(counts, strconv.FormatUint(n, 10))
				}
				points = append(points, object{
					"attributes": attributes(p.Attributes.ToSlice()), "startTimeUnixNano": nanos(p.StartTime),
					"timeUnixNano": nanos(p.Time),
					"count":        strconv.FormatUint(p.Count, 10), "sum": p.Sum, "bucketCounts": counts, "explicitBounds": p.Bounds,
				})
			}
			list = append(list, object{"name": m.Name, "unit": m.Unit, "description": m.Description,
				"histogram": object{"aggregationTemporality": int(h.Temporality), "dataPoints": points}})
		}
		scopes = append(scopes, object{"scope": scopeObject(s.Scope), "metrics": list})
	}
	if len(scopes) == 0 {
		return nil
	}
	return e.send(ctx, object{"resourceMetrics": []object{{"resource": resourceObject(rm.Resource),
		"scopeMetrics": scopes}}})
}

// ForceFlush implements sdkmetric.Exporter.
func (e *metricExporter) ForceFlush(context.Context) error { return nil }

// Shutdown implements sdkmetric.Exporter.
func (e *metricExporter) Shutdown(context.Context) error { return nil }
