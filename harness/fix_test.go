package harness_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/outcome"
)

// TestFixesMendTheScript applies what an error offers, and checks the script again.
func TestFixesMendTheScript(t *testing.T) {
	t.Parallel()
	h, _ := harnessOver(realServers(t, "mcp-server-git", "github-mcp-server", "memory"),
		func(context.Context, string, string, json.RawMessage) (string, error) { return textResult("x"), nil })
	const then = "\nif err != nil { panic(err) }\nfmt.Println(r)"
	for _, c := range []struct{ name, script, want string }{ // want: the script after the first error's first fix, "": it has none
		{"a field", `r, err := git.Log(git.LogParams{RepoPth: "."})` + then, `r, err := git.Log(git.LogParams{RepoPath: "."})` + then},
		{"a member, behind a tab and text that is not ASCII", "r, err := git.Log(git.LogParams{RepoPath: \".\"})" + then + "\n\t_, _ = \"größe\", r.Txet()",
			"r, err := git.Log(git.LogParams{RepoPath: \".\"})" + then + "\n\t_, _ = \"größe\", r.Text()"},
		{"a function", `r, err := memory.SearchNods(memory.SearchNodesParams{Query: "x"})` + then,
			`r, err := memory.SearchNodes(memory.SearchNodesParams{Query: "x"})` + then},
		{"a server", `r, err := memroy.ReadGraph()` + then, `r, err := memory.ReadGraph()` + then},
		{"a variable", "limit := 1\nReturn(limt)", "limit := 1\nReturn(limit)"},
		{"a function of the library", `fmt.Printline("x")`, ""}, // it may be several
		{"an allowed value", `r, err := github.ListIssues(github.ListIssuesParams{Owner: "a", Repo: "b", State: "CLOSD"})` + then,
			`r, err := github.ListIssues(github.ListIssuesParams{Owner: "a", Repo: "b", State: "CLOSED"})` + then},
		{"a text where a number belongs", `var n int = "x"; Return(n)`, ""},
		{"nothing like it", "Return(zzzzz)", ""},
		{"a file of several", "-- a.go --\npackage main\n\nfunc main() { Return(helpr()) }\n-- b.go --\npackage main\n\nfunc helper() int { return 1 }\n",
			"-- a.go --\npackage main\n\nfunc main() { Return(helper()) }\n-- b.go --\npackage main\n\nfunc helper() int { return 1 }\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := h.Check(t.Context(), &harness.Script{Source: c.script})
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Errors) == 0 {
				t.Fatal("the script has no error")
			}
			e := &res.Errors[0]
			got := ""
			if len(e.Fixes) == 1 {
				got = apply(c.script, e.Fixes[0])
			}
			if got != c.want {
				t.Fatalf("%s\nfixes %+v\ngot  %s\nwant %s", e.Text(), e.Fixes, got, c.want)
			}
			if c.want == "" {
				return
			}
			after, err := h.Check(t.Context(), &harness.Script{Source: got})
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range after.Errors {
				if a.Message == e.Message {
					t.Errorf("the fix leaves %s", a.Text())
				}
			}
		})
	}
}

// apply makes the change of a fix.
func apply(script string, f outcome.Fix) string {
	lines := strings.SplitAfter(script, "\n")
	l := &lines[f.Line-1]
	*l = (*l)[:f.Column-1] + f.Text + (*l)[f.Column-1+f.Length:]
	return strings.Join(lines, "")
}

// TestFixesOfAPhrase: one that fits several tools may be any of these by its name.
func TestFixesOfAPhrase(t *testing.T) {
	h, _ := harnessOver(realServers(t, "github-mcp-server"),
		func(context.Context, string, string, json.RawMessage) (string, error) { return textResult("x"), nil })
	const script = `UseTools("search")` + "\nReturn(1)"
	res, err := h.Check(t.Context(), &harness.Script{Source: script})
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != outcome.Ambiguous || len(res.Errors[0].Fixes) < 2 {
		t.Fatalf("%s: %+v", res.Status, res.Errors)
	}
	for _, f := range res.Errors[0].Fixes {
		after, err := h.Check(t.Context(), &harness.Script{Source: apply(script, f)})
		if err != nil {
			t.Fatal(err)
		}
		if after.Status != outcome.OK {
			t.Errorf("after %+v: %s, %+v", f, after.Status, after.Errors)
		}
	}
}
