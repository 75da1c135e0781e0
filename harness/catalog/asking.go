package catalog

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/build"
	"github.com/usetools/usetools/registry/config"
)

// openPatience is how long after a build has begun phrases that may mean any
// server wait for those that have not answered.
const openPatience = 3 * time.Second

// Asking lists the servers whose answers a catalog waits for.
type Asking struct {
	// Servers are the names of those that are being asked for their tools. The
	// catalog has their tools of an earlier build, marked stale.
	Servers []string
	// More waits for the answers of servers and returns the catalog with them.
	// With open it waits a moment for all other servers too, because a phrase
	// may mean one of them.
	More func(ctx context.Context, servers []string, open bool) (*Catalog, error)
}

// Early returns a catalog without waiting for servers: where the registry is to
// be built, Catalog.Asking lists those that are being asked, and a script waits
// only for those that it means.
func (f *Files) Early(ctx context.Context) (*Catalog, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.catalog != nil {
		return f.catalog, nil
	}
	cfg, known, err := f.read()
	if err != nil {
		return nil, err
	}
	if known {
		return f.complete(ctx, cfg)
	}
	settings, search, err := searching(cfg)
	if err != nil {
		return nil, &Error{err}
	}
	reg, previous, err := f.load(ctx, cfg, search)
	if err != nil {
		return nil, f.failed(ctx, err)
	}
	f.config, f.pool = cfg, f.connections(cfg, cmp.Or(reg, previous))
	if reg != nil {
		f.hold(reg, cfg)
		f.catalog = f.over(reg, cfg, settings, search)
		f.catalog.Calls = f.pool
		return f.catalog, nil
	}
	over, stop := context.WithCancel(context.WithoutCancel(ctx))
	o := &build.Options{Previous: previous, Changed: true, Progress: f.Progress, Embed: f.embed(search), Pins: f.pins(),
		Dial: lend(f.pool, nil)}
	if !f.Keep {
		n, pool := &needs{known: make(chan struct{}), others: make(chan struct{}), ended: over.Done()}, f.pool
		f.needs, o.Turn = n, n.turn
		o.Dial = lend(pool, func(server string) {
			if !n.has(server) {
				pool.Rest(server)
			}
		})
	}
	f.job = build.Start(over, cfg, o)
	f.stop, f.first, f.began = stop, previous == nil, time.Now()
	f.asked = f.job.Asked()
	if f.Keep && f.first { // there is nothing to begin with
		if err := f.job.Wait(ctx); err != nil {
			return nil, err
		}
	}
	reg, report, err := f.job.Registry(ctx)
	if err != nil {
		return nil, f.failed(ctx, err)
	}
	f.catalog = f.over(reg, cfg, settings, search)
	f.taken(report)
	return f.catalog, nil
}

// lend connects to servers through a pool, to ask them for their tools. done, which
// may be nil, is told when that is over; the connections are the pool's.
func lend(pool *backend.Pool, done func(server string)) func(context.Context, config.Server) (backend.Backend, error) {
	return func(ctx context.Context, s config.Server) (backend.Backend, error) {
		if s.Err != nil {
			return nil, s.Err
		}
		b, err := pool.Connect(ctx, s.Name)
		if err != nil {
			return nil, err
		}
		return &lent{b, func() {
			if done != nil {
				done(s.Name)
			}
		}}, nil
	}
}

// lent is a connection that is its pool's.
type lent struct {
	backend.Backend
	done func()
}

func (l *lent) Close() error {
	l.done()
	return nil
}

// needs is what is known of the servers that the first script needs, where the
// connections to others are not kept.
type needs struct {
	known   chan struct{} // closed when it is
	servers []string      // set before that
	others  chan struct{} // closed when the others may be asked, too
	ended   <-chan struct{}
}

// turn is build.Options.Turn: those that are needed come first.
func (n *needs) turn(_ context.Context, server string) {
	if !n.has(server) {
		select {
		case <-n.others:
		case <-n.ended:
		}
	}
}

// has reports whether a server is needed, as soon as that is known.
func (n *needs) has(server string) bool {
	select {
	case <-n.known:
		return slices.Contains(n.servers, server)
	case <-n.ended:
		return false
	}
}

// more is Asking.More.
func (f *Files) more(ctx context.Context, servers []string, open bool) (*Catalog, error) {
	f.mu.Lock()
	job, pool, first, until := f.job, f.pool, f.first, f.began.Add(openPatience)
	if job == nil {
		defer f.mu.Unlock()
		return f.catalog, nil
	}
	n := f.needs
	f.needs = nil
	f.mu.Unlock()
	pool.Hurry(servers...)
	if n != nil {
		n.servers = servers
		close(n.known)
		if open {
			close(n.others)
		}
	}
	if len(servers) > 0 {
		if err := job.Wait(ctx, servers...); err != nil {
			return nil, err
		}
	}
	if n != nil && !open {
		close(n.others)
	}
	if open {
		wait, cancel := ctx, context.CancelFunc(func() {})
		if !first { // else there is nothing else that might answer
			wait, cancel = context.WithDeadline(ctx, until)
		}
		_ = job.Wait(wait)
		cancel()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.job != job {
		return f.catalog, nil
	}
	if slices.Equal(job.Pending(), f.catalog.Asking.Servers) {
		return f.catalog, nil
	}
	reg, report, err := job.Registry(ctx)
	if err != nil {
		return nil, f.failed(ctx, err)
	}
	f.catalog = f.renewed(reg)
	f.taken(report)
	return f.catalog, nil
}

// renewed is the catalog with another registry.
func (f *Files) renewed(reg *registry.Registry) *Catalog {
	old := f.catalog
	c := &Catalog{Registry: reg, Search: old.Search, Servers: f.ruled(f.config, reg), Rules: old.Rules, Rights: old.Rights,
		Shapes: old.Shapes, Scripts: old.Scripts, Usage: old.Usage}
	if old.Memory != nil {
		c.Memory = f.memory(reg)
	}
	return c
}

// taken makes a catalog of the job the present one.
func (f *Files) taken(report *build.Report) {
	f.catalog.Calls = f.pool
	var pending []string
	for _, s := range report.Servers {
		if s.Pending {
			pending = append(pending, s.Name)
		}
	}
	if len(pending) > 0 {
		f.logPins(report.Pins)
		f.catalog.Asking = &Asking{Servers: pending, More: f.more}
		return
	}
	f.SaveBuilt(f.catalog.Registry, report, f.asked)
	f.endJob()
}

// endJob ends the build under way.
func (f *Files) endJob() {
	f.stop()
	f.job, f.stop = nil, nil
}
