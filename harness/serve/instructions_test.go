package serve

import (
	"context"
	"strings"
	"testing"

	"github.com/usetools/usetools/harness"
)

func TestInstructionsAreOneShortSentence(t *testing.T) {
	count := counter(t)
	for _, n := range append([]int{0, 1, 45, 535}, largeRegistries...) {
		tools, servers := allowed(&harness.Catalog{Registry: realTools(t, n)}, nil)
		for range max(1, min(len(servers), 64)) { // whatever names come first
			for _, mode := range Modes {
				got := sentence(mode, tools, servers)
				if size := count(got); size > maxInstructions || n >= 45 && size < maxInstructions*6/10 ||
					strings.Contains(got, "\n") {
					t.Errorf("%d tools: %d tokens: %s", n, size, got)
				}
			}
			if len(servers) > 0 {
				servers = append(servers[1:], servers[0])
			}
		}
		t.Log(sentence(Execute, tools, servers))
	}
	few := &harness.Catalog{Registry: testRegistry()}
	for _, c := range []struct {
		cat    *harness.Catalog
		policy *harness.Policy
		mode   Mode
		want   string
	}{
		{nil, nil, Execute, "Go scripts reach the tools of MCP servers through execute."},
		{nil, nil, Classic, "search_tools finds the tools of MCP servers."},
		{few, nil, Execute, "Go scripts reach 8 tools on 3 servers through execute: git, files, issues."},
		{few, nil, Classic, "search_tools finds 8 tools on 3 servers: git, files, issues."},
		{few, &harness.Policy{Deny: []string{"files", "issues"}}, Execute,
			"Go scripts reach 1 tool on 1 server through execute: git."},
		{few, &harness.Policy{Deny: []string{"*"}}, Execute, "Go scripts reach the tools of MCP servers through execute."},
	} {
		tools, servers := allowed(c.cat, c.policy)
		if got := sentence(c.mode, tools, servers); got != c.want {
			t.Errorf("got %s\nwant %s", got, c.want)
		}
	}
}

// Clients of all revisions are given the same instructions, and given them
// also before there are tools.
func TestClientsAreGivenInstructions(t *testing.T) {
	s, _ := serving(t, nil)
	receive(t, s.live.ready)
	url := "http://" + listen(t, s, &HTTP{}) + "/mcp"
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		got := dialHTTP(t, url, version, "", nil).InitializeResult().Instructions
		if got != "Go scripts reach 8 tools on 3 servers through execute: git, files, issues." {
			t.Errorf("%s: %s", version, got)
		}
	}
	wait := make(chan struct{})
	early, _ := serving(t, &Options{Catalog: func(context.Context) (*harness.Catalog, error) {
		<-wait
		return &harness.Catalog{Registry: testRegistry()}, nil
	}})
	defer close(wait)
	if got := connect(t, early, nil).InitializeResult().Instructions; got != "Go scripts reach the tools of MCP "+
		"servers through execute." {
		t.Error(got)
	}
}
