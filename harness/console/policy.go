package console

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
	"github.com/usetools/usetools/wrappers/observe"
)

// Limits of the page of policy and use.
const (
	maxHolders = 50   // columns of the matrix
	maxCounted = 1000 // runs that are counted
	maxShapes  = 50
	maxLong    = 64 << 10 // bytes of arguments in a question
)

// policyPage is the data of the page.
type policyPage struct {
	Loading bool
	Holders []holder
	Rows    []*matrixRow
	Lines   []policyLine // the flags
	Rules   []catalog.RuleTools
	Doubts  []string
	// Unlabelled are servers that may return text of third parties without an "untrusted" label.
	Unlabelled []string
	Names      []string // server names, for colours
	Days       int
	Counted    bool // not all runs are counted
	Use        []*useOf
	Shapes     []observe.Shape
	Asked      *mayQuestion
}

// holder is a token or, with Token "", clients without one.
type holder struct {
	Token  string
	Rights []catalog.Right
	policy *policy.Policy
}

// matrixRow is a set of a server's tools with the same verdicts. Verdicts has one for each holder.
type matrixRow struct {
	Tools    []string
	Verdicts []policy.Verdict
}

// policyLine is a flag and its value.
type policyLine struct{ Flag, Text string }

// useOf is the usage of a token.
type useOf struct {
	Token                           string
	Runs, FailedRuns, Calls, Failed int
}

// mayQuestion asks whether a token may call a tool. If Found, it has the answer.
type mayQuestion struct {
	Token, Tool, Args string
	Problem           string
	Near              []string
	Found             bool
	policy.Decision
	Class record.Class
	Why   string // reason for the class
}

// Waits returns how long a pending call of the tool can be answered, or "".
func (m *mayQuestion) Waits() string {
	if m.Verdict != policy.NeedsApproval || m.For <= 0 {
		return ""
	}
	if days := m.For.Hours() / 24; days == float64(int(days)) && days > 1 {
		return fmt.Sprintf("%.0f days", days)
	}
	return fmt.Sprintf("%.0f hours", m.For.Hours())
}

// verdictClass returns the icon and the colour class of a verdict.
func verdictClass(v policy.Verdict) string {
	return cmp.Or(map[policy.Verdict]string{policy.IsDenied: "bad", policy.NeedsApproval: "wait"}[v], "ok")
}

// verdictWord returns a verdict in words.
func verdictWord(v policy.Verdict) string { return strings.ReplaceAll(string(v), "_", " ") }

// policy shows which tokens may call which tools, and their usage.
func (v *view) policy() error {
	data := &policyPage{Days: 1}
	if v.r.URL.Query().Get("days") == "7" {
		data.Days = 7
	}
	p := &Page{Title: "Policy and use", Nav: "policy", Live: []string{topicRuns, topicServers}, Data: data}
	k, err := v.known()
	if err != nil {
		return err
	}
	if k == nil {
		data.Loading = true
		return v.show("policy.html", p)
	}
	cat := k.cat
	data.Holders, data.Names = v.holders(cat), k.servers
	q := v.r.URL.Query()
	if q.Has("tool") {
		data.Asked = k.may(data.Holders, q)
	}
	if data.Asked == nil {
		data.Asked = &mayQuestion{Token: data.Holders[0].Token}
	}
	data.matrix(k)
	k.rules(data)
	if err := v.use(data); err != nil {
		return err
	}
	if cat.Shapes != nil {
		list := slices.DeleteFunc(cat.Shapes.List(), func(s observe.Shape) bool { return !k.showsID(s.Tool) })
		data.Shapes = list[:min(len(list), maxShapes)]
	}
	return v.show("policy.html", p)
}

// holders returns the tokens that a viewer may see: all, or its own.
func (v *view) holders(cat *catalog.Catalog) []holder {
	base := v.c.host.Policy(v.Viewer)
	as := func(token string) *policy.Policy {
		p := policy.Policy{}
		if base != nil {
			p = *base
		}
		p.Token = token
		return &p
	}
	names := []string{v.Token}
	if v.Operator {
		names = slices.Clone(v.c.opts.Tokens)
		names = slices.AppendSeq(names, maps.Keys(cat.Rights))
		for i := range cat.Rules {
			names = append(names, cat.Rules[i].Token)
		}
		names = append(names, "")
		slices.Sort(names)
		names = slices.Compact(names)
	}
	var out []holder
	for _, name := range names[:min(len(names), maxHolders)] {
		out = append(out, holder{name, cat.Rights[name], as(name)})
	}
	return out
}

