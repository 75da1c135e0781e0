package serve_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/discovery/memory"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/harness/serve/transport"
	"github.com/usetools/usetools/harness/usage"
	"github.com/usetools/usetools/wrappers/observe"
)

// tenants are ann and bob, with a token each, at one server, and what that has
// of the operator.
type tenants struct {
	t        *testing.T
	s        *serve.Server
	url      string
	version  string // of the protocol
	scripts  *library.Library
	memory   *memory.Memory
	folder   string // of scripts and shapes
	audit    string
	ann, bob *client
}

var twoTokens = map[string]string{"ann": "token-of-ann-0123", "bob": "token-of-bob-0123"}

// newTenants serves with tokens; ann and bob are clients without any where there
// are none.
func newTenants(t *testing.T, version string, tokens map[string]string, opts *serve.Options) *tenants {
	t.Helper()
	alone(t, "what is learnt, saved and counted is looked at in the instance")
	x := &tenants{t: t, version: version, folder: t.TempDir()}
	x.scripts = library.Open(filepath.Join(x.folder, "scripts"))
	x.audit = filepath.Join(x.folder, "audit.jsonl")
	x.memory = memory.New(filepath.Join(x.folder, "phrases.json"), testRegistry())
	cat := &catalog.Catalog{Registry: testRegistry(), Calls: newFake(), Scripts: x.scripts, Memory: x.memory,
		Shapes: observe.New(filepath.Join(x.folder, "shapes.json")),
		Usage:  usage.Open(filepath.Join(x.folder, "usage.jsonl"))}
	opts.Catalog = func(context.Context) (*catalog.Catalog, error) { return cat, nil }
	opts.Audit.Path = x.audit
	x.s, _ = serving(t, opts)
	x.url = "http://" + listen(t, x.s, &serve.HTTP{Endpoint: transport.Endpoint{Tokens: tokens, Insecure: len(tokens) == 0}})
	x.ann = x.dial(tokens["ann"])
	if len(tokens) != 1 {
		x.bob = x.dial(tokens["bob"])
	}
	return x
}

func (x *tenants) dial(token string) *client {
	return dialHTTP(x.t, x.url+"/mcp", x.version, token, nil)
}

// saves runs a script that names itself, and returns the warnings.
func (x *tenants) saves(c *client, name, value string) string {
	x.t.Helper()
	_, a := c.run(fmt.Sprintf("// usetools:name %s Says whose it is\nReturn(%q)", name, value))
	if a.Status != outcome.OK {
		x.t.Fatalf("%+v", a.Error)
	}
	return strings.Join(a.Warnings, "\n")
}

// saved is what RunScript of a name returns to a client.
func saved(c *client, name string) string {
	c.t.Helper()
	got, _ := c.run(fmt.Sprintf(`v, err := RunScript(%q, nil); if err != nil { v = err.Error() }; Return(v)`, name))
	return strings.TrimSpace(got)
}

