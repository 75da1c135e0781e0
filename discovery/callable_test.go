package discovery_test

import (
	"slices"
	"testing"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/registry"
)

func TestToolThatCannotBeCalledComesAfterItsCallableEqual(t *testing.T) {
	const text = "Create a new issue in a repository, with a title and a body."
	refused := "connection refused"
	reg := &registry.Registry{
		Servers: []registry.Server{
			{Name: "archive", Transport: "snapshot"}, {Name: "bugs", Transport: "stdio", Error: &refused},
			{Name: "forge", Transport: "stdio"}, {Name: "gate", Transport: "stdio"},
		},
		Tools: []registry.Tool{
			tool("archive", "create_issue", text), tool("bugs", "create_issue", text), tool("forge", "create_issue", text),
			tool("gate", "create_issue", text), tool("gate", "list_issues", "List the issues of a repository."),
		},
	}
	reg.Tools[1].Stale = true
	reg.Tools[3].Error = "its definition changed"
	reg.Normalize()
	for _, prefer := range [][]string{nil, {"archive"}} {
		ix, err := discovery.New(reg, &discovery.Options{Prefer: prefer})
		if err != nil {
			t.Fatal(err)
		}
		for _, phrase := range []string{"create a new issue in a repository", "create_issue"} {
			if r := resolve(t, ix, phrase, nil); r.Tool != "forge.create_issue" || r.Candidates[0].ID != r.Tool {
				t.Errorf("%q, preferred %v: %+v", phrase, prefer, r)
			}
		}
		const named = "create a new issue in a repository of archive"
		if r := resolve(t, ix, named, nil); r.Candidates[0].ID != "archive.create_issue" {
			t.Errorf("%q: %+v", named, r)
		}
	}
	reg.Tools = slices.DeleteFunc(slices.Clone(reg.Tools), func(t registry.Tool) bool { return t.Server == "forge" })
	ix, err := discovery.New(reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := resolve(t, ix, "create a new issue in a repository", nil); r.Verdict != discovery.Ambiguous {
		t.Errorf("none can be called: %+v", r)
	}
}
