package serve

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/registry/text"
)

// maxInstructions is the most tokens that instructions may cost.
const maxInstructions = 30

// instructWait is how long the first answer to a client waits for a registry
// that is being loaded: the client asks for instructions only once.
const instructWait = time.Second

// instruct adds the instructions to the answer that begins a session.
func (c *session) instruct(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if err != nil {
			return res, err
		}
		switch res := res.(type) {
		case *mcp.InitializeResult:
			res.Instructions = c.instructions(ctx)
		case *mcp.DiscoverResult:
			res.Instructions = c.instructions(ctx)
		}
		return res, nil
	}
}

// instructions is one sentence on what is behind execute, or behind
// search_tools where there is no execute. It depends on the registry and the
// policy alone.
func (c *session) instructions(ctx context.Context) string {
	select {
	case <-c.s.live.ready:
	case <-time.After(instructWait):
	case <-ctx.Done():
	}
	tools, servers := allowed(c.s.live.now(), c.policy())
	return sentence(c.mode, tools, servers)
}

// sentence says how many tools there are on how many servers, and names as
// many servers as maxInstructions allows.
func sentence(mode Mode, tools int, servers []string) string {
	begin, end := "Go scripts reach ", " through execute"
	if !mode.scripts() {
		begin, end = "search_tools finds ", ""
	}
	if tools == 0 {
		return begin + "the tools of MCP servers" + end + "."
	}
	out := begin + text.Count(tools, "tool") + " on " + text.Count(len(servers), "server") + end + ": "
	left := maxInstructions - text.Tokens(out) - 3 // "…", and what the estimate is too low by
	for i, name := range servers {
		// Names are no words, and digits a token of their own.
		left -= 2 + (len(name)+1)/3
		if strings.ContainsAny(name, "0123456789") {
			left--
		}
		if left < 0 {
			return out + "…"
		}
		out += name
		if i < len(servers)-1 {
			out += ", "
		}
	}
	return out + "."
}

// allowed counts the tools that may be called, and names their servers as
// scripts do, the shortest names first: so most of them fit.
func allowed(cat *catalog.Catalog, rules *policy.Policy) (tools int, servers []string) {
	if cat == nil {
		return 0, nil
	}
	view, err := cat.View()
	if err != nil {
		return 0, nil
	}
	for _, srv := range view.Servers() {
		n := 0
		for _, t := range srv.Tools {
			if cat.Decide(rules, t.Tool, nil).Verdict != policy.IsDenied {
				n++
			}
		}
		if n > 0 {
			tools += n
			servers = append(servers, srv.Package)
		}
	}
	slices.SortStableFunc(servers, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	return tools, servers
}
