package console

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/show"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/text"
)

// Bounds of the page of what waits for a person.
const (
	// askedSince is how old runs may be that still ask.
	askedSince = 31 * 24 * time.Hour
	// answeredSince is how long answers are listed, of the latest runs.
	answeredSince = 24 * time.Hour
	maxAnswered   = 10
	lookedAt      = 40 // runs that are read for them
	maxAsked      = 1000
	maxRows       = 100 // calls that are shown, and answered, at a time
	// maxArguments bounds the arguments on a page, in bytes: calls behind them are
	// answered one by one.
	maxArguments = 512 << 10
	maxWord      = 1000 // characters
	maxTold      = 5    // sentences of what went wrong
)

// approvalPages adds the pages of what waits for a person.
func (c *Console) approvalPages(see func(pattern string, page func(*view) error)) {
	see("GET /approvals", func(v *view) error { return v.approvals("", nil) })
	see("GET /approvals/{id}", func(v *view) error { return v.approvals(v.r.PathValue("id"), nil) })
	see("POST /approvals", (*view).answer)
}

// alikeAsks are open asks of one run for the same tool at the same place: they are
// shown together.
type alikeAsks struct {
	ID    string // of the first
	Run   *record.Summary
	Asks  []*record.Asked
	First time.Time
}

// kin is what asks have in common that are shown together. A server's question and the
// ledger of a dry run stand alone.
func kin(run string, a *record.Asked) string {
	if a.Question != nil || a.A == record.Ledger {
		return record.ApprovalID(run, a.A)
	}
	return fmt.Sprintf("%s %q %q", run, a.Tool, a.Place)
}

// mayLook reports whether a viewer may see what the runs of a subject ask.
func (v *view) mayLook(subject string) bool { return v.Sees(subject) || v.MayAnswer(subject) }

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

// waits returns what waits for a person that the viewer may see, the oldest first.
func (v *view) waits() ([]*alikeAsks, error) {
	f := &record.Filter{Since: time.Now().Add(-askedSince)}
	if !v.Approves {
		f = v.Filter()
		f.Since = time.Now().Add(-askedSince)
	}
	var out []*alikeAsks
	by := map[string]*alikeAsks{}
	n := 0
	for p, err := range v.c.store.Pending(v.r.Context(), f) {
		switch {
		case v.r.Context().Err() != nil:
			return nil, v.r.Context().Err()
		case err != nil:
			v.c.log.Warn("a run that waits cannot be read", "error", err)
			continue
		case !v.mayLook(p.Run.Subject):
			continue
		}
		if n++; n > maxAsked {
			break
		}
		key := kin(p.Run.ID, p.Asked)
		g := by[key]
		if g == nil {
			g = &alikeAsks{ID: p.ID, Run: p.Run, First: p.Time}
			by[key] = g
			out = append(out, g)
		}
		g.Asks = append(g.Asks, p.Asked)
	}
	slices.SortStableFunc(out, func(a, b *alikeAsks) int { return a.First.Compare(b.First) })
	return out, nil
}

