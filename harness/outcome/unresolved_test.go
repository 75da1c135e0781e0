package outcome_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

func TestAnUnresolvedCallHasAllFactsAndTheNextSteps(t *testing.T) {
	s := store.Memory(1, nil)
	w, err := s.Begin(&record.Begin{Script: record.String("mail.Send(a)\nmail.Send(b)\n")})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []record.Line{
		&record.Call{N: 1, Place: "2:1", Class: record.Effect, Tool: "mail.send", Ask: "1", Key: "k7", Args: record.Raw([]byte(`{"to":"ann"}`)), Attempt: 2},
		&record.Done{N: 1, Kind: record.Uncertain, Error: "connection\x1b[2J reset", Cut: true},
		&record.End{Status: "uncertain"}} {
		err = errors.Join(err, w.Add(l))
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	shown := func() string {
		r, err := s.Load(w.ID())
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		doc := outcome.UnresolvedDocument(r, &outcome.Next{Command: func(args ...string) string { return "harness " + strings.Join(args, " ") }})
		if err := doc.Terminal(&b, &present.Options{Width: 100}); err != nil {
			t.Fatal(err)
		}
		return regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`).ReplaceAllString(strings.ReplaceAll(b.String(), w.ID(), "RUN"), "TIME")
	}
	const facts = `  outcome unknown: 1 effect call may have happened, or may still happen. Do not repeat it in any
  script: look first whether it happened
  call 1  mail.send  effect  line 2
    sent TIME in attempt 2: connection�[2J reset
    Idempotency-Key: k7
    approval: RUN.1
  │ {
  │   "to": "ann"
  │ }
`
	if d := cmp.Diff(facts+`  then a person settles it:
  harness runs settle RUN 1 happened -result JSON
  harness runs settle RUN 1 not
  after which the script resumes when it is sent again; or ends the run:
  harness runs close RUN
`, shown()); d != "" {
		t.Error(d)
	}
	if err := s.EndRun(w.ID(), "ann", ""); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(facts+"  the run is closed; it cannot be resumed\n", shown()); d != "" {
		t.Error(d)
	}
}
