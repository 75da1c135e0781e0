// Package policy decides which tools a script may call.
//
// A [Policy] is set by the operator: lists of allowed and denied tools, whether
// only tools that read may be called, which tools a person must approve of, and
// rules, which may have conditions on the arguments of a call: a rule that asks says
// by its condition which calls are asked for and which are not, whatever less exact
// rules say. [Policy.Decide]
// takes a tool with those annotations of its server that count and its class (by
// the config, as catalog.Catalog.Decide does it), and returns a [Decision], with
// the rule that led to it in words; [Policy.DecideCall] does so for one call with
// its arguments. The package knows nothing of scripts and calls nothing: the
// harness asks it about all tools of a script before the script runs, and again
// before each call.
//
// The annotations are what servers say of themselves. A policy that must hold
// against a server that lies lists its tools in Allow or Deny, or distrusts it in
// the config.
package policy

import (
	"fmt"
	"slices"
	"time"

	"github.com/usetools/usetools/harness/flow"
	"github.com/usetools/usetools/harness/record"
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
	// Rules are beside all of that: the stricter of both counts, but for a rule of
	// tools that allows, which answers what Approve asks. Their order does not matter.
	Rules []Rule `json:",omitempty"`
	// Token is the name of the token whose rules count; "": none.
	Token string `json:",omitempty"`
}

// With returns the policy with the name of a token and further rules, which is p
// where that changes nothing. p may be nil.
func (p *Policy) With(token string, rules []Rule) *Policy {
	if token == "" && len(rules) == 0 || p != nil && p.Token == token && len(rules) == 0 {
		return p
	}
	q := Policy{}
	if p != nil {
		q = *p
	}
	q.Rules = rules
	if p != nil && len(p.Rules) > 0 {
		q.Rules = slices.Concat(p.Rules, rules)
	}
	if token != "" {
		q.Token = token
	}
	return &q
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
	// Whole says that a yes may be for all calls of the tool in the run, and For how
	// long the question waits for one; set where NeedsApproval.
	Whole bool          `json:"-"`
	For   time.Duration `json:"-"`
	// Flow says that the rule asks where values come from. Such a question is about this call
	// alone: Whole is false.
	Flow bool `json:"flow,omitempty"`
}

// AskFor is how long a question waits for an answer where its rule does not say.
const AskFor = 7 * 24 * time.Hour

// Verdict is what a policy says about a tool.
type Verdict string

// The verdicts of a policy.
const (
	IsAllowed     Verdict = "allowed"
	IsApproved    Verdict = "approved"
	IsDenied      Verdict = "denied"
	NeedsApproval Verdict = "needs_approval"
)

// Validate returns an error for a malformed pattern, an unknown Approval or a rule
// without one of the verdicts of [Rule].
func (p *Policy) Validate() error {
	if p == nil {
		return nil
	}
	for _, list := range [][]string{p.Allow, p.Deny, p.Approved} {
		for _, pattern := range list {
			if !registry.IsPattern(pattern) {
				return fmt.Errorf("%q is not a pattern of tools: want a server (git), a tool (git.git_log) or wildcards (git.*_log)",
					pattern)
			}
		}
	}
	if p.Approve != "" && !slices.Contains(Approvals, p.Approve) {
		return fmt.Errorf("approval for %q tools: want one of %q", p.Approve, Approvals)
	}
	for _, r := range p.Rules {
		if err := r.validate(); err != nil {
			return err
		}
	}
	return nil
}

// Decide returns whether a tool of a class may be called, and the rule that says
// so: IsDenied where each call is, whatever its arguments, and NeedsApproval where
// some call may need it. approved are the IDs of tools that a person has approved
// for this script. p may be nil.
func (p *Policy) Decide(t *registry.Tool, class record.Class, approved []string) Decision {
	set := p.settings(t)
	if p == nil || set.Verdict == IsDenied {
		return set
	}
	var may []Decision // what calls may come to
	last := p.approvedBy(t, approved, set)
	var asks *Rule // the first with a condition
	for _, r := range p.rulesFor(t, class) {
		if asks != nil && !asks.alike(r, t) {
			break
		}
		d := p.approvedBy(t, approved, r.applied(t, set, "", r.If == nil))
		if r.If == nil {
			asks, last = nil, d
			break
		}
		may = append(may, d)
		if asks == nil && r.Then == NeedsApproval {
			asks = r
		}
	}
	if asks != nil {
		last = p.approvedBy(t, approved, asks.notAsked(t, set, false))
	}
	may = append(may, last)
	if i := slices.IndexFunc(may, func(d Decision) bool { return d.Verdict == NeedsApproval }); i >= 0 {
		return may[i]
	}
	if last.Verdict != IsDenied {
		return last
	}
	i := slices.IndexFunc(may, func(d Decision) bool { return d.Verdict != IsDenied })
	if i < 0 {
		return last
	}
	return may[i]
}

// DecideCall returns that of one call with its arguments. Where a
// condition cannot be answered, as arguments are of another kind than it is for, a
// rule that asks or denies applies, and one that allows does not. facts say where the values of
// the arguments come from; if nil, that is unknown. p may be nil.
func (p *Policy) DecideCall(t *registry.Tool, class record.Class, args registry.Args, approved []string, facts *flow.Facts) Decision {
	set := p.settings(t)
	if p == nil || set.Verdict == IsDenied {
		return set
	}
	var asks *Rule // the first that asks elsewhere
	for _, r := range p.rulesFor(t, class) {
		if asks != nil && !asks.alike(r, t) {
			break
		}
		if applies, why := r.applies(t, args, facts); applies {
			return p.approvedBy(t, approved, r.applied(t, set, why, true))
		}
		if asks == nil && r.Then == NeedsApproval {
			asks = r
		}
	}
	if asks != nil {
		return p.approvedBy(t, approved, asks.notAsked(t, set, true))
	}
	return p.approvedBy(t, approved, set)
}

// settings is the verdict of all but the rules.
func (p *Policy) settings(t *registry.Tool) Decision {
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
		d.Verdict, d.Rule, d.For = NeedsApproval, why, AskFor
	}
	return d
}

// approvedBy is a decision, approved where it needs that and somebody has.
func (p *Policy) approvedBy(t *registry.Tool, approved []string, d Decision) Decision {
	if d.Verdict != NeedsApproval {
		return d
	}
	if rule, ok := matching(p.Approved, t); ok {
		return Decision{Tool: t.ID, Verdict: IsApproved, Rule: "approved by the operator with " + rule}
	}
	if slices.Contains(approved, t.ID) {
		return Decision{Tool: t.ID, Verdict: IsApproved, Rule: "approved by the user for this script"}
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
