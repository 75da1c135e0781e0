package console

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/policy"
	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry/backend"
	"github.com/usetools/usetools/registry/text"
)

const (
	callsPage = 100 // rows of the table of calls
	maxShown  = 8 << 10
	maxPretty = 1 << 20 // bytes of JSON that is indented
)

// pageOf returns the page of the table of calls with call n.
func pageOf(n int) int { return max(n-1, 0)/callsPage + 1 }

// link escapes a text for the path of a URL.
func link(s string) string { return url.PathEscape(s) }

// callRow is a row of the table of calls.
type callRow struct {
	present.Step
	Line                      *record.Call
	Row, Goroutine, ShortArgs string
}

// callTable is one page of the calls of a run.
type callTable struct {
	Rows       []callRow
	Page, Last int
	Run        string
	Names      []string // server names, for colours
}

// Before and After return the adjacent pages.
func (t *callTable) Before() int { return t.Page - 1 }
func (t *callTable) After() int  { return t.Page + 1 }

// newCallTable returns a page of the table. Call n is on page (n-1)/100+1, so links need no search.
func newCallTable(rows *present.Layout, servers []string, page int) *callTable {
	v := rows.View
	all := v.Steps()
	t := &callTable{Page: page, Last: 1, Run: v.Run.Begin.ID, Names: servers}
	if len(all) > 0 {
		t.Last = pageOf(all[len(all)-1].N)
	}
	for _, b := range all {
		if pageOf(b.N) == page {
			l := b.Made.Line()
			t.Rows = append(t.Rows, callRow{b, l, rows.RowOf(b.Path, b.Place.Line), goroutine(v, b.Path), shortArgs(v.Run, l.Args, 140)})
		}
	}
	return t
}

func shortArgs(r *record.Run, d record.Data, most int) string {
	if d.JSON == nil && !d.IsZero() {
		return "(" + notHere(d) + ")"
	}
	var b bytes.Buffer
	if len(d.JSON) > 64<<10 || json.Compact(&b, d.JSON) != nil {
		return text.Cut(string(d.JSON[:min(len(d.JSON), 4*most)]), most)
	}
	return text.Cut(b.String(), most)
}

// goroutine returns the goroutine of a path without its script: main, or the last part of its
// origin.
func goroutine(v *present.View, path string) string {
	path = strings.Trim(strings.TrimPrefix(path, v.SourceOf(path).Path), "/ ")
	if path == "" {
		return "main"
	}
	if len(path) > 40 {
		return "…" + text.Cut(path[strings.LastIndexByte(path, '/')+1:], 40)
	}
	return path
}

// shownCall is the data of a call's panel.
type shownCall struct {
	present.Step
	Line         *record.Call
	Total        int
	Run, Go      string
	Hue, Row     string
	Started      []startedAt // where the goroutine and its parents were started, from main on
	Script       string      // the saved script that makes the call
	Why          string      // why it has its class
	Decision     policy.Decision
	Asked        []askedOf
	Args, Result *shownValue
}

// OriginLines returns the origins of an effect call's values, one line for each value.
func (c *shownCall) OriginLines() (out []string) {
	for _, line := range present.OriginLines(c.Line.Args.JSON, c.Bar.Origins) {
		out = append(out, line.String())
	}
	return out
}

type startedAt struct{ Place, Row string }

// askedOf is an approval that was requested for a call.
type askedOf struct{ ID, Answer, Word string }

// shownValue is a value in colours, shortened if long.
type shownValue struct {
	Lines  [][]span
	Bytes  int
	Cut    bool
	Absent string // why it is not shown
	What   string // args or result
	Other  string // types of blocks other than text
}

// newShownCall returns the call with number n, or nil.
func newShownCall(rows *present.Layout, servers []string, n int) *shownCall {
	v := rows.View
	steps := v.Steps()
	i := slices.IndexFunc(steps, func(s present.Step) bool { return s.N == n })
	if i < 0 {
		return nil
	}
	b := steps[i]
	r, l := v.Run, b.Made.Line()
	c := &shownCall{Step: b, Line: l, Total: v.Calls, Run: r.Begin.ID, Go: b.Place.Tool, Hue: hue(servers, b.Place.Tool), Row: rows.RowOf(b.Path, b.Place.Line)}
	src := v.SourceOf(b.Path)
	if src != v.Sources[0] {
		c.Script = src.Name
	}
	for part := range strings.SplitSeq(strings.Trim(strings.TrimPrefix(b.Path, src.Path), "/ "), "/") {
		if place, _, ok := strings.Cut(part, "#"); ok && len(c.Started) < 6 {
			c.Started = append(c.Started, startedAt{place, rows.RowOf(src.Path, record.PlaceLine(place))})
		}
	}
	for t := range r.AllTools() {
		if t.ID == l.Tool {
			c.Go, c.Why = cmp.Or(t.Go, c.Go), t.Why
		}
	}
	for _, d := range decisionsOf(r) {
		if d.Tool == l.Tool {
			c.Decision = d
		}
	}
	for _, a := range r.Asks {
		if a.A == l.Ask || a.N == n && a.N > 0 {
			s := askedOf{ID: record.ApprovalID(r.Begin.ID, a.A), Answer: "not answered"}
			if a.Answer != nil {
				s.Answer, s.Word = present.AnswerLine(a.Answer, false), a.Answer.Word
			}
			c.Asked = append(c.Asked, s)
		}
	}
	c.Args = newShownValue(r, l.Args, "args")
	if res := b.Made.Result(); !res.IsZero() {
		c.Result = newShownValue(r, res, "result")
	}
	return c
}

