package console

import (
	"html/template"

	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
)

// comparePath is the address of the page that compares two runs.
func comparePath(a, b string) string { return "/runs/" + link(a) + "/compare/" + link(b) }

// compareTicked redirects to the comparison of the two ticked runs, older one first.
func (c *Console) compareTicked(v *view) error {
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
	return v.goTo(comparePath(a.Begin.ID, b.Begin.ID))
}

// comparison is the data of the page: two runs and how they differ.
type comparison struct {
	A, B string
	HTML template.HTML
}

// compareRuns shows how two runs differ.
func (c *Console) compareRuns(v *view) error {
	if err := v.turn(); err != nil {
		return err
	}
	a, err := v.load(v.r.PathValue("id"))
	if err != nil {
		return err
	}
	b, err := v.load(v.r.PathValue("other"))
	if err != nil {
		return err
	}
	html, err := present.Compare(present.New(a), present.New(b)).Document(false).HTML(nil)
	if err != nil {
		return err
	}
	d := &comparison{A: a.Begin.ID, B: b.Begin.ID, HTML: html}
	page := &Page{Title: "Compare " + d.A + " with " + d.B, Nav: "runs", Data: d}
	for _, r := range []*record.Run{a, b} {
		if r.Running {
			page.Live = append(page.Live, topicRun(r.Begin.ID))
		}
	}
	return v.show("comparison.html", page)
}
