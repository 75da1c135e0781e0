package cluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/cluster/clustertest"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/registry/localfile"
)

func spreads(t testing.TB, c *Cluster, dir string) *library.Library {
	t.Helper()
	lib, err := c.spread(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

func saves(t testing.TB, lib *library.Library, name, source string) {
	t.Helper()
	if _, err := lib.Replace(&library.Script{Name: name, Source: source, Tools: []library.Tool{}}); err != nil {
		t.Fatal(err)
	}
}

// sourceOf is a script's source, "" where there is none.
func sourceOf(lib *library.Library, name string) string {
	s, err := lib.Load(name)
	if err != nil {
		return ""
	}
	return s.Source
}

// What one process saves, replaces or deletes all have, tenants' scripts too; and who
// comes later has what there is, and not what was deleted while it was away.
func TestSavedScriptsReachAllProcesses(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	one, dir := spreads(t, connect(t, Options{URL: url}), filepath.Join(t.TempDir(), "scripts")), filepath.Join(t.TempDir(), "scripts")
	away := connect(t, Options{URL: url})
	two := spreads(t, away, dir)
	has := func(lib *library.Library, name, source string) {
		t.Helper()
		eventually(t, fmt.Sprintf("the script %q does not become %q", name, source),
			func() bool { return sourceOf(lib, name) == source })
	}
	saves(t, one, "daily", "Return(1)")
	if got := sourceOf(one, "daily"); got != "Return(1)" {
		t.Errorf("who saved it reads %q", got)
	}
	has(two, "daily", "Return(1)")
	saves(t, two, "daily", "Return(2)")
	has(one, "daily", "Return(2)")
	saves(t, one.Beside(localfile.ApartKey("ann")), "daily", "Return(3)")
	saves(t, one.Beside(localfile.ApartKey("ann")), "her_own", "Return(4)")
	has(two.Beside(localfile.ApartKey("ann")), "daily", "Return(3)")
	has(two.Beside(localfile.ApartKey("ann")), "her_own", "Return(4)")
	has(two.Beside(localfile.ApartKey("bob")), "daily", "Return(2)")
	if got := sourceOf(two.Beside(localfile.ApartKey("bob")), "her_own"); got != "" {
		t.Errorf("bob has ann's %q", got)
	}
	if err := two.Beside(localfile.ApartKey("ann")).Delete("daily"); err != nil {
		t.Fatal(err)
	}
	has(one.Beside(localfile.ApartKey("ann")), "daily", "Return(2)")
	if err := two.Delete("daily"); err != nil {
		t.Fatal(err)
	}
	has(one, "daily", "")
	saves(t, one, "daily", "Return(5)")
	has(two, "daily", "Return(5)")

	away.Close()
	if err := two.Save(&library.Script{Name: "late", Source: "Return(0)"}); err == nil || sourceOf(two, "late") != "" {
		t.Errorf("saved without a cluster: %v", err)
	}
	saves(t, one, "weekly", "Return(6)")
	if err := one.Delete("daily"); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(dir, "mine.json"), []byte(`{"name":"mine","source":"Return(7)"}`), 0o600)
	two = spreads(t, connect(t, Options{URL: url}), dir)
	for name, want := range map[string]string{"daily": "", "weekly": "Return(6)", "mine": ""} {
		if got := sourceOf(two, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got := sourceOf(two.Beside(localfile.ApartKey("ann")), "her_own"); got != "Return(4)" {
		t.Errorf("her_own is %q", got)
	}
}

// Of two that save at the same time one is told that the other was first.
func TestWhoSavesSecondIsTold(t *testing.T) {
	t.Parallel()
	url := clustertest.Server(t)
	var all []*library.Library
	for range 4 {
		all = append(all, spreads(t, connect(t, Options{URL: url}), filepath.Join(t.TempDir(), "scripts")))
	}
	for round := range 10 {
		saved := make(chan string, len(all))
		begin := make(chan struct{})
		for i, lib := range all {
			go func() {
				<-begin
				source := fmt.Sprintf("Return(%d)", 10*round+i)
				err := lib.Save(&library.Script{Name: "daily", Source: source})
				if err != nil && !strings.Contains(err.Error(), "another process has changed") {
					t.Error(err)
				}
				if err != nil {
					source = ""
				}
				saved <- source
			}()
		}
		close(begin)
		kept := map[string]bool{}
		for range all {
			kept[receive(t, saved)] = true
		}
		delete(kept, "")
		if len(kept) == 0 {
			t.Error("nobody has saved")
		}
		var is string
		eventually(t, "they have different scripts", func() bool {
			is = sourceOf(all[0], "daily")
			for _, lib := range all[1:] {
				if sourceOf(lib, "daily") != is {
					return false
				}
			}
			return kept[is]
		})
	}
}

// What is not a script is not taken, and what is too large is not sent.
func TestMessagesThatAreNoScripts(t *testing.T) {
	t.Parallel()
	c := connect(t, Options{URL: clustertest.Server(t)})
	dir := filepath.Join(t.TempDir(), "scripts")
	lib := spreads(t, c, dir)
	for subject, data := range map[string]string{"script.default.x": "no gzip", "script._2e2e.x": "x", "script._.x": "x",
		"script.x": "x", "script._._2e2e2f78": "x", "script.a.b.c": ""} {
		if err := c.conn.Publish(stateSubjects+subject, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	saves(t, lib, "daily", "Return(1)")
	if names, err := lib.Names(); err != nil || len(names) != 1 {
		t.Errorf("%v, %v", names, err)
	}
	random := make([]byte, library.MaxSource)
	seed := uint64(1)
	for i := range random {
		seed ^= seed << 13
		seed ^= seed >> 7
		seed ^= seed << 17
		random[i] = 'a' + byte(seed%64)
	}
	if err := lib.Save(&library.Script{Name: "large", Source: string(random)}); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Error(err)
	}
	if err := lib.Delete("gone"); !errors.As(err, new(*library.NotFoundError)) {
		t.Error(err)
	}
}

func TestScriptsOfFiles(t *testing.T) {
	home(t)
	files := &catalog.Files{}
	if err := connect(t, Options{URL: clustertest.Server(t)}).Scripts(t.Context(), files); err != nil {
		t.Fatal(err)
	}
	saves(t, files.Scripts(), "daily", "Return(1)")
	if got := sourceOf(files.Scripts(), "daily"); got != "Return(1)" {
		t.Errorf("%q", got)
	}
}

func FuzzTake(f *testing.F) {
	s := &scripts{lib: library.Open(filepath.Join(f.TempDir(), "scripts")), last: map[string]uint64{}}
	f.Add(scriptKey("", "daily"), []byte{})
	f.Add(scriptKey(strings.Repeat("0a", 16), "a_b"), []byte("\x1f\x8b"))
	f.Add("script._2e2e.x", []byte("{}"))
	seq := uint64(0)
	f.Fuzz(func(t *testing.T, subject string, data []byte) {
		seq++
		s.take(subject, data, seq)
		s.lib.Each(func(of, name string) {
			if library.CheckName(name) != nil {
				t.Errorf("%q is taken", name)
			}
		})
	})
}
