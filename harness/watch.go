package harness

import (
	"context"
	"time"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/build"
	"github.com/usetools/usetools/registry/config"
)

// Watch keeps the catalog true until ctx ends: it asks all servers, and again
// when a config changes, when a server says that it has other tools, and every
// poll (0: every 5 minutes, negative: never). updated gets each new catalog,
// never two at a time; the connections of the one before are closed when it
// returns. A config that cannot be read is an err with the old catalog (nil
// where there was none). Each new registry is saved.
//
// Without a config there is nothing to watch: Watch waits for ctx.
func (f *Files) Watch(ctx context.Context, poll time.Duration, updated func(c *Catalog, err error)) error {
	paths := f.configs()
	if len(paths) == 0 {
		<-ctx.Done()
		return ctx.Err()
	}
	f.mu.Lock()
	var previous *registry.Registry
	if f.catalog != nil {
		previous = f.catalog.Registry
	}
	f.mu.Unlock()
	// Vectors are made before it is known whether the config has changed, with
	// the embedder that it named at the start; another one is news for the
	// next start.
	cfg, err := config.Load(paths...)
	if err != nil {
		return &CatalogError{err}
	}
	settings, search, err := searching(cfg)
	if err != nil {
		return &CatalogError{err}
	}
	var last *Catalog
	return build.Watch(ctx, paths, &build.WatchOptions{
		Build: build.Options{Previous: previous, Embed: f.embed(search)}, File: f.Path(), Poll: poll,
	}, func(u build.Update) {
		if u.Err != nil {
			updated(last, u.Err)
			return
		}
		if s, o, err := searching(u.Config); err == nil {
			o.Embedder = search.Embedder
			settings, search = s, o
		} else {
			f.log("%v; what it says about search stays as it was", err)
		}
		last = f.over(u.Registry, u.Config, settings, search)
		last.Calls = u.Pool
		if u.Report.OK() > 0 {
			f.save(u.Registry, f.Path())
		}
		updated(last, nil)
		f.replace(last)
	})
}

// replace makes c the catalog of f, and closes the connections that f made
// itself: those of c are the watch's.
func (f *Files) replace(c *Catalog) {
	f.mu.Lock()
	pool := f.pool
	f.catalog, f.pool = c, nil
	f.mu.Unlock()
	if pool != nil {
		pool.Close()
	}
}

// searching is what a config says about finding tools.
func searching(cfg *config.Config) (*discovery.Settings, *discovery.Options, error) {
	settings, err := SearchSettings(cfg)
	if err != nil {
		return nil, nil, err
	}
	opts, err := settings.Options()
	return settings, opts, err
}
