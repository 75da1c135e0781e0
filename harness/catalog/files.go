package catalog

import (
	"context"
	"fmt"
	"path/filepath"
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
	"github.com/usetools/usetools/registry/build"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/redact"
	"github.com/usetools/usetools/wrappers/observe"
)

// RegistryFile is the default name of a registry, beside the first config.
const RegistryFile = "tool_registry.json"

// Files makes a catalog from files: configs of servers and the registry built
// from them. The registry is read, or built, when a script first needs a tool.
type Files struct {
	// Configs are config files. If empty, it is the file that config.Search finds
	// from the current folder.
	Configs []string
	// Registry is the registry file. If empty, it is RegistryFile beside the first
	// config.
	Registry string
	// Progress, if not nil, is called with the events of a build.
	Progress func(build.Event)
	// NoMemory turns off discovery/memory: the tools that phrases led to are
	// neither used nor stored.
	NoMemory bool
	// NoObserve turns off wrappers/observe: types are neither inferred from
	// results nor used.
	NoObserve bool
	// NoUsage turns off package usage: no statistics of scripts are recorded.
	NoUsage bool
	// Follow is a registry that another process builds. If nil, Files builds the registry.
	Follow *Followed
	// Library has the saved scripts. If nil, it is the library for the registry.
	Library *library.Library
	// Log, if not nil, is called with one line of text for events such as the build
	// of a registry, or a registry that cannot be used.
	Log func(string)

	// Keep keeps the connections open over which servers were asked for their tools, for the calls
	// of scripts and for Watch.
	Keep bool
	// Asks declares to MCP servers that they may ask users, by forms and URLs. Set it if scripts
	// have an Ask, or if runs can wait.
	Asks bool

	searched  sync.Once
	foundHere config.Found // set by searched
	readOnce  sync.Once    // of lastFacts
	facts     atomic.Pointer[facts]
	followed  atomic.Bool              // a Follow that comes later is in use
	watches   atomic.Pointer[watching] // nil without a watch

	mu       sync.Mutex
	catalog  *Catalog            // nil before the first use
	config   *config.Config      // of catalog
	settings *discovery.Settings // of config
	search   *discovery.Options  // of config; without an embedder that cannot be reached
	warnings []string            // of config, as logged
	pool     *backend.Pool       // closed by Files; nil if a watch has the connections
	job      *job                // nil if the catalog is complete
	asked    []string            // servers that were asked since the start
}

// facts has the servers and secrets of the config that was read last.
type facts struct {
	servers []config.Server
	secrets *redact.Redactor
}

// Catalog returns a catalog with the tools of all servers. It loads the registry, or builds
// and saves it if the file is missing, was made from other server definitions or cannot be
// read. It asks only servers whose definition changed, and waits for all of them.
func (f *Files) Catalog(ctx context.Context) (*Catalog, error) {
	c, err := f.Early(ctx)
	if err != nil || c.Asking == nil {
		return c, err
	}
	return f.await(ctx, nil, time.Now().Add(noLimit))
}

// read finds and reads the config. If there is a registry without a config, it returns an
// empty config.
func (f *Files) read() (*config.Config, error) {
	if len(f.AllConfigs()) == 0 && f.Path() != "" {
		return &config.Config{}, nil
	}
	if err := f.checkFound(); err != nil {
		return nil, &Error{err}
	}
	return f.parse()
}

// parse reads the config files.
func (f *Files) parse() (*config.Config, error) {
	cfg, err := config.Load(f.AllConfigs()...)
	if err == nil {
		err = checkRules(cfg)
	}
	if err != nil {
		return nil, &Error{err}
	}
	f.facts.Store(&facts{cfg.Servers, cfg.Redactor()})
	return cfg, nil
}

// lastFacts returns the facts of the config that was read last. Without one, because no
// script has needed a tool yet, it reads the config. It returns nil if that fails.
func (f *Files) lastFacts() *facts {
	f.readOnce.Do(func() {
		files := f.AllConfigs()
		if f.facts.Load() != nil || len(files) == 0 {
			return
		}
		if cfg, err := config.Load(files...); err == nil {
			f.facts.CompareAndSwap(nil, &facts{cfg.Servers, cfg.Redactor()})
		}
	})
	return f.facts.Load()
}

// Private reports whether the arguments and results of a tool, by its ID, must not be stored. The
// config says so, or the registry for a server that is not in the config.
func (f *Files) Private(tool string) bool {
	k := f.lastFacts()
	return k != nil && slices.ContainsFunc(k.servers, func(s config.Server) bool {
		name, ok := strings.CutPrefix(tool, s.Name+".")
		return ok && slices.ContainsFunc(s.Private, func(p string) bool { return registry.Match(p, name) })
	})
}

