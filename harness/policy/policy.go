// Package policy decides which tools a script may call.
//
// The operator sets a [Policy]: lists of allowed and denied tools, whether only read tools may be
// called, which tools need approval, and rules, which may have conditions on the arguments of a
// call. [Policy.Decide] takes a tool with its trusted annotations and its class
// (catalog.Catalog.Decide reads both from the config) and returns a [Decision] with the rule that
// decided; [Policy.DecideCall] decides about one call with its arguments. The harness asks about
// all tools of a script before the script runs, and again before each call.
//
// Servers state the annotations of their tools themselves. A policy that must hold against a lying
// server lists its tools in Allow or Deny, or distrusts the server in the config.
package policy

import (
	"fmt"
	"slices"
	"time"

	"github.com/usetools/usetools/harness/flow"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
)

// Policy says which tools scripts may call. It is applied to all tools of a script before it runs,
// and again to each call. A nil Policy allows everything.
//
// Patterns are those of path.Match over tool IDs (git.git_*); one that matches the name of a server
// stands for all of its tools.
type Policy struct {
	// Allow lists the tools that may be called. If empty, all may. Deny overrides Allow.
	Allow, Deny []string
	// ReadOnly denies tools that are not marked as read-only.
	ReadOnly bool
	// Approve says which tools need a person's approval.
	Approve Approval
	// Approved lists the tools that the operator approved for all scripts.
	Approved []string
	// Rules apply in addition to the fields above; the stricter verdict counts. Exception: a rule
	// that allows tools, not a class, overrides Approve. The order of the rules does not matter.
	Rules []Rule `json:",omitempty"`
	// Token is the name of the token whose rules apply. If empty, only rules for all tokens apply.
	Token string `json:",omitempty"`
}

// With returns the policy with the name of a token and further rules, or p itself if that changes
// nothing. p may be nil.
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

// The kinds of tools that need approval, by the hints of their servers.
const (
	ApproveNone        Approval = "none"        // no tool; also ""
	ApproveMarked      Approval = "marked"      // tools marked as destructive
	ApproveDestructive Approval = "destructive" // and tools without a destructive hint
	ApproveWrites      Approval = "writes"      // tools not marked as read-only
)

// Approvals lists the valid values of an Approval.
var Approvals = []Approval{ApproveNone, ApproveMarked, ApproveDestructive, ApproveWrites}

// Decision is the verdict of a policy on one tool.
type Decision struct {
	Tool    string  `json:"tool"`
	Verdict Verdict `json:"verdict"`
	// Rule is the rule that decided, in words.
	Rule string `json:"rule"`
	// AllCalls permits an approval for all calls of the tool in the run. For is how long the call
	// stays pending. Both are set only if the verdict is NeedsApproval.
	AllCalls bool          `json:"-"`
	For      time.Duration `json:"-"`
	// Flow reports whether the rule uses the origins of values. An approval then covers this call
	// alone: AllCalls is false.
	Flow bool `json:"flow,omitempty"`
}

// AskFor is how long a call stays pending if its rule does not say.
const AskFor = 7 * 24 * time.Hour

// Verdict is the outcome of a decision.
type Verdict string

// The verdicts of a policy.
const (
	IsAllowed     Verdict = "allowed"
	IsApproved    Verdict = "approved"
	IsDenied      Verdict = "denied"
	NeedsApproval Verdict = "needs_approval"
)

// Validate returns an error for a malformed pattern, an unknown Approval, or a rule with another
// verdict than those of [Rule].
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

// Decide returns whether a tool of a class may be called, and the rule that decided: IsDenied if
// every call is denied whatever its arguments, NeedsApproval if some call may need approval.
// approved are the IDs of the tools that a person approved for this script. p may be nil.
func (p *Policy) Decide(t *registry.Tool, class record.Class, approved []string) Decision {
	set := p.settings(t)
	if p == nil || set.Verdict == IsDenied {
		return set
	}
	var may []Decision // the possible decisions about calls
	last := p.approvedBy(t, approved, set)
	var asks *Rule // the first conditional rule that asks
	for _, r := range p.rulesFor(t, class) {
		if asks != nil && !asks.equallyExact(r, t) {
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
		last = p.approvedBy(t, approved, asks.unmet(t, set, false))
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

// DecideCall returns the decision about one call. If a condition cannot be evaluated because an
// argument has the wrong kind, a rule that asks or denies applies, and one that allows does not.
// facts describe the origins of the arguments' values; if nil, they are unknown. p may be nil.
func (p *Policy) DecideCall(t *registry.Tool, class record.Class, args registry.Args, approved []string, facts *flow.Facts) Decision {
	set := p.settings(t)
	if p == nil || set.Verdict == IsDenied {
		return set
	}
	var asks *Rule // the first rule that asks, but not for this call
	for _, r := range p.rulesFor(t, class) {
		if asks != nil && !asks.equallyExact(r, t) {
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
		return p.approvedBy(t, approved, asks.unmet(t, set, true))
	}
	return p.approvedBy(t, approved, set)
}

// settings returns the verdict without the rules.
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
		d.Verdict, d.Rule = IsDenied, "denied by -deny "+rule
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

// approvedBy returns the decision, or IsApproved if the tool needs approval and has it.
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

// needsApproval returns why a tool needs approval, or "".
func (p *Policy) needsApproval(t *registry.Tool) (why string) {
	switch may, stated := t.Annotations.MayDestroy(); {
	case p.Approve == ApproveWrites && !t.Annotations.ReadsOnly():
		return "it is not marked as read-only and needs approval"
	case (p.Approve == ApproveMarked || p.Approve == ApproveDestructive) && may && stated:
		return "it is marked as destructive and needs approval"
	case p.Approve == ApproveDestructive && may:
		return "it is not marked as non-destructive and needs approval"
	}
	return ""
}

// matching returns the first pattern that matches a tool.
func matching(patterns []string, t *registry.Tool) (string, bool) {
	for _, p := range patterns {
		if t.Match(p) {
			return p, true
		}
	}
	return "", false
}