func description(c *client) string {
	c.t.Helper()
	list, err := c.ListTools(c.t.Context(), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	return list.Tools[slices.IndexFunc(list.Tools, func(t *mcp.Tool) bool { return t.Name == "execute" })].Description
}

// has reports a text that is not as it should be.
func (x *tenants) has(what, text, part string, want bool) {
	x.t.Helper()
	if got := strings.Contains(text, part); got != want {
		x.t.Errorf("%s: %q is there: %v, want %v:\n%s", what, part, got, want, text)
	}
}

const search = `r, err := issues.Search(issues.SearchParams{Query: %q}); if err != nil { panic(err) }; Return(r.Text())`

// rows are what holds each row of the table of who sees what.
var rows = map[string]func(t *testing.T, version string){
	"saved scripts": func(t *testing.T, version string) {
		x := newTenants(t, version, twoTokens, &serve.Options{})
		if err := x.scripts.Save(&library.Script{Name: "daily", Source: `Return("the operator's")`}); err != nil {
			t.Fatal(err)
		}
		x.has("ann", saved(x.ann, "daily"), "the operator's", true)
		x.has("ann replaces a shared one", x.saves(x.ann, "daily", "ann's"), "the shared script of that name", true)
		x.has("ann runs it again", x.saves(x.ann, "daily", "ann's"), "saved", false)
		x.has("ann replaces her own", x.saves(x.ann, "daily", "ann's other"), "it replaced another script of that name", true)
		x.has("ann", saved(x.ann, "daily"), "ann's other", true)
		x.has("bob", saved(x.bob, "daily"), "the operator's", true)
		x.saves(x.ann, "mine", "ann's")
		x.has("bob", saved(x.bob, "mine"), "no saved script \"mine\"; the saved scripts are daily", true)
		x.s.Describe()
		x.has("ann's list", description(x.ann), "daily, mine", true)
		x.has("bob's list", description(x.bob), "mine", false)
		x.has("bob's list", description(x.bob), "inputs): daily\n", true)
		x.has("the list of a new session of ann", description(x.dial(twoTokens["ann"])), "daily, mine", true)
		if names, err := x.scripts.Names(); err != nil || cmp.Diff([]string{"daily"}, names) != "" {
			t.Errorf("the operator has %q, %v", names, err)
		}
		if s, err := x.scripts.Load("daily"); err != nil || s.Source != `Return("the operator's")` {
			t.Errorf("the operator's is now %+v, %v", s, err)
		}
	},
	"inferred types": func(t *testing.T, version string) {
		x := newTenants(t, version, twoTokens, &serve.Options{})
		for i := range 6 {
			x.ann.run(fmt.Sprintf(search, fmt.Sprint(i)))
		}
		look := func(c *client) string { got, _ := c.run(`UseTools("issues.search")`); return got }
		x.has("ann", look(x.ann), "Title string", true)
		x.has("bob", look(x.bob), "Title string", false)
		x.has("bob", look(x.bob), "seen 6 times: []{number int, title string}", true)
	},
	"phrase memory": func(t *testing.T, version string) {
		x := newTenants(t, version, twoTokens, &serve.Options{})
		x.ann.run("UseTools(\"search the issues\")\n" + fmt.Sprintf(search, "0"))
		if all, err := x.memory.List(); err != nil || len(all) != 0 {
			t.Errorf("remembered: %+v, %v", all, err)
		}
	},
	"use counts": func(t *testing.T, version string) {
		x := newTenants(t, version, twoTokens, &serve.Options{UsageOrder: true})
		for i := range 6 {
			x.ann.run(fmt.Sprintf(search, fmt.Sprint(i)))
		}
		x.s.ForgetUse()
		x.has("ann's list", description(x.dial(twoTokens["ann"])), "Tools:\nissues.Search(", version <= transport.LastStateful)
		x.has("bob's list", description(x.dial(twoTokens["bob"])), "Tools:\nissues.Search(", false)
	},
	"stored values": func(t *testing.T, version string) {
		x := newTenants(t, version, twoTokens, &serve.Options{Answer: 600})
		_, a := x.ann.run(large)
		for name, c := range map[string]*client{"ann": x.ann, "bob": x.bob} {
			got, _ := c.run(reads(a.Cut["value"].Stored))
			x.has(name, got, "5000", name == "ann")
		}
		if version > transport.LastStateful {
			return
		}
		req, err := http.NewRequest(http.MethodPost, x.url+"/mcp",
			strings.NewReader(`{"jsonrpc":"2.0","id":9,"method":"tools/list"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
			"Mcp-Session-Id": {x.ann.ID()}, "Mcp-Protocol-Version": {version}, "Authorization": {"Bearer " + twoTokens["bob"]}}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusForbidden {
			t.Errorf("bob in ann's session: %s", res.Status)
		}
	},
	"loaded tools": func(t *testing.T, version string) {
		x := newTenants(t, version, twoTokens, &serve.Options{Tools: serve.Discovery})
		x.ann.call("tool_load", map[string]any{"tool": "git.git_log"})
		x.has("ann", names(t, x.ann), "git__git_log", true)
		x.has("bob", names(t, x.bob), "git__git_log", false)
		x.has("bob", textOf(x.bob.call("tool_active", nil)), "no tool is loaded", true)
	},
	"approvals": func(t *testing.T, version string) {
		s, _ := serving(t, nil)
		ann, bob := s.NewSession("ann", serve.Execute, true), s.NewSession("bob", serve.Execute, true)
		req := &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{
			RequestState:   ann.Question("x", "files.delete_file"),
			InputResponses: mcp.InputResponseMap{"approve": &mcp.ElicitResult{Action: "accept"}},
		}}
		if _, refused := ann.Approvals(req, "x"); refused != nil {
			t.Error(refused)
		}
		if _, refused := bob.Approvals(req, "x"); refused == nil {
			t.Error("bob runs what ann approved")
		}
	},
	"queue": func(t *testing.T, version string) {
		x := newTenants(t, version, twoTokens, &serve.Options{MaxRuns: 1, MaxQueue: 1})
		release, err := x.s.TakeTurn(t.Context(), "ann", "a")
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		ctx, cancel := context.WithCancel(t.Context())
		waited := make(chan error, 1)
		go func() { _, err := x.s.TakeTurn(ctx, "ann", "a"); waited <- err }()
		until(t, func() bool { _, waiting := x.s.Load(); return waiting == 1 })
		go func() { _, err := x.s.TakeTurn(ctx, "bob", "a"); waited <- err }()
		busy := receive(t, waited) // ann, who has the most, makes room
		x.has("ann", fmt.Sprint(busy), "bob", false)
		cancel()
		receive(t, waited)
	},
	"audit, telemetry, log": func(t *testing.T, version string) {
		x := newTenants(t, version, twoTokens, &serve.Options{})
		x.ann.run(`Return("ann's")`)
		data, err := os.ReadFile(x.audit)
		if err != nil || strings.Count(string(data), `"type":"run"`) != 1 ||
			!strings.Contains(string(data), `"token":"ann"`) {
			t.Errorf("%s, %v", data, err)
		}
		list, err := x.bob.ListResources(t.Context(), nil)
		if err != nil || len(list.Resources) != 3 {
			t.Errorf("bob can read %+v, %v", list, err)
		}
	},
	"records of runs": func(t *testing.T, version string) {
		x := newTenants(t, version, twoTokens, &serve.Options{})
		_, a := x.ann.run(`Return("ann's")`)
		x.bob.run(`Return("bob's")`)
		x.has("ann", x.ann.reads(serve.RunsURI), a.Run, true)
		x.has("ann's run", x.ann.reads(serve.RunsURI+"/"+a.Run), "ann's", true)
		x.has("bob", x.bob.reads(serve.RunsURI), a.Run, false)
		for _, id := range []string{a.Run, a.Run[:6], "nothing"} {
			if res, err := x.bob.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: serve.RunsURI + "/" + id}); err == nil {
				t.Errorf("bob reads %s: %+v", id, res)
			}
		}
		// Another session of the same token has them, too.
		x.has("ann again", x.dial(twoTokens["ann"]).reads(serve.RunsURI), a.Run, true)
	},
	"metrics": func(t *testing.T, version string) {
		x := newTenants(t, version, twoTokens, &serve.Options{})
		x.saves(x.ann, "mine", "ann's")
		var b strings.Builder
		x.s.WriteMetrics(&b)
		x.has("sums", b.String(), `usetools_runs_total{status="ok"} 1`, true)
		for _, name := range []string{"ann", "bob", "mine", "http-"} {
			x.has("metrics", b.String(), name, false)
		}
	},
}

// The table in the package's documentation has the rows that are tested here.
func TestWhoSeesWhat(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(doc), "// With several tokens")
	var documented []string
	for _, m := range regexp.MustCompile(`(?m)^//\t([a-z, ]+?)  +\S`).FindAllStringSubmatch(table, -1) {
		documented = append(documented, m[1])
	}
	slices.Sort(documented)
	var tested []string
	for name, holds := range rows {
		tested = append(tested, name)
		for _, version := range []string{"2025-11-25", "2026-07-28"} {
			t.Run(name+" "+version, func(t *testing.T) { holds(t, version) })
		}
	}
	slices.Sort(tested)
	if d := cmp.Diff(documented, tested); d != "" {
		t.Errorf("documented and tested differ:\n%s", d)
	}
}

// Clients without a token cannot be told apart: they use what the operator has,
// and leave nothing behind.
func TestWhoHasNoTokenTeachesNothing(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		x := newTenants(t, version, nil, &serve.Options{})
		if err := x.scripts.Save(&library.Script{Name: "daily", Source: `Return("the operator's")`}); err != nil {
			t.Fatal(err)
		}
		x.has("replaced", x.saves(x.ann, "daily", "ann's"), "clients without a token can run saved scripts, not save them",
			true)
		x.has("bob", saved(x.bob, "daily"), "the operator's", true)
		for i := range 6 {
			x.ann.run(fmt.Sprintf(search, fmt.Sprint(i)))
		}
		got, _ := x.bob.run(`UseTools("issues.search")`)
		x.has("bob", got, "itle", false)
		x.ann.run("UseTools(\"search the issues\")\n" + fmt.Sprintf(search, "0"))
		if all, err := x.memory.List(); err != nil || len(all) != 0 {
			t.Errorf("remembered: %+v, %v", all, err)
		}
	}
}

// Who alone has a token is the operator.
func TestTheOnlyTokenHasWhatTheOperatorHas(t *testing.T) {
	x := newTenants(t, "2026-07-28", map[string]string{"ann": twoTokens["ann"]}, &serve.Options{})
	x.has("warnings", x.saves(x.ann, "daily", "ann's"), "saved", false)
	if s, err := x.scripts.Load("daily"); err != nil || !strings.Contains(s.Source, "ann's") {
		t.Errorf("%+v, %v", s, err)
	}
}

// What a person approved is for the call that was shown: one that a saved script
// makes is another one, and is shown as that.
func TestAnApprovalDoesNotPassToASavedScript(t *testing.T) {
	t.Parallel()
	lib, f := library.Open(t.TempDir()), newFake()
	if err := lib.Save(&library.Script{Name: "cleanup", Source: deleting}); err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct {
		policy  *policy.Policy
		want    string
		deleted int64
	}{
		"approved by a person": {&policy.Policy{Approve: policy.ApproveDestructive}, "rejected it", 1},
		"approved by the operator": {&policy.Policy{Approve: policy.ApproveDestructive, Approved: []string{"files"}},
			"deleted", 2},
	} {
		t.Run(name, func(t *testing.T) {
			f.calls.Store(0)
			s, _ := serving(t, &serve.Options{Policy: x.policy, Catalog: func(context.Context) (*catalog.Catalog, error) {
				return &catalog.Catalog{Registry: testRegistry(), Calls: f, Scripts: lib}, nil
			}})
			c := connect(t, s, &mcp.ClientOptions{ElicitationHandler: func(_ context.Context,
				r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				if strings.Contains(r.Params.Message, "line 1 of the saved script cleanup") {
					return &mcp.ElicitResult{Action: "decline"}, nil
				}
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{}}, nil
			}})
			got, _ := c.run(`_, err := files.DeleteFile(files.DeleteFileParams{Path: "mine"})
if err != nil { panic(err) }
v, err := RunScript("cleanup", nil)
if err != nil { v = err.Error() }
Return(v)`)
			if n := f.calls.Load(); !strings.Contains(got, x.want) || n != x.deleted {
				t.Errorf("%d calls, want %d: %s", n, x.deleted, got)
			}
		})
	}
}

// The rules of a token are for its clients alone, also where it is the only one.
func TestRulesOfATokenCountForItsClients(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		for name, tokens := range map[string]map[string]string{"two tokens": twoTokens, "one token": {"ann": twoTokens["ann"]}} {
			rules := []policy.Rule{{Pattern: "files", Then: policy.IsDenied, Token: "ann"},
				{Pattern: "issues.search", Then: policy.IsDenied, Token: "bob"}}
			s, _ := serving(t, &serve.Options{Tools: serve.All, Catalog: func(context.Context) (*catalog.Catalog, error) {
				return &catalog.Catalog{Registry: testRegistry(), Calls: newFake(), Rules: rules}, nil
			}})
			url := "http://" + listen(t, s, &serve.HTTP{Endpoint: transport.Endpoint{Tokens: tokens}})
			for token, denied := range map[string]bool{"ann": true, "bob": false} {
				if tokens[token] == "" {
					continue
				}
				c := dialHTTP(t, url+"/mcp", version, tokens[token], nil)
				got, _ := c.run(deleting)
				if strings.Contains(got, `denied by the rule "files" of the token ann`) != denied {
					t.Errorf("%s, %s: %s", name, token, got)
				}
				res := c.call("call_tool", map[string]any{"tool": "files.delete_file", "arguments": map[string]any{"path": "x"}})
				if res.IsError != denied {
					t.Errorf("%s, %s: %s", name, token, textOf(res))
				}
				if offered := strings.Contains(textOf(c.call("tool_find", map[string]any{"query": "delete a file"})), "delete_file"); offered == denied {
					t.Errorf("%s, %s: is offered the tool: %v", name, token, offered)
				}
			}
		}
	}
}
