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
	// lastRuns is the number of runs searched for runs of saved scripts.
	lastRuns = 1000
	// replayTime limits the replay of one script, replaysTime the replay of all.
	replayTime, replaysTime = 30 * time.Second, 2 * time.Minute
	// codeLines is the maximum number of lines of a saved script on its page.
	codeLines = 1000
)

// savedScript is the page data of a saved script.
type savedScript struct {
	*library.Script
	lib     *library.Library // where it is saved
	Inputs  []scriptInput
	Changed []string // tools that changed since the script was checked
	Kept    bool     // whether a record is kept with it
	Last    *runRow  // its last run, nil if it is not among the latest lastRuns
	Runs    int      // number of its runs among them
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

// scriptsData is the data of the page of all saved scripts.
type scriptsData struct {
	Library  bool // whether a script library is configured
	Scripts  []*savedScript
	Kept     int // number of scripts with a record
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

// replayer returns a function that replays for the viewer.
func (c *Console) replayer(v *view) harness.Replayer {
	return func(ctx context.Context, p *harness.Replay) (*harness.Replayed, error) {
		p.Timeout = replayTime
		return c.host.Replay(ctx, v.Viewer, p)
	}
}

// replayScripts replays all scripts that have a record.
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

// script returns the saved script named in the path.
func (v *view) script() (*savedScript, error) {
	lib, name := v.library(), v.r.PathValue("name")
	gone := &problem{Status: http.StatusNotFound, Title: "Script not found", Next: "/scripts", Do: "Saved scripts",
		Text: "No script is saved under this name."}
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

// scriptData is the data of the page of a saved script.
type scriptData struct {
	*savedScript
	Own     bool      // whether it is the viewer's own, not shared
	Rows    []*runRow // its latest runs
	Servers []string
	Lines   [][]span // the first lines of its source
	More    int      // number of omitted lines
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
	if s.Replay == nil { // a refresh would drop the result of the replay
		p.Live = []string{topicRuns}
	}
	return v.show("script.html", p)
}

func (c *Console) replayScript(v *view, s *savedScript) error {
	s.Replay = harness.ReplayScript(v.r.Context(), c.replayer(v), s.lib, s.Script)
	return c.scriptPage(v, s)
}

// runSaved starts a run with the inputs of the form.
func (c *Console) runSaved(v *view, s *savedScript) error {
	script := newScript(s.Source, v.filled(s.Inputs))
	script.Name, script.Dry = s.Name, v.r.PostForm.Get("dry") != ""
	id, err := c.host.Execute(v.r.Context(), v.Viewer, script)
	if err != nil {
		v.say("bad", "%s was not started: %s", s.Name, v.why(err))
		return v.goTo("/scripts/" + s.Name)
	}
	return v.goTo("/runs/" + link(id))
}

func (c *Console) removeScript(v *view) error {
	if !v.Operator {
		return forbidden("Only the operator may remove saved scripts.")
	}
	s, err := v.script()
	if err != nil {
		return err
	}
	if err := s.lib.Delete(s.Name); err != nil {
		return err
	}
	v.say("ok", "Removed %s and its record.", s.Name)
	return v.goTo("/scripts")
}
