package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/internal/check"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/wrappers"
)

// asks are the calls of a run, and of those that it runs, for which a person is
// needed.
type asks struct {
	run *record.Run // that is gone on with; nil: it has just begun

	mu     sync.Mutex
	gate   *record.Gate                 // nil: it has just begun
	number int                          // of the last one
	open   []outcome.Pending            // that wait
	lost   []outcome.Unresolved         // of which nobody knows what became
	doubts map[string]string            // by tool and arguments: why an equal call may have been done
	noes   map[string]error             // by tool and arguments: what a person said
	whole  map[string]*record.Asked     // grants for all calls of a tool
	now    map[string]map[string]string // by server and tool: digests of the definitions of today
	asked  int                          // questions of servers
	// diverged is why the run cannot go on as it was; nil: it can.
	diverged error
}

func newAsks(run *record.Run, gate *record.Gate) *asks {
	a := &asks{run: run, gate: gate, doubts: map[string]string{}, noes: map[string]error{},
		now: map[string]map[string]string{}, whole: map[string]*record.Asked{}}
	if run == nil {
		return a
	}
	for _, x := range run.Asks {
		if n, err := strconv.Atoi(x.Ask.A); err == nil {
			a.number = max(a.number, n)
		}
		if x.Answer != nil && x.Answer.Yes && x.Answer.Whole && x.Whole {
			a.whole[x.Tool] = x
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
			a.doubt(m.Call, m.Done.Kind, args)
		}
	}
	return a
}

// doubt remembers that a call may have been done though its script has no answer.
func (a *asks) doubt(line *record.Call, kind record.Kind, args json.RawMessage) {
	why := ""
	switch kind {
	case record.Unread:
		why = "was done, and its answer could not be read"
	case record.Uncertain:
		why = "may have been done: nobody knows what became of it"
	default:
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.doubts[callKey(line.Tool, args)] = fmt.Sprintf("call %d, which is equal, %s", line.N, why)
}

// doubted says why a call is not to be sent that nobody has approved of: since it was
// decided on an equal one may have been done; "": none may.
func (a *asks) doubted(line *record.Call, args json.RawMessage) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	g := a.whole[line.Tool]
	if line.Ask != "" && (g == nil || g.Ask.A != line.Ask) {
		return ""
	}
	return a.doubts[callKey(line.Tool, args)]
}

func callKey(tool string, args json.RawMessage) string { return tool + "\x00" + string(args) }

// canWait reports whether a run can end and go on later: it is a script whose record
// is kept.
func (r *run) canWait() bool { return !r.direct && r.journal.Kept() }

// canAsk reports whether a run can wait for a person.
func (r *run) canAsk() bool { return r.canWait() && !r.script.NoAsk }

// approve returns the approval that a call uses up, "" where it needs none. The
// error is worker.ErrParked where the call waits for a person, or says why it is
// not to be sent.
//
// The yes is to be used until holds, where that is not zero.
func (r *run) approve(t *wrappers.Tool, line *record.Call, args registry.Args) (
	ask string, holds time.Time, err error) {
	none := holds
	d := r.bound.DecideCall(t, args)
	a := r.tree.asks
	a.mu.Lock()
	defer a.mu.Unlock()
	key := callKey(t.ID, args.JSON())
	doubt := ""
	if line.Class != record.Read {
		doubt = a.doubts[key]
	}
	if d.Verdict != policy.IsDenied && a.gate != nil { // what was asked is obeyed, whatever the policy of today says
		if x := a.gate.AskFor(line.Path, line.Place, t.ID, string(args.JSON())); x != nil {
			if err := r.answered(x, t); err != nil {
				if x.Answer != nil && !errors.Is(err, worker.ErrParked) {
					a.noes[key] = err
				}
				return x.Ask.A, none, err
			}
			return x.Ask.A, x.Answer.Until, nil
		}
	}
	switch {
	case d.Verdict == policy.IsDenied:
		return "", none, &worker.DeniedError{Reason: fmt.Sprintf("%s: %s", t.ID, d.Rule)}
	case d.Verdict != policy.NeedsApproval && doubt == "":
		return "", none, nil
	case a.noes[key] != nil: // whoever says no is not asked again
		return "", none, a.noes[key]
	case !r.canAsk() && doubt != "":
		return "", none, fmt.Errorf("not sent: %s; where a record of the run is kept (-state DIR) a person can be asked",
			doubt)
	case !r.canAsk():
		return "", none, &worker.DeniedError{Reason: fmt.Sprintf("%s: %s; where a record of the run is kept (-state DIR) "+
			"it can wait for a person", t.ID, d.Rule)}
	}
	want := &record.Ask{Path: line.Path, Place: line.Place, Class: line.Class, Tool: t.ID, Args: line.Args, Why: d.Rule,
		Hash: t.Hash, Server: r.serverDigest(t), Whole: d.Whole}
	if doubt != "" {
		want.Why, want.Whole = doubt, false
	} else if g := a.whole[t.ID]; g != nil && r.isStill(g.Ask, t) && r.journal.Now().Before(g.Answer.Until) {
		return g.Ask.A, g.Answer.Until, nil
	}
	a.number++
	want.A = strconv.Itoa(a.number)
	want.Until = r.journal.Now().Add(cmp.Or(d.For, policy.AskFor)).UTC().Truncate(time.Second)
	if err := r.journal.Add(want); err != nil {
		return "", none, err
	}
	a.open = append(a.open, r.waiting(want, args.JSON()))
	return "", none, worker.ErrParked
}

