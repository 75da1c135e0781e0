package console

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/show"
)

const (
	// changesShown is how many calls that differ a page tells of.
	changesShown = 200
	// linesShown is how many lines of a difference of two texts it has.
	linesShown = 1000
	// charsShown bounds a line of that, and a value, in characters.
	charsShown = 1000
)

// diffPages adds the page that compares two runs.
func (c *Console) diffPages(see func(pattern string, page func(*view) error)) {
	see("GET /runs/diff", c.chooseDiff)
	see("GET /runs/{id}/diff/{other}", c.diffRuns)
}

// chooseDiff goes to the comparison of two runs that are ticked in the list, the older
// one first.
func (c *Console) chooseDiff(v *view) error {
	ids := v.r.URL.Query()["run"]
	if len(ids) != 2 || ids[0] == ids[1] {
		v.say("wait", "Tick two runs to compare them; %d ticked.", len(ids))
		return v.goTo("/runs")
	}
	b, err := v.load(ids[0])
	if err != nil {
		return err
	}
	a, err := v.load(ids[1])
	if err != nil {
		return err
	}
	if a.Begin.Time.After(b.Begin.Time) {
		a, b = b, a
	}
	return v.goTo("/runs/" + link(a.Begin.ID) + "/diff/" + link(b.Begin.ID))
}

// diffData is what the page shows.
type diffData struct {
	A, B    diffSide
	Same    bool
	Open    bool // one of them is under way
	Rows    []diffRow
	Texts   []diffText
	Values  []diffValue // inputs, then the value
	Phrases []diffRow
	Calls   []diffCall
	More    int // calls that differ and are not shown
	Alike   []string
	Servers []string
}

type diffSide struct {
	ID, Href, Title string
	Began           string
}

// diffRow is a fact of both runs; Other says that it is not the same.
type diffRow struct {
	What, A, B string
	Other      bool
	Status     bool // these are statuses
}

// diffText is in what two texts differ.
type diffText struct {
	Name  string
	Lines []diffLine
	More  int // lines that are not shown
}

type diffLine struct{ Class, Text string }

// diffValue is where two values differ; "" is none.
type diffValue struct{ Name, Path, A, B string }

// diffCall is a call that is not the same.
type diffCall struct {
	What, Tool   string
	A, B         string // as people name it; "": it is not there
	HrefA, HrefB string
	Path         string // what differs
	WasA, WasB   string
	Args         string // of a call that only one run has
}

func (c *Console) diffRuns(v *view) error {
	id, other := v.r.PathValue("id"), v.r.PathValue("other")
	if err := v.turn(); err != nil {
		return err
	}
	a, err := v.load(id)
	if err != nil {
		return err
	}
	b, err := v.load(other)
	if err != nil {
		return err
	}
	if id != a.Begin.ID || other != b.Begin.ID {
		return v.goTo("/runs/" + link(a.Begin.ID) + "/diff/" + link(b.Begin.ID))
	}
	d := newDiff(show.New(a), show.New(b))
	d.Servers = c.servers(v)
	page := &Page{Title: "Compare " + d.A.ID + " with " + d.B.ID, Nav: "runs", Data: d}
	if d.Open {
		page.Live = []string{topicRun(d.A.ID), topicRun(d.B.ID)}
	}
	return v.show("diff.html", page)
}

