package engine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
)

// asks has the calls of a run, including its saved scripts, that need a person.
type asks struct {
	run *record.Run // the resumed run; may be nil

	mu         sync.Mutex
	gate       *record.Gate                 // of run; may be nil
	number     int                          // of the last ask
	pending    []outcome.Pending            // pending
	unresolved []outcome.Unresolved         // unresolved calls
	doubts     map[string]string            // why an equal call may have been made, by tool and arguments
	rejections map[string]error             // rejections, by tool and arguments
	grants     map[string]*record.Asked     // approvals of all calls of a tool
	now        map[string]map[string]string // digests of the present definitions, by server and tool
	asked      int                          // number of questions of servers
	// diverged is the reason why the resumed run cannot follow its record, or nil.
	diverged error
}

func newAsks(run *record.Run, gate *record.Gate) *asks {
	a := &asks{run: run, gate: gate, doubts: map[string]string{}, rejections: map[string]error{},
		now: map[string]map[string]string{}, grants: map[string]*record.Asked{}}
	if run == nil {
		return a
	}
	for _, x := range run.Asks {
		if n, err := strconv.Atoi(x.Ask.A); err == nil {
			a.number = max(a.number, n)
		}
		if x.Answer != nil && x.Answer.Yes && x.Answer.AllCalls && x.AllCalls {
			a.grants[x.Tool] = x
		}
		if x.Question != nil {
			a.asked++
		}
	}
	for _, m := range run.Calls {
		if m.Call == nil || m.Call.Class == record.Read || m.Done == nil || m.Settle != nil {
			continue
		}
		if args, err := run.Value(m.Call.Args); err == nil {
			a.addDoubt(m.Call, m.Done.Kind, args)
		}
	}
	return a
}

// addDoubt remembers that a call may have been made although its script has no answer.
func (a *asks) addDoubt(line *record.Call, kind record.Kind, args json.RawMessage) {
	why := ""
	switch kind {
	case record.Unread:
		why = "was made, but its answer could not be read"
	case record.Uncertain:
		why = "may have been made: its outcome is unknown"
	default:
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.doubts[callKey(line.Tool, args)] = fmt.Sprintf("call %d with the same arguments %s", line.N, why)
}

// doubtAbout returns why a call must not be sent without approval: an equal call may have been
// made since the decision. Otherwise it returns "".
func (a *asks) doubtAbout(line *record.Call, args json.RawMessage) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	g := a.grants[line.Tool]
	if line.Ask != "" && (g == nil || g.Ask.A != line.Ask) {
		return ""
	}
	return a.doubts[callKey(line.Tool, args)]
}

func callKey(tool string, args json.RawMessage) string { return tool + "\x00" + string(args) }

// status returns the status of a run that ended with parked calls.
func (a *asks) status() outcome.Status {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.diverged != nil:
		return outcome.Diverged
	case len(a.unresolved) > 0:
		return outcome.Uncertain
	}
	return outcome.Waiting
}

// hasUnresolved reports whether a call is unresolved.
func (a *asks) hasUnresolved() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.unresolved) > 0
}

// fill adds the unresolved calls to the result and, if its status is Waiting or Uncertain,
// the pending ones.
func (a *asks) fill(res *outcome.Result) {
	a.mu.Lock()
	defer a.mu.Unlock()
	res.Unknown = a.unresolved
	if res.Unsettled() {
		res.Waiting = a.pending
	}
	slices.SortFunc(res.Waiting, func(x, y outcome.Pending) int {
		return cmp.Or(cmp.Compare(len(x.ID), len(y.ID)), cmp.Compare(x.ID, y.ID))
	})
	slices.SortFunc(res.Unknown, func(x, y outcome.Unresolved) int { return x.N - y.N })
}
