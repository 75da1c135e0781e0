package serve

import (
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/serve/guard"
)

// tenant returns the client that shared resources are divided by: the owner of the session if
// tokens distinguish owners, and otherwise the session.
func (c *session) tenant() string {
	if c.owner.Token() != "" {
		return string(c.owner)
	}
	return c.id
}

// owned has the data of an owner apart from the operator's. It stays when the catalog changes.
type owned struct {
	catalog catalog.Own
	results harness.Tenant
	used    []string // see Server.used
	usedAt  time.Time
}

// ownedBy returns the data of an owner. The caller holds the lock.
func (s *Server) ownedBy(o guard.Owner) *owned {
	if s.owned[o] == nil {
		s.owned[o] = &owned{}
	}
	return s.owned[o]
}

// tenantResults returns the tenant that shares room for results among an owner's sessions. If nil,
// each session counts alone.
func (s *Server) tenantResults(o guard.Owner) *harness.Tenant {
	if o.Token() == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return &s.ownedBy(o).results
}

// catalogFor returns a catalog as an owner sees it.
func (s *Server) catalogFor(o guard.Owner, cat *catalog.Catalog) *catalog.Catalog {
	if o == guard.Operator {
		return cat
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := ""
	if o != guard.Anonymous {
		key = o.Key()
	}
	seen, err := s.ownedBy(o).catalog.Of(cat, key)
	if err != nil {
		s.log.Warn("the inferred result types of a token were reset", "error", err)
	}
	return seen
}

// owner returns the owner of the sessions of a token.
func (f *front) owner(subject string) guard.Owner {
	switch {
	case len(f.h.Tokens) == 0 && f.h.Insecure:
		return guard.Anonymous
	case !f.h.Tenants():
		return guard.Operator
	}
	return guard.TokenOwner(subject, f.h.Tokens[subject])
}
