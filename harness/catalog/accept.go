package catalog

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/build"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/wrappers"
)

// Acceptance is a registry file with the pins of its tools, for accepting changed definitions.
type Acceptance struct {
	Registry *registry.Registry
	Pins     *registry.Pins

	files  *Files
	config *config.Config // nil without config files
}

// Acceptance reads the registry and the pins. It returns an *Error if the config cannot be
// read.
func (f *Files) Acceptance() (*Acceptance, error) {
	a := &Acceptance{files: f}
	var err error
	if len(f.AllConfigs()) > 0 {
		if a.config, err = config.Load(f.AllConfigs()...); err != nil {
			return nil, &Error{err}
		}
	}
	if a.Registry, err = registry.Load(f.Path()); err != nil {
		return nil, err
	}
	a.readPins()
	return a, nil
}

func (a *Acceptance) readPins() {
	var pinned map[string]bool
	if a.config != nil {
		pinned = build.Pinned(a.config.Servers)
	}
	a.Pins = a.files.Pins()
	a.Pins.Hold(a.Registry, a.Registry, pinned, func(string) bool { return false })
}

// Pins reads the pins of the tools.
func (f *Files) Pins() *registry.Pins { return registry.LoadPins(f.pins()) }

// Change returns how a tool or skill changed since it was accepted.
func (a *Acceptance) Change(id string) build.Change {
	accepted, now := a.Pins.ChangeOf(a.Registry, id)
	return build.Compare(id, accepted, now)
}

// Functions returns the Go functions of a new tool's server, without the tool and with it.
func (a *Acceptance) Functions(t *registry.Tool) (before, after []string) {
	of := func(accepted bool) (lines []string) {
		reg := &registry.Registry{Servers: a.Registry.Servers}
		for _, x := range a.Registry.Tools {
			if x.ID == t.ID {
				if !accepted {
					continue
				}
				x.Held = false
			}
			reg.Tools = append(reg.Tools, x)
		}
		s, _ := wrappers.NewView(reg).Server(t.Server)
		for _, x := range s.Tools {
			lines = append(lines, fmt.Sprintf("%s.%s: %s", s.Package, x.Func, x.Name))
		}
		slices.Sort(lines)
		return lines
	}
	return of(false), of(true)
}

// Accept accepts the changed definitions that a person was shown, unless they have changed again,
// and writes the pins and the registry. It keeps changes that other processes made there in the
// meantime.
func (a *Acceptance) Accept(ctx context.Context, shown ...build.Change) error {
	vectors := &Acceptance{Registry: a.Registry, files: a.files, config: a.config}
	if err := vectors.accept(shown); err != nil {
		return err
	}
	if vectors.Registry.Embedder != nil {
		if err := vectors.embed(ctx); err != nil {
			a.files.log("%v; the next run makes the vectors", err)
		}
	}
	defer registry.LockPins()()
	var err error
	if a.Registry, err = registry.Load(a.files.Path()); err != nil {
		return err
	}
	if err := a.accept(shown); err != nil {
		return err
	}
	for _, c := range shown {
		t, _ := a.Registry.Tool(c.ID)
		if made, ok := vectors.Registry.Tool(c.ID); ok && t.Embedding == nil && made.Hash == t.Hash &&
			reflect.DeepEqual(a.Registry.Embedder, vectors.Registry.Embedder) {
			t.Embedding = made.Embedding
		}
	}
	if err := a.Pins.Save(a.files.pins()); err != nil {
		return err
	}
	return a.Registry.Save(a.files.Path())
}

// accept accepts the shown changes in the present registry and pins.
func (a *Acceptance) accept(shown []build.Change) error {
	a.readPins()
	ids := make([]string, len(shown))
	for i, c := range shown {
		ids[i] = c.ID
		if !reflect.DeepEqual(c, a.Change(c.ID)) {
			return fmt.Errorf("%s has changed again: review the new definition, then accept it", c.ID)
		}
	}
	return a.Pins.Accept(a.Registry, ids...)
}

// embed makes the vectors of the accepted tools.
func (a *Acceptance) embed(ctx context.Context) error {
	cfg := a.config
	if cfg == nil {
		cfg = &config.Config{}
	}
	_, search, err := searching(cfg)
	if err != nil {
		return err
	}
	return discovery.EmbedWith(search.Embedder)(ctx, a.Registry)
}
