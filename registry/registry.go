package registry

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"slices"
)

// Version is the version of the file format that this package reads and writes.
const Version = 1

// Registry is a set of servers with their tools. Do not change a Registry that several goroutines
// use.
type Registry struct {
	// Config is the digest of the server definitions that the registry was built from
	// (config.Config.Digest). Rebuild if the config has another one.
	Config string
	// Embedder identifies the model of the tools' embeddings. It is nil if they have none.
	Embedder *Embedder
	Servers  []Server // sorted by name after Normalize
	Tools    []Tool   // sorted by ID after Normalize

	byID map[string]int
}

// Embedder identifies the model of a registry's vectors. Vectors of different embedders are never
// compared.
type Embedder struct {
	Name       string `json:"name"`
	Dimensions int    `json:"dimensions"`
	// Encoding is "i8" (little-endian float32 scale, then one int8 per
	// dimension) or "f32" (little-endian float32 per dimension).
	Encoding string `json:"encoding"`
	SHA256   string `json:"sha256,omitempty"`
}

// Server is a source of tools, as of the last successful request for its tools.
type Server struct {
	Name         string `json:"name"`
	Transport    string `json:"transport"` // stdio, http, sse, snapshot …
	Title        string `json:"title,omitempty"`
	Version      string `json:"version,omitempty"`
	Instructions string `json:"instructions,omitempty"`
	Protocol     string `json:"protocol,omitempty"` // negotiated MCP revision
	Tools        int    `json:"tools"`              // number of its tools in the registry
	Hash         string `json:"hash"`               // over the hashes of its tools
	// Definition is the digest of the server definition that was used (config.Server.Digest). If
	// it is empty or differs, ask the server again.
	Definition string `json:"definition,omitempty"`
	// Error is why the last request for the server's tools failed. It is nil if it succeeded. If
	// not nil, its tools are those of an earlier build, marked stale.
	Error *string `json:"error"`
	// SignIn reports that the request failed because a person has to sign in first.
	SignIn bool `json:"signIn,omitempty"`
	// Problems lists faults of single tools that were omitted.
	Problems []string `json:"problems,omitempty"`
	// Skills are the skills that the server lists, sorted by name.
	Skills []Skill `json:"skills,omitempty"`
	// Rules are the config's rules for calls of its tools, for processes whose own config does
	// not have the server. If nil, the server has no special rules.
	Rules *Rules `json:"usetools,omitempty"`
}

// Rules are the part of a server's config by which calls of its tools are judged and recorded;
// see config.Server.
type Rules struct {
	Trust       string      `json:"trust,omitempty"`
	Classes     [][2]string `json:"class,omitempty"` // pattern and class; the first match wins
	Private     []string    `json:"private,omitempty"`
	Idempotency string      `json:"idempotency,omitempty"` // a duration
	Session     bool        `json:"session,omitempty"`
}

