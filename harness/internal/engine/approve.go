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

// canWait reports whether the run can end and be resumed later: it is a script with a
// record.
func (r *run) canWait() bool { return !r.direct && r.journal.Kept() }

// canAsk reports whether the run can wait for a person.
func (r *run) canAsk() bool { return r.canWait() && !r.script.NoAsk }

// approve returns the approval that a call uses, or "" if it needs none. The error is
// worker.ErrParked if the call waits for a person; otherwise it says why the call must not
// be sent. If expires is not zero, the approval expires then.
func (r *run) approve(t *wrappers.Tool, line *record.Call, args registry.Args) (
	ask string, expires time.Time, err error) {
	none := expires
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
	if d.Verdict != policy.IsDenied && a.gate != nil { // an answered or pending request applies, whatever the present policy is
		if x := a.gate.AskFor(line.Path, line.Place, t.ID, string(args.JSON())); x != nil {
			if err := r.answered(x, t); err != nil {
				if x.Answer != nil && !errors.Is(err, worker.ErrParked) {
					a.rejections[key] = err
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
	case a.rejections[key] != nil: // a rejected call is not asked about again
		return "", none, a.rejections[key]
	case !r.canAsk() && doubt != "":
		return "", none, fmt.Errorf("not sent: %s; keep a record of the run (-state DIR) to ask for approval",
			doubt)
	case !r.canAsk():
		return "", none, &worker.DeniedError{Reason: fmt.Sprintf("%s: %s; keep a record of the run (-state DIR) "+
			"so that it can wait for approval", t.ID, d.Rule)}
	}
	want := &record.Ask{Path: line.Path, Place: line.Place, Class: line.Class, Tool: t.ID, Args: line.Args, Why: d.Rule,
		Hash: t.Hash, Server: r.serverDigest(t), AllCalls: d.AllCalls, Flow: d.Flow}
	if facts != nil {
		want.Late, want.Origins = facts.IsLate(), flow.Shown(facts.Origins())
	}
	if doubt != "" {
		want.Why, want.AllCalls = doubt, false
	} else if g := a.grants[t.ID]; g != nil && !d.Flow && r.isUnchanged(g.Ask, t) && r.journal.Now().Before(g.Answer.Until) {
		return g.Ask.A, g.Answer.Until, nil
	}
	a.number++
	want.A = strconv.Itoa(a.number)
	want.Until = r.journal.Now().Add(cmp.Or(d.For, policy.AskFor)).UTC().Truncate(time.Second)
	if err := r.journal.Add(want); err != nil {
		return "", none, err
	}
	a.pending = append(a.pending, r.waiting(want, args.JSON()))
	return "", none, worker.ErrParked
}

// answered returns the outcome of an ask: nil if approved, an error if rejected or expired,
// worker.ErrParked if the call has no answer yet. t is the present tool. The caller holds the
// lock of the asks.
func (r *run) answered(x *record.Asked, t *wrappers.Tool) error {
	if x.A != record.Ledger && !r.isUnchanged(x.Ask, t) {
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
		a.pending = append(a.pending, r.waiting(x.Ask, args))
		return worker.ErrParked
	case x.Answer != nil && x.Answer.Yes:
		return nil
	case x.Answer != nil:
		return fmt.Errorf("not sent: %s", rejectionText(x.Answer))
	}
	return fmt.Errorf("not sent: no approval arrived before %s", x.Until.Format(time.RFC3339))
}

// isUnchanged reports whether a tool and its server's entry are unchanged since x asked about
// them.
func (r *run) isUnchanged(x *record.Ask, t *wrappers.Tool) bool {
	return x.Hash == t.Hash && x.Server == r.serverDigest(t)
}

// serverDigest returns the digest of the entry of a tool's server, without its secrets.
func (r *run) serverDigest(t *wrappers.Tool) string { return r.bound.Catalog.Server(t.Server).Digest() }

// rejectionText returns a rejection as text.
func rejectionText(a *record.Answer) string {
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

// connector is a Caller that provides the connection to a server.
type connector interface {
	Connect(ctx context.Context, server string) (backend.Backend, error)
}

// confirmTool checks with the server, before an approval is used, that the tool is still the
// approved one: the registry may be out of date.
func (r *run) confirmTool(ctx context.Context, t *wrappers.Tool) error {
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

// waiting describes a pending call.
func (r *run) waiting(x *record.Ask, args json.RawMessage) outcome.Pending {
	w := outcome.PendingCall(r.journal.ID(), x, args)
	w.Where = r.placed(x.Place)
	return w
}

// addUnresolved adds an unresolved call.
func (r *run) addUnresolved(line *record.Call, args json.RawMessage, why string) {
	u := outcome.UnresolvedCall(line, args, why)
	u.Where = r.placed(line.Place)
	a := r.tree.asks
	a.mu.Lock()
	defer a.mu.Unlock()
	a.unresolved = append(a.unresolved, u)
}

// idempotencyKey returns a new Idempotency-Key.
func idempotencyKey() string { return strings.ToLower(rand.Text()) }