// approvalsPage is the data of the page.
type approvalsPage struct {
	Items    []inboxItem
	Calls    int
	Runs     int
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
	if err := v.c.reading.Acquire(v.r.Context(), 1); err != nil {
		return err
	}
	defer v.c.reading.Release(1)
	groups, err := v.waits()
	if err != nil {
		return err
	}
	data := &approvalsPage{Own: !v.Approves}
	if id == "" && len(groups) > 0 {
		id = groups[0].ID
	}
	hue, _ := v.hues()
	if id != "" {
		run, a, err := v.c.store.Asked(id)
		switch {
		case errors.Is(err, record.ErrNotFound), errors.Is(err, record.ErrAmbiguous),
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
	runs := map[string]bool{}
	for _, g := range groups {
		data.Calls += len(g.Asks)
		runs[g.Run.ID] = true
		data.Items = append(data.Items, v.inboxItem(g, hue, data.Chosen))
	}
	data.Runs = len(runs)
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

func (v *view) inboxItem(g *alikeAsks, hue func(string) string, chosen *question) inboxItem {
	a := g.Asks[0]
	item := inboxItem{ID: g.ID, Tool: a.Tool, Hue: hue(a.Tool), Times: len(g.Asks), Title: g.Run.Title,
		Subject: g.Run.Subject, Left: show.Ago(g.First, time.Now())}
	if name := g.Run.Name; name != "" && name != "-" {
		item.Title = name
	}
	switch {
	case a.A == record.Ledger:
		item.Tool, item.Hue, item.Note = "a dry run", "", "all its calls at once"
	case a.Question != nil:
		item.Note = "its server asks something"
	}
	for _, x := range g.Asks {
		if item.State += x.A + " "; chosen != nil && chosen.Run == g.Run.ID && slices.Contains(chosen.Asks, x.A) {
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
	f.Since, f.Limit = time.Now().Add(-2*answeredSince), 10*lookedAt
	var out []answeredAsk
	read := 0
	for sum, err := range v.c.store.List(v.r.Context(), f) {
		if err != nil || !mayHaveAsked(sum) {
			continue
		}
		if read++; read > lookedAt {
			break
		}
		run, err := v.c.store.Load(sum.ID)
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

// mayHaveAsked reports whether a run may have asked a person: one that ended without
// going on after it had waited has one attempt.
func mayHaveAsked(s *record.Summary) bool {
	return s.Attempts > 1 || s.Dry || s.Status == string(record.Waiting) || s.Status == record.Running
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
	Value                     string      // what a form sends for a lone one
	Calls                     []askedCall
	Alike                     *alikeness
	More                      int // calls that are not shown yet
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
	q := &question{ID: record.ApprovalID(sum.ID, a.A), Run: sum.ID, Title: sum.Title, Tool: a.Tool, Hue: hue(a.Tool),
		Sum: sum,
		Why: a.Why, Class: string(a.Class), Ledger: a.A == record.Ledger,
		Whole: a.Whole, Until: a.Until, At: show.At(run, a.Path, a.Place), Line: show.Line(a.Place),
		SeesRun: v.Sees(sum.Subject),
		WhoMay:  whoMay(a.Ask), Value: record.ApprovalID(sum.ID, a.A) + " " + a.Digest}
	if name := sum.Name; name != "" && name != "-" {
		q.Title = name
	}
	_, q.ClassWhy, _ = strings.Cut(show.NewApproval(run, a).Class(), ": ")
	q.MayYes, q.MayNo = v.mayAnswer(sum.Subject, a.Ask)
	together := []*record.Asked{a}
	if q.Open = slices.Contains(run.Open(), a) && run.Waits(a); !q.Open {
		q.Stands = stands(run, a)
	} else if !alone {
		together = slices.DeleteFunc(run.Open(), func(x *record.Asked) bool { return kin(sum.ID, x) != kin(sum.ID, a) })
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
	for _, g := range others(run, a) {
		q.Others = append(q.Others, v.inboxItem(g, hue, nil))
	}
	return q, nil
}

// stands is what became of an ask.
func stands(run *record.Run, a *record.Asked) string {
	switch {
	case a.Answer != nil:
		return "Answered: " + show.Said(a.Answer, false) + "."
	case time.Now().After(a.Until):
		return "Nobody answered in time: it could be answered until " + a.Until.Local().Format(time.DateTime) + "."
	}
	return fmt.Sprintf("The run has ended (%s): nothing of this call is sent any more.", run.Summary().Status)
}

// others are the open asks of a run that are not shown with one.
func others(run *record.Run, a *record.Asked) []*alikeAsks {
	var out []*alikeAsks
	by := map[string]*alikeAsks{kin(run.Begin.ID, a): nil}
	for _, x := range run.Open() {
		if !run.Waits(x) {
			continue
		}
		key := kin(run.Begin.ID, x)
		g, seen := by[key]
		if !seen {
			g = &alikeAsks{ID: record.ApprovalID(run.Begin.ID, x.A), Run: run.Summary(), First: x.Time}
			by[key] = g
			out = append(out, g)
		}
		if g != nil {
			g.Asks = append(g.Asks, x)
		}
	}
	return out
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
		raw, _ := run.Value(a.Args)
		if total += len(raw); len(asks) > 1 && total > maxArguments {
			c.Large, c.Ticked = true, false
			c.Bytes = len(raw)
		} else {
			c.show(raw, a.Args)
		}
		raws = append(raws, raw)
		q.Calls = append(q.Calls, c)
	}
	if slices.ContainsFunc(q.Calls, func(c askedCall) bool { return c.Absent || c.Large }) {
		return
	}
	if q.Alike = compare(raws); q.Alike == nil {
		return
	}
	for i := range q.Calls {
		c := &q.Calls[i]
		if len(q.Alike.Remarks[i])+len(c.Odd) > 0 {
			c.Ticked = false
		}
	}
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

// ledger takes the calls that a dry run would have made.
func (q *question) ledger(run *record.Run, hue func(string) string) {
	q.Tool, q.Hue, q.Calls = "a dry run", "", nil
	for _, m := range run.Calls {
		g := m.Guess
		if g == nil {
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

// formQuestion is a question of a server.
type formQuestion struct {
	Message string
	URL     string // it wants this page to be opened; "": it has fields
	Fields  []formField
}

// formField is a field of a server's form; Name is that of the input.
type formField struct {
	backend.Field
	Input, Value, Error string
	Values              []string // of a list
}

// Chosen reports whether a choice is one that was made.
func (f *formField) Chosen(choice string) bool {
	return f.Value == choice || slices.Contains(f.Values, choice)
}

// filledForm is what was sent for a server's questions, and what is wrong with it.
type filledForm struct {
	form   url.Values
	errors map[string]string // by input
	other  string
}

// form takes the questions of a server, with what was filled in before.
func (q *question) form(a *record.Asked, filled *filledForm) {
	all, err := backend.Questions(a.Question)
	if err != nil {
		q.Unreadable = whole(text.FirstBytes(err.Error(), 500))
		return
	}
	for i, one := range all {
		f := formQuestion{Message: inLines(one.Message), URL: whole(one.URL)}
		fields, err := one.Fields()
		if err != nil {
			q.Unreadable = whole(text.FirstBytes(err.Error(), 500))
			return
		}
		for j, field := range fields {
			x := formField{Field: field, Input: inputName(i, j)}
			if filled != nil {
				x.Value, x.Values, x.Error = filled.form.Get(x.Input), filled.form[x.Input], filled.errors[x.Input]
			} else {
				x.Value, x.Values = preset(field.Default)
			}
			f.Fields = append(f.Fields, x)
		}
		q.Form = append(q.Form, f)
	}
	if filled != nil {
		q.FormError = filled.other
	}
}

func inputName(question, field int) string { return fmt.Sprintf("f%d.%d", question, field) }

// preset is a field's default as an input has it.
func preset(value json.RawMessage) (string, []string) {
	var list []string
	var s string
	switch {
	case value == nil:
		return "", nil
	case json.Unmarshal(value, &list) == nil:
		return strings.Join(list, ", "), list
	case json.Unmarshal(value, &s) == nil:
		return s, nil
	}
	return string(value), nil
}

// fill reads what was filled in to a server's questions; a form with errors, nil: there
// are none.
func fill(question json.RawMessage, form url.Values) (json.RawMessage, *filledForm, error) {
	all, err := backend.Questions(question)
	if err != nil {
		return nil, nil, err
	}
	bad := &filledForm{form: form, errors: map[string]string{}}
	replies := map[string]*backend.Reply{}
	for i, q := range all {
		r := &backend.Reply{Action: backend.Accept}
		replies[q.Key] = r
		if q.Mode == backend.URL {
			if form.Get(inputName(i, 0)) == "" {
				bad.other = "Say first that you have done on its page what it asks for."
			}
			continue
		}
		fields, err := q.Fields()
		if err != nil {
			return nil, nil, err
		}
		values := map[string]json.RawMessage{}
		for j, f := range fields {
			input := inputName(i, j)
			value, err := fieldValue(&f, form[input])
			if err != nil {
				bad.errors[input] = err.Error()
			}
			values[f.Name] = value
		}
		r.Content = backend.Filled(fields, values)
		if err := q.Fits(r.Content); err != nil && len(bad.errors) == 0 {
			bad.other = "That does not fit what it asks for: " + whole(text.FirstBytes(err.Error(), 500))
		}
	}
	if len(bad.errors) > 0 || bad.other != "" {
		return nil, bad, nil
	}
	input, err := backend.Answers(replies)
	return input, nil, err
}

// fieldValue is the value of a field by what its inputs sent; nil: it is left out.
func fieldValue(f *backend.Field, sent []string) (json.RawMessage, error) {
	first := ""
	if len(sent) > 0 {
		first = strings.ReplaceAll(sent[0], "\r\n", "\n")
	}
	switch {
	case f.Type == "array" && f.Choices() != nil:
		if len(sent) == 0 && !f.Required {
			return nil, nil
		}
		return f.List(sent)
	case first == "" && !f.Required:
		return nil, nil
	case first == "" && f.Type != "string":
		return nil, errors.New("it must be filled in")
	}
	return f.Value(first)
}

// answer takes a yes or a no to what was shown.
func (v *view) answer() error {
	form := v.r.PostForm
	values, word := form["ids"], strings.TrimSpace(form.Get("word"))
	how := form.Get("answer")
	if how == "all" || how == "whole" {
		values = form["all"]
	}
	switch {
	case how != "yes" && how != "all" && how != "whole" && how != "no":
		return badRequest("The answer is neither yes nor no.")
	case utf8.RuneCountInString(word) > maxWord:
		return badRequest(fmt.Sprintf("The word has %d characters, at most %d are passed on.", utf8.RuneCountInString(word), maxWord))
	case len(values) > maxRows:
		return badRequest(fmt.Sprintf("At most %d calls are answered at a time.", maxRows))
	case len(values) == 0:
		v.say("wait", "Nothing was ticked, and nothing was answered.")
		return v.goTo(back(form.Get("at")))
	}
	a := &answering{v: v, how: how, word: word}
	for _, value := range values {
		bad, err := a.one(value)
		if err != nil {
			return err
		}
		if bad != nil {
			return v.approvals(a.id, bad)
		}
	}
	return v.goTo(a.end(form.Get("at")))
}

// back is the page of an approval, of all where it has no ID.
func back(id string) string {
	if id == "" {
		return "/approvals"
	}
	return "/approvals/" + url.PathEscape(id)
}

// answering is what a form comes to.
type answering struct {
	v         *view
	how, word string
	id        string // of the last one
	tool      string
	done      int
	ledger    bool
	runs      []string
	told      int
}

// one answers one ask, by its ID and the digest of what was shown. Somebody may have
// been faster, or it may be gone: then a sentence says so. bad is a form that does not
// fit what a server asks.
func (a *answering) one(value string) (bad *filledForm, err error) {
	v := a.v
	id, digest, ok := strings.Cut(value, " ")
	if !ok || digest == "" {
		return nil, badRequest("The form does not say what was shown.")
	}
	run, asked, err := v.c.store.Asked(id)
	if err == nil && (!v.mayLook(run.Begin.Subject) || id != record.ApprovalID(run.Begin.ID, asked.A)) {
		err = record.ErrNotFound
	}
	if errors.Is(err, record.ErrNotFound) || errors.Is(err, record.ErrAmbiguous) {
		a.tell("%s is not there any more: its record was removed, or it is not yours.", text.FirstBytes(id, 100))
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	a.id = id
	yes, no := v.mayAnswer(run.Begin.Subject, asked.Ask)
	said := &record.Answer{Yes: a.how != "no", Who: v.Name, How: "console", Digest: digest}
	switch {
	case said.Yes && !yes, !said.Yes && !no:
		return nil, forbidden(whoMay(asked.Ask))
	case said.Yes && asked.Question != nil:
		if said.Input, bad, err = fill(asked.Question, v.r.PostForm); err != nil || bad != nil {
			return bad, err
		}
	case a.how == "whole" && !asked.Whole:
		return nil, badRequest("The config does not allow a yes to all calls of this tool in a run.")
	}
	if said.Yes {
		said.Until, said.Whole = time.Now().Add(record.GrantFor), a.how == "whole"
	} else {
		said.Word = a.word
		if said.Input, err = backend.Declined(asked.Question); err != nil {
			said.Input = nil // what cannot be asked cannot be declined: the no is enough
		}
	}
	if !slices.Contains(a.runs, run.Begin.ID) {
		a.runs = append(a.runs, run.Begin.ID)
	}
	err = v.c.store.Answer(id, said)
	var before *record.AnsweredError
	switch {
	case err == nil:
		a.done++
		a.tool, a.ledger = asked.Tool, asked.A == record.Ledger
	case errors.As(err, &before):
		a.tell("%s: somebody was first: %s.", id, show.Said(before.Answer, false))
	case errors.Is(err, record.ErrExpired):
		a.tell("%s could be answered until %s; the answer came too late.", id, asked.Until.Local().Format(time.DateTime))
	case errors.Is(err, record.ErrEnded):
		a.tell("%s: its run has ended; nothing of it is sent any more.", id)
	case errors.Is(err, record.ErrOtherAsk):
		a.tell("%s: what is asked now is not what was shown, and nothing was answered. Look at it again.", id)
	case errors.Is(err, record.ErrNotFound):
		a.tell("%s is not there any more: its record was removed.", id)
	default:
		a.tell("%s was not answered: %s", id, whole(text.FirstBytes(err.Error(), 500)))
	}
	return nil, nil
}

// whoMay says who can answer what a viewer cannot.
func whoMay(a *record.Ask) string {
	if a.Question != nil {
		return "A server's question in the middle of a call is answered by who sent the script, or by the operator."
	}
	return "Nobody says yes to what their own scripts ask. The operator can, or the holder of another token that the " +
		"config lets approve."
}

// tell has the next page say what became of one of the calls.
func (a *answering) tell(format string, args ...any) {
	if a.told++; a.told <= maxTold {
		a.v.say("bad", format, args...)
	}
}

// end says what was answered and what happens next, and returns where to go on.
func (a *answering) end(at string) string {
	v := a.v
	if more := a.told - maxTold; more > 0 {
		v.say("bad", "%s more were not answered.", text.Count(more, "call"))
	}
	v.c.Changed(topicApprovals, topicRuns)
	next := "/approvals"
	for _, id := range a.runs {
		v.c.Changed(topicRun(id))
		run, err := v.c.store.Load(id)
		if err != nil {
			continue
		}
		n := notice{Kind: "wait", Text: whatNext(run, v.c.host.Goes(id), v.c.opts.StateFlag)}
		if a.done > 0 {
			n.Kind, n.Text = "ok", a.said()+n.Text
		}
		if v.Sees(run.Begin.Subject) {
			n.Next, n.Do = "/runs/"+id, "To the run"
		}
		v.tell(n)
		for _, x := range run.Open() {
			if run.Waits(x) && record.ApprovalID(id, x.A) == at { // a part was answered
				next = back(at)
			}
		}
	}
	return next
}

// said is what was answered.
func (a *answering) said() string {
	what := whole(text.FirstBytes(a.tool, 200))
	switch {
	case a.ledger:
		what = "all calls of the dry run"
	case a.how == "whole":
		what = fmt.Sprintf("%s of %s, and to all others in this run", text.Count(a.done, "call"), what)
	default:
		what = fmt.Sprintf("%s of %s", text.Count(a.done, "call"), what)
	}
	if a.how == "no" {
		return "No to " + what + ". "
	}
	return "Yes to " + what + ". "
}

// whatNext says what a run does now that something of it was answered; here: this
// server goes on with it.
func whatNext(run *record.Run, here bool, flag string) string {
	id := run.Begin.ID
	switch open, lost := len(run.Open()), run.Unknown(); {
	case run.Running:
		return fmt.Sprintf("Run %s is under way.", id)
	case open > 0:
		return fmt.Sprintf("Run %s waits on for answers to %s.", id, text.Count(open, "call"))
	case len(lost) > 0:
		return fmt.Sprintf("Run %s is uncertain: somebody has to say what became of call %d.", id, lost[0].N)
	case run.End != nil && !run.Begin.Dry && run.End.Status != string(record.Waiting):
		return fmt.Sprintf("Run %s has ended: %s.", id, run.End.Status)
	case !here:
		return fmt.Sprintf("Run %s can go on: by the server that has its token, or by harness resume%s %s.", id, flag, id)
	}
	return fmt.Sprintf("Run %s goes on.", id)
}
