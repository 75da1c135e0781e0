package console

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/approval"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// Bounds of the page of pending calls.
const (
	// answeredSince is how long answers are listed.
	answeredSince = 24 * time.Hour
	maxAnswered   = 10
	lookedAt      = 40  // the latest runs, which are read for answers
	maxRows       = 100 // calls that are shown, and answered, at a time
	// maxArguments bounds the arguments on a page, in bytes. Calls beyond it are
	// answered one by one.
	maxArguments = 512 << 10
)

// approvalPages adds the pages of pending calls.
func (c *Console) approvalPages(see func(pattern string, page func(*view) error)) {
	see("GET /approvals", func(v *view) error { return v.approvals("", nil) })
	see("GET /approvals/{id}", func(v *view) error { return v.approvals(v.r.PathValue("id"), nil) })
	see("POST /approvals", (*view).answer)
}

// mayAnswer reports whether the viewer may approve or reject a call. A server's question is
// answered by the sender of the script or the operator; viewers that may approve the calls of
// others may reject it.
func (v *view) mayAnswer(a *approval.Call) (yes, no bool) {
	no = v.MayAnswer(a.Run.Subject)
	if a.Question != nil {
		own := v.Operator || a.Run.Subject == v.Subject
		return own, own || no
	}
	return no, no
}

// waits returns the pending calls that the viewer may see, grouped, the oldest first, and
// counts all of them.
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
	Listed   int  // of its calls
	Own      bool // the viewer sees only its own
	Chosen   *question
	Answered []*inboxItem
}

// inboxItem is an entry of the list of pending calls, with the number of calls that are shown
// with it, or of the list of answers.
type inboxItem struct {
	*approval.Call
	Hue     string
	Times   int
	Current bool
	State   string // changes when the calls do
}

// Name returns the tool, or "a dry run".
func (x *inboxItem) Name() string {
	if x.IsLedger() {
		return "a dry run"
	}
	return x.Tool
}

// Note says what kind of call it is, if it is not a single call.
func (x *inboxItem) Note() string {
	switch {
	case x.IsLedger():
		return "all its calls at once"
	case x.Question != nil:
		return "its server asks something"
	}
	return ""
}

// Said returns the answer in words, without its times and its word.
func (x *inboxItem) Said() string {
	a := *x.Answer
	a.Head, a.Until, a.Word = record.Head{}, time.Time{}, ""
	return present.Said(&a, false)
}

