package harness

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/discovery/memory"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/dial"
	"github.com/usetools/usetools/registry/build"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/wrappers/observe"
)

// RegistryFile is the default name of a registry, beside the first config.
const RegistryFile = "tool_registry.json"

// Files is a catalog that comes from files: configs of servers and the
// registry built from them. It is read, and if need be built, when a script
// first needs a tool.
type Files struct {
	// Configs are config files; empty: the one that config.Search finds from
	// the current folder.
	Configs []string
	// Registry is the registry file; empty: RegistryFile beside the first
	// config.
	Registry string
	// Progress is told about a build as it goes; nil: nobody.
	Progress func(build.Event)
	// NoMemory neither uses nor notes what phrases led to, see
	// discovery/memory.
	NoMemory bool
	// NoObserve neither learns types from results nor uses those that were
	// learnt, see wrappers/observe.
	NoObserve bool
	// NoUsage records nothing of what scripts use, see package usage.
	NoUsage bool
	// Log receives one line when something is worth knowing: that a registry
	// is built, or why an old one could not be used. nil: nobody.
	Log func(string)

	searched  sync.Once
	foundHere config.Found // by searched

	mu      sync.Mutex
	catalog *Catalog
	config  *config.Config // of catalog
	pool    *backend.Pool
	built   bool // all that fail have been asked just now
}

// Catalog loads the registry, or builds and saves it where there is none, where
// it was made from other server definitions, or where it cannot be read.
func (f *Files) Catalog(ctx context.Context) (*Catalog, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.catalog != nil {
		return f.catalog, nil
	}
	cfg := &config.Config{}
	known := len(f.configs()) == 0 && f.Registry != "" // a registry alone, to look into
	if !known {
		var err error
		if err = f.tellFound(); err != nil {
			return nil, &CatalogError{err}
		}
		if cfg, err = config.Load(f.configs()...); err != nil {
			return nil, &CatalogError{err}
		}
	}
	settings, search, err := searching(cfg)
	if err != nil {
		return nil, &CatalogError{err}
	}
	var reg *registry.Registry
	if known {
		reg, err = registry.Load(f.Registry)
	} else {
		if reg, err = f.load(ctx, cfg, search); err == nil {
			f.hold(reg, cfg)
		}
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, err
	default:
		return nil, &CatalogError{err}
	}
	f.catalog, f.config = f.over(reg, cfg, settings, search), cfg
	if !known {
		f.dial()
	}
	return f.catalog, nil
}

// dial gives the catalog connections of its own, made when they are called for.
func (f *Files) dial() {
	f.pool = dial.New(&dial.Options{Known: f.catalog.Registry}).Pool(f.config)
	f.catalog.Calls = f.pool
}

// askAgain is how long a server that failed when the registry was built may take
// to start, and then to list its tools, when a script needs one of those. Each
// has it for itself: one that hangs keeps nobody from the others.
const askAgain = 10 * time.Second

// Again asks the servers that failed when the registry was built and have no
// tools. It reports whether it did: then Catalog is another one, which knows
// their tools, or why they fail now. What failed then may be mended, a variable
// set, a server started; whoever finds no tool asks again before saying so.
func (f *Files) Again(ctx context.Context) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.catalog == nil || f.pool == nil || f.built {
		return false
	}
	old := f.catalog.Registry
	down := func(name string) bool {
		s, ok := old.Server(name)
		return ok && s.Error != nil && s.Tools == 0
	}
	if !slices.ContainsFunc(old.Servers, func(s registry.Server) bool { return down(s.Name) }) {
		return false
	}
	settings, search, err := searching(f.config)
	if err != nil {
		return false
	}
	f.log("asking again the servers that failed when %s was built", f.Path())
	dialer := dial.New(&dial.Options{Known: old})
	reg, report, err := build.Build(ctx, f.config, &build.Options{
		Previous: old, Only: map[string]bool{}, Embed: f.embed(search), Pins: f.pins(),
		Dial: func(ctx context.Context, s config.Server) (backend.Backend, error) {
			if s.StartTimeout == config.DefaultStartTimeout { // else its entry says how long it needs
				s.StartTimeout = askAgain
			}
			return dialer.Open(ctx, s)
		},
		Progress: func(ev build.Event) {
			if f.Progress != nil && down(ev.Server) {
				f.Progress(ev)
			}
		},
	})
	if err != nil {
		return false
	}
	f.built = true
	f.logPins(report.Pins)
	if report.OK() > 0 {
		f.save(reg, f.Path())
	}
	f.pool.Close()
	f.catalog = f.over(reg, f.config, settings, search)
	f.dial()
	return true
}

