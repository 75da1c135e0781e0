package config

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/usetools/usetools/registry"
)

// Trust says which of a server's hints about its tools count.
type Trust string

// How far servers are trusted.
const (
	TrustReads   Trust = ""        // all but idempotentHint; the default, "reads" in a file
	TrustWrites  Trust = "writes"  // all
	TrustNothing Trust = "nothing" // none; false in a file
)

// The classes of tools.
const (
	ClassRead   = "read"   // a call changes nothing
	ClassAgain  = "again"  // the same call twice does no more than once
	ClassEffect = "effect" // a call changes something, each time
)

// ClassRule gives a class to the tools of a server that a pattern matches.
type ClassRule struct {
	Pattern string // a tool's name, or a pattern of registry.Match
	Class   string // one of the classes above
}

// Class returns the rule that gives one of the server's tools its class; nil:
// there is none. An exact name comes before a pattern, a longer pattern before a
// shorter one, and those of the server's own entry come before those of the whole
// file.
func (s *Server) Class(tool string) *ClassRule {
	i := slices.IndexFunc(s.Classes, func(c ClassRule) bool { return registry.Match(c.Pattern, tool) })
	if i < 0 {
		return nil
	}
	return &s.Classes[i]
}

// Hints returns the hints about one of the server's tools that count: its own,
// none of them where it is not trusted, and what the tool's class says of them.
// Whether IdempotentHint counts is for the caller to see. It returns t's where
// the config has no say.
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

// Rules are what the definition says of calls of the server's tools; nil: nothing
// unusual.
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

// Ruled is a definition that says of calls of a server's tools what Rules has returned
// of another one, and nothing else. Of rules that it cannot read it takes the careful
// meaning: all tools have effects, and records keep nothing of their calls.
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

// judge lets Trust and Class of the settings win over what s has.
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
		return fmt.Errorf(`usetools.trust is %.40q, want false, "reads" or "writes"`, fmt.Sprint(u.Trust))
	}
	var classes []ClassRule
	for _, pattern := range names(u.Class) {
		class := u.Class[pattern]
		switch {
		case !registry.IsPattern(pattern):
			return fmt.Errorf("usetools.class has %.40q, which is not a pattern of tools: want a tool's name, or wildcards (get_*)",
				pattern)
		case class != ClassRead && class != ClassAgain && class != ClassEffect:
			return fmt.Errorf(`usetools.class has %.40q for %.40q, want "read", "again" or "effect"`, class, pattern)
		}
		classes = append(classes, ClassRule{pattern, class})
	}
	slices.SortStableFunc(classes, func(a, b ClassRule) int {
		return cmp.Or(cmp.Compare(wild(a.Pattern), wild(b.Pattern)), cmp.Compare(len(b.Pattern), len(a.Pattern)))
	})
	s.Classes = append(classes, s.Classes...)
	return nil
}

// wild is 1 for a pattern that may match more than one name.
func wild(pattern string) int {
	if strings.ContainsAny(pattern, `*?[\`) {
		return 1
	}
	return 0
}
