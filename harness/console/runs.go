package console

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

const (
	// runsShown is the number of runs on a page of the list.
	runsShown = 50
	// searchTime limits the time for reading records for one page.
	searchTime = 5 * time.Second
	// maxField limits a field of the filter, in bytes.
	maxField = 500
)

// runsQuery has the filters from the address of the list.
type runsQuery struct {
	present.Query
	Subject string // token of the runs; only for the operator
	Before  string // ID of the run before the page's first run
}

// fields are the names of the filters in an address, in the order of the form.
var fields = []string{"text", "status", "tool", "server", "script", "subject", "session", "since", "until", "before"}

func readRunsQuery(values url.Values) (*runsQuery, error) {
	at := func(name string) string { return strings.TrimSpace(values.Get(name)) }
	q := &runsQuery{Query: present.Query{Tool: at("tool"), Server: at("server"), Script: at("script"), Session: at("session"),
		Text: at("text"), Since: at("since"), Until: at("until")}, Subject: at("subject"), Before: at("before")}
	for _, s := range values["status"] {
		if s = strings.TrimSpace(s); s != "" {
			q.Status = append(q.Status, s)
		}
	}
	asked := q.values()
	for _, name := range fields {
		if len(asked.Get(name)) > maxField {
			return nil, &present.QueryError{Field: name, Text: ": too long for a filter"}
		}
	}
	return q, nil
}

// values returns the query as URL values.
func (q *runsQuery) values() url.Values {
	out := url.Values{}
	for name, value := range map[string]string{"text": q.Text, "status": strings.Join(q.Status, ","), "tool": q.Tool,
		"server": q.Server, "script": q.Script, "subject": q.Subject, "session": q.Session, "since": q.Since,
		"until": q.Until, "before": q.Before} {
		if value != "" {
			out.Set(name, value)
		}
	}
	return out
}

// With returns the address of the first page with another value of a field.
func (q *runsQuery) With(name, value string) string {
	v := q.values()
	v.Del("before")
	v.Del(name)
	if value != "" {
		v.Set(name, value)
	}
	if len(v) == 0 {
		return "/runs"
	}
	return "/runs?" + v.Encode()
}

// runsData is the data of the page.
type runsData struct {
	Q        *runsQuery
	Problem  string // with a field of the query
	Field    string
	States   []runsState
	Statuses []string
	Rows     []*runRow
	Older    string // address of older runs, or ""
	Newest   string // address of the first page; empty on the first page
	Any      bool   // the viewer may see a run
	Narrow   bool   // the query has a filter
	More     bool   // the query has a filter besides text and status
	// Cut reports whether the search stopped at its time limit. Until is the start of the last run
	// that it read, or zero. On is the address that continues the search.
	Cut     bool
	Until   time.Time
	On      string
	Servers []string
	Scripts []string
}

type runsState struct {
	Name, Href string
	Current    bool
}

// runRow is a run of the list, or a record that cannot be read.
type runRow struct {
	*record.Summary
	Preview *preview
	Titled  string
	Code    string // first line of the script, if the run has no other title
	Named   bool   // Titled is the name of a saved script or file
	Whose   sharedValue
	In      sharedValue // its session
	Say     string      // below the title: the error, or why the run needs a person
	Bad     bool        // Say is an error
	Next    string      // address of the next step
	Do      string      // its label
	Began   string
	Problem error // why the record cannot be read
}

// sharedValue is a value of a run, with the address of all runs that share it.
type sharedValue struct{ Text, Href string }

// runsText limits a text of a run in a list, in characters.
const runsText = 300

func (c *Console) listRuns(v *view) error {
	q, err := readRunsQuery(v.r.URL.Query())
	if err != nil {
		q = &runsQuery{}
	} else if canonical := q.values().Encode(); canonical != v.r.URL.Query().Encode() {
		return v.goTo(strings.TrimSuffix("/runs?"+canonical, "?"))
	}
	d := &runsData{Q: q}
	c.fillForm(v, d)
	var f *store.Filter
	if err == nil {
		f, err = q.Filter(outcome.Statuses, time.Now())
	}
	page := &Page{Title: "Runs", Nav: "runs", Module: "runs.js", Data: d}
	var wrong *present.QueryError
	if errors.As(err, &wrong) {
		d.Problem, d.Field, d.More = visible(capital(wrong.Error())), wrong.Field, true
		v.write(http.StatusBadRequest, "runs.html", page)
		return nil
	}
	f.Subject = v.Filter().Subject
	if v.Operator && q.Subject != "" {
		f.Subject = &q.Subject
	}
	f.Before, f.Limit = q.Before, runsShown+1
	if err := c.readRuns(v, f, d); err != nil {
		return err
	}
	if q.Before == "" && q.Text == "" { // full-text search is too slow for live updates
		page.Live = []string{topicRuns}
	}
	if err := v.turn(); err != nil {
		return err
	}
	now := time.Now()
	for _, row := range d.Rows {
		if row.Problem == nil {
			row.Preview = v.preview(row.Summary)
			if len(page.Live) > 0 && len(page.Live) < maxTopics && mayContinue(row.Summary) {
				page.Live = append(page.Live, topicRun(row.ID))
			}
		}
		row.fill(v.Viewer, q, now)
	}
	return v.show("runs.html", page)
}

