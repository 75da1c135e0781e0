// Package catalog provides the tools that scripts can use, and the connections to
// call them.
//
// A [Catalog] wraps a registry of tools. It names the tools in Go and indexes them
// on first use. [Catalog.Resolve] finds the tool of a phrase; [Catalog.Find],
// [Catalog.Describe], [Catalog.Tree] and [Catalog.Overview] list tools;
// [Catalog.Guide] writes a text for a system prompt; [Catalog.CheckArguments] and
// [Catalog.CheckResult] check a call against the tool's schemas. A program that
// knows its tools fills in the struct; only Registry must be set.
//
// [Files] makes catalogs from config files. Their registry has one of three sources:
//
//   - It is built (built.go). [Files.Catalog] reads the file, or asks the servers for
//     their tools, waits for all of them and saves the answers. [Files.Early] returns
//     at once, and [Catalog.Asking] lists the servers that have not answered, so that
//     a script waits only for the servers that it needs.
//   - It is watched (watched.go). [Files.Watch] makes a new catalog whenever a config
//     or a server's tools change.
//   - It is followed (followed.go). Another process builds the file, see [Followed].
//
// A catalog's registry does not change, so that each user of a catalog sees one
// state of the servers. All methods are safe for concurrent use. Texts of servers
// are bounded in length and stripped of control characters.
package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/discovery/memory"
	"github.com/usetools/usetools/harness/internal/schema"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/usage"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/wrappers"
	"github.com/usetools/usetools/wrappers/observe"
)

// Catalog has the tools that scripts can use, and the connections to call them.
type Catalog struct {
	Registry *registry.Registry
	// Calls sends a call to a server. If nil, tools can be checked, not called.
	// *backend.Pool is a Caller.
	Calls Caller
	// Search configures how tools are found. If nil, the defaults are used. With an
	// Embedder the registry must have its vectors.
	Search *discovery.Options
	// Servers are the definitions that the registry was made from, or those in the
	// registry. If empty, they are unknown.
	Servers []config.Server
	// Rules say which calls need approval or are denied, in addition to the policy of Decide.
	// Rights are the rights of tokens, by name.
	Rules  []policy.Rule
	Rights map[string][]Right
	// Labels say which results are untrusted. If nil, the config has none.
	Labels *Labels
	// Memory stores which tools phrases led to in successful runs. Such a phrase
	// then means that tool. If nil, nothing is stored.
	Memory *memory.Memory
	// Shapes infers the result types of tools that declare none, for typed results
	// of read-only tools. If nil, such results are untyped.
	Shapes *observe.Store
	// Scripts is the library for RunScript and for scripts with a header. It may
	// be nil.
	Scripts *library.Library
	// Usage records which tools scripts call and which phrases fail. If nil,
	// nothing is recorded.
	Usage *usage.Log
	// Asking lists the servers that have not answered yet. If nil, the registry is
	// complete.
	Asking *Asking

	once    sync.Once
	index   *discovery.Index
	failed  error
	schemas *schema.Set
	of      *Catalog // the catalog that owns index and schemas; nil if it is this one

	mu      sync.Mutex
	view    *wrappers.View
	version int        // of Shapes in view
	others  []*Catalog // made by Apart, the latest used last
}

// maxOthers is how many catalogs Apart caches. One takes about 5 MB at 10,000 tools.
const maxOthers = 32

// Error is returned if the catalog cannot be made: there is no config, or a config or
// registry cannot be read.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Caller sends a call to a server.
type Caller interface {
	Call(ctx context.Context, server string, req *backend.Request) (*backend.Result, error)
}

// Own has the inferred result types and saved scripts of one tenant. It stays when the
// catalog changes. It is not safe for concurrent use.
type Own struct {
	shapes  *observe.Store // nil if no types are inferred
	scripts *library.Library
}

