package config

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/registry"
)

// What is more exact counts more, and the server's entry more than the file.
func TestTheNearestRuleGivesAToolItsClass(t *testing.T) {
	c := load(t, `{"usetools": {"class": {"get_one": "effect", "put_*": "again", "*": "effect"}}, "mcpServers": {"x": {
		"command": "x", "usetools": {"class": {"get_*": "read", "get_token_*": "effect", "get_token_names": "read",
			"delete_item": "again", "what?": "read"}}}, "y": {"command": "y"}}}`)
	x, _ := c.Server("x")
	y, _ := c.Server("y")
	for _, tc := range []struct {
		s          *Server
		tool, want string
	}{
		{&x, "get_one", "read by get_*"}, {&x, "get_token_new", "effect by get_token_*"},
		{&x, "get_token_names", "read by get_token_names"}, {&x, "delete_item", "again by delete_item"},
		{&x, "delete_items", "effect by *"}, {&x, "put_it", "again by put_*"}, {&x, "whats", "read by what?"},
		{&y, "get_one", "effect by get_one"}, {&y, "other", "effect by *"},
	} {
		r := tc.s.Class(tc.tool)
		if r == nil {
			t.Errorf("%s.%s: no class", tc.s.Name, tc.tool)
		} else if got := r.Class + " by " + r.Pattern; got != tc.want {
			t.Errorf("%s.%s: %s, want %s", tc.s.Name, tc.tool, got, tc.want)
		}
	}
	if r := (&Server{}).Class("x"); r != nil {
		t.Errorf("without rules %+v", r)
	}
}

func TestHintsCountAsFarAsTheServerIsTrusted(t *testing.T) {
	yes, no := true, false
	reads := &registry.Annotations{Title: "T", ReadOnly: &yes}
	destroys := &registry.Annotations{ReadOnly: &no, Destructive: &yes}
	read, effect := []ClassRule{{"t", ClassRead}}, []ClassRule{{"*", ClassEffect}}
	for _, tc := range []struct {
		name  string
		s     Server
		given *registry.Annotations
		want  *registry.Annotations
	}{
		{"usually", Server{}, reads, reads},
		{"none", Server{}, nil, nil},
		{"trusted for writes", Server{Trust: TrustWrites}, destroys, destroys},
		{"not trusted", Server{Trust: TrustNothing}, reads, &registry.Annotations{Title: "T"}},
		{"not trusted, no hints", Server{Trust: TrustNothing}, nil, &registry.Annotations{}},
		{"not trusted, said to read", Server{Trust: TrustNothing, Classes: read}, destroys,
			&registry.Annotations{ReadOnly: &yes}},
		{"said to read", Server{Classes: read}, destroys, &registry.Annotations{ReadOnly: &yes, Destructive: &yes}},
		{"said to do something", Server{Classes: effect}, reads, &registry.Annotations{Title: "T", ReadOnly: &no}},
		{"another tool", Server{Classes: []ClassRule{{"u", ClassRead}}}, destroys, destroys},
	} {
		before := fmt.Sprintf("%+v", tc.given)
		got := tc.s.Hints(&registry.Tool{Name: "t", Annotations: tc.given})
		if d := cmp.Diff(tc.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, d)
		}
		if after := fmt.Sprintf("%+v", tc.given); after != before {
			t.Errorf("%s: the tool's own hints became %s", tc.name, after)
		}
	}
}

// A changed class asks no server again, unless it chooses the tools that there
// are.
func TestClassesLeaveConnectionsAndRegistryAsTheyAre(t *testing.T) {
	of := func(settings string) *Config {
		return load(t, `{"mcpServers": {"x": {"command": "x", "usetools": {`+settings+`}}}}`)
	}
	for _, tc := range []struct {
		a, b             string
		server, registry bool // are the same
	}{
		{``, `"trust": false`, true, true},
		{`"class": {"a": "read"}`, `"class": {"a": "effect"}`, true, true},
		{`"readOnly": true`, `"readOnly": true, "trust": false`, false, false},
		{`"readOnly": true`, `"readOnly": true, "class": {"a": "read"}`, false, false},
		{`"callTimeout": "1s"`, `"callTimeout": "2s"`, false, true},
	} {
		a, b := of(tc.a), of(tc.b)
		if Same(a, b) {
			t.Errorf("%s and %s: the configs are the same", tc.a, tc.b)
		}
		if got := SameServer(a.Servers[0], b.Servers[0]); got != tc.server {
			t.Errorf("%s and %s: the servers are the same: %v", tc.a, tc.b, got)
		}
		if got := a.Digest() == b.Digest(); got != tc.registry {
			t.Errorf("%s and %s: the digests are the same: %v", tc.a, tc.b, got)
		}
	}
}

func TestWhatAServerKeepsOfACallIsRead(t *testing.T) {
	c := load(t, `{"usetools": {"session": true, "idempotency": "1h", "verify": {"pay": {"tool": "paid", "reference": "id"}}},
		"mcpServers": {"x": {"command": "x"}, "y": {"command": "y", "usetools": {"session": false, "idempotency": "7d",
			"verify": {"pay": {"tool": "find", "reference": "ref", "after": "10m"}, "buy": {"tool": "find", "reference": "n"}}}}}}`)
	x, _ := c.Server("x")
	y, _ := c.Server("y")
	if x.Err != nil || y.Err != nil || len(x.Notes)+len(y.Notes) > 0 {
		t.Fatal(x.Err, y.Err, x.Notes, y.Notes)
	}
	if !x.Session || y.Session || x.Idempotency != time.Hour || y.Idempotency != 7*24*time.Hour {
		t.Errorf("%+v and %+v", x, y)
	}
	want := []Verify{{"pay", "find", "ref", 10 * time.Minute}, {"buy", "find", "n", 0}}
	if d := cmp.Diff(want, y.Verify); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff([]Verify{{"pay", "paid", "id", 0}}, x.Verify); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	plain := load(t, `{"mcpServers": {"x": {"command": "x"}, "y": {"command": "y"}}}`)
	if Same(plain, c) || !SameServer(plain.Servers[1], y) || plain.Digest() != c.Digest() {
		t.Error("a change asks the server again, or is not seen")
	}
}

