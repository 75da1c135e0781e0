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
	// Follow says that others build the registry file, and what was learnt from results
	// beside it: it is taken as it is, whatever the configs say, no server is asked for its
	// tools, and neither phrases nor results teach anything, so that scripts mean the same
	// wherever the files are the same. Follow calls renewed each time that the file was
	// replaced, until its context ends; Watch calls it. nil: Files builds the registry.
	Follow func(ctx context.Context, renewed func()) error
	// Later is a registry that others may come to build: Files builds its own until Watch
	// hears that there is one, and takes that then as with Follow. nil: there is none.
	Later *Later
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
	Asks      bool
	searched  sync.Once
	foundHere config.Found // by searched

	lastRead atomic.Pointer[lastConfig] // the config that was read last; nil: none
	readOnce sync.Once                  // by known
	// others are servers that the registry has and the config does not, with what the
	// registry says of calls of their tools; nil: no registry was read.
	others   atomic.Pointer[[]config.Server]
	followed atomic.Bool // the registry is that of Later

	mu           sync.Mutex
	catalog      *Catalog
	config       *config.Config // of catalog
	pool         *backend.Pool
	toolsChanged atomic.Pointer[func(server string)] // of pool; nil: nobody is told
	watches      atomic.Pointer[watching]            // nil: there is none
	asked        []string                            // servers that have been asked just now

	job   *build.Job // that the catalog is of; nil: it is complete
	stop  context.CancelFunc
	began time.Time // the job
	first bool      // there is no earlier registry
	needs *needs    // nil: they are known, or do not matter
}

// Later is a registry that is not there yet.
type Later struct {
	Path   string                                          // of its file
	Follow func(ctx context.Context, renewed func()) error // as Files.Follow
}

// follows reports whether others build the registry.
func (f *Files) follows() bool { return f.Follow != nil || f.followed.Load() }

// Catalog loads the registry, or builds and saves it where there is none, where
// it was made from other server definitions, or where it cannot be read. Only
// servers whose definition changed are asked.
func (f *Files) Catalog(ctx context.Context) (*Catalog, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.catalog != nil {
		return f.catalog, nil
	}
	cfg, _, err := f.read()
	if err != nil {
		return nil, err
	}
	return f.complete(ctx, cfg)
}

// read reads the config. known says that there is none, but a registry to look
// into.
func (f *Files) read() (cfg *config.Config, known bool, err error) {
	if len(f.configs()) == 0 && f.Registry != "" {
		return &config.Config{}, true, nil
	}
	if err := f.tellFound(); err != nil {
		return nil, false, &Error{err}
	}
	if cfg, err = config.Load(f.configs()...); err == nil {
		err = checkRules(cfg)
	}
	if err != nil {
		return nil, false, &Error{err}
	}
	f.lastRead.Store(newLastConfig(cfg))
	return cfg, false, nil
}

// lastConfig is a config and what hides its secrets.
type lastConfig struct {
	config  *config.Config
	secrets *redact.Redactor
}

func newLastConfig(cfg *config.Config) *lastConfig { return &lastConfig{cfg, cfg.Redactor()} }

// known returns the config that was read last. Where none was, as a script that uses
// no tool needs none, it is read now; nil: there is none that can be read.
func (f *Files) known() *lastConfig {
	f.readOnce.Do(func() {
		files := f.configs()
		if f.lastRead.Load() != nil || len(files) == 0 {
			return
		}
		if cfg, err := config.Load(files...); err == nil {
			f.lastRead.CompareAndSwap(nil, newLastConfig(cfg))
		}
	})
	return f.lastRead.Load()
}

// Private reports whether the config, or the registry of a server that the config does not
// have, says that the arguments and results of a tool, by its ID, are not to be kept.
func (f *Files) Private(tool string) bool {
	if others := f.others.Load(); others != nil && private(*others, tool) {
		return true
	}
	k := f.known()
	return k != nil && private(k.config.Servers, tool)
}

