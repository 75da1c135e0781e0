package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/dial"
	"github.com/usetools/usetools/registry/build"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/text"
)

// openPatience is how long after the start of a build a phrase that may mean any server
// waits for the servers that have not answered.
const openPatience = 3 * time.Second

// noLimit is a waiting time without a limit; the context can still end it.
const noLimit = 365 * 24 * time.Hour

// Asking lists the servers whose answers a catalog waits for.
type Asking struct {
	// Servers are the names of the servers that have not answered. The catalog has
	// their tools of an earlier build, marked stale.
	Servers []string
	// More waits for the answers of servers and returns the catalog with them.
	// With open it waits a moment for all other servers too, because a phrase
	// may mean one of their tools.
	More func(ctx context.Context, servers []string, open bool) (*Catalog, error)
}

// Early returns a catalog without waiting for servers. If the registry has to be built,
// Catalog.Asking lists the servers that have not answered, and a script waits only for
// the ones that it needs.
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
	f.logWarnings()
	return f.catalog, nil
}

// job is a build under way.
type job struct {
	*build.Job
	config *config.Config
	began  time.Time
	first  bool // there is no earlier registry
	once   sync.Once
	keep   []string // servers whose connections stay open; set by ask
}

// ask begins to ask the servers. Unless all are wanted at once, the needed ones come first. A
// second call does nothing.
func (j *job) ask(ctx context.Context, needed []string, all bool) {
	j.once.Do(func() {
		j.keep = needed
		if all {
			needed = nil
		}
		j.Ask(context.WithoutCancel(ctx), needed...)
	})
}

// begin prepares a job for the servers that have no answer in the previous registry, which
// may be nil. With Keep it asks them at once, and waits if there is no previous registry.
func (f *Files) begin(ctx context.Context, cfg *config.Config, previous *registry.Registry) error {
	j, pool := &job{config: cfg, began: time.Now(), first: previous == nil}, f.pool
	j.Job = build.Prepare(cfg, &build.Options{Previous: previous, Changed: true, Progress: f.Progress,
		Embed: f.embed(f.search), Pins: f.pins(), Dial: build.Lend(pool, func(server string) {
			if !f.Keep && !slices.Contains(j.keep, server) {
				pool.Rest(server)
			}
		})})
	f.job, f.asked = j, j.Asked()
	if f.Keep {
		j.ask(ctx, nil, true)
	}
	if f.Keep && j.first {
		if err := j.Wait(ctx); err != nil {
			return err
		}
	}
	return f.take(ctx)
}

// await waits for the answers of servers, and until a time for those of all others. It
// returns a catalog with the answers so far.
func (f *Files) await(ctx context.Context, servers []string, until time.Time) (*Catalog, error) {
	f.mu.Lock()
	j := f.job
	if j == nil {
		defer f.mu.Unlock()
		return f.catalog, nil
	}
	f.pool.Hurry(servers...)
	j.ask(ctx, servers, !until.IsZero())
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

// take makes a catalog of the answers so far and makes it the current one. When all servers
// have answered, it saves the registry. The caller holds the lock.
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
		case open && j.first: // no tool of another server can answer the phrase
			until = time.Now().Add(noLimit)
		case open:
			until = j.began.Add(openPatience)
		}
		return f.await(ctx, servers, until)
	}}
	return nil
}

// Renew begins to ask all servers of a config for their tools, each once. Save the
// registry of the job with SaveBuilt.
func (f *Files) Renew(ctx context.Context, cfg *config.Config) *build.Job {
	_, search, err := searching(cfg)
	if err != nil { // the embedded model makes the vectors
		search = &discovery.Options{}
	}
	previous, _ := registry.Load(f.built())
	return build.Start(ctx, cfg, &build.Options{Previous: previous, Once: true, Progress: f.Progress, Embed: f.embed(search),
		Pins: f.pins()})
}

// connections returns a pool over the servers of a config. It connects to a server when it
// is first needed. known may be nil.
func (f *Files) connections(cfg *config.Config, known *registry.Registry) *backend.Pool {
	o := &dial.Options{Known: known, Asks: f.Asks}
	if f.Keep {
		o.ToolsChanged = func(server string) { f.Ask(server) }
	}
	return dial.New(o).Pool(cfg)
}

