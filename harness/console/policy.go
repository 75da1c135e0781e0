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
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
	"github.com/usetools/usetools/wrappers/observe"
)

// Bounds of the page of policy and use.
const (
	maxHolders = 50   // columns of the matrix
	maxCounted = 1000 // runs that use is counted of
	maxShapes  = 50
	maxLong    = 64 << 10 // bytes of arguments that are asked about
)

// policyPages adds the page of policy and use.
func (c *Console) policyPages(see func(pattern string, page func(*view) error)) {
	see("GET /policy", (*view).policy)
}

// policyPage is the data of the page.
type policyPage struct {
	Loading  bool
	Operator bool
	Holders  []holder
	Rows     []matrixRow
	Lines    []policyLine // of the flags
	Rules    []ruleOf
	Doubts   []string
	Days     int
	Counted  bool // there were more runs than are counted
	Use      []useOf
	Shapes   []observe.Shape
	Asked    *mayQuestion
}

// holder is who may send scripts: the holder of a token, or, with Token "", who needs
// none.
type holder struct {
	Token, Name string
	Rights      []string
	policy      *policy.Policy
}

// matrixRow is the tools of a server for which the policy gives every holder the same
// verdicts; Verdicts has one for each holder.
type matrixRow struct {
	Server, Hue string
	Tools       []string
	Verdicts    []verdict
}

// verdict is an icon, ok, wait or bad, and its word.
type verdict struct{ Sign, Word string }

// policyLine is what a flag says.
type policyLine struct{ Flag, Text string }

// ruleOf is a rule of the config and the tools that it is for.
type ruleOf struct {
	Sign, Word, Text, Token string
	Tools                   []string
}

// useOf is what the runs of a token were.
type useOf struct {
	Name                            string
	Runs, FailedRuns, Calls, Failed int
	Href                            string
}

// mayQuestion is whether a token may call a tool, and its answer.
type mayQuestion struct {
	Token, Tool, Args string
	Sign, Word, Rule  string
	Class, Why        string
	Waits             string
	Problem           string
	Near              []string
	Found             bool
	Hue               string
	Whole             bool
}

// verdictSign is the icon and the word for a verdict.
func verdictSign(v policy.Verdict) (sign, word string) {
	switch v {
	case policy.IsDenied:
		return "bad", "denied"
	case policy.NeedsApproval:
		return "wait", "needs approval"
	}
	return "ok", "allowed"
}

// policy shows who may call what, and what was used.
func (v *view) policy() error {
	data := &policyPage{Operator: v.Operator, Days: 1}
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
	data.Holders = v.holders(cat)
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

// holders are those whose rows a viewer may see: all, or itself.
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
		h := holder{Token: name, Name: cmp.Or(name, "operator"), policy: as(name)}
		for _, r := range cat.Rights[name] {
			h.Rights = append(h.Rights, string(r))
		}
		out = append(out, h)
	}
	return out
}

// matrix decides for each holder and each tool that the viewer is shown.
func (d *policyPage) matrix(k *known) {
	at := map[string]int{} // server and verdicts to the index of a row
	for i := range k.cat.Registry.Tools {
		t := &k.cat.Registry.Tools[i]
		if !k.shows(t) {
			continue
		}
		row := matrixRow{Server: t.Server, Hue: k.hue(t.Server)}
		for _, h := range d.Holders {
			sign, word := verdictSign(k.cat.Decide(h.policy, t, nil).Verdict)
			row.Verdicts = append(row.Verdicts, verdict{sign, word})
		}
		key := fmt.Sprint(t.Server, row.Verdicts)
		n, ok := at[key]
		if !ok {
			n, at[key] = len(d.Rows), len(d.Rows)
			d.Rows = append(d.Rows, row)
		}
		d.Rows[n].Tools = append(d.Rows[n].Tools, t.ID)
	}
}

// rules takes the rules that the viewer may see: those of all, and its own, but for what
// they say of tools that it is not shown.
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
		one := ruleOf{Text: r.Rule.String(), Token: r.Rule.Token, Tools: r.Tools}
		one.Sign, one.Word = verdictSign(r.Rule.Then)
		d.Rules = append(d.Rules, one)
	}
	if v.Operator {
		d.Doubts = cat.RuleDoubts()
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
			u = &useOf{Name: cmp.Or(sum.Subject, "operator"), Href: "/runs"}
			if sum.Subject != "" {
				u.Href += "?" + url.Values{"subject": {sum.Subject}}.Encode()
			}
			by[sum.Subject] = u
		}
		u.Runs++
		u.Calls += sum.Calls
		u.Failed += sum.Failed
		if present.NotWell(sum.Status) {
			u.FailedRuns++
		}
	}
	for _, u := range by {
		d.Use = append(d.Use, *u)
	}
	slices.SortFunc(d.Use, func(a, b useOf) int { return cmp.Or(b.Calls-a.Calls, cmp.Compare(a.Name, b.Name)) })
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
		m.Problem = "There is no such token, or you may not see its rules."
		return m
	case !ok || !k.shows(t): // which says the same of both
		m.Problem = "There is no such tool."
		m.Near = slices.DeleteFunc(cat.Nearest(m.Tool), func(id string) bool { return !k.showsID(id) })
		return m
	case len(m.Args) > maxLong:
		m.Problem = fmt.Sprintf("The arguments have more than %d bytes.", maxLong)
		m.Args = ""
		return m
	}
	d, err := decideFor(cat, all[i].policy, t, m.Args)
	if err != nil {
		m.Problem = "The arguments are invalid: " + err.Error() + "."
		return m
	}
	m.Found, m.Hue, m.Rule, m.Whole = true, k.hue(t.Server), d.Rule, d.Whole
	m.Sign, m.Word = verdictSign(d.Verdict)
	class, why := cat.Class(t)
	m.Class, m.Why = string(class), why
	if d.Verdict == policy.NeedsApproval && d.For > 0 {
		m.Waits = fmt.Sprintf("%.0f hours", d.For.Hours())
		if days := d.For.Hours() / 24; days == float64(int(days)) && days > 1 {
			m.Waits = fmt.Sprintf("%.0f days", days)
		}
	}
	return m
}

// decideFor is what a policy says of a tool, or of one call with arguments.
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
