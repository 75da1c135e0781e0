package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/approval"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// Limits of the page of pending calls.
const (
	// answeredSince is how long answers stay listed.
	answeredSince = 24 * time.Hour
	maxAnswered   = 10
	lookedAt      = 40  // latest runs that are searched for answers
	maxRows       = 100 // calls that are shown, and answered, at a time
	// maxArguments limits the arguments on a page, in bytes. Calls beyond it are answered one by
	// one.
	maxArguments = 512 << 10
)

// mayAnswer reports whether the viewer may approve or reject a call. The sender of the script and
// the operator answer a server's question; viewers that may approve calls of others may reject it.
func (v *view) mayAnswer(a *approval.Call) (yes, no bool) {
	no = v.MayAnswer(a.Run.Subject)
	if a.Question != nil {
		own := v.Operator || a.Run.Subject == v.Subject
		return own, own || no
	}
	return no, no
}

// waits returns the pending calls that the viewer may see, grouped, oldest first, and counts all of
// them.
func (v *view) waits() (groups [][]*approval.Call, all waitCount, err error) {
	subject := v.Filter().Subject
	if v.Approves {
		subject = nil
	}
	calls, of := waitingCalls(v.r.Context(), v.c.store, subject, v.mayLook)
	for subject, n := range of {
		if v.mayLook(subject) {
			all.Calls, all.Runs = all.Calls+n.Calls, all.Runs+n.Runs
		}
	}
	return grouped(calls), all, v.r.Context().Err()
}

// approvalsPage is the data of the page.
type approvalsPage struct {
	Items    []*inboxItem
	All      waitCount
	Listed   int  // number of listed calls
	Own      bool // the viewer sees only its own calls
	Chosen   *question
	Answered []*inboxItem
}

// inboxItem is an entry in the list of pending calls, or in the list of answers. Times is the
// number of calls that are shown together.
type inboxItem struct {
	*approval.Call
	Hue     string
	Times   int
	Current bool
	State   string // changes with the calls
}

// Name returns the tool, or "a dry run".
func (x *inboxItem) Name() string {
	if x.IsLedger() {
		return "a dry run"
	}
	return x.Tool
}

// Note returns the kind of the entry, or "" for a single call.
func (x *inboxItem) Note() string {
	switch {
	case x.IsLedger():
		return "all its calls at once"
	case x.Question != nil:
		return "question of its server"
	}
	return ""
}

// AnswerLine returns the answer in words, without times and reason.
func (x *inboxItem) AnswerLine() string {
	a := *x.Answer
	a.Head, a.Until, a.Word = record.Head{}, time.Time{}, ""
	return present.AnswerLine(&a, false)
}

// approvals shows the page with one call opened: the call of the ID or, without an ID, the oldest.
// filled is a rejected form with answers to a server's question, or nil.
func (v *view) approvals(id string, filled []formQuestion) error {
	if err := v.turn(); err != nil {
		return err
	}
	groups, all, err := v.waits()
	if err != nil {
		return err
	}
	data := &approvalsPage{All: all, Own: !v.Approves}
	if id == "" && len(groups) > 0 {
		id = groups[0][0].ID
	}
	hue, _ := v.hues()
	if id != "" {
		if err := v.fits(id); err != nil {
			return err
		}
		a, err := approval.Load(v.c.store, id)
		switch {
		case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrAmbiguous),
			err == nil && (!v.mayLook(a.Run.Subject) || id != a.ID && id != a.Run.ID):
			p := &problem{Status: http.StatusNotFound, Title: "No such approval", Next: "/approvals", Do: "Approvals"}
			p.Text = "No call with this ID needs approval, or you do not have access. Old records are removed."
			return p
		case err != nil:
			return err
		}
		if data.Chosen, err = v.question(a, filled, v.r.URL.Query().Get("alone") != ""); err != nil {
			return err
		}
	}
	for _, g := range groups {
		data.Listed += len(g)
		data.Items = append(data.Items, newInboxItem(g, hue, data.Chosen))
	}
	if data.Answered, err = v.answered(hue); err != nil {
		return err
	}
	status := http.StatusOK
	if filled != nil {
		status = http.StatusUnprocessableEntity
	}
	v.write(status, "approvals.html", &Page{Title: "Approvals", Nav: "approvals", Class: "apprpage",
		Live: []string{topicApprovals, topicRuns}, Module: "approvals.js", Data: data})
	return nil
}