// approvals shows the page with one call opened: that of the ID or, without an ID, the oldest.
// filled is a rejected form with answers to a server's question, if any.
func (v *view) approvals(id string, filled *filledForm) error {
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
			p := &problem{Status: http.StatusNotFound, Title: "No such question", Next: "/approvals", Do: "What waits"}
			p.Text = "Nothing of this ID waits here, or it is not for you. Records are removed when they are old."
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

// fits returns a *problem for an approval of a run whose record is too large for a page.
func (v *view) fits(id string) error {
	run, _, _ := strings.Cut(id, ".")
	first, size, err := v.c.store.First(run)
	switch {
	case err != nil || size <= maxShownRecord || !v.mayLook(first.Subject): // which is said with the approval
		return nil
	case v.Sees(first.Subject):
		return v.tooLarge(first.ID, size)
	}
	return &problem{Status: http.StatusRequestEntityTooLarge, Title: "Too large for a page", Next: "/approvals", Do: "What waits",
		Text: "The record of the run that asks is too large for a page." + v.terminal("approvals", "show", id)}
}

// newInboxItem returns the entry of calls that are shown together. chosen is the opened call.
func newInboxItem(g []*approval.Call, hue func(string) string, chosen *question) *inboxItem {
	item := &inboxItem{Call: g[0], Hue: hue(g[0].Tool), Times: len(g)}
	for _, x := range g {
		if item.State += x.A + " "; chosen != nil && chosen.Run.ID == x.Run.ID && slices.Contains(chosen.Asks, x.A) {
			item.Current = true
		}
	}
	return item
}

// hues return the colours of tools, by their servers, and of Go packages. Without a catalog
// nothing has a colour.
func (v *view) hues() (toolHue, packageHue func(string) string) {
	k, err := v.known()
	if err != nil || k == nil {
		none := func(string) string { return "" }
		return none, none
	}
	return func(tool string) string {
		if tool == "" { // all calls of a dry run
			return ""
		}
		return k.hue(serverOf(tool))
	}, k.hueOfPackage
}

// answered returns the answers of the last day to calls of the latest runs, the latest first.
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

// question is the panel of an opened call: of one call, of several that are shown together, of
// the calls of a dry run, or of a server's question.
type question struct {
	*approval.Call
	Hue                    string
	Asks                   []string // the asks of the run that are shown
	ClassWhy               string
	Open                   bool
	Stands                 string // what became of a call that is not open
	Where                  *whereAsked
	Before                 []stepsBefore
	Others                 []*inboxItem // other pending calls of the run
	Calls                  []askedCall
	Alike                  *batchDiff
	All, More              int // all calls of a ledger, and calls that are not shown
	Form                   []formQuestion
	FormError              string
	Unreadable             string // a question that cannot be answered here
	MayYes, MayNo, SeesRun bool
	WhoMay                 string // who may answer instead
}

// askedCall is a pending call, or one in the ledger of a dry run, with its arguments.
type askedCall struct {
	*approval.Call  // nil in a ledger
	N               int
	Tool, Hue       string // in a ledger, as Class, At, From and Line
	Class, At, From string
	Line            int
	Args            string // all, on one line, with invisible characters escaped
	Pretty          string // the same, indented; "" if it cannot be
	Bytes           int
	Absent          bool // the record does not keep them
	Redacted        bool
	Large           bool // it is shown, and answered, alone
	Odd             []string
	Ticked          bool
}

// whereAsked is the line of the script that makes a call, with the lines around it.
type whereAsked struct {
	Name  string // of a saved script
	Lines []excerptLine
}

type excerptLine struct {
	N     int
	On    bool
	Spans []span
}

// stepsBefore are the calls of a tool that the run has made.
type stepsBefore struct {
	Tool, Hue, Class       string
	Times, Failed, Unknown int
	First                  int // number of the first
}

// question returns the panel of a call. alone leaves out the calls that are shown with it.
func (v *view) question(a *approval.Call, filled *filledForm, alone bool) (*question, error) {
	rv := present.New(a.Record)
	hue, packageHue := v.hues()
	q := &question{Call: a, Hue: hue(a.Tool), SeesRun: v.Sees(a.Run.Subject), WhoMay: whoMay(a)}
	_, q.ClassWhy, _ = strings.Cut(present.Class(a.Record, a.Ask), ": ")
	q.MayYes, q.MayNo = v.mayAnswer(a)
	var together, others []*approval.Call
	for _, x := range approval.Open(a.Record) {
		q.Open = q.Open || x.A == a.A
		switch {
		case kin(x) != kin(a):
			others = append(others, x)
		case !alone || x.A == a.A:
			together = append(together, x)
		}
	}
	if !q.Open {
		q.Stands, together = stands(a), []*approval.Call{a}
	}
	q.calls(together)
	if a.IsLedger() {
		q.ledger(hue)
	}
	if a.Question != nil {
		q.form(filled)
	}
	q.Where = where(rv, a, packageHue)
	q.before(rv, hue)
	for _, g := range grouped(others) {
		q.Others = append(q.Others, newInboxItem(g, hue, nil))
	}
	return q, nil
}

// stands says what became of a call that cannot be answered.
func stands(a *approval.Call) string {
	switch {
	case a.Answer != nil:
		return "Answered: " + present.Said(a.Answer, false) + "."
	case time.Now().After(a.Until):
		return "Nobody answered in time: it could be answered until " + day(a.Until, time.Now()) + "."
	}
	return fmt.Sprintf("The run has ended (%s): nothing of this call is sent any more.", a.Run.Status)
}

// calls sets the calls that are shown, with all their arguments.
func (q *question) calls(all []*approval.Call) {
	if len(all) > maxRows {
		q.More = len(all) - maxRows
		all = all[:maxRows]
	}
	total := 0
	var raws []json.RawMessage
	for i, a := range all {
		q.Asks = append(q.Asks, a.A)
		c := askedCall{Call: a, N: i + 1, Ticked: true}
		if total += max(a.Args.Bytes, len(a.Args.JSON)); len(all) > 1 && total > maxArguments {
			c.Large, c.Ticked = true, false
			c.Bytes = a.Args.Bytes
		} else {
			raw, _ := a.Record.Value(a.Args)
			c.show(raw, a.Args)
			raws = append(raws, raw)
		}
		q.Calls = append(q.Calls, c)
	}
	if slices.ContainsFunc(q.Calls, func(c askedCall) bool { return c.Absent || c.Large }) {
		return
	}
	if q.Alike = compareCalls(raws); q.Alike == nil {
		return
	}
	for i := range q.Calls {
		c := &q.Calls[i]
		if len(q.Alike.Remarks[i])+len(c.Odd) > 0 {
			c.Ticked = false
		}
	}
}

// Shown counts the calls whose arguments are shown: those that "Yes to all" approves.
func (q *question) Shown() int {
	n := 0
	for i := range q.Calls {
		if !q.Calls[i].Large {
			n++
		}
	}
	return n
}

// show sets the arguments as far as the record keeps them.
func (c *askedCall) show(raw json.RawMessage, d record.Data) {
	c.Redacted, c.Bytes = d.Redacted, d.Bytes
	if raw == nil {
		c.Absent = true
		return
	}
	c.Args = whole(string(raw))
	c.Odd = present.Odd(raw)
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") == nil && b.Len() <= maxArguments {
		c.Pretty = inLines(b.String())
	}
}

