package bind

import (
	"slices"
	"strings"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/wrappers"
)

// maxAllTools is the maximum number of tools of a small server. All of them are shown if a
// script or phrase names it.
const maxAllTools = 8

// reach is the number of a phrase's candidates from which a used name can choose.
const reach = 20

// usedTools returns the tools whose names the script uses, in the order of their first use.
// The name of a type counts if the type belongs to one tool only.
func (b *Bound) usedTools() []*wrappers.Tool {
	var out []*wrappers.Tool
	add := func(t *wrappers.Tool) {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	for _, n := range b.Needs.Names {
		s := b.server(n.Package)
		if s == nil || n.Std && !n.Imported {
			continue
		}
		if ts := s.Type(n.Name); len(ts) == 1 {
			add(ts[0])
		} else if t, ok := s.Func(n.Name); ok && len(ts) == 0 {
			add(t)
		}
	}
	return out
}

// tools returns the candidates' tools.
func (b *Bound) tools(cs []discovery.Candidate) (tools []*wrappers.Tool) {
	for _, c := range cs {
		if t, ok := b.View.Tool(c.ID); ok {
			tools = append(tools, t)
		}
	}
	return tools
}

// use sets the script's catalog.
func (b *Bound) use(cat *catalog.Catalog) error {
	view, err := cat.View()
	if err != nil {
		return err
	}
	index, err := cat.Index()
	if err == nil {
		b.Catalog, b.View, b.Index = cat, view, index
	}
	return err
}

// toolsOfSmall returns all tools of a small server, or nil for a larger one.
func (b *Bound) toolsOfSmall(s *wrappers.Server) []*wrappers.Tool {
	if tools := b.offered(s); len(tools) <= maxAllTools {
		return tools
	}
	return nil
}

// offered returns a server's tools that policy does not deny.
func (b *Bound) offered(s *wrappers.Server) []*wrappers.Tool {
	return slices.DeleteFunc(slices.Clone(s.Tools), func(t *wrappers.Tool) bool { return !b.shows(t.Tool) })
}

// aboutServers are words that ask for a server's tools beside its name.
var aboutServers = map[string]bool{"server": true, "servers": true, "mcp": true, "tool": true, "tools": true}

// fillers are words without meaning beside them.
var fillers = map[string]bool{"the": true, "of": true, "all": true, "list": true, "show": true, "what": true,
	"on": true, "from": true, "in": true, "every": true}

// asksForServer returns the server that a phrase names or asks the tools of, and reports
// whether it does.
func (b *Bound) asksForServer(res *discovery.Resolution) (*wrappers.Server, bool) {
	phrase, asks := strings.ToLower(strings.TrimSpace(res.Phrase)), false
	if phrase == "" || res.By == discovery.ByExact {
		return nil, false
	}
	if s, ok := b.View.NearPackage(phrase); ok && len(s.Tools) > 0 {
		return s, true
	}
	var rest []string
	for _, w := range strings.Fields(phrase) {
		asks = asks || aboutServers[w]
		if !aboutServers[w] && !fillers[w] {
			rest = append(rest, w)
		}
	}
	if !asks {
		return nil, false
	}
	s, ok := b.View.NearPackage(strings.Join(rest, ""))
	return s, ok && len(s.Tools) > 0
}
