// Package ways compares three ways of giving a model tools, by their cost for the same
// tasks: see [Ways] and [Compare].
package ways

import (
	"context"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/serve"
)

// client is a client of a server in this process.
type client struct {
	*mcp.ClientSession
	server *serve.Server
	served chan error
}

// connect starts a server over the catalog, which may call only what says that
// it only reads, and connects to it.
func (c *compare) connect(mode serve.Mode) (*client, error) {
	s, err := serve.New(&serve.Options{
		Catalog: func(context.Context) (*catalog.Catalog, error) { return c.Catalog, nil },
		Tools:   mode, Policy: &policy.Policy{ReadOnly: true}, WorkerCommand: c.WorkerCommand, Spares: 2,
		Answer: wholeAnswer(mode), MaxRuns: 16,
	})
	if err != nil {
		return nil, err
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- s.Stdio(c.ctx, inR, outW) }()
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "compare", Version: "1"}, nil).
		Connect(c.ctx, &mcp.IOTransport{Reader: outR, Writer: inW}, nil)
	if err != nil {
		s.Close()
		return nil, err
	}
	return &client{cs, s, served}, nil
}

// wholeAnswer keeps answers of tools whole where the model has nothing else;
// scripts keep the usual bound.
func wholeAnswer(mode serve.Mode) int {
	if mode == serve.Execute {
		return 0
	}
	return 64 << 20
}

// Close ends the session and the server.
func (c *client) Close() {
	c.ClientSession.Close()
	<-c.served
	c.server.Close()
}

// call calls a tool, which must succeed.
func (c *client) call(ctx context.Context, tool string, args any) (*mcp.CallToolResult, error) {
	res, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return nil, err
	}
	if res.IsError {
		return res, fmt.Errorf("%s failed: %s", tool, textOf(res))
	}
	return res, nil
}

// execute runs a script, which must go well.
func (c *compare) execute(script string) (*mcp.CallToolResult, error) {
	return c.scripts.call(c.ctx, "execute", map[string]any{"script": script})
}
