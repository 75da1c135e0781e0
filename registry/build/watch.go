package build

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/dial"
	"github.com/usetools/usetools/registry/config"
)

const (
	// DefaultSettle is how long a watcher waits for further events before it rebuilds, because
	// editors write a file in several steps and servers announce their tools one by one.
	DefaultSettle = 300 * time.Millisecond
	// DefaultPoll is how often a watcher asks all servers without an event, because many change
	// their tools silently, or recover from a failure.
	DefaultPoll = 5 * time.Minute
)

// WatchOptions configure a watch.
type WatchOptions struct {
	// Build configures the builds. Its Dial and Only are not used. Definitions accepted in its
	// pins file take effect immediately.
	Build Options
	// Settle is the time to wait for further events. If zero, it is DefaultSettle. A rebuild
	// begins at most ten times Settle after the first event.
	Settle time.Duration
	// Poll is the interval of asking all servers. If zero, it is DefaultPoll. If negative, polling
	// is off.
	Poll time.Duration
	// Open returns existing connections and their config, which the watch takes over. It must
	// call changed with each server that reports a changed list of tools. If Open is nil or
	// returns nil, the watch opens all connections itself.
	Open func(changed func(server string)) (*backend.Pool, *config.Config)
	// Check returns an error for a config that must not be used, which then counts as unreadable.
	// If nil, every config is accepted.
	Check func(*config.Config) error
	// Asks is dial.Options.Asks for the connections of updates.
	Asks bool
}

// Update is the result of one rebuild.
type Update struct {
	// Why describes the cause of the rebuild.
	Why      string
	Config   *config.Config
	Registry *registry.Registry
	Report   *Report
	// Previous is the registry before. It is nil the first time.
	Previous *registry.Registry
	// Pool has the connections, for calls. If an update has another pool, the previous one is
	// closed as soon as the call of updated returns.
	Pool *backend.Pool
	// Err is the reason for a failed rebuild, such as an unreadable config. All other fields except
	// Why are then unchanged.
	Err error
}

// Watch builds a registry, and rebuilds it until ctx ends: when a file of the config changes,
// when a server reports that its tools have changed (it asks only that server then), and every
// WatchOptions.Poll. Several events within WatchOptions.Settle cause one rebuild. It calls
// updated after each build that changed anything, one call at a time, with a registry that Watch
// does not change afterwards.
//
// The connections to servers stay open, because servers announce changes over them. The error is
// that of ctx, or of a failed first build.
func Watch(ctx context.Context, paths []string, opts *WatchOptions, updated func(Update)) error {
	w := &watcher{paths: paths, updated: updated, wake: make(chan struct{}, 1)}
	if opts != nil {
		w.opts = *opts
	}
	if w.opts.Settle <= 0 {
		w.opts.Settle = DefaultSettle
	}
	if w.opts.Poll == 0 {
		w.opts.Poll = DefaultPoll
	}
	w.state.Previous = w.opts.Build.Previous
	if w.opts.Open != nil {
		w.state.Pool, w.state.Config = w.opts.Open(w.toolsChanged)
	}
	defer w.close()
	if fs, err := fsnotify.NewWatcher(); err == nil { // otherwise only polling works
		w.fs = fs
		defer fs.Close()
		go w.follow()
	}
	if err := w.rebuild(ctx, news{all: true, why: []string{"start"}}); err != nil {
		return err
	}
	var poll <-chan time.Time
	if w.opts.Poll > 0 {
		t := time.NewTicker(w.opts.Poll)
		defer t.Stop()
		poll = t.C
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-poll:
			w.tell(news{all: true, why: []string{"poll"}})
		case <-w.wake:
			w.settle(ctx)
			w.rebuild(ctx, w.take()) // a failure was reported, and the next event tries again
		}
	}
}

