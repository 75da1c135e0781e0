package serve

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
)

// Bounds of what an answer says of changes.
const (
	maxNews      = 8  // names of one kind
	maxDownError = 80 // characters of why a server is down
	// newsFor is how long clients without a session are told of other tools.
	newsFor = time.Hour
)

// state is what a registry says that clients are told of: by server whether it
// could be asked, by tool what it looks like.
type state struct {
	n       int // the later state has the higher one
	at      time.Time
	servers map[string]serverState
	tools   map[string]toolState // by ID; those that may be called
}

type serverState struct {
	pkg      string
	snapshot bool
	down     string // why it could not be asked; empty: it could
	tools    int
}

type toolState struct{ server, goName, hash string }

// state is that of a catalog, made once for each registry.
func (s *Server) state(cat *catalog.Catalog) (*state, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.registry == cat.Registry {
		return s.current, nil
	}
	view, err := cat.View()
	if err != nil {
		return nil, err
	}
	st := &state{at: time.Now(), servers: map[string]serverState{}, tools: map[string]toolState{}}
	if s.current != nil {
		st.n = s.current.n + 1
	}
	for _, srv := range view.Servers() {
		of := serverState{pkg: srv.Package}
		if reg, ok := cat.Registry.Server(srv.Name); ok {
			of.snapshot, of.down = reg.Transport == config.Snapshot, why(reg)
		}
		for _, t := range srv.Tools {
			if cat.Decide(s.opts.Policy, t.Tool, nil).Verdict != policy.IsDenied {
				st.tools[t.ID] = toolState{srv.Name, t.Go(), t.Hash}
				of.tools++
			}
		}
		if of.tools > 0 || len(srv.Tools) == 0 {
			st.servers[srv.Name] = of
		}
	}
	s.registry, s.current = cat.Registry, st
	return st, nil
}

// why is in a few words why a server could not be asked.
func why(srv *registry.Server) string {
	if srv.Error == nil {
		return ""
	}
	text := strings.Join(strings.Fields(catalog.OfServer(srv.Name, *srv.Error)), " ")
	if text == "" {
		return "no reason given"
	}
	return registry.Printable(text, maxDownError)
}

// sameTools reports whether two states differ at most in which servers are
// down.
func (st *state) sameTools(o *state) bool {
	return maps.Equal(st.tools, o.tools) && maps.EqualFunc(st.servers, o.servers, func(a, b serverState) bool {
		a.down, b.down = "", ""
		return a == b
	})
}

// news is a line on what has changed since the client was told last. Who shares
// its list with others is told in every answer that a change concerns, of other
// tools for newsFor.
func (c *session) news(res *harness.Result) string {
	cat := c.s.live.now()
	if cat == nil {
		return ""
	}
	now, err := c.s.state(cat)
	if err != nil {
		return ""
	}
	c.mu.Lock()
	was := c.told
	if c.one || was == nil || time.Since(now.at) > newsFor {
		c.told = now
	}
	c.mu.Unlock()
	var parts []string
	if c.one {
		if was == nil || was == now {
			return ""
		}
		parts = changes(was, now, func(string, serverState) bool { return true })
	} else {
		if was == nil || time.Since(now.at) > newsFor {
			was = now
		}
		base := *was // that a server is down is no news once, but each time
		base.servers = maps.Clone(was.servers)
		for name, srv := range base.servers {
			srv.down = ""
			base.servers[name] = srv
		}
		parts = changes(&base, now, func(name string, srv serverState) bool { return concerns(res, name, srv.pkg) })
	}
	if len(parts) == 0 {
		return ""
	}
	if c.one {
		return "since the list was sent: " + strings.Join(parts, "; ") + "\n"
	}
	return "now: " + strings.Join(parts, "; ") + "\n"
}

// concerns reports whether a script has to do with a server.
func concerns(res *harness.Result, name, pkg string) bool {
	if slices.Contains(res.Down, name) ||
		slices.ContainsFunc(res.Tools, func(t harness.ToolUse) bool {
			return t.Server == name ||
				strings.HasPrefix(t.Go, pkg+".")
		}) ||
		slices.ContainsFunc(res.Calls, func(c harness.Call) bool { return strings.HasPrefix(c.Tool, name+".") }) {
		return true
	}
	return slices.ContainsFunc(res.Errors, func(e harness.Error) bool {
		return slices.Contains(textNames(e.Message), pkg) || slices.Contains(textNames(e.Snippet), pkg)
	})
}

// textNames are the words of a text as they stand there, digits included.
func textNames(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// changes says what differs between two states, of the servers that count.
func changes(was, now *state, counts func(name string, srv serverState) bool) []string {
	var parts, fresh, gone, added, removed, changed []string
	for _, name := range slices.Sorted(maps.Keys(now.servers)) {
		srv := now.servers[name]
		before, known := was.servers[name]
		switch {
		case !counts(name, srv):
		case srv.down != "" && before.down == "":
			parts = append(parts, fmt.Sprintf("%s is down: %s", srv.pkg, srv.down))
		case srv.down == "" && before.down != "":
			parts = append(parts, srv.pkg+" is back")
		case !known:
			fresh = append(fresh, fmt.Sprintf("%s (%d tools)", srv.pkg, srv.tools))
		}
	}
	if n := len(parts) - maxNews; n > 0 {
		parts = append(parts[:maxNews], fmt.Sprintf("and %d more servers are down or back", n))
	}
	for _, name := range slices.Sorted(maps.Keys(was.servers)) {
		if _, still := now.servers[name]; !still && counts(name, was.servers[name]) {
			gone = append(gone, was.servers[name].pkg)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(now.tools)) {
		t := now.tools[id]
		before, known := was.tools[id]
		srv, old := was.servers[t.server]
		switch {
		case !old || known && before.hash == t.hash || !counts(t.server, srv):
		case known:
			changed = append(changed, t.goName)
		default:
			added = append(added, t.goName)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(was.tools)) {
		t := was.tools[id]
		if _, still := now.tools[id]; still {
			continue
		}
		if srv, ok := now.servers[t.server]; ok && counts(t.server, srv) {
			removed = append(removed, t.goName)
		}
	}
	for _, k := range []struct {
		what  string
		names []string
	}{{"new servers", fresh}, {"removed servers", gone}, {"new tools", added}, {"removed tools", removed},
		{"changed tools", changed}} {
		if n := len(k.names) - maxNews; n > 0 {
			k.names = append(k.names[:maxNews], fmt.Sprintf("and %d more", n))
		}
		if len(k.names) > 0 {
			parts = append(parts, k.what+": "+strings.Join(k.names, ", "))
		}
	}
	return parts
}
