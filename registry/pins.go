package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"github.com/usetools/usetools/registry/localfile"
)

// PinsFile is the name of the pins file, which is beside the first config.
const PinsFile = "tool_pins.json"

// Waits marks a tool with a definition that changed after it was accepted. New marks a tool that
// the server added after it was pinned. Neither can be called until it is accepted.
const (
	Waits = "changed; waits for accept"
	New   = "new; waits for accept"
)

// pinsVersion is the version of the pins file.
const pinsVersion = 1

// Pins are the accepted definitions of the tools of pinned servers. A pin is kept if its tool or
// its server disappears, so that neither can return unnoticed with another definition.
type Pins struct {
	Servers map[string]*ServerPins
	// Err is why the file is unusable. Every tool of a pinned server is then held, because the
	// accepted definitions are unknown.
	Err error

	saved []byte // content of the file
}

// ServerPins are the accepted instructions and tools of a server.
type ServerPins struct {
	// Title is the server's title when it was pinned. If nil, it is not known yet.
	Title        *string `json:"title,omitempty"`
	Instructions string  `json:"instructions,omitempty"`
	// Waits are the server's current instructions if they differ from the accepted ones. All its
	// tools are then held.
	Waits *string         `json:"waits,omitempty"`
	Tools map[string]*Pin `json:"tools"` // by the tool's name
	// Skills are the accepted skills, by name.
	Skills map[string]*Pin `json:"skills,omitempty"`
}

// Pin is the accepted definition of a tool or skill, with a changed one that needs acceptance.
type Pin struct {
	Definition
	// Digest is "sha256:" and 64 hex digits over the definition and the
	// server's instructions.
	Digest string `json:"digest"`
	// Waits is the tool's current definition if it differs from the accepted one. If it has no
	// input schema, it is not known yet; the next build adds it.
	Waits *Definition `json:"waits,omitempty"`
}