// watcher is a running watch. Its loop is one goroutine; events come from several.
type watcher struct {
	paths   []string
	opts    WatchOptions
	updated func(Update)
	fs      *fsnotify.Watcher // nil if it is not available
	state   Update            // the last one
	sum     [sha256.Size]byte // of its registry

	wake chan struct{} // has a token if news has changed
	mu   sync.Mutex
	news news
	last time.Time // of the last tell

	filesMu  sync.Mutex
	pinsFile string          // absolute; "" without pins
	files    map[string]bool // absolute paths of files that cause a rebuild
	dirs     map[string]bool // watched folders
}

// news has the changes that cause a rebuild.
type news struct {
	all      bool // anything may have changed
	config   bool // the config has changed
	accepted bool // the pins have changed
	servers  []string
	why      []string // descriptions
}

// tell adds a reason to rebuild, and wakes the loop.
func (w *watcher) tell(n news) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.news.all, w.news.config = w.news.all || n.all, w.news.config || n.config
	w.news.accepted = w.news.accepted || n.accepted
	w.news.servers = append(w.news.servers, n.servers...)
	if !slices.Contains(w.news.why, n.why[0]) {
		w.news.why = append(w.news.why, n.why...)
	}
	w.last = time.Now()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// settle waits until no more changes arrive, for at most ten times the Settle option.
