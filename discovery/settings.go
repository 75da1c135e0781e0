package discovery

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/usetools/usetools/discovery/embed/remote"
	"github.com/usetools/usetools/registry"
)

// Settings is the part of a config file that configures discovery: some members of its key
// "usetools":
//
//	{"usetools": {
//	  "aliases": {"github": ["the forge"]},
//	  "prefer": ["github", "gitlab"],
//	  "threshold": 0.8,
//	  "categories": {"git": "vcs", "github.*_issue*": "tickets"},
//	  "memory": false,
//	  "embedder": {"type": "ollama", "model": "nomic-embed-text"}
//	}}
type Settings struct {
	// Aliases gives servers additional names: `{"gitlab": ["the forge"]}`.
	Aliases map[string][]string `json:"aliases,omitempty"`
	// Prefer orders servers that offer the same tool, the preferred one first: `["github",
	// "gitlab"]`.
	Prefer []string `json:"prefer,omitempty"`
	// Threshold is the lowest confidence at which a phrase is resolved. If absent, it is 0.6, and
	// 0.75 for a tool that may destroy something, unless the script uses the tool's function.
	Threshold float64 `json:"threshold,omitempty"`
	// Categories sets the categories of tools, by ID, pattern or server: `{"notes.*":
	// "database"}`. Others are inferred.
	Categories map[string]string `json:"categories,omitempty"`
	// Memory, if `false`, does not remember the tools of phrases between runs.
	Memory *bool `json:"memory,omitempty"`
	// Embedder replaces the embedded model for full texts: `{"type": "ollama", "model":
	// "bge-m3"}`.
	Embedder *remote.Config `json:"embedder,omitempty"`
}

// maxNames bounds the aliases of a server and the preferred servers.
const maxNames = 1000

// ParseSettings decodes the value of the key "usetools". An empty value or null gives the zero
// Settings. It skips keys that other packages read. The error says which key has a wrong value.
func ParseSettings(value []byte) (*Settings, error) {
	s := &Settings{}
	if len(bytes.TrimSpace(value)) == 0 {
		return s, nil
	}
	if err := json.Unmarshal(value, s); err != nil {
		return nil, fmt.Errorf("reading usetools: %w", err)
	}
	if s.Threshold != 0 && !(s.Threshold > 0 && s.Threshold <= 1) {
		return nil, fmt.Errorf("reading usetools: threshold is %g, want a confidence above 0 and up to 1", s.Threshold)
	}
	if len(s.Prefer) > maxNames {
		return nil, fmt.Errorf("reading usetools: %d preferred servers, the limit is %d", len(s.Prefer), maxNames)
	}
	if err := checkCategories(s.Categories); err != nil {
		return nil, fmt.Errorf("reading usetools: %w", err)
	}
	if len(s.Categories) > maxNames {
		return nil, fmt.Errorf("reading usetools: %d categories, the limit is %d", len(s.Categories), maxNames)
	}
	for server, names := range s.Aliases {
		if len(names) > maxNames {
			return nil, fmt.Errorf("reading usetools: %d aliases of %q, the limit is %d", len(names), server, maxNames)
		}
	}
	return s, nil
}

// Merge returns the combined settings of two files. If both set the same thing, s wins.
func (s *Settings) Merge(next *Settings) *Settings {
	m := &Settings{
		Aliases: map[string][]string{}, Threshold: cmp.Or(s.Threshold, next.Threshold),
		Memory: s.Memory, Embedder: s.Embedder, Categories: maps.Clone(next.Categories),
	}
	if m.Categories == nil {
		m.Categories = s.Categories
	} else {
		maps.Copy(m.Categories, s.Categories)
	}
	m.Prefer = distinct(append(slices.Clone(s.Prefer), next.Prefer...))
	for _, aliases := range []map[string][]string{s.Aliases, next.Aliases} {
		for server, names := range aliases {
			m.Aliases[server] = distinct(append(slices.Clone(m.Aliases[server]), names...))
		}
	}
	if m.Memory == nil {
		m.Memory = next.Memory
	}
	if m.Embedder == nil {
		m.Embedder = next.Embedder
	}
	return m
}

// Unknown returns the sorted names of servers in Aliases and Prefer that the registry lacks.
func (s *Settings) Unknown(reg *registry.Registry) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(s.Aliases)) {
		if _, ok := reg.Server(name); !ok {
			out = append(out, name)
		}
	}
	for _, name := range s.Prefer {
		if _, ok := reg.Server(name); !ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Remembers reports whether phrases are remembered.
func (s *Settings) Remembers() bool { return s.Memory == nil || *s.Memory }

// Options returns the options for New. It returns an error about the embedder, such as a missing
// API key. The registry needs vectors of the same embedder: EmbedWith(o.Embedder).
func (s *Settings) Options() (*Options, error) {
	o := &Options{Aliases: s.Aliases, Prefer: s.Prefer, Threshold: s.Threshold, Categories: s.Categories}
	if s.Embedder == nil {
		return o, nil
	}
	e, err := remote.Open(*s.Embedder)
	if err != nil {
		return nil, fmt.Errorf("usetools: %w", err)
	}
	o.Embedder = e
	return o, nil
}
