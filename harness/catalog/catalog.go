// Package catalog holds what scripts can use: the tools, and the connections to
// call them.
//
// A [Catalog] wraps a registry of tools. It names the tools in Go and indexes them
// when it is first asked, and answers what a script, a person or a model asks of
// it: [Catalog.Resolve] finds the tool of a phrase, [Catalog.Find],
// [Catalog.Describe], [Catalog.Tree] and [Catalog.Overview] look around,
// [Catalog.Guide] writes a text for a system prompt, [Catalog.CheckArguments] and
// [Catalog.CheckResult] hold a call against the tool's schemas. A program that
// knows its tools fills in the struct; only Registry must be set.
//
// [Files] makes a catalog from config files. It reads the registry beside them, or
// asks the servers for their tools and saves the answers. [Files.Catalog] waits for
// all servers; [Files.Early] returns at once, with [Catalog.Asking] listing those
// that have not answered, so that a script waits only for the servers that it
// means; [Files.Watch] makes a new catalog whenever a config or a server's tools
// change.
//
// A catalog's registry does not change, so that whoever holds a catalog is answered
// from one state of the servers. All methods are safe for concurrent use. What
// servers say is bounded in length and stripped of control characters where it is
// made into text.
package catalog

import (
	"context"
	"slices"
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

// Catalog is what scripts can use: the tools, and the connections to call them.
type Catalog struct {
	Registry *registry.Registry
	// Calls sends a call to a server; nil: tools can be checked, not called.
	// *backend.Pool is a Caller.
	Calls Caller
	// Search configures how tools are found; nil means the defaults. With an
	// Embedder the registry must have its vectors.
	Search *discovery.Options
	// Servers are the definitions that the registry was made from, or what the registry
	// says of them; empty where they are not known.
	Servers []config.Server
	// Rules say which calls need approval or are denied, beside the policy that
	// Decide is given. Rights are what the holders of tokens may do, by name.
	Rules  []policy.Rule
	Rights map[string][]Right
	// Memory stores which tools phrases led to in runs that ended well; such a
	// phrase then means that tool. nil: nothing is stored.
	Memory *memory.Memory
	// Shapes infers the result types of tools that declare none, and gives
	// scripts typed results of the read-only ones; nil: such results are
	// untyped.
	Shapes *observe.Store
	// Scripts is the library that RunScript runs scripts of, and where scripts
	// with a header are saved; nil: there is none.
	Scripts *library.Library
	// Usage records which tools scripts call and which phrases fail; nil:
	// nothing is recorded.
	Usage *usage.Log
	// Asking lists the servers that have not answered yet; nil: the registry is
	// complete.
	Asking *Asking

	once    sync.Once
	index   *discovery.Index
	failed  error
	schemas *schema.Set
	of      *Catalog // what index and schemas are taken from; nil: they are its own

	mu      sync.Mutex
	view    *wrappers.View
	version int        // of Shapes, that view was made with
	others  []*Catalog // of Apart, the latest used last
}

// maxOthers is how many views of one registry are kept for Apart. One
// takes some 5 MB at 10,000 tools.
const maxOthers = 32

// Error is returned where the catalog could not be made: there is no
// config, or a config or registry cannot be read.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Caller sends a call to a server.
type Caller interface {
	Call(ctx context.Context, server string, req *backend.Request) (*backend.Result, error)
}

// Own is what somebody has beside what the operator has. It stays when the catalog
// changes. It is not safe for concurrent use.
type Own struct {
	shapes  *observe.Store // nil: nothing is learnt
	scripts *library.Library
}

// Of returns a catalog as its owner sees it, by a key of registry.ApartKey; "": as those
// see it who are nobody in particular, who save nothing and teach nothing. An error says
// that what was learnt begins anew; there is a catalog all the same.
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
	if c.Shapes == nil { // the config says so by now
		shapes = nil
	}
	return c.Apart(shapes, o.scripts), err
}

// Apart is the catalog for somebody from whom the others of c are to learn
// nothing: with other Shapes and Scripts, either of which may be nil, without
// Memory, and all else shared with c.
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
			Rights: c.Rights, Shapes: shapes, Scripts: scripts, Usage: c.Usage, of: c,
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

// Load names and indexes the registry. The other methods do so where it has not
// been done.
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
	})
	return c.failed
}

// View is the Go view of the catalog's registry, with what is known of results
// by now. It does not change, so that a script is checked against one view.
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

// Index is the search index over the catalog's registry.
func (c *Catalog) Index() (*discovery.Index, error) { err := c.Load(); return c.index, err }

// ArgumentsError is returned for arguments that do not fit the tool's input
// schema.
type ArgumentsError = schema.ArgumentsError

// CheckArguments returns an *ArgumentsError where the arguments of a call do
// not fit the tool's input schema.
func (c *Catalog) CheckArguments(t *registry.Tool, args registry.Args) error {
	if err := c.Load(); err != nil {
		return err
	}
	return c.schemas.Arguments(t, args)
}

// CheckResult returns an error where the structured result of a call does not fit
// the tool's output schema.
func (c *Catalog) CheckResult(t *registry.Tool, res *backend.Result) error {
	if err := c.Load(); err != nil {
		return err
	}
	return c.schemas.Result(t, res)
}
