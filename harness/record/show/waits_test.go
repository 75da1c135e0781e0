package show_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/show"
)

// stored is a run as a store gives it back.
func stored(t *testing.T, lines ...record.Line) (*record.Store, *record.Run) {
	t.Helper()
	s := record.Memory(1, nil)
	w, err := s.Begin(&record.Begin{Script: record.String("mail.Send(a)\nmail.Send(b)\n")})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		if a, ok := l.(*record.Ask); ok {
			a.Until = time.Now().Add(50 * time.Hour).Round(time.Second)
			a.Digest = record.AskDigest(w.ID(), a)
		}
		if err := w.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := s.Load(w.ID())
	if err != nil {
		t.Fatal(err)
	}
	return s, r
}

func has(t *testing.T, r *record.Run, want ...string) {
	t.Helper()
	var b bytes.Buffer
	if err := show.New(r).Text(&b, &show.Options{Width: 120, All: true}); err != nil {
		t.Fatal(err)
	}
	for _, w := range want {
		if w = strings.ReplaceAll(w, "RUN", r.Begin.ID); !strings.Contains(b.String(), w) {
			t.Errorf("no %q in %s", w, b.String())
		}
	}
}

func TestARunSaysWhatPeopleWereAsked(t *testing.T) {
	ask := func(a, args string) *record.Ask {
		return &record.Ask{A: a, Place: "2:1", Class: record.Effect, Tool: "mail.send", Why: "effect",
			Args: record.Raw([]byte(args))}
	}
	s, r := stored(t, ask("1", `{"to":"ann"}`), ask("2", `{"to":"bob"}`), ask("3", `{"to":"eve"}`),
		&record.End{Status: "waiting", ExitCode: 75})
	has(t, r, "asked of people\n  RUN.1  mail.send  to \"ann\"\n      line 2: effect\n      waits 2 days more\n",
		"  3 wait for a person: harness approvals show RUN\n")
	for id, a := range map[string]*record.Answer{".1": {Yes: true, Who: "ann", How: "approvals"},
		".2": {Who: "bob", How: "terminal", Word: "no"}} {
		if err := s.Answer(r.Begin.ID+id, a); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Load(r.Begin.ID)
	if err != nil {
		t.Fatal(err)
	}
	has(t, r, "\n      yes, by ann (approvals), ", "\n      no, by bob (terminal), ", "  one waits for a person")
	w, _, err := s.Reopen(r.Begin.ID, &record.ReopenOptions{Who: "joe"})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []record.Line{
		&record.Call{N: 1, Place: "2:1", Class: record.Effect, Tool: "mail.send", Ask: "1",
			Args: record.Raw([]byte(`{"to":"ann"}`)), Attempt: 2, Key: "k7"},
		&record.Done{N: 1, Kind: record.Uncertain, Error: "connection\x1b[2J reset", Cut: true},
		&record.End{Status: "uncertain"}} {
		if err := w.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if r, err = s.Load(r.Begin.ID); err != nil {
		t.Fatal(err)
	}
	has(t, r, "  attempt   2 began ", " by joe; the one before ended waiting\n", "; used by call 1\n",
		"\nnobody knows what became of 1 call\n  call 1  mail.send  effect\n  at        line 2\n",
		", in attempt 2\n  key       k7\n  approval  RUN.1\n  ended by  connection\\x1b[2J reset\n",
		"  │ {\"to\":\"ann\"}\n", "    harness runs settle RUN 1 happened -result JSON\n",
		"    harness runs settle RUN 1 not ",
		"    harness runs close RUN ")
	if err := s.Settle(r.Begin.ID, &record.Settle{N: 1, Happened: true, Who: "ann"}, 0); err != nil {
		t.Fatal(err)
	}
	if r, err = s.Load(r.Begin.ID); err != nil {
		t.Fatal(err)
	}
	has(t, r, "ann settled that it happened")
}
