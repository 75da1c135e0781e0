package serve

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/registry"
)

// owner is whose a session is, for all that outlives it: a token, where these tell
// clients apart (HTTP.Tenants), or one of these.
type owner string

const (
	// operator is who starts the server: its client on stdio, who has the only
	// token, and the machine's own clients where there is none.
	operator owner = ""
	// nobody is all that come without a token from wherever (HTTP.Insecure).
	nobody owner = "nobody"
)

// owner is whose the sessions of a token are. The token is in it, as its name may
// be that of another one after the file of tokens was edited.
func (f *front) owner(subject string) owner {
	switch {
	case len(f.h.Tokens) == 0 && f.h.Insecure:
		return nobody
	case !f.h.Tenants():
		return operator
	}
	return owner(subject + "\x00" + f.h.Tokens[subject])
}

// token is the name of the owner's token, empty where tokens tell nobody apart.
func (o owner) token() string {
	name, _, ok := strings.Cut(string(o), "\x00")
	if !ok {
		return ""
	}
	return name
}

// subject is whose the runs of the owner are, in their records. A token without a
// name of its own is told from another one in its place by a part of its digest.
func (o owner) subject() string {
	name, token, _ := strings.Cut(string(o), "\x00")
	switch {
	case o == nobody:
		return "no token" // which is no name
	case strings.Contains(name, " "):
		sum := sha256.Sum256([]byte(token))
		return fmt.Sprintf("%s (%x)", name, sum[:4])
	}
	return name
}

// apart is the key of what the owner has beside the operator, "" for the operator.
func (o owner) apart() string {
	if o == operator {
		return ""
	}
	return registry.ApartKey(string(o))
}

// tenant is who shares with others what there is for all: the owner of the
// session where tokens tell owners apart, elsewhere the session itself.
func (c *session) tenant() string {
	if c.owner.token() != "" {
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
func (s *Server) of(o owner) *owned {
	if s.owned[o] == nil {
		s.owned[o] = &owned{}
	}
	return s.owned[o]
}

// weighed is with whom the results of an owner's sessions are weighed against
// those of others; nil: each session for itself.
func (s *Server) weighed(o owner) *harness.Tenant {
	if o.token() == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return &s.of(o).results
}

// seenBy is a catalog as an owner sees it.
func (s *Server) seenBy(o owner, cat *catalog.Catalog) *catalog.Catalog {
	if o == operator {
		return cat
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := ""
	if o != nobody {
		key = o.apart()
	}
	seen, err := s.of(o).catalog.Of(cat, key)
	if err != nil {
		s.log.Warn("what was learnt from the results of a token begins anew", "error", err)
	}
	return seen
}