// Rank compares the duration of the call with the other ended calls of its place. It returns "" if
// it is the only one.
func (c *shownCall) Rank() string {
	ended, slower := 0, 0
	for _, o := range c.Step.Place.Calls {
		if o.Done != nil && c.Done != nil {
			ended++
			if o.Done.Ms > c.Done.Ms {
				slower++
			}
		}
	}
	switch {
	case ended < 2:
		return ""
	case slower == 0:
		return fmt.Sprintf("slowest of %d at this line", ended)
	}
	return fmt.Sprintf("slower than %d of %d at this line", ended-1-slower, ended)
}

func newShownValue(r *record.Run, d record.Data, what string) *shownValue {
	out := &shownValue{Bytes: d.Bytes, What: what}
	raw, err := r.Value(d)
	switch {
	case err != nil || raw == nil:
		out.Absent = notHere(d)
		return out
	case d.Redacted:
		out.Absent = "secrets were removed before it was recorded"
	}
	if what == "result" {
		if res, err := backend.DecodeResult(raw); err == nil {
			if raw = res.Structured; raw == nil {
				raw = []byte(res.Text())
				for _, b := range res.Content {
					if b.Type != "text" {
						out.Other = text.Cut(strings.TrimSpace(out.Other+" "+b.Type), 100)
					}
				}
			}
		}
	}
	var b bytes.Buffer
	if len(raw) <= maxPretty && json.Indent(&b, raw, "", "  ") == nil {
		out.Cut = b.Len() > maxShown
		out.Lines = jsonSpans(text.CutBytes(b.String(), maxShown))
		return out
	}
	out.Cut = len(raw) > maxShown
	out.Lines = [][]span{{{"", prose(text.CutBytes(string(raw), maxShown))}}}
	return out
}

// notHere returns why a value is not shown.
func notHere(d record.Data) string {
	if d.Redacted {
		return count(d.Bytes, "byte") + ", not kept; digest " + text.Cut(d.SHA256, 12)
	}
	return count(d.Bytes, "byte") + ", unreadable"
}

// call shows the panel of a call or, without JavaScript, a page with it.
func (c *Console) call(v *view, run *present.View) error {
	n, err := strconv.Atoi(v.r.PathValue("n"))
	if err != nil {
		return notFound("There is no such call in this run.")
	}
	call := newShownCall(present.NewLayout(run, time.Now(), maxCodeLines), v.servers(run), n)
	if call == nil {
		return notFound("There is no such call in this run.")
	}
	if v.r.Header.Get("X-Part") != "" {
		return v.part("run.html", "call", call)
	}
	return v.show("call.html", &Page{Title: fmt.Sprintf("Call %d of run %s", n, call.Run), Nav: "runs", Data: call})
}

// callValue sends the full arguments or result of a call as a file.
func (c *Console) callValue(v *view) error {
	release, err := v.sends()
	if err != nil {
		return err
	}
	defer release()
	view, err := v.run()
	if err != nil {
		return err
	}
	v.rest()
	what := v.r.PathValue("what")
	if what != "args" && what != "result" {
		return notFound("A call has args and a result.")
	}
	for _, m := range view.Run.Calls {
		if strconv.Itoa(m.Line().N) != v.r.PathValue("n") {
			continue
		}
		d := m.Line().Args
		if what == "result" {
			d = m.Result()
		}
		raw, err := view.Run.Value(d)
		if err != nil || raw == nil {
			return notFound("This value is not in the record.")
		}
		return v.download(fmt.Sprintf("%s-call-%d-%s.json", view.Run.Begin.ID, m.Line().N, what), raw)
	}
	return notFound("There is no such call in this run.")
}

// downloads sets the headers of a JSON file to be saved.
func (v *view) downloads(name string) {
	h := v.w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
}

// download sends a JSON file to be saved.
func (v *view) download(name string, b []byte) error {
	v.downloads(name)
	v.w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	v.w.WriteHeader(http.StatusOK)
	v.w.Write(b) // on error, the browser is gone
	return nil
}
