package serve_test

import (
	"context"
	"strings"
	"testing"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/serve"
)

func TestInstructionsAreOneShortSentence(t *testing.T) {
	t.Parallel()
	count := counter(t)
	for _, n := range append([]int{0, 1, 45, 535}, largeRegistries...) {
		tools, servers := serve.Allowed(&catalog.Catalog{Registry: realTools(t, n)}, nil)
		for range max(1, min(len(servers), 64)) { // whatever names come first
			for _, mode := range serve.Modes {
				got := serve.Sentence(mode, tools, servers)
				if size := count(got); size > serve.MaxInstructions || n >= 45 && size < serve.MaxInstructions*6/10 ||
					strings.Contains(got, "\n") {
					t.Errorf("%d tools: %d tokens: %s", n, size, got)
				}
			}
			if len(servers) > 0 {
				servers = append(servers[1:], servers[0])
			}
		}
		t.Log(serve.Sentence(serve.Execute, tools, servers))
	}
	few := &catalog.Catalog{Registry: testRegistry()}
	for _, c := range []struct {
		cat    *catalog.Catalog
		policy *policy.Policy
		mode   serve.Mode
		want   string
	}{
		{nil, nil, serve.Execute, "Go scripts reach the tools of MCP servers through execute."},
		{nil, nil, serve.Classic, "search_tools finds the tools of MCP servers."},
		{few, nil, serve.Execute, "Go scripts reach 8 tools on 3 servers through execute: git, files, issues."},
		{few, nil, serve.Classic, "search_tools finds 8 tools on 3 servers: git, files, issues."},
		{few, &policy.Policy{Deny: []string{"files", "issues"}}, serve.Execute,
			"Go scripts reach 1 tool on 1 server through execute: git."},
		{few, &policy.Policy{Deny: []string{"*"}}, serve.Execute, "Go scripts reach the tools of MCP servers through execute."},
	} {
		tools, servers := serve.Allowed(c.cat, c.policy)
		if got := serve.Sentence(c.mode, tools, servers); got != c.want {
			t.Errorf("got %s\nwant %s", got, c.want)
		}
	}
}

// Clients of all revisions are given the same instructions, and given them
// also before there are tools.
func TestClientsAreGivenInstructions(t *testing.T) {
	t.Parallel()
	s, _ := serving(t, nil)
	receive(t, s.Ready())
	url := "http://" + listen(t, s, &serve.HTTP{}) + "/mcp"
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		got := dialHTTP(t, url, version, "", nil).InitializeResult().Instructions
		if got != "Go scripts reach 8 tools on 3 servers through execute: git, files, issues." {
			t.Errorf("%s: %s", version, got)
		}
	}
	wait := make(chan struct{})
	early, _ := serving(t, &serve.Options{Catalog: func(context.Context) (*catalog.Catalog, error) {
		<-wait
		return &catalog.Catalog{Registry: testRegistry()}, nil
	}})
	defer close(wait)
	if got := connect(t, early, nil).InitializeResult().Instructions; got != "Go scripts reach the tools of MCP "+
		"servers through execute." {
		t.Error(got)
	}
}
