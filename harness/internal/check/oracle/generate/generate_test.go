package generate

import (
	"testing"

	"github.com/usetools/usetools/harness/internal/check"
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

// TestGeneratedProgramsAreGo saves the oracle from finding faults of the
// generator.
func TestGeneratedProgramsAreGo(t *testing.T) {
	failed := 0
	for seed := range uint64(100) {
		src, err := Program(seed)
		if err != nil {
			t.Fatal(err)
		}
		script, bad := check.Parse([]byte(src))
		if len(bad) == 0 {
			_, bad = script.Check(&check.Options{Strict: true})
		}
		if len(bad) > 0 {
			t.Errorf("seed %d: %v\n%s", seed, bad[0], bad[0].Snippet)
			if failed++; failed == 10 {
				return
			}
		}
	}
}
