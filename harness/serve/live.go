package serve

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/serve/guard"
	"github.com/usetools/usetools/registry"
)

const (
	// describeEvery is the minimum time between two notifications of changed descriptions.
	describeEvery = time.Minute
	// settleTime is how long, beyond their time limit, a replaced catalog's connections are kept
	// for the runs that began with it.
	settleTime = 2 * time.Second
	// watchAfter is how long after its start a server first queries its backends, because the first
	// scripts come first.
	watchAfter = time.Second
)

// live has the current catalog. A run keeps the one that it began with.
type live struct {
	s         *Server
	ready     chan struct{} // closed when the first load has ended
	described chan struct{} // closed when the descriptions have its tools

	mu    sync.Mutex
	cat   *catalog.Catalog
	err   error // the reason for a missing catalog
	users map[*catalog.Catalog]*sync.WaitGroup
	news  []func() // called when the catalog changes
}

func newLive(s *Server) *live {
	return &live{s: s, ready: make(chan struct{}), described: make(chan struct{}),
		users: map[*catalog.Catalog]*sync.WaitGroup{}}
}

// onChange makes l call f when the catalog changes.
func (l *live) onChange(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.news = append(l.news, f)
}

// run loads the catalog and watches it until the server ends.
func (l *live) run() {
	ctx := l.s.ctx
	l.load(ctx)
	close(l.ready)
	l.s.describe()
	close(l.described)
	if l.s.opts.Watch != nil {
		l.watch(ctx)
	}
}

func (l *live) load(ctx context.Context) {
	if l.s.opts.Catalog == nil {
		l.set(&catalog.Catalog{Registry: &registry.Registry{}}, nil)
		return
	}
	c, err := l.s.opts.Catalog(ctx)
	if err == nil {
		_, err = c.Index()
	}
	if err != nil {
		l.s.log.Error("the tools could not be loaded", "error", err)
	}
	l.set(c, err)
}

func (l *live) watch(ctx context.Context) {
	defer func() {
		if p := recover(); p != nil {
			l.s.metrics.Panicked("watching the servers, which has stopped", p)
		}
	}()
	first := true
	wait := watchAfter
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		err := l.s.opts.Watch(ctx, func(c *catalog.Catalog, err error) {
			l.updated(c, err)
			if first { // an old registry or a build took memory
				first = false
				time.AfterFunc(settleTime, debug.FreeOSMemory) // after the old catalog is gone
			}
		})
		if ctx.Err() != nil {
			return
		}
		l.s.log.Error("watching the servers", "error", err, "again_in", time.Minute)
		wait = time.Minute
	}
}

// updated replaces the catalog and waits, within bounds, until no run uses the old one. Its caller
// then closes the old connections.
func (l *live) updated(c *catalog.Catalog, err error) {
	if err == nil {
		_, err = c.Index()
	}
	if err != nil {
		l.s.log.Error("the new tools cannot be used; the old ones remain", "error", err)
		return
	}
	before := l.current()
	old := l.set(c, nil)
	for _, srv := range c.Registry.Servers {
		if srv.Error != nil {
			l.s.log.Warn("server is unavailable", "server", srv.Name, "error", *srv.Error)
		}
	}
	l.s.log.Info("tools", "tools", len(c.Registry.Tools), "servers", len(c.Registry.Servers))
	l.s.describeSoon()
	l.s.checkLoaded(c)
	if old == nil || before != nil && before.Calls == c.Calls { // same connections
		return
	}
	done := make(chan struct{})
	go func() { old.Wait(); close(done) }()
	select {
	case <-done:
	case <-l.s.ctx.Done():
	case <-time.After(l.s.opts.Limits.Timeout + settleTime):
	}
}

// set makes c the catalog, and returns the group of the runs that use the old one.
func (l *live) set(c *catalog.Catalog, err error) *sync.WaitGroup {
	l.mu.Lock()
	defer l.mu.Unlock()
	old := l.users[l.cat]
	if l.cat != nil && l.cat != c {
		delete(l.users, l.cat)
	}
	l.cat, l.err = c, err
	if err != nil {
		l.cat = nil
	} else if l.users[c] == nil {
		l.users[c] = &sync.WaitGroup{}
		time.AfterFunc(settleTime, guard.LimitMemory)
	}
	for _, f := range l.news {
		f()
	}
	return old
}

// current returns the current catalog, or nil.
func (l *live) current() *catalog.Catalog {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cat
}

// acquire returns the catalog for one run. Call release when the run has ended. If the catalog
// could not be loaded, acquire tries again.
func (l *live) acquire(ctx context.Context) (c *catalog.Catalog, release func(), err error) {
	select {
	case <-l.ready:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	l.mu.Lock()
	failed := l.cat == nil
	l.mu.Unlock()
	if failed {
		l.load(ctx)
		l.s.describe()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cat == nil {
		return nil, nil, errors.Join(errors.New("the tools could not be loaded"), l.err)
	}
	users := l.users[l.cat]
	users.Add(1)
	return l.cat, users.Done, nil
}

// Catalog returns the current catalog, for a runner in this process. Call release when its use has
// ended.
func (s *Server) Catalog(ctx context.Context) (cat *catalog.Catalog, release func(), err error) {
	return s.live.acquire(ctx)
}

// catalog returns the current catalog as the session's client sees it. Call release when its use
// has ended.
func (c *session) catalog(ctx context.Context) (cat *catalog.Catalog, release func(), err error) {
	cat, release, err = c.s.live.acquire(ctx)
	if err != nil {
		return nil, nil, err
	}
	return c.s.catalogFor(c.owner, cat), release, nil
}
