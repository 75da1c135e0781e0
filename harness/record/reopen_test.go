package record_test

import (
	"errors"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/record"
)

// waiting begins a run that asks for a call and ends so, and returns the approval's ID.
func waiting(t *testing.T, s *record.Store) (run, approval string) {
	t.Helper()
	w, err := s.Begin(&record.Begin{Script: record.String("package main\n")})
	if err != nil {
		t.Fatal(err)
	}
	add(t, w, &record.Call{N: 1, Place: "3:1", Class: record.Effect, Tool: "crm.add", Args: record.Raw([]byte(`{"a":1}`))})
	add(t, w, &record.Done{N: 1, Kind: record.Answered, Result: record.Raw([]byte(`{}`))})
	add(t, w, &record.Ask{A: "1", Place: "4:1", Class: record.Effect, Tool: "mail.send",
		Args: record.Raw([]byte(`{"to":"x"}`)), Until: time.Now().Add(time.Hour)})
	add(t, w, &record.End{Status: "waiting", ExitCode: 75})
	if err := errors.Join(w.Sync(), w.Close()); err != nil {
		t.Fatal(err)
	}
	return w.ID(), w.ID() + ".1"
}

func TestARunThatWaitsGoesOnAfterTheYes(t *testing.T) {
	for name, s := range stores(t, nil) {
		t.Run(name, func(t *testing.T) {
			run, id := waiting(t, s)
			var pending []*record.Pending
			for p, err := range s.Pending(t.Context(), nil) {
				if err != nil {
					t.Fatal(err)
				}
				pending = append(pending, p)
			}
			if len(pending) != 1 || pending[0].ID != id || pending[0].Tool != "mail.send" {
				t.Fatalf("%+v", pending)
			}
			if err := s.Answer(id[:5], &record.Answer{Yes: true, Who: "ann"}); err != nil {
				t.Fatal(err)
			}
			err := s.Answer(id, &record.Answer{Who: "bob"})
			var said *record.AnsweredError
			if !errors.Is(err, record.ErrAnswered) || !errors.As(err, &said) || said.Answer.Who != "ann" || !said.Answer.Yes {
				t.Fatal(err)
			}
			w, r, err := s.Reopen(run, &record.ReopenOptions{Who: "ann"})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if _, _, err := s.Reopen(run, nil); !errors.Is(err, record.ErrRunning) {
				t.Errorf("a second owner: %v", err)
			}
			g, err := record.Resume(r, nil)
			if err != nil {
				t.Fatal(err)
			}
			if a, ok := g.Ask(&record.Question{N: 1, Place: "3:1", Tool: "crm.add", Args: `{"a":1}`, Alone: true}); !ok || a.Made.N != 1 {
				t.Fatal(a, ok)
			}
			if _, ok := g.Ask(&record.Question{N: 2, Place: "4:1", Tool: "mail.send", Args: `{"to":"x"}`, Alone: true}); ok {
				t.Fatal("it is not in the record")
			}
			if n := g.Still(time.Time{}); !n.Live {
				t.Fatalf("%+v", n)
			}
			a := g.AskFor("", "4:1", "mail.send", `{"to":"x"}`)
			if a == nil || a.State(time.Now()) != record.Granted || a.Answer.Who != "ann" {
				t.Fatalf("%+v", a)
			}
			add(t, w, &record.Call{N: 2, Ask: a.A, Place: "4:1", Class: record.Effect, Tool: "mail.send", Attempt: 2,
				Args: record.Raw([]byte(`{"to":"x"}`))})
			add(t, w, &record.Done{N: 2, Kind: record.Answered, Result: record.Raw([]byte(`{}`))})
			add(t, w, &record.End{Status: "ok"})
			if err := errors.Join(w.Sync(), w.Close()); err != nil {
				t.Fatal(err)
			}
			if r, err = s.Load(run); err != nil {
				t.Fatal(err)
			}
			if r.Damaged != nil || len(r.Ended) != 1 || r.End.Attempts != 2 || r.End.Calls != 2 || len(r.Forged) != 0 ||
				r.Asks[0].State(time.Now()) != record.Sent || len(r.Unknown()) != 0 {
				t.Errorf("%+v", r)
			}
		})
	}
}
