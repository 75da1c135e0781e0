package build

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/text"
)

// answer is the result of asking one server.
type answer struct {
	server registry.Server
	tools  []registry.Tool
	err    error
	time   time.Duration
	hidden int  // tools that the server's include and exclude lists remove
	kept   bool // the server was not asked; the answer is that of the previous registry
}

// pending reports whether the server has not answered yet.
func (a *answer) pending() bool { return a.err == errPending }

// known returns the previous answer of a server that need not be asked.
func known(s *config.Server, o Options) (answer, bool) {
	if o.Previous == nil {
		return answer{}, false
	}
	old, ok := o.Previous.Server(s.Name)
	switch {
	case !ok:
		return answer{}, false
	case o.Changed && old.Definition != s.Digest():
		return answer{}, false
	case !o.Changed && (o.Only == nil || o.Only[s.Name]):
		return answer{}, false
	}
	a := answer{server: *old, kept: true}
	if old.Error != nil {
		a.err = errors.New(*old.Error)
	}
	for _, t := range o.Previous.Tools {
		if t.Server == s.Name {
			a.tools = append(a.tools, t)
		}
	}
	return a, true
}

// recall uses the previous answer of a server that failed, marked stale.
func (a *answer) recall(previous *registry.Registry) {
	if a.err != nil && !a.kept {
		a.recallServer(previous)
	}
}

// derive copies the derived fields of unchanged tools from the previous registry.
func derive(r, previous *registry.Registry) {
	if previous == nil {
		return
	}
	for i := range r.Tools {
		t := &r.Tools[i]
		if old, ok := previous.Tool(t.ID); ok && old.Hash == t.Hash && len(t.Embedding) == 0 {
			t.Embedding, t.Category, t.Examples = bytes.Clone(old.Embedding), old.Category, slices.Clone(old.Examples)
		}
	}
}

func (a *answer) recallServer(previous *registry.Registry) {
	text := a.err.Error()
	if previous != nil {
		if old, ok := previous.Server(a.server.Name); ok {
			transport := a.server.Transport
			a.server = *old
			a.server.Transport = transport
		}
		for _, t := range previous.Tools {
			if t.Server == a.server.Name {
				t.Stale = true
				a.tools = append(a.tools, t)
			}
		}
	}
	a.server.Error, a.server.SignIn = &text, errors.Is(a.err, backend.ErrSignIn)
}

// someTools lists the names of the first few tools.
func someTools(tools []registry.Tool) string {
	const some = 5
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
	}
	return text.List(names, some)
}

// confine removes tools with an ID that belongs to another server: both names may have dots, and
// the server chooses its tools' names.
func (a *answer) confine(servers []config.Server) {
	before := len(a.tools)
	var first, of string
	a.tools = slices.DeleteFunc(a.tools, func(t registry.Tool) bool {
		for i := range servers {
			if s := servers[i].Name; len(s) > len(t.Server) && strings.HasPrefix(t.ID, s+".") {
				first, of = cmp.Or(first, t.Name), cmp.Or(of, s)
				return true
			}
		}
		return false
	})
	if n := before - len(a.tools); n > 0 {
		a.server.Problems = append(a.server.Problems,
			fmt.Sprintf("omitted %d tools with IDs that belong to the server %q, the first is %q", n, of, first))
	}
}

// choose keeps the tools that the server's include and exclude lists allow, and on a read-only
// server only those that count as reads. It reports names in the lists that the server does not
// have.
func (a *answer) choose(s *config.Server) {
	if a.kept {
		return
	}
	has := func(pattern string) bool {
		only := config.Server{Include: []string{pattern}}
		return slices.ContainsFunc(a.tools, func(t registry.Tool) bool { return only.Allows(t.Name) })
	}
	for _, list := range []struct {
		name     string
		patterns []string
	}{{"allow", s.Include}, {"deny", s.Exclude}} {
		for _, p := range list.patterns {
			if a.err == nil && !has(p) {
				a.server.Problems = append(a.server.Problems,
					fmt.Sprintf("%q in its %s list matches no tool; its tools are %s", p, list.name, someTools(a.tools)))
			}
		}
	}
	if a.err == nil {
		a.server.Problems = append(a.server.Problems, s.Notes...)
	}
	all := len(a.tools)
	a.tools = slices.DeleteFunc(a.tools, func(t registry.Tool) bool {
		return !s.Allows(t.Name) || s.ReadOnly && !s.Hints(&t).ReadsOnly()
	})
	a.hidden = all - len(a.tools)
}