// Tool is one callable tool.
type Tool struct {
	ID          string          `json:"id"` // Server + "." + Name
	Server      string          `json:"server"`
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"inputSchema"`            // JSON Schema; {} if the tool has none
	Output      json.RawMessage `json:"outputSchema,omitempty"` // nil if the result is untyped
	Annotations *Annotations    `json:"annotations,omitempty"`
	// Request describes the HTTP request of a pinned OpenAPI tool: method, address, and where the
	// arguments go. It is part of the pinned definition.
	Request  string    `json:"request,omitempty"`
	Category string    `json:"category,omitempty"`
	Examples []Example `json:"examples,omitempty"`
	// Hash covers name, description, both schemas (independent of the order of keys) and
	// annotations; see [Tool.ComputeHash].
	Hash string `json:"hash"`
	// Embedding is the vector of the tool's full text, in the encoding of Registry.Embedder.
	Embedding []byte `json:"embedding,omitempty"`
	// Stale marks a tool from an earlier build because its server failed in the last one, or a
	// tool that cannot work now, see Error.
	Stale bool `json:"stale,omitempty"`
	// Error is why the tool must not be called although its server answered: its program is not
	// installed or too old (it is then Stale as well), or it is Held.
	Error string `json:"error,omitempty"`
	// Held reports that the tool's definition changed and has not been accepted. The fields have
	// the accepted definition, see [Pins.Hold].
	Held bool `json:"held,omitempty"`
}

// Example is one example of a tool's arguments, a JSON object.
type Example = json.RawMessage

// Annotations are a server's hints about a tool's behaviour (MCP ToolAnnotations). They are
// claims of the server, not facts. A nil hint is absent.
type Annotations struct {
	Title       string `json:"title,omitempty"`
	ReadOnly    *bool  `json:"readOnlyHint,omitempty"`
	Destructive *bool  `json:"destructiveHint,omitempty"`
	Idempotent  *bool  `json:"idempotentHint,omitempty"`
	OpenWorld   *bool  `json:"openWorldHint,omitempty"`
}

// ReadsOnly reports whether the annotations mark the tool as read-only. a may be nil.
func (a *Annotations) ReadsOnly() bool { return a != nil && a.ReadOnly != nil && *a.ReadOnly }

// MayDestroy reports whether a tool may destroy something, and whether its annotations say so
// (declared). Without annotations it may, by MCP's defaults. a may be nil.
func (a *Annotations) MayDestroy() (may, declared bool) {
	switch {
	case a.ReadsOnly():
		return false, true
	case a == nil || a.Destructive == nil:
		return true, false
	}
	return *a.Destructive, true
}

// ToolID returns the ID of a tool: the server's name, a dot, the tool's name.
func ToolID(server, tool string) string { return server + "." + tool }

// Tool returns the tool with the given ID.
func (r *Registry) Tool(id string) (*Tool, bool) {
	if i, ok := r.byID[id]; ok {
		return &r.Tools[i], true
	}
	return nil, false
}

// Server returns the server with the given name.
func (r *Registry) Server(name string) (*Server, bool) {
	i, ok := slices.BinarySearchFunc(r.Servers, name, func(s Server, n string) int { return cmp.Compare(s.Name, n) })
	if !ok {
		return nil, false
	}
	return &r.Servers[i], true
}

// Normalize puts the registry into its canonical form. It sets IDs, hashes and counts, sorts
// servers and tools, and adds entries for missing servers. If several tools have one ID, it keeps
// the first. Call it once after setting fields by hand, before the registry is shared.
func (r *Registry) Normalize() { r.normalize() }

// normalize is Normalize. It returns an ID that several tools had, or "".
func (r *Registry) normalize() (twice string) {
	sorted := true
	for i := range r.Tools {
		t := &r.Tools[i]
		if !t.hasID() {
			t.ID = ToolID(t.Server, t.Name)
		}
		if len(t.Input) == 0 || string(t.Input) == "null" {
			t.Input = json.RawMessage("{}")
		}
		if string(t.Output) == "null" {
			t.Output = nil
		}
		if t.Hash == "" {
			t.Hash = t.ComputeHash()
		}
		sorted = sorted && (i == 0 || r.Tools[i-1].ID < t.ID)
	}
	if !sorted { // tools from a file are sorted
		slices.SortStableFunc(r.Tools, func(a, b Tool) int { return cmp.Compare(a.ID, b.ID) })
		r.Tools = slices.CompactFunc(r.Tools, func(a, b Tool) bool {
			if a.ID == b.ID {
				twice = a.ID
			}
			return a.ID == b.ID
		})
	}
	have := make(map[string]int, len(r.Servers)) // indexes by name
	for i, s := range r.Servers {
		have[s.Name] = i
	}
	sums := make([][]byte, len(r.Servers))
	counts := make([]int, len(r.Servers))
	at := -1
	for i := range r.Tools {
		t := &r.Tools[i]
		ok := at >= 0 && r.Servers[at].Name == t.Server // true of most adjacent tools
		if !ok {
			at, ok = have[t.Server]
		}
		if !ok {
			at = len(r.Servers)
			have[t.Server] = at
			r.Servers = append(r.Servers, Server{Name: t.Server, Transport: "snapshot"})
			sums, counts = append(sums, nil), append(counts, 0)
		}
		counts[at]++
		sums[at] = append(append(append(sums[at], t.ID...), t.Hash...), '\n')
	}
	for i := range r.Servers {
		at := have[r.Servers[i].Name] // works also if two servers have one name
		r.Servers[i].Tools, r.Servers[i].Hash = counts[at], digest(sums[at])
	}
	slices.SortStableFunc(r.Servers, func(a, b Server) int { return cmp.Compare(a.Name, b.Name) })
	r.byID = make(map[string]int, len(r.Tools))
	for i := range r.Tools {
		r.byID[r.Tools[i].ID] = i
	}
	return twice
}

// hasID reports whether the tool's ID matches its server and name.
func (t *Tool) hasID() bool {
	n := len(t.Server)
	return len(t.ID) == n+1+len(t.Name) && t.ID[:n] == t.Server && t.ID[n] == '.' && t.ID[n+1:] == t.Name
}

// ComputeHash returns "sha256:" and 64 hex digits over the tool's name, description, schemas and
// annotations. Schemas that differ only in white space or in the order of keys have the same
// hash.
func (t *Tool) ComputeHash() string {
	b, err := json.Marshal([]any{t.Name, t.Description, canonical(t.Input), canonical(t.Output), t.Annotations})
	if err != nil { // canonical yields only values that marshal
		panic(err)
	}
	return digest(b)
}

// canonical decodes JSON so that marshalling it again sorts the keys. Numbers keep their digits.
// It returns invalid JSON as a string.
func canonical(raw json.RawMessage) any {
	if len(raw) == 0 {
		return nil
	}
	v, err := decodeNumber(raw)
	if err != nil {
		return string(raw)
	}
	return v
}

func digest(b []byte) string {
	h := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(h[:])
}

// Changes lists the differences between two registries, as IDs of tools and skills.
type Changes struct {
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
	Changed []string `json:"changed"` // same ID, different hash
}

// Same reports whether two registries have the same servers and tools. In schemas, the order of
// keys and white space may differ.
func (r *Registry) Same(o *Registry) bool {
	return r.Config == o.Config && reflect.DeepEqual(r.Embedder, o.Embedder) && reflect.DeepEqual(r.Servers, o.Servers) &&
		slices.EqualFunc(r.Tools, o.Tools, func(a, b Tool) bool {
			return a.ID == b.ID && a.Hash == b.Hash && a.Title == b.Title && a.Category == b.Category && a.Stale == b.Stale &&
				a.Error == b.Error && a.Held == b.Held &&
				bytes.Equal(a.Embedding, b.Embedding) &&
				slices.EqualFunc(a.Examples, b.Examples, func(x, y Example) bool { return bytes.Equal(x, y) })
		})
}

// Empty reports whether nothing changed.
func (c Changes) Empty() bool { return len(c.Added)+len(c.Removed)+len(c.Changed) == 0 }

// Diff returns the differences of new from old. old may be nil.
func Diff(old, new *Registry) Changes {
	c := Changes{Added: []string{}, Removed: []string{}, Changed: []string{}}
	if old == nil {
		old = &Registry{}
	}
	for i := range new.Tools {
		t := &new.Tools[i]
		o, ok := old.Tool(t.ID)
		switch {
		case !ok:
			c.Added = append(c.Added, t.ID)
		case o.Hash != t.Hash:
			c.Changed = append(c.Changed, t.ID)
		}
	}
	for i := range old.Tools {
		if _, ok := new.Tool(old.Tools[i].ID); !ok {
			c.Removed = append(c.Removed, old.Tools[i].ID)
		}
	}
	for _, s := range new.Servers {
		for _, k := range s.Skills {
			id := SkillID(s.Name, k.Name)
			switch _, o, ok := old.Skill(id); {
			case !ok:
				c.Added = append(c.Added, id)
			case o.Digest != k.Digest || o.Text != k.Text:
				c.Changed = append(c.Changed, id)
			}
		}
	}
	for _, s := range old.Servers {
		for _, k := range s.Skills {
			if _, _, ok := new.Skill(SkillID(s.Name, k.Name)); !ok {
				c.Removed = append(c.Removed, SkillID(s.Name, k.Name))
			}
		}
	}
	return c
}
