package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/flow"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
)

// Rule decides about the calls of some tools. Rules of the policy's token precede rules for all
// tokens. Within each group, rules that name exactly the tool come first, then patterns, longest
// first, then rules for its class; of equally exact rules the stricter comes first. The first rule
// that applies decides. A rule that asks also decides if its condition is false and no equally
// exact rule applies: it allows the call, whatever less exact rules say.
type Rule struct {
	// Pattern is a class of tools (read, again, effect) or a pattern as in Policy.
	Pattern string `json:"pattern"`
	// Then is NeedsApproval, IsDenied or IsAllowed.
	Then Verdict `json:"then"`
	// If is the condition on a call. If nil, the rule applies to all calls. A condition that cannot
	// be evaluated counts as true, but as false if Then is IsAllowed.
	If *Condition `json:"if,omitempty"`
	// AllCalls permits an approval for all calls of the tool in the run.
	AllCalls bool `json:"whole,omitempty"`
	// For is how long a call stays pending. If zero, it is AskFor.
	For time.Duration `json:"for,omitempty"`
	// Token is the name of the token that the rule is for. If empty, it is for all tokens.
	Token string `json:"token,omitempty"`
}

// Classes lists the patterns that stand for a class of tools.
var Classes = []record.Class{record.Read, record.Idempotent, record.Effect}

// ofClass reports whether the rule is for a class of tools.
func (r *Rule) ofClass() bool { return slices.Contains(Classes, record.Class(r.Pattern)) }

// Matches reports whether the rule is for a tool of a class.
func (r *Rule) Matches(t *registry.Tool, class record.Class) bool {
	if r.ofClass() {
		return record.Class(r.Pattern) == class
	}
	return t.Match(r.Pattern)
}

func (r *Rule) validate() error {
	if !r.ofClass() && !registry.IsPattern(r.Pattern) {
		return fmt.Errorf("%q is not a pattern of tools: want a class (%s), a server (git), a tool (git.git_log) or wildcards "+
			"(git.*_log)", r.Pattern, classNames())
	}
	if strictness(r.Then) < 0 {
		return fmt.Errorf("the rule %q is for %q: want %q, %q or %q", r.Pattern, r.Then, NeedsApproval, IsDenied, IsAllowed)
	}
	return nil
}

func classNames() string {
	var names []string
	for _, c := range Classes {
		names = append(names, string(c))
	}
	return strings.Join(names, ", ")
}

// strictness orders the verdicts of rules, strictest first. It is -1 for any other verdict.
func strictness(v Verdict) int { return slices.Index([]Verdict{IsDenied, NeedsApproval, IsAllowed}, v) }

// String returns the rule as a sentence without a period.
func (r *Rule) String() string {
	var b strings.Builder
	if r.Token != "" {
		fmt.Fprintf(&b, "for the token %s ", r.Token)
	}
	what := "calls of " + r.Pattern
	if r.ofClass() {
		what = fmt.Sprintf("calls of tools that are %s", r.Pattern)
	}
	b.WriteString(what)
	switch r.Then {
	case IsDenied:
		b.WriteString(" are denied")
	case IsAllowed:
		b.WriteString(" need no approval")
	default:
		b.WriteString(" need approval")
	}
	if r.If != nil {
		fmt.Fprintf(&b, " where %s", r.If)
	}
	if r.Then == NeedsApproval {
		fmt.Fprintf(&b, "; pending calls expire after %s", days(cmp.Or(r.For, AskFor)))
		if r.AllCalls {
			b.WriteString("; an approval may cover all calls of the tool in the run")
		}
		if r.If != nil {
			b.WriteString("; other calls are allowed, whatever less exact rules say")
		}
	}
	return b.String()
}

