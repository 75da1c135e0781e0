package catalog

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/usetools/usetools/registry"
)

func saveRegistry(t *testing.T, path string, tools ...string) {
	t.Helper()
	reg := &registry.Registry{Servers: []registry.Server{{Name: "s"}}}
	for _, name := range tools {
		reg.Tools = append(reg.Tools, registry.Tool{Server: "s", Name: name, Input: []byte("{}")})
	}
	reg.Normalize()
	if err := reg.Save(path); err != nil {
		t.Fatal(err)
	}
}

// A registry that others build is taken as it is, each time that it is replaced; no
// server is asked, and the connections stay.
func TestARegistryThatOthersBuildIsFollowed(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "LocalAppData", "AppData"} {
		t.Setenv(name, filepath.Join(dir, "home"))
	}
	config := filepath.Join(dir, ".mcp.json")
	if err := os.WriteFile(config, []byte(`{"mcpServers": {"s": {"command": "/there/is/no/such/program", "pin": true}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "registry.json")
	replaced := make(chan struct{})
	f := &Files{Configs: []string{config}, Follow: &Followed{Path: path, Watch: func(ctx context.Context, renewed func()) error {
		for range replaced {
			renewed()
		}
		return nil
	}}}
	defer f.Close()
	if c, err := f.Early(t.Context()); err == nil {
		t.Fatalf("a catalog of %d tools before there is a registry", len(c.Registry.Tools))
	}
	saveRegistry(t, path, "one")
	first, err := f.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(first.Registry.Tools) != 1 || first.Registry.Tools[0].Held || first.Memory != nil || first.Calls == nil {
		t.Errorf("%+v", first)
	}
	if f.Again(t.Context()) {
		t.Error("servers were asked")
	}
	got := make(chan *Catalog, 1)
	done := make(chan error, 1)
	go func() {
		done <- f.Watch(t.Context(), 0, func(c *Catalog, err error) {
			if err != nil {
				t.Error(err)
			}
			got <- c
		})
	}()
	saveRegistry(t, path, "one", "two")
	replaced <- struct{}{}
	if c := <-got; len(c.Registry.Tools) != 2 || c.Calls != first.Calls || c == first {
		t.Errorf("%d tools", len(c.Registry.Tools))
	}
	close(replaced)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if c, err := f.Early(t.Context()); err != nil || len(c.Registry.Tools) != 2 {
		t.Error(err)
	}
}
