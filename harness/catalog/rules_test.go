package catalog

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/config"
	"github.com/usetools/usetools/registry/localfile"
)

// configs loads config files with these values of "usetools".
func configs(t *testing.T, usetools ...string) *config.Config {
	t.Helper()
	var paths []string
	for i, value := range usetools {
		path := filepath.Join(t.TempDir(), string(rune('a'+i))+".json")
		text := `{"mcpServers": {}, "usetools": ` + value + `}`
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	cfg, err := config.Load(paths...)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func TestTheConfigSaysWhichCallsAsk(t *testing.T) {
	cfg := configs(t, `{"approve": {"effect": "ask", "crm.delete_*": "deny",
		"mail.send": {"ask": "not (to endsWith \"@example.com\")", "deny": "len(to) > 100", "for": "2d"},
		"pay": {"ask": true, "whole": true, "for": "90m"}},
		"tokens": {"alice": {"approve": {"effect": "allow"}, "may": ["approve"]}, "bob": {"may": []},
			"eve": {"may": ["operate", "approve", "operate"]}, "fay": {"may": ["operate"]}}}`,
		`{"approve": {"effect": "ask", "read": "allow"}, "tokens": {"alice": {"may": ["approve"]}, "carl": {"may": ["approve"]}}}`)
	rules, rights, err := Rules(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range rules {
		got = append(got, rules[i].String())
	}
	want := []string{
		"calls of tools that are effect need approval; pending calls expire after 7 days",
		"calls of crm.delete_* are denied",
		`calls of mail.send need approval where not (to endsWith "@example.com"); pending calls expire after 2 days; ` +
			"other calls are allowed, whatever less exact rules say",
		`calls of mail.send are denied where len(to) > 100`,
		"calls of pay need approval; pending calls expire after 1h30m; an approval may cover all calls of the tool in the run",
		"for the token alice calls of tools that are effect need no approval",
		"calls of tools that are read need no approval",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	c := &Catalog{Rules: rules, Rights: rights}
	for token, may := range map[string]bool{"alice": true, "bob": false, "carl": true, "": false, "dora": false, "eve": true,
		"fay": false} {
		if c.May(token, Approve) != may {
			t.Errorf("%q may approve: %v", token, !may)
		}
	}
	for token, may := range map[string]bool{"alice": false, "bob": false, "": false, "eve": true, "fay": true} {
		if c.May(token, Operate) != may {
			t.Errorf("%q may operate: %v", token, !may)
		}
	}
	if c.May("alice", "other") {
		t.Error("alice may do something else")
	}
}

// A mistake must not let calls through that were meant to ask.
func TestAMistakeInTheRulesIsAnError(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		`{"aprove": {}}`:                 `usetools.aprove is not known; did you mean "approve"?`,
		`{"Approve": {}}`:                `did you mean "approve"?`,
		`{"approval": {}}`:               `did you mean "approve"?`,
		`{"token": {}}`:                  `did you mean "tokens"?`,
		`{"approve": {}, "approve": {}}`: `it has a duplicate key "approve"`,
		`{"approve": {"effect": "ask", "effect": "allow"}}`: `usetools.approve: it has a duplicate key "effect"`,
		`{"approve": "ask"}`:                                            `want {"effect": "ask", "crm.delete_*": "deny"}`,
		`{"approve": null}`:                                             `usetools.approve: want an object`,
		`{"approve": {"effect": "Ask"}}`:                                `usetools.approve "effect" is "Ask", want "ask", "deny", "allow"`,
		`{"approve": {"effect": null}}`:                                 `usetools.approve "effect": want an object`,
		`{"approve": {"effect": true}}`:                                 `want "ask", "deny", "allow"`,
		`{"approve": {"effects": "ask"}}`:                               `did you mean the class "effect"? A server of that name is written "effects.*"`,
		`{"approve": {"READ": "ask"}}`:                                  `did you mean the class "read"?`,
		`{"approve": {"writes": "ask"}}`:                                `which is a value of -approve and not a class`,
		`{"approve": {"a[": "ask"}}`:                                    `which is not a pattern of tools`,
		`{"approve": {"": "ask"}}`:                                      `which is not a pattern of tools`,
		`{"approve": {"a.b": {}}}`:                                      `usetools.approve "a.b" has none of "ask", "deny" and "allow"`,
		`{"approve": {"a.b": {"whole": true}}}`:                         `has none of`,
		`{"approve": {"a.b": {"ask": "to ="}}}`:                         `usetools.approve "a.b": "ask": unexpected token`,
		`{"approve": {"a.b": {"ask": false}}}`:                          `want a condition in quotes`,
		`{"approve": {"a.b": {"ask": null}}}`:                           `want a condition in quotes`,
		`{"approve": {"a.b": {"ask": ""}}}`:                             `the condition is empty`,
		`{"approve": {"a.b": {"ask": "true", "If": "x"}}}`:              `has the key "If", want`,
		`{"approve": {"a.b": {"deny": "x == 1", "whole": true}}}`:       `has "whole" or "for", which are for "ask"`,
		`{"approve": {"a.b": {"ask": true, "whole": "yes"}}}`:           `has "whole" that is neither true nor false`,
		`{"approve": {"a.b": {"ask": true, "for": "soon"}}}`:            `has "for", which is not a time: want a duration like "10m", "24h" or "7d"`,
		`{"approve": {"a.b": {"ask": true, "for": 24}}}`:                `has "for", which is not a time`,
		`{"approve": {"a.b": {"ask": true, "for": "-1h"}}}`:             `has "for", which is not a time`,
		`{"tokens": {"alice": {"aprove": {}}}}`:                         `usetools.tokens.alice has the key "aprove", want "approve" or "may"`,
		`{"tokens": {"alice": {"may": ["approve", "all"]}}}`:            `usetools.tokens.alice.may has the unknown right "all"; want some of ["approve" "operate"]`,
		`{"tokens": {"alice": {"may": "approve"}}}`:                     `usetools.tokens.alice.may is not a list of rights; want some of ["approve" "operate"]`,
		`{"tokens": {"alice": {"may": null}}}`:                          `is not a list of rights`,
		`{"tokens": {"": {"may": []}}}`:                                 `a token without a name`,
		`{"tokens": ["alice"]}`:                                         `usetools.tokens: want an object`,
		`{"tokens": {"alice": {"approve": {"a.b": {"ask": "x + 1"}}}}}`: `usetools.tokens.alice.approve "a.b": "ask": its value is a number`,
	} {
		_, _, err := Rules(configs(t, value))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "a.json") {
			t.Errorf("%s: %v, want %s", value, err, want)
		}
	}
	for second, want := range map[string]string{
		`{"approve": {"effect": "deny"}}`:                              `usetools.approve "effect" differs between `,
		`{"approve": {"effect": {"ask": "x"}}}`:                        `usetools.approve "effect" differs between `,
		`{"tokens": {"alice": {"may": []}}}`:                           `usetools.tokens.alice.may differs between `,
		`{"tokens": {"alice": {"approve": {"effect": "ask"}}}}`:        ``,
		`{"approve": {"a.b": {"ask": "y", "deny": "x", "for": "7d"}}}`: ``,
		`{"approve": {"a.b": {"ask": "y"}}}`:                           `differs between`,
	} {
		_, _, err := Rules(configs(t, `{"approve": {"effect": "ask", "a.b": {"ask": "y", "deny": "x"}},
			"tokens": {"alice": {"may": ["approve"]}}}`, second))
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", second, err, want)
		}
	}
}

func TestRulesCountBesideThePolicy(t *testing.T) {
	cfg := configs(t, `{"approve": {"effect": {"ask": "amount > 5"}, "s.gone": "deny"}, "tokens": {"alice": {"approve": {"s": "deny"}}}}`)
	rules, rights, err := Rules(cfg)
	if err != nil {
		t.Fatal(err)
	}
	c := &Catalog{Registry: &registry.Registry{}, Rules: rules, Rights: rights,
		Servers: []config.Server{{Name: "s", Classes: []config.ClassRule{{Pattern: "get", Class: "read"}}}}}
	get := &registry.Tool{ID: "s.get", Server: "s", Name: "get"}
	put := &registry.Tool{ID: "s.put", Server: "s", Name: "put", Annotations: &registry.Annotations{ReadOnly: &no}}
	for _, tc := range []struct {
		p    *policy.Policy
		t    *registry.Tool
		args string
		want policy.Verdict // of the tool and of the call
		call policy.Verdict
	}{
		{nil, get, `{"amount": 9}`, policy.IsAllowed, policy.IsAllowed},
		{nil, put, `{"amount": 9}`, policy.NeedsApproval, policy.NeedsApproval},
		{nil, put, `{"amount": 1}`, policy.NeedsApproval, policy.IsAllowed},
		{&policy.Policy{Deny: []string{"s.put"}}, put, `{"amount": 1}`, policy.IsDenied, policy.IsDenied},
		{&policy.Policy{Token: "alice"}, get, `{}`, policy.IsDenied, policy.IsDenied},
		{&policy.Policy{Token: "bob"}, put, `{}`, policy.NeedsApproval, policy.NeedsApproval},
		{&policy.Policy{Approve: policy.ApproveWrites}, put, `{"amount": 1}`, policy.NeedsApproval, policy.NeedsApproval},
		{&policy.Policy{Rules: []policy.Rule{{Pattern: "s.put", Then: policy.IsDenied}}}, put, `{"amount": 1}`,
			policy.IsDenied, policy.IsDenied},
	} {
		for _, c := range []*Catalog{c, c.Apart(nil, nil)} {
			if d := c.Decide(tc.p, tc.t, nil); d.Verdict != tc.want {
				t.Errorf("%+v %s: %+v, want %s", tc.p, tc.t.ID, d, tc.want)
			}
			if d := c.DecideCall(tc.p, tc.t, registry.ReadArgs([]byte(tc.args)), nil, nil); d.Verdict != tc.call {
				t.Errorf("%+v %s %s: %+v, want %s", tc.p, tc.t.ID, tc.args, d, tc.call)
			}
		}
	}
}

func TestRulesThatMeanNothingAreNoted(t *testing.T) {
	reg := &registry.Registry{Tools: []registry.Tool{
		{ID: "mail.send", Server: "mail", Name: "send", Input: json.RawMessage(`{"properties": {"to": {}}}`)},
		{ID: "mail.list", Server: "mail", Name: "list", Input: json.RawMessage(`{}`)}},
		Servers: []registry.Server{{Name: "mail", Tools: 2}, {Name: "down"}}}
	reg.Normalize()
	cfg := configs(t, `{"approve": {"mail.send": {"ask": "too == nil and to == nil and args.x == nil"}, "mail.sent": "ask", "Mail": "deny",
		"mail.l*": {"deny": "x"}, "down.any": "deny", "read": "deny", "mail.*": {"ask": "y"}},
		"tokens": {"alice": {"approve": {"mail.sent": "allow"}}}}`)
	got := SettingsWarnings(cfg, &discovery.Settings{}, reg)
	want := []string{
		`usetools.approve "mail.send" uses too, which is not an argument of mail.send: it is nil`,
		`usetools.approve names "mail.sent", which is not a tool`, `usetools.approve names "Mail", which is not a tool`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// A running server follows its config, and keeps the rules that it has where it
// cannot read the new ones.
func TestChangedRulesTakeEffectWithoutARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := localfile.Write(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("tools.json", `[{"name": "put", "description": "Put it."}]`)
	path := ""
	approve := func(rules string) {
		path = write("mcp.json", `{"usetools": {"approve": `+rules+`}, "mcpServers": {"s": {"type": "snapshot", "path": "tools.json"}}}`)
	}
	approve(`{"effect": "ask"}`)
	f := &Files{Configs: []string{path}, NoMemory: true, NoObserve: true, NoUsage: true}
	defer f.Close()
	verdict := func(c *Catalog) policy.Verdict {
		tool, ok := c.Registry.Tool("s.put")
		if !ok {
			t.Fatal("there is no s.put")
		}
		return c.Decide(nil, tool, nil).Verdict
	}
	first, err := f.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := verdict(first); got != policy.NeedsApproval {
		t.Errorf("at first %s", got)
	}
	type news struct {
		c   *Catalog
		err error
	}
	told := make(chan news, 10)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- f.Watch(ctx, -1, func(c *Catalog, err error) { told <- news{c, err} }) }()
	defer func() { cancel(); <-done }()
	next := func() news {
		select {
		case n := <-told:
			return n
		case <-time.After(time.Minute):
			t.Fatal("no news of the config")
			return news{}
		}
	}
	if n := next(); n.err != nil || verdict(n.c) != policy.NeedsApproval {
		t.Errorf("of the watch at first %+v", n)
	}
	approve(`{"effect": "deny"}`)
	if n := next(); n.err != nil || verdict(n.c) != policy.IsDenied {
		t.Errorf("after a change %+v", n)
	}
	approve(`{"effect": "alow"}`)
	if n := next(); n.err == nil || !strings.Contains(n.err.Error(), `"alow"`) || verdict(n.c) != policy.IsDenied {
		t.Errorf("after a mistake %+v", n)
	}
	if other, err := (&Files{Configs: []string{path}}).Early(t.Context()); err == nil {
		t.Errorf("a start with a mistake has %d rules", len(other.Rules))
	}
	approve(`{"effect": "allow"}`)
	if n := next(); n.err != nil || verdict(n.c) != policy.IsAllowed {
		t.Errorf("after it was mended %+v", n)
	}
}

func TestTheRulesOfTheGuideAreRead(t *testing.T) {
	page, err := os.ReadFile("../../cmd/harness/help/policies.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "## A larger example")
	_, rest, _ = strings.Cut(rest, "```json\n")
	block, _, ok := strings.Cut(rest, "```")
	path := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(path, []byte(block), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	rules, rights, err := Rules(cfg)
	if !ok || err != nil || len(rules) != 7 || len(rights["alice"]) != 1 {
		t.Errorf("%d rules, rights %v, %v", len(rules), rights, err)
	}
	c := &Catalog{Registry: &registry.Registry{}, Rules: rules}
	for _, tc := range []struct {
		tool, args string
		want       policy.Verdict
		whole      bool
	}{
		{"mail.send", `{"to": "ann@example.com", "body": "x"}`, policy.IsAllowed, false},
		{"mail.send", `{"to": "ann@example.org", "body": "x"}`, policy.NeedsApproval, false},
		{"mail.send", `{"to": ["ann@example.com"], "body": "x"}`, policy.NeedsApproval, false},
		{"mail.send", `{"to": "ann@example.com", "body": "` + strings.Repeat("x", 20001) + `"}`, policy.IsDenied, false},
		{"mail.forward", `{"to": "ann@example.com"}`, policy.NeedsApproval, false}, // by its class
		{"shop.order", `{"items": [{"price": 400.5, "quantity": 2}, {"price": 199, "quantity": 1}]}`, policy.IsAllowed, false},
		{"shop.order", `{"items": [{"price": 400.5, "quantity": 2}, {"price": 199.01, "quantity": 1}]}`,
			policy.NeedsApproval, true},
		{"crm.delete_all", `{}`, policy.IsDenied, false},
		{"calendar.add", `{}`, policy.IsAllowed, false},
	} {
		server, name, _ := strings.Cut(tc.tool, ".")
		tool := &registry.Tool{ID: tc.tool, Server: server, Name: name}
		d := c.DecideCall(nil, tool, registry.ReadArgs([]byte(tc.args)), nil, nil)
		if d.Verdict != tc.want || d.AllCalls != tc.whole {
			t.Errorf("%s %.80s: %+v, want %s", tc.tool, tc.args, d, tc.want)
		}
	}
}
