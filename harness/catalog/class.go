package catalog

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/usetools/usetools/harness/flow"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/text"
)

// Class returns the class of a tool's calls, and the reason in words. The class comes from
// the config, or else from the hints of its server that the config trusts. Without either
// it is record.Effect.
func (c *Catalog) Class(t *registry.Tool) (class record.Class, why string) {
	s := c.Server(t.Server)
	if r := s.Class(t.Name); r != nil {
		return record.Class(r.Class), fmt.Sprintf("config: usetools.class %q", r.Pattern)
	}
	a := t.Annotations
	switch idempotent := a != nil && a.Idempotent != nil && *a.Idempotent; {
	case s.Trust == config.TrustNothing:
		return record.Effect, "its server's hints do not count: usetools.trust is false"
	case a.ReadsOnly():
		return record.Read, "marked as read-only by its server"
	case idempotent && s.Trust == config.TrustWrites:
		return record.Idempotent, `marked as idempotent by its server, and usetools.trust is "writes"`
	case idempotent:
		return record.Effect, `marked as idempotent by its server, which counts where usetools.trust is "writes"`
	case a != nil && a.Destructive != nil && *a.Destructive:
		return record.Effect, "marked as destructive by its server"
	case a != nil && a.ReadOnly != nil:
		return record.Effect, "marked as not read-only by its server"
	}
	return record.Effect, "not marked as read-only by its server"
}

// Decide returns the decision on a tool by a policy, which may be nil, and the rules of the
// catalog. It uses the tool's class and trusted hints; see policy.Policy.Decide.
func (c *Catalog) Decide(p *policy.Policy, t *registry.Tool, approved []string) policy.Decision {
	return c.decide(p, t, func(p *policy.Policy, t *registry.Tool, class record.Class) policy.Decision {
		return p.Decide(t, class, approved)
	})
}

// DecideCall does what Decide does for one call, with its arguments and the origins of their
// values; see policy.Policy.DecideCall.
func (c *Catalog) DecideCall(p *policy.Policy, t *registry.Tool, args registry.Args, approved []string,
	facts *flow.Facts) policy.Decision {
	return c.decide(p, t, func(p *policy.Policy, t *registry.Tool, class record.Class) policy.Decision {
		return p.DecideCall(t, class, args, approved, facts)
	})
}

func (c *Catalog) decide(p *policy.Policy, t *registry.Tool,
	by func(*policy.Policy, *registry.Tool, record.Class) policy.Decision) policy.Decision {
	p = p.With("", c.Rules)
	hints := c.hints(t)
	class, why := c.Class(t)
	if hints == t.Annotations {
		return by(p, t, class)
	}
	counted := *t
	counted.Annotations = hints
	d := by(p, &counted, class)
	if d != by(p, t, class) {
		d.Rule += " (" + why + ")"
	}
	return d
}

// hints returns the hints about a tool that the config trusts.
func (c *Catalog) hints(t *registry.Tool) *registry.Annotations { return c.Server(t.Server).Hints(t) }

// sameSettings reports whether two configs agree on how tools are found and on the classes of their
// calls.
func sameSettings(a, b *config.Config) bool {
	return reflect.DeepEqual(a.UseTools, b.UseTools) && slices.EqualFunc(a.Servers, b.Servers, func(a, b config.Server) bool {
		return a.Name == b.Name && a.Trust == b.Trust && slices.Equal(a.Classes, b.Classes)
	})
}

// classWarnings returns a sentence for each name or pattern of usetools.class that matches
// no tool of its servers.
func classWarnings(cfg *config.Config, reg *registry.Registry) []string {
	tools := map[string][]string{} // names by server
	for i := range reg.Tools {
		tools[reg.Tools[i].Server] = append(tools[reg.Tools[i].Server], reg.Tools[i].Name)
	}
	servers := map[string][]string{} // by pattern; nil if it matches a tool, or may match one
	for _, s := range cfg.Servers {
		for _, r := range s.Classes {
			of, seen := servers[r.Pattern]
			meant := len(tools[s.Name]) == 0 ||
				slices.ContainsFunc(tools[s.Name], func(name string) bool { return registry.Match(r.Pattern, name) })
			switch {
			case meant:
				servers[r.Pattern] = nil
			case !seen || of != nil:
				servers[r.Pattern] = append(of, s.Name)
			}
		}
	}
	var out []string
	for _, pattern := range slices.Sorted(maps.Keys(servers)) {
		if of := servers[pattern]; len(of) > 0 {
			out = append(out, fmt.Sprintf("usetools.class names %q, which is not a tool of %s", pattern, text.List(of, 6)))
		}
	}
	return out
}

// Server returns the definition of a server, or an empty one if it is unknown.
func (c *Catalog) Server(name string) *config.Server {
	if s := definitionOf(c.Servers, name); s != nil {
		return s
	}
	return &config.Server{}
}

func definitionOf(servers []config.Server, name string) *config.Server {
	for i := range servers {
		if servers[i].Name == name {
			return &servers[i]
		}
	}
	return nil
}