// days formats a duration, in days if it is a whole number of days.
func days(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d == day:
		return "1 day"
	case d > day && d%day == 0:
		return fmt.Sprintf("%d days", d/day)
	}
	text := d.String()
	text = strings.TrimSuffix(text, "0s")
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// rulesFor returns the rules for a tool in the order in which they are tried.
func (p *Policy) rulesFor(t *registry.Tool, class record.Class) []*Rule {
	var out []*Rule
	for i := range p.Rules {
		if r := &p.Rules[i]; (r.Token == "" || r.Token == p.Token) && r.Matches(t, class) {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b *Rule) int {
		return cmp.Or(a.exactness(b, t), cmp.Compare(strictness(a.Then), strictness(b.Then)),
			cmp.Compare(a.Pattern, b.Pattern))
	})
	return out
}

// exactness compares two rules that match a tool. It is negative if r comes first, and 0 if both
// are equally exact.
func (r *Rule) exactness(b *Rule, t *registry.Tool) int {
	first := func(a, b bool) int {
		switch {
		case a == b:
			return 0
		case a:
			return -1
		}
		return 1
	}
	return cmp.Or(
		first(r.Token != "", b.Token != ""),
		first(r.Pattern == t.ID, b.Pattern == t.ID),
		first(!r.ofClass(), !b.ofClass()),
		cmp.Compare(len(b.Pattern), len(r.Pattern)))
}

// equallyExact reports whether two rules that match a tool are equally exact.
func (r *Rule) equallyExact(b *Rule, t *registry.Tool) bool { return r.exactness(b, t) == 0 }

// applies reports whether the rule applies to a call. why is the error of a condition that cannot
// be evaluated.
func (r *Rule) applies(t *registry.Tool, args registry.Args, facts *flow.Facts) (applies bool, why string) {
	if r.If == nil {
		return true, ""
	}
	err := args.Err()
	if err == nil {
		applies, err = r.If.Holds(t.ID, args.Tree(), facts)
	}
	if err != nil {
		return r.Then != IsAllowed, err.Error()
	}
	return applies, ""
}

// applied returns the decision of the rule. set is the verdict of the policy's settings, which is
// not IsDenied. why is the error of a condition that cannot be evaluated. certain reports whether
// the rule does apply, or only may.
func (r *Rule) applied(t *registry.Tool, set Decision, why string, certain bool) Decision {
	d := Decision{Tool: t.ID, Verdict: r.Then}
	verb := map[Verdict]string{IsDenied: "denied", IsAllowed: "allowed", NeedsApproval: "needs approval"}[r.Then]
	if !certain {
		verb = "may be " + verb
		if r.Then == NeedsApproval {
			verb = "may need approval"
		}
	}
	d.Rule = verb + " by " + r.name()
	if r.If != nil {
		d.Rule += fmt.Sprintf(": %s", r.If)
	}
	if why != "" {
		d.Rule += fmt.Sprintf("; the condition cannot be evaluated: %s", why)
	}
	switch {
	case r.Then == NeedsApproval:
		d.Flow = r.If != nil && r.If.UsesFlow()
		d.AllCalls, d.For = r.AllCalls && !d.Flow, cmp.Or(r.For, AskFor)
	case r.Then == IsAllowed && set.Verdict == NeedsApproval && r.ofClass():
		return set
	}
	return d
}

// name returns a phrase that names the rule.
func (r *Rule) name() string {
	name := fmt.Sprintf("the rule %q", r.Pattern)
	if r.Token != "" {
		name += " of the token " + r.Token
	}
	return name
}

// unmet returns the decision of a rule that asks if its condition is false. set is the verdict of
// the policy's settings. certain reports whether the condition is false, or only may be.
func (r *Rule) unmet(t *registry.Tool, set Decision, certain bool) Decision {
	if set.Verdict == NeedsApproval {
		return set
	}
	not := "does not require approval"
	if !certain {
		not = "does not require approval for all calls"
	}
	return Decision{Tool: t.ID, Verdict: IsAllowed, Rule: fmt.Sprintf("%s %s: %s", r.name(), not, r.If)}
}
