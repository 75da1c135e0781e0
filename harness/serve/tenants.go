package serve

import (
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/serve/guard"
)

// tenant is who shares with others what there is for all: the owner of the
// session where tokens tell owners apart, elsewhere the session itself.
func (c *session) tenant() string {
	if c.owner.Token() != "" {
		return string(c.owner)
	}
	return c.id
}

// owned is what an owner has beside what the operator has. It stays when the
// catalog changes.
type owned struct {
	catalog catalog.Own
	results harness.Tenant
	used    []string // see Server.used
	usedAt  time.Time
}

// of is what an owner has. The caller holds the lock.
func (s *Server) of(o guard.Owner) *owned {
	if s.owned[o] == nil {
		s.owned[o] = &owned{}
	}
	return s.owned[o]
}

// weighed is with whom the results of an owner's sessions are weighed against
// those of others; nil: each session for itself.
func (s *Server) weighed(o guard.Owner) *harness.Tenant {
	if o.Token() == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return &s.of(o).results
}

// seenBy is a catalog as an owner sees it.
func (s *Server) seenBy(o guard.Owner, cat *catalog.Catalog) *catalog.Catalog {
	if o == guard.Operator {
		return cat
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := ""
	if o != guard.Nobody {
		key = o.Key()
	}
	seen, err := s.of(o).catalog.Of(cat, key)
	if err != nil {
		s.log.Warn("the inferred result types of a token were reset", "error", err)
	}
	return seen
}

// owner returns whose the sessions of a token are.
func (f *front) owner(subject string) guard.Owner {
	switch {
	case len(f.h.Tokens) == 0 && f.h.Insecure:
		return guard.Nobody
	case !f.h.Tenants():
		return guard.Operator
	}
	return guard.TokenOwner(subject, f.h.Tokens[subject])
}
