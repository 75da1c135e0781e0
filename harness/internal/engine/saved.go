package engine

import (
	"errors"
	"fmt"
	"time"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// notOK returns one line about why a script did not end normally.
func notOK(res *outcome.Result) string {
	if res.Error == nil {
		return string(res.Status)
	}
	msg := record.Prefix(res.Error.File, res.Error.Line, res.Error.Column) + res.Error.Message
	return text.Cut(fmt.Sprintf("%s: %s", res.Status, msg), 500)
}

// NoteChecked saves the outcome of a run or check of a saved script: that it compiles with
// the present tools, or why it does not.
func NoteChecked(c *catalog.Catalog, s *library.Script, res *outcome.Result) {
	if c.Scripts == nil {
		return
	}
	changed := len(s.Changed(c.Registry)) > 0
	switch res.Status {
	case outcome.CompileError, outcome.ToolNotFound, outcome.Ambiguous:
		if why := notOK(res); s.Broken != why {
			s.Broken = why
			c.Scripts.Note(s)
		}
	default:
		if s.Broken != "" || changed {
			s.Broken = ""
			s.UseTools(toolsOf(res), c.Registry)
			c.Scripts.Note(s)
		}
	}
}

func toolsOf(res *outcome.Result) []string {
	var ids []string
	for _, u := range res.Tools {
		if u.Tool != "" {
			ids = append(ids, u.Tool)
		}
	}
	return ids
}

// SaveScript saves a script, see harness.SaveScript.
func SaveScript(c *catalog.Catalog, name, about, source string, res *outcome.Result) (warning string, err error) {
	if c.Scripts == nil {
		return "", errors.New("no script library is configured")
	}
	s := &library.Script{Name: name, About: about, Source: source, Saved: time.Now().UTC().Truncate(time.Second)}
	s.UseTools(toolsOf(res), c.Registry)
	return c.Scripts.Replace(s)
}

// saveNamed saves a script that ended normally and has a header with its name, even if it used
// no tools and therefore no catalog.
func (r *run) saveNamed() {
	if r.script.depth > 0 || r.result.Status != outcome.OK || r.bound.Needs.Probe || r.script.Dry {
		return
	}
	name, about, ok := library.Header(r.script.Source)
	if !ok {
		if name != "" {
			r.result.Warnings = append(r.result.Warnings, "not saved: "+library.CheckName(name).Error())
		}
		return
	}
	cat := r.bound.Catalog
	if cat == nil {
		cat = &catalog.Catalog{Registry: &registry.Registry{}, Scripts: r.scripts()}
	}
	if cat.Scripts == nil {
		r.result.Warnings = append(r.result.Warnings,
			fmt.Sprintf("not saved as %q: no script library is configured; scripts are kept for a config or a registry",
				name))
		return
	}
	if old, err := cat.Scripts.Own(name); err == nil && old.Source == r.script.Source &&
		len(old.Changed(cat.Registry)) == 0 {
		return
	}
	warning, err := SaveScript(cat, name, about, r.script.Source, r.result)
	if err != nil {
		warning = err.Error()
	}
	if warning != "" {
		r.result.Warnings = append(r.result.Warnings, warning)
	}
}

// scripts returns the library of a run that used no catalog.
func (r *run) scripts() *library.Library {
	switch {
	case r.script.Catalog != nil:
		return r.script.Catalog.Scripts
	case r.e.Scripts != nil:
		return r.e.Scripts()
	}
	return nil
}
