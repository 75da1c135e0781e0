package approval_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/approval"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// asking records a run with asks, which ended with a status.
func asking(t *testing.T, s *store.Store, status string, asks ...*record.Ask) string {
	t.Helper()
	w, err := s.Begin(&record.Begin{Script: record.String("package main\n"), Subject: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range asks {
		a.A, a.Tool, a.Class, a.Place = fmt.Sprint(i+1), "shop.buy", record.Effect, "3:1"
		a.Args, a.Until = record.Raw([]byte(`{"item":"a<b"}`)), time.Now().Add(time.Hour)
		if err := w.Add(a); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Add(&record.End{Status: status}), w.Close()); err != nil {
		t.Fatal(err)
	}
	return w.ID()
}

func listed(t *testing.T, s *store.Store) (ids []string) {
	t.Helper()
	for c, err := range approval.List(t.Context(), s, nil) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, c.ID)
	}
	return ids
}

func TestACallIsListedUntilItIsAnsweredOrItsRunIsClosed(t *testing.T) {
	s := store.Memory(10, nil)
	run := asking(t, s, "waiting", &record.Ask{}, &record.Ask{})
	closed := asking(t, s, "canceled", &record.Ask{})
	if got, want := fmt.Sprint(listed(t, s)), fmt.Sprintf("[%s.1 %s.2]", run, run); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if r, err := s.Load(closed); err != nil || len(approval.Open(r)) != 0 {
		t.Errorf("a closed run: %v", err)
	}
	if _, err := approval.Load(s, run); !errors.Is(err, store.ErrAmbiguous) {
		t.Errorf("a run with two: %v", err)
	}
	if err := s.Answer(run+".1", &record.Answer{Yes: true}); err != nil {
		t.Fatal(err)
	}
	if c, err := approval.Load(s, run); err != nil || c.ID != run+".2" || c.Run.Subject != "ann" {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := approval.Load(s, run+".1"); err != nil || c.State(time.Now()) != record.Granted {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestACallAsCommandsPrintIt(t *testing.T) {
	s := store.Memory(10, nil)
	run := asking(t, s, "waiting", &record.Ask{Why: "a rule", AllCalls: true, Path: "2:1#1"})
	c, err := approval.Load(s, run)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	until, _ := json.Marshal(c.Until)
	want := fmt.Sprintf(`{"id":"%s.1","run":"%s","tool":"shop.buy","class":"effect","args":{"item":"a\u003cb"},"why":"a rule",`+
		`"line":3,"path":"2:1#1","until":%s,"whole":true}`, run, run, until)
	if string(got) != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	h := c.Head()
	if !h.Args.IsZero() || h.Record != nil || h.ID != c.ID || h.Tool != c.Tool || c.Args.IsZero() {
		t.Errorf("%+v of %+v", h, c)
	}
}
