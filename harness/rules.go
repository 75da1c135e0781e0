package harness

import (
	"fmt"
	"slices"

	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/wrappers"
)

// Judge decides on all tools of a script that compiles, before anything runs. It reports
// whether the script may call them; if not, Errors say why.
func (b *bound) Judge() bool {
	for _, id := range sortedKeys(b.Allowed) {
		t := b.Allowed[id]
		d := b.Decide(t)
		if b.against(d) {
			b.deny(t, d)
		} else if b.Policy != nil || b.ReadOnly {
			b.Decisions = append(b.Decisions, d)
		}
	}
	return b.Status != Denied
}

// Refused reports whether policy is against a tool of the script.
func (b *bound) Refused() bool {
	for _, t := range b.Allowed {
		if b.against(b.Decide(t)) {
			return true
		}
	}
	return false
}

// against reports whether a decision is against a script that has not begun.
func (b *bound) against(d policy.Decision) bool {
	return d.Verdict == policy.IsDenied || d.Verdict == policy.NeedsApproval && !b.Waits
}

// deny refuses a script for a tool that policy does not let it call.
func (b *bound) deny(t *wrappers.Tool, d policy.Decision) {
	if slices.Contains(b.Decisions, d) { // for an earlier phrase
		return
	}
	b.Decisions = append(b.Decisions, d)
	e := Error{Kind: KindPolicy, Line: b.lineOf(t), Message: fmt.Sprintf("%s (%s): %s", t.Go(), t.ID, d.Rule)}
	e.Snippet = snippet(b.Source, e.Line)
	if d.Verdict == policy.NeedsApproval {
		e.Hint = fmt.Sprintf("nothing has run; ask the user: with -state DIR the run waits for approval (of harness run, or "+
			"behind serve in the entry of the client: \"-state\", \"DIR\"); -approved %s there approves the tool for that "+
			"one command or server", t.ID)
	}
	b.Status, b.Errors = Denied, append(b.Errors, e)
}

// Shows reports whether a tool may be offered to a script that has not named
// it: policy does not deny it.
func (b *bound) Shows(t *registry.Tool) bool {
	return b.Catalog.Decide(b.Rules(), t, nil).Verdict != policy.IsDenied
}

// Hides reports whether policy denies the tool with an ID.
func (b *bound) Hides(id string) bool {
	t, ok := b.View.Tool(id)
	return ok && !b.Shows(t.Tool)
}

// Decide returns the decision of the script's policy on a tool. A held tool is denied
// to all.
func (b *bound) Decide(t *wrappers.Tool) policy.Decision {
	if t.Held {
		return policy.Decision{Tool: t.ID, Verdict: policy.IsDenied, Rule: t.Error}
	}
	return b.strictest(t, func(p *policy.Policy) policy.Decision { return b.Catalog.Decide(p, t.Tool, b.Approved) })
}

// DecideCall returns the decision on one call of a tool.
func (b *bound) DecideCall(t *wrappers.Tool, args registry.Args) policy.Decision {
	if t.Held {
		return b.Decide(t)
	}
	return b.strictest(t, func(p *policy.Policy) policy.Decision { return b.Catalog.DecideCall(p, t.Tool, args, b.Approved) })
}

// strictest returns the decision of the policy, or in a resumed run that of the policy
// that it began with if it is stricter. A dry run needs no approval for a call that it
// does not send.
func (b *bound) strictest(t *wrappers.Tool, decide func(*policy.Policy) policy.Decision) policy.Decision {
	d := decide(b.Rules())
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

// Rules returns the script's policy, with ReadOnly.
func (b *bound) Rules() *policy.Policy {
	p := policy.Policy{}
	if b.Policy != nil {
		p = *b.Policy
	}
	p.ReadOnly = p.ReadOnly || b.ReadOnly
	return &p
}
