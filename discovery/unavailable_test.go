package discovery_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/registry"
)

// withDown is a registry in which gitlab and clock never answered, and memory
// did so only in an earlier build.
func withDown(t testing.TB, opts *discovery.Options) *discovery.Index {
	t.Helper()
	refused, lost := "connection refused", "exit status 1"
	reg := &registry.Registry{
		Servers: []registry.Server{
			{Name: "gitlab", Error: &refused}, {Name: "time-mcp", Title: "World Clock", Error: &refused},
			{Name: "memory", Error: &lost}, {Name: "github"},
		},
		Tools: []registry.Tool{
			tool("github", "create_issue", "Create a new issue in a repository."),
			tool("github", "list_branches", "List the branches of a repository. What is the time of the last commit of each?"),
			tool("memory", "search_nodes", "Search the nodes of the knowledge graph."),
		},
	}
	reg.Tools[2].Stale = true
	reg.Normalize()
	ix, err := discovery.New(reg, opts)
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

func TestServerThatIsDownIsAnotherAnswerThanNoSuchTool(t *testing.T) {
	ix := withDown(t, &discovery.Options{Aliases: map[string][]string{"gitlab": {"the forge"}}})
	for phrase, server := range map[string]string{
		"create an issue on gitlab":        "gitlab", // whatever github offers
		"gitlab: create a new issue":       "gitlab",
		"use the gitlab server for issues": "gitlab",
		"create an issue in the forge":     "gitlab",
		"gitlab.create_issue":              "gitlab",
		"gitlab/create_issue":              "gitlab",
		"mcp__gitlab__create_issue":        "gitlab",
		"set the world clock":              "time-mcp", // a mere mention, and nothing else is found
	} {
		r := resolve(t, ix, phrase, nil)
		if r.Verdict != discovery.Unavailable || r.Server != server || r.Tool != "" || !strings.Contains(r.Note, "connection refused") {
			t.Errorf("%q: %+v, want %s unavailable", phrase, r, server)
		}
	}
	for phrase, verdict := range map[string]discovery.Verdict{
		"create a new issue in a repository": discovery.Resolved,
		"list the branches of a repository":  discovery.Resolved,
		"bake a cake":                        discovery.NotFound,
		"github.create_issue":                discovery.Resolved,
	} {
		if r := resolve(t, ix, phrase, nil); r.Verdict != verdict || r.Server != "" {
			t.Errorf("%q: %+v, want %s", phrase, r, verdict)
		}
	}
	if r := resolve(t, ix, "create an issue", &discovery.ResolveOptions{Server: "gitlab"}); r.Verdict != discovery.Unavailable ||
		r.Server != "gitlab" {
		t.Errorf("asked for the server that is down: %+v", r)
	}
	if r := resolve(t, ix, "create an issue on gitlab", &discovery.ResolveOptions{Server: "github"}); r.Verdict == discovery.Unavailable {
		t.Errorf("asked for another server: %+v", r)
	}
	e, err := ix.Explain(t.Context(), "create an issue on gitlab", nil)
	if err != nil || e.Reason != e.Note || e.Note == "" {
		t.Errorf("explained as %q, %v", e.Reason, err)
	}
}

func TestToolOfServerThatIsDownResolvesWithMark(t *testing.T) {
	ix := withDown(t, nil)
	for _, phrase := range []string{"search the nodes of the knowledge graph", "memory.search_nodes"} {
		r := resolve(t, ix, phrase, nil)
		if r.Tool != "memory.search_nodes" || !r.Stale || !strings.Contains(r.Note, "exit status 1") {
			t.Errorf("%q: %+v", phrase, r)
		}
	}
	if r := resolve(t, ix, "list the branches of a repository", nil); r.Stale || r.Note != "" {
		t.Errorf("a tool in reach is marked: %+v", r)
	}
}

// byHand are tools that a person chose for phrases.
type byHand map[string]string

func (m byHand) Recall(phrase string) (string, bool, bool) {
	id, ok := m[phrase]
	return id, true, ok
}

func (byHand) Reject(string, string) {}

// taught are tools that runs taught for phrases.
type taught map[string]string

func (m taught) Recall(phrase string) (string, bool, bool) {
	id, ok := m[phrase]
	return id, false, ok
}

func (m taught) Reject(phrase, tool string) { delete(m, phrase) }

func TestATaughtToolMustFitTheSearch(t *testing.T) {
	m := taught{"log": "git.git_log", "show the changes between two commits": "git.git_log", "пуск": "git.git_status"}
	ix := index(t, &discovery.Options{Memory: m}, gitTools...)
	if r := resolve(t, ix, "log", nil); r.By != discovery.ByMemory || r.Tool != "git.git_log" {
		t.Errorf("what the search ranks too: %+v", r)
	}
	if r := resolve(t, ix, "show the changes between two commits", nil); r.By != discovery.ByPhrase || r.Tool == "git.git_log" {
		t.Errorf("against what the search resolves: %+v", r)
	}
	if r := resolve(t, ix, "пуск", nil); r.Verdict == discovery.Resolved {
		t.Errorf("a tool that is no candidate: %+v", r)
	}
	if diff := cmp.Diff(taught{"log": "git.git_log"}, m); diff != "" {
		t.Errorf("what failed is dropped (-want +got):\n%s", diff)
	}
}

func TestRememberedToolWinsWhateverTheSearchSays(t *testing.T) {
	remembered := map[string]string{"log": "git.git_log", "search": "memory.search", "read a file": "git.gone",
		"git_diff": "git.git_log", "пуск": "git.git_status"}
	ix := index(t, &discovery.Options{Memory: byHand(remembered)}, gitTools...)
	r := resolve(t, ix, "log", nil)
	if r.Tool != "git.git_log" || r.By != discovery.ByMemory || r.Verdict != discovery.Resolved || r.Confidence != 1 ||
		r.Candidates[0].ID != r.Tool {
		t.Errorf("remembered: %+v", r)
	}
	if r := resolve(t, ix, "пуск", nil); r.By != discovery.ByMemory || r.Tool != "git.git_status" || len(r.Candidates) != 1 {
		t.Errorf("a phrase that finds nothing by itself: %+v", r)
	}
	for phrase, by := range map[string]discovery.By{"git_diff": discovery.ByExact, "show the changes between two commits": discovery.ByPhrase} {
		if r := resolve(t, ix, phrase, nil); r.By != by {
			t.Errorf("%q: by %s, want %s", phrase, r.By, by)
		}
	}
	if r := resolve(t, ix, "search", nil); r.By != discovery.ByMemory || r.Tool != "memory.search" || r.Candidates[0].ID != r.Tool {
		t.Errorf("a name that two servers have: %+v", r)
	}
	if r := resolve(t, ix, "read a file", nil); r.By == discovery.ByMemory {
		t.Errorf("a tool that is gone is remembered: %+v", r)
	}
	if r := resolve(t, ix, "log", &discovery.ResolveOptions{Server: "memory"}); r.By == discovery.ByMemory {
		t.Errorf("memory passes the server filter: %+v", r)
	}
}
