package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/usetools/usetools/harness/flow"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/jsontree"
	"github.com/usetools/usetools/registry/text"
)

// Labels are "untrusted" and "targets" in the "usetools" at the top of the files of a config: which
// text in results third parties can write, and which arguments are the targets of a call, such as a
// recipient or a path. The labels of all files, and of all patterns that match a tool, are
// combined.
type Labels struct{ Untrusted, Targets []Label }

// Label is the entry for one pattern of tools.
type Label struct {
	Pattern string
	All     bool     // the whole result
	Names   []string // of members of results, or of arguments
}

// ReadLabels reads the Labels of a config.
func ReadLabels(cfg *config.Config) (*Labels, error) {
	out := &Labels{}
	for i, value := range cfg.UseTools {
		err := each("usetools", value, "", func(key string, value []byte) error {
			list, all, want := &out.Untrusted, true, `want {"mail": ["subject", "body", "from"], "web": true}`
			switch key {
			case keyUntrusted:
			case keyTargets:
				list, all, want = &out.Targets, false, `want {"mail.send": ["to", "cc"]}`
			default:
				return nil
			}
			place := "usetools." + key
			return each(place, value, "; "+want, func(pattern string, value []byte) error {
				l := Label{Pattern: pattern, All: all && string(value) == "true"}
				if !registry.IsPattern(pattern) {
					return fmt.Errorf("%s has %.60q, which is not a pattern of tools: %s", place, pattern, want)
				}
				if !l.All && (json.Unmarshal(value, &l.Names) != nil || l.Names == nil || len(l.Names) == 0 && all) {
					return fmt.Errorf("%s %.60q is %.60s; %s", place, pattern, value, want)
				}
				*list = append(*list, l)
				return nil
			})
		})
		if err != nil {
			return nil, fmt.Errorf("config %s: %w", cfg.UseToolsFiles[i], err)
		}
	}
	return out, nil
}

// Flow returns the labels of tools for package flow. It returns nil if the config has no labels and
// no rule that uses the origins of values.
func (c *Catalog) Flow() *flow.Settings {
	l := c.Labels
	if l == nil {
		l = &Labels{}
	}
	uses := len(l.Untrusted)+len(l.Targets) > 0
	for _, r := range c.Rules {
		uses = uses || r.If != nil && r.If.UsesFlow()
	}
	if !uses {
		return nil
	}
	tool := func(id string) *registry.Tool {
		if t, ok := c.Registry.Tool(id); ok {
			return t
		}
		server, name, _ := strings.Cut(id, ".") // it was in the registry before
		return &registry.Tool{ID: id, Server: server, Name: name}
	}
	return &flow.Settings{
		Untrusted: func(id string) (out flow.Label) {
			t := tool(id)
			if a := t.Annotations; a != nil && a.OpenWorld != nil && *a.OpenWorld {
				return flow.Label{All: true} // a server cannot make its results trusted
			}
			for _, r := range l.Untrusted {
				if t.Match(r.Pattern) {
					out.All, out.Fields = out.All || r.All, append(out.Fields, r.Names...)
				}
			}
			return out
		},
		Targets: func(id string) (out []string, ok bool) {
			t := tool(id)
			for _, r := range l.Targets {
				if t.Match(r.Pattern) {
					out, ok = append(out, r.Names...), true
				}
			}
			return out, ok
		},
	}
}

// LabelErrors returns a sentence for each label that names an unknown server or tool, or a field or
// argument that no such tool has. It accepts names that may belong to servers that have not
// answered yet.
func (c *Catalog) LabelErrors() (out []string) {
	if c.Labels == nil {
		return nil
	}
	check := func(key, noun string, labels []Label, schema func(*registry.Tool) json.RawMessage) {
		for _, l := range labels {
			var ids []string
			known := map[string]bool{}
			open := false // a tool does not declare its names
			for i := range c.Registry.Tools {
				t := &c.Registry.Tools[i]
				if !t.Match(l.Pattern) {
					continue
				}
				ids = append(ids, t.ID)
				names := declared(schema(t))
				open = open || len(names) == 0
				for _, n := range names {
					known[n] = true
				}
			}
			if len(ids) == 0 {
				if !c.mayMatchLater(l.Pattern) {
					out = append(out, fmt.Sprintf("usetools.%s names %q, which is not a server or a tool", key, l.Pattern))
				}
				continue
			}
			for _, n := range l.Names {
				if !open && !known[n] {
					out = append(out, fmt.Sprintf("usetools.%s %q names %q, which is not %s of %s", key, l.Pattern, n, noun, text.List(ids, 3)))
				}
			}
		}
	}
	check("untrusted", "a field of a result", c.Labels.Untrusted, func(t *registry.Tool) json.RawMessage { return t.Output })
	check("targets", "an argument", c.Labels.Targets, func(t *registry.Tool) json.RawMessage { return t.Input })
	return out
}

// declared returns the names of the properties in a schema, at any depth.
func declared(schema json.RawMessage) (names []string) {
	v, err := jsontree.Parse(schema, jsontree.Limits{Values: 20_000})
	if err != nil {
		return nil
	}
	var walk func(v *jsontree.Value)
	walk = func(v *jsontree.Value) {
		if p := v.Get("properties"); p != nil && p.Kind == jsontree.Object {
			names = append(names, p.Keys...)
		}
		for _, item := range v.Items {
			walk(item)
		}
	}
	walk(v)
	slices.Sort(names)
	return slices.Compact(names)
}

// thirdParty are words in the names of tools and fields that suggest text of third parties.
var thirdParty = []string{"mail", "inbox", "message", "comment", "issue", "pull_request", "review", "ticket", "chat", "channel", "thread",
	"web", "fetch", "browse", "crawl", "page", "feed", "news", "post", "event", "invite", "subject", "body", "snippet"}

// ProposeUntrusted returns the servers without labels that may return text of third parties: one of
// their tools declares an open world, or a read tool or a field of its results has a name that
// suggests it.
func (c *Catalog) ProposeUntrusted() (servers []string) {
	for i := range c.Registry.Tools {
		t := &c.Registry.Tools[i]
		labelled := c.Labels != nil && slices.ContainsFunc(c.Labels.Untrusted, func(l Label) bool { return t.Match(l.Pattern) })
		if labelled || slices.Contains(servers, t.Server) {
			continue
		}
		a := t.Annotations
		open := a != nil && a.OpenWorld != nil && *a.OpenWorld
		if class, _ := c.Class(t); class == record.Read && !open {
			open = slices.ContainsFunc(append(declared(t.Output), t.Name), func(name string) bool {
				return slices.ContainsFunc(thirdParty, func(w string) bool { return strings.Contains(strings.ToLower(name), w) })
			})
		}
		if open {
			servers = append(servers, t.Server)
		}
	}
	slices.Sort(servers)
	return servers
}
