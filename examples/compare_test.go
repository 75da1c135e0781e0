package examples

import (
	"os"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/usetools/usetools/examples/compare/ways"
	"github.com/usetools/usetools/examples/internal/built"
	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/registry/text"
)

// comparedTasks are the tasks of README.md's table, with the turns that each takes with
// all tools in context, with a search, and with a script: a search adds two turns.
var comparedTasks = []struct {
	name, file string
	turns      [3]int
}{
	{"a digest of a git history", "git_digest/main.go", [3]int{3, 5, 2}}, // the log, all diffs at once, the answer
	{"three fields of each of 20 orders", "compare/fan_out/main.go", [3]int{2, 4, 2}},
	{"one order in a list of 500", "compare/find/main.go", [3]int{2, 4, 2}},
}

// comparison compares the ways of doing some of the tasks, counts tokens as cl100k does,
// and checks the result.
func comparison(t *testing.T, first, end int) (*ways.Comparison, catalog.Caller) {
	t.Helper()
	enc, err := tokenizer.Get(tokenizer.Cl100kBase)
	if err != nil {
		t.Fatal(err)
	}
	counted, estimated := 0, 0
	count := func(s string) int {
		n, err := enc.Count(s)
		if err != nil {
			t.Error(err)
		}
		counted, estimated = counted+n, estimated+text.Tokens(s)
		return n
	}
	files := &catalog.Files{Configs: []string{builtConfig(t, "compare/.mcp.json", true)}, NoMemory: true, NoUsage: true,
		NoObserve: true}
	t.Cleanup(func() { files.Close() })
	cat, err := files.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var tasks []ways.Task
	for _, x := range comparedTasks[first:end] {
		script, err := os.ReadFile(x.file)
		if err != nil {
			t.Fatal(err)
		}
		tasks = append(tasks, ways.Task{Name: x.name, Script: string(script)})
	}
	res, err := ways.Compare(t.Context(), &ways.CompareOptions{
		Catalog: cat, Scripts: tasks, WorkerCommand: []string{built.Program(t, "cmd/harness")}, Count: count,
	})
	if err != nil {
		t.Fatal(err)
	}
	if e := float64(estimated) / float64(counted); e < .85 || e > 1.15 {
		t.Errorf("the estimate is %.2f of the tokens that cl100k counts", e)
	}
	for i, task := range res.Tasks {
		all, search, mine := task.Costs[0], task.Costs[1], task.Costs[2]
		if mine.Tokens >= search.Tokens || search.Tokens >= all.Tokens {
			t.Errorf("%s: %d tokens with all tools in context, %d with a search, %d with a script", task.Name, all.Tokens,
				search.Tokens, mine.Tokens)
		}
		if got, want := [3]int{all.Turns, search.Turns, mine.Turns}, comparedTasks[first+i].turns; got != want {
			t.Errorf("%s: turns are %v, want %v", task.Name, got, want)
		}
	}
	for _, f := range res.Faults {
		if !strings.HasSuffix(f.UseTools, "; the next script runs") {
			t.Errorf("%s: %s", f.What, f.UseTools)
		}
	}
	return res, cat.Calls
}

// A script takes fewer tokens than calls do, with and without a search.
func TestAScriptTakesFewerTokens(t *testing.T) { comparison(t, 1, 2) }