// Definition is the part of a tool or skill that its server defines.
type Definition struct {
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"inputSchema,omitempty"`
	Output      json.RawMessage `json:"outputSchema,omitempty"`
	Annotations *Annotations    `json:"annotations,omitempty"`
	Request     string          `json:"request,omitempty"`
	// Instructions are those of the server, if they are part of a change.
	Instructions string `json:"instructions,omitempty"`
	// Text is the SKILL.md of a skill, and Files the number and the digest of its files.
	Text  string `json:"text,omitempty"`
	Files string `json:"files,omitempty"`
}

// Definition returns the part of the tool that its server defines.
func (t *Tool) Definition() Definition {
	return Definition{Title: t.Title, Description: t.Description, Input: t.Input, Output: t.Output,
		Annotations: t.Annotations, Request: t.Request}
}

func (t *Tool) define(d Definition) {
	t.Title, t.Description, t.Input, t.Output, t.Annotations, t.Request = d.Title, d.Description, d.Input, d.Output,
		d.Annotations, d.Request
	if len(t.Input) == 0 {
		t.Input = json.RawMessage("{}")
	}
	t.Hash, t.Embedding = t.ComputeHash(), nil
}

// digest returns the digest of everything that a model reads about a tool or skill, and of the request
// that a call sends.
func (d *Definition) digest(name, instructions string) string {
	all := []any{name, d.Title, d.Description, canonical(d.Input), canonical(d.Output), d.Annotations, instructions}
	if d.Request != "" {
		all = append(all, d.Request)
	}
	if d.Text != "" {
		all = append(all, d.Text, d.Files)
	}
	b, err := json.Marshal(all)
	if err != nil { // canonical yields only values that marshal
		panic(err)
	}
	return digest(b)
}

// compact removes the file's white space from the schemas.
func (d *Definition) compact() {
	for _, raw := range []*json.RawMessage{&d.Input, &d.Output} {
		var b bytes.Buffer
		if len(*raw) > 0 && json.Compact(&b, *raw) == nil {
			*raw = b.Bytes()
		}
	}
}

// nothing reports whether a definition is empty.
func (d *Definition) nothing() bool {
	return d.Title == "" && d.Description == "" && string(d.Input) == "{}" && d.Output == nil && d.Annotations == nil
}

// Marked returns the tool's description. If the tool is held, Waits or New in parentheses
// precedes it.
func (t *Tool) Marked() string {
	if !t.Held {
		return t.Description
	}
	mark := Waits
	if t.New() {
		mark = New
	}
	return strings.TrimSpace("(" + mark + ") " + t.Description)
}

// New reports whether the tool's server added it after it was pinned. Such a tool is Held and has
// no visible definition until it is accepted.
func (t *Tool) New() bool { return t.Held && strings.HasPrefix(t.Error, New) }

// AttributedDescription returns the tool's description, attributed to the server and Quoted if it is long.
func (t *Tool) AttributedDescription() string {
	text := strings.TrimSpace(t.Marked())
	if strings.Contains(text, "\n") || len(text) > 100 {
		return t.Server + " says: " + Quoted(text)
	}
	return text
}

// PinsPath returns the path of the pins file: beside the first config, otherwise beside the
// registry file. It returns "" if there is neither.
func PinsPath(configs []string, registryFile string) string {
	switch {
	case len(configs) > 0:
		return filepath.Join(filepath.Dir(configs[0]), PinsFile)
	case registryFile != "":
		return filepath.Join(filepath.Dir(registryFile), PinsFile)
	}
	return ""
}

var pinsLock sync.Mutex

// LockPins locks the pins within this process. Hold the lock to read, change and save them.
func LockPins() (unlock func()) {
	pinsLock.Lock()
	return pinsLock.Unlock
}

// LoadPins reads a pins file. If path is "" or the file does not exist, the result is empty. If
// it is unusable, Pins.Err says why.
func LoadPins(path string) *Pins {
	if path == "" {
		return &Pins{Servers: map[string]*ServerPins{}}
	}
	data, err := localfile.Read(path, MaxFileBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return &Pins{Servers: map[string]*ServerPins{}}
	}
	var p *Pins
	if err == nil {
		p, err = DecodePins(data)
	}
	if err != nil {
		return &Pins{Err: fmt.Errorf("%s is unusable: %w", PinsFile, err)}
	}
	return p
}

// pinsFile is the content of the file.
type pinsFile struct {
	Version int                    `json:"version"`
	Servers map[string]*ServerPins `json:"servers"`
}

// DecodePins decodes a pins file. The error says where it is not valid JSON, or which digest does
// not match its definition.
func DecodePins(data []byte) (*Pins, error) {
	var f pinsFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, syntaxFault(data, err)
	}
	if f.Version != pinsVersion {
		return nil, fmt.Errorf("it has version %d, but this program reads version %d", f.Version, pinsVersion)
	}
	if f.Servers == nil {
		f.Servers = map[string]*ServerPins{}
	}
	for server, sp := range f.Servers {
		if sp == nil {
			return nil, fmt.Errorf("server %q has no pins", server)
		}
		for name, pin := range sp.Tools {
			if pin == nil {
				return nil, fmt.Errorf("the pin of %s is empty", ToolID(server, name))
			}
			pin.compact()
			if pin.Waits != nil {
				pin.Waits.compact()
			}
			if pin.Digest != pin.digest(name, sp.Instructions) {
				return nil, fmt.Errorf("the digest of %s does not match its definition", ToolID(server, name))
			}
		}
		for name, pin := range sp.Skills {
			if pin == nil || pin.Digest != pin.digest(name, "") {
				return nil, fmt.Errorf("the digest of %s does not match its definition", SkillID(server, name))
			}
		}
		if sp.Tools == nil {
			sp.Tools = map[string]*Pin{}
		}
	}
	return &Pins{Servers: f.Servers, saved: data}, nil
}

func syntaxFault(data []byte, err error) error {
	var fault *FormatError
	if !errors.As(syntaxError(data, err), &fault) {
		return err
	}
	if fault.Line > 0 {
		return fmt.Errorf("line %d: %s", fault.Line, fault.Msg)
	}
	return errors.New(fault.Msg)
}

// Save writes the pins to path atomically if they differ from the file. If path is "", it does
// nothing. It does not overwrite an unusable file (Err).
func (p *Pins) Save(path string) error {
	if path == "" || p.Err != nil || len(p.Servers) == 0 && p.saved == nil {
		return nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(pinsFile{pinsVersion, p.Servers}); err != nil {
		return fmt.Errorf("writing %s: %w", PinsFile, err)
	}
	if bytes.Equal(b.Bytes(), p.saved) {
		return nil
	}
	if err := localfile.Write(path, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("writing %s: %w", PinsFile, err)
	}
	p.saved = b.Bytes()
	return nil
}

func newPin(d Definition, name, instructions string) *Pin {
	return &Pin{Definition: d, Digest: d.digest(name, instructions)}
}

// Hold compares the tools of a registry with their pins. If the definition of a tool differs from
// the accepted one, the tool gets the accepted one back, is Held, and has an Error that says so.
// The new definition is stored in its pin. A tool of a pinned server without a pin gets one: for
// its definition in previous, or for its current one if the server had no pins at all. A tool
// that the server adds later is held too, as is a renamed one. Skills are held as tools are.
//
// pinned says for each server of the config whether it is pinned. A server that is not pinned
// has its pins removed. fresh reports whether r has a server's current answer. previous may be nil.
//
// Hold returns the IDs of the tools and skills with a new definition to accept, or another one than before.
func (p *Pins) Hold(r, previous *Registry, pinned map[string]bool, fresh func(server string) bool) []string {
	if previous == nil {
		previous = &Registry{}
	}
	for server, is := range pinned {
		if !is && p.Err == nil {
			delete(p.Servers, server)
		}
	}
	h := holder{p: p, r: r, previous: previous, pinned: pinned, fresh: fresh, had: map[string]bool{},
		instructions: map[string]bool{}}
	for server, sp := range p.Servers {
		h.had[server] = len(sp.Tools)+len(sp.Skills) > 0
	}
	for i := range r.Servers {
		if s := &r.Servers[i]; p.Err == nil && s.Tools+len(s.Skills) > 0 {
			h.server(s)
		}
	}
	var news []string
	for i := range r.Tools {
		if t := &r.Tools[i]; h.tool(t) {
			news = append(news, t.ID)
		}
	}
	for i := range r.Servers {
		s := &r.Servers[i]
		for j := range s.Skills {
			if h.skill(s.Name, &s.Skills[j]) {
				news = append(news, SkillID(s.Name, s.Skills[j].Name))
			}
		}
	}
	r.Normalize() // hashes of servers
	return news
}

// holder is a running Hold.
type holder struct {
	p            *Pins
	r, previous  *Registry
	pinned       map[string]bool
	fresh        func(server string) bool
	had          map[string]bool // servers that had pins
	instructions map[string]bool // servers with instructions that this Hold found to differ
}

// server compares the instructions of a server with the accepted ones.
func (h *holder) server(s *Server) {
	sp := h.p.Servers[s.Name]
	switch {
	case sp == nil && !h.pinned[s.Name]:
		return
	case sp == nil:
		sp = &ServerPins{Instructions: s.Instructions, Tools: map[string]*Pin{}}
		if old, ok := h.previous.Server(s.Name); ok && old.Tools > 0 {
			sp.Instructions = old.Instructions
		}
		h.p.Servers[s.Name] = sp
	}
	if sp.Title == nil {
		title := s.Title
		sp.Title = &title
	}
	s.Title = *sp.Title // a changed title needs no acceptance: it is not shown
	switch {
	case s.Instructions != sp.Instructions:
		h.instructions[s.Name] = sp.Waits == nil || *sp.Waits != s.Instructions
		now := s.Instructions
		sp.Waits, s.Instructions = &now, sp.Instructions
	case h.fresh(s.Name):
		sp.Waits = nil
	}
}

// tool compares a tool with its pin. It reports whether there is a new definition to accept.
func (h *holder) tool(t *Tool) bool {
	if h.p.Err != nil {
		h.unknown(t)
		return false
	}
	sp := h.p.Servers[t.Server]
	if sp == nil {
		t.Request = ""
		if is, known := h.pinned[t.Server]; known && !is {
			t.hold("")
		}
		return false
	}
	fresh, pin := h.fresh(t.Server), sp.Tools[t.Name]
	if pin == nil {
		if !h.pinned[t.Server] {
			t.Request = ""
			return false
		}
		pin = h.first(t, sp)
		sp.Tools[t.Name] = pin
	}
	now := t.Definition()
	before := pin.Waits
	if pin.Digest == now.digest(t.Name, sp.Instructions) {
		if fresh {
			pin.Waits = nil
		}
		// Use the accepted bytes: the order of a schema's properties is the order of the fields
		// of a script's types.
		t.Input, t.Output = pin.Input, pin.Output
	} else {
		switch {
		case !now.nothing() || fresh:
			pin.Waits = &now
		case pin.Waits == nil: // after unknown
			pin.Waits = &Definition{}
		}
		t.define(pin.Definition)
	}
	if pin.Waits == nil && sp.Waits == nil {
		t.hold("")
		return false
	}
	reason := Waits + ": read what changed"
	if pin.Input == nil {
		reason = New + ": read it"
	}
	t.hold(fmt.Sprintf("%s, with build-registry accept %s", reason, ShellWord(t.ID)))
	return pin.changed(before) || h.instructions[t.Server]
}

// changed reports whether the pin has a definition to accept other than before, which may be nil.
func (p *Pin) changed(before *Definition) bool {
	return p.Waits != nil && (before == nil || p.Waits.digest("", "") != before.digest("", ""))
}

// first returns the pin of a tool without one.
func (h *holder) first(t *Tool, sp *ServerPins) *Pin {
	old, ok := h.previous.Tool(t.ID)
	switch {
	case !ok && h.had[t.Server], ok && old.New():
		return newPin(Definition{}, t.Name, sp.Instructions)
	case !ok:
		return newPin(t.Definition(), t.Name, sp.Instructions)
	}
	d := old.Definition()
	if old.Held && d.nothing() { // it was never known
		return newPin(t.Definition(), t.Name, sp.Instructions)
	}
	pin := newPin(d, t.Name, sp.Instructions)
	if old.Held { // the pins are gone, but it still needs acceptance
		pin.Waits = &Definition{}
	}
	return pin
}

// unknown holds a tool of a pinned server if the accepted definition is unknown. It shows the
// definition of an earlier registry, or none.
func (h *holder) unknown(t *Tool) {
	if !h.pinned[t.Server] {
		return
	}
	if h.fresh(t.Server) {
		var d Definition
		if old, ok := h.previous.Tool(t.ID); ok {
			d = old.Definition()
		}
		t.define(d)
		if s, ok := h.r.Server(t.Server); ok {
			s.Instructions = ""
			if old, ok := h.previous.Server(t.Server); ok {
				s.Instructions = old.Instructions
			}
		}
	}
	t.hold(fmt.Sprintf("held: %v; repair the file, or remove it and run build-registry to pin the current definitions",
		h.p.Err))
}

// hold marks a tool as held for a reason, or as not held if the reason is "". It keeps a
// different Error.
func (t *Tool) hold(reason string) {
	if t.Held && (strings.HasPrefix(t.Error, Waits) || strings.HasPrefix(t.Error, New) ||
		strings.HasPrefix(t.Error, "held: ")) {
		t.Error = ""
	}
	t.Held = reason != ""
	if t.Error == "" {
		t.Error = reason
	}
}

// Change returns the accepted definition of a tool and the one to accept. ok is false if there is
// nothing to accept.
func (p *Pins) Change(server, name string) (accepted, now Definition, ok bool) {
	sp := p.Servers[server]
	if sp == nil || sp.Tools[name] == nil {
		return accepted, now, false
	}
	pin := sp.Tools[name]
	accepted, now = pin.Definition, pin.Definition
	if pin.Waits != nil {
		now = *pin.Waits
	}
	if sp.Waits != nil {
		accepted.Instructions, now.Instructions = sp.Instructions, *sp.Waits
	}
	return accepted, now, pin.Waits != nil || sp.Waits != nil
}

// Accept makes the current definitions of tools and skills the accepted ones, in p and in r. With any tool
// of a server, the server's instructions are accepted too. It returns an error for an unknown ID,
// or if the current definition is not known. Then it accepts nothing.
func (p *Pins) Accept(r *Registry, ids ...string) error {
	if err := p.Acceptable(r, ids...); err != nil {
		return err
	}
	for _, id := range ids {
		t, isTool := r.Tool(id)
		if !isTool {
			s, k, _ := r.Skill(id)
			if pin := p.waitingSkill(s.Name, k.Name); pin != nil {
				*pin = *newPin(*pin.Waits, k.Name, "")
				k.define(pin.Definition)
			}
			continue
		}
		if _, _, waits := p.Change(t.Server, t.Name); !waits {
			continue
		}
		sp := p.Servers[t.Server]
		if sp.Waits != nil {
			s, _ := r.Server(t.Server)
			sp.Instructions, s.Instructions, sp.Waits = *sp.Waits, *sp.Waits, nil
		}
		if pin := sp.Tools[t.Name]; pin.Waits != nil {
			*pin = Pin{Definition: *pin.Waits}
			t.define(pin.Definition)
		}
		for name, pin := range sp.Tools {
			pin.Digest = pin.digest(name, sp.Instructions)
		}
	}
	p.Hold(r, nil, nil, func(string) bool { return false })
	return nil
}

// Acceptable returns the error that Accept would return. It changes nothing.
func (p *Pins) Acceptable(r *Registry, ids ...string) error {
	if p.Err != nil {
		return fmt.Errorf("%w; repair the file, or remove it", p.Err)
	}
	for _, id := range ids {
		t, ok := r.Tool(id)
		if _, _, isSkill := r.Skill(id); !ok && isSkill {
			continue
		}
		if !ok {
			return fmt.Errorf("no tool %q in the registry", id)
		}
		if _, now, waits := p.Change(t.Server, t.Name); waits && len(now.Input) == 0 {
			return fmt.Errorf("the new definition of %s is not known yet: run build-registry first", id)
		}
	}
	return nil
}

// Waiting returns the IDs of the registry's tools and skills that need acceptance.
func (p *Pins) Waiting(r *Registry) []string {
	var ids []string
	for i := range r.Tools {
		if _, _, waits := p.Change(r.Tools[i].Server, r.Tools[i].Name); waits {
			ids = append(ids, r.Tools[i].ID)
		}
	}
	for _, s := range r.Servers {
		for _, k := range s.Skills {
			if p.waitingSkill(s.Name, k.Name) != nil {
				ids = append(ids, SkillID(s.Name, k.Name))
			}
		}
	}
	return ids
}
