package policy

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
)

func rule(t *testing.T, pattern string, then Verdict, condition string) Rule {
	t.Helper()
	r := Rule{Pattern: pattern, Then: then}
	if condition != "" {
		var err error
		if r.If, err = ParseCondition(condition); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// What is said of a call by rules alone, whatever their order.
func TestTheNearestRuleDecides(t *testing.T) {
	const ask, deny, allow = NeedsApproval, IsDenied, IsAllowed
	ofToken := func(r Rule) Rule { r.Token = "alice"; return r }
	rules := []Rule{
		rule(t, "effect", ask, ""),
		rule(t, "read", deny, `secret == true`),
		rule(t, "crm", deny, ""),
		rule(t, "crm.get_*", allow, ""),
		rule(t, "crm.get_secret_*", ask, ""),
		rule(t, "crm.get_secret_name", allow, ""),
		rule(t, "crm.[g][e][t]_secret_n[a][m]e", deny, ""),
		rule(t, "mail.send", ask, `not (to endsWith "@example.com")`),
		rule(t, "mail.send", deny, `to endsWith "@example.org"`),
		rule(t, "mail.*", allow, `len(to) > 0`),
		rule(t, "pay.*", allow, `amount < 10`),
		rule(t, "two.*a", allow, ""), rule(t, "two.a*", ask, ""),
		ofToken(rule(t, "effect", allow, "")),
		ofToken(rule(t, "crm.get_a", deny, "")),
		ofToken(rule(t, "pay", ask, "amount > 5")),
	}
	for _, tc := range []struct {
		token, tool string
		class       record.Class
		args        string
		want        Verdict
		rule        string
	}{
		{"", "a.write", record.Effect, `{}`, ask, `needs approval by the rule "effect"`},
		{"", "a.put", record.Idempotent, `{}`, allow, "no rule is against it"},
		{"", "a.get", record.Read, `{"secret": true}`, deny, `denied by the rule "read": secret == true`},
		{"", "a.get", record.Read, `{"secret": false}`, allow, "no rule is against it"},
		{"", "a.get", record.Read, `{"secret": "yes"}`, deny,
			`denied by the rule "read": secret == true; the condition cannot be evaluated: cannot compare a text with true or false`},
		{"", "crm.get_a", record.Effect, `{}`, allow, `allowed by the rule "crm.get_*"`},
		{"", "crm.put_a", record.Read, `{}`, deny, `denied by the rule "crm"`},
		{"", "crm.get_secret_a", record.Read, `{}`, ask, `needs approval by the rule "crm.get_secret_*"`},
		{"", "crm.get_secret_name", record.Read, `{}`, allow, `allowed by the rule "crm.get_secret_name"`},
		{"", "mail.send", record.Effect, `{"to": "a@example.com"}`, allow,
			`the rule "mail.send" does not require approval: not (to endsWith "@example.com")`},
		{"", "mail.send", record.Effect, `{"to": "a@b"}`, ask,
			`needs approval by the rule "mail.send": not (to endsWith "@example.com")`},
		{"", "mail.send", record.Effect, `{"to": "a@example.org"}`, deny,
			`denied by the rule "mail.send": to endsWith "@example.org"`},
		{"", "mail.send", record.Effect, `{}`, deny,
			`denied by the rule "mail.send": to endsWith "@example.org"; the condition cannot be evaluated: endsWith wants a text, and to is nil`},
		{"", "mail.send", record.Effect, `{"to": "a@example.com", "to": "x"}`, deny,
			`denied by the rule "mail.send": to endsWith "@example.org"; the condition cannot be evaluated: `},
		{"", "mail.other", record.Effect, `{}`, ask, `needs approval by the rule "effect"`},
		{"", "pay.it", record.Effect, `{"amount": 9}`, allow, `allowed by the rule "pay.*": amount < 10`},
		{"", "pay.it", record.Effect, `{"amount": 10}`, ask, `needs approval by the rule "effect"`},
		{"", "pay.it", record.Effect, `{"amount": 1e999999999}`, ask, `needs approval by the rule "effect"`},
		{"", "two.a", record.Read, `{}`, ask, `needs approval by the rule "two.a*"`},
		{"alice", "a.write", record.Effect, `{}`, allow, `allowed by the rule "effect" of the token alice`},
		{"alice", "crm.get_a", record.Read, `{}`, deny, `denied by the rule "crm.get_a" of the token alice`},
		{"alice", "crm.put_a", record.Read, `{}`, deny, `denied by the rule "crm"`},
		{"alice", "pay.it", record.Effect, `{"amount": 6}`, ask, `needs approval by the rule "pay" of the token alice: amount > 5`},
		{"alice", "pay.it", record.Effect, `{"amount": 5}`, allow,
			`the rule "pay" of the token alice does not require approval: amount > 5`},
		{"bob", "a.write", record.Effect, `{}`, ask, `needs approval by the rule "effect"`},
	} {
		server, name, _ := strings.Cut(tc.tool, ".")
		tool := &registry.Tool{ID: tc.tool, Server: server, Name: name}
		for range 2 {
			p := (&Policy{}).With(tc.token, rules)
			if err := p.Validate(); err != nil {
				t.Fatal(err)
			}
			d := p.DecideCall(tool, tc.class, registry.ReadArgs([]byte(tc.args)), nil, nil)
			if d.Verdict != tc.want || !strings.HasPrefix(d.Rule, tc.rule) {
				t.Errorf("%s %s %s: %s, %s; want %s, %s", tc.token, tc.tool, tc.args, d.Verdict, d.Rule, tc.want, tc.rule)
			}
			if any := p.Decide(tool, tc.class, nil); any.Verdict == IsDenied && d.Verdict != IsDenied ||
				any.Verdict == IsAllowed && d.Verdict == NeedsApproval {
				t.Errorf("%s %s %s: %s, but the tool is %s", tc.token, tc.tool, tc.args, d.Verdict, any.Verdict)
			}
			slices.Reverse(rules)
		}
	}
}

// A tool is denied where each call is, and needs approval where some call may.
func TestAToolIsDecidedByAllItsCalls(t *testing.T) {
	const ask, deny, allow = NeedsApproval, IsDenied, IsAllowed
	tool := &registry.Tool{ID: "a.b", Server: "a", Name: "b"}
	for _, tc := range []struct {
		name  string
		rules []Rule
		p     Policy
		want  Verdict
		rule  string
	}{
		{"denied", []Rule{rule(t, "a.b", deny, "")}, Policy{}, deny, `denied by the rule "a.b"`},
		{"some denied", []Rule{rule(t, "a.b", deny, "x")}, Policy{}, allow, "no rule is against it"},
		{"some denied, some asked", []Rule{rule(t, "a.b", deny, "x"), rule(t, "a", ask, "y")}, Policy{}, ask,
			`may need approval by the rule "a": y`},
		{"some asked, the others denied", []Rule{rule(t, "a.b", ask, "x"), rule(t, "a", deny, "")}, Policy{}, ask,
			`may need approval by the rule "a.b": x`},
		{"some allowed, the others denied", []Rule{rule(t, "a.b", allow, "x"), rule(t, "a", deny, "")}, Policy{}, allow,
			`may be allowed by the rule "a.b": x`},
		{"some denied, the others too", []Rule{rule(t, "a.b", deny, "x"), rule(t, "a", deny, "")}, Policy{}, deny,
			`denied by the rule "a"`},
		{"some allowed, the others asked", []Rule{rule(t, "a.b", allow, "x"), rule(t, "effect", ask, "")}, Policy{}, ask,
			`needs approval by the rule "effect"`},
		{"a rule after the last", []Rule{rule(t, "a.b", allow, ""), rule(t, "effect", deny, "")}, Policy{}, allow,
			`allowed by the rule "a.b"`},
		{"some allowed by a flag's question", []Rule{rule(t, "a.b", allow, "x")}, Policy{Approve: ApproveWrites}, ask,
			"it is not marked as read-only and needs approval"},
		{"asked and approved", []Rule{rule(t, "a.b", ask, "x")}, Policy{Approved: []string{"a.b"}}, IsAllowed,
			`the rule "a.b" does not require approval for all calls: x`},
		{"asked and approved, the others denied", []Rule{rule(t, "a.b", ask, "x"), rule(t, "a", deny, "")},
			Policy{Approved: []string{"a.b"}}, IsAllowed, `the rule "a.b" does not require approval for all calls: x`},
	} {
		tc.p.Rules = tc.rules
		if d := tc.p.Decide(tool, record.Effect, nil); d.Verdict != tc.want || d.Rule != tc.rule {
			t.Errorf("%s: %s, %s; want %s, %s", tc.name, d.Verdict, d.Rule, tc.want, tc.rule)
		}
	}
}

// Of an ask with a condition less exact rules say nothing; those that are as exact do,
// and flags.
func TestACallThatARuleDoesNotAskForIsAllowed(t *testing.T) {
	const ask, deny, allow = NeedsApproval, IsDenied, IsAllowed
	tool := &registry.Tool{ID: "mail.send", Server: "mail", Name: "send"}
	exact := rule(t, "mail.send", ask, `not (to endsWith "@example.com")`)
	for _, tc := range []struct {
		name  string
		rules []Rule
		p     Policy
		want  Verdict
		rule  string
	}{
		{"the class is asked for", []Rule{exact, rule(t, "effect", ask, "")}, Policy{}, allow,
			`the rule "mail.send" does not require approval: not (to endsWith "@example.com")`},
		{"the server is denied", []Rule{exact, rule(t, "mail", deny, "")}, Policy{}, allow, `the rule "mail.send" does not require approval`},
		{"the tool is denied", []Rule{exact, rule(t, "mail.send", deny, "len(to) > 3")}, Policy{}, deny,
			`denied by the rule "mail.send": len(to) > 3`},
		{"the tool is not denied", []Rule{exact, rule(t, "mail.send", deny, "len(to) > 99"), rule(t, "effect", ask, "")},
			Policy{}, allow, `the rule "mail.send" does not require approval`},
		{"a deny alone leaves it to the next", []Rule{rule(t, "mail.send", deny, "len(to) > 99"), rule(t, "effect", ask, "")},
			Policy{}, ask, `needs approval by the rule "effect"`},
		{"an allow alone leaves it to the next", []Rule{rule(t, "mail.send", allow, "len(to) > 99"), rule(t, "effect", ask, "")},
			Policy{}, ask, `needs approval by the rule "effect"`},
		{"a pattern as exact asks", []Rule{rule(t, "mail.s*", ask, "len(to) > 99"), rule(t, "mail.*d", ask, "len(to) > 3")},
			Policy{}, ask, `needs approval by the rule "mail.*d": len(to) > 3`},
		{"a flag asks", []Rule{exact}, Policy{Approve: ApproveWrites}, ask, "it is not marked as read-only and needs approval"},
		{"a flag denies", []Rule{exact}, Policy{Deny: []string{"mail"}}, deny, "denied by -deny mail"},
	} {
		for range 2 {
			tc.p.Rules = tc.rules
			d := tc.p.DecideCall(tool, record.Effect, registry.ReadArgs([]byte(`{"to": "a@example.com"}`)), nil, nil)
			if d.Verdict != tc.want || !strings.HasPrefix(d.Rule, tc.rule) {
				t.Errorf("%s: %s, %s; want %s, %s", tc.name, d.Verdict, d.Rule, tc.want, tc.rule)
			}
			if any := tc.p.Decide(tool, record.Effect, nil); any.Verdict == IsDenied && d.Verdict != IsDenied ||
				any.Verdict == IsAllowed && d.Verdict == NeedsApproval {
				t.Errorf("%s: %s, but the tool is %s", tc.name, d.Verdict, any.Verdict)
			}
			slices.Reverse(tc.rules)
		}
	}
}

// Flags and rules are both the operator's; the stricter counts.
func TestTheStricterOfFlagAndRuleCounts(t *testing.T) {
	const ask, deny, allow = NeedsApproval, IsDenied, IsAllowed
	tool := &registry.Tool{ID: "a.b", Server: "a", Name: "b"}
	with := func(p Policy, pattern string, then Verdict) *Policy {
		p.Rules = []Rule{rule(t, pattern, then, "")}
		return &p
	}
	for _, tc := range []struct {
		name     string
		p        *Policy
		approved []string
		want     Verdict
	}{
		{"-deny, allow", with(Policy{Deny: []string{"a"}}, "a.b", allow), nil, deny},
		{"-allow of others, allow", with(Policy{Allow: []string{"c"}}, "a.b", allow), nil, deny},
		{"-read-only, allow", with(Policy{ReadOnly: true}, "a.b", allow), nil, deny},
		{"-allow, deny", with(Policy{Allow: []string{"a"}}, "effect", deny), nil, deny},
		{"-approve, allow", with(Policy{Approve: ApproveWrites}, "a.*", allow), nil, allow},
		{"-approve, allow of the class", with(Policy{Approve: ApproveWrites}, "effect", allow), nil, ask},
		{"-approve, deny", with(Policy{Approve: ApproveWrites}, "effect", deny), nil, deny},
		{"-approved, ask", with(Policy{Approved: []string{"a.b"}}, "effect", ask), nil, IsApproved},
		{"-approved, deny", with(Policy{Approved: []string{"a.b"}}, "effect", deny), nil, deny},
		{"approved by the user, ask", with(Policy{}, "a", ask), []string{"a.b"}, IsApproved},
		{"approved by the user, deny", with(Policy{}, "a", deny), []string{"a.b"}, deny},
		{"no flag, ask", with(Policy{}, "effect", ask), nil, ask},
		{"no flag, another class", with(Policy{}, "again", ask), nil, allow},
	} {
		for name, d := range map[string]Decision{"tool": tc.p.Decide(tool, record.Effect, tc.approved),
			"call": tc.p.DecideCall(tool, record.Effect, registry.Args{}, tc.approved, nil)} {
			if d.Verdict != tc.want {
				t.Errorf("%s, %s: %s (%s), want %s", tc.name, name, d.Verdict, d.Rule, tc.want)
			}
			if wants := d.Verdict == NeedsApproval; wants != (d.For == AskFor) {
				t.Errorf("%s, %s: waits %v", tc.name, name, d.For)
			}
		}
	}
	p := &Policy{Rules: []Rule{{Pattern: "a", Then: ask, AllCalls: true, For: time.Hour}}}
	if d := p.DecideCall(tool, record.Effect, registry.Args{}, nil, nil); !d.AllCalls || d.For != time.Hour {
		t.Errorf("%+v", d)
	}
	var none *Policy
	if d := none.DecideCall(tool, record.Effect, registry.Args{}, nil, nil); d.Verdict != allow {
		t.Errorf("without a policy %+v", d)
	}
	if none.With("", nil) != nil || none.With("x", nil).Token != "x" {
		t.Error("With of no policy")
	}
}

func TestARuleIsASentence(t *testing.T) {
	long := rule(t, "mail.send", NeedsApproval, "len(to) > 3")
	long.AllCalls, long.For, long.Token = true, 90*time.Minute, "alice"
	for want, r := range map[string]Rule{
		`calls of tools that are effect need approval; pending calls expire after 7 days`: rule(t, "effect", NeedsApproval, ""),
		`calls of crm.delete_* are denied`:                                                rule(t, "crm.delete_*", IsDenied, ""),
		`calls of crm need no approval where x == 1`:                                      rule(t, "crm", IsAllowed, "x == 1"),
		`for the token alice calls of mail.send need approval where len(to) > 3; ` +
			`pending calls expire after 1h30m; an approval may cover all calls of the tool in the run; ` +
			`other calls are allowed, whatever less exact rules say`: long,
	} {
		if got := r.String(); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	for _, bad := range []Rule{{Pattern: "", Then: IsDenied}, {Pattern: "a[", Then: IsDenied}, {Pattern: "a"},
		{Pattern: "a", Then: IsApproved}} {
		if (&Policy{Rules: []Rule{bad}}).Validate() == nil {
			t.Errorf("%+v is valid", bad)
		}
	}
}
