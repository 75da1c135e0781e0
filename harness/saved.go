package harness

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/catalog"
	"github.com/usetools/usetools/harness/internal/engine"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
)

// SaveScript saves a script in the catalog's library. res is the result of its check or run. If the
// script replaces another one of that name, warning says so.
func SaveScript(c *catalog.Catalog, name, about, source string, res *outcome.Result) (warning string, err error) {
	return engine.SaveScript(c, name, about, source, res)
}

// NotSavedError is returned by SaveRun and says why the script of a run is not saved.
type NotSavedError struct {
	Run string
	Why string
}

func (e *NotSavedError) Error() string { return fmt.Sprintf("run %s %s", e.Run, e.Why) }

// SaveRun saves the script of a run in a library. about is its description; if empty, it is taken
// from the script's header. If the script replaces another one of that name, warning says so. The
// error is a *NotSavedError if the script never ran or the record lacks a part of it.
func SaveRun(lib *library.Library, r *record.Run, name, about string) (warning string, err error) {
	no := func(format string, args ...any) error {
		return &NotSavedError{r.Begin.ID, fmt.Sprintf(format, args...)}
	}
	switch status := r.Summary().Status; outcome.Status(status) {
	case outcome.CompileError, outcome.ToolNotFound, outcome.Ambiguous, outcome.InternalError:
		return "", no("ended %s: its script never ran, and is not saved", status)
	}
	if r.Begin.Script.Redacted {
		return "", no("cannot be saved: secrets in its script were left out of the record")
	}
	s := &library.Script{Name: name, About: about, Tools: []library.Tool{}, Saved: time.Now().UTC().Truncate(time.Second)}
	if s.Source, err = r.Text(r.Begin.Script); err != nil {
		return "", fmt.Errorf("reading the script of run %s: %w", r.Begin.ID, err)
	}
	if _, says, ok := library.Header(s.Source); ok && about == "" {
		s.About = says
	}
	if r.Tools != nil {
		for _, t := range r.Tools.Tools {
			s.Tools = append(s.Tools, library.Tool{ID: t.ID, Hash: t.Hash})
		}
		slices.SortFunc(s.Tools, func(a, b library.Tool) int { return strings.Compare(a.ID, b.ID) })
	}
	return lib.Replace(s)
}

// Recheck checks a saved script again if its tools have changed since it was checked, and saves the
// result of the check.
func (h *Harness) Recheck(ctx context.Context, c *catalog.Catalog, s *library.Script) error {
	if len(s.Changed(c.Registry)) == 0 {
		return nil
	}
	res, err := h.Check(ctx, &Script{Source: s.Source, Catalog: c})
	if err == nil {
		engine.NoteChecked(c, s, res)
	}
	return err
}
