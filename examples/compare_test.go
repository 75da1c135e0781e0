package examples

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/bench"
	"github.com/usetools/usetools/registry/text"
)

var numbers = flag.Bool("numbers", false, "write the comparison into README.md")

// TestComparisonWithTheOtherWays measures what README.md's table says, with
// tokens as cl100k counts them, and writes it there when asked to.
func TestComparisonWithTheOtherWays(t *testing.T) {
	if testing.Short() {
		t.Skip("fills and counts much, one script after another")
	}
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
	program := program(t, "./cmd/harness")
	files := &harness.Files{Configs: []string{builtConfig(t, "compare/.mcp.json", true)}, NoMemory: true, NoUsage: true,
		NoObserve: true}
	defer files.Close()
	cat, err := files.Catalog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var tasks []bench.Task
	for _, x := range []struct{ name, file string }{
		{"a digest of a git history", "git_digest/main.go"},
		{"three fields of each of 20 orders", "compare/fan_out/main.go"},
		{"one order in a list of 500", "compare/find/main.go"},
	} {
		script, err := os.ReadFile(x.file)
		if err != nil {
			t.Fatal(err)
		}
		tasks = append(tasks, bench.Task{Name: x.name, Script: string(script)})
	}
	res, err := bench.Compare(t.Context(), &bench.CompareOptions{
		Catalog: cat, Scripts: tasks, WorkerCommand: []string{program}, Count: count,
	})
	if err != nil {
		t.Fatal(err)
	}
	var ms []float64
	for _, task := range res.Tasks {
		ms = append(ms, leastMs(t, func() error { return interpret(t.Context(), cat.Calls, task.Made) }))
	}
	var faults []string
	for _, f := range res.Faults {
		faults = append(faults, faultInHost(t, f))
	}
	table := withInProcess(res, ms, faults)
	t.Logf("\n%s", table)
	t.Logf("the estimate of tokens is %.2f of the count", float64(estimated)/float64(counted))
	if e := float64(estimated) / float64(counted); e < .85 || e > 1.15 {
		t.Errorf("the estimate is %.2f of the tokens that cl100k counts", e)
	}
	turns := map[string][3]int{}
	for _, task := range res.Tasks {
		all, search, mine := task.Costs[0], task.Costs[1], task.Costs[2]
		if mine.Tokens >= search.Tokens || search.Tokens >= all.Tokens {
			t.Errorf("%s: %d tokens with all tools in context, %d with a search, %d with a script", task.Name, all.Tokens,
				search.Tokens, mine.Tokens)
		}
		for i, c := range task.Costs {
			x := turns[task.Name]
			x[i] = c.Turns
			turns[task.Name] = x
		}
	}
	// The log first, then all diffs at once, then the answer; a search adds two.
	if got, want := turns["a digest of a git history"], [3]int{3, 5, 3}; got != want {
		t.Errorf("turns of the digest: %v, want %v", got, want)
	}
	if got, want := turns["three fields of each of 20 orders"], [3]int{2, 4, 3}; got != want {
		t.Errorf("turns of the orders: %v, want %v", got, want)
	}
	for _, f := range res.Faults {
		if !strings.HasSuffix(f.UseTools, "; the next script runs") {
			t.Errorf("%s: %s", f.What, f.UseTools)
		}
	}
	if len(faults) != 3 || !strings.Contains(faults[2], "dies") {
		t.Errorf("faults: %v", faults)
	}
	if *numbers {
		between(t, "../README.md", "compare", table)
	}
}

// between writes a text between the marks of a file.
func between(t *testing.T, file, mark, text string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+mark+" -->\n", "<!-- /"+mark+" -->"
	before, rest, ok1 := strings.Cut(string(b), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no place for it: %s", file, begin)
	}
	if err := os.WriteFile(file, []byte(before+begin+text+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
