package catalog

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
)

var yes, no = true, false

func TestEachToolHasAClassWithAReason(t *testing.T) {
	reads := &registry.Annotations{ReadOnly: &yes}
	again := &registry.Annotations{ReadOnly: &no, Idempotent: &yes}
	both := &registry.Annotations{ReadOnly: &yes, Idempotent: &yes}
	rule := func(pattern, class string) []config.ClassRule {
		return []config.ClassRule{{Pattern: pattern, Class: class}}
	}
	for _, tc := range []struct {
		name  string
		s     config.Server
		hints *registry.Annotations
		class record.Class
		why   string
	}{
		{"no hints", config.Server{}, nil, record.Effect, "not marked as read-only by its server"},
		{"a title", config.Server{}, &registry.Annotations{Title: "T"}, record.Effect, "not marked as read-only by its server"},
		{"reads", config.Server{}, reads, record.Read, "marked as read-only by its server"},
		{"reads, and idempotent", config.Server{Trust: config.TrustWrites}, both, record.Read,
			"marked as read-only by its server"},
		{"writes", config.Server{}, &registry.Annotations{ReadOnly: &no}, record.Effect,
			"marked as not read-only by its server"},
		{"destroys", config.Server{}, &registry.Annotations{Destructive: &yes}, record.Effect,
			"marked as destructive by its server"},
		{"idempotent", config.Server{}, again, record.Effect,
			`marked as idempotent by its server, which counts where usetools.trust is "writes"`},
		{"idempotent, trusted", config.Server{Trust: config.TrustWrites}, again, record.Idempotent,
			`marked as idempotent by its server, and usetools.trust is "writes"`},
		{"trusted, no hints", config.Server{Trust: config.TrustWrites}, nil, record.Effect,
			"not marked as read-only by its server"},
		{"not trusted", config.Server{Trust: config.TrustNothing}, both, record.Effect,
			"its server's hints do not count: usetools.trust is false"},
		{"not trusted, but known", config.Server{Trust: config.TrustNothing, Classes: rule("t*", "read")}, nil, record.Read,
			`config: usetools.class "t*"`},
		{"known to be idempotent", config.Server{Classes: rule("tool", "again")}, nil, record.Idempotent,
			`config: usetools.class "tool"`},
		{"known better than the server", config.Server{Classes: rule("*", "effect")}, reads, record.Effect,
			`config: usetools.class "*"`},
		{"another tool is known", config.Server{Classes: rule("u*", "effect")}, reads, record.Read,
			"marked as read-only by its server"},
	} {
		tc.s.Name = "s"
		other := config.Server{Name: "other", Trust: config.TrustNothing, Classes: rule("*", "again")}
		c := &Catalog{Servers: []config.Server{other, tc.s}}
		class, why := c.Class(&registry.Tool{ID: "s.tool", Server: "s", Name: "tool", Annotations: tc.hints})
		if class != tc.class || why != tc.why {
			t.Errorf("%s: %s, %s; want %s, %s", tc.name, class, why, tc.class, tc.why)
		}
	}
}

// A server that is not trusted gets past no policy by what it says, and what the
// config says counts.
func TestPolicyGoesByTheHintsThatCount(t *testing.T) {
	reads := &registry.Annotations{ReadOnly: &yes, Destructive: &no}
	for _, tc := range []struct {
		name    string
		s       config.Server
		hints   *registry.Annotations
		refused string // by which policies
		rule    string // of ReadOnly
	}{
		{"usual", config.Server{}, reads, "", "no rule is against it"},
		{"not trusted", config.Server{Trust: config.TrustNothing}, reads, "read-only destructive writes",
			"it is not marked as read-only, and this run is read-only (its server's hints do not count: usetools.trust is false)"},
		{"not trusted, without hints", config.Server{Trust: config.TrustNothing}, nil, "read-only destructive writes",
			"it is not marked as read-only, and this run is read-only"},
		{"effect by the config", config.Server{Classes: []config.ClassRule{{Pattern: "*", Class: "effect"}}}, reads,
			"read-only writes",
			`it is not marked as read-only, and this run is read-only (config: usetools.class "*")`},
		{"again by the config", config.Server{Classes: []config.ClassRule{{Pattern: "*", Class: "again"}}}, nil,
			"read-only destructive writes", "it is not marked as read-only, and this run is read-only"},
		{"read by the config", config.Server{Classes: []config.ClassRule{{Pattern: "*", Class: "read"}}},
			&registry.Annotations{Destructive: &yes}, "", `no rule is against it (config: usetools.class "*")`},
	} {
		tc.s.Name = "s"
		c := &Catalog{Servers: []config.Server{tc.s}}
		tool := &registry.Tool{ID: "s.t", Server: "s", Name: "t", Annotations: tc.hints}
		refused := ""
		for _, p := range []struct {
			name   string
			policy *policy.Policy
		}{{"read-only", &policy.Policy{ReadOnly: true}}, {"marked", &policy.Policy{Approve: policy.ApproveMarked}},
			{"destructive", &policy.Policy{Approve: policy.ApproveDestructive}},
			{"writes", &policy.Policy{Approve: policy.ApproveWrites}}, {"none", nil}} {
			d := c.Decide(p.policy, tool, nil)
			if d.Verdict != policy.IsAllowed {
				if refused += p.name + " "; p.name == "none" {
					t.Errorf("%s: refused without a policy: %+v", tc.name, d)
				}
			}
			if p.name == "read-only" && d.Rule != tc.rule {
				t.Errorf("%s: rule %q, want %q", tc.name, d.Rule, tc.rule)
			}
		}
		if refused != "" {
			refused = refused[:len(refused)-1]
		}
		if refused != tc.refused {
			t.Errorf("%s: refused by %q, want %q", tc.name, refused, tc.refused)
		}
	}
}

func TestRulesForNoToolAreNoted(t *testing.T) {
	reg := &registry.Registry{Tools: []registry.Tool{{Server: "a", Name: "get"}, {Server: "b", Name: "put"}},
		Servers: []registry.Server{{Name: "a"}, {Name: "b"}, {Name: "down"}}}
	reg.Normalize()
	rules := func(patterns ...string) (out []config.ClassRule) {
		for _, p := range patterns {
			out = append(out, config.ClassRule{Pattern: p, Class: "read"})
		}
		return out
	}
	cfg := &config.Config{Servers: []config.Server{
		{Name: "a", Classes: rules("get", "got", "put", "none")},
		{Name: "b", Classes: rules("put", "get", "none")},
		{Name: "down", Classes: rules("any")}}}
	got := SettingsWarnings(cfg, &discovery.Settings{}, reg)
	want := []string{`usetools.class names "got", which is not a tool of a`,
		`usetools.class names "none", which is not a tool of a, b`}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	// Each order of the servers says the same.
	slices.Reverse(cfg.Servers)
	if got := SettingsWarnings(cfg, &discovery.Settings{}, reg); len(got) != len(want) {
		t.Errorf("the other way round: %q", got)
	}
}
