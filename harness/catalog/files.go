package catalog

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
	"sync/atomic"
	"time"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/discovery/memory"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/usage"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/backend/dial"
	"github.com/usetools/usetools/registry/build"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/redact"
	"github.com/usetools/usetools/registry/text"
	"github.com/usetools/usetools/wrappers/observe"
)

// RegistryFile is the default name of a registry, beside the first config.
const RegistryFile = "tool_registry.json"

// Files makes a catalog from files: configs of servers and the registry built
// from them. The registry is read, or built, when a script first needs a tool.
type Files struct {
	// Configs are config files; empty: the one that config.Search finds from
	// the current folder.
	Configs []string
	// Registry is the registry file; empty: RegistryFile beside the first
	// config.
	Registry string
	// Progress is told about a build as it goes; nil: nobody.
	Progress func(build.Event)
	// NoMemory turns off discovery/memory: which tools phrases led to is
	// neither used nor stored.
	NoMemory bool
	// NoObserve turns off wrappers/observe: types are neither inferred from
	// results nor used.
	NoObserve bool
	// NoUsage records nothing of what scripts use, see package usage.
	NoUsage bool
	// Follow is a registry that others build. If nil, Files builds the registry.
	Follow *Followed
	// Library has the saved scripts; nil: the one for the registry has.
	Library *library.Library
	// Log is called with one line of text for events such as a registry that is
	// built, or that cannot be used; nil: it is not.
	Log func(string)

	// Keep keeps the connections that are made to ask servers for their tools,
	// for the calls of scripts and for Watch; without it they are closed.
	Keep bool
	// Asks declares to MCP servers that the persons behind scripts can be asked, by
	// forms and URLs, as Script.Ask does and runs that wait.
	Asks bool

	searched  sync.Once
	foundHere config.Found // by searched
	readOnce  sync.Once    // by known
	facts     atomic.Pointer[facts]
	followed  atomic.Bool              // Follow, which came later, is in use
	watches   atomic.Pointer[watching] // nil: there is none

	mu       sync.Mutex
	catalog  *Catalog // nil: it was not asked for yet
	config   *config.Config
	settings *discovery.Settings // of config
	search   *discovery.Options  // of config; without an embedder that cannot be reached
	doubts   []string            // that were logged of config
	pool     *backend.Pool       // that Files made and has to close
	job      *job                // nil: the catalog is complete
	asked    []string            // servers that have been asked just now
}

// facts are what is kept of the config that was read last.
type facts struct {
	servers []config.Server
	secrets *redact.Redactor
}

// Catalog loads the registry, or builds and saves it where there is none, where
// it was made from other server definitions, or where it cannot be read. Only
// servers whose definition changed are asked, and it waits for all of them.
func (f *Files) Catalog(ctx context.Context) (*Catalog, error) {
	c, err := f.Early(ctx)
	if err != nil || c.Asking == nil {
		return c, err
	}
	return f.await(ctx, nil, time.Now().Add(noLimit))
}

// read finds and reads the config. If there is none, but a registry, it returns an
// empty one.
func (f *Files) read() (*config.Config, error) {
	if len(f.configs()) == 0 && f.Path() != "" {
		return &config.Config{}, nil
	}
	if err := f.tellFound(); err != nil {
		return nil, &Error{err}
	}
	return f.parse()
}

// parse reads the config files.
func (f *Files) parse() (*config.Config, error) {
	cfg, err := config.Load(f.configs()...)
	if err == nil {
		err = checkRules(cfg)
	}
	if err != nil {
		return nil, &Error{err}
	}
	f.facts.Store(&facts{cfg.Servers, cfg.Redactor()})
	return cfg, nil
}

// known returns the facts of the config that was read last. Where none was, as a script
// that uses no tool needs none, it is read now; nil: there is none that can be read.
func (f *Files) known() *facts {
	f.readOnce.Do(func() {
		files := f.configs()
		if f.facts.Load() != nil || len(files) == 0 {
			return
		}
		if cfg, err := config.Load(files...); err == nil {
			f.facts.CompareAndSwap(nil, &facts{cfg.Servers, cfg.Redactor()})
		}
	})
	return f.facts.Load()
}

// Private reports whether the config, or the registry of a server that the config does not
// have, says that the arguments and results of a tool, by its ID, are not to be kept.
func (f *Files) Private(tool string) bool {
	k := f.known()
	return k != nil && slices.ContainsFunc(k.servers, func(s config.Server) bool {
		name, ok := strings.CutPrefix(tool, s.Name+".")
		return ok && slices.ContainsFunc(s.Private, func(p string) bool { return registry.Match(p, name) })
	})
}