func (w *watcher) settle(ctx context.Context) {
	end := time.Now().Add(10 * w.opts.Settle)
	for {
		w.mu.Lock()
		next := w.last.Add(w.opts.Settle)
		w.mu.Unlock()
		if next.After(end) {
			next = end
		}
		wait := time.Until(next)
		if wait <= 0 {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// take returns the reasons to rebuild since the last take.
func (w *watcher) take() news {
	w.mu.Lock()
	defer w.mu.Unlock()
	select { // the reasons include those that arrived while it settled
	case <-w.wake:
	default:
	}
	n := w.news
	w.news = news{}
	return n
}

// rebuild asks the servers in n, those that failed and those with a changed definition, and
// passes the registry on if anything changed.
func (w *watcher) rebuild(ctx context.Context, n news) error {
	first := w.state.Registry == nil
	ask, why := map[string]bool{}, strings.Join(n.why, ", ")
	for _, name := range n.servers {
		ask[name] = true
	}
	if n.accepted {
		for i := range w.state.Config.Servers { // to compare their tools with the new pins
			if s := &w.state.Config.Servers[i]; s.Pin {
				ask[s.Name] = true
			}
		}
	}
	next := Update{Why: why, Config: w.state.Config, Pool: w.state.Pool}
	if n.config || n.all {
		c, err := config.Load(w.paths...)
		if err == nil && w.opts.Check != nil {
			err = w.opts.Check(c)
		}
		if err != nil {
			return w.fail(ctx, why, err)
		}
		w.watchFiles(c)
		if w.state.Config == nil || !config.Same(c, w.state.Config) {
			next.Config, next.Pool = c, w.pool(c)
			unchanged := func(name string) bool {
				s, _ := c.Server(name)
				was, ok := w.state.Config.Server(name)
				return ok && config.SameServer(s, was)
			}
			if w.state.Pool != nil {
				next.Pool.Adopt(w.state.Pool, unchanged)
			}
			for _, s := range c.Servers {
				ask[s.Name] = ask[s.Name] || w.state.Config == nil || !unchanged(s.Name)
			}
		} else if !reflect.DeepEqual(c.UseTools, w.state.Config.UseTools) {
			next.Config = c
		}
	}
	for _, s := range next.Config.Servers {
		if n.all || ask[s.Name] { // ask it now, however recently it failed
			next.Pool.Forgive(s.Name)
		}
	}
	o := w.opts.Build
	o.Once = !first
	o.Previous = w.state.Registry
	if first {
		o.Previous = w.opts.Build.Previous
	}
	if !n.all && !first {
		o.Only = ask
		for _, s := range o.Previous.Servers {
			if s.Error != nil {
				o.Only[s.Name] = true
			}
		}
	}
	o.Dial = Lend(next.Pool, nil)
	r, report, err := Build(ctx, next.Config, &o)
	if err != nil {
		if next.Pool != w.state.Pool {
			next.Pool.Close()
		}
		return w.fail(ctx, why, err)
	}
	next.Registry, next.Report, next.Previous = r, report, o.Previous
	w.pass(next, first)
	return nil
}

// pass makes an update the current state. It calls updated if the state changed.
func (w *watcher) pass(next Update, first bool) {
	old, oldSum := w.state, w.sum
	w.state, w.sum = next, sum(next.Registry)
	if !first && old.Config == next.Config && old.Pool == next.Pool && oldSum == w.sum {
		return
	}
	w.updated(next)
	if old.Pool != nil && old.Pool != next.Pool {
		old.Pool.Close()
	}
}

func (w *watcher) fail(ctx context.Context, why string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	failed := w.state
	failed.Why, failed.Err = why, err
	w.updated(failed)
	return err
}

// sum returns the hash of the registry's file.
func sum(r *registry.Registry) [sha256.Size]byte {
	data, err := r.Encode()
	if err != nil { // treat it as changed
		return sha256.Sum256([]byte(time.Now().String()))
	}
	return sha256.Sum256(data)
}

// pool returns a pool over a config that wakes the watcher when a server reports changes.
func (w *watcher) pool(c *config.Config) *backend.Pool {
	return dial.New(&dial.Options{Known: w.state.Registry, ToolsChanged: w.toolsChanged, Asks: w.opts.Asks}).Pool(c)
}

// toolsChanged makes the watcher ask a server again, or all servers if the name is empty.
func (w *watcher) toolsChanged(server string) {
	w.tell(news{all: server == "", servers: []string{server}, why: []string{fmt.Sprintf("server %q changed its tools", server)}})
}

// watchFiles watches the folders of all files of a config, because replacing a file makes it a
// different file, but not its folder.
func (w *watcher) watchFiles(c *config.Config) {
	files := map[string]bool{}
	for _, f := range c.Files {
		files[f] = true
	}
	for _, s := range c.Servers {
		for _, f := range []string{s.Path, s.EnvFile} {
			if f != "" {
				files[filepath.Clean(f)] = true
			}
		}
	}
	w.filesMu.Lock()
	defer w.filesMu.Unlock()
	if f, err := filepath.Abs(w.opts.Build.Pins); err == nil && w.opts.Build.Pins != "" {
		files[f] = true
		w.pinsFile = f
	}
	w.files = files
	if w.fs == nil {
		return
	}
	dirs := map[string]bool{}
	for f := range files {
		dirs[filepath.Dir(f)] = true
	}
	for d := range dirs {
		if !w.dirs[d] && w.fs.Add(d) != nil {
			delete(dirs, d) // it does not exist; polling has to suffice
		}
	}
	for d := range maps.Keys(w.dirs) {
		if !dirs[d] {
			w.fs.Remove(d)
		}
	}
	w.dirs = dirs
}

// follow reports changes of watched files by tell.
func (w *watcher) follow() {
	for {
		select {
		case e, ok := <-w.fs.Events:
			if !ok {
				return
			}
			w.filesMu.Lock()
			name := filepath.Clean(e.Name)
			ours, accepted := w.files[name], name == w.pinsFile
			w.filesMu.Unlock()
			switch {
			case !ours || e.Op == fsnotify.Chmod:
			case accepted:
				w.tell(news{accepted: true, why: []string{registry.PinsFile + " changed"}})
			default:
				w.tell(news{config: true, why: []string{filepath.Base(name) + " changed"}})
			}
		case _, ok := <-w.fs.Errors: // an overflow: look at everything
			if !ok {
				return
			}
			w.tell(news{all: true, why: []string{"files changed"}})
		}
	}
}

// close closes the connections. It closes those from Open only if they were passed on.
func (w *watcher) close() {
	if w.state.Pool != nil && w.state.Registry != nil {
		w.state.Pool.Close()
	}
}
