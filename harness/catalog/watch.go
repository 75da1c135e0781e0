package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"sync"
	"time"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/registry"
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
// With Follow servers are not asked: there is a new catalog for each new registry file,
// with the connections of the previous one.
//
// With Later both, until there is a registry to follow: then catalogs have its tools, and
// what servers say of theirs does not count any more.
//
// Without a config there is nothing to watch: Watch waits for ctx.
func (f *Files) Watch(ctx context.Context, poll time.Duration, updated func(c *Catalog, err error)) error {
	if f.Follow != nil {
		return f.Follow(ctx, func() { updated(f.reread(ctx)) })
	}
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
	if err == nil {
		err = checkRules(cfg)
	}
	if err != nil {
		return &Error{err}
	}
	settings, search, err := searching(cfg)
	if err != nil {
		return &Error{err}
	}
	var last *Catalog
	var turn sync.Mutex // of updates
	if f.Later != nil {
		following, end := context.WithCancel(ctx)
		var later sync.WaitGroup
		defer later.Wait()
		defer end()
		later.Go(func() {
			f.Later.Follow(following, func() {
				turn.Lock()
				defer turn.Unlock()
				var err error
				if last, err = f.take(ctx); err != nil {
					f.log("%v", err)
				}
				updated(last, err)
			})
		})
	}
	defer f.watches.Store(nil)
	open := func(changed func(server string)) (*backend.Pool, *config.Config) {
		f.watches.Store(&watching{changed, cmp.Or(poll, build.DefaultPoll)})
		return f.open(changed)
	}
	return build.Watch(ctx, paths, &build.WatchOptions{
		Build: build.Options{Previous: previous, Embed: f.embed(search), Pins: f.pins()}, Poll: poll, Open: open,
		Check: checkRules, Asks: f.Asks,
	}, func(u build.Update) {
		turn.Lock()
		defer turn.Unlock()
		if u.Err != nil {
			updated(last, u.Err)
			return
		}
		f.lastRead.Store(newLastConfig(u.Config))
		f.logPins(u.Report.Pins)
		if s, o, err := searching(u.Config); err == nil {
			o.Embedder = search.Embedder
			settings, search = s, o
		} else {
			f.log("%v; what it says about search stays as it was", err)
		}
		reg, by := u.Registry, search
		if f.followed.Load() {
			f.mu.Lock()
			reg = f.catalog.Registry
			f.mu.Unlock()
			by = f.embedded(reg, search)
		} else if u.Report.OK() > 0 {
			f.save(reg, f.built())
		}
		if last = f.unchanged(reg, u.Config); last == nil {
			last = f.over(reg, u.Config, settings, by)
		}
		f.mu.Lock()
		last.Calls = u.Pool
		f.mu.Unlock()
		updated(last, nil)
		f.replace(last, u.Config, u.Pool)
	})
}

// given loads a registry that others build, for Follow and Later.
func (f *Files) given(path string, search *discovery.Options) (reg, previous *registry.Registry, err error) {
	reg, err = registry.Load(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("there is no registry yet: nobody has published one (%w)", err)
	}
	if err == nil {
		*search = *f.embedded(reg, search)
	}
	return reg, nil, err
}

// embedded are the options for a registry that others build.
func (f *Files) embedded(reg *registry.Registry, search *discovery.Options) *discovery.Options {
	o := *search
	if o.Embedder != nil && !discovery.Embedded(reg, o.Embedder) {
		f.log("%s has not the vectors of the configured embedder; the embedded model answers alone", f.Path())
		o.Embedder = nil
	}
	return &o
}

// reread is the catalog of a registry file that others have replaced.
func (f *Files) reread(ctx context.Context) (*Catalog, error) {
	f.mu.Lock()
	if f.catalog == nil {
		f.mu.Unlock()
		return f.Early(ctx)
	}
	defer f.mu.Unlock()
	search := *cmp.Or(f.catalog.Search, &discovery.Options{})
	reg, _, err := f.given(f.Path(), &search)
	if err != nil {
		return f.catalog, err
	}
	c := f.renewed(reg)
	c.Search, c.Calls = &search, f.catalog.Calls
	if c.Shapes != nil {
		c.Shapes = f.shapes()
	}
	f.catalog = c
	return c, nil
}

// take is the catalog of the registry of Later, with the connections that there are. A
// build under way ends.
func (f *Files) take(ctx context.Context) (*Catalog, error) {
	if f.followed.Load() {
		return f.reread(ctx)
	}
	f.mu.Lock()
	old, job := f.catalog, f.job
	if old == nil {
		f.followed.Store(true)
		f.mu.Unlock()
		return f.Early(ctx)
	}
	c, err := f.instead(old)
	if err == nil && job != nil {
		f.endJob()
	}
	f.mu.Unlock()
	if err == nil && job != nil {
		job.Close() // its ends need f.mu
	}
	return c, err
}

// instead takes the registry of Later in the place of one that was built here. The caller
// holds the lock.
func (f *Files) instead(old *Catalog) (*Catalog, error) {
	settings, search, err := searching(f.config)
	if err != nil {
		return old, err
	}
	reg, _, err := f.given(f.Later.Path, search)
	if err != nil {
		return old, err
	}
	f.followed.Store(true)
	f.log("the registry that others build is there: %s is not used any more", f.built())
	c := f.over(reg, f.config, settings, search)
	c.Calls = old.Calls
	f.catalog = c
	return c, nil
}

// unchanged is the catalog as it is, to be given other connections, where a
// rebuild and its config say what is known already: most do, and then nothing
// is indexed again. It is nil where they do not.
func (f *Files) unchanged(reg *registry.Registry, cfg *config.Config) *Catalog {
	f.mu.Lock()
	old, of := f.catalog, f.config
	f.mu.Unlock()
	if old == nil || !reflect.DeepEqual(of.UseTools, cfg.UseTools) || !sameRules(of, cfg) ||
		!old.Registry.Same(reg) || old.Load() != nil {
		return nil
	}
	c := &Catalog{Registry: old.Registry, Search: old.Search, Servers: cfg.Servers, Rules: old.Rules,
		Rights: old.Rights, Memory: old.Memory, Shapes: old.Shapes, Scripts: old.Scripts, Usage: old.Usage}
	c.once.Do(func() { c.index, c.schemas = old.index, old.schemas })
	return c
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

// open lends a watch the connections that there are; changed is called with
// servers that say that their tools have changed.
func (f *Files) open(changed func(server string)) (*backend.Pool, *config.Config) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.Keep || f.pool == nil {
		return nil, nil
	}
	f.toolsChanged.Store(&changed)
	return f.pool, f.config
}

// replace makes c the catalog of f, and closes the connections that f made
// itself and that are not its own: these are the watch's.
func (f *Files) replace(c *Catalog, cfg *config.Config, its *backend.Pool) {
	f.mu.Lock()
	pool, job := f.pool, f.job
	f.catalog, f.config, f.pool = c, cfg, nil
	if job != nil { // the watch has asked all servers
		f.endJob()
	}
	f.mu.Unlock()
	if job != nil {
		job.Close()
	}
	if pool != nil && its != pool {
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