// inLines returns a text with invisible characters escaped, except ends of lines.
func inLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = whole(l)
	}
	return strings.Join(lines, "\n")
}

// whole returns a text on one line, with invisible characters escaped.
func whole(s string) string { return present.Visible(s, math.MaxInt, false) }

// ledger sets the calls that a dry run did not make: the first ones, with all arguments.
func (q *question) ledger(hue func(string) string) {
	run := q.Record
	q.Calls = nil
	total := 0
	for _, g := range run.Ledger() {
		q.All++
		total += max(g.Args.Bytes, len(g.Args.JSON))
		if len(q.Calls) == maxRows || q.More > 0 || len(q.Calls) > 0 && total > maxArguments {
			q.More++
			continue
		}
		c := askedCall{N: len(q.Calls) + 1, Tool: g.Tool, Hue: hue(g.Tool), Class: string(g.Class),
			At: present.At(run, g.Path, g.Place), Line: record.PlaceLine(g.Place), From: g.Source()}
		raw, _ := run.Value(g.Args)
		c.show(raw, g.Args)
		q.Calls = append(q.Calls, c)
	}
}

// where returns the line of the script that makes a call, with the lines around it, or nil if
// it is not known.
func where(rv *present.View, a *approval.Call, hue func(pkg string) string) *whereAsked {
	x := rv.Around(a.Path, a.Place)
	if x == nil || a.IsLedger() {
		return nil
	}
	out := &whereAsked{Name: x.Name}
	spans := highlight(strings.Join(x.Lines, "\n"), hue)
	for i := range x.Lines {
		l := excerptLine{N: x.First + i, On: x.First+i == x.Line}
		if i < len(spans) {
			l.Spans = spans[i]
		}
		out.Lines = append(out.Lines, l)
	}
	return out
}

// before sets the calls that the run has made, by tool.
func (q *question) before(rv *present.View, hue func(string) string) {
	at := map[string]int{}
	for _, s := range rv.Sent() {
		i, ok := at[s.Place.Tool]
		if !ok {
			i = len(q.Before)
			at[s.Place.Tool] = i
			q.Before = append(q.Before, stepsBefore{Tool: s.Place.Tool, Hue: hue(s.Place.Tool), Class: string(s.Place.Class),
				First: s.N})
		}
		b := &q.Before[i]
		b.Times++
		switch s.State {
		case present.Failed:
			b.Failed++
		case present.Unknown, present.Unread:
			b.Unknown++
		}
	}
}
