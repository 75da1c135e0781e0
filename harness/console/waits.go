package console

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/usetools/usetools/harness/approval"
	"github.com/usetools/usetools/harness/record/store"
)

const (
	// waitsSince is how old runs may be whose calls wait for a person.
	waitsSince = 31 * 24 * time.Hour
	// maxAsked of the calls that wait are listed, the oldest.
	maxAsked = 1000
)

// waitCount is how many calls wait, and of how many runs.
type waitCount struct{ Calls, Runs int }

// waitingCalls returns the calls that wait for a person in runs of the last month: those
// that listed chooses by the subject of their run, the oldest first, at most maxAsked of
// them; and how many there are of each subject. A record that cannot be read has none.
func waitingCalls(ctx context.Context, records *store.Store, subject *string, listed func(subject string) bool) ([]*approval.Call, map[string]waitCount) {
	var calls []*approval.Call
	oldest := func() {
		slices.SortStableFunc(calls, func(a, b *approval.Call) int { return a.Time.Compare(b.Time) })
		calls = calls[:min(len(calls), maxAsked)]
	}
	of, run := map[string]waitCount{}, ""
	for a, err := range approval.List(ctx, records, &store.Filter{Subject: subject, Since: time.Now().Add(-waitsSince), Bytes: maxShownRecord}) {
		if err != nil {
			continue
		}
		n := of[a.Run.Subject]
		if n.Calls++; a.Run.ID != run {
			n.Runs++
		}
		of[a.Run.Subject], run = n, a.Run.ID
		if !listed(a.Run.Subject) {
			continue
		}
		if calls = append(calls, a.Head()); len(calls) > 10*maxAsked {
			oldest()
		}
	}
	oldest()
	return calls, of
}

// kin is what calls have in common that are shown together: the run, the tool and the
// place in the script. A server's question and the calls of a dry run stand alone.
func kin(a *approval.Call) string {
	if a.Question != nil || a.IsLedger() {
		return a.ID
	}
	return fmt.Sprintf("%s %q %q", a.Run.ID, a.Tool, a.Place)
}

// grouped puts calls together that are shown together, in the order of the first of each.
func grouped(calls []*approval.Call) (groups [][]*approval.Call) {
	at := map[string]int{}
	for _, a := range calls {
		i, ok := at[kin(a)]
		if !ok {
			i, at[kin(a)] = len(groups), len(groups)
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], a)
	}
	return groups
}
