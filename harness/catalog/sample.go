package catalog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/dial"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/wrappers/observe"
)

// Limits of a sample.
const (
	sampleTime  = 5 * time.Second
	sampleBytes = 64 << 10
)

// Learn infers a tool's result type from one result, for the owner of the catalog. Its outline is
// for all tenants, unless the server is private.
func (c *Catalog) Learn(t *registry.Tool, result []byte) {
	class, _ := c.Class(t)
	c.Shapes.Observe(t.ID, result, class == record.Read)
	if s := c.shared(t.Server); s != nil {
		s.Shared().Observe(t.ID, result, false)
	}
}

// SaveLearned saves the types that Learn inferred.
func (c *Catalog) SaveLearned() error {
	err := c.Shapes.Save()
	if root := c.root(); root.Shapes != nil && root.Shapes != c.Shapes {
		err = errors.Join(err, root.Shapes.Shared().Save())
	}
	return err
}

// root returns the operator's catalog.
func (c *Catalog) root() *Catalog {
	if c.of != nil {
		return c.of
	}
	return c
}

// shared returns the operator's store, whose outlines of a server's results are for all tenants. It
// returns nil without a store, and for a private server.
func (c *Catalog) shared(server string) *observe.Store {
	if s := definitionOf(c.Servers, server); s != nil && len(s.Private) > 0 {
		return nil
	}
	return c.root().Shapes
}

// seen returns an outline of a tool's results: from the owner's own results if possible, otherwise
// from those of all tenants.
func (c *Catalog) seen(id string) (outline string, results int, ok bool) {
	stores := []*observe.Store{c.Shapes}
	if t, known := c.Registry.Tool(id); known {
		if s := c.shared(t.Server); s != nil {
			stores = append(stores, s.Shared(), s)
		}
	}
	for _, s := range stores {
		if s == nil {
			continue
		}
		if x, ok := s.Seen(id); ok {
			return x.Outline, x.Results, true
		}
	}
	return "", 0, false
}

// Sample infers result types by one call of each suitable tool of the servers that wants selects. A
// tool is suitable if it only reads, is marked as idempotent, needs no argument, has no output
// schema and no inferred type, may be called without approval by the rules of the config, and its
// server is not private. Sample calls failed for each call without a usable answer.
func (c *Catalog) Sample(ctx context.Context, wants func(*config.Server) bool, failed func(tool string, err error)) error {
	if c.Shapes == nil {
		return errors.New(`"observe": false in the config turns off inferred types`)
	}
	view, err := c.View()
	if err != nil {
		return err
	}
	tools := map[string][]*registry.Tool{}
	for i := range c.Registry.Tools {
		t := &c.Registry.Tools[i]
		if w, ok := view.Tool(t.ID); ok && w.Untyped() && c.samples(t) {
			tools[t.Server] = append(tools[t.Server], t)
		}
	}
	for i := range c.Servers {
		if s := &c.Servers[i]; len(tools[s.Name]) > 0 && len(s.Private) == 0 && s.Type != config.Snapshot && wants(s) {
			c.sampleServer(ctx, s, tools[s.Name], failed)
		}
	}
	return errors.Join(ctx.Err(), c.SaveLearned())
}

// samples reports whether a tool may be called to sample its result.
func (c *Catalog) samples(t *registry.Tool) bool {
	class, _ := c.Class(t)
	hints := c.hints(t)
	if _, _, seen := c.seen(t.ID); seen || t.Held || t.Stale || class != record.Read ||
		hints == nil || hints.Idempotent == nil || !*hints.Idempotent || c.CheckArguments(t, registry.Args{}) != nil {
		return false
	}
	return c.DecideCall(nil, t, registry.Args{}, nil, nil).Verdict == policy.IsAllowed
}

// sampleServer calls tools of a server, one after the other. It stops after a call that
// timed out.
func (c *Catalog) sampleServer(ctx context.Context, s *config.Server, tools []*registry.Tool, failed func(string, error)) {
	b, err := dial.New(&dial.Options{Known: c.Registry}).Open(ctx, *s)
	if err != nil {
		failed(s.Name, err)
		return
	}
	defer b.Close()
	for _, t := range tools {
		err := c.sample(ctx, b, t)
		if err != nil {
			failed(t.ID, err)
		}
		if errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return
		}
	}
}

func (c *Catalog) sample(ctx context.Context, b backend.Backend, t *registry.Tool) error {
	ctx, cancel := context.WithTimeout(ctx, sampleTime)
	defer cancel()
	res, err := b.Call(ctx, &backend.Request{Tool: t.Name, Expect: t.Request})
	switch {
	case err != nil:
		return err
	case res.IsError:
		return errors.New("the tool reports an error")
	case len(res.Raw) > sampleBytes:
		return fmt.Errorf("the answer has %d bytes, more than %d", len(res.Raw), sampleBytes)
	}
	c.Learn(t, res.Raw)
	return nil
}
