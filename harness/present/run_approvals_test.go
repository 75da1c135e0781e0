package present_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// stored is a run as a store gives it back.
func stored(t *testing.T, lines ...record.Line) (*store.Store, *record.Run) {
	t.Helper()
	s := store.Memory(1, nil)
	begin := &record.Begin{Script: record.String("mail.Send(a)\nmail.Send(b)\n")}
	if b, ok := lines[0].(*record.Begin); ok {
		begin, lines = b, lines[1:]
	}
	w, err := s.Begin(begin)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		if a, ok := l.(*record.Ask); ok {
			a.Until = time.Now().Add(50 * time.Hour).Round(time.Second)
			if a.A == record.Ledger {
				r, err := s.Load(w.ID())
				if err != nil {
					t.Fatal(err)
				}
				a.Hash = record.LedgerDigest(r)
			}
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
	if err := present.New(r).Text(&b, &present.Options{Width: 120, All: true}); err != nil {
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
	has(t, r, "approvals\n  RUN.1  mail.send  to \"ann\"\n    line 2: effect\n    expires in 2 days\n",
		"  3 calls need approval:\n  harness approvals show RUN\n")
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
	has(t, r, "\n    approved by ann (approvals), ", "\n    rejected by bob (terminal), ", "  1 call needs approval")
	w, _, err := s.Reopen(r.Begin.ID, &store.ReopenOptions{Who: "joe"})
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
	has(t, r, "  attempt   2 began ", " by joe; the previous attempt ended: waiting\n", "; used by call 1\n")
	if err := s.Settle(r.Begin.ID, &record.Settle{N: 1, Happened: true, Who: "ann"}, 0); err != nil {
		t.Fatal(err)
	}
	if r, err = s.Load(r.Begin.ID); err != nil {
		t.Fatal(err)
	}
	has(t, r, "ann reported that it happened")
}

func TestADryRunThatWentOnIsNoDryRun(t *testing.T) {
	effect := func(n int, to string) *record.Guess {
		return &record.Guess{N: n, Place: "1:1", Class: record.Effect, Tool: "mail.send",
			Args: record.Raw([]byte(`{"to":"` + to + `"}`)), Result: record.Raw([]byte(`{"content":[]}`))}
	}
	s, r := stored(t, &record.Begin{Script: record.String("mail.Send(a)\n"), Dry: true},
		&record.Tools{Tools: []record.Tool{{ID: "mail.send", Hash: "h"}}}, effect(1, "ann"), effect(2, "bob"), &record.Ask{A: record.Ledger, Why: "the calls of a dry run"},
		&record.End{Status: "ok"})
	has(t, r, "dry run: Read calls were sent", "  calls     none; 2 not sent\n", "made up")
	if err := s.Answer(r.Begin.ID, &record.Answer{Yes: true, Who: "ann"}); err != nil {
		t.Fatal(err)
	}
	w, _, err := s.Reopen(r.Begin.ID, &store.ReopenOptions{Live: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, to := range []string{"ann", "bob"} {
		for _, l := range []record.Line{
			&record.Call{N: 3 + i, Place: "1:1", Class: record.Effect, Tool: "mail.send", Ask: record.Ledger, Attempt: 2,
				Args: record.Raw([]byte(`{"to":"` + to + `"}`))},
			&record.Done{N: 3 + i, Kind: record.Answered, Result: record.Raw([]byte(`{"content":[]}`))}} {
			if err := w.Add(l); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(w.Add(&record.End{Status: "ok"}), w.Close()); err != nil {
		t.Fatal(err)
	}
	if r, err = s.Load(r.Begin.ID); err != nil {
		t.Fatal(err)
	}
	has(t, r, "resumed dry run", "  calls     2: 2 effect\n", "used by 2 calls: 3, 4\n")
	hasNot(t, r, "not sent", "made up")
}

// Of a closed run nothing is to be done.
func TestAClosedRunHasNoAdvice(t *testing.T) {
	s, r := stored(t, &record.Call{N: 1, Place: "1:1", Class: record.Effect, Tool: "mail.send"},
		&record.Done{N: 1, Kind: record.Uncertain, Error: "connection reset", Cut: true},
		&record.Ask{A: "1", Place: "2:1", Class: record.Effect, Tool: "mail.send", Why: "effect"},
		&record.End{Status: "uncertain"})
	has(t, r, "expires in 2 days", "1 call needs approval")
	if err := s.EndRun(r.Begin.ID, "ann", ""); err != nil {
		t.Fatal(err)
	}
	r, err := s.Load(r.Begin.ID)
	if err != nil {
		t.Fatal(err)
	}
	has(t, r, "not answered before the run was closed")
	hasNot(t, r, "settle", "runs close", "expires", "needs approval")
}

// A long value does not hide those behind it.
func TestALongValueIsCutInItself(t *testing.T) {
	long := strings.Repeat("x", 3000)
	for _, tc := range []struct {
		args, want string
		ascii      bool
	}{
		{`{"body":"` + long + `","to":"ann@example.com"}`, `body "xxxxxxxxxxxxxxxxxxx…, to "ann@example.com"`, false},
		{`{"body":"` + long + `","to":"ann@example.com"}`, `body "xxxxxxxxxxxxxxxxx..., to "ann@example.com"`, true},
		{`{"to":"ann","n":7}`, `to "ann", n 7`, false},
		{`"` + long + `"`, `"` + long[:57] + "…", false},
	} {
		got := present.Short(record.Raw([]byte(tc.args)), 59, tc.ascii)
		if !strings.HasPrefix(got, tc.want[:8]) || utf8.RuneCountInString(got) > 59 ||
			strings.Contains(tc.args, "ann@") != strings.Contains(got, `, to "ann@example.com"`) {
			t.Errorf("%.80s: %s, want something like %s", tc.args, got, tc.want)
		}
	}
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf(`"k%d":"%s"`, i, long[:100]))
	}
	if got := present.Short(record.Raw([]byte("{"+strings.Join(many, ",")+"}")), 80, false); !strings.HasPrefix(got,
		`k0 "xxxxxxxxxx…, k1 "`) || !strings.HasSuffix(got, "…") || utf8.RuneCountInString(got) != 80 {
		t.Errorf("%s", got)
	}
}

func hasNot(t *testing.T, r *record.Run, bad ...string) {
	t.Helper()
	shown := text(t, r, &present.Options{Width: 120, All: true})
	for _, b := range bad {
		if strings.Contains(shown, b) {
			t.Errorf("%q in %s", b, shown)
		}
	}
}
