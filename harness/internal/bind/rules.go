package bind

import (
	"fmt"
	"maps"
	"slices"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/flow"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/wrappers"
)

// Judge decides on all tools of the script. It returns the decisions, and an error for each
// tool that the script may not call. Without a policy, it omits the decisions that allow a tool.
func (b *Bound) Judge() (ds []policy.Decision, errs []outcome.Error) {
	for _, id := range slices.Sorted(maps.Keys(b.Allowed)) {
		t := b.Allowed[id]
		d := b.Decide(t)
		refused := d.Verdict == policy.IsDenied || d.Verdict == policy.NeedsApproval && !b.Waits
		if refused || b.Policy != nil {
			ds = append(ds, d)
		}
		if !refused {
			continue
		}
		e := outcome.Error{Kind: outcome.KindPolicy, Line: b.lineOf(t), Message: fmt.Sprintf("%s (%s): %s", t.Go(), t.ID, d.Rule)}
		e.Snippet = Snippet(b.Source, e.Line)
		if d.Verdict == policy.NeedsApproval {
			e.Hint = fmt.Sprintf("nothing has run; ask the user: harness run (or serve) waits for approval with -state DIR, and "+
				"approves the tool in advance with -approved %s", t.ID)
		}
		errs = append(errs, e)
	}
	return ds, errs
}

// shows reports whether a tool may be offered to a script that has not named it, because policy
// does not deny it.
func (b *Bound) shows(t *registry.Tool) bool {
	return b.Catalog.Decide(b.Policy, t, nil).Verdict != policy.IsDenied
}

// hides reports whether policy denies the tool with an ID.
func (b *Bound) hides(id string) bool {
	t, ok := b.View.Tool(id)
	return ok && !b.shows(t.Tool)
}

// visible returns the entries of the tools that policy does not deny.
func (b *Bound) visible(es []discovery.Entry) []discovery.Entry {
	return slices.DeleteFunc(slices.Clone(es), func(e discovery.Entry) bool { return b.hides(e.ID) })
}

// Decide returns the decision of the script's policy on a tool. It denies a held tool under any policy.
func (b *Bound) Decide(t *wrappers.Tool) policy.Decision {
	if t.Held {
		return policy.Decision{Tool: t.ID, Verdict: policy.IsDenied, Rule: t.Error}
	}
	return b.strictest(t, func(p *policy.Policy) policy.Decision { return b.Catalog.Decide(p, t.Tool, b.Approved) })
}

// DecideCall returns the decision on one call of a tool. facts describe the origin of its
// arguments' values; if nil, the origin is unknown.
func (b *Bound) DecideCall(t *wrappers.Tool, args registry.Args, facts *flow.Facts) policy.Decision {
	if t.Held {
		return b.Decide(t)
	}
	return b.strictest(t, func(p *policy.Policy) policy.Decision {
		return b.Catalog.DecideCall(p, t.Tool, args, b.Approved, facts)
	})
}

// strictest returns the decision of the policy. In a resumed run it returns that of the
// original policy if that is stricter. In a dry run, calls that are not sent need no approval.
func (b *Bound) strictest(t *wrappers.Tool, decide func(*policy.Policy) policy.Decision) policy.Decision {
	d := decide(b.Policy)
	if b.Began != nil {
		then := decide(b.Began)
		if then.Verdict == policy.IsDenied || then.Verdict == policy.NeedsApproval && d.Verdict != policy.IsDenied {
			d = then
		}
	}
	if class, _ := b.Catalog.Class(t.Tool); d.Verdict == policy.NeedsApproval && b.Dry && class != record.Read {
		d.Verdict, d.Rule = policy.IsAllowed, "a dry run does not call it; otherwise "+d.Rule
	}
	return d
}
