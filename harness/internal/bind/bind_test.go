package bind_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/bind"
	"github.com/usetools/usetools/harness/internal/check"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/registry"
)

// bound binds a script with some needs over three servers.
func bound(t *testing.T, s bind.Script, n worker.Needs) *bind.Bound {
	t.Helper()
	in := json.RawMessage(`{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}`)
	reg := &registry.Registry{Tools: []registry.Tool{
		{Server: "shop", Name: "get_order", Description: "Get one order with all that belongs to it", Input: in},
		{Server: "tickets", Name: "create_ticket", Description: "Open a ticket in a queue", Input: in},
		{Server: "chat", Name: "post_message", Description: "Post a message to a channel", Input: in},
	}}
	reg.Normalize()
	cat := &catalog.Catalog{Registry: reg}
	s.Tools = func(context.Context) (*catalog.Catalog, error) { return cat, cat.Load() }
	b := bind.New(s)
	if ok, err := b.Load(t.Context(), &n); err != nil || !ok {
		t.Fatalf("%t, %v", ok, err)
	}
	if err := b.Resolve(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b
}

func names(line int, selectors ...string) (out []worker.Name) {
	for _, s := range selectors {
		pkg, name, _ := strings.Cut(s, ".")
		out = append(out, worker.Name{Package: pkg, Name: name, Line: line})
	}
	return out
}

// What a script means follows from its needs, the catalog and the policy: there is no run here.
func TestAScriptIsBoundWithoutARun(t *testing.T) {
	b := bound(t, bind.Script{}, worker.Needs{Phrases: []worker.Phrase{{Text: "open a ticket in a queue", Line: 1}},
		Names: names(2, "tickets.CreateTicket", "shop.GetOrder")})
	tools := b.Generate()
	if len(b.Errors) > 0 || !tools.Go || len(b.Allowed) != 2 || len(tools.Units) != 2 ||
		!strings.Contains(tools.Units[0].Source, "func GetOrder(") {
		t.Errorf("%+v %+v", b.Errors, tools)
	}
	if b.Uses[0].Tool != "tickets.create_ticket" || b.Uses[0].By != discovery.ByPhrase {
		t.Errorf("%+v", b.Uses)
	}
	b = bound(t, bind.Script{}, worker.Needs{Names: names(1, "shop.GetOrder")}) // without a phrase
	if len(b.Uses) != 1 || b.Uses[0].Tool != "shop.get_order" || b.Uses[0].By != outcome.ByAdded {
		t.Errorf("%+v", b.Uses)
	}
}

func TestADeniedToolIsRefusedBeforeAnythingRuns(t *testing.T) {
	for _, c := range []struct {
		policy policy.Policy
		waits  bool
		want   string
	}{
		{policy.Policy{Deny: []string{"shop"}}, true, "shop.GetOrder (shop.get_order): denied by -deny shop"},
		{policy.Policy{Approve: policy.ApproveWrites}, false, "shop.GetOrder (shop.get_order): "},
		{policy.Policy{Approve: policy.ApproveWrites}, true, ""},
	} {
		b := bound(t, bind.Script{Source: "\nshop.GetOrder()", Policy: &c.policy, Waits: c.waits},
			worker.Needs{Names: names(2, "shop.GetOrder")})
		_, errs := b.Judge()
		if b.Generate().Go != (c.want == "") || len(errs) == 0 != (c.want == "") {
			t.Fatalf("%+v: %+v", c.policy, errs)
		}
		if c.want != "" && (!strings.HasPrefix(errs[0].Message, c.want) || errs[0].Snippet != "shop.GetOrder()") {
			t.Errorf("%+v", errs)
		}
	}
}

func TestAWrongNameIsExplainedByTheWholeRegistry(t *testing.T) {
	for _, c := range []struct{ selector, code, hint string }{
		{"tickets.CreateTickt", check.CodeNoName, "did you mean tickets.CreateTicket?"},
		{"tikets.CreateTicket", check.CodeNoServer, "did you mean tickets.CreateTicket?"},
		{"desk.OpenTicket", check.CodeNoServer, "did you mean tickets.CreateTicket?"},
	} {
		b := bound(t, bind.Script{Source: c.selector + "()"}, worker.Needs{Names: names(1, c.selector)})
		pkg, name, _ := strings.Cut(c.selector, ".")
		errs := b.Explain(t.Context(), []worker.Diagnostic{{Kind: check.Compile, Line: 1, Column: 1, Code: c.code,
			Message: "undefined: " + pkg, Package: pkg, Name: name}})
		if len(errs) != 1 || errs[0].Hint != c.hint {
			t.Errorf("%s: %+v", c.selector, errs)
		}
		if types := b.Types(0); len(types) == 0 || !strings.Contains(types[0], "func tickets.CreateTicket(") {
			t.Errorf("%s: %q", c.selector, types)
		}
	}
}

func TestALookupShowsTheToolOfEachPhrase(t *testing.T) {
	b := bound(t, bind.Script{}, worker.Needs{Probe: true, Phrases: []worker.Phrase{{Text: "post a message to a channel"}}})
	if b.Status != outcome.OK || len(b.Uses) != 1 || b.Uses[0].Verdict != discovery.Resolved ||
		!strings.Contains(b.Uses[0].Signature, "func chat.PostMessage(") {
		t.Errorf("%s %+v", b.Status, b.Uses)
	}
}
