package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// again opens a store as another process does.
func again(t *testing.T, s *store.Store) *store.Store {
	t.Helper()
	other, err := store.Open(s.Dir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return other
}

// An index that is missing, cut or damaged anywhere, or that somebody replaced by
// something else, changes no list, and is good again after it.
func TestAListIsRightWhateverTheIndexIs(t *testing.T) {
	s := folder(t, nil)
	for i := range 20 {
		ended(t, s, &record.Begin{Name: fmt.Sprint("script-", i), Request: fmt.Sprint("request-", i), Subject: "ann", Once: fmt.Sprint(i)},
			&record.Call{N: 1, Tool: "git.log"}, &record.Done{N: 1, Kind: record.Answered})
	}
	want := list(t, s, nil)
	file := filepath.Join(s.Dir(), "index")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, b []byte) {
		t.Helper()
		if err := errors.Join(os.RemoveAll(file), os.WriteFile(file, b, 0o600)); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			s := again(t, s)
			if diff := cmp.Diff(want, list(t, s, nil)); diff != "" {
				t.Fatalf("%s: %s", what, diff)
			}
			if id, err := s.LatestOnce(t.Context(), "ann", "7"); id != want[len(want)-8].ID || err != nil {
				t.Fatalf("%s: %q, %v", what, id, err)
			}
		}
		now, err := os.ReadFile(file)
		if err != nil || bytes.Count(now, []byte("script-")) < 20 {
			t.Fatalf("%s: the index is not whole again: %v\n%s", what, err, now)
		}
	}
	check("whole", whole)
	check("empty", nil)
	check("no lines", []byte("x"))
	check("doubled", append(bytes.Clone(whole), whole...))
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		at := random.IntN(len(whole))
		check(fmt.Sprint("cut at ", at), whole[:at])
		b := bytes.Clone(whole)
		b[at] ^= 1 << random.IntN(8)
		check(fmt.Sprint("a bit of byte ", at), b)
	}
	if err := errors.Join(os.Remove(file), os.Mkdir(file, 0o700)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, list(t, again(t, s), nil)); diff != "" {
		t.Error(diff)
	}
}

func TestTheIndexFollowsItsRecords(t *testing.T) {
	s := folder(t, nil)
	id, _ := waiting(t, s)
	other := again(t, s)
	list(t, other, nil)
	if err := s.EndRun(id, "", ""); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*store.Store{s, other, again(t, s)} {
		if got := list(t, s, nil); len(got) != 1 || got[0].Status != "canceled" {
			t.Errorf("got %+v", got)
		}
	}
}

// Nothing of a record that was removed stays behind in the index.
func TestTheIndexForgetsWhatIsRemoved(t *testing.T) {
	s := folder(t, nil)
	stays := ended(t, s, &record.Begin{Name: "stays"})
	goes := ended(t, s, &record.Begin{Name: "goes"})
	list(t, again(t, s), nil)
	if err := s.Remove(goes); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(s.Dir(), "index"))
	if err != nil || strings.Contains(string(b), "goes") || !strings.Contains(string(b), stays) {
		t.Errorf("%v: %s", err, b)
	}
}

// Stores of one folder, as several processes have them, begin, list and remove at once.
func TestManyUseOneIndex(t *testing.T) {
	s := folder(t, nil)
	var all sync.WaitGroup
	for i := range 4 {
		s := again(t, s)
		all.Go(func() {
			for n := range 20 {
				name := fmt.Sprintf("%d-%d", i, n)
				w, err := s.Begin(&record.Begin{Name: name})
				if err == nil {
					err = errors.Join(w.Add(&record.End{Status: "ok"}), w.Close())
				}
				for sum, e := range s.List(t.Context(), &store.Filter{Script: name}) {
					if err = errors.Join(err, e); err == nil && n%2 == 1 {
						err = s.Remove(sum.ID)
					}
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	got := map[string]bool{}
	for _, sum := range list(t, again(t, s), nil) {
		got[sum.Name] = true
	}
	for i := range 4 {
		for n := range 20 {
			if name := fmt.Sprintf("%d-%d", i, n); got[name] != (n%2 == 0) {
				t.Errorf("%s is there: %v", name, got[name])
			}
		}
	}
}
