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

// noLimit is a wait that only a context ends.
const noLimit = 365 * 24 * time.Hour

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
	cfg, err := f.read()
	if err != nil {
		return nil, err
	}
	if f.settings, f.search, err = searching(cfg); err != nil {
		return nil, &Error{err}
	}
	reg, previous, err := f.load(ctx, cfg)
	if err != nil {
		return nil, f.failed(ctx, err)
	}
	var calls Caller
	if len(cfg.Files) > 0 {
		f.pool = f.connections(cfg, cmp.Or(reg, previous))
		calls = f.pool
	}
	if reg != nil {
		f.hold(reg, cfg)
		f.renew(reg, cfg, calls)
	} else if err := f.begin(ctx, cfg, previous); err != nil {
		f.endJob()
		f.pool.Close()
		return nil, f.failed(ctx, err)
	}
	f.logDoubts()
	return f.catalog, nil
}

// job is a build under way.
type job struct {
	*build.Job
	config *config.Config
	began  time.Time
	first  bool     // there is no earlier registry
	asks   bool     // it has begun to ask
	keep   []string // servers to which the connections are kept
}

// ask begins to ask the servers, if that has not begun: those that are needed first.
func (j *job) ask(ctx context.Context, needed ...string) {
	if !j.asks {
		j.asks = true
		j.Ask(context.WithoutCancel(ctx), needed...)
	}
}

// begin prepares to ask the servers that have no answer in the previous registry, which
// may be nil. With Keep it asks them at once, and waits if there is no previous registry.
func (f *Files) begin(ctx context.Context, cfg *config.Config, previous *registry.Registry) error {
	j, pool := &job{config: cfg, began: time.Now(), first: previous == nil}, f.pool
	j.Job = build.Prepare(cfg, &build.Options{Previous: previous, Changed: true, Progress: f.Progress,
		Embed: f.embed(f.search), Pins: f.pins(), Dial: lend(pool, func(server string) {
			if !f.Keep && !slices.Contains(j.keep, server) {
				pool.Rest(server)
			}
		})})
	f.job, f.asked = j, j.Asked()
	if f.Keep {
		j.ask(ctx)
	}
	if f.Keep && j.first { // there is nothing to begin with
		if err := j.Wait(ctx); err != nil {
			return err
		}
	}
	return f.take(ctx)
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

// await waits for the answers of servers, and until a time for those of all others. It
// returns the catalog with the answers that there are then.
func (f *Files) await(ctx context.Context, servers []string, until time.Time) (*Catalog, error) {
	f.mu.Lock()
	j := f.job
	if j == nil {
		defer f.mu.Unlock()
		return f.catalog, nil
	}
	f.pool.Hurry(servers...)
	if !j.asks {
		j.keep = servers
	}
	if until.IsZero() {
		j.ask(ctx, servers...)
	} else {
		j.ask(ctx)
	}
	f.mu.Unlock()
	if len(servers) > 0 {
		if err := j.Wait(ctx, servers...); err != nil {
			return nil, err
		}
	}
	if !until.IsZero() {
		wait, cancel := context.WithDeadline(ctx, until)
		_ = j.Wait(wait)
		cancel()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.job != j || slices.Equal(j.Pending(), f.catalog.Asking.Servers) {
		return f.catalog, nil
	}
	if err := f.take(ctx); err != nil {
		return nil, f.failed(ctx, err)
	}
	return f.catalog, nil
}

// take makes a catalog of the answers so far the current one.
func (f *Files) take(ctx context.Context) error {
	j := f.job
	reg, report, err := j.Registry(ctx)
	if err != nil {
		return err
	}
	c := f.renew(reg, j.config, f.pool)
	var pending []string
	for _, s := range report.Servers {
		if s.Pending {
			pending = append(pending, s.Name)
		}
	}
	if len(pending) == 0 {
		f.SaveBuilt(reg, report, f.asked)
		f.job = nil
		return nil
	}
	f.logPins(report.Pins)
	c.Asking = &Asking{Servers: pending, More: func(ctx context.Context, servers []string, open bool) (*Catalog, error) {
		var until time.Time
		switch {
		case open && j.first: // there is nothing else that might answer
			until = time.Now().Add(noLimit)
		case open:
			until = j.began.Add(openPatience)
		}
		return f.await(ctx, servers, until)
	}}
	return nil
}
