package serve

import (
	"context"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/registry/text"
)

const (
	instructWait     = time.Second // wait for the tools, because clients ask only once
	maxInstructNames = 30          // characters of the names of servers
)

// instruct adds instructions to the answer that begins a session: one sentence on the use of
// execute, for clients that load tools only when they need them.
func (c *session) instruct(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		switch res := res.(type) {
		case *mcp.InitializeResult:
			res.Instructions = c.instructions(ctx)
		case *mcp.DiscoverResult:
			res.Instructions = c.instructions(ctx)
		}
		return res, err
	}
}

func (c *session) instructions(ctx context.Context) string {
	select {
	case <-c.s.live.ready:
	case <-time.After(instructWait):
	case <-ctx.Done():
	}
	var servers []*listed
	if cat := c.s.live.current(); cat != nil {
		if view, err := cat.View(); err == nil {
			servers, _ = callable(cat, view, c.policy())
		}
	}
	begin, end, tools := "Go scripts reach ", " through execute", 0
	if !c.mode.scripts() {
		begin, end = "search_tools finds ", ""
	}
	var names []string
	for _, s := range servers {
		tools += len(s.tools)
		names = append(names, s.Package)
	}
	if tools == 0 {
		return begin + "the tools of MCP servers" + end + "."
	}
	return begin + text.Count(tools, "tool") + " on " + text.Count(len(servers), "server") + end + ": " +
		text.Cut(strings.Join(names, ", ")+".", maxInstructNames)
}
