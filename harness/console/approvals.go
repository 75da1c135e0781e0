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
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/show"
	"github.com/usetools/usetools/harness/record/store"
)

// Bounds of the page of what waits for a person.
const (
	// answeredSince is how long answers are listed.
	answeredSince = 24 * time.Hour
	maxAnswered   = 10
	lookedAt      = 40  // runs that are read for them, the latest
	maxRows       = 100 // calls that are shown, and answered, at a time
	// maxArguments bounds the arguments on a page, in bytes: calls behind them are
	// answered one by one.
	maxArguments = 512 << 10
)

// approvalPages adds the pages of what waits for a person.
func (c *Console) approvalPages(see func(pattern string, page func(*view) error)) {
	see("GET /approvals", func(v *view) error { return v.approvals("", nil) })
	see("GET /approvals/{id}", func(v *view) error { return v.approvals(v.r.PathValue("id"), nil) })
	see("POST /approvals", (*view).answer)
}

// mayAnswer reports whether a viewer may say yes or no to a call. A server's question in
// the middle of a call is for who sent the script, or the operator; who may approve of
// others' calls may say no to it.
func (v *view) mayAnswer(a *approval.Call) (yes, no bool) {
	no = v.MayAnswer(a.Run.Subject)
	if a.Question != nil {
		own := v.Operator || a.Run.Subject == v.Subject
		return own, own || no
	}
	return no, no
}

// waits returns what the viewer may see of what waits for a person, grouped, the oldest
// first, and how much it is in all.
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
	Own      bool // nothing of others is seen
	Chosen   *question
	Answered []*inboxItem
}

// inboxItem is an entry of the lists of what waits, with the calls that are shown with it, and
// of what was answered.
type inboxItem struct {
	*approval.Call
	Hue     string
	Times   int
	Current bool
	State   string // changes when the calls do
}

// Name is what the item is called: the tool, or that it is a dry run.
func (x *inboxItem) Name() string {
	if x.IsLedger() {
		return "a dry run"
	}
	return x.Tool
}

// Note says what is not as with other calls.
func (x *inboxItem) Note() string {
	switch {
	case x.IsLedger():
		return "all its calls at once"
	case x.Question != nil:
		return "its server asks something"
	}
	return ""
}

// Said is the answer in words, without its time and word.
func (x *inboxItem) Said() string {
	a := *x.Answer
	a.Head, a.Until, a.Word = record.Head{}, time.Time{}, ""
	return show.Said(&a, false)
}

// approvals shows the page, with the ask of an ID opened, or the oldest; filled is the
// form that a server's question was answered with, in vain.
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

// newInboxItem returns the entry of calls that are shown together; chosen is what is opened.
func newInboxItem(g []*approval.Call, hue func(string) string, chosen *question) *inboxItem {
	item := &inboxItem{Call: g[0], Hue: hue(g[0].Tool), Times: len(g)}
	for _, x := range g {
		if item.State += x.A + " "; chosen != nil && chosen.Run.ID == x.Run.ID && slices.Contains(chosen.Asks, x.A) {
			item.Current = true
		}
	}
	return item
}

// hues are the colours of tools, by their servers, and of Go packages; where the catalog
// cannot be loaded nothing has one.
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

// answered are the answers of the last day, of the latest runs, the last one first.
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
				out = append(out, &inboxItem{Call: approval.New(run, a), Hue: hue(a.Tool)})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *inboxItem) int { return b.Answer.Time.Compare(a.Answer.Time) })
	return out[:min(len(out), maxAnswered)], v.r.Context().Err()
}

// question is what a person is asked: a call, several that are much alike, the calls of
// a dry run, or what a server asks in the middle of a call.
type question struct {
	*approval.Call
	Hue                    string
	Asks                   []string // what of the run is shown
	ClassWhy               string
	Open                   bool
	Stands                 string // of one that is not open: what became of it
	Where                  *whereAsked
	Before                 []stepsBefore
	Others                 []*inboxItem // what else of the run waits
	Calls                  []askedCall
	Alike                  *batchDiff
	All, More              int // calls in all of a ledger, and calls that are not shown yet
	Form                   []formQuestion
	FormError              string
	Unreadable             string // a question that cannot be answered here
	MayYes, MayNo, SeesRun bool
	WhoMay                 string // where the viewer may not
}

