package engine

import (
	"github.com/usetools/usetools/harness/internal/check"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/outcome"
	"github.com/usetools/usetools/harness/record"
)

// inFiles converts the places of errors to files, for a script of several parts: the worker
// reports lines of the text as sent.
func inFiles(r *outcome.Result, parts []check.Part) {
	for i := range r.Errors {
		e := &r.Errors[i]
		e.Sent = e.Line
		e.File, e.Line = check.Place(parts, e.Line)
	}
}

// traceOf returns the trace of a panic, one line for each function.
func traceOf(o *worker.Outcome, parts []check.Part) []string {
	var out []string
	for _, f := range o.Trace {
		at := f.Func
		if f.Line > 0 {
			file, line := check.Place(parts, f.Line)
			at += ", " + record.Where{File: file, Line: line}.At()
		}
		out = append(out, at)
	}
	return out
}
