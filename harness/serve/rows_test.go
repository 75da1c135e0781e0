package serve_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
)

// What users of earlier systems for finding tools had, they find here: one
// test for each of those systems.

// A manifest of command-line tools, asked as "Which tool can search within
// code?".
func TestManifestToolsAreSearchedAndDescribed(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	files := &catalog.Files{Configs: []string{filepath.Join("testdata", "tools_manifest.json")},
		Registry: filepath.Join(t.TempDir(), "tool_registry.json")}
	t.Cleanup(func() { files.Close() })
	s, _ := serving(t, &serve.Options{Tools: serve.Classic, Catalog: files.Catalog})
	c := connect(t, s, nil)
	if got := textOf(c.call("search_tools", map[string]any{"query": "search code"})); !strings.HasPrefix(got, "cli.rg ") {
		t.Errorf("search code: %s", got)
	}
	for _, name := range []string{"ripgrep", "RG", "cli.rg"} {
		got := textOf(c.call("describe_tool", map[string]any{"tool": name}))
		for _, want := range []string{`"cli.rg"`, `"ripgrep"`, "Recursively search files", "Capabilities: search, grep",
			"Minimum version: 13.0.0", "Usage: rg PATTERN"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %s in %s", name, want, got)
			}
		}
	}
	if got := textOf(c.call("describe_tool", map[string]any{"tool": "emacs"})); !strings.Contains(got,
		`unknown tool "emacs"`) {
		t.Errorf("an unknown tool: %s", got)
	}
	cat, err := files.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	page, err := cat.Find(discovery.Query{Text: "GREP", Match: discovery.Substring})
	if err != nil || len(page.Results) == 0 || page.Results[0].ID != "cli.rg" {
		t.Errorf("substring: %+v, %v", page, err)
	}
}

// A server for specs, a task registry and workflows: what its thirty tools
// cost a context, and what the four that find them do. That they are found is
// TestSpecServerIsUnderstood in package discovery.
func TestSpecServerCostsLittle(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "discovery", "testdata", "spec", "tools.json"))
	if err != nil {
		t.Fatal(err)
	}
	var listing struct {
		Server string
		Tools  []registry.Tool
	}
	if err := json.Unmarshal(data, &listing); err != nil {
		t.Fatal(err)
	}
	reg := &registry.Registry{}
	for _, x := range listing.Tools {
		x.Server = listing.Server
		reg.Tools = append(reg.Tools, x)
	}
	reg.Normalize()
	s, _ := serving(t, &serve.Options{Tools: serve.Discovery, Catalog: func(context.Context) (*catalog.Catalog, error) {
		return &catalog.Catalog{Registry: reg, Calls: newFake()}, nil
	}})
	c := connect(t, s, nil)
	enc, err := tokenizer.Get(tokenizer.Cl100kBase)
	if err != nil {
		t.Fatal(err)
	}
	count := func(v any) int {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		n, err := enc.Count(string(b))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	// cost is what the tools take that are there, without execute.
	cost := func() int {
		list, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, x := range list.Tools {
			if x.Name != "execute" {
				n += count(x)
			}
		}
		return n
	}
	all := count(listing.Tools)
	if all < 2400 || all > 3600 {
		t.Errorf("all tools take %d tokens, want about 3,000", all)
	}
	none := cost()
	var loaded []int
	for _, name := range []string{"registry_next", "registry_update", "registry_sync"} {
		if _, ok := reg.Tool(registry.ToolID(listing.Server, name)); !ok {
			t.Fatalf("unknown tool %s among %v", name, reg.Tools)
		}
		if res := c.call("tool_load", map[string]any{"tool": listing.Server + "." + name}); res.IsError {
			t.Fatal(textOf(res))
		}
		loaded = append(loaded, cost())
	}
	t.Logf("all %d tokens; the four %d; with one loaded %d; with three %d", all, none, loaded[0], loaded[2])
	if none > 147 || loaded[0] > 230 || loaded[2] > 400 {
		t.Errorf("the four take %d tokens, with one loaded %d, with three %d; want 147, 230, 400", none, loaded[0], loaded[2])
	}
}

// A declarative script with two phrases: wrappers for the two only, an error
// for what is not there, servers that are connected when they are called, and
// a summary as JSON.
func TestADeclarativeScriptIsAnsweredWithItsSummary(t *testing.T) {
	f := &connecting{fake: newFake(), called: map[string]int{}}
	s, _ := serving(t, &serve.Options{Catalog: func(context.Context) (*catalog.Catalog, error) {
		return &catalog.Catalog{Registry: publicServers(t, "mcp-server-git", "ref-slack", "redis", "office-word"), Calls: f},
			nil
	}})
	c := connect(t, s, nil)
	_, a := c.run(`UseTools("show the commit logs of a repository", "post a message to a slack channel")
missing := ""
if err := UseTools("fold the laundry"); err != nil {
	var nf *ToolNotFoundError
	if errors.As(err, &nf) { missing = nf.Query }
}
log, err := git.Log(git.LogParams{RepoPath: "."})
if err != nil { panic(err) }
Return(map[string]any{"read": log.Text() != "", "missing": missing})`)
	if a.Status != outcome.OK {
		t.Fatalf("%+v", a)
	}
	var v struct {
		Read    bool
		Missing string
	}
	if err := json.Unmarshal(a.Value, &v); err != nil || !v.Read || v.Missing != "fold the laundry" {
		t.Errorf("%s, %v", a.Value, err)
	}
	if len(f.called) != 1 || f.called["mcp-server-git"] != 1 {
		t.Errorf("calls by server: %v, want one of mcp-server-git", f.called)
	}
	for i, want := range []string{"mcp-server-git.git_log", "ref-slack.slack_post_message", ""} {
		if len(a.Tools) != 3 || a.Tools[i].Tool != want {
			t.Errorf("tools: %+v, want %q at %d", a.Tools, want, i)
		}
	}
}

// publicServers is a registry of public servers.
func publicServers(t *testing.T, servers ...string) *registry.Registry {
	t.Helper()
	reg := &registry.Registry{}
	for _, name := range servers {
		data, err := os.ReadFile(filepath.Join("..", "..", "wrappers", "testdata", "schemas", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var list struct{ Tools []registry.Tool }
		if json.Unmarshal(data, &list) != nil {
			if err := json.Unmarshal(data, &list.Tools); err != nil {
				t.Fatal(err)
			}
		}
		for _, tool := range list.Tools {
			tool.Server = name
			reg.Tools = append(reg.Tools, tool)
		}
	}
	reg.Normalize()
	return reg
}

// connecting counts the servers that are called.
type connecting struct {
	*fake
	mu     sync.Mutex
	called map[string]int
}

func (c *connecting) Call(ctx context.Context, server string, req *backend.Request) (*backend.Result, error) {
	c.mu.Lock()
	c.called[server]++
	c.mu.Unlock()
	return c.fake.Call(ctx, server, req)
}
