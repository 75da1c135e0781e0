package outcome

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/usetools/usetools/harness/internal/check"
	"github.com/usetools/usetools/harness/record"
)

// ErrNotEnded is returned by FromRecord for a run that is under way, or whose process died.
var ErrNotEnded = errors.New("has not ended")

// FromRecord returns the Result of a run that has ended, from its record. The record lacks the
// sandbox, the tools of a script that was refused, and why a call in a ledger needs approval.
// Values that are not in the record are missing, with a warning. The errors are those of
// [record.Run.Value] and ErrNotEnded.
func FromRecord(run *record.Run) (*Result, error) {
	end := run.End
	if end == nil && len(run.Unknown()) > 0 { // its process died
		end = &record.End{Status: string(Uncertain), ExitCode: Uncertain.ExitCode()}
	}
	if end == nil {
		return nil, fmt.Errorf("run %s %w", run.Begin.ID, ErrNotEnded)
	}
	source, err := run.Text(run.Begin.Script)
	if err != nil && !errors.Is(err, record.ErrNotKept) {
		return nil, err
	}
	res := &Result{Status: Status(end.Status), Stdout: run.Stdout(), Stderr: run.Stderr(), Truncated: end.Truncated,
		ExitCode: end.ExitCode, Tools: []ToolUse{}, Calls: []Call{}, Warnings: append([]string{}, end.Warnings...),
		Run: run.Begin.ID, Dry: run.Begin.Dry && !run.Live()}
	res.Value, err = run.Value(end.Value)
	switch {
	case errors.Is(err, record.ErrNotKept):
		res.Warnings = append(res.Warnings, "the script's return value is not in the record")
	case err != nil:
		return nil, err
	}
	for _, part := range []struct {
		from json.RawMessage
		to   any
	}{{end.Errors, &res.Errors}, {end.Timing, &res.Timing}, {end.Decisions, &res.Decisions}} {
		if part.from == nil {
			continue
		}
		if err := json.Unmarshal(part.from, part.to); err != nil {
			return nil, fmt.Errorf("reading the end of run %s: %w", run.Begin.ID, err)
		}
	}
	if end.Error != nil && len(res.Errors) == 0 {
		res.Errors = make([]Error, 1)
		if err := json.Unmarshal(end.Error, &res.Errors[0]); err != nil {
			return nil, fmt.Errorf("reading the end of run %s: %w", run.Begin.ID, err)
		}
	}
	if len(res.Errors) > 0 {
		res.Error = &res.Errors[0]
	}
	if run.Tools != nil && run.Tools.Phrases != nil {
		if err := json.Unmarshal(run.Tools.Phrases, &res.Tools); err != nil {
			return nil, fmt.Errorf("reading the tools of run %s: %w", run.Begin.ID, err)
		}
	}
	parts, dry := check.Parts([]byte(source)), run.DryCalls()
	if !run.Live() {
		res.Ledger = Ledger(run)
	}
	for _, m := range run.Calls {
		if m.Guess != nil || dry[m.Call] || m.Done == nil {
			continue // a call of a dry run, or one that has not ended
		}
		res.Calls = append(res.Calls, CallOf(m))
		if MadeEffect(m) {
			args, _ := run.Value(m.Call.Args)
			res.AddEffect(placedIn(run, parts, m.Call.Path, m.Call.Place).At(), m.Call.Tool, args)
		}
	}
	res.Unknown = UnresolvedOf(run)
	if res.Unsettled() {
		for _, x := range run.Open() {
			args, _ := run.Value(x.Args)
			w := PendingCall(run.Begin.ID, x.Ask, args)
			w.Where = placedIn(run, parts, x.Path, x.Place)
			res.Waiting = append(res.Waiting, w)
		}
	}
	if res.Resumable() {
		res.NoResume = Lacks(run)
	}
	res.Attempts = len(run.Attempts)
	if res.Attempts > 0 {
		res.Attempts++
	}
	return res, nil
}

