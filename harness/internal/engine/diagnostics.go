package engine

import (
	"fmt"

	"github.com/usetools/usetools/harness/internal/check"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
)

// inFiles makes the places of errors those of files, for a script that is
// several: what the worker says has lines of the text as sent.
func inFiles(r *outcome.Result, parts []check.Part) {
	for i := range r.Errors {
		e := &r.Errors[i]
		e.Sent = e.Line
		if name, line := check.Place(parts, e.Line); line > 0 {
			e.File, e.Line = name, line
		}
	}
}

// traceOf is the trace of a panic, a line for each function.
func traceOf(o *worker.Outcome, parts []check.Part) []string {
	var out []string
	for _, f := range o.Trace {
		at := f.Func
		if f.Line > 0 {
			at += ", " + lineName(parts, f.Line)
		}
		out = append(out, at)
	}
	return out
}

// lineName says where a line of the script is.
func lineName(parts []check.Part, line int) string {
	if name, in := check.Place(parts, line); in > 0 {
		return fmt.Sprintf("%s line %d", name, in)
	}
	return fmt.Sprintf("line %d", line)
}
