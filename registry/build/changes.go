package build

import (
	"bytes"
	"encoding/json"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
)

// Change is how the definition of a known tool changed, for a person to read: a
// changed description can turn a tool against its users.
type Change struct {
	ID string `json:"id"`
	// What changed: title, description, inputSchema, outputSchema, annotations, request,
	// instructions (of the server).
	What []string `json:"what"`
	// Held says that the tool is pinned, and must not be called until the
	// change is accepted.
	Held   bool                `json:"held,omitempty"`
	Before registry.Definition `json:"before"`
	After  registry.Definition `json:"after"`
}

// changed says how the tools with the given IDs changed.
func changed(old, new *registry.Registry, ids []string) []Change {
	changes := make([]Change, 0, len(ids))
	for _, id := range ids {
		was, _ := old.Tool(id)
		is, _ := new.Tool(id)
		c := Compare(id, was.Definition(), is.Definition())
		c.Held = is.Held
		changes = append(changes, c)
	}
	return changes
}

// Compare returns the parts of a tool's definition that differ.
func Compare(id string, before, after registry.Definition) Change {
	c := Change{ID: id}
	part := func(name string, same bool, keep func(to *registry.Definition, d registry.Definition)) {
		if same {
			return
		}
		c.What = append(c.What, name)
		keep(&c.Before, before)
		keep(&c.After, after)
	}
	part("title", before.Title == after.Title, func(to *registry.Definition, d registry.Definition) { to.Title = d.Title })
	part("description", before.Description == after.Description,
		func(to *registry.Definition, d registry.Definition) { to.Description = d.Description })
	part("inputSchema", bytes.Equal(before.Input, after.Input),
		func(to *registry.Definition, d registry.Definition) { to.Input = d.Input })
	part("outputSchema", bytes.Equal(before.Output, after.Output),
		func(to *registry.Definition, d registry.Definition) { to.Output = d.Output })
	part("annotations", sameJSON(before.Annotations, after.Annotations),
		func(to *registry.Definition, d registry.Definition) { to.Annotations = d.Annotations })
	part("request", before.Request == after.Request,
		func(to *registry.Definition, d registry.Definition) { to.Request = d.Request })
	part("instructions", before.Instructions == after.Instructions,
		func(to *registry.Definition, d registry.Definition) { to.Instructions = d.Instructions })
	return c
}

func sameJSON(a, b *registry.Annotations) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// Pinned returns for each server of a config whether it is pinned; servers with
// a broken entry count by what of it can be read.
func Pinned(servers []config.Server) map[string]bool {
	pinned := map[string]bool{}
	for _, s := range servers {
		if s.Err == nil || s.Pin {
			pinned[s.Name] = s.Pin
		}
	}
	return pinned
}

// hold holds the tools that are others than their pins say. It reads the pins
// late, so that what was accepted while the servers were asked counts.
func hold(r, previous *registry.Registry, servers []config.Server, answers []answer, file string) (waiting []string,
	pins *registry.Pins) {
	pinned, fresh := Pinned(servers), map[string]bool{}
	for i := range answers {
		fresh[answers[i].server.Name] = answers[i].err == nil && !answers[i].kept
	}
	pins = registry.LoadPins(file)
	return pins.Hold(r, previous, pinned, func(server string) bool { return fresh[server] }), pins
}
