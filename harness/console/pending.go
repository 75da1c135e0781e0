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
	// waitsSince is the maximum age of runs whose pending calls are listed.
	waitsSince = 31 * 24 * time.Hour
	// maxAsked limits the list of calls; it keeps the oldest.
	maxAsked = 1000
)

// waitCount counts pending calls and their runs.
type waitCount struct{ Calls, Runs int }

// waitingCalls returns the pending calls of last month's runs whose subject satisfies listed: at
// most maxAsked, oldest first. It also counts the pending calls of each subject. It skips
// unreadable records.
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

// groupKey returns a key that calls shown together share: their run, tool and place in the script. A
// server's question, the calls of a dry run, and a call that needs approval because of the origins
// of its values are shown alone.
func groupKey(a *approval.Call) string {
	if a.Question != nil || a.IsLedger() || a.Flow {
		return a.ID
	}
	return fmt.Sprintf("%s %q %q", a.Run.ID, a.Tool, a.Place)
}

// grouped groups the calls that are shown together, ordered by the first call of each group.
func grouped(calls []*approval.Call) (groups [][]*approval.Call) {
	at := map[string]int{}
	for _, a := range calls {
		i, ok := at[groupKey(a)]
		if !ok {
			i, at[groupKey(a)] = len(groups), len(groups)
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], a)
	}
	return groups
}