// Of returns a catalog as its owner sees it. key is from localfile.ApartKey; without a key no
// scripts are saved and no types inferred. An error means that the types were reset; Of returns a
// catalog even then.
func (o *Own) Of(c *Catalog, key string) (*Catalog, error) {
	var err error
	if o.scripts == nil && c.Scripts != nil {
		if o.scripts = c.Scripts.ReadOnly(); key != "" {
			o.scripts = c.Scripts.Beside(key)
		}
	}
	if o.shapes == nil && c.Shapes != nil && key != "" {
		o.shapes, err = c.Shapes.Beside(key)
	}
	shapes := o.shapes
	if c.Shapes == nil { // turned off by the present config
		shapes = nil
	}
	return c.Apart(shapes, o.scripts), err
}

// Apart returns a catalog for one tenant: with its own Shapes and Scripts, which may be
// nil, and without Memory. It shares everything else with c.
func (c *Catalog) Apart(shapes *observe.Store, scripts *library.Library) *Catalog {
	if shapes == c.Shapes && scripts == c.Scripts && c.Memory == nil {
		return c
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var other *Catalog
	if i := slices.IndexFunc(c.others,
		func(o *Catalog) bool { return o.Shapes == shapes && o.Scripts == scripts }); i >= 0 {
		other = c.others[i]
		c.others = slices.Delete(c.others, i, i+1)
	} else {
		other = &Catalog{
			Registry: c.Registry, Calls: c.Calls, Search: c.Search, Servers: c.Servers, Rules: c.Rules,
			Rights: c.Rights, Labels: c.Labels, Shapes: shapes, Scripts: scripts, Usage: c.Usage, of: c,
		}
		if c.Asking != nil {
			other.Asking = &Asking{Servers: c.Asking.Servers,
				More: func(ctx context.Context, servers []string, open bool) (*Catalog, error) {
					more, err := c.Asking.More(ctx, servers, open)
					if err != nil {
						return nil, err
					}
					return more.Apart(shapes, scripts), nil
				}}
		}
	}
	c.others = append(c.others, other)
	c.others = slices.Delete(c.others, 0, max(len(c.others)-maxOthers, 0))
	return other
}

// Load names and indexes the registry. The other methods call it when needed.
func (c *Catalog) Load() error {
	c.once.Do(func() {
		if c.of != nil {
			c.failed = c.of.Load()
			c.index, c.schemas = c.of.index, c.of.schemas
			return
		}
		c.schemas = &schema.Set{}
		o := discovery.Options{}
		if c.Search != nil {
			o = *c.Search
		}
		if c.Memory != nil {
			o.Memory = c.Memory
		}
		o.Hints = c.hints
		c.index, c.failed = discovery.New(c.Registry, &o)
		if wrong := c.LabelErrors(); c.failed == nil && len(wrong) > 0 {
			c.failed = &Error{fmt.Errorf("the config is wrong: %s", strings.Join(wrong, "; "))}
		}
	})
	return c.failed
}

// View returns the Go view of the catalog's registry, with the result types inferred so
// far. A view does not change, so that a script is checked against one view.
func (c *Catalog) View() (*wrappers.View, error) {
	if err := c.Load(); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	version := 0
	var o wrappers.ViewOptions
	o.Class = func(t *registry.Tool) string { class, _ := c.Class(t); return string(class) }
	if c.Shapes != nil {
		version, o.Observed = c.Shapes.Version(), c.Shapes.Schema
	}
	o.Seen = c.seen
	if c.view == nil || version != c.version {
		c.view, c.version = wrappers.NewViewWith(c.Registry, &o), version
	}
	return c.view, nil
}

// Index returns the search index over the catalog's registry.
func (c *Catalog) Index() (*discovery.Index, error) { err := c.Load(); return c.index, err }

// ArgumentsError is returned for arguments that do not match the tool's input schema.
type ArgumentsError = schema.ArgumentsError

// CheckArguments returns an *ArgumentsError if the arguments of a call do not match the
// tool's input schema.
func (c *Catalog) CheckArguments(t *registry.Tool, args registry.Args) error {
	if err := c.Load(); err != nil {
		return err
	}
	return c.schemas.Arguments(t, args)
}

// CheckResult returns an error if the structured result of a call does not match the
// tool's output schema.
func (c *Catalog) CheckResult(t *registry.Tool, res *backend.Result) error {
	if err := c.Load(); err != nil {
		return err
	}
	return c.schemas.Result(t, res)
}
