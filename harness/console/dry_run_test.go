package console

import (
	"fmt"
	"testing"

	"github.com/usetools/usetools/harness/approval"
	"github.com/usetools/usetools/harness/present"
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
	if rows := q.ledger()[0].(*present.Table).Rows; q.More != 7 || len(rows) != maxRows || string(rows[1].Quote) != `{"n":1}` {
		t.Errorf("%d shown, %d more", len(rows), q.More)
	}
	run.Calls[1].Guess.Args.JSON = fmt.Appendf(nil, `"%0*d"`, maxArguments, 1)
	q = &question{Call: &approval.Call{Record: run}}
	if rows := q.ledger()[0].(*present.Table).Rows; q.More != maxRows+6 || len(rows) != 1 {
		t.Errorf("large arguments: %d shown, %d more", len(rows), q.More)
	}
}
