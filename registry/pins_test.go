package registry_test

import (
	"strings"
	"testing"

	"github.com/usetools/usetools/registry"
)

func TestHeldToolIsUnusableUntilAccepted(t *testing.T) {
	r := &registry.Registry{Tools: []registry.Tool{{Server: "s", Name: "a"}, {Server: "s", Name: "b"}, {Server: "s", Name: "c", Error: "not installed"}}}
	r.Normalize()
	other := "sha256:" + strings.Repeat("0", 64)
	a, _ := r.Tool("s.a")
	r.Pins = map[string]string{"s.a": a.Hash, "s.b": other, "s.c": other, "s.gone": other}
	r.Hold()
	data, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if r, err = registry.Decode(data); err != nil { // the file keeps all of it
		t.Fatal(err)
	}
	check := func(id string, held bool, reason string) {
		t.Helper()
		tool, _ := r.Tool(id)
		if r.Held(tool) != held || !strings.Contains(tool.Error, reason) || reason == "" && tool.Error != "" {
			t.Errorf("%s: held %v, error %q", id, r.Held(tool), tool.Error)
		}
	}
	check("s.a", false, "")
	check("s.b", true, "build-registry accept s.b")
	check("s.c", true, "not installed")
	if err := r.Accept("s.b", "s.nope"); err == nil || !strings.Contains(err.Error(), `"s.nope"`) {
		t.Errorf("error %v", err)
	}
	check("s.b", true, "accept")
	if err := r.Accept("s.b", "s.c"); err != nil {
		t.Fatal(err)
	}
	check("s.b", false, "")
	check("s.c", false, "not installed")
	if r.Pins["s.gone"] != other {
		t.Error("the pin of a tool that is gone is lost")
	}
}
