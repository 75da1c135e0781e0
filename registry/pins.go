package registry

import (
	"cmp"
	"fmt"
)

// Held reports whether a tool is pinned to another definition than it has:
// its description or a schema changed, and nobody has accepted that.
func (r *Registry) Held(t *Tool) bool {
	pin, ok := r.Pins[t.ID]
	return ok && pin != t.Hash
}

// Hold gives the tools that are held their Error, and takes it from those
// that no longer are.
func (r *Registry) Hold() {
	for i := range r.Tools {
		t := &r.Tools[i]
		switch reason := heldReason(t.ID); {
		case r.Held(t):
			t.Error = cmp.Or(t.Error, reason)
		case t.Error == reason:
			t.Error = ""
		}
	}
}

func heldReason(id string) string {
	return fmt.Sprintf("its definition changed; read it, then run: build-registry accept %s", id)
}

// Accept pins tools to the definitions that they have now. An ID that the
// registry does not have is an error, and nothing is accepted.
func (r *Registry) Accept(ids ...string) error {
	for _, id := range ids {
		if _, ok := r.Tool(id); !ok {
			return fmt.Errorf("no tool %q in the registry", id)
		}
	}
	for _, id := range ids {
		t, _ := r.Tool(id)
		if _, pinned := r.Pins[id]; pinned {
			r.Pins[id] = t.Hash
		}
	}
	r.Hold()
	return nil
}
