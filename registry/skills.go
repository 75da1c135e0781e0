package registry

import (
	"fmt"
	"strings"
)

// Skill is a skill of a server: instructions for agents, which its server wrote. They are
// untrusted text, and are never executed.
type Skill struct {
	// Name is the name in the front matter of SKILL.md. If several skills of the server have it,
	// Name is the path of the folder.
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	URI         string `json:"uri"`
	// Text is SKILL.md, with its front matter. If empty, the skill is Held and nothing of it has
	// been accepted.
	Text string `json:"text,omitempty"`
	// Files is the number of its files, SKILL.md included. The others are not collected.
	Files int `json:"files,omitempty"`
	// Digest is over the names and digests of all its files.
	Digest string `json:"digest"`
	// Held reports whether the skill changed and needs acceptance. The other fields have the
	// accepted version, see [Pins.Hold].
	Held bool `json:"held,omitempty"`
}

// SkillID returns the ID of a skill: the server's name, a slash, the skill's name.
func SkillID(server, skill string) string { return server + "/" + skill }

// Skill returns the skill with the given ID, and its server.
func (r *Registry) Skill(id string) (*Server, *Skill, bool) {
	for i := range r.Servers {
		s := &r.Servers[i]
		name, ok := strings.CutPrefix(id, s.Name+"/")
		for j := range s.Skills {
			if ok && s.Skills[j].Name == name {
				return s, &s.Skills[j], true
			}
		}
	}
	return nil, nil, false
}

// Definition returns the part of the skill that its server defines.
func (k *Skill) Definition() Definition {
	if k.Text == "" {
		return Definition{}
	}
	return Definition{Description: k.Description, Text: k.Text, Files: fmt.Sprintf("%d, %s", k.Files, k.Digest)}
}

func (k *Skill) define(d Definition) {
	k.Description, k.Text, k.Files, k.Digest = d.Description, d.Text, 0, ""
	fmt.Sscanf(d.Files, "%d, %s", &k.Files, &k.Digest) // without files there is neither
}

// printable returns the skill as it is shown.
func (k Skill) printable() Skill {
	k.Name, k.URI = Printable(k.Name, maxShownTitle), Printable(k.URI, maxShownTitle)
	k.Description, k.Text = Printable(k.Description, maxShownError), PrintableText(k.Text, len(k.Text))
	return k
}

// skill compares a skill with its pin. It reports whether there is a new definition to accept.
func (h *holder) skill(server string, k *Skill) bool {
	sp, fresh := h.p.Servers[server], h.fresh(server)
	is, known := h.pinned[server]
	switch {
	case h.p.Err != nil && is:
		if fresh {
			old, _ := h.previousSkill(server, k.Name)
			k.define(old)
		}
		k.Held = true
		return false
	case sp == nil && known && !is:
		k.Held = false
		return false
	case h.p.Err != nil || sp == nil:
		return false
	}
	pin := sp.Skills[k.Name]
	if pin == nil {
		if !is {
			return false
		}
		accepted, ok := h.previousSkill(server, k.Name) // empty for a new one
		if !ok && !h.had[server] {
			accepted = k.Definition()
		}
		pin = newPin(accepted, k.Name, "")
		if sp.Skills == nil {
			sp.Skills = map[string]*Pin{}
		}
		sp.Skills[k.Name] = pin
	}
	now, before := k.Definition(), pin.Waits
	switch {
	case pin.Digest != now.digest(k.Name, ""):
		pin.Waits = &now
		k.define(pin.Definition)
	case fresh:
		pin.Waits = nil
	}
	k.Held = pin.Waits != nil
	return pin.changed(before)
}

func (h *holder) previousSkill(server, name string) (Definition, bool) {
	if _, k, ok := h.previous.Skill(SkillID(server, name)); ok {
		return k.Definition(), true
	}
	return Definition{}, false
}

// waitingSkill returns the pin of a skill that has a definition to accept, or nil.
func (p *Pins) waitingSkill(server, name string) *Pin {
	if sp := p.Servers[server]; sp != nil && sp.Skills[name] != nil && sp.Skills[name].Waits != nil {
		return sp.Skills[name]
	}
	return nil
}

// ChangeOf returns the accepted definition of the tool or skill with an ID, and the one to accept.
func (p *Pins) ChangeOf(r *Registry, id string) (accepted, now Definition) {
	if t, ok := r.Tool(id); ok {
		accepted, now, _ = p.Change(t.Server, t.Name)
	} else if s, k, ok := r.Skill(id); ok {
		if pin := p.waitingSkill(s.Name, k.Name); pin != nil {
			return pin.Definition, *pin.Waits
		}
	}
	return accepted, now
}
