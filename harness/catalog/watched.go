package catalog

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/build"
	"github.com/usetools/usetools/registry/config"
)

// Watch keeps the catalog up to date until ctx ends: it asks all servers, and
// again when a config changes, when a server says that its tools have changed,
// and every poll (0: every 5 minutes, negative: never). updated is called with
// each new catalog, one call at a time; the connections of the previous one are
// closed when it returns. For a config that cannot be read it gets an error and
// the old catalog (nil where there was none). Each new registry is saved.
//
// With Follow it asks no servers: there is a new catalog for each new registry file, with the
// connections of the previous one. If the file comes later, Watch does both until then. Then
// catalogs have its tools, and the servers' own answers do not count any more.
//
// Without a config there is nothing to watch: Watch waits for ctx.
func (f *Files) Watch(ctx context.Context, poll time.Duration, updated func(c *Catalog, err error)) error {
	var turn sync.Mutex // of updates
	follow := func(ctx context.Context) error {
		return f.Follow.Watch(ctx, func() {
			turn.Lock()
			defer turn.Unlock()
			updated(f.follow(ctx))
		})
	}
	if f.Follow != nil && !f.Follow.Later {
		return follow(ctx)
	}
	if len(f.configs()) == 0 {
		<-ctx.Done()
		return ctx.Err()
	}
	// Vectors are made before it is known whether the config has changed, with
	// the embedder that it named at the start; another one is news for the
	// next start.
	cfg, err := f.parse()
	if err != nil {
		return err
	}
	settings, search, err := searching(cfg)
	if err != nil {
		return &Error{err}
	}
	if f.Follow != nil {
		following, end := context.WithCancel(ctx)
		var later sync.WaitGroup
		defer later.Wait()
		defer end()
		later.Go(func() { follow(following) })
	}
	o := &build.WatchOptions{Build: build.Options{Embed: f.embed(search), Pins: f.pins()}, Poll: poll, Check: checkRules,
		Asks: f.Asks}
	o.Open = func(changed func(server string)) (*backend.Pool, *config.Config) {
		f.watches.Store(&watching{changed, cmp.Or(poll, build.DefaultPoll)})
		f.mu.Lock()
		defer f.mu.Unlock()
		if !f.Keep || f.pool == nil {
			return nil, nil
		}
		return f.pool, f.config
	}
	f.mu.Lock()
	if f.catalog != nil {
		o.Build.Previous = f.catalog.Registry
	} else {
		f.settings, f.search = settings, search
	}
	f.mu.Unlock()
	defer f.watches.Store(nil)
	return build.Watch(ctx, f.configs(), o, func(u build.Update) {
		turn.Lock()
		defer turn.Unlock()
		c, old, err := f.update(u, search)
		updated(c, err)
		if old != nil && old != u.Pool {
			old.Close()
		}
	})
}

// update makes a catalog of a rebuild and makes it the current one. For a failed rebuild it
// returns the present catalog and the error. The caller closes the connections in old, which
// Files made, unless the rebuild has them.
func (f *Files) update(u build.Update, search *discovery.Options) (c *Catalog, old *backend.Pool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	reg := u.Registry
	switch {
	case u.Err != nil:
		return f.catalog, nil, u.Err
	case f.follows():
		if reg, err = f.Follow.load(); err != nil {
			return f.catalog, nil, err
		}
	case u.Report.OK() > 0:
		f.save(reg, f.built())
	}
	f.logPins(u.Report.Pins)
	if settings, o, err := searching(u.Config); err == nil {
		o.Embedder = search.Embedder
		f.settings, f.search = settings, o
	} else {
		f.log("%v; what it says about search stays as it was", err)
	}
	c = f.renew(reg, u.Config, u.Pool)
	f.logDoubts()
	f.endJob() // the watch has asked all servers
	old, f.pool = f.pool, nil
	return c, old, nil
}

// watching is a watch that is under way.
type watching struct {
	ask   func(server string) // "": all
	every time.Duration       // that it asks all; negative: never
}

// Ask has the watch that is under way ask a server for its tools again, also one that
// failed a moment ago; "": all servers. false: there is no watch.
func (f *Files) Ask(server string) bool {
	w := f.watches.Load()
	if w == nil {
		return false
	}
	w.ask(server)
	return true
}

// Watched returns how often the watch that is under way asks all servers, negative
// where it does not by itself; false: there is no watch.
func (f *Files) Watched() (every time.Duration, ok bool) {
	if w := f.watches.Load(); w != nil {
		return w.every, true
	}
	return 0, false
}