// Redact returns a text or JSON without the secrets of the config. If no config can be
// read, it returns b.
func (f *Files) Redact(b []byte) []byte {
	if k := f.known(); k != nil {
		return []byte(k.secrets.Text(string(b)))
	}
	return b
}

// Unfinished returns how many bytes at the end of a text may be the beginning of a
// secret that Redact hides.
func (f *Files) Unfinished(b []byte) int {
	if k := f.known(); k != nil {
		return k.secrets.Unfinished(string(b))
	}
	return 0
}

// failed is why there is no catalog.
func (f *Files) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return &Error{err}
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

// connections are made to the servers of a config when they are called for. known
// may be nil.
func (f *Files) connections(cfg *config.Config, known *registry.Registry) *backend.Pool {
	o := &dial.Options{Known: known, Asks: f.Asks}
	if f.Keep {
		o.ToolsChanged = func(server string) { f.Ask(server) }
	}
	return dial.New(o).Pool(cfg)
}

// askAgain is how long a server that failed when the registry was built may take
// to start, and then to list its tools, when a script needs one of those. Each
// has it for itself: one that hangs keeps nobody from the others.
const askAgain = 10 * time.Second

// Again waits for the servers that are being asked, and asks those again that
// failed when the registry was built and have no tools: what they lacked may be
// there now. It reports whether it asked any; then Early and Catalog return a
// new catalog, with their tools or their new errors. Call it before answering
// that there is no such tool.
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
			if s.StartTimeout == config.DefaultStartTimeout { // else its entry says how long it needs
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
		Dial: lend(f.pool, nil),
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

// renew makes a catalog of a registry and makes it the current one. The index, and what
// was learnt from results, are those of the catalog before where they can be. The caller
// holds the lock.
func (f *Files) renew(reg *registry.Registry, cfg *config.Config, calls Caller) *Catalog {
	var err error
	remembers := f.settings.Remembers() && !f.NoMemory && !f.follows()
	old := f.catalog
	same := old != nil && sameSettings(f.config, cfg) && (remembers || old.Memory == nil) && old.Registry.Same(reg) &&
		old.Load() == nil
	c := &Catalog{Registry: reg, Search: f.search, Calls: calls, Servers: ruled(cfg, reg), Scripts: f.Scripts()}
	switch {
	case same:
		c.Registry, c.Search, c.Memory = old.Registry, old.Search, old.Memory
		c.once.Do(func() { c.index, c.schemas = old.index, old.schemas })
	case remembers:
		c.Memory = f.memory(reg)
	}
	if c.Search.Embedder != nil && !discovery.Embedded(reg, c.Search.Embedder) { // others built it
		f.log("%s has not the vectors of the configured embedder; the embedded model answers alone", f.Path())
		alone := *c.Search
		alone.Embedder, c.Search = nil, &alone
	}
	if c.Rules, c.Rights, err = Rules(cfg); err != nil { // no config gets here that checkRules refuses
		c.Rules = []policy.Rule{{Pattern: "*", Then: policy.IsDenied}}
	}
	switch {
	case f.NoObserve || !switchedOn(cfg, "observe"):
	case !f.follows() && (same || old != nil && cfg == f.config):
		c.Shapes = old.Shapes
	default:
		c.Shapes = f.shapes()
	}
	if switchedOn(cfg, "usage") && !f.NoUsage {
		if path, err := usage.Path(f.Path()); err == nil { // without a cache folder nothing is recorded
			c.Usage = usage.Open(path)
		}
	}
	f.facts.Store(&facts{c.Servers, cfg.Redactor()})
	f.catalog, f.config = c, cfg
	return c
}

// logDoubts logs what in the config has no effect, unless it was logged before.
func (f *Files) logDoubts() {
	doubts := SettingsDoubts(f.config, f.settings, f.catalog.Registry)
	for _, doubt := range doubts {
		if !slices.Contains(f.doubts, doubt) {
			f.log("%s", doubt)
		}
	}
	f.doubts = doubts
}

// ruled returns the definitions of a config, and for each other server of a registry one with
// the registry's rules for calls of its tools.
func ruled(cfg *config.Config, reg *registry.Registry) []config.Server {
	servers := slices.Clip(cfg.Servers)
	for i := range reg.Servers {
		if s := &reg.Servers[i]; s.Rules != nil {
			if _, here := cfg.Server(s.Name); !here {
				servers = append(servers, config.Ruled(s.Name, s.Rules))
			}
		}
	}
	return servers
}

// memory is what phrases led to, nil without a cache folder.
func (f *Files) memory(reg *registry.Registry) *memory.Memory {
	path, err := memory.Path(f.Path())
	if err != nil {
		return nil
	}
	return memory.New(path, reg)
}

// SettingsDoubts returns a sentence for each setting in the "usetools" of a
// config that has no effect: unknown keys, servers and tools. reg may be nil.
func SettingsDoubts(cfg *config.Config, settings *discovery.Settings, reg *registry.Registry) []string {
	var out []string
	known := append(config.SettingKeys(), "observe", "usage", "approve", "tokens")
	t := reflect.TypeFor[discovery.Settings]()
	for i := range t.NumField() {
		key, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		known = append(known, key)
	}
	out = append(out, cfg.Notes...)
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
		out = append(out, classDoubts(cfg, reg)...)
		out = append(out, RuleDoubts(cfg, reg)...)
	}
	return out
}

