package harness_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/registry/text"
)

// TestHostileScriptsAreDeniedOrBounded runs testdata/hostile: every script
// ends in time, with one of the statuses that its first line allows, and
// without a fault of the harness.
func TestHostileScriptsAreDeniedOrBounded(t *testing.T) {
	files, err := filepath.Glob("testdata/hostile/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no hostile scripts", err)
	}
	h := harness.New(nil)
	slots := make(chan struct{}, 4)
	n := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range txtar.Parse(data).Files {
			n++
			want, ok := strings.CutPrefix(strings.SplitN(string(f.Data), "\n", 2)[0], "// want ")
			if !ok {
				t.Fatalf("%s: %s does not begin with // want", file, f.Name)
			}
			timeout := 5 * time.Minute // it ends by itself, on a busy machine late
			if strings.Contains(want, "timeout") {
				timeout = hostileTimeout
			}
			var memory int64
			if strings.Contains(want, string(outcome.MemoryLimit)) {
				memory = hostileMemory
			}
			t.Run(f.Name, func(t *testing.T) {
				if raceEnabled && strings.Contains(want, string(outcome.MemoryLimit)) {
					t.Skip("the race detector's own memory leaves no limit to run into")
				}
				t.Parallel()
				slots <- struct{}{}
				defer func() { <-slots }()
				begin := time.Now()
				res, err := h.Run(t.Context(), &harness.Script{Source: string(f.Data), Limits: harness.Limits{Timeout: timeout, Memory: memory}})
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Contains(strings.Fields(want), string(res.Status)) {
					t.Errorf("status %s, want one of %s", res.Status, want)
				}
				if res.Status != outcome.OK && (res.Error == nil || res.Error.Message == "") {
					t.Error("no word on what was wrong")
				}
				if len(res.Stdout) > 2<<20 || len(res.Stderr) > 2<<20 || len(res.Value) > 9<<20 {
					t.Errorf("%d bytes of stdout, %d of stderr, %d of value", len(res.Stdout), len(res.Stderr), len(res.Value))
				}
				if t.Failed() {
					t.Logf("after %v: %s", time.Since(begin), text.Cut(res.Text(), 1500))
				}
			})
		}
	}
	if n < 60 {
		t.Errorf("%d scripts, want at least 60", n)
	}
}
