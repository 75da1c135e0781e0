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

// mayAnswer reports whether a viewer may say yes or no to an ask. A server's question in
// the middle of a call is for who sent the script, or the operator; who may approve of
// others' calls may say no to it.
func (v *view) mayAnswer(subject string, a *record.Ask) (yes, no bool) {
	no = v.MayAnswer(subject)
	if a.Question != nil {
		own := v.Operator || subject == v.Subject
		return own, own || no
	}
	return no, no
}

// waits returns what the viewer may see of what waits for a person, grouped, the oldest
// first, and how much it is in all.
func (v *view) waits() (groups [][]*waitingAsk, all waitCount, err error) {
	subject := v.Filter().Subject
	if v.Approves {
		subject = nil
	}
	asks, of := waitingAsks(v.r.Context(), v.c.store, subject, v.mayLook)
	for subject, n := range of {
		if v.mayLook(subject) {
			all.Calls, all.Runs = all.Calls+n.Calls, all.Runs+n.Runs
		}
	}
	return grouped(asks), all, v.r.Context().Err()
}

// approvalsPage is the data of the page.
type approvalsPage struct {
	Items    []inboxItem
	All      waitCount
	Listed   int  // of its calls
	Own      bool // nothing of others is seen
	Chosen   *question
	Answered []answeredAsk
}

// inboxItem is an entry of the list of what waits.
type inboxItem struct {
	ID, Tool, Hue, Title, Subject, Note, Left string
	Times                                     int
	Current                                   bool
	State                                     string // changes when the calls do
}