// Scripts returns the library of saved scripts; nil where there is neither a
// config nor a registry, or no config folder of the user.
func (f *Files) Scripts() *library.Library {
	if f.Library != nil {
		return f.Library
	}
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

// SearchSettings returns what the files of a config set about finding tools;
// where several set the same, the first file wins.
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

// switchedOn reports whether a key of "usetools" is true in the first file that has
// it, or in none.
func switchedOn(cfg *config.Config, key string) bool {
	for _, value := range cfg.UseTools {
		var keys map[string]json.RawMessage
		var on *bool
		if json.Unmarshal(value, &keys) == nil && json.Unmarshal(keys[key], &on) == nil && on != nil {
			return *on
		}
	}
	return true
}

// shapes opens what was learnt from results; without a cache folder nothing is.
func (f *Files) shapes() *observe.Store {
	path, err := observe.Path(f.Path())
	if err != nil {
		return nil
	}
	if f.follows() {
		s, err := observe.Fixed(path)
		if err != nil {
			f.log("%v; nothing is known of results", err)
		}
		return s
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

// Path returns the path of the registry file, whether it exists or not; empty
// where there is no config either.
func (f *Files) Path() string {
	if f.follows() {
		return f.Follow.Path
	}
	return f.built()
}

// built is the path of the registry file that Files builds.
func (f *Files) built() string {
	if f.Registry != "" {
		return f.Registry
	}
	if paths := f.configs(); len(paths) > 0 {
		return filepath.Join(filepath.Dir(paths[0]), RegistryFile)
	}
	return ""
}

// load returns the registry of a config from its file, or, where that is to be
// built, the one before, which may be nil. Its vectors are those of the configured
// embedder; where that cannot be reached it is taken out of search, and the
// embedded model answers alone.
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
		f.log("another embedder is configured: making the vectors of %s anew", path)
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

// SaveBuilt saves a registry that was built, unless no server answered, and logs which
// of the servers in asked failed.
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
		// Worth trying again next time, and an older registry is worth keeping.
		f.log("no server answered: %s was not written", f.built())
		return
	}
	f.save(reg, f.built())
}

// pins is the file of the pins.
func (f *Files) pins() string { return registry.PinsPath(f.configs(), f.built()) }

// hold holds the tools of a registry from a file as the pins say now.
func (f *Files) hold(reg *registry.Registry, cfg *config.Config) {
	if f.follows() || len(cfg.Files) == 0 { // those who build it hold them
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
	err := Replaceable(path, f.configs())
	if err == nil {
		err = reg.Save(path)
	}
	if err != nil {
		f.log("%v; going on without the file", err)
	}
}

// Replaceable returns an error where a file must not be replaced by a registry:
// it is one of the configs, or its content is no registry.
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

// Close ends the connections to servers. What those have said that are still being
// asked is saved for the next time.
func (f *Files) Close() error {
	f.mu.Lock()
	job, pool := f.job, f.pool
	f.job = nil
	f.mu.Unlock()
	if job != nil {
		job.Close()
		f.saveRest(job.Job)
	}
	if pool == nil {
		return nil
	}
	return pool.Close()
}

// lastWords is how long vectors may take for what is saved at the end.
const lastWords = 10 * time.Second

// saveRest saves what a build that was ended has found out.
func (f *Files) saveRest(job *build.Job) {
	pending := job.Pending()
	if len(pending) > 0 {
		f.log("not waited for: %s; the next run asks again, build-registry waits", text.List(pending, 5))
	}
	if len(pending) == len(f.asked) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	if reg, report, err := job.Registry(ctx); err == nil && report.OK() > 0 {
		f.save(reg, f.built())
	}
}

// CallTimeout is how long a call of a tool may take, by the configs.
func (f *Files) CallTimeout(tool string) time.Duration {
	server, _, _ := strings.Cut(tool, ".")
	if k := f.known(); k != nil {
		if s := definitionOf(k.servers, server); s != nil {
			return s.CallTimeout
		}
	}
	return config.DefaultCallTimeout
}

// AllConfigs returns the config files in use: Configs, or the one found from
// the current folder.
func (f *Files) AllConfigs() []string { return f.configs() }
