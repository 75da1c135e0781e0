package console

import (
	"fmt"
	"testing"

	"github.com/usetools/usetools/harness/approval"
	"github.com/usetools/usetools/harness/record"
)

// Of a long ledger the first calls are shown, and it is said how many are not.
func TestALongLedgerIsBounded(t *testing.T) {
	run := &record.Run{Begin: &record.Begin{}}
	for i := range maxRows + 7 {
		g := &record.Guess{}
		g.Tool, g.Args = "mail.send_mail", record.Data{JSON: fmt.Appendf(nil, `{"n":%d}`, i)}
		run.Calls = append(run.Calls, &record.Made{Guess: g})
	}
	q := &question{Call: &approval.Call{Record: run}}
	q.ledger(func(string) string { return "" })
	if q.All != maxRows+7 || q.More != 7 || len(q.Calls) != maxRows || q.Calls[1].Args != `{"n":1}` {
		t.Errorf("%d calls, %d shown, %d more", q.All, len(q.Calls), q.More)
	}
	run.Calls[1].Guess.Args.Bytes = maxArguments + 1
	q = &question{Call: &approval.Call{Record: run}}
	if q.ledger(func(string) string { return "" }); q.More != maxRows+6 || len(q.Calls) != 1 {
		t.Errorf("large arguments: %d shown, %d more", len(q.Calls), q.More)
	}
}