// End returns the last line of the record of a run with this Result.
func (r *Result) End() *record.End {
	e := &record.End{Status: string(r.Status), ExitCode: r.ExitCode, Truncated: r.Truncated, Untrusted: r.Untrusted, Warnings: r.Warnings,
		Errors: record.JSON(r.Errors), Timing: record.JSON(r.Timing), Ms: r.Timing.Total, Decisions: record.JSON(r.Decisions)}
	if r.Value != nil {
		e.Value = record.Raw(r.Value)
	}
	if r.Error != nil {
		e.Error = record.JSON(r.Error)
	}
	return e
}

// UnresolvedOf returns the effect calls of a run whose outcome is unknown.
func UnresolvedOf(run *record.Run) (out []Unresolved) {
	source, _ := run.Text(run.Begin.Script) // without the source, line numbers are those of the whole script
	parts := check.Parts([]byte(source))
	for _, m := range run.Unknown() {
		args, _ := run.Value(m.Call.Args)
		u := UnresolvedCall(m.Call, args, whyUnknown(run, m))
		u.Where = placedIn(run, parts, m.Call.Path, m.Call.Place)
		out = append(out, u)
	}
	return out
}

// whyUnknown says why the outcome of a call is unknown.
func whyUnknown(run *record.Run, m *record.Made) string {
	switch {
	case m.Done != nil:
		return m.Done.Error
	case run.Question(m) != nil:
		return "the server's question was not answered in time"
	}
	return "its process ended before the answer came"
}

// placedIn returns, for a reader, a place in a run's script, or in the saved script that made the
// calls with that path.
func placedIn(run *record.Run, parts []check.Part, path, place string) (w record.Where) {
	var by *record.Child // the saved script that makes the call
	for _, c := range run.Children {
		if strings.HasPrefix(path, c.Path) && (by == nil || len(c.Path) > len(by.Path)) {
			by = c
		}
	}
	if by != nil {
		source, _ := run.Text(by.Script) // without the source, the line is that of the whole script
		w.Script, parts = by.Name, check.Parts([]byte(source))
	}
	w.File, w.Line = check.Place(parts, record.PlaceLine(place))
	return w
}

// CallOf returns a call that has ended, for a Result.
func CallOf(m *record.Made) Call {
	c := Call{Tool: m.Call.Tool, Class: m.Call.Class, Ms: m.Done.Ms, Start: m.Done.Start, Bytes: m.Done.Bytes,
		Suspect: m.Done.Suspect, CutOff: m.Done.Cut, Number: m.Call.N}
	if m.Done.Message != "" {
		c.Error = &m.Done.Message
	}
	return c
}

// unmadeOf returns a call that a dry run did not send, for a Result.
func unmadeOf(run *record.Run, g *record.Guess, parts []check.Part) Unmade {
	u := Unmade{Tool: g.Tool, Class: g.Class, From: g.From, Late: g.Late, Origins: g.Origins}
	u.Where = placedIn(run, parts, g.Path, g.Place)
	args, err := run.Value(g.Args)
	if u.Args = args; err != nil {
		u.Args, u.Bytes = nil, g.Args.Bytes
	}
	return u
}

// Lacks says what the record of a run lacks for resuming. It returns "" if nothing is missing.
func Lacks(run *record.Run) string {
	if what := redacted(run); what != "" {
		return fmt.Sprintf("its %s contained secrets of the config, which the record hides; a resumed run would send different data", what)
	}
	_, err := record.Resume(run, nil)
	if unknown := (*record.UnknownError)(nil); err == nil || errors.As(err, &unknown) {
		return ""
	}
	return err.Error()
}

// redacted returns a part of a run that its script depends on and that is redacted in the record,
// or "".
func redacted(run *record.Run) string {
	part := func(script record.Data, inputs ...record.Values) string {
		if script.Redacted {
			return "script"
		}
		for _, values := range inputs {
			for name, v := range values {
				if v.Redacted {
					return fmt.Sprintf("input %q", name)
				}
			}
		}
		return ""
	}
	what := part(run.Begin.Script, run.Begin.Inputs, run.Begin.Stored)
	for _, c := range run.Children {
		what = cmp.Or(what, part(c.Script, c.Inputs))
	}
	return what
}
