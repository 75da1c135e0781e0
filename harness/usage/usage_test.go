package usage

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestSummaryTellsUsedUnusedSlowFailingAndReworded(t *testing.T) {
	at := time.Date(2026, 1, 31, 23, 50, 0, 0, time.UTC)
	runs := []Run{
		{Time: at, Status: "tool_not_found",
			Phrases: []Phrase{{Phrase: "frobnicate", Verdict: "not_found"},
				{Phrase: "read", Verdict: "resolved", Tool: "a.read"}}},
		{Time: at.Add(5 * time.Minute), Status: "ok",
			Tools: []Calls{{Tool: "a.read", Calls: 3, Failed: 1, Ms: 30, Max: 25}, {Tool: "a.list", Calls: 1, Ms: 2, Max: 2}},
			Phrases: []Phrase{{Phrase: "read", Verdict: "resolved", Tool: "a.read"},
				{Phrase: "list", Verdict: "resolved", Tool: "a.list"}}},
		{Time: at.Add(time.Hour), Status: "ambiguous", Phrases: []Phrase{{Phrase: "frobnicate", Verdict: "ambiguous"}}},
		{Time: at.Add(2 * time.Hour), Status: "ok", Tools: []Calls{{Tool: "a.read", Calls: 1, Ms: 2, Max: 2}},
			Phrases: []Phrase{{Phrase: "other", Verdict: "resolved", Tool: "a.read"}}},
	}
	got := Summarize(runs, []string{"a.write", "a.read", "a.list"}, func(string) string { return "a" })
	want := Summary{
		Runs: 4, Failed: 2, Since: "2026-01-31",
		Tools: []Tool{{Name: "a.read", Runs: 2, Calls: 4, Failed: 1, Mean: 8, Max: 25, Last: "2026-02-01"},
			{Name: "a.list", Runs: 1, Calls: 1, Mean: 2, Max: 2, Last: "2026-01-31"}},
		Servers: []Tool{{Name: "a", Runs: 2, Calls: 5, Failed: 1, Mean: 6.8, Max: 25, Last: "2026-02-01"}},
		Days:    []Day{{Day: "2026-01-31", Runs: 2, Calls: 4, Failed: 1}, {Day: "2026-02-01", Runs: 2, Calls: 1}},
		Unused:  []string{"a.write"},
		Phrases: []RefusedPhrase{{Phrase: "frobnicate", Verdict: "ambiguous", Times: 2, Reworded: "list", Tool: "a.list"}},
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Tool{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestTheLogIsSharedBoundedAndOutlivesDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "usage.jsonl")
	if runs, err := Open(path).Runs(time.Time{}); runs != nil || err != nil {
		t.Errorf("a log that is not there: %v, %v", runs, err)
	}
	now := time.Now().UTC()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				if err := Open(path).Add(Run{Time: now, Status: "ok"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("{\"time\":\nnull\n[]\n{}\n")
	f.Close()
	log := Open(path)
	if runs, err := log.Runs(time.Time{}); len(runs) != 40 || err != nil {
		t.Errorf("%d runs, %v; want 40", len(runs), err)
	}
	if runs, _ := log.Runs(now.Add(time.Hour)); len(runs) != 0 {
		t.Errorf("%d runs of the future", len(runs))
	}

	line := append(bytes.Repeat([]byte("x"), 1023), '\n')
	if err := os.WriteFile(path, bytes.Repeat(line, MaxFile/1024+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := log.Add(Run{Time: now, Status: "ok"}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > MaxFile/2+2048 {
		t.Errorf("%v bytes after trimming (%v)", info.Size(), err)
	}
	if runs, _ := log.Runs(time.Time{}); len(runs) != 1 {
		t.Errorf("%d runs after trimming, want 1", len(runs))
	}
	if err := log.Clear(); err != nil {
		t.Error(err)
	}
	if err := log.Clear(); err != nil {
		t.Error("clearing twice:", err)
	}
}

func TestTheUseOfOneTool(t *testing.T) {
	l := Open(filepath.Join(t.TempDir(), "usage.jsonl"))
	if used, err := l.Of("a.read"); err != nil || used.Calls != 0 || used.Name != "a.read" {
		t.Errorf("of a log that is not there: %+v, %v", used, err)
	}
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for i, tools := range [][]Calls{{{Tool: "a.read", Calls: 3, Failed: 1, Ms: 30, Max: 25}, {Tool: "a.read<2>", Calls: 1}},
		{{Tool: "a.read<2>", Calls: 7}}, {{Tool: "a.read", Calls: 1, Ms: 2, Max: 2}}} {
		if err := l.Add(Run{Time: at.AddDate(0, 0, i), Status: "ok", Tools: tools}); err != nil {
			t.Fatal(err)
		}
	}
	for id, want := range map[string]Tool{
		"a.read":    {Name: "a.read", Runs: 2, Calls: 4, Failed: 1, Mean: 8, Max: 25, Last: "2026-02-02"},
		"a.read<2>": {Name: "a.read<2>", Runs: 2, Calls: 8, Last: "2026-02-01"},
	} {
		got, err := l.Of(id)
		if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Tool{})); d != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", id, err, d)
		}
	}
}
