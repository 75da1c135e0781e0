package console

import (
	"context"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/harness"
	"github.com/usetools/usetools/harness/library"
)

const (
	// lastRuns are those that the list of saved scripts looks through for theirs.
	lastRuns = 1000
	// replayTime bounds the replay of a script, and replaysTime those of all.
	replayTime, replaysTime = 30 * time.Second, 2 * time.Minute
	// codeLines is the maximum number of lines of a saved script on its page.
	codeLines = 1000
)

// scriptPages adds the pages of saved scripts.
func (c *Console) scriptPages(see func(pattern string, page func(*view) error)) {
	see("GET /scripts", of(c.allScripts, c.listScripts))
	see("POST /scripts", of(c.allScripts, c.replayScripts))
	see("GET /scripts/{name}", of((*view).script, c.scriptPage))
	see("GET /scripts/{name}/replay", func(v *view) error { // the address of a page that a form was answered with
		return v.goTo("/scripts/" + link(v.r.PathValue("name")))
	})
	see("POST /scripts/{name}/replay", of((*view).script, c.replayScript))
	see("POST /scripts/{name}/run", of((*view).script, c.runSaved))
	see("POST /scripts/{name}/remove", c.removeScript)
}

// savedScript is a saved script as pages show it.
type savedScript struct {
	*library.Script
	lib     *library.Library // that has it
	Inputs  []scriptInput
	Changed []string // tools that are not as they were when it was checked
	Kept    bool     // a record is kept with it
	Last    *runRow  // its last run; nil: it is not among the latest
	Runs    int      // of those
	Replay  *harness.ReplayedRecord
}

func (v *view) saved(lib *library.Library, s *library.Script) *savedScript {
	out := &savedScript{Script: s, lib: lib, Inputs: inputsOf(s.Source)}
	if cat := v.c.host.Catalog(v.Viewer); cat != nil {
		out.Changed = s.Changed(cat.Registry)
	}
	if file := lib.Record(s.Name); file != "" {
		_, err := os.Stat(file)
		out.Kept = err == nil
	}
	return out
}

// scriptsData is what the page of all saved scripts shows.
type scriptsData struct {
	Library  bool // there is one
	Scripts  []*savedScript
	Kept     int // that have a record
	Replayed bool
	Servers  []string
}

func (c *Console) allScripts(v *view) (*scriptsData, error) {
	d, lib := &scriptsData{Servers: c.servers(v)}, v.library()
	if lib == nil {
		return d, nil
	}
	d.Library = true
	list, err := lib.List()
	if err != nil {
		return nil, err
	}
	by := map[string]*savedScript{}
	for _, s := range list {
		x := v.saved(lib, s)
		if x.Kept {
			d.Kept++
		}
		d.Scripts, by[s.Name] = append(d.Scripts, x), x
	}
	f := v.Filter()
	f.Limit = lastRuns
	now := time.Now()
	for sum, err := range c.store.List(v.r.Context(), f) {
		if err != nil || by[sum.Name] == nil {
			continue
		}
		x := by[sum.Name]
		if x.Runs++; x.Last == nil {
			x.Last = &runRow{Summary: sum}
			x.Last.fill(v.Viewer, &runsQuery{}, now)
		}
	}
	return d, nil
}

func (c *Console) listScripts(v *view, d *scriptsData) error {
	return v.show("scripts.html", &Page{Title: "Saved scripts", Nav: "runs", Live: []string{topicRuns}, Data: d})
}

// replayer replays for a viewer.
func (c *Console) replayer(v *view) harness.Replayer {
	return func(ctx context.Context, p *harness.Replay) (*harness.Replayed, error) {
		p.Timeout = replayTime
		return c.host.Replay(ctx, v.Viewer, p)
	}
}

// replayScripts replays all that have a record.
func (c *Console) replayScripts(v *view, d *scriptsData) error {
	ctx, cancel := context.WithTimeout(v.r.Context(), replaysTime)
	defer cancel()
	for _, s := range d.Scripts {
		if s.Kept {
			s.Replay = harness.ReplayScript(ctx, c.replayer(v), s.lib, s.Script)
		}
	}
	d.Replayed = true
	return v.show("scripts.html", &Page{Title: "Saved scripts", Nav: "runs", Data: d})
}

// script is the one of the path.
func (v *view) script() (*savedScript, error) {
	lib, name := v.library(), v.r.PathValue("name")
	gone := &problem{Status: http.StatusNotFound, Title: "No such script", Next: "/scripts", Do: "Saved scripts",
		Text: "There is no saved script of this name here."}
	if lib == nil || library.CheckName(name) != nil {
		return nil, gone
	}
	s, err := lib.Load(name)
	if errors.As(err, new(*library.NotFoundError)) {
		return nil, gone
	}
	if err != nil {
		return nil, err
	}
	return v.saved(lib, s), nil
}

// scriptData is what the page of a saved script shows.
type scriptData struct {
	*savedScript
	Own     bool      // it is the viewer's own, not a shared one
	Rows    []*runRow // its latest runs
	Servers []string
	Lines   [][]span // of its source, the first ones
	More    int      // lines that are not shown
}

func (c *Console) scriptPage(v *view, s *savedScript) error {
	d := &scriptData{savedScript: s, Servers: c.servers(v)}
	_, err := s.lib.Own(s.Name)
	d.Own = err == nil
	f := v.Filter()
	f.Script, f.Limit = s.Name, 10
	ctx, cancel := context.WithTimeout(v.r.Context(), searchTime)
	defer cancel()
	if err := v.turn(); err != nil {
		return err
	}
	now := time.Now()
	for sum, err := range c.store.List(ctx, f) {
		if err == nil {
			row := &runRow{Summary: sum, Preview: v.preview(sum)}
			row.fill(v.Viewer, &runsQuery{}, now)
			d.Rows = append(d.Rows, row)
		}
	}
	d.Lines = highlight(strings.TrimSuffix(s.Source, "\n"), func(pkg string) string {
		if slices.Contains(d.Servers, pkg) {
			return hue(d.Servers, pkg)
		}
		return ""
	})
	if d.More = len(d.Lines) - codeLines; d.More > 0 {
		d.Lines = d.Lines[:codeLines]
	}
	p := &Page{Title: s.Name, Nav: "runs", Data: d}
	if s.Replay == nil { // else what is fetched again would not say it
		p.Live = []string{topicRuns}
	}
	return v.show("script.html", p)
}

func (c *Console) replayScript(v *view, s *savedScript) error {
	s.Replay = harness.ReplayScript(v.r.Context(), c.replayer(v), s.lib, s.Script)
	return c.scriptPage(v, s)
}

// runSaved begins a run, with the inputs of the form.
func (c *Console) runSaved(v *view, s *savedScript) error {
	script := newScript(s.Source, v.filled(s.Inputs))
	script.Name, script.Dry = s.Name, v.r.PostForm.Get("dry") != ""
	id, err := c.host.Execute(v.r.Context(), v.Viewer, script)
	if err != nil {
		v.say("bad", "%s was not run: %s", s.Name, v.why(err))
		return v.goTo("/scripts/" + s.Name)
	}
	return v.goTo("/runs/" + link(id))
}

func (c *Console) removeScript(v *view) error {
	if !v.Operator {
		return forbidden("Saved scripts are removed by the operator.")
	}
	s, err := v.script()
	if err != nil {
		return err
	}
	if err := s.lib.Delete(s.Name); err != nil {
		return err
	}
	v.say("ok", "%s was removed, with the record that was kept with it.", s.Name)
	return v.goTo("/scripts")
}
