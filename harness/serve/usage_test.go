package serve_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/harness/usage"
)

// What was used most, by whatever server or command, has its signature in the
// description first; calls without a script are recorded as those of scripts.
func TestUseIsReadFromTheLogAndWrittenThere(t *testing.T) {
	log := usage.Open(filepath.Join(t.TempDir(), "usage.jsonl"))
	if err := log.Add(usage.Run{Time: time.Now(), Status: "ok",
		Tools: []usage.Calls{{Tool: "issues.comment", Calls: 20, Failed: 1},
			{Tool: "git.git_log", Calls: 3, Failed: 3}}}); err != nil {
		t.Fatal(err)
	}
	f := newFake()
	s, _ := serving(t, &serve.Options{Tools: serve.All, UsageOrder: true, Catalog: func(context.Context) (*catalog.Catalog, error) {
		return &catalog.Catalog{Registry: testRegistry(), Calls: f, Usage: log}, nil
	}})
	c := connect(t, s, nil)
	names(t, c) // waits for the catalog
	if got, none := s.Rank("issues.comment"), s.Rank("git.git_log"); got != 5 || none != 0 {
		t.Errorf("19 calls have the rank %d, want 5; three that failed %d, want 0", got, none)
	}
	c.call("call_tool", map[string]any{"tool": "files.read_file", "arguments": map[string]any{"path": "a"}})
	c.call("call_tool", map[string]any{"tool": "files.read_file", "arguments": map[string]any{"path": "missing"}})
	if got := s.Rank("files.read_file"); got != 1 {
		t.Errorf("one call has the rank %d, want 1", got)
	}
	runs, err := log.Runs(time.Time{})
	if err != nil || len(runs) != 3 || runs[1].Status != "ok" || runs[2].Status != "script_error" ||
		runs[2].Tools[0].Tool != "files.read_file" || runs[2].Tools[0].Failed != 1 {
		t.Errorf("%+v, %v", runs, err)
	}
	// Another server on the same registry.
	if err := log.Add(usage.Run{Time: time.Now(), Status: "ok",
		Tools: []usage.Calls{{Tool: "git.git_log", Calls: 500}}}); err != nil {
		t.Fatal(err)
	}
	s.RefreshUsage()
	if got, own := s.Rank("git.git_log"), s.Rank("files.read_file"); got != 9 || own != 1 {
		t.Errorf("500 calls elsewhere have the rank %d, want 9; one here %d, want 1", got, own)
	}
	s.Describe()
	text := s.Described()
	if git, files := strings.Index(text, "git.Log("), strings.Index(text, "files.ReadFile("); git < 0 || files < 0 {
		t.Error(text)
	}
	if err := log.Clear(); err != nil {
		t.Fatal(err)
	}
	s.RefreshUsage()
	if got := s.Rank("git.git_log"); got != 0 {
		t.Errorf("forgotten calls have the rank %d", got)
	}
}
