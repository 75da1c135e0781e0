package build

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
)

// Change describes how the definition of a known tool or skill changed, for a person to review: a changed
// description can turn it against its users.
type Change struct {
	ID string `json:"id"`
	// What lists the changed parts: title, description, inputSchema, outputSchema, annotations,
	// request, instructions (of the server), text and files (of a skill).
	What []string `json:"what"`
	// Held reports that it is pinned and must not be used until the change is accepted.
	Held   bool                `json:"held,omitempty"`
	Before registry.Definition `json:"before"`
	After  registry.Definition `json:"after"`
}

// changed returns how the tools with the given IDs changed.
func changed(old, new *registry.Registry, ids []string) []Change {
	changes := make([]Change, 0, len(ids))
	for _, id := range ids {
		var c Change
		if is, ok := new.Tool(id); ok {
			was, _ := old.Tool(id)
			c = Compare(id, was.Definition(), is.Definition())
			c.Held = is.Held
		} else if _, is, ok := new.Skill(id); ok {
			_, was, _ := old.Skill(id)
			c = Compare(id, was.Definition(), is.Definition())
			c.Held = is.Held
		}
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
	part("text", before.Text == after.Text, func(to *registry.Definition, d registry.Definition) { to.Text = d.Text })
	part("files", before.Files == after.Files, func(to *registry.Definition, d registry.Definition) { to.Files = d.Files })
	return c
}

// Part is a part of a definition before and after a change, in lines for a person. Invisible
// characters are escaped; texts are quoted as in Go.
type Part struct {
	Name          string
	Before, After []string
}

// Parts returns the parts of the definition that changed.
func (c *Change) Parts() []Part {
	b, a := &c.Before, &c.After
	var out []Part
	for _, p := range []Part{
		{"title", textLines(b.Title), textLines(a.Title)},
		{"description", textLines(b.Description), textLines(a.Description)},
		{"request", textLines(b.Request), textLines(a.Request)},
		{"instructions of its server", textLines(b.Instructions), textLines(a.Instructions)},
		{"text", textLines(b.Text), textLines(a.Text)},
		{"files", textLines(b.Files), textLines(a.Files)},
		{"inputSchema", jsonLines(b.Input), jsonLines(a.Input)},
		{"outputSchema", jsonLines(b.Output), jsonLines(a.Output)},
		{"annotations", jsonLines(marshaled(b.Annotations)), jsonLines(marshaled(a.Annotations))},
	} {
		if !slices.Equal(p.Before, p.After) {
			out = append(out, p)
		}
	}
	return out
}

// Differ splits off the lines at the beginning and end that did not change.
func (p *Part) Differ() (begin, before, after, end []string) {
	before, after = p.Before, p.After
	n := 0
	for n < min(len(before), len(after)) && before[n] == after[n] {
		n++
	}
	begin, before, after = before[:n], before[n:], after[n:]
	for n = 0; n < min(len(before), len(after)) && before[len(before)-1-n] == after[len(after)-1-n]; n++ {
	}
	return begin, before[:len(before)-n], after[:len(after)-n], before[len(before)-n:]
}

func textLines(text string) (out []string) {
	if text == "" {
		return nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		out = append(out, string(registry.PrintableGo(fmt.Appendf(nil, "%q", line))))
	}
	return out
}

func jsonLines(raw json.RawMessage) []string {
	if len(raw) == 0 {
		return nil
	}
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return []string{fmt.Sprintf("%q", raw)}
	}
	return strings.Split(string(registry.PrintableJSON(b.Bytes())), "\n")
}

func marshaled(a *registry.Annotations) json.RawMessage {
	if a == nil {
		return nil
	}
	b, _ := json.Marshal(a) // texts and booleans always marshal
	return b
}

func sameJSON(a, b *registry.Annotations) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// Pinned returns for each server of a config whether it is pinned. For a broken entry, it uses
// the readable part.
func Pinned(servers []config.Server) map[string]bool {
	pinned := map[string]bool{}
	for _, s := range servers {
		if s.Err == nil || s.Pin {
			pinned[s.Name] = s.Pin
		}
	}
	return pinned
}

// hold holds the tools that differ from their pins. It reads the pins as late as possible, so
// that definitions accepted while the servers were asked count.
func hold(r, previous *registry.Registry, servers []config.Server, answers []answer, file string) (waiting []string,
	pins *registry.Pins) {
	pinned, fresh := Pinned(servers), map[string]bool{}
	for i := range answers {
		fresh[answers[i].server.Name] = answers[i].err == nil && !answers[i].kept
	}
	pins = registry.LoadPins(file)
	return pins.Hold(r, previous, pinned, func(server string) bool { return fresh[server] }), pins
}