// matrix decides for each holder and each tool that the viewer may see.
func (d *policyPage) matrix(k *known) {
	at := map[string]*matrixRow{} // by server and verdicts
	for i := range k.cat.Registry.Tools {
		t := &k.cat.Registry.Tools[i]
		if !k.shows(t) {
			continue
		}
		row := &matrixRow{}
		for _, h := range d.Holders {
			row.Verdicts = append(row.Verdicts, k.cat.Decide(h.policy, t, nil).Verdict)
		}
		key := fmt.Sprint(t.Server, row.Verdicts)
		if at[key] == nil {
			at[key], d.Rows = row, append(d.Rows, row)
		}
		at[key].Tools = append(at[key].Tools, t.ID)
	}
}

// rules adds the rules that the viewer may see: rules for all tokens and its own, without tools
// that it may not see.
func (k *known) rules(d *policyPage) {
	v, cat := k.v, k.cat
	if p := k.policy; p != nil {
		for _, l := range []struct {
			flag string
			list []string
		}{{"-allow", p.Allow}, {"-deny", p.Deny}, {"-approved", p.Approved}} {
			if len(l.list) > 0 && (v.Operator || l.flag != "-deny") {
				d.Lines = append(d.Lines, policyLine{l.flag, text.List(l.list, 20)})
			}
		}
		if p.ReadOnly {
			d.Lines = append(d.Lines, policyLine{"-read-only", ""})
		}
		if p.Approve != "" && p.Approve != policy.ApproveNone {
			d.Lines = append(d.Lines, policyLine{"-approve", string(p.Approve)})
		}
	}
	for _, r := range cat.RuleTools() {
		if r.Rule.Token != "" && r.Rule.Token != v.Token && !v.Operator {
			continue
		}
		of := len(r.Tools)
		r.Tools = slices.DeleteFunc(r.Tools, func(id string) bool { return !k.showsID(id) })
		if !v.Operator && len(r.Tools) < max(of, 1) && (len(r.Tools) == 0 || r.Rule.Then == policy.IsDenied) {
			continue
		}
		d.Rules = append(d.Rules, r)
	}
	if v.Operator {
		d.Doubts, d.Unlabelled = cat.RuleWarnings(), cat.ProposeUntrusted()
	}
}

// use counts the runs of each token.
func (v *view) use(d *policyPage) error {
	f := v.Filter()
	f.Since, f.Limit = time.Now().AddDate(0, 0, -d.Days), maxCounted+1
	by := map[string]*useOf{}
	n := 0
	for sum, err := range v.c.store.List(v.r.Context(), f) {
		if err != nil {
			continue
		}
		if n++; n > maxCounted {
			d.Counted = true
			break
		}
		u := by[sum.Subject]
		if u == nil {
			u = &useOf{Token: sum.Subject}
			by[sum.Subject], d.Use = u, append(d.Use, u)
		}
		u.Runs++
		u.Calls += sum.Calls
		u.Failed += sum.Failed
		if present.IsFailure(sum.Status) {
			u.FailedRuns++
		}
	}
	slices.SortFunc(d.Use, func(a, b *useOf) int { return cmp.Or(b.Calls-a.Calls, cmp.Compare(a.Token, b.Token)) })
	return v.r.Context().Err()
}

// may answers whether a token may call a tool.
func (k *known) may(all []holder, form url.Values) *mayQuestion {
	cat := k.cat
	m := &mayQuestion{Token: form.Get("token"), Tool: strings.TrimSpace(text.FirstBytes(form.Get("tool"), 500)),
		Args: strings.TrimSpace(form.Get("args"))}
	i := slices.IndexFunc(all, func(h holder) bool { return h.Token == m.Token })
	t, ok := cat.Registry.Tool(m.Tool)
	switch {
	case m.Tool == "":
		return m
	case i < 0:
		m.Problem = "This token does not exist, or you may not see its rules."
		return m
	case !ok || !k.shows(t): // the same message for both
		m.Problem = "No tool has this ID."
		m.Near = slices.DeleteFunc(cat.Nearest(m.Tool), func(id string) bool { return !k.showsID(id) })
		return m
	case len(m.Args) > maxLong:
		m.Problem = fmt.Sprintf("The arguments have more than %d bytes.", maxLong)
		m.Args = ""
		return m
	}
	var err error
	if m.Decision, err = decideFor(cat, all[i].policy, t, m.Args); err != nil {
		m.Problem = "The arguments are invalid: " + err.Error() + "."
		return m
	}
	m.Found = true
	m.Class, m.Why = cat.Class(t)
	return m
}

// decideFor returns the decision about a tool, or about one call with arguments.
func decideFor(cat *catalog.Catalog, p *policy.Policy, t *registry.Tool, args string) (policy.Decision, error) {
	if args == "" {
		return cat.Decide(p, t, nil), nil
	}
	read := registry.ReadArgs([]byte(args))
	if read.Err() != nil {
		return policy.Decision{}, read.Err()
	}
	return cat.DecideCall(p, t, read, nil, nil), nil
}