// answeredAsk is an entry of the list of what was answered.
type answeredAsk struct {
	ID, Run, Tool, Hue, Said, Word string
	Yes                            bool
	Time                           time.Time
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
		run, a, err := v.c.store.Asked(id)
		switch {
		case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrAmbiguous),
			err == nil && (!v.mayLook(run.Begin.Subject) || id != record.ApprovalID(run.Begin.ID, a.A) && id != run.Begin.ID):
			p := &problem{Status: http.StatusNotFound, Title: "No such question", Next: "/approvals", Do: "What waits"}
			p.Text = "Nothing of this ID waits here, or it is not for you. Records are removed when they are old."
			return p
		case err != nil:
			return err
		}
		if data.Chosen, err = v.question(run, a, filled, v.r.URL.Query().Get("alone") != ""); err != nil {
			return err
		}
	}
	for _, g := range groups {
		data.Listed += len(g)
		data.Items = append(data.Items, inboxItemOf(g, hue, data.Chosen))
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

// inboxItemOf is the entry of calls that are shown together; chosen is what is opened.
func inboxItemOf(g []*waitingAsk, hue func(string) string, chosen *question) inboxItem {
	a := g[0]
	item := inboxItem{ID: a.ID, Tool: a.Tool, Hue: hue(a.Tool), Times: len(g), Title: titled(a.Run),
		Subject: a.Run.Subject, Left: show.Ago(a.Time, time.Now())}
	switch {
	case a.A == record.Ledger:
		item.Tool, item.Hue, item.Note = "a dry run", "", "all its calls at once"
	case a.Question:
		item.Note = "its server asks something"
	}
	for _, x := range g {
		if item.State += x.A + " "; chosen != nil && chosen.Run == a.Run.ID && slices.Contains(chosen.Asks, x.A) {
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
	return func(tool string) string { return k.hue(serverOf(tool)) }, k.hueOfPackage
}

// answered are the answers of the last day, of the latest runs, the last one first.
func (v *view) answered(hue func(string) string) ([]answeredAsk, error) {
	f := v.Filter()
	f.Since, f.Limit = time.Now().Add(-waitsSince), 10*lookedAt
	var out []answeredAsk
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
			if a.Answer == nil || time.Since(a.Answer.Time) > answeredSince {
				continue
			}
			x := answeredAsk{ID: record.ApprovalID(sum.ID, a.A), Run: sum.ID, Tool: a.Tool, Hue: hue(a.Tool), Yes: a.Answer.Yes,
				Said: show.Said(&record.Answer{Yes: a.Answer.Yes, Whole: a.Answer.Whole, Who: a.Answer.Who,
					How: a.Answer.How}, false), Word: a.Answer.Word, Time: a.Answer.Time}
			if a.A == record.Ledger {
				x.Tool, x.Hue = "all calls of a dry run", ""
			}
			out = append(out, x)
		}
	}
	slices.SortStableFunc(out, func(a, b answeredAsk) int { return b.Time.Compare(a.Time) })
	return out[:min(len(out), maxAnswered)], v.r.Context().Err()
}

// question is what a person is asked: a call, several that are much alike, the calls of
// a dry run, or what a server asks in the middle of a call.
type question struct {
	ID, Run, Title, Tool, Hue string
	Asks                      []string // what of the run is shown
	Sum                       *record.Summary
	Class, ClassWhy, Why      string
	Ledger, Whole             bool
	Until                     time.Time
	Open                      bool
	Stands                    string // of one that is not open: what became of it
	At                        string
	Line                      int
	Where                     *whereAsked
	Before                    []stepsBefore
	Others                    []inboxItem // what else of the run waits
	Value                     string      // ID and digest that the form sends where there is one call
	Calls                     []askedCall
	Alike                     *batchDiff
	All, More                 int // calls in all of a ledger, and calls that are not shown yet
	Form                      []formQuestion
	FormError                 string
	Unreadable                string // a question that cannot be answered here
	MayYes, MayNo, SeesRun    bool
	WhoMay                    string // where the viewer may not
}

// askedCall is a call that waits; Value is what a form sends for it.
type askedCall struct {
	N               int
	ID, Value       string
	Tool, Hue       string // in the ledger of a dry run
	Class, At, From string // there too
	Line            int
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

// question is an ask of a run, with those that are much like it.
func (v *view) question(run *record.Run, a *record.Asked, filled *filledForm, alone bool) (*question, error) {
	sum, rv := run.Summary(), show.New(run)
	hue, packageHue := v.hues()
	q := &question{ID: record.ApprovalID(sum.ID, a.A), Run: sum.ID, Title: titled(sum), Tool: a.Tool, Hue: hue(a.Tool),
		Sum: sum,
		Why: a.Why, Class: string(a.Class), Ledger: a.A == record.Ledger,
		Whole: a.Whole, Until: a.Until, At: show.At(run, a.Path, a.Place), Line: show.Line(a.Place),
		SeesRun: v.Sees(sum.Subject),
		WhoMay:  whoMay(a.Ask), Value: record.ApprovalID(sum.ID, a.A) + " " + a.Digest}
	_, q.ClassWhy, _ = strings.Cut(show.NewApproval(run, a).Class(), ": ")
	q.MayYes, q.MayNo = v.mayAnswer(sum.Subject, a.Ask)
	together := []*record.Asked{a}
	if q.Open = slices.Contains(run.Open(), a) && run.Waits(a); !q.Open {
		q.Stands = stands(run, a)
	} else if !alone {
		together = slices.DeleteFunc(run.Open(), func(x *record.Asked) bool {
			return newWaitingAsk(sum, x).kin() != newWaitingAsk(sum, a).kin()
		})
	}
	v.calls(q, run, together)
	if q.Ledger {
		q.ledger(run, hue)
	}
	if a.Question != nil {
		q.form(a, filled)
	}
	q.Where = where(rv, a, packageHue)
	q.before(rv, hue)
	var others []*waitingAsk
	for _, x := range run.Open() {
		if o := newWaitingAsk(sum, x); run.Waits(x) && o.kin() != newWaitingAsk(sum, a).kin() {
			others = append(others, o)
		}
	}
	for _, g := range grouped(others) {
		q.Others = append(q.Others, inboxItemOf(g, hue, nil))
	}
	return q, nil
}

// stands is what became of an ask.
func stands(run *record.Run, a *record.Asked) string {
	switch {
	case a.Answer != nil:
		return "Answered: " + show.Said(a.Answer, false) + "."
	case time.Now().After(a.Until):
		return "Nobody answered in time: it could be answered until " + day(a.Until, time.Now()) + "."
	}
	return fmt.Sprintf("The run has ended (%s): nothing of this call is sent any more.", run.Summary().Status)
}

// calls takes the calls that are shown, with their arguments whole.
func (v *view) calls(q *question, run *record.Run, asks []*record.Asked) {
	if len(asks) > maxRows {
		q.More = len(asks) - maxRows
		asks = asks[:maxRows]
	}
	total := 0
	var raws []json.RawMessage
	for i, a := range asks {
		q.Asks = append(q.Asks, a.A)
		c := askedCall{N: i + 1, ID: record.ApprovalID(run.Begin.ID, a.A), Ticked: true, Line: q.Line}
		c.Value = c.ID + " " + a.Digest
		if total += max(a.Args.Bytes, len(a.Args.JSON)); len(asks) > 1 && total > maxArguments {
			c.Large, c.Ticked = true, false
			c.Bytes = a.Args.Bytes
		} else {
			raw, _ := run.Value(a.Args)
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
func (q *question) ledger(run *record.Run, hue func(string) string) {
	q.Tool, q.Hue, q.Calls = "a dry run", "", nil
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
func where(rv *show.View, a *record.Asked, hue func(pkg string) string) *whereAsked {
	x := rv.Around(a.Path, a.Place)
	if x == nil || a.A == record.Ledger {
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
