package outcome

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// Text returns the Result for a model: Words, then Output.
func (r *Result) Text() string { return r.Words() + r.Output() }

// Words returns the harness's own text about the run: the answer of a lookup, the errors, the
// warnings. No line begins with the text of a script or a server.
func (r *Result) Words() string {
	var b strings.Builder
	if r.Status == OK {
		b.WriteString(r.Shown())
	} else {
		b.WriteString(r.Problems(false, false))
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", registry.Quoted(w))
	}
	return b.String()
}

// Output returns the script's output: the returned value, a string as its text, then stdout and
// stderr.
func (r *Result) Output() string {
	var b strings.Builder
	if r.Status == OK && r.Value != nil {
		b.WriteString(plain(r.Value) + "\n")
		if r.Stdout != "" {
			b.WriteString("printed:\n")
		}
	}
	b.WriteString(r.Stdout)
	if r.Stderr != "" {
		fmt.Fprintf(&b, "\nstderr:\n%s", r.Stderr)
	}
	if b.Len() == 0 {
		return ""
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// Shown returns the tools of the phrases of a lookup. For another script it returns the tools of
// phrases that the script does not use. It may be empty.
func (r *Result) Shown() string {
	var b strings.Builder
	for i := range r.Tools {
		if u := &r.Tools[i]; u.Shown {
			if b.Len() == 0 && !r.LookUp {
				b.WriteString("not used by the script:\n")
			}
			b.WriteString(u.text())
		}
	}
	return b.String()
}

// plain returns a value for a reader: a string that is not blank as its text, and JSON without
// white space, which saves tokens.
func plain(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) != nil || strings.TrimSpace(s) == "" {
		return string(value)
	}
	text := []byte(strings.TrimSpace(s))
	var b bytes.Buffer
	if (text[0] == '{' || text[0] == '[') && json.Compact(&b, text) == nil {
		return b.String()
	}
	return strings.TrimRight(s, "\n")
}

// why returns, after a space, a short reason why the phrase means its tool, if the reason is not
// the phrase itself. Otherwise it is empty.
func (u *ToolUse) why() string {
	switch u.By {
	case discovery.ByMemory:
		return " (an earlier run used it for this phrase)"
	case discovery.ByPreference:
		return " (of the preferred server)"
	}
	return ""
}

// Problems returns why a script failed: the status, all errors, and for a script that was refused
// the tools of its phrases with their types. With people, each error has its line of the script;
// colours adds ANSI colours. Without people, the text has fewer tokens.
func (r *Result) Problems(people, colours bool) string {
	p := painter(colours)
	var b strings.Builder
	head := string(r.Status)
	if people {
		head = "harness: " + p.paint(bold, head)
	}
	b.WriteString(head + "\n" + r.Mistakes(people, colours) + r.waitsDocument().Model(0))
	for _, t := range r.Types {
		if colours {
			t = Paint(t)
		}
		b.WriteString(t + "\n")
	}
	return b.String()
}

// Mistakes returns the errors and, for a script that was refused, the results of its phrases.
func (r *Result) Mistakes(people, colours bool) string {
	p := painter(colours)
	errs := r.Errors
	if len(errs) == 0 && r.Error != nil {
		errs = []Error{*r.Error}
	}
	var b strings.Builder
	if r.Status.ExitCode() != CompileError.ExitCode() {
		for _, e := range errs {
			if !people { // Quoted has already marked the lines of servers
				e.Message = strings.ReplaceAll(registry.Quoted(e.Message), "\n| | ", "\n| ")
			}
			b.WriteString(e.text(p))
		}
		return b.String()
	}
	for i := range errs {
		switch {
		case people:
			b.WriteString(errs[i].text(p))
		case text.Tokens(b.String()) > mistakesTokens:
			b.WriteString(errs[i].place() + text.Cut(errs[i].Message, 60) + "\n")
		default:
			b.WriteString(errs[i].short(len(errs)))
		}
	}
	for _, u := range r.Tools {
		switch {
		case u.Phrase == "" || slices.ContainsFunc(errs,
			func(e Error) bool { return strings.Contains(e.Message, strconv.Quote(u.Phrase)) }):
		case u.Verdict == discovery.Resolved && u.Go != "":
			fmt.Fprintf(&b, "%q → %s%s\n", u.Phrase, u.Go, u.why())
		case u.Verdict != discovery.Resolved:
			b.WriteString(u.Heading() + "\n")
		}
	}
	return b.String()
}

// mistakesTokens is the number of tokens after which further errors of a refused script are
// shortened to a few words.
const mistakesTokens = 500

// painter colours text for terminals, or does not.
type painter bool

// ANSI codes of a painter.
const (
	bold  = "1"
	dim   = "2"
	red   = "31"
	green = "32"
	cyan  = "36"
)

func (p painter) paint(code, s string) string {
	if !p || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// toPaint matches the parts that Paint colours: comments, and lines of functions up to their
// comments.
var toPaint = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)/\*.*?\*/|// .*$|^func [^/\n]*`) })

// Paint returns Go declarations of tools with ANSI colours: lines of functions are bold, comments
// dim.
func Paint(text string) string {
	return toPaint().ReplaceAllStringFunc(text, func(s string) string {
		if strings.HasPrefix(s, "func ") {
			return painter(true).paint(bold, s)
		}
		return painter(true).paint(dim, s)
	})
}

// place returns the place of the error as a prefix of its message.
func (e *Error) place() string { return record.Prefix(e.File, e.Line, e.Column) }

// Text returns the error in a few lines: place and message, the line of the script, the trace of a
// panic, a hint, signatures.
func (e *Error) Text() string { return e.text(false) }

func (e *Error) text(p painter) string {
	var b strings.Builder
	b.WriteString(p.paint(bold, e.place()) + p.paint(red, e.Message) + "\n")
	if e.Snippet != "" {
		line, caret, _ := strings.Cut(strings.TrimRight(e.Snippet, "\n"), "\n")
		b.WriteString(line + "\n")
		if caret != "" {
			b.WriteString(p.paint(green, caret) + "\n")
		}
	}
	for _, t := range e.Trace {
		b.WriteString("  at " + t + "\n")
	}
	if e.Hint != "" {
		b.WriteString(p.paint(cyan, "hint: "+e.Hint) + "\n")
	}
	if !e.Shown {
		for _, s := range e.Signatures {
			b.WriteString("  " + s + "\n")
		}
	}
	return b.String()
}

// maxWithLines is the largest number of errors of a refused script that a model sees with the line
// of the script.
const maxWithLines = 2

// short returns the error for a model. total is the number of errors.
func (e *Error) short(total int) string {
	var b strings.Builder
	b.WriteString(e.place() + e.Message)
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	b.WriteByte('\n')
	if line, _, _ := strings.Cut(e.Snippet, "\n"); line != "" && total <= maxWithLines {
		b.WriteString("\t" + strings.TrimSpace(line) + "\n")
	}
	if !e.Shown {
		for _, s := range e.Signatures {
			b.WriteString("  " + s + "\n")
		}
	}
	return b.String()
}

// Heading describes the result of a phrase of a lookup in one line.
func (u *ToolUse) Heading() string {
	note := ""
	if u.Note != "" {
		note = ": " + u.Note
	}
	switch {
	case u.NamesServer:
		return fmt.Sprintf("%q%s", u.Phrase, note)
	case u.Verdict == discovery.Resolved:
		return fmt.Sprintf("%q → %s%s%s", u.Phrase, u.Go, u.why(), note)
	case u.Verdict == discovery.Unavailable:
		return fmt.Sprintf("%q is unavailable now%s", u.Phrase, note)
	case u.Verdict == discovery.Ambiguous && u.NoTool:
		return fmt.Sprintf("%q: no tool does this%s; nearest, does something else:", u.Phrase, note)
	case u.Verdict == discovery.Ambiguous:
		return fmt.Sprintf("%q could mean several tools%s", u.Phrase, note)
	}
	return fmt.Sprintf("%q: no tool fits it well%s", u.Phrase, note)
}

// text returns the result of a phrase of a lookup: its tool with all types, and alternatives.
func (u *ToolUse) text() string {
	text := u.Heading() + "\n" + u.Signature
	for i, line := range u.Others {
		if i == 0 && !u.NamesServer && u.Signature != "" && !strings.HasPrefix(line, "also ") {
			text += "or "
		}
		text += line + "\n"
	}
	return text
}