// over is the catalog of a registry, which still has nobody to call.
func (f *Files) over(reg *registry.Registry, cfg *config.Config, settings *discovery.Settings, search *discovery.Options) *Catalog {
	c := &Catalog{Registry: reg, Search: search, Servers: cfg.Servers}
	if settings.Remembers() && !f.NoMemory {
		if path, err := memory.Path(f.Path()); err == nil { // without a cache folder there is no memory
			c.Memory = memory.New(path, reg)
		}
	}
	if f.observes(cfg) {
		c.Shapes = f.shapes()
	}
	c.Usage = f.usage(cfg)
	c.Scripts = f.Scripts()
	for _, doubt := range SettingsDoubts(cfg, settings, reg) {
		f.log("%s", doubt)
	}
	return c
}

// SettingsDoubts says what in the "usetools" of a config has no effect: keys
// that nobody knows, and servers that are not there. reg may be nil.
func SettingsDoubts(cfg *config.Config, settings *discovery.Settings, reg *registry.Registry) []string {
	var out []string
	known := append(config.SettingKeys(), "observe", "usage")
	t := reflect.TypeFor[discovery.Settings]()
	for i := range t.NumField() {
		key, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		known = append(known, key)
	}
	for _, value := range cfg.UseTools {
		var keys map[string]json.RawMessage
		if json.Unmarshal(value, &keys) != nil {
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if !slices.Contains(known, key) {
				out = append(out, fmt.Sprintf("usetools.%s in the config is not known and has no effect", key))
			}
		}
	}
	for i := range cfg.Servers {
		for _, note := range cfg.Servers[i].Notes {
			out = append(out, fmt.Sprintf("server %s: %s", cfg.Servers[i].Name, note))
		}
	}
	if reg != nil {
		for _, name := range settings.Unknown(reg) {
			out = append(out, fmt.Sprintf("usetools: there is no server %q, which aliases or prefer name", name))
		}
	}
	return out
}

// Scripts is the library of saved scripts, nil where there is neither a config
// nor a registry, or no folder of the user's.
func (f *Files) Scripts() *library.Library {
	path := f.Path()
	if path == "" {
		return nil
	}
	folder, err := library.Path(path)
	if err != nil {
		return nil
	}
	return library.Open(folder)
}

// SearchSettings are what the files of a config say about finding tools, the
// first file's word before the others'.
func SearchSettings(cfg *config.Config) (*discovery.Settings, error) {
	all := &discovery.Settings{}
	for _, value := range cfg.UseTools {
		s, err := discovery.ParseSettings(value)
		if err != nil {
			return nil, err
		}
		all = all.Merge(s)
	}
	return all, nil
}

// observes reports whether types are learnt from results: unless a flag or the
// first file with a word about it, "usetools": {"observe": false}, says no.
func (f *Files) observes(cfg *config.Config) bool {
	for _, value := range cfg.UseTools {
		var s struct {
			Observe *bool `json:"observe"`
		}
		if json.Unmarshal(value, &s) == nil && s.Observe != nil {
			return *s.Observe && !f.NoObserve
		}
	}
	return !f.NoObserve
}

// shapes opens what was learnt from results; without a cache folder nothing is.
func (f *Files) shapes() *observe.Store {
	path, err := observe.Path(f.Path())
	if err != nil {
		return nil
	}
	s, err := observe.Open(path)
	if err != nil {
		f.log("%v; what was learnt from results begins anew", err)
		return observe.New(path)
	}
	return s
}

func (f *Files) configs() []string {
	if len(f.Configs) > 0 {
		return f.Configs
	}
	return f.found().Files
}

// found is the config that is meant where none is named.
func (f *Files) found() config.Found {
	f.searched.Do(func() { f.foundHere = config.Search(".") })
	return f.foundHere
}

// tellFound says which config was found, where that is not plain to see; an
// error where all that were found must not be used.
func (f *Files) tellFound() error {
	if len(f.Configs) > 0 {
		return nil
	}
	found := f.found()
	if len(found.Files) == 0 && len(found.Refused) > 0 {
		return fmt.Errorf("no config: %s", strings.Join(found.Refused, "; "))
	}
	for _, why := range found.Refused {
		f.log("%s", why)
	}
	if found.Elsewhere {
		f.log("the config is %s", found.Files[0])
	}
	return nil
}

