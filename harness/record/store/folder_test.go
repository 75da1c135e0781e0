package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// ended makes the record of a run that has ended.
func ended(t *testing.T, s *store.Store, b *record.Begin, lines ...record.Line) string {
	t.Helper()
	w, err := s.Begin(b)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		add(t, w, l)
	}
	add(t, w, &record.End{Status: "ok"})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.ID()
}

func ids(all []*record.Summary) []string {
	var ids []string
	for _, s := range all {
		ids = append(ids, s.ID)
	}
	return ids
}

func TestAFilterChoosesRuns(t *testing.T) {
	alice := "alice"
	for name, s := range stores(t, nil) {
		t.Run(name, func(t *testing.T) {
			a := ended(t, s, &record.Begin{Name: "daily", Subject: alice, Session: "s1",
				Script: record.String("// It's Über.\n")},
				&record.Call{N: 1, Tool: "git.log", Args: record.Raw([]byte(`{"path":"a/b\u0041"}`))})
			b := ended(t, s, &record.Begin{}, &record.Note{Stdout: `say "hello" to <x>`},
				&record.Tools{Phrases: []byte(`[{"phrase":"find the log"}]`)},
				&record.Tools{Path: "1:1", Phrases: []byte(`[{"phrase":"of a script that it ran"}]`)},
				&record.Call{N: 1, Tool: "github.com.list", Args: record.Raw([]byte(`{}`))},
				&record.Done{N: 1, Failed: true, Error: "no such repository"})
			w, err := s.Begin(&record.Begin{Script: record.String(strings.Repeat("x", record.MaxInline) + "the end")})
			if err != nil {
				t.Fatal(err)
			}
			c := w.ID()
			r, err := s.Load(b)
			if err != nil {
				t.Fatal(err)
			}
			for _, test := range []struct {
				filter store.Filter
				want   []string
			}{
				{store.Filter{}, []string{c, b, a}},
				{store.Filter{Limit: 2}, []string{c, b}},
				{store.Filter{Status: []string{"ok"}}, []string{b, a}},
				{store.Filter{Status: []string{"died", "running"}}, []string{c}},
				{store.Filter{Tool: "git.log"}, []string{a}},
				{store.Filter{Tool: "git.*"}, []string{a}},
				{store.Filter{Tool: "git"}, []string{a}},
				{store.Filter{Tool: "github.com"}, []string{b}},
				{store.Filter{Tool: "git*"}, []string{b, a}},
				{store.Filter{Server: "git"}, []string{a}},
				{store.Filter{Server: "github.com"}, []string{b}},
				{store.Filter{Script: "daily"}, []string{a}},
				{store.Filter{Session: "s1"}, []string{a}},
				{store.Filter{Subject: &alice}, []string{a}},
				{store.Filter{Subject: new(string)}, []string{c, b}},
				{store.Filter{Since: r.Begin.Time}, []string{c, b}},
				{store.Filter{Until: r.Begin.Time}, []string{b, a}},
				{store.Filter{Text: "IT'S ü"}, []string{a}},
				{store.Filter{Text: "a/bA"}, []string{a}},
				{store.Filter{Text: `"HELLO" to <`}, []string{b}},
				{store.Filter{Text: "the end"}, []string{c}},
				{store.Filter{Text: "no such"}, []string{b}},
				{store.Filter{Text: "the log"}, []string{b}},
				{store.Filter{Text: "git.log"}, nil},
				{store.Filter{Before: c}, []string{b, a}},
				{store.Filter{Before: b, Limit: 1}, []string{a}},
				{store.Filter{Before: a}, nil},
			} {
				if diff := cmp.Diff(test.want, ids(list(t, s, &test.filter))); diff != "" {
					t.Errorf("%+v: %s", test.filter, diff)
				}
			}
			for _, err := range s.List(t.Context(), &store.Filter{Before: "0000000000"}) {
				if !errors.Is(err, store.ErrNotFound) {
					t.Error(err)
				}
			}
			for _, sum := range list(t, s, nil) {
				if r, err := s.LoadListed(sum, 1<<20); err != nil || r.Begin.ID != sum.ID {
					t.Error(err)
				}
				if _, err := s.LoadListed(sum, 10); !errors.Is(err, store.ErrLarge) {
					t.Error(err)
				}
				sum.ID = "0000000000"
				if _, err := s.LoadListed(sum, 1<<20); !errors.Is(err, store.ErrNotFound) {
					t.Error(err)
				}
			}
			got := list(t, s, &store.Filter{Tool: "github.com"})[0]
			if s := fmt.Sprintf("%d %d %s", got.Calls, got.Failed, got.Title); s != "1 1 find the log" {
				t.Error(s)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestAnIDMayBeCutShort(t *testing.T) {
	s := store.Memory(100, nil)
	for range 40 { // two of them begin with the same character
		ended(t, s, &record.Begin{})
	}
	all := ids(list(t, s, nil))
	if r, err := s.Load(all[7]); err != nil || r.Begin.ID != all[7] {
		t.Errorf("%v", err)
	}
	first := map[byte]int{}
	for _, id := range all {
		first[id[0]]++
	}
	for c, n := range first {
		_, err := s.Load(string(c))
		if (n == 1) != (err == nil) || n > 1 && !strings.Contains(err.Error(), fmt.Sprintf("the IDs of %d runs", n)) {
			t.Errorf("%d begin with %c: %v", n, c, err)
		}
	}
	for _, id := range []string{"", "u", "../x"} {
		if _, err := s.Load(id); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestFilesAreTheUsersOwn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no modes there")
	}
	dir := filepath.Join(t.TempDir(), "a", "b")
	s, err := store.Open(dir, &store.StoreOptions{Unkept: func(string) bool { return true }})
	if err != nil {
		t.Fatal(err)
	}
	id := ended(t, s, &record.Begin{Script: record.String(strings.Repeat("x", record.MaxInline))},
		&record.Call{Args: record.Raw([]byte("{}"))})
	var got []string
	filepath.Walk(dir, func(path string, st os.FileInfo, err error) error {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, st.Mode().String()+" "+filepath.Ext(strings.ReplaceAll(path, id, "")))
		return nil
	})
	want := []string{"drwx------ ", "drwx------ .run", "-rw------- ", "-rw------- .jsonl", "-rw------- "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestARecordIsReadFromItsFile(t *testing.T) {
	to := t.TempDir()
	kept := filepath.Join(to, "kept.run.jsonl")
	for name, s := range stores(t, nil) {
		script := record.String(strings.Repeat(name, record.MaxInline))
		from, err := s.Load(ended(t, s, &record.Begin{Script: script}))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Copy(from.Begin.ID, kept); err != nil {
			t.Fatal(err)
		}
		r, err := store.LoadFile(kept)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := r.Value(r.Begin.Script); err != nil || string(b) != string(script.JSON) {
			t.Errorf("%d bytes, %v", len(b), err)
		}
		if diff := cmp.Diff(from.Lines, r.Lines); diff != "" {
			t.Error(diff)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(to, "kept.run", "*")); len(left) != 1 {
		t.Errorf("what was there is left: %v", left)
	}
	for _, path := range []string{to, filepath.Join(to, "none.run.jsonl"), filepath.Join(to, "kept.run")} {
		if _, err := store.LoadFile(path); err == nil {
			t.Errorf("%s was read", path)
		}
	}
}

func TestPruningKeepsWhatIsYoungAndFits(t *testing.T) {
	dir := t.TempDir()
	open := func(o store.StoreOptions) *store.Store {
		s, err := store.Open(dir, &o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open(store.StoreOptions{})
	large := record.String(strings.Repeat("x", 100<<10))
	var want []string
	for range 6 {
		want = append([]string{ended(t, s, &record.Begin{Script: large})}, want...)
	}
	w, err := s.Begin(&record.Begin{Script: large})
	if err != nil {
		t.Fatal(err)
	}
	want = append([]string{w.ID()}, want...)
	check := func(o store.StoreOptions, n int) {
		t.Helper()
		if err := open(o).Prune(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want[:n], ids(list(t, s, nil)), cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
		values, _ := filepath.Glob(filepath.Join(dir, "*.run"))
		if len(values) != n {
			t.Errorf("%d records have values beside them: %v", n, values)
		}
	}
	check(store.StoreOptions{}, 7)
	check(store.StoreOptions{Age: time.Hour, Bytes: 1 << 30}, 7)
	check(store.StoreOptions{Bytes: 450 << 10}, 4)
	err = s.Remove(want[3], want[0], "none", want[2])
	if !errors.Is(err, store.ErrRunning) || !errors.Is(err, store.ErrNotFound) {
		t.Errorf("removing: %v", err)
	}
	check(store.StoreOptions{}, 2)
	check(store.StoreOptions{Age: time.Nanosecond, Bytes: 1}, 1)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	check(store.StoreOptions{Age: time.Nanosecond}, 0)
}

// TestPruningTidies has what killed writers leave: a record without a first line,
// and values without a record.
func TestPruningTidies(t *testing.T) {
	s := stores(t, nil)["folder"]
	name := func(n int, ext string) string {
		return filepath.Join(s.Dir(), fmt.Sprintf("20300101T000000.000000Z-000000000%d%s", n, ext))
	}
	old := time.Now().Add(-time.Hour)
	for _, file := range []string{name(1, ".run.jsonl.new"), name(2, ".run.jsonl.new"),
		filepath.Join(s.Dir(), "mine.run.jsonl.new")} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{name(1, ".run"), name(2, ".run"), name(3, ".run"), filepath.Join(s.Dir(), "mine.run")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(name(1, ".run.jsonl.new"), old, old); err != nil {
		t.Fatal(err)
	}
	if err := s.Prune(); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(s.Dir(), "*"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{name(2, ".run"), name(2, ".run.jsonl.new"), filepath.Join(s.Dir(), "mine.run"),
		filepath.Join(s.Dir(), "mine.run.jsonl.new")}
	if diff := cmp.Diff(want, left); diff != "" {
		t.Error(diff)
	}
}

func TestMemoryHasTheLatestRuns(t *testing.T) {
	s := store.Memory(3, nil)
	w, err := s.Begin(&record.Begin{}) // under way all the time
	if err != nil {
		t.Fatal(err)
	}
	want := []string{w.ID()}
	for range 5 {
		want = append(want, ended(t, s, &record.Begin{}))
	}
	got := ids(list(t, s, nil))
	if diff := cmp.Diff([]string{want[5], want[4], want[3], want[0]}, got); diff != "" {
		t.Error(diff)
	}
	// What is too large is not kept, and harms no other.
	for range 20 {
		add(t, w, &record.Done{Result: record.String(strings.Repeat("x", 1<<20) + fmt.Sprint(time.Now()))})
	}
	add(t, w, &record.End{Status: "ok"})
	if err := errors.Join(w.Sync(), w.Close()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{want[5], want[4], want[3]}, ids(list(t, s, nil))); diff != "" {
		t.Error(diff)
	}
	if _, err := s.Load(w.ID()); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("it is kept: %v", err)
	}
}

func TestManyWritersAtOnce(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 4 {
		s, err := store.Open(dir, &store.StoreOptions{Redact: hide, Age: time.Hour,
			Unkept: func(tool string) bool { return tool == "x" }})
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			wg.Go(func() {
				w, err := s.Begin(&record.Begin{})
				if err != nil {
					t.Error(err)
					return
				}
				var calls sync.WaitGroup
				for n := range 20 {
					calls.Go(func() {
						err := errors.Join(w.Add(&record.Call{N: n, Tool: "x", Args: record.Raw([]byte("{}"))}), w.Sync(),
							w.Add(&record.Done{N: n, Result: record.String(secrets[0])}))
						if err != nil {
							t.Error(err)
						}
					})
				}
				calls.Wait()
				if err := errors.Join(w.Add(&record.End{Status: "ok"}), w.Close(), s.Prune()); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()
	s, err := store.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := list(t, s, nil)
	if len(all) != 16 {
		t.Errorf("%d runs of 16", len(all))
	}
	digests := map[string]bool{} // all have one key
	for _, sum := range all {
		r, err := s.Load(sum.ID)
		if err != nil || r.Damaged != nil || r.Torn != 0 || len(r.Calls) != 20 {
			t.Errorf("%v, %+v", err, r)
		}
		for _, m := range r.Calls {
			digests[m.Args.SHA256] = true
		}
	}
	if len(digests) != 1 {
		t.Errorf("one value has %d digests", len(digests))
	}
}

// TestPruningHarmsNobodyAtWork prunes a folder in which others write and read.
func TestPruningHarmsNobodyAtWork(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 4 {
		s, err := store.Open(dir, &store.StoreOptions{Bytes: 1})
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			for range 30 {
				w, err := s.Begin(&record.Begin{Script: record.String(strings.Repeat("x", record.MaxInline))})
				if err != nil {
					t.Error(err)
					return
				}
				if err := s.Prune(); err != nil {
					t.Error(err)
				}
				r, err := s.Load(w.ID())
				if err == nil {
					_, err = r.Value(r.Begin.Script)
				}
				if err != nil || !r.Running {
					t.Errorf("a run under way: %v", err)
				}
				if err := errors.Join(w.Add(&record.End{Status: "ok"}), w.Close()); err != nil {
					t.Error(err)
				}
				for _, err := range s.List(t.Context(), &store.Filter{Text: "xx"}) {
					if err != nil {
						t.Error(err)
					}
				}
				if err := s.Remove(w.ID()); err != nil && !errors.Is(err, store.ErrNotFound) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestRunsAreFollowed(t *testing.T) {
	for name, s := range stores(t, nil) {
		t.Run(name, func(t *testing.T) {
			ended(t, s, &record.Begin{Name: "before"})
			first, err := s.Begin(&record.Begin{Name: "first"})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // it takes as long only if it fails
			defer cancel()
			follow := s.Follow(ctx, nil)
			second, err := s.Begin(&record.Begin{Name: "second"})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for sum, err := range follow {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, sum.Name+" "+sum.Status)
				switch len(got) {
				case 1:
					add(t, first, &record.End{Status: "ok"})
					first.Close()
				case 2:
					second.Close() // without an End
				case 3:
					cancel()
				}
			}
			if diff := cmp.Diff([]string{"second running", "first ok", "second died"}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestARecordThatIsRemovedIsNotSynced(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Begin(&record.Begin{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Sync(); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.run.jsonl"))
	if err := os.Remove(files[0]); err != nil {
		t.Skip("open files cannot be removed here:", err)
	}
	add(t, w, &record.Note{Stdout: "a"})
	if err := w.Sync(); err == nil || !strings.Contains(err.Error(), "its file was removed") {
		t.Errorf("got %v", err)
	}
}