// askAgain is how long a server that failed when the registry was built may take to start, and then
// to list its tools, when a script needs one of them. Each server has its own time, so that one
// that hangs does not delay the others.
const askAgain = 10 * time.Second

// Again waits for the servers that have not answered, and asks the servers again that failed when
// the registry was built and have no tools, because their reason may be gone. It reports whether it
// waited for or asked any. Then Early and Catalog return a new catalog, with their tools or their
// new errors. Call it before you report an unknown tool.
func (f *Files) Again(ctx context.Context) bool {
	f.mu.Lock()
	waited := f.job != nil
	f.mu.Unlock()
	if waited {
		if _, err := f.await(ctx, nil, time.Now().Add(askAgain)); err != nil {
			return false
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.askFailed(ctx) || waited
}

// askFailed asks the servers again that failed and have no tools. It reports whether there
// are any. The caller holds the lock.
func (f *Files) askFailed(ctx context.Context) bool {
	if f.catalog == nil || f.pool == nil || f.follows() {
		return false
	}
	old := f.catalog.Registry
	again := *f.config
	again.Servers = slices.Clone(again.Servers)
	ask := map[string]bool{}
	for i := range again.Servers {
		s := &again.Servers[i]
		if was, ok := old.Server(s.Name); ok && was.Error != nil && was.Tools == 0 && !slices.Contains(f.asked, s.Name) {
			ask[s.Name] = true
			if s.StartTimeout == config.DefaultStartTimeout { // not set by its entry
				s.StartTimeout = askAgain
			}
		}
	}
	if len(ask) == 0 {
		return false
	}
	f.log("asking again the servers that failed when %s was built", f.Path())
	was := f.pool
	f.pool = f.connections(&again, old)
	f.pool.Adopt(was, func(name string) bool { return !ask[name] })
	was.Close()
	reg, report, err := build.Build(ctx, &again, &build.Options{
		Previous: old, Only: ask, Once: true, Embed: f.embed(f.search), Pins: f.pins(), Progress: f.Progress,
		Dial: build.Lend(f.pool, nil),
	})
	if err != nil {
		return false
	}
	names := slices.Sorted(maps.Keys(ask))
	f.SaveBuilt(reg, report, names)
	f.asked = append(f.asked, names...)
	f.renew(reg, f.config, f.pool)
	return true
}

// load returns the registry of a config from its file. If it has to be built, load returns
// the previous one, which may be nil. Its vectors are those of the configured embedder. If
// the embedder cannot be reached, load removes it from f.search, and the embedded model
// answers alone.
func (f *Files) load(ctx context.Context, cfg *config.Config) (reg, previous *registry.Registry, err error) {
	path := f.Path()
	switch {
	case f.follows():
		reg, err = f.Follow.load()
		return reg, nil, err
	case len(cfg.Files) == 0:
		reg, err = registry.Load(path)
		return reg, nil, err
	}
	if err := Replaceable(path, cfg.Files); err != nil {
		return nil, nil, err
	}
	old, err := registry.Load(path)
	switch {
	case err == nil && old.Config == cfg.Digest() && discovery.Embedded(old, f.search.Embedder):
		return old, nil, nil
	case err == nil && old.Config == cfg.Digest():
		f.log("another embedder is configured: recomputing the vectors of %s", path)
		if err := f.embed(f.search)(ctx, old); err != nil {
			return nil, nil, err
		}
		f.save(old, path)
		return old, nil, nil
	case err == nil && old.Config == "":
		f.log("%s is not complete: asking the other servers", path)
	case err == nil:
		more := ""
		if len(f.Configs) > 0 && f.Registry == "" &&
			!slices.ContainsFunc(config.DefaultFiles,
				func(d string) bool { return filepath.Base(d) == filepath.Base(f.Configs[0]) }) {
			more = " (configs of one folder share it; -registry FILE gives this one its own)"
		}
		f.log("the servers in the config changed: rebuilding %s%s", path, more)
	case errors.Is(err, fs.ErrNotExist):
		f.log("building %s", path)
	default:
		f.log("%v; rebuilding it", err)
	}
	return nil, old, nil
}

// SaveBuilt saves the registry of a build, unless no server answered. It logs the failed
// servers among asked.
func (f *Files) SaveBuilt(reg *registry.Registry, report *build.Report, asked []string) {
	f.logPins(report.Pins)
	for _, s := range report.Servers {
		if s.Err != nil && slices.Contains(asked, s.Name) {
			why, _, more := strings.Cut(OfServer(s.Name, s.Err.Error()), "\n")
			if more {
				why += " …"
			}
			f.log("%s failed after %v: %s", s.Name, s.Time.Round(time.Millisecond), why)
		}
	}
	if report.OK() == 0 && len(report.Servers) > 0 {
		// The next command tries again, and an older registry is still useful.
		f.log("no server answered: %s was not written", f.built())
		return
	}
	f.save(reg, f.built())
}

// pins returns the path of the pins file.
func (f *Files) pins() string { return registry.PinsPath(f.AllConfigs(), f.built()) }

// hold holds the tools of a loaded registry that differ from their pins.
func (f *Files) hold(reg *registry.Registry, cfg *config.Config) {
	if f.follows() || len(cfg.Files) == 0 { // the process that builds it holds them
		return
	}
	defer registry.LockPins()()
	path, pinned := f.pins(), build.Pinned(cfg.Servers)
	pins := registry.LoadPins(path)
	pins.Hold(reg, reg, pinned, func(string) bool { return false })
	f.logPins(cmp.Or(pins.Err, pins.Save(path)))
}

func (f *Files) logPins(err error) {
	if err != nil {
		f.log("%v", err)
	}
}

// embed returns a function that makes the vectors of a registry with the configured
// embedder. If the embedder fails, the function removes it from search and uses the embedded
// model.
func (f *Files) embed(search *discovery.Options) func(context.Context, *registry.Registry) error {
	return func(ctx context.Context, reg *registry.Registry) error {
		if search.Embedder != nil && !discovery.Embedded(reg, search.Embedder) {
			if err := discovery.EmbedWith(search.Embedder)(ctx, reg); err == nil || ctx.Err() != nil {
				return err
			} else {
				f.log("%v; the embedded model answers alone", err)
				search.Embedder = nil
			}
		}
		return discovery.EmbedWith(search.Embedder)(ctx, reg)
	}
}

func (f *Files) save(reg *registry.Registry, path string) {
	err := Replaceable(path, f.AllConfigs())
	if err == nil {
		err = reg.Save(path)
	}
	if err != nil {
		f.log("%v; continuing without the file", err)
	}
}

// Replaceable returns an error if a registry must not replace a file, because the file is
// one of the configs or has other content than a registry.
func Replaceable(path string, configs []string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	for _, c := range configs {
		if other, err := filepath.Abs(c); err == nil && other == abs {
			return fmt.Errorf("registry %q: this file is a config; name another file", path)
		}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil // a new file
	}
	defer file.Close()
	head := make([]byte, 64)
	n, err := io.ReadFull(file, head)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return fmt.Errorf("registry %q: %w", path, err)
	}
	squeezed := strings.Join(strings.Fields(string(head[:n])), "")
	if n > 0 && !strings.HasPrefix(squeezed, `{"version":`) {
		return fmt.Errorf("registry %q: the file exists but is not a registry; name another file, or remove it", path)
	}
	return nil
}

// restTime is how long the vectors of an unfinished build may take when it is saved.
const restTime = 10 * time.Second

// saveRest saves the answers of a build that was stopped.
func (f *Files) saveRest(job *build.Job) {
	pending := job.Pending()
	if len(pending) > 0 {
		f.log("no answer yet from %s; the next run asks again, and build-registry waits", text.List(pending, 5))
	}
	if len(pending) == len(f.asked) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), restTime)
	defer cancel()
	if reg, report, err := job.Registry(ctx); err == nil && report.OK() > 0 {
		f.save(reg, f.built())
	}
}

// endJob ends a build under way. The caller holds the lock.
func (f *Files) endJob() {
	if f.job != nil {
		f.job.Close()
		f.job = nil
	}
}
