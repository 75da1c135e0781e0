package store_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/record/store"
)

// shared are the kinds of stores, by name; each call of one opens it anew, over the same
// records.
func shared(t *testing.T) map[string]func() *store.Store {
	dir, memory := t.TempDir(), store.Memory(1, nil)
	return map[string]func() *store.Store{
		"folder": func() *store.Store {
			s, err := store.Open(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
		"memory": func() *store.Store { return memory },
	}
}

// A text is claimed once by all stores of a folder, and again when its time is over.
func TestATextIsClaimedOnce(t *testing.T) {
	for name, open := range shared(t) {
		t.Run(name, func(t *testing.T) {
			until := time.Now().Add(time.Hour)
			var first atomic.Int32
			var wg sync.WaitGroup
			for range 8 {
				s := open()
				wg.Go(func() {
					ok, err := s.Once("approval x", until)
					if err != nil {
						t.Error(err)
					}
					if ok {
						first.Add(1)
					}
				})
			}
			wg.Wait()
			if n := first.Load(); n != 1 {
				t.Errorf("%d have claimed it", n)
			}
			s := open()
			if ok, err := s.Once("approval y", until); !ok || err != nil {
				t.Error("another text:", ok, err)
			}
			if _, err := s.Once("approval z", time.Now().Add(-time.Second)); err == nil {
				t.Error("claimed until a time that is over")
			}
			store.SetClock(s, func() time.Time { return until.Add(store.ClockSkew + time.Minute) })
			if ok, err := s.Once("approval z", until.Add(2*store.ClockSkew)); !ok || err != nil {
				t.Error("later:", ok, err)
			}
			store.SetClock(s, time.Now)
			if ok, err := s.Once("approval x", until); !ok || err != nil {
				t.Error("a claim that was over is not forgotten:", ok, err)
			}
			if err := s.Prune(); err != nil {
				t.Error(err)
			}
		})
	}
}
