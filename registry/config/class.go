package config

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/usetools/usetools/registry"
)

// Trust says which of a server's hints about its tools are trusted.
type Trust string

// The levels of trust.
const (
	TrustReads   Trust = ""        // all except idempotentHint; the default, "reads" in a file
	TrustWrites  Trust = "writes"  // all
	TrustNothing Trust = "nothing" // none; false in a file
)

// The classes of tools.
const (
	ClassRead   = "read"   // a call changes nothing
	ClassAgain  = "again"  // repeating the same call does nothing more
	ClassEffect = "effect" // every call changes something
)

// ClassRule gives a class to the tools of a server that match a pattern.
type ClassRule struct {
	Pattern string // a tool's name, or a pattern of registry.Match
	Class   string // one of the classes above
}

// Class returns the rule that gives one of the server's tools its class, or nil. An exact name
// precedes a pattern, a longer pattern precedes a shorter one, and the rules of the server's
// entry precede those of the file.
func (s *Server) Class(tool string) *ClassRule {
	i := slices.IndexFunc(s.Classes, func(c ClassRule) bool { return registry.Match(c.Pattern, tool) })
	if i < 0 {
		return nil
	}
	return &s.Classes[i]
}

// Hints returns the trusted hints about one of the server's tools: its own, or none if the server
// is not trusted, combined with the hints that its class implies. The caller must check whether
// IdempotentHint is trusted. If the config has no rule for the tool, it returns t.Annotations.
func (s *Server) Hints(t *registry.Tool) *registry.Annotations {
	c := s.Class(t.Name)
	if c == nil && s.Trust != TrustNothing {
		return t.Annotations
	}
	var a registry.Annotations
	switch {
	case t.Annotations == nil:
	case s.Trust == TrustNothing:
		a.Title = t.Annotations.Title
	default:
		a = *t.Annotations
	}
	if c != nil {
		read := c.Class == ClassRead
		a.ReadOnly = &read
	}
	return &a
}

// Rules returns the definition's rules for calls of the server's tools. It returns nil if no
// special rules apply.
func (s *Server) Rules() *registry.Rules {
	r := &registry.Rules{Trust: string(s.Trust), Private: s.Private, Session: s.Session}
	for _, c := range s.Classes {
		r.Classes = append(r.Classes, [2]string{c.Pattern, c.Class})
	}
	if s.Idempotency > 0 {
		r.Idempotency = s.Idempotency.String()
	}
	if reflect.DeepEqual(r, &registry.Rules{}) {
		return nil
	}
	return r
}

// Ruled returns a definition that has only a name and the rules that Rules returned for another
// definition. Invalid rules get the safe meaning: all tools have effects, and records keep
// nothing of their calls.
func Ruled(server string, r *registry.Rules) Server {
	if r == nil {
		return Server{Name: server}
	}
	s := Server{Name: server, Trust: Trust(r.Trust), Private: r.Private, Session: r.Session}
	ok := slices.Contains([]Trust{TrustReads, TrustWrites, TrustNothing}, s.Trust)
	for _, p := range r.Private {
		ok = ok && registry.IsPattern(p)
	}
	for _, c := range r.Classes {
		ok = ok && registry.IsPattern(c[0]) && slices.Contains([]string{ClassRead, ClassAgain, ClassEffect}, c[1])
		s.Classes = append(s.Classes, ClassRule{c[0], c[1]})
	}
	if r.Idempotency != "" {
		var err error
		s.Idempotency, err = Duration(r.Idempotency)
		ok = ok && err == nil
	}
	if !ok {
		return Server{Name: server, Trust: TrustNothing, Private: []string{"*"}, Session: true}
	}
	return s
}

// judge applies Trust and Class of the settings to s.
func (u *settings) judge(s *Server) error {
	switch u.Trust {
	case nil:
	case false:
		s.Trust = TrustNothing
	case "reads":
		s.Trust = TrustReads
	case "writes":
		s.Trust = TrustWrites
	default:
		return fmt.Errorf(`usetools.trust is %.40q: want false, "reads" or "writes"`, fmt.Sprint(u.Trust))
	}
	var classes []ClassRule
	for _, pattern := range names(u.Class) {
		class := u.Class[pattern]
		switch {
		case !registry.IsPattern(pattern):
			return fmt.Errorf("usetools.class has %.40q, which is not a tool pattern: want a tool's name, or wildcards (get_*)",
				pattern)
		case class != ClassRead && class != ClassAgain && class != ClassEffect:
			return fmt.Errorf(`usetools.class has %.40q for %.40q: want "read", "again" or "effect"`, class, pattern)
		}
		classes = append(classes, ClassRule{pattern, class})
	}
	slices.SortStableFunc(classes, func(a, b ClassRule) int {
		return cmp.Or(cmp.Compare(wild(a.Pattern), wild(b.Pattern)), cmp.Compare(len(b.Pattern), len(a.Pattern)))
	})
	s.Classes = append(classes, s.Classes...)
	return nil
}

// wild returns 1 for a pattern that may match several names, otherwise 0.
func wild(pattern string) int {
	if strings.ContainsAny(pattern, `*?[\`) {
		return 1
	}
	return 0
}