// answered is what people have said of an ask: nil for a yes, an error for a no,
// worker.ErrParked where nobody has said anything yet. t is the tool of today. The
// caller holds the lock of the asks.
func (r *run) answered(x *record.Asked, t *wrappers.Tool) error {
	if x.A != record.Ledger && !r.isStill(x.Ask, t) {
		return &changedError{t.ID}
	}
	switch state := x.State(r.journal.Now()); {
	case state == record.Asking && x.A == record.Ledger:
		return fmt.Errorf("not sent: nobody has approved of the calls of this dry run")
	case state == record.Asking:
		a := r.tree.asks
		args, err := a.run.Value(x.Args)
		if err != nil {
			return err
		}
		a.open = append(a.open, r.waiting(x.Ask, args))
		return worker.ErrParked
	case x.Answer != nil && x.Answer.Yes:
		return nil
	case x.Answer != nil:
		return fmt.Errorf("not sent: %s", said(x.Answer))
	}
	return fmt.Errorf("not sent: nobody approved of it until %s", x.Until.Format(time.RFC3339))
}

// isStill reports whether a tool and its server's entry are what was asked about.
func (r *run) isStill(x *record.Ask, t *wrappers.Tool) bool {
	return x.Hash == t.Hash && x.Server == r.serverDigest(t)
}

// serverDigest is the digest of the entry of a tool's server, without its secrets.
func (r *run) serverDigest(t *wrappers.Tool) string { return r.bound.Catalog.Server(t.Server).Digest() }

// said is a no in words.
func said(a *record.Answer) string {
	who := a.Who
	if who == "" {
		who = "the user"
	}
	s := fmt.Sprintf("%s did not approve of it", registry.Printable(who, 100))
	if a.Word != "" {
		s += ": " + registry.Printable(a.Word, 500)
	}
	return s
}

// changedError stops a run whose tool is another one than was recorded.
type changedError struct{ tool string }

func (e *changedError) Error() string {
	return fmt.Sprintf("%s is not the tool any more that this run knows: its definition or its server's entry has changed "+
		"since; run the script anew", e.tool)
}

// connector is a Caller that gives the connection to a server.
type connector interface {
	Connect(ctx context.Context, server string) (backend.Backend, error)
}

// stillThat asks a server, before a yes is used, whether a tool still is what it was
// when somebody approved of a call of it: what the registry says may be old.
func (r *run) stillThat(ctx context.Context, t *wrappers.Tool) error {
	c, ok := r.bound.Catalog.Calls.(connector)
	if !ok {
		return nil
	}
	a := r.tree.asks
	a.mu.Lock()
	now, asked := a.now[t.Server]
	a.mu.Unlock()
	if !asked {
		b, err := c.Connect(ctx, t.Server)
		var l *backend.Listing
		if err == nil {
			l, err = b.List(ctx)
		}
		if err != nil {
			return r.diverge(fmt.Errorf("%s was approved of, and its server cannot say whether it still is that tool: %w", t.ID,
				err))
		}
		reg := &registry.Registry{Tools: slices.Clone(l.Tools)}
		for i := range reg.Tools {
			reg.Tools[i].Server = t.Server
		}
		reg.Normalize()
		now = map[string]string{}
		for i := range reg.Tools {
			now[reg.Tools[i].Name] = reg.Tools[i].ComputeHash()
		}
		a.mu.Lock()
		a.now[t.Server] = now
		a.mu.Unlock()
	}
	if now[t.Name] != t.ComputeHash() {
		return &changedError{t.ID}
	}
	return nil
}

// waiting describes a call that waits.
func (r *run) waiting(x *record.Ask, args json.RawMessage) outcome.Pending {
	w := outcome.PendingCall(r.journal.ID(), x, args)
	w.Script, w.File, w.Line = r.placed(x.Place)
	return w
}

// placed is a place of the script for a reader: the saved script's name, the file
// where it is several, and the line.
func (r *run) placed(place string) (script, file string, line int) {
	line = record.PlaceLine(place)
	if r.script.depth > 0 {
		script = r.script.Name
	}
	if name, in := check.Place(check.Parts([]byte(r.script.Source)), line); in > 0 {
		file, line = name, in
	}
	return script, file, line
}

// lose notes a call of which nobody knows what became.
func (r *run) lose(line *record.Call, args json.RawMessage, why string) {
	u := outcome.UnresolvedCall(line, args, why)
	u.Script, u.File, u.Line = r.placed(line.Place)
	a := r.tree.asks
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lost = append(a.lost, u)
}

// stopped is the status of a run that ended with parked calls.
func (a *asks) stopped() outcome.Status {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.diverged != nil:
		return outcome.Diverged
	case len(a.lost) > 0:
		return outcome.Uncertain
	}
	return outcome.Waiting
}

// anyLost reports whether nobody knows what became of a call.
func (a *asks) anyLost() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.lost) > 0
}

// fill hands the result what a person is needed for. However the run ended, it has
// the calls of which nobody knows what became.
func (a *asks) fill(res *outcome.Result) {
	a.mu.Lock()
	defer a.mu.Unlock()
	res.Unknown = a.lost
	if res.Status == outcome.Waiting || res.Status == outcome.Uncertain {
		res.Waiting = a.open
	}
	slices.SortFunc(res.Waiting, func(x, y outcome.Pending) int {
		return cmp.Or(cmp.Compare(len(x.ID), len(y.ID)), cmp.Compare(x.ID, y.ID))
	})
	slices.SortFunc(res.Unknown, func(x, y outcome.Unresolved) int { return x.N - y.N })
}

// idempotencyKey is a new Idempotency-Key.
func idempotencyKey() string { return strings.ToLower(rand.Text()) }