// Path is where the registry is, or would be: empty when there is no config
// either.
func (f *Files) Path() string {
	if f.Registry != "" {
		return f.Registry
	}
	if paths := f.configs(); len(paths) > 0 {
		return filepath.Join(filepath.Dir(paths[0]), RegistryFile)
	}
	return ""
}

// load returns the registry of a config from its file, or builds it. Its
// vectors are those of the configured embedder; where that cannot be reached
// it is taken out of search, and the embedded model answers alone.
func (f *Files) load(ctx context.Context, cfg *config.Config, search *discovery.Options) (*registry.Registry, error) {
	path := f.Path()
	if err := Replaceable(path, cfg.Files); err != nil {
		return nil, err
	}
	embed := f.embed(search)
	old, err := registry.Load(path)
	switch {
	case err == nil && old.Config == cfg.Digest() && discovery.Embedded(old, search.Embedder):
		return old, nil
	case err == nil && old.Config == cfg.Digest():
		f.log("another embedder is configured: making the vectors of %s anew", path)
		if err := embed(ctx, old); err != nil {
			return nil, err
		}
		f.save(old, path)
		return old, nil
	case err == nil:
		more := ""
		if len(f.Configs) > 0 && f.Registry == "" && !slices.ContainsFunc(config.DefaultFiles, func(d string) bool { return filepath.Base(d) == filepath.Base(f.Configs[0]) }) {
			more = " (configs of one folder share it; -registry FILE gives this one its own)"
		}
		f.log("the servers in the config changed: rebuilding %s%s", path, more)
	case errors.Is(err, fs.ErrNotExist):
		f.log("building %s", path)
	default:
		f.log("%v; rebuilding it", err)
	}
	reg, report, err := build.Build(ctx, cfg, &build.Options{Previous: old, Progress: f.Progress, Embed: embed, Pins: f.pins()})
	if err != nil {
		return nil, err
	}
	f.logPins(report.Pins)
	f.built = true
	if report.OK() == 0 && len(cfg.Servers) > 0 {
		// Worth trying again next time, and an older registry is worth keeping.
		f.log("no server answered: %s was not written", path)
		return reg, nil
	}
	f.save(reg, path)
	return reg, nil
}

// pins is the file of the pins.
func (f *Files) pins() string { return registry.PinsPath(f.configs(), f.Path()) }

// hold holds the tools of a registry from a file as the pins say now.
func (f *Files) hold(reg *registry.Registry, cfg *config.Config) {
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

// embed makes the vectors of a registry with the configured embedder.
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
	if err := reg.Save(path); err != nil {
		f.log("%v; going on without the file", err)
	}
}

// Replaceable reports why a file must not be replaced by a registry: it is one
// of the configs, or it holds something that does not begin as a registry does.
func Replaceable(path string, configs []string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	for _, c := range configs {
		if other, err := filepath.Abs(c); err == nil && other == abs {
			return fmt.Errorf("registry %q: that is a config; name another file", path)
		}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil // there is nothing to lose
	}
	defer file.Close()
	head := make([]byte, 64)
	n, err := io.ReadFull(file, head)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return fmt.Errorf("registry %q: %w", path, err)
	}
	squeezed := strings.Join(strings.Fields(string(head[:n])), "")
	if n > 0 && !strings.HasPrefix(squeezed, `{"version":`) {
		return fmt.Errorf("registry %q: the file is there and is no registry; name another, or remove it", path)
	}
	return nil
}

func (f *Files) log(format string, args ...any) {
	if f.Log != nil {
		f.Log(fmt.Sprintf(format, args...))
	}
}

// Close ends the connections to servers.
func (f *Files) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.pool == nil {
		return nil
	}
	return f.pool.Close()
}

// ProgressLine says in one line how far a build is.
func ProgressLine(ev build.Event) string {
	switch {
	case !ev.Done:
		return fmt.Sprintf("%s: asking for its tools", ev.Server)
	case ev.Err != nil:
		return fmt.Sprintf("%s: failed after %v (%d of %d): %s", ev.Server, ev.Time.Round(time.Millisecond), ev.Finished, ev.Total, OfServer(ev.Server, ev.Err.Error()))
	}
	return fmt.Sprintf("%s: %s in %v (%d of %d)", ev.Server, count(ev.Tools, "tool"), ev.Time.Round(time.Millisecond), ev.Finished, ev.Total)
}

// AllConfigs are the config files in use: those given, or the one found from the
// current folder.
func (f *Files) AllConfigs() []string { return f.configs() }