// fits returns a *problem if the record of the approval's run is too large for a page.
func (v *view) fits(id string) error {
	run, _, _ := strings.Cut(id, ".")
	first, size, err := v.c.store.First(run)
	switch {
	case err != nil || size <= maxShownRecord || !v.mayLook(first.Subject): // reported with the approval
		return nil
	case v.Sees(first.Subject):
		return v.tooLarge(first.ID, size)
	}
	return &problem{Status: http.StatusRequestEntityTooLarge, Title: "Too large for a page", Next: "/approvals", Do: "Approvals",
		Text: "The record of the run is too large for a page." + v.terminal("approvals", "show", id)}
}

// newInboxItem returns the entry for calls that are shown together. chosen is the opened call.
func newInboxItem(g []*approval.Call, hue func(string) string, chosen *question) *inboxItem {
	item := &inboxItem{Call: g[0], Hue: hue(g[0].Tool), Times: len(g)}
	for _, x := range g {
		if item.State += x.A + " "; chosen != nil && chosen.Run.ID == x.Run.ID && slices.Contains(chosen.Asks, x.A) {
			item.Current = true
		}
	}
	return item
}

// hues returns the colours of tools, by server, and of Go packages. Without a catalog it returns
// no colours.
func (v *view) hues() (toolHue, packageHue func(string) string) {
	k, err := v.known()
	if err != nil || k == nil {
		none := func(string) string { return "" }
		return none, none
	}
	return func(tool string) string {
		if tool == "" { // a dry run
			return ""
		}
		return k.hue(serverOf(tool))
	}, k.hueOfPackage
}

// answered returns the last day's answers to calls of the latest runs, latest first.
func (v *view) answered(hue func(string) string) ([]*inboxItem, error) {
	f := v.Filter()
	f.Since, f.Limit = time.Now().Add(-waitsSince), 10*lookedAt
	var out []*inboxItem
	read := 0
	for sum, err := range v.c.store.List(v.r.Context(), f) {
		if err != nil || sum.Asks == 0 {
			continue
		}
		if read++; read > lookedAt {
			break
		}
		run, err := v.c.store.LoadListed(sum, maxScanned)
		if err != nil {
			continue
		}
		for _, a := range run.Asks {
			if a.Answer != nil && time.Since(a.Answer.Time) <= answeredSince {
				out = append(out, &inboxItem{Call: approval.New(run, a).Head(), Hue: hue(a.Tool)})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *inboxItem) int { return b.Answer.Time.Compare(a.Answer.Time) })
	return out[:min(len(out), maxAnswered)], v.r.Context().Err()
}

// question is the panel of an opened call: one call, several calls shown together, the calls of a
// dry run, or a server's question.
type question struct {
	*approval.Call
	Hue                    string
	Asks                   []string // the displayed asks of the run
	Open                   bool
	Closed                 string        // why the call can no longer be answered
	Facts, Shown, Context  template.HTML // Shown is empty for calls that are shown together
	Others                 []*inboxItem  // other pending calls of the run
	Calls                  []askedCall
	Diff                   *batchDiff
	More                   int // number of omitted calls
	Form                   []formQuestion
	Unreadable             string // why the question cannot be answered here
	MayYes, MayNo, SeesRun bool
	WhoMay                 string // sentence about the people that may answer instead
}

// askedCall is one of several pending calls that are shown together.
type askedCall struct {
	*approval.Call
	N       int
	Shown   template.HTML // its arguments
	Remarks []string      // how it differs from the other calls
	Large   bool          // it must be shown and answered alone
	Ticked  bool
}

// question returns the panel of a call. alone omits the calls that are shown together with it.
func (v *view) question(a *approval.Call, filled []formQuestion, alone bool) (*question, error) {
	hue, _ := v.hues()
	q := &question{Call: a, Hue: hue(a.Tool), SeesRun: v.Sees(a.Run.Subject), WhoMay: whoMay(a)}
	q.MayYes, q.MayNo = v.mayAnswer(a)
	var together, others []*approval.Call
	for _, x := range approval.Open(a.Record) {
		q.Open = q.Open || x.A == a.A
		switch {
		case groupKey(x) != groupKey(a):
			others = append(others, x)
		case !alone || x.A == a.A:
			together = append(together, x)
		}
	}
	if !q.Open {
		q.Closed, together = whyClosed(a), []*approval.Call{a}
	}
	for _, g := range grouped(others) {
		q.Others = append(q.Others, newInboxItem(g, hue, nil))
	}
	if a.Question != nil {
		q.form(filled)
	}
	var shown present.Document
	switch {
	case a.IsLedger():
		shown = q.ledger()
	case len(together) == 1:
		args, _ := a.Record.Value(a.Args)
		shown = append(present.Args(outcome.ArgsTitle(a.Question), a.Record, a.Args), present.Origins(args, a.Origins, a.Late)...)
	}
	page := ""
	if q.SeesRun {
		page = "/runs/" + link(a.Run.ID)
	}
	var err error
	for _, part := range []struct {
		to  *template.HTML
		doc present.Document
	}{{&q.Facts, present.Document{a.Facts(time.Now())}}, {&q.Shown, shown}, {&q.Context, a.Context(page)}} {
		if *part.to, err = v.html(part.doc); err != nil {
			return nil, err
		}
	}
	return q, v.fillCalls(q, together)
}

// oneLine returns a text as one line, with invisible characters escaped.
func oneLine(s string) string { return present.Visible(s, math.MaxInt, false) }

// visibleText returns a text with invisible characters escaped, except newlines.
func visibleText(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = oneLine(l)
	}
	return strings.Join(lines, "\n")
}

