package generate

import (
	"regexp"
	"slices"
	"testing"

	"github.com/usetools/usetools/harness/internal/front"
)

func TestASeedGivesOneProgram(t *testing.T) {
	for seed := range uint64(50) {
		a, err := Program(seed)
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := Program(seed); a != b {
			t.Errorf("seed %d gives different programs", seed)
		}
	}
}

// leftOutFile matches what is said of files that are there to be left out.
var leftOutFile = regexp.MustCompile(`^\S+: (left out|ignored)`)

// TestGeneratedProgramsAreGo saves the oracle from finding faults of the
// generator.
func TestGeneratedProgramsAreGo(t *testing.T) {
	failed := 0
	for seed := range uint64(100) {
		src, err := Program(seed)
		if err != nil {
			t.Fatal(err)
		}
		script, bad := front.Parse([]byte(src))
		if len(bad) == 0 {
			_, bad = script.Check(&front.CheckOptions{Strict: true})
			bad = slices.DeleteFunc(bad, func(d front.Diagnostic) bool { return leftOutFile.MatchString(d.Message) })
		}
		if len(bad) > 0 {
			t.Errorf("seed %d: %v\n%s", seed, bad[0], bad[0].Snippet)
			if failed++; failed == 10 {
				return
			}
		}
	}
}
