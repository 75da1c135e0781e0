package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// TestTimeDoesNotRunBack sets the clock back and forward by days between any two
// steps of a run that asks, is answered, goes on and is settled. The record stays
// whole, what has expired stays so, and nothing that was used up is good again.
func TestTimeDoesNotRunBack(t *testing.T) {
	for name, s := range stores(t, nil) {
		for seed := range uint64(unsteadyRuns) {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) { unsteady(t, s, seed) })
		}
	}
}

func unsteady(t *testing.T, s *store.Store, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 11))
	start := time.Now()
	now := start
	store.SetClock(s, func() time.Time {
		now = start.Add(time.Duration(random.Int64N(int64(20*24*time.Hour))) - 10*24*time.Hour)
		return now
	})
	w, err := s.Begin(&record.Begin{})
	if err != nil {
		t.Fatal(err)
	}
	run := w.ID()
	add(t, w, &record.Call{N: 1, Class: record.Effect, Tool: "a.b", Args: record.Raw([]byte("{}"))})
	until := w.Last().Add(5 * 24 * time.Hour)
	add(t, w, &record.Ask{A: "1", Tool: "a.b", Args: record.Raw([]byte("{}")), Until: until})
	add(t, w, &record.End{Status: "uncertain"})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var last time.Time
	over, used := false, false // the ask's time; its yes
	look := func(r *record.Run) {
		t.Helper()
		if r.Damaged != nil || r.Torn != 0 {
			t.Fatal(r.Damaged)
		}
		end := record.When(r.Lines[len(r.Lines)-1])
		if end.Before(last) {
			t.Fatalf("time runs back, from %s to %s", last, end)
		}
		last = end
		if over = over || last.After(until); over && len(r.Open()) > 0 {
			t.Fatal("what has expired is open")
		}
		if s := r.Asks[0].State(later(last, now)); used && s != record.Sent || over && !used && s == record.Granted {
			t.Fatalf("over %v, used %v, and it is %s", over, used, s)
		}
	}
	for range 12 {
		r, err := s.Load(run)
		if err != nil {
			t.Fatal(err)
		}
		look(r)
		switch random.IntN(4) {
		case 0:
			if err := s.Answer(run+".1", &record.Answer{Yes: true}); err == nil && over {
				t.Fatal("what has expired was answered")
			}
		case 1:
			sent := record.When(r.Lines[1])
			err := s.Settle(run, &record.Settle{N: 1}, 24*time.Hour)
			if err != nil && !errors.Is(err, store.ErrTooEarly) && !errors.Is(err, store.ErrNotUnknown) {
				t.Fatal(err)
			}
			if err != nil {
				continue
			}
			r, err := s.Load(run)
			if err != nil {
				t.Fatal(err)
			}
			if !record.When(r.Lines[len(r.Lines)-1]).After(sent.Add(24 * time.Hour)) {
				t.Fatal("it was too early to say that it did not happen")
			}
		default:
			w, r, err := s.Reopen(run, nil)
			if err != nil {
				t.Fatal(err)
			}
			look(r)
			if g, err := record.Resume(r, nil); err == nil && !used {
				a := g.AskFor("", "", "a.b", "{}")
				if a != nil && a.State(later(w.Last(), now)) == record.Granted {
					used = true
					add(t, w, &record.Call{N: 2, Class: record.Effect, Ask: "1", Tool: "a.b", Args: record.Raw([]byte("{}"))})
					add(t, w, &record.Done{N: 2, Kind: record.Answered})
				}
			} else if err == nil && g.AskFor("", "", "a.b", "{}") != nil {
				t.Fatal("what was used up is found again")
			}
			if random.IntN(2) == 0 {
				add(t, w, &record.End{Status: "uncertain"})
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