func private(servers []config.Server, tool string) bool {
	for i := range servers {
		s := &servers[i]
		if name, ok := strings.CutPrefix(tool, s.Name+"."); ok &&
			slices.ContainsFunc(s.Private, func(p string) bool { return registry.Match(p, name) }) {
			return true
		}
	}
	return false
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

// complete is the catalog of a config with all of its servers' tools.
func (f *Files) complete(ctx context.Context, cfg *config.Config) (*Catalog, error) {
	settings, search, err := searching(cfg)
	if err != nil {
		return nil, &Error{err}
	}
	known := len(cfg.Files) == 0
	var reg, previous *registry.Registry
	if known && !f.follows() {
		reg, err = registry.Load(f.Registry)
	} else {
		reg, previous, err = f.load(ctx, cfg, search)
	}
	if err == nil && reg != nil && !known {
		f.hold(reg, cfg)
	}
	if err == nil && reg == nil {
		reg, err = f.build(ctx, cfg, previous, search)
	}
	if err != nil {
		return nil, f.failed(ctx, err)
	}
	f.catalog, f.config = f.over(reg, cfg, settings, search), cfg
	if !known {
		f.pool = f.connections(cfg, reg)
		f.catalog.Calls = f.pool
	}
	return f.catalog, nil
}

// build asks the servers that previous has no answer to.
func (f *Files) build(ctx context.Context, cfg *config.Config, previous *registry.Registry,
	search *discovery.Options) (*registry.Registry, error) {
	job := build.Start(ctx, cfg, &build.Options{Previous: previous, Changed: true, Progress: f.Progress,
		Embed: f.embed(search), Pins: f.pins()})
	defer job.Close()
	f.asked = job.Asked()
	if err := job.Wait(ctx); err != nil {
		return nil, err
	}
	reg, report, err := job.Registry(ctx)
	if err != nil {
		return nil, err
	}
	f.SaveBuilt(reg, report, f.asked)
	return reg, nil
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
		o.ToolsChanged = func(server string) {
			if tell := f.toolsChanged.Load(); tell != nil {
				(*tell)(server)
			}
		}
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
	job := f.job
	f.mu.Unlock()
	waited := false
	if job != nil {
		if _, err := f.more(ctx, nil, false); err != nil { // now all are asked
			return false
		}
		wait, cancel := context.WithTimeout(ctx, askAgain)
		defer cancel()
		_ = job.Wait(wait)
		_, err := f.more(ctx, nil, false)
		waited = err == nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.askFailed(ctx) || waited
}

// askFailed is the second part of Again.
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
	_, search, err := searching(f.config)
	if err != nil {
		return false
	}
	f.log("asking again the servers that failed when %s was built", f.Path())
	was := f.pool
	f.pool = f.connections(&again, old)
	f.pool.Adopt(was, func(name string) bool { return !ask[name] })
	was.Close()
	reg, report, err := build.Build(ctx, &again, &build.Options{
		Previous: old, Only: ask, Once: true, Embed: f.embed(search), Pins: f.pins(), Progress: f.Progress,
		Dial: lend(f.pool, nil),
	})
	if err != nil {
		return false
	}
	names := slices.Sorted(maps.Keys(ask))
	f.SaveBuilt(reg, report, names)
	f.asked = append(f.asked, names...)
	f.catalog = f.renewed(reg)
	f.catalog.Calls = f.pool
	return true
}

// over is the catalog of a registry, which still has nobody to call.
func (f *Files) over(reg *registry.Registry, cfg *config.Config, settings *discovery.Settings,
	search *discovery.Options) *Catalog {
	c := &Catalog{Registry: reg, Search: search, Servers: f.ruled(cfg, reg)}
	var err error
	if c.Rules, c.Rights, err = Rules(cfg); err != nil { // no config gets here that checkRules refuses
		c.Rules = []policy.Rule{{Pattern: "*", Then: policy.IsDenied}}
	}
	if settings.Remembers() && !f.NoMemory && !f.follows() {
		c.Memory = f.memory(reg)
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

// ruled are the definitions of a config, and for each other server of a registry one with
// what the registry says of calls of its tools.
func (f *Files) ruled(cfg *config.Config, reg *registry.Registry) []config.Server {
	var others []config.Server
	for i := range reg.Servers {
		if s := &reg.Servers[i]; s.Rules != nil {
			if _, here := cfg.Server(s.Name); !here {
				others = append(others, config.Ruled(s.Name, s.Rules))
			}
		}
	}
	f.others.Store(&others)
	return slices.Concat(cfg.Servers, others)
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

// usage opens the log of what scripts use, nil where a flag or the config
// ("usetools": {"usage": false}) says that nothing is recorded.
func (f *Files) usage(cfg *config.Config) *usage.Log {
	if f.NoUsage {
		return nil
	}
	for _, value := range cfg.UseTools {
		var s struct {
			Usage *bool `json:"usage"`
		}
		if json.Unmarshal(value, &s) == nil && s.Usage != nil {
			if !*s.Usage {
				return nil
			}
			break
		}
	}
	path, err := usage.Path(f.Path())
	if err != nil { // without a cache folder nothing is recorded
		return nil
	}
	return usage.Open(path)
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
	if f.followed.Load() {
		return f.Later.Path
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
func (f *Files) load(ctx context.Context, cfg *config.Config, search *discovery.Options) (reg,
	previous *registry.Registry, err error) {
	path := f.Path()
	if f.follows() {
		return f.given(path, search)
	}
	if err := Replaceable(path, cfg.Files); err != nil {
		return nil, nil, err
	}
	old, err := registry.Load(path)
	switch {
	case err == nil && old.Config == cfg.Digest() && discovery.Embedded(old, search.Embedder):
		return old, nil, nil
	case err == nil && old.Config == cfg.Digest():
		f.log("another embedder is configured: making the vectors of %s anew", path)
		if err := f.embed(search)(ctx, old); err != nil {
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
	if f.follows() { // who builds it holds them
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
	if job != nil {
		f.endJob()
	}
	f.mu.Unlock()
	if job != nil {
		job.Close() // its ends need f.mu
		f.saveRest(job)
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
	if paths := f.configs(); len(paths) > 0 {
		if cfg, err := config.Load(paths...); err == nil {
			if s, ok := cfg.Server(server); ok {
				return s.CallTimeout
			}
		}
	}
	return config.DefaultCallTimeout
}

// AllConfigs returns the config files in use: Configs, or the one found from
// the current folder.
func (f *Files) AllConfigs() []string { return f.configs() }
