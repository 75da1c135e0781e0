package memory

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/registry"
)

// TestMain lets the test be a second process that remembers.
func TestMain(m *testing.M) {
	if path := os.Getenv("REMEMBER_IN"); path != "" {
		other := New(path, nil)
		for i := range 50 {
			if err := other.Remember(Use{fmt.Sprintf("%s %d", os.Getenv("REMEMBER_AS"), i), "git.log", "h", "run", 1}); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func tools(names ...string) *registry.Registry {
	reg := &registry.Registry{}
	for _, n := range names {
		reg.Tools = append(reg.Tools, registry.Tool{Server: "git", Name: n, Hash: "hash of " + n})
	}
	reg.Normalize()
	return reg
}

func open(t testing.TB, reg *registry.Registry) *Memory {
	t.Helper()
	m := New(filepath.Join(t.TempDir(), "new", "phrases.json"), reg)
	m.now = func() time.Time { return time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC) }
	return m
}

func remember(t testing.TB, m *Memory, phrase, tool string) {
	t.Helper()
	for _, run := range []string{"run 1", "run 2"} {
		if err := m.Remember(Use{phrase, "git." + tool, "hash of " + tool, run, 1}); err != nil {
			t.Fatal(err)
		}
	}
}

func recalls(t testing.TB, m *Memory, phrase, want string) {
	t.Helper()
	got, _, ok := m.Recall(phrase)
	if ok != (want != "") || ok && got != "git."+want {
		t.Errorf("%q recalls %q, want %q", phrase, got, want)
	}
}

func TestPhraseRecallsTheToolItLedTo(t *testing.T) {
	m := open(t, tools("log", "diff"))
	recalls(t, m, "show history", "")
	remember(t, m, "Show  history\n", "log")
	remember(t, m, "show history", "log")
	m.now = func() time.Time { return time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC) }
	remember(t, m, "show history", "log")
	recalls(t, m, " SHOW history", "log")
	recalls(t, m, "show the history", "")
	again := New(m.path, m.reg)
	recalls(t, again, "show history", "log")
	want := []Entry{{Phrase: "show history", Tool: "git.log", Hash: "hash of log",
		Runs: []string{"run 1", "run 2"}, Rank: 1, Uses: 2, Used: "2026-01-03"}}
	got, err := again.List()
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestTwoRunsHaveToAgree(t *testing.T) {
	m := open(t, tools("log", "diff"))
	use := func(run string) {
		t.Helper()
		if err := m.Remember(Use{"history", "git.log", "hash of log", run, 2}); err != nil {
			t.Fatal(err)
		}
	}
	use("a")
	use("a") // the same run again
	recalls(t, m, "history", "")
	use("b")
	recalls(t, m, "history", "log")
	m.Reject("history", "git.diff")
	recalls(t, m, "history", "log")
	m.Reject("History", "git.log")
	recalls(t, m, "history", "")
	if err := m.Set("history", "git.log", "hash of log"); err != nil {
		t.Fatal(err)
	}
	m.Reject("history", "git.log")
	recalls(t, m, "history", "log") // a person's choice stays
}

// Files of earlier versions have no runs.
func TestPhrasesOfEarlierVersionsNeedTwoDays(t *testing.T) {
	m := open(t, tools("log"))
	if err := os.MkdirAll(filepath.Dir(m.path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(m.path, []byte(`{"version": 1, "phrases": [
		{"phrase": "once", "tool": "git.log", "hash": "hash of log", "uses": 1, "used": "2026-01-01"},
		{"phrase": "twice", "tool": "git.log", "hash": "hash of log", "uses": 2, "used": "2026-01-01"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	recalls(t, m, "once", "")
	recalls(t, m, "twice", "log")
	remember(t, m, "once", "log")
	remember(t, m, "twice", "log")
	recalls(t, m, "once", "log")
	recalls(t, m, "twice", "log")
}

func TestToolThatChangedOrIsGoneIsNotRecalled(t *testing.T) {
	m := open(t, tools("log", "diff"))
	remember(t, m, "history", "log")
	remember(t, m, "changes", "diff")
	changed := tools("log")
	changed.Tools[0].Hash = "another"
	now := New(m.path, changed)
	recalls(t, now, "history", "")
	recalls(t, now, "changes", "")
	// A new choice replaces one that cannot be meant any more.
	if err := now.Remember(Use{"changes", "git.log", "another", "run 3", 1}, Use{"changes", "git.log", "another", "run 4", 1}); err != nil {
		t.Fatal(err)
	}
	recalls(t, now, "changes", "log")
}

func TestConflictingMemoryIsDroppedUntilForgotten(t *testing.T) {
	m := open(t, tools("log", "diff"))
	remember(t, m, "history", "log")
	remember(t, m, "history", "diff")
	recalls(t, m, "history", "")
	remember(t, m, "history", "diff")
	recalls(t, m, "history", "")
	if all, err := m.List(); err != nil || len(all) != 1 || !all[0].Conflicting() {
		t.Errorf("%+v, %v", all, err)
	}
	unknown, err := m.Forget("History", "never said")
	if diff := cmp.Diff([]string{"never said"}, unknown); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	remember(t, m, "history", "diff")
	recalls(t, m, "history", "diff")
	if err := m.Set("history", "git.log", "hash of log"); err != nil {
		t.Fatal(err)
	}
	recalls(t, m, "history", "log")
	remember(t, m, "history", "diff") // what was decided by hand stays
	recalls(t, m, "history", "log")
	if err := m.ForgetAll(); err != nil {
		t.Fatal(err)
	}
	recalls(t, m, "history", "")
}

func TestOddPhrasesAreNotRemembered(t *testing.T) {
	m := open(t, tools("log"))
	for _, phrase := range []string{"", " \n", "\xff", strings.Repeat("x", MaxPhrase+1)} {
		remember(t, m, phrase, "log")
		recalls(t, m, phrase, "")
		if err := m.Set(phrase, "git.log", "hash of log"); err == nil {
			t.Errorf("%.20q is set", phrase)
		}
	}
	if all, err := m.List(); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestMemoryIsBoundedAndForgetsTheOldest(t *testing.T) {
	entries := map[string]Entry{}
	for i := range MaxEntries + 10 {
		p := fmt.Sprint("phrase ", i)
		entries[p] = Entry{Phrase: p, Used: fmt.Sprintf("2026-01-%02d", 1+min(i/10, 20))}
	}
	trim(entries)
	if len(entries) != MaxEntries {
		t.Errorf("%d entries", len(entries))
	}
	for i := range 20 {
		if _, ok := entries[fmt.Sprint("phrase ", i)]; ok != (i >= 10) {
			t.Errorf("phrase %d: kept is %v", i, ok)
		}
	}
}

func TestDamagedFileCountsAsEmptyAndIsReplaced(t *testing.T) {
	for _, content := range []string{"", "{", `{"version": 2}`, "[]", strings.Repeat(" ", maxFile+1)} {
		m := open(t, tools("log"))
		if err := os.MkdirAll(filepath.Dir(m.path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(m.path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		recalls(t, m, "history", "")
		var damaged *DamagedError
		if _, err := m.List(); !errors.As(err, &damaged) || !strings.Contains(err.Error(), m.path) {
			t.Errorf("%.20q: %v", content, err)
		}
		remember(t, m, "history", "log")
		recalls(t, m, "history", "log")
	}
}

func TestProcessesShareAMemory(t *testing.T) {
	m := open(t, tools("log"))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for p := range 3 {
		all.Go(func() {
			c := exec.Command(self)
			c.Env = append(os.Environ(), "REMEMBER_IN="+m.path, fmt.Sprint("REMEMBER_AS=process ", p))
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	for g := range 4 {
		all.Go(func() {
			for i := range 25 {
				remember(t, m, fmt.Sprint("goroutine ", g, " ", i), "log")
				m.Recall("process 0 0")
			}
		})
	}
	all.Wait()
	if got, err := m.List(); err != nil || len(got) != 3*50+4*25 {
		t.Errorf("%d phrases of %d are remembered, %v", len(got), 3*50+4*25, err)
	}
}

func TestPathDependsOnTheRegistry(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	one, err := Path("tool_registry.json")
	if err != nil {
		t.Fatal(err)
	}
	abs, _ := filepath.Abs("tool_registry.json")
	if same, _ := Path(abs); same != one {
		t.Errorf("%q and %q", one, same)
	}
	if other, _ := Path("other.json"); other == one {
		t.Error("two registries share a memory")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"version":1,"phrases":[{"phrase":"history","tool":"git.log","hash":"h","uses":2,"used":"2026-01-02"}]}`))
	f.Add([]byte(`{"version":1,"phrases":[{"phrase":" X "},null]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, _ := decode(data)
		if len(entries) > MaxEntries {
			t.Errorf("%d entries", len(entries))
		}
		for key, e := range entries {
			if k, ok := keyOf(e.Phrase); !ok || k != key {
				t.Errorf("%q is kept as %q", e.Phrase, key)
			}
		}
	})
}

func BenchmarkRecall(b *testing.B) {
	m := open(b, tools("log"))
	remember(b, m, "history", "log")
	for b.Loop() {
		m.Recall("history")
	}
}
