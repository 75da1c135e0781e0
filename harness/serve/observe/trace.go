package observe

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/propagation"
)

// WithTrace adds the client's trace to the context: from _meta, as MCP defines it, or else from the
// HTTP headers. Calls of backends propagate it.
func WithTrace(ctx context.Context, req mcp.Request) context.Context {
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
