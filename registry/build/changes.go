package build

import (
	"bytes"
	"encoding/json"
	"maps"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
)

// Change says how the definition of a known tool changed. Read it: a changed
// description is how a tool is turned against its users.
type Change struct {
	ID string `json:"id"`
	// What changed: description, inputSchema, outputSchema, annotations.
	What []string `json:"what"`
	// Held says that the tool is pinned, and must not be called until the
	// change is accepted.
	Held   bool       `json:"held,omitempty"`
	Before Definition `json:"before"`
	After  Definition `json:"after"`
}

// Definition is what a server says of a tool.
type Definition struct {
	Description string                `json:"description,omitempty"`
	Input       json.RawMessage       `json:"inputSchema,omitempty"`
	Output      json.RawMessage       `json:"outputSchema,omitempty"`
	Annotations *registry.Annotations `json:"annotations,omitempty"`
}

func definition(t *registry.Tool) Definition {
	return Definition{t.Description, t.Input, t.Output, t.Annotations}
}

// changed says how the tools with the given IDs changed, with only the parts
// that did.
func changed(old, new *registry.Registry, ids []string) []Change {
	changes := make([]Change, 0, len(ids))
	for _, id := range ids {
		was, _ := old.Tool(id)
		is, _ := new.Tool(id)
		c := Change{ID: id, Held: new.Held(is)}
		before, after := definition(was), definition(is)
		part := func(name string, same bool, keep func(*Definition, Definition)) {
			if same {
				return
			}
			c.What = append(c.What, name)
			keep(&c.Before, before)
			keep(&c.After, after)
		}
		part("description", before.Description == after.Description, func(to *Definition, d Definition) { to.Description = d.Description })
		part("inputSchema", bytes.Equal(before.Input, after.Input), func(to *Definition, d Definition) { to.Input = d.Input })
		part("outputSchema", bytes.Equal(before.Output, after.Output), func(to *Definition, d Definition) { to.Output = d.Output })
		part("annotations", sameJSON(before.Annotations, after.Annotations), func(to *Definition, d Definition) { to.Annotations = d.Annotations })
		changes = append(changes, c)
	}
	return changes
}

func sameJSON(a, b *registry.Annotations) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// pin takes over the pins of an earlier build and adds one for each tool of a
// pinned server that has none: to what was known of it before, else to what it
// is now. Servers that are no longer pinned lose theirs.
func pin(r *registry.Registry, previous *registry.Registry, servers []config.Server) {
	pinned := map[string]bool{}
	for _, s := range servers {
		pinned[s.Name] = s.Pin
	}
	if previous == nil {
		previous = &registry.Registry{}
	}
	// A name may hold dots: the pins to keep are those of no server that is
	// there without being pinned.
	pins := maps.Clone(previous.Pins)
	maps.DeleteFunc(pins, func(id, _ string) bool {
		server := serverOf(id, pinned)
		return !pinned[server]
	})
	for i := range r.Tools {
		t := &r.Tools[i]
		if !pinned[t.Server] {
			continue
		}
		if _, ok := pins[t.ID]; ok {
			continue
		}
		if pins == nil {
			pins = map[string]string{}
		}
		pins[t.ID] = t.Hash
		if old, ok := previous.Tool(t.ID); ok {
			pins[t.ID] = old.Hash
		}
	}
	if len(pins) > 0 {
		r.Pins = pins
	}
	r.Hold()
}

// serverOf returns the longest name of a server that a tool's ID begins with:
// names of servers and of tools may have dots.
func serverOf(id string, servers map[string]bool) string {
	for i := len(id) - 1; i > 0; i-- {
		if _, ok := servers[id[:i]]; ok && id[i] == '.' {
			return id[:i]
		}
	}
	return ""
}
