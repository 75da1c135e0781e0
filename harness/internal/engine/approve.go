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
	"time"

	"github.com/usetools/usetools/harness/flow"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/wrappers"
)

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
	facts := r.facts(t, args)
	d := r.bound.DecideCall(t, args, facts)
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
		return "", none, fmt.Errorf("not sent: %s; with a record of the run (-state DIR) a person can be asked",
			doubt)
	case !r.canAsk():
		return "", none, &worker.DeniedError{Reason: fmt.Sprintf("%s: %s; where a record of the run is kept (-state DIR) "+
			"it can wait for approval", t.ID, d.Rule)}
	}
	want := &record.Ask{Path: line.Path, Place: line.Place, Class: line.Class, Tool: t.ID, Args: line.Args, Why: d.Rule,
		Hash: t.Hash, Server: r.serverDigest(t), Whole: d.Whole, Flow: d.Flow}
	if facts != nil {
		want.Late, want.Origins = facts.IsLate(), flow.Shown(facts.Origins())
	}
	if doubt != "" {
		want.Why, want.Whole = doubt, false
	} else if g := a.whole[t.ID]; g != nil && !d.Flow && r.isStill(g.Ask, t) && r.journal.Now().Before(g.Answer.Until) {
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
		return fmt.Errorf("not sent: the calls of this dry run are not approved")
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
	return fmt.Errorf("not sent: no approval arrived before %s", x.Until.Format(time.RFC3339))
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
	s := fmt.Sprintf("%s rejected it", registry.Printable(who, 100))
	if a.Word != "" {
		s += ": " + registry.Printable(a.Word, 500)
	}
	return s
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
			return r.diverge(fmt.Errorf("%s was approved, but its server cannot confirm that it is still the same tool: %w", t.ID,
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
	w.Where = r.placed(x.Place)
	return w
}

// lose notes a call of which nobody knows what became.
func (r *run) lose(line *record.Call, args json.RawMessage, why string) {
	u := outcome.UnresolvedCall(line, args, why)
	u.Where = r.placed(line.Place)
	a := r.tree.asks
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lost = append(a.lost, u)
}

// idempotencyKey is a new Idempotency-Key.
func idempotencyKey() string { return strings.ToLower(rand.Text()) }
