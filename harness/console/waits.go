package console

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

const (
	// waitsSince is how old runs may be whose calls wait for a person.
	waitsSince = 31 * 24 * time.Hour
	// maxAsked of the calls that wait are listed, the oldest.
	maxAsked = 1000
)

// waitingAsk is a call that waits for a person.
type waitingAsk struct {
	ID       string // of the approval
	A        string // of the ask, in its run
	Run      *record.Summary
	Tool     string // "": all calls of a dry run
	Place    string
	Time     time.Time
	Question bool // its server asks something in the middle of it
}

// waitCount is how many calls wait, and of how many runs.
type waitCount struct{ Calls, Runs int }

func newWaitingAsk(run *record.Summary, a *record.Asked) *waitingAsk {
	return &waitingAsk{record.ApprovalID(run.ID, a.A), a.A, run, a.Tool, a.Place, a.Time, a.Question != nil}
}

// waitingAsks returns the calls that wait for a person in runs of the last month: those
// that listed chooses by the subject of their run, the oldest first, at most maxAsked of
// them; and how many there are of each subject. A record that cannot be read has none.
func waitingAsks(ctx context.Context, records *store.Store, subject *string, listed func(subject string) bool) ([]*waitingAsk, map[string]waitCount) {
	var asks []*waitingAsk
	oldest := func() {
		slices.SortStableFunc(asks, func(a, b *waitingAsk) int { return a.Time.Compare(b.Time) })
		asks = asks[:min(len(asks), maxAsked)]
	}
	of, run := map[string]waitCount{}, ""
	for p, err := range records.Pending(ctx, &store.Filter{Subject: subject, Since: time.Now().Add(-waitsSince), Bytes: maxShownRecord}) {
		if err != nil {
			continue
		}
		n := of[p.Run.Subject]
		if n.Calls++; p.Run.ID != run {
			n.Runs++
		}
		of[p.Run.Subject], run = n, p.Run.ID
		if !listed(p.Run.Subject) {
			continue
		}
		if asks = append(asks, newWaitingAsk(p.Run, p.Asked)); len(asks) > 10*maxAsked {
			oldest()
		}
	}
	oldest()
	return asks, of
}

// kin is what calls have in common that are shown together: the run, the tool and the
// place in the script. A server's question and the calls of a dry run stand alone.
func (a *waitingAsk) kin() string {
	if a.Question || a.A == record.Ledger {
		return a.ID
	}
	return fmt.Sprintf("%s %q %q", a.Run.ID, a.Tool, a.Place)
}

// grouped puts calls together that are shown together, in the order of the first of each.
func grouped(asks []*waitingAsk) (groups [][]*waitingAsk) {
	at := map[string]int{}
	for _, a := range asks {
		i, ok := at[a.kin()]
		if !ok {
			i, at[a.kin()] = len(groups), len(groups)
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], a)
	}
	return groups
}
