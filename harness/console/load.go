package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/show"
)

// beginWait is how long a run may take until it has begun.
const beginWait = 30 * time.Second

// load reads a run, if the viewer may see it.
func (v *view) load(id string) (*record.Run, error) {
	if err := v.c.reading.Acquire(v.r.Context(), 1); err != nil {
		return nil, err
	}
	defer v.c.reading.Release(1)
	r, err := v.c.store.Load(id)
	if err != nil {
		return nil, err
	}
	if !v.Sees(r.Begin.Subject) {
		return nil, record.ErrNotFound
	}
	return r, nil
}

// library is where the viewer's scripts are saved; nil: nowhere.
func (v *view) library() *library.Library {
	if cat := v.c.host.Catalog(v.Viewer); cat != nil {
		return cat.Scripts
	}
	return nil
}

// scriptOf is the script of a run with its inputs, to be run again. An error says why
// that cannot be.
func scriptOf(r *record.Run) (*Script, error) {
	switch {
	case r.Begin.Script.IsZero():
		return nil, errors.New("It is a single call, without a script.")
	case r.Begin.Script.Redacted:
		return nil, errors.New("Its script is not whole in the record.")
	}
	source, err := r.Text(r.Begin.Script)
	if err != nil || source == "" {
		return nil, errors.New("Its script cannot be read.")
	}
	s := &Script{Source: source, Name: r.Begin.Name, Inputs: map[string]json.RawMessage{}}
	for name, d := range r.Begin.Inputs {
		if d.Redacted {
			return nil, fmt.Errorf("Its input %s is not whole in the record.", show.Visible(name, 60, false))
		}
		raw, err := r.Value(d)
		if err != nil {
			return nil, fmt.Errorf("Its input %s cannot be read.", show.Visible(name, 60, false))
		}
		if raw == nil {
			raw = json.RawMessage("null")
		}
		s.Inputs[name] = raw
	}
	return s, nil
}
