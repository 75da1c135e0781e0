// Package policy decides which tools a script may call.
//
// A [Policy] is set by the operator: lists of allowed and denied tools, whether
// only tools that read may be called, and which tools a person must approve of.
// [Policy.Decide] takes a tool with those annotations of its server that count
// (by the config, as catalog.Catalog.Decide does it), and returns a [Decision],
// with the rule that led to it in words. It knows nothing of scripts and calls
// nothing: the harness asks it about all tools of a script before the script runs,
// and again before each call.
//
// The annotations are what servers say of themselves. A policy that must hold
// against a server that lies lists its tools in Allow or Deny, or distrusts it in
// the config.
package policy

import (
	"fmt"
	"slices"

	"github.com/usetools/usetools/registry"
)

// Policy says which tools scripts may call. It is applied to all tools of a
// script before anything runs, and again to each call. A nil Policy allows
// everything.
//
// Patterns are those of path.Match over the ID of a tool (git.git_*); one that
// matches the name of a server stands for all of its tools.
type Policy struct {
	// Allow lists the tools that may be called; empty: all. Deny takes away
	// from those, whatever Allow says.
	Allow, Deny []string
	// ReadOnly denies tools that are not marked as read-only.
	ReadOnly bool
	// Approve says which tools need the approval of a person.
	Approve Approval
	// Approved are tools that the operator has approved for all scripts.
	Approved []string
}

// Approval says which tools need approval.
type Approval string

// Which tools need approval, by the hints that servers give of them.
const (
	ApproveNone        Approval = "none"        // none does; also ""
	ApproveMarked      Approval = "marked"      // those marked as destructive
	ApproveDestructive Approval = "destructive" // those, and those that do not say whether they are
	ApproveWrites      Approval = "writes"      // those not marked as read-only
)

// Approvals are the values that an Approval may have.
var Approvals = []Approval{ApproveNone, ApproveMarked, ApproveDestructive, ApproveWrites}

// Decision is the verdict of a policy on one tool.
type Decision struct {
	Tool    string  `json:"tool"`
	Verdict Verdict `json:"verdict"`
	// Rule is the rule that decided, in words.
	Rule string `json:"rule"`
}

// Verdict is what a policy says about a tool.
type Verdict string

// The verdicts of a policy.
const (
	IsAllowed     Verdict = "allowed"
	IsApproved    Verdict = "approved"
	IsDenied      Verdict = "denied"
	NeedsApproval Verdict = "needs_approval"
)

// Validate returns an error for a malformed pattern or an unknown Approval.
func (p *Policy) Validate() error {
	if p == nil {
		return nil
	}
	for _, list := range [][]string{p.Allow, p.Deny, p.Approved} {
		for _, pattern := range list {
			if !registry.IsPattern(pattern) {
				return fmt.Errorf("%q is no pattern of tools: want a server (git), a tool (git.git_log) or wildcards (git.*_log)",
					pattern)
			}
		}
	}
	if p.Approve != "" && !slices.Contains(Approvals, p.Approve) {
		return fmt.Errorf("approval for %q tools: want one of %q", p.Approve, Approvals)
	}
	return nil
}

// Decide returns whether a tool may be called, and the rule that says so.
// approved are the IDs of tools that a person has approved for this script. p
// may be nil.
func (p *Policy) Decide(t *registry.Tool, approved []string) Decision {
	d := Decision{Tool: t.ID, Verdict: IsAllowed, Rule: "no rule is against it"}
	if p == nil {
		return d
	}
	if len(p.Allow) > 0 {
		rule, ok := matching(p.Allow, t)
		if !ok {
			d.Verdict, d.Rule = IsDenied, "it is not among the allowed tools"
			return d
		}
		d.Rule = "allowed by " + rule
	}
	if rule, ok := matching(p.Deny, t); ok {
		d.Verdict, d.Rule = IsDenied, "denied by "+rule
		return d
	}
	if p.ReadOnly && !t.Annotations.ReadsOnly() {
		d.Verdict, d.Rule = IsDenied, "it is not marked as read-only, and this run is read-only"
		return d
	}
	if why := p.needsApproval(t); why != "" {
		if rule, ok := matching(p.Approved, t); ok {
			d.Verdict, d.Rule = IsApproved, "approved by the operator with "+rule
		} else if slices.Contains(approved, t.ID) {
			d.Verdict, d.Rule = IsApproved, "approved by the user for this script"
		} else {
			d.Verdict, d.Rule = NeedsApproval, why
		}
	}
	return d
}

// needsApproval returns why a person must approve of a tool; empty: nobody must.
func (p *Policy) needsApproval(t *registry.Tool) (why string) {
	switch may, said := t.Annotations.MayDestroy(); {
	case p.Approve == ApproveWrites && !t.Annotations.ReadsOnly():
		return "it is not marked as read-only and needs approval"
	case (p.Approve == ApproveMarked || p.Approve == ApproveDestructive) && may && said:
		return "it is marked as destructive and needs approval"
	case p.Approve == ApproveDestructive && may:
		return "it does not say that it destroys nothing, and needs approval"
	}
	return ""
}

// matching returns the first pattern that means a tool.
func matching(patterns []string, t *registry.Tool) (string, bool) {
	for _, p := range patterns {
		if t.Match(p) {
			return p, true
		}
	}
	return "", false
}
