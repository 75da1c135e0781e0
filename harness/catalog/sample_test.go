package catalog_test

import (
	"testing"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/wrappers/observe"
)

// What one client's call was answered is shown to all, unless a tool of its server is private.
func TestAResultIsShownToAll(t *testing.T) {
	for private, want := range map[bool]string{false: "{id int}", true: ""} {
		reg := &registry.Registry{Servers: []registry.Server{{Name: "a"}}, Tools: []registry.Tool{{ID: "a.get", Server: "a", Name: "get"}}}
		reg.Normalize()
		cat := &catalog.Catalog{Registry: reg, Shapes: observe.New(""), Servers: []config.Server{{Name: "a"}}}
		if private {
			cat.Servers[0].Private = []string{"other_*"}
		}
		ann, bob := cat.Apart(observe.New(""), nil), cat.Apart(observe.New(""), nil)
		tool, _ := reg.Tool("a.get")
		ann.Learn(tool, []byte(`{"structuredContent":{"id":1}}`))
		for name, c := range map[string]*catalog.Catalog{"ann": ann, "bob": bob, "the operator": cat} {
			view, err := c.View()
			if err != nil {
				t.Fatal(err)
			}
			w, _ := view.Tool("a.get")
			expect := want
			if name == "ann" {
				expect = "{id int}"
			}
			if got, _, _ := w.Seen(); got != expect {
				t.Errorf("private %v: %s sees %q, want %q", private, name, got, expect)
			}
		}
	}
}