// whyClosed returns why a call cannot be answered.
func whyClosed(a *approval.Call) string {
	switch {
	case a.Answer != nil:
		return "Already " + present.AnswerLine(a.Answer, false) + "."
	case time.Now().After(a.Until):
		return "The call expired without an answer: " + a.Until.Local().Format(time.DateTime) + "."
	}
	return fmt.Sprintf("The run has ended (%s): the call will not be sent.", a.Run.Status)
}

// fillCalls sets the calls that are answered together, with remarks about calls that stand out.
func (v *view) fillCalls(q *question, all []*approval.Call) error {
	if len(all) > maxRows {
		q.More = len(all) - maxRows
		all = all[:maxRows]
	}
	total, large := 0, false
	var raws []json.RawMessage
	for i, a := range all {
		q.Asks = append(q.Asks, a.A)
		c := askedCall{Call: a, N: i + 1}
		raw, _ := a.Record.Value(a.Args)
		if total += max(a.Args.Bytes, len(raw)); len(all) > 1 && total > maxArguments {
			c.Large = true
		} else if len(all) > 1 {
			var err error
			if c.Shown, err = v.html(present.Args("", a.Record, a.Args)); err != nil {
				return err
			}
			c.Remarks = present.DeceptiveTexts(raw)
		}
		large = large || c.Large || raw == nil
		raws, q.Calls = append(raws, raw), append(q.Calls, c)
	}
	if !large {
		q.Diff = compareCalls(raws)
	}
	for i := range q.Calls {
		c := &q.Calls[i]
		if q.Diff != nil {
			c.Remarks = append(q.Diff.Remarks[i], c.Remarks...)
		}
		c.Ticked = !c.Large && (q.Diff == nil || len(c.Remarks) == 0)
	}
	return nil
}

// CountShown returns the number of calls with displayed arguments: those that "Approve all"
// approves.
func (q *question) CountShown() int {
	return len(slices.DeleteFunc(slices.Clone(q.Calls), func(c askedCall) bool { return c.Large }))
}

// ledger returns the calls that a dry run did not send, as far as they fit the limits.
func (q *question) ledger() present.Document {
	all := outcome.Ledger(q.Record)
	n, total := 0, 0
	for ; n < min(len(all), maxRows); n++ {
		if total += max(all[n].Bytes, len(all[n].Args)); n > 0 && total > maxArguments {
			break
		}
	}
	q.More = len(all) - n
	return outcome.LedgerCalls(all[:n])
}
