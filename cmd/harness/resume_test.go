package main

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// A server may resume an answered run before approvals -resume does: the command then prints
// the result of that attempt.
func TestTheResultOfARunThatAServerResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := store.Memory(1, nil)
		w, err := s.Begin(&record.Begin{})
		if err != nil {
			t.Fatal(err)
		}
		end := func(status outcome.Status) {
			t.Helper()
			if err := errors.Join(w.Add(&record.End{Status: string(status)}), w.Close()); err != nil {
				t.Fatal(err)
			}
		}
		end(outcome.Waiting)
		asked, err := s.Load(w.ID())
		if err != nil {
			t.Fatal(err)
		}
		if res, err := resumedElsewhere(t.Context(), s, asked, store.ErrEnded); res != nil || err != store.ErrEnded {
			t.Errorf("no server resumed it: %+v, %v", res, err)
		}
		if w, _, err = s.Reopen(w.ID(), nil); err != nil {
			t.Fatal(err)
		}
		got := make(chan *outcome.Result, 1)
		go func() {
			res, err := resumedElsewhere(t.Context(), s, asked, store.ErrRunning)
			if err != nil {
				t.Error(err)
			}
			got <- res
		}()
		synctest.Wait()
		end(outcome.OK)
		if res := <-got; res == nil || res.Status != outcome.OK {
			t.Errorf("%+v", res)
		}
	})
}