// fillForm sets the choices of the form.
func (c *Console) fillForm(v *view, d *runsData) {
	q := d.Q
	now := strings.Join(q.Status, ",")
	known := []string{"ok", present.NotOK, "waiting", "uncertain", record.Running}
	d.States = []runsState{{"Any", q.With("status", ""), now == ""}}
	for _, s := range known {
		d.States = append(d.States, runsState{present.StatusWord(s), q.With("status", s), now == s})
	}
	d.Statuses = append(slices.Clip(outcome.Statuses), record.Running, record.Died, present.NotOK)
	if now != "" && !slices.Contains(d.Statuses, now) {
		d.Statuses = append(d.Statuses, now)
	}
	d.More = q.Tool+q.Server+q.Script+q.Subject+q.Session+q.Since+q.Until != "" ||
		now != "" && !slices.Contains(known, now)
	d.Narrow = d.More || q.Text+now != ""
	if q.Before != "" {
		d.Newest = q.With("before", "")
	}
	if cat := c.host.Catalog(v.Viewer); cat != nil {
		d.Servers = c.servers(v)
		if cat.Scripts != nil {
			d.Scripts, _ = cat.Scripts.Names() // only proposals
		}
	}
}

// servers returns the names of the servers that a viewer's scripts can use, in the order of
// their colours.
func (c *Console) servers(v *view) []string {
	if cat := c.host.Catalog(v.Viewer); cat != nil {
		return serverOrder(cat)
	}
	return nil
}

// readRuns reads the runs of a page.
func (c *Console) readRuns(v *view, f *store.Filter, d *runsData) error {
	ctx, cancel := context.WithTimeout(v.r.Context(), searchTime)
	defer cancel()
	d.Any = true
	release, err := func() { c.reading.Release(1) }, error(nil)
	if f.Text != "" {
		release, err = c.searching.take(ctx, v.Viewer)
	} else {
		err = c.reading.Acquire(ctx, 1)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		d.stop(&store.StoppedError{Err: err})
		return nil
	}
	if err != nil {
		return err
	}
	defer release()
	for s, err := range c.store.List(ctx, f) {
		var bad *store.UnreadableError
		var stopped *store.StoppedError
		switch {
		case errors.Is(err, store.ErrNotFound):
			return &problem{Status: http.StatusNotFound, Title: "Not here", Next: d.Newest, Do: "The newest runs",
				Text: "The run before this page's first run no longer exists."}
		case errors.As(err, &stopped) && errors.Is(err, context.DeadlineExceeded):
			d.stop(stopped)
			return nil
		case errors.As(err, &bad) && !v.Operator: // its subject is unknown
			continue
		case err != nil && bad == nil:
			return err
		}
		if n := len(d.Rows); n == runsShown {
			next := d.Q.values()
			next.Set("before", d.Rows[n-1].ID)
			d.Older = "/runs?" + next.Encode()
			break
		}
		row := &runRow{Summary: s, Problem: err}
		if bad != nil {
			row.Summary = &record.Summary{ID: bad.ID, Time: bad.Time, Status: "unreadable"}
		}
		d.Rows = append(d.Rows, row)
	}
	d.Any = len(d.Rows) > 0 || (d.Narrow || f.Before != "") && c.anyRun(v)
	return nil
}

// stop records where the search stopped.
func (d *runsData) stop(at *store.StoppedError) {
	on := d.Q.values()
	if at.ID != "" {
		on.Set("before", at.ID)
	}
	d.Cut, d.Until, d.On = true, at.Time, strings.TrimSuffix("/runs?"+on.Encode(), "?")
}

// anyRun reports whether the viewer may see any run.
func (c *Console) anyRun(v *view) bool {
	f := v.Filter()
	f.Limit = 1
	for range c.store.List(v.r.Context(), f) {
		return true
	}
	return false
}

// fill sets the fields of a row that the summary lacks.
func (r *runRow) fill(v *Viewer, q *runsQuery, now time.Time) {
	r.Began = day(r.Time, now)
	if r.Problem != nil {
		r.Titled, r.Say, r.Bad = r.ID, present.Visible(r.Problem.Error(), runsText, false), true
		return
	}
	r.Titled, r.Code = present.Title(r.Summary)
	r.Titled, r.Named = present.Visible(r.Titled, runsText, false), present.HasName(r.Summary)
	choose := func(name, value string) sharedValue {
		to := sharedValue{Text: present.Visible(value, runsText, false)}
		if len(value) <= maxField {
			to.Href = q.With(name, value)
		}
		return to
	}
	r.Whose, r.In = choose("subject", r.Subject), choose("session", r.Session)
	r.Say, r.Bad = present.Visible(r.Error, runsText, false), present.IsFailure(r.Status)
	if r.Preview != nil {
		r.Code = cmp.Or(r.Code, r.Preview.Code)
	}
	if r.Preview != nil && r.Preview.Note != "" {
		r.Say, r.Bad = present.Visible(r.Preview.Note, runsText, false), false
	}
	if r.Status == record.Died {
		r.Say, r.Bad = cmp.Or(r.Say, "its process ended without a result"), false
	}
	switch {
	case r.Preview != nil && r.Preview.Asks && v.MayAnswer(r.Subject):
		r.Next, r.Do = "/approvals", "Answer"
	case r.Preview != nil && r.Preview.Asks:
		r.Next, r.Do = "/approvals", "See"
	case r.Status == "uncertain" && v.Operator:
		r.Next, r.Do = "/runs/"+r.ID, "Settle"
	case r.Status == record.Died && v.Operator:
		r.Next, r.Do = "/runs/"+r.ID, "Resume"
	}
}

// Live reports whether the run is a dry run that was resumed after approval.
func (r *runRow) Live() bool { return r.Preview != nil && r.Preview.Live }

// Hurt reports whether the record is damaged.
func (r *runRow) Hurt() bool { return r.Damaged || r.Preview != nil && r.Preview.Damaged }