// What is wrong here must not do nothing.
func TestAMistakeInWhatIsSentAgainIsAnError(t *testing.T) {
	for settings, want := range map[string]string{
		`"idempotency": "long"`:                                             `usetools.idempotency is "long": want a duration like "10m", "24h" or "7d"`,
		`"idempotency": "-1h"`:                                              `usetools.idempotency is "-1h"`,
		`"idempotency": "99999999999d"`:                                     `usetools.idempotency is`,
		`"session": "yes"`:                                                  `session is a string, want true or false`,
		`"verify": {"a": {}}`:                                               `usetools.verify has no tool or no reference for "a"`,
		`"verify": {"a": {"tool": "b"}}`:                                    `usetools.verify has no tool or no reference for "a"`,
		`"verify": {"a": {"tool": "a", "reference": "r"}}`:                  `want the name of a different tool`,
		`"verify": {"a": {"tool": "b*", "reference": "r"}}`:                 `want the name of a different tool`,
		`"verify": {"a*": {"tool": "b", "reference": "r"}}`:                 `usetools.verify has "a*": want the name of a tool`,
		`"verify": {"a": {"tool": "b", "reference": "r", "after": "soon"}}`: `usetools.verify.a has after "soon": want a duration`,
		`"approve": {"effect": "ask"}`:                                      `usetools.approve is not allowed in an entry: write usetools.approve at the top of the file`,
		`"aprove": {"effect": "ask"}`:                                       `write usetools.approve at the top of the file`,
		`"tokens": {}`:                                                      `write usetools.tokens at the top of the file`,
	} {
		c := load(t, `{"mcpServers": {"x": {"command": "x", "usetools": {`+settings+`}}}}`)
		if x, _ := c.Server("x"); x.Err == nil || !strings.Contains(x.Err.Error(), want) {
			t.Errorf("%s: %v, want %s", settings, x.Err, want)
		}
	}
	if _, err := Load(write(t, t.TempDir(), "mcp.json", `{"usetools": {}, "mcpServers": {}, "usetools": {}}`)); err == nil ||
		!strings.Contains(err.Error(), `duplicate key "usetools"`) {
		t.Error(err)
	}
}

// What a registry says of a server's tools is what the config said.
func TestRulesOfAnEntryMeanTheSameElsewhere(t *testing.T) {
	c := load(t, `{"usetools": {"class": {"get_one": "effect"}}, "mcpServers": {"x": {"command": "x", "usetools": {
		"class": {"get_*": "read", "put": "again"}, "trust": "writes", "private": ["pay*"], "idempotency": "1d", "session": true}},
		"y": {"command": "y", "usetools": {"trust": false}}}}`)
	for i := range c.Servers {
		s := &c.Servers[i]
		b, err := json.Marshal(s.Rules())
		if err != nil {
			t.Fatal(err)
		}
		var r registry.Rules
		if err := json.Unmarshal(b, &r); err != nil {
			t.Fatal(err)
		}
		got := Ruled(s.Name, &r)
		want := Server{Name: s.Name, Trust: s.Trust, Classes: s.Classes, Private: s.Private, Idempotency: s.Idempotency,
			Session: s.Session}
		if d := cmp.Diff(want, got, cmp.AllowUnexported(Server{})); d != "" {
			t.Errorf("%s (-want +got):\n%s", b, d)
		}
	}
	plain := load(t, `{"mcpServers": {"x": {"command": "x", "usetools": {"callTimeout": "1s"}}}}`)
	if r := plain.Servers[0].Rules(); r != nil {
		t.Errorf("rules of an entry that says nothing unusual: %+v", r)
	}
	for _, r := range []*registry.Rules{
		{Trust: "more"}, {Classes: [][2]string{{"*", "reads"}}}, {Classes: [][2]string{{"[", "read"}}}, {Private: []string{"["}},
		{Idempotency: "long"},
	} {
		if s := Ruled("x", r); s.Trust != TrustNothing || !cmp.Equal(s.Private, []string{"*"}) {
			t.Errorf("%+v is taken for %+v", r, s)
		}
	}
}

func TestARetiredKeyNamesItsReplacement(t *testing.T) {
	c := load(t, `{"mcpServers": {"x": {"command": "x", "usetools": {"node": false}}, "y": {"command": "y"}}}`)
	if err := c.Servers[0].Err; err == nil || !strings.Contains(err.Error(), "usetools.node is retired: serve ") ||
		len(c.Servers[0].Notes) > 0 || c.Servers[1].Err != nil {
		t.Errorf("%v, %q, %v", err, c.Servers[0].Notes, c.Servers[1].Err)
	}
	for name, text := range map[string]string{
		"a.json": `{"usetools": {"node": true}, "mcpServers": {"x": {"command": "x"}}}`,
		"a.toml": "[usetools]\nnode = true\n[mcp_servers.x]\ncommand = \"x\"\n",
	} {
		if _, err := parse(name, []byte(text)); err == nil || !strings.Contains(err.Error(), "usetools.node is retired") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