func newDiff(a, b *show.View) *diffData {
	is := show.Compare(a, b)
	now := time.Now()
	d := &diffData{A: sideOf(a, now), B: sideOf(b, now), Same: is.Same,
		Open: a.Status == record.Running || b.Status == record.Running}
	row := func(what, a, b string, counts bool) {
		d.Rows = append(d.Rows, diffRow{What: what, A: a, B: b, Other: counts && a != b})
	}
	row("status", a.Status, b.Status, true)
	d.Rows[0].Status = true
	row("began", d.A.Began, d.B.Began, false)
	row("took", show.Duration(is.Ms.A), show.Duration(is.Ms.B), false)
	row("calls", callsOf(a), callsOf(b), true)
	if x, y := a.Run.Begin.Subject, b.Run.Begin.Subject; x+y != "" {
		row("token", brief(x), brief(y), false)
	}
	if e := is.Error; e != nil {
		row("error", brief(e.A), brief(e.B), true)
	}
	alike := func(is bool, what string) {
		if is {
			d.Alike = append(d.Alike, what)
		}
	}
	for _, t := range []struct{ name, text string }{{"Script", is.Script}, {"Output", is.Stdout}, {"Errors printed", is.Stderr}} {
		if t.text != "" {
			d.Texts = append(d.Texts, textOf(t.name, t.text))
		}
	}
	alike(is.Script == "", "script")
	for _, c := range is.Inputs {
		d.Values = append(d.Values, diffValue{"input", brief(c.Path), rawText(c.A), rawText(c.B)})
	}
	alike(len(is.Inputs) == 0 && len(a.Run.Begin.Inputs) > 0, "inputs")
	if c := is.Value; c != nil {
		d.Values = append(d.Values, diffValue{"value", brief(c.Path), rawText(c.A), rawText(c.B)})
	}
	for _, p := range is.Phrases {
		d.Phrases = append(d.Phrases, diffRow{What: brief(p.Phrase), A: brief(p.A), B: brief(p.B), Other: true})
	}
	alike(len(is.Phrases) == 0 && len(a.Phrases) > 0, "phrases")
	for i := range is.Calls[:min(len(is.Calls), changesShown)] {
		d.Calls = append(d.Calls, callOf(&is.Calls[i], d))
	}
	d.More = len(is.Calls) - len(d.Calls)
	alike(len(is.Calls) == 0 && a.Calls > 0, "calls with their results")
	alike(is.Stdout+is.Stderr == "", "output")
	alike(is.Value == nil, "value")
	return d
}

func sideOf(v *show.View, now time.Time) diffSide {
	b := v.Run.Begin
	return diffSide{ID: b.ID, Href: "/runs/" + link(b.ID), Title: show.Visible(titled(v.Run.Summary()), runsText, false),
		Began: day(b.Time, now)}
}

func callsOf(v *show.View) string {
	if v.Failed == 0 {
		return thousands(v.Calls)
	}
	return fmt.Sprintf("%s, %s failed", thousands(v.Calls), thousands(v.Failed))
}

// brief is a text of a run in a table.
func brief(s string) string { return show.Visible(s, charsShown, false) }

func rawText(raw json.RawMessage) string {
	if raw == nil {
		return ""
	}
	return brief(string(raw))
}

// textOf are the lines of a unified difference.
func textOf(name, unified string) diffText {
	out := diffText{Name: name}
	n := 0
	for line := range strings.Lines(unified) {
		if n++; n <= 2 { // which text is which
			continue
		}
		if len(out.Lines) == linesShown {
			out.More = strings.Count(unified, "\n") - linesShown - 2
			break
		}
		class := ""
		switch line[0] {
		case '-':
			class = "dm"
		case '+':
			class = "dp"
		case '@':
			class = "dimmer"
		}
		line = strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "    ")
		out.Lines = append(out.Lines, diffLine{class, brief(line)})
	}
	return out
}

func callOf(c *show.CallChange, d *diffData) diffCall {
	at := func(n, line int, href string) (string, string) {
		switch {
		case n == 0 && line == 0:
			return "", ""
		case n == 0:
			return fmt.Sprintf("line %d", line), fmt.Sprintf("%s#L%d", href, line)
		case line == 0:
			return fmt.Sprintf("#%d", n), fmt.Sprintf("%s#c%d", href, n)
		}
		return fmt.Sprintf("#%d, line %d", n, line), fmt.Sprintf("%s#c%d", href, n)
	}
	out := diffCall{What: c.What, Tool: brief(c.Tool), Args: rawText(c.Args)}
	out.A, out.HrefA = at(c.A, c.LineA, d.A.Href)
	out.B, out.HrefB = at(c.B, c.LineB, d.B.Href)
	if ch := c.Change; ch != nil {
		out.Path, out.WasA, out.WasB = brief(ch.Path), rawText(ch.A), rawText(ch.B)
	}
	return out
}

// Differ counts the calls that differ.
func (d *diffData) Differ() string {
	if n := len(d.Calls) + d.More; n != 1 {
		return count(n, "call") + " differ"
	}
	return "1 call differs"
}
