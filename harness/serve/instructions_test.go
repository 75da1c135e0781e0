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
		s := over(t, realTools(t, n), serve.Options{})
		for _, mode := range serve.Modes {
			got := s.NewSession("a", mode, true).Instructions(t.Context())
			if count(got) > 32 || strings.Contains(got, "\n") {
				t.Errorf("%d tools: %d tokens: %s", n, count(got), got)
			}
		}
	}
	for _, c := range []struct {
		deny []string
		mode serve.Mode
		want string
	}{
		{nil, serve.Execute, "Go scripts reach 8 tools on 3 servers through execute: files, git, issues."},
		{nil, serve.Classic, "search_tools finds 8 tools on 3 servers: files, git, issues."},
		{[]string{"files", "issues"}, serve.Execute, "Go scripts reach 1 tool on 1 server through execute: git."},
		{[]string{"*"}, serve.Execute, "Go scripts reach the tools of MCP servers through execute."},
		{[]string{"*"}, serve.Classic, "search_tools finds the tools of MCP servers."},
	} {
		s := over(t, testRegistry(), serve.Options{Policy: &policy.Policy{Deny: c.deny}})
		if got := s.NewSession("a", c.mode, true).Instructions(t.Context()); got != c.want {
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
		if got != "Go scripts reach 8 tools on 3 servers through execute: files, git, issues." {
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
