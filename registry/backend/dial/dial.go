// Package dial connects to a server by the type in its definition.
package dial

import (
	"context"
	"fmt"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/manifest"
	"github.com/usetools/usetools/registry/backend/mcp"
	"github.com/usetools/usetools/registry/backend/openapi"
	"github.com/usetools/usetools/registry/backend/snapshot"
	"github.com/usetools/usetools/registry/config"
)

// Options configure a Dialer.
type Options struct {
	// ToolsChanged is called when a server reports that its list of tools has changed,
	// concurrently for several servers. It may be nil.
	ToolsChanged func(server string)
	// Known is a registry of an earlier build, which has the handshake that each server supports.
	// If nil, each handshake is found by trying.
	Known *registry.Registry
	// Asks declares to MCP servers that the people behind calls can be asked; see [mcp.Options].
	Asks bool
}

// Dialer connects to servers and remembers the handshake of each.
type Dialer struct {
	opts     Options
	verdicts mcp.Verdicts
}

// New returns a dialer; opts may be nil.
func New(opts *Options) *Dialer {
	d := &Dialer{}
	if opts != nil {
		d.opts = *opts
	}
	if d.opts.Known != nil {
		for _, s := range d.opts.Known.Servers {
			d.verdicts.Learn(s)
		}
	}
	return d
}

// Open connects to a server: a process, a URL or a file. It returns the error of a broken
// definition (config.Server.Err).
func (d *Dialer) Open(ctx context.Context, s config.Server) (backend.Backend, error) {
	if s.Err != nil {
		return nil, s.Err
	}
	switch s.Type {
	case config.Stdio, config.HTTP, config.SSE:
		return mcp.Open(ctx, s, &mcp.Options{ToolsChanged: d.opts.ToolsChanged, Verdicts: &d.verdicts, Asks: d.opts.Asks})
	case config.Snapshot:
		return snapshot.Open(ctx, s)
	case config.Manifest:
		return manifest.Open(ctx, s)
	case config.OpenAPI:
		return openapi.Open(ctx, s)
	}
	return nil, fmt.Errorf("server %q has the type %q: want stdio, http, sse, snapshot, manifest or openapi", s.Name,
		s.Type)
}

// Pool returns a pool over the servers of a config.
func (d *Dialer) Pool(c *config.Config) *backend.Pool {
	return backend.NewPool(
		func(ctx context.Context, name string) (backend.Backend, error) {
			s, ok := c.Server(name)
			if !ok {
				return nil, fmt.Errorf("server %q is not in the config", name)
			}
			return d.Open(ctx, s)
		},
		&backend.PoolOptions{Hurry: mcp.Hurry, Concurrency: func(name string) int {
			s, _ := c.Server(name)
			return s.Concurrency
		}})
}

// Pool returns a pool over the servers of a config that connects with a default Dialer.
func Pool(c *config.Config) *backend.Pool { return New(nil).Pool(c) }
