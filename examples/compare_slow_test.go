//go:build slow

package examples

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var numbers = flag.Bool("numbers", false, "write the comparison into README.md")

// TestComparisonWithTheOtherWays measures what README.md's table says, and writes it
// there with -numbers.
func TestComparisonWithTheOtherWays(t *testing.T) {
	res, calls := comparison(t, 0, len(comparedTasks))
	var ms []float64
	for _, task := range res.Tasks {
		ms = append(ms, leastMs(t, func() error { return interpret(t.Context(), calls, task.Made) }))
	}
	var faults []string
	for _, f := range res.Faults {
		faults = append(faults, faultInHost(t, f))
	}
	table := withInProcess(res, ms, faults)
	t.Logf("\n%s", table)
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
