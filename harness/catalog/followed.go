package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/usetools/usetools/registry"
)

// Followed is a registry file that another process builds, with the inferred result types beside
// it. It is used as it is, regardless of the configs: no server is asked for its tools, and nothing
// is learned from phrases or results, so that scripts mean the same on all machines with the same
// files.
type Followed struct {
	Path string
	// Watch calls renewed after each replacement of the file, until its context ends. Files.Watch
	// calls it.
	Watch func(ctx context.Context, renewed func()) error
	// Later is true if the file does not exist yet. Files builds its own registry until renewed is
	// called.
	Later bool
}

// follows reports whether the registry of another process is in use.
func (f *Files) follows() bool { return f.Follow != nil && (!f.Follow.Later || f.followed.Load()) }

func (o *Followed) load() (*registry.Registry, error) {
	reg, err := registry.Load(o.Path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("no registry has been published yet (%w)", err)
	}
	return reg, err
}

// follow makes a catalog of the replaced registry and makes it the current one, with the
// present connections. It ends a build under way.
func (f *Files) follow(ctx context.Context) (*Catalog, error) {
	f.mu.Lock()
	if f.catalog == nil {
		f.followed.Store(true)
		f.mu.Unlock()
		return f.Early(ctx)
	}
	defer f.mu.Unlock()
	reg, err := f.Follow.load()
	if err != nil {
		return f.catalog, err
	}
	if !f.follows() {
		f.followed.Store(true)
		f.log("a published registry has arrived: %s is no longer used", f.built())
	}
	c := f.renew(reg, f.config, f.catalog.Calls)
	f.logWarnings()
	f.endJob()
	return c, nil
}