// askedCall is a call that waits, or one in the ledger of a dry run, with its arguments.
type askedCall struct {
	*approval.Call  // nil in a ledger
	N               int
	Tool, Hue       string // in a ledger
	Class, At, From string // there too
	Line            int    // there too
	Args            string // whole, in one line, what is not visible escaped
	Pretty          string // the same in lines; "": there is nothing to be seen in lines
	Bytes           int
	Absent          bool // the record does not keep them
	Redacted        bool
	Large           bool // it is shown, and answered, by itself
	Odd             []string
	Ticked          bool
}

// whereAsked is the line of the script that makes a call, with those around it.
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

// question is a call, with those of its run that are much like it.
func (v *view) question(a *approval.Call, filled *filledForm, alone bool) (*question, error) {
	rv := show.New(a.Record)
	hue, packageHue := v.hues()
	q := &question{Call: a, Hue: hue(a.Tool), SeesRun: v.Sees(a.Run.Subject), WhoMay: whoMay(a)}
	_, q.ClassWhy, _ = strings.Cut(show.Class(a.Record, a.Ask), ": ")
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
		return "Answered: " + show.Said(a.Answer, false) + "."
	case time.Now().After(a.Until):
		return "Nobody answered in time: it could be answered until " + day(a.Until, time.Now()) + "."
	}
	return fmt.Sprintf("The run has ended (%s): nothing of this call is sent any more.", a.Run.Status)
}

// calls takes the calls that are shown, with their arguments whole.
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

// Shown counts the calls whose arguments are shown, which a yes to all is for.
func (q *question) Shown() int {
	n := 0
	for i := range q.Calls {
		if !q.Calls[i].Large {
			n++
		}
	}
	return n
}

// show takes arguments whole, as far as the record keeps them.
func (c *askedCall) show(raw json.RawMessage, d record.Data) {
	c.Redacted, c.Bytes = d.Redacted, d.Bytes
	if raw == nil {
		c.Absent = true
		return
	}
	c.Args = whole(string(raw))
	c.Odd = show.Odd(raw)
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") == nil && b.Len() <= maxArguments {
		c.Pretty = inLines(b.String())
	}
}

// inLines is a text with what is not visible escaped, but for the ends of its lines.
func inLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = whole(l)
	}
	return strings.Join(lines, "\n")
}

// whole is a text in one line, with what is not visible escaped.
func whole(s string) string { return show.Visible(s, math.MaxInt, false) }

// ledger takes the calls that a dry run would have made: the first of them whole.
func (q *question) ledger(hue func(string) string) {
	run := q.Record
	q.Calls = nil
	total := 0
	for _, m := range run.Calls {
		g := m.Guess
		if g == nil {
			continue
		}
		q.All++
		total += max(g.Args.Bytes, len(g.Args.JSON))
		if len(q.Calls) == maxRows || q.More > 0 || len(q.Calls) > 0 && total > maxArguments {
			q.More++
			continue
		}
		c := askedCall{N: len(q.Calls) + 1, Tool: g.Tool, Hue: hue(g.Tool), Class: string(g.Class),
			At: show.At(run, g.Path, g.Place), Line: show.Line(g.Place), From: "after that an answer was made up"}
		if g.From != "" {
			c.From = "answered from run " + g.From
		}
		raw, _ := run.Value(g.Args)
		c.show(raw, g.Args)
		q.Calls = append(q.Calls, c)
	}
}

// where is the line of the script that makes a call, with those around it; nil: it is
// not known.
func where(rv *show.View, a *approval.Call, hue func(pkg string) string) *whereAsked {
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

// before takes the calls that the run has made, by their tools.
func (q *question) before(rv *show.View, hue func(string) string) {
	at := map[string]int{}
	for _, s := range rv.Steps() {
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
		case show.Failed:
			b.Failed++
		case show.Unknown, show.Unread:
			b.Unknown++
		}
	}
}
