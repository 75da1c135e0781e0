package harness

import (
	"fmt"
	"strings"

	"github.com/usetools/usetools/discovery"
)

// Text is the Result for a reader, model or person: on success the value, then
// what was printed, then warnings; else what was wrong, where, and what would
// be right, and what was printed before. It is the shortest text that lets the
// reader go on.
func (r *Result) Text() string {
	var b strings.Builder
	if r.Status == OK {
		if r.Value != nil {
			b.Write(r.Value) // compact: white space costs a model tokens
			b.WriteByte('\n')
		}
		for _, u := range r.Tools {
			if u.Signature != "" {
				fmt.Fprintf(&b, "%q → %s%s\n%s", u.Phrase, u.Tool, u.Why(), u.Signature)
				b.WriteString(u.others())
			}
		}
		b.WriteString(r.Stdout)
	} else {
		fmt.Fprintf(&b, "%s\n", r.Status)
		errs := r.Errors
		if len(errs) == 0 && r.Error != nil {
			errs = []Error{*r.Error}
		}
		for _, e := range errs {
			b.WriteString(e.Text())
		}
		if r.Stdout != "" {
			fmt.Fprintf(&b, "printed before:\n%s", r.Stdout)
		}
	}
	if r.Stderr != "" {
		fmt.Fprintf(&b, "\nstderr:\n%s", r.Stderr)
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "\nwarning: %s", w)
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// Why says in a few words, after a space, why a phrase means its tool where
// the phrase is not the reason; else it is empty.
func (u *ToolUse) Why() string {
	switch u.By {
	case discovery.ByMemory:
		return " (an earlier run used it for this phrase)"
	case discovery.ByPreference:
		return " (of the preferred server)"
	}
	return ""
}

// others lists the runners-up of a phrase on one line.
func (u *ToolUse) others() string {
	var ids []string
	for _, c := range u.Candidates {
		if c.ID != u.Tool && len(ids) < 3 {
			ids = append(ids, c.ID)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return "// else: " + strings.Join(ids, ", ") + "\n"
}

// Text is the error in a few lines: place and message, the line of the script,
// a hint, signatures.
func (e *Error) Text() string {
	var b strings.Builder
	switch {
	case e.File != "" && e.Column > 0:
		fmt.Fprintf(&b, "%s:%d:%d: ", e.File, e.Line, e.Column)
	case e.File != "":
		fmt.Fprintf(&b, "%s:%d: ", e.File, e.Line)
	case e.Line > 0 && e.Column > 0:
		fmt.Fprintf(&b, "%d:%d: ", e.Line, e.Column)
	case e.Line > 0:
		fmt.Fprintf(&b, "line %d: ", e.Line)
	}
	b.WriteString(e.Message + "\n")
	if e.Snippet != "" {
		b.WriteString(strings.TrimRight(e.Snippet, "\n") + "\n")
	}
	for _, t := range e.Trace {
		b.WriteString("  at " + t + "\n")
	}
	if e.Hint != "" {
		b.WriteString("hint: " + e.Hint + "\n")
	}
	signatures := e.Signatures
	if e.lines != nil {
		signatures = e.lines
	}
	for _, s := range signatures {
		b.WriteString("  " + s + "\n")
	}
	return b.String()
}