// Redact returns a text without the secrets of the config. If no config can be read, it
// returns s.
func (f *Files) Redact(s string) string {
	if k := f.lastFacts(); k != nil {
		return k.secrets.Text(s)
	}
	return s
}

// Unfinished returns how many bytes at the end of a text may be the beginning of a
// secret that Redact hides.
func (f *Files) Unfinished(s string) int {
	if k := f.lastFacts(); k != nil {
		return k.secrets.Unfinished(s)
	}
	return 0
}

// failed returns err as an *Error, unless ctx has ended.
func (f *Files) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return &Error{err}
}

// renew makes a catalog of a registry and makes it the current one. It reuses the index and the
// inferred result types of the previous catalog if they are still valid. The caller holds the lock.
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
	if c.Search.Embedder != nil && !discovery.Embedded(reg, c.Search.Embedder) { // another process built it
		f.log("%s lacks the vectors of the configured embedder; the embedded model answers alone", f.Path())
		alone := *c.Search
		alone.Embedder, c.Search = nil, &alone
	}
	if c.Rules, c.Rights, err = Rules(cfg); err != nil { // checkRules has refused such a config
		c.Rules = []policy.Rule{{Pattern: "*", Then: policy.IsDenied}}
	}
	c.Labels, _ = ReadLabels(cfg) // checkRules has refused a config with an error here too
	switch {
	case f.NoObserve || !switchedOn(cfg, keyObserve):
	case !f.follows() && (same || old != nil && cfg == f.config):
		c.Shapes = old.Shapes
	default:
		c.Shapes = f.shapes()
	}
	if switchedOn(cfg, keyUsage) && !f.NoUsage {
		if path, err := usage.Path(f.Path()); err == nil { // an error means that there is no cache folder
			c.Usage = usage.Open(path)
		}
	}
	f.facts.Store(&facts{c.Servers, cfg.Redactor()})
	f.catalog, f.config = c, cfg
	return c
}

// ruled returns the server definitions of a config. For each other server of a registry with rules
// for calls of its tools, it adds a definition with these rules.
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

// memory returns the memory of phrases for a registry, or nil without a cache folder.
func (f *Files) memory(reg *registry.Registry) *memory.Memory {
	path, err := memory.Path(f.Path())
	if err != nil {
		return nil
	}
	return memory.New(path, reg)
}

// Scripts returns the library of saved scripts. It returns nil if there is neither a config
// nor a registry, or if the user has no config folder.
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

// shapes opens the store of inferred result types. It returns nil without a cache folder.
func (f *Files) shapes() *observe.Store {
	path, err := observe.Path(f.Path())
	if err != nil {
		return nil
	}
	if f.follows() {
		s, err := observe.Fixed(path)
		if err != nil {
			f.log("%v; no inferred result types are used", err)
		}
		return s
	}
	s, err := observe.Open(path)
	if err != nil {
		f.log("%v; inferred result types were reset", err)
		return observe.New(path)
	}
	return s
}

// AllConfigs returns the config files in use: Configs, or the file found from the current
// folder.
func (f *Files) AllConfigs() []string {
	if len(f.Configs) > 0 {
		return f.Configs
	}
	return f.found().Files
}

// found returns the config that is used if Configs is empty.
func (f *Files) found() config.Found {
	f.searched.Do(func() { f.foundHere = config.Search(".") })
	return f.foundHere
}

// checkFound logs which config was found, if it is not in the current folder. It returns an
// error if no found file may be used.
func (f *Files) checkFound() error {
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

// Path returns the path of the registry file, whether it exists or not. Without a config and
// a Registry it is empty.
func (f *Files) Path() string {
	if f.follows() {
		return f.Follow.Path
	}
	return f.built()
}

// built returns the path of the registry file that Files builds.
func (f *Files) built() string {
	if f.Registry != "" {
		return f.Registry
	}
	if paths := f.AllConfigs(); len(paths) > 0 {
		return filepath.Join(filepath.Dir(paths[0]), RegistryFile)
	}
	return ""
}

func (f *Files) log(format string, args ...any) {
	if f.Log != nil {
		f.Log(fmt.Sprintf(format, args...))
	}
}

// Close ends the connections to servers. It saves the answers of a build under way.
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

// CallTimeout returns how long a call of a tool may take according to the config.
func (f *Files) CallTimeout(tool string) time.Duration {
	server, _, _ := strings.Cut(tool, ".")
	if k := f.lastFacts(); k != nil {
		if s := definitionOf(k.servers, server); s != nil {
			return s.CallTimeout
		}
	}
	return config.DefaultCallTimeout
}
