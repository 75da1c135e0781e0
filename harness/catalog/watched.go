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

// Watch keeps the catalog up to date until ctx ends. It asks all servers, and asks them again when
// a config changes, when a server announces that its tools have changed, and every poll. If poll is
// zero, it is 5 minutes; if negative, Watch does not poll. It calls updated with each new catalog,
// one call at a time, and closes the connections of the previous catalog when the call returns. If
// a config cannot be read, updated gets the error and the present catalog, which may be nil. Watch
// saves each new registry.
//
// With Follow, Watch asks no servers: it makes a new catalog for each new registry file, with the
// connections of the previous one. If the file comes later, Watch does both until then; from then
// on, catalogs have only the file's tools.
//
// Without a config, Watch waits for the end of ctx.
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
	if len(f.AllConfigs()) == 0 {
		<-ctx.Done()
		return ctx.Err()
	}
	// Vectors are made with the embedder of the config at the start. If the config
	// changes, another embedder takes effect at the next start.
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
	return build.Watch(ctx, f.AllConfigs(), o, func(u build.Update) {
		turn.Lock()
		defer turn.Unlock()
		c, err := f.update(u, search)
		updated(c, err)
		if err == nil {
			f.release(u.Pool)
		}
	})
}

// release closes the connections that Files made, unless the watch uses them.
func (f *Files) release(watched *backend.Pool) {
	f.mu.Lock()
	pool := f.pool
	f.pool = nil
	f.mu.Unlock()
	if pool != nil && pool != watched {
		pool.Close()
	}
}

// update makes a catalog of a rebuild and makes it the current one. For a failed rebuild it
// returns the present catalog and the error.
func (f *Files) update(u build.Update, search *discovery.Options) (*Catalog, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	reg := u.Registry
	switch {
	case u.Err != nil:
		return f.catalog, u.Err
	case f.follows():
		var err error
		if reg, err = f.Follow.load(); err != nil {
			return f.catalog, err
		}
	case u.Report.OK() > 0:
		f.save(reg, f.built())
	}
	f.logPins(u.Report.Pins)
	if settings, o, err := searching(u.Config); err == nil {
		o.Embedder = search.Embedder
		f.settings, f.search = settings, o
	} else {
		f.log("%v; the earlier search settings stay in use", err)
	}
	c := f.renew(reg, u.Config, u.Pool)
	f.logWarnings()
	f.endJob() // the watch has asked all servers
	return c, nil
}

// watching is a watch under way.
type watching struct {
	ask   func(server string) // an empty name means all servers
	every time.Duration       // between requests to all servers; if negative, it does not poll
}

// Ask makes the watch ask a server for its tools again, even if the server failed a moment
// ago. An empty name means all servers. It returns false without a watch.
func (f *Files) Ask(server string) bool {
	w := f.watches.Load()
	if w == nil {
		return false
	}
	w.ask(server)
	return true
}

// Watched returns the interval at which the watch asks all servers. It is negative if the watch
// does not poll. ok is false without a watch.
func (f *Files) Watched() (every time.Duration, ok bool) {
	if w := f.watches.Load(); w != nil {
		return w.every, true
	}
	return 0, false
}
