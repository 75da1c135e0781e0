package harness_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/registry"
)

// realServers are a few servers as they answered tools/list.
func realServers(t *testing.T, names ...string) *registry.Registry {
	t.Helper()
	reg := &registry.Registry{}
	for _, name := range names {
		raw, err := os.ReadFile(filepath.Join("..", "wrappers", "testdata", "schemas", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var tools []registry.Tool
		if json.Unmarshal(raw, &tools) != nil {
			var list struct{ Tools []registry.Tool }
			if err := json.Unmarshal(raw, &list); err != nil {
				t.Fatal(err)
			}
			tools = list.Tools
		}
		for _, tl := range tools {
			tl.Server = name
			reg.Tools = append(reg.Tools, tl)
		}
	}
	reg.Normalize()
	return reg
}

// TestErrorsThatAModelCanActOn writes scripts as models do that have not seen
// the tools' signatures, and looks for what helps to write them right.
func TestErrorsThatAModelCanActOn(t *testing.T) {
	t.Parallel()
	enc, err := tokenizer.Get(tokenizer.Cl100kBase)
	if err != nil {
		t.Fatal(err)
	}
	h, _ := harnessOver(realServers(t, "mcp-server-git", "git-cyanheads", "github-mcp-server", "memory", "mongodb"),
		func(context.Context, string, string, json.RawMessage) (string, error) { return textResult("x"), nil })
	const then = "\nif err != nil { panic(err) }\nfmt.Println(r)"
	for _, c := range []struct {
		name, script string
		want         []string // in the text of the one error; none: the script is taken, with the warning
		warning      string
	}{
		{"a context", `r, err := git.Log(context.Background(), git.LogParams{RepoPath: "."})` + then,
			[]string{"leave out the context", "func git.Log(p git.LogParams) (git.LogResult, error)"}, ""},
		{"a pointer to the params", `r, err := git.Log(&git.LogParams{RepoPath: "."})` + then, nil,
			"&git.LogParams{…} → git.LogParams{…}"},
		{"no params", `r, err := github.ListIssues()` + then,
			[]string{"not enough arguments", "github.ListIssues(github.ListIssuesParams{…})",
				"Owner string /*required*/; Repo string /*required*/; After string"}, ""},
		{"params of a function without", `r, err := memory.ReadGraph(memory.ReadGraphParams{})` + then, nil,
			"→ memory.ReadGraph()"},
		{"arguments one by one", `r, err := github.ListIssues("golang", "go")` + then,
			[]string{"its arguments are the fields of one struct: github.ListIssues(github.ListIssuesParams{…})"}, ""},
		{"a map of arguments", `r, err := github.ListIssues(map[string]any{"owner": "golang"})` + then,
			[]string{"github.ListIssuesParams{…}", "Owner string /*required*/"}, ""},
		{"another name of the params", `r, err := github.ListIssues(github.ListIssuesRequest{Owner: "golang", Repo: "go"})` +
			then, nil, "→ github.ListIssuesParams"},
		{"a pointer to such", `r, err := github.ListIssues(&github.ListIssuesRequest{Owner: "golang", Repo: "go"})` + then,
			nil, "github.ListIssuesRequest → github.ListIssuesParams"},
		{"fields in snake case", `r, err := git.Log(git.LogParams{repo_path: ".", max_count: 3})` + then, nil,
			"repo_path → RepoPath"},
		{"functions in snake case", `r, err := git.git_log(git.git_log_params{repo_path: "."})` + then, nil,
			"git.git_log → git.Log"},
		{"the server's prefix", `r, err := git.GitLog(git.GitLogParams{RepoPath: "."})` + then, nil,
			"git.GitLogParams → git.LogParams"},
		{"content of MCP", `r, err := git.Log(git.LogParams{RepoPath: "."})` + then + `; fmt.Println(r.Content[0].Text)`,
			[]string{"no field or method Content", "Text(), JSON(&v)"}, ""},
		{"a method's value", `r, err := git.Log(git.LogParams{RepoPath: "."})` + then + `; fmt.Println(r.Text)`, nil,
			"r.Text is a method: call r.Text()"},
		{"the result as a string", `r, err := git.Log(git.LogParams{RepoPath: "."})` + then +
			`; fmt.Println(strings.Fields(r))`, []string{"as string value", "Text(), JSON(&v)"}, ""},
		{"the error left out", `r := git.Log(git.LogParams{RepoPath: "."}); fmt.Println(r)`,
			[]string{"take the error too", "func git.Log(p git.LogParams) (git.LogResult, error)"}, ""},
		{"the error not looked at", `r, err := git.Log(git.LogParams{RepoPath: "."}); fmt.Println(r)`,
			[]string{"declared and not used: err", "if err != nil"}, ""},
		{"the server's key for its package",
			`r, err := github_mcp_server.ListIssues(github_mcp_server.ListIssuesParams{Owner: "a", Repo: "b"})` + then, nil,
			"github_mcp_server → package servers/github"},
		{"the server's key in the import",
			"package main\nimport (\"fmt\"; \"servers/github_mcp_server\")\nfunc main() {\nr, err := " +
				"github_mcp_server.ListIssues(github_mcp_server.ListIssuesParams{Owner: \"a\", Repo: \"b\"})" + then + "\n}", nil,
			"servers/github_mcp_server → servers/github"},
		{"no such server", `r, err := gitserver.Log(gitserver.LogParams{RepoPath: "."})` + then,
			[]string{"undefined: gitserver", "did you mean git.Log?", "func git.Log(p git.LogParams)"}, ""},
		{"half the server's name", `r, err := mongo.Aggregte(nil)` + then,
			[]string{"did you mean mongodb.Aggregate?", "func mongodb.Aggregate("}, ""},
		{"no such server imported", "package main\nimport (\"fmt\"; \"servers/gitt\")\nfunc main() {\nr, err := " +
			"gitt.Log(gitt.LogParams{})" + then + "\n}", []string{"did you mean git.Log", `import "servers/git"`}, ""},
		{"a missing required field", `r, err := github.ListIssues(github.ListIssuesParams{Owner: "golang"})` + then,
			[]string{"required field Repo not set", "Repo string /*required*/"}, ""},
		{"missing in a nested struct", `r, err := memory.CreateEntities(memory.CreateEntitiesParams{Entities: []memory.Entity{{Name: "a"}}})` + then, []string{"required fields EntityType, Observations not set in a value of type memory.Entity"}, ""},
		{"a value that is not allowed",
			`r, err := github.ListIssues(github.ListIssuesParams{Owner: "a", Repo: "b", State: "OPENED"})` + then,
			[]string{`did you mean "OPEN"? allowed: "OPEN", "CLOSED"`}, ""},
		{"an allowed one in small letters",
			`r, err := github.ListIssues(github.ListIssuesParams{Owner: "a", Repo: "b", State: "open"})` + then, nil,
			`→ "OPEN"`},
		{"text for a number", `r, err := git.Log(git.LogParams{RepoPath: ".", MaxCount: "five"})` + then,
			[]string{"write a number"}, ""},
		{"a number in quotes", `r, err := git.Log(git.LogParams{RepoPath: ".", MaxCount: "5"})` + then, nil,
			"→ 5"},
		{"one for a list", `r, err := github.ListIssues(github.ListIssuesParams{Owner: "a", Repo: "b", Labels: "bug"})` +
			then, []string{`it is a list: []string{"bug"}`}, ""},
		{"a pointer for a value", "n := 5\n" + `r, err := git.Log(git.LogParams{RepoPath: ".", MaxCount: &n})` + then,
			[]string{"leave out the &"}, ""},
		{"an int for a float", "n := 5\n" +
			`r, err := github.ListIssues(github.ListIssuesParams{Owner: "a", Repo: "b", PerPage: n})` + then,
			[]string{"convert it: float64(…)"}, ""},
		{"another name of a nested type",
			`r, err := memory.CreateEntities(memory.CreateEntitiesParams{Entities: []memory.EntityInput{{Name: "a", EntityType: "b", Observations: nil}}})` + then, nil, "memory.EntityInput → memory.Entity"},
		{"maps for structs", `r, err := memory.CreateEntities(memory.CreateEntitiesParams{Entities: []map[string]any{{"name": "a"}}})` + then, []string{"write it as []memory.Entity{…}", "type memory.Entity struct { EntityType string /*required"}, ""},
		{"a list of maps for any", `r, err := mongodb.Aggregate(mongodb.AggregateParams{Collection: "c", ConnectionID: "x", Database: "d", Pipeline: []map[string]any{{"$match": 1}}})` + then, []string{"write the list as []any{…}"}, ""},
		{"no such field", `r, err := github.ListIssues(github.ListIssuesParams{Owner: "a", Repo: "b", Limit: 5})` + then,
			[]string{"unknown field Limit", "PerPage"}, ""},
		{"a field of a field", `r, err := memory.CreateEntities(memory.CreateEntitiesParams{EntityType: "x"})` + then,
			[]string{"EntityType is a field of each element of Entities, which has EntityType, Name, Observations",
				"type memory.Entity struct"}, ""},
		{"nearly a field", `r, err := memory.CreateEntities(memory.CreateEntitiesParams{Entities: []memory.Entity{{Name: "a", Type: "x", Observations: nil}}})` + then, []string{"did you mean EntityType?"}, ""},
		{"no such function", `r, err := github.GetIssues(github.GetIssuesParams{Owner: "a"})` + then,
			[]string{"did you mean github.ListIssues?", "func github.ListIssues(", "Owner string /*required"}, ""},
		{"nothing like a function", `r, err := github.Frobnicate(github.FrobnicateParams{Owner: "a"})` + then,
			[]string{"nearest in github: ", `UseTools("github") lists all`}, ""},
		{"a field that the result lacks", `r, err := gitcyanheads.Log(gitcyanheads.LogParams{})` + then +
			`; fmt.Println(r.Commits[0].Message)`, []string{"Commits []{Hash string, ShortHash string, Subject string"}, ""},
		{"the result's fields as in JSON", `r, err := gitcyanheads.Log(gitcyanheads.LogParams{})` + then +
			`; fmt.Println(r.commits[0].short_hash)`, nil, "short_hash → ShortHash"},
		{"a function for a type", `r, err := gitcyanheads.Log(gitcyanheads.LogParams{})` + then +
			`; var c []gitcyanheads.Commit = r.Commits; fmt.Println(c)`,
			[]string{"did you mean the type gitcyanheads.LogCommit"}, ""},
		{"JSON as a value", `r, err := git.Log(git.LogParams{RepoPath: "."})` + then +
			`; v, err := r.JSON(); fmt.Println(v, err)`, []string{"var v any; err := r.JSON(&v)"}, ""},
		{"a client", `c := git.NewClient(); fmt.Println(c)`, []string{"nearest in git: ", "func git."}, ""},
		{"a general call", `r, err := CallTool("git.git_log", map[string]any{"repo_path": "."})` + then,
			[]string{"log, err := git.Log(git.LogParams{…})"}, ""},
		{"tools as values", `tools, err := UseTools("git.git_log"); fmt.Println(tools, err)`,
			[]string{"it returns only an error"}, ""},
		{"a field of any", `r, err := mongodb.Aggregate(mongodb.AggregateParams{Collection: "c", ConnectionID: "x", Database: "d", Pipeline: nil})` + then + `; fmt.Println(r.Documents[0].name)`, []string{"m, ok := v.(map[string]any)"}, ""},
		{"a result and a text", `r, err := git.Log(git.LogParams{RepoPath: "."})` + then + `; fmt.Println("log: " + r)`,
			[]string{"its text is r.Text()"}, ""},
		{"a tool of what UseTools gives", `tools := UseTools("git.git_log"); r := tools.Log("."); fmt.Println(r)`,
			[]string{"UseTools returns an error, not the tools"}, ""},
		{"named arguments", `r, err := git.Log(repo_path=".")` + then, []string{"arguments have no names in Go"}, ""},
		{"an object", `r, err := git.Log({repo_path: "."})` + then, []string{"write a struct's fields after its type"}, ""},
		{"await", `r := await git.Log(git.LogParams{RepoPath: "."})`, []string{"leave out await"}, ""},
		{"params without the package", `r, err := git.Log(LogParams{RepoPath: "."})` + then, nil,
			"LogParams → git.LogParams"},
		{"a tool without a package", `UseTools("git.git_log"); r, err := mcp__git__git_log(".")` + then,
			[]string{"did you mean git.Log?"}, ""},
		{"a tool of another package", `r, err := tools.ReadGraph()` + then,
			[]string{"did you mean memory.ReadGraph?", "func memory.ReadGraph() (memory.ReadGraphResult, error)"}, ""},
		{"servers as a package", `r, err := servers.git.Log(git.LogParams{RepoPath: "."})` + then,
			[]string{`import "servers/git"`}, ""},
		{"a variable named like the package", `git, err := git.Log(git.LogParams{RepoPath: "."})` +
			"\nif err != nil { panic(err) }\nfmt.Println(git.Status)", []string{"hides the package servers/git"}, ""},
		{"a chained call", `fmt.Println(git.Log(git.LogParams{RepoPath: "."}).Text())`,
			[]string{"assign the results first", "func git.Log(p git.LogParams) (git.LogResult, error)"}, ""},
		{"a result compared with nil", `r, err := git.Log(git.LogParams{RepoPath: "."})` + then + `; fmt.Println(r == nil)`,
			[]string{"never nil: check err"}, ""},
		{"an error returned from main",
			`r, err := git.Log(git.LogParams{RepoPath: "."}); if err != nil { return err }; fmt.Println(r)`,
			[]string{"panic(err)"}, ""},
		{"a type of the script for a text", "type State string\nconst Open State = \"OPEN\"\n" +
			`r, err := github.ListIssues(github.ListIssuesParams{Owner: "a", Repo: "b", State: Open})` + then,
			[]string{"convert it: string(…)"}, ""},
		{"a list of pointers", `r, err := memory.CreateEntities(memory.CreateEntitiesParams{Entities: []*memory.Entity{{Name: "a", EntityType: "b", Observations: nil}}})` + then, nil, "→ []"},
		{"a misspelt variable", `commits, err := git.Log(git.LogParams{RepoPath: "."}); if err != nil { panic(err) }; fmt.Println(comits.Text())`, []string{"did you mean commits?"}, ""},
		{"arguments as a key", `m := map[git.LogParams]bool{}; fmt.Println(m); UseTools("git.git_log")`,
			[]string{"take one of its fields as the key"}, ""},
		{"fields without names", `r, err := git.Log(git.LogParams{".", "", 5, ""})` + then, []string{"name the fields"}, ""},
		{"a general call of what UseTools gives", `tools := UseTools("git.git_log"); r, err := tools.Call("git_log", nil)` +
			then, []string{"log, err := git.Log(git.LogParams{…})"}, ""},
		{"JavaScript", `async function main() { return 1 }`, []string{"a script is Go"}, ""},
		{"an arrow", `xs := []int{1}; ys := xs.map(x => x * 2)`, []string{"func(x int) int"}, ""},
		{"Python's loop", "x := 3\nwhile x > 1 { x-- }", []string{"a loop is for condition"}, ""},
		{"no declaration", "x = 5\nReturn(x)", []string{"undefined: x", "x := …"}, ""},
		{"two results of main", `return 5, nil`, []string{"Return(v)"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := h.Check(t.Context(), &harness.Script{Source: c.script})
			if err != nil {
				t.Fatal(err)
			}
			if c.want == nil {
				if res.Status != outcome.OK || !strings.Contains(strings.Join(res.Warnings, "\n"), c.warning) {
					t.Error(res.Text())
				}
				return
			}
			if res.Status != outcome.CompileError {
				t.Fatal(res.Text())
			}
			got := res.Text()
			for _, w := range c.want {
				if !strings.Contains(got, w) {
					t.Errorf("no %q in\n%s", w, got)
				}
			}
			if n, err := enc.Count(got); err != nil || n > harness.RefusedTokens {
				t.Errorf("%d tokens, want at most %d\n%s", n, harness.RefusedTokens, got)
			} else {
				t.Logf("%d tokens", n)
			}
			if len(res.Errors) > 2 || len(res.Errors) == 2 && c.name != "JSON as a value" && c.name != "an object" {
				t.Errorf("%d errors for one fault\n%s", len(res.Errors), res.Text())
			}
		})
	}
}

// TestScriptsOfSeveralFilesNameTheFile: places are those of the file, in
// errors before and while the script runs.
func TestScriptsOfSeveralFilesNameTheFile(t *testing.T) {
	const files = "-- main.go --\npackage main\n\nfunc main() { println(at(nil, 3)) }\n-- at.go --\npackage main\n\n// " +
		"at is out of range.\nfunc at(list []int, i int) %s {\n\treturn list[i]\n}\n"
	for _, c := range []struct{ result, want string }{
		{"string", "at.go:5:9: cannot use list[i]"},
		{"int", "at.go:5: panic: runtime error: index out of range [3] with length 0"},
	} {
		res := mustRun(t, harness.New(nil), fmt.Sprintf(files, c.result))
		if text := res.Text(); !strings.Contains(text, c.want) {
			t.Errorf("%q is not in\n%s", c.want, text)
		}
		if res.Error == nil || res.Error.File != "at.go" || len(res.Error.Trace) > 0 &&
			res.Error.Trace[0] != "main.at, line 5 of at.go" {
			t.Errorf("%+v", res.Error)
		}
	}
}
