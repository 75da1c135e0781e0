package present

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// Limits of a run on a terminal. Options.All lifts the limits of lists and values.
const (
	maxValue    = 40 // lines of a value
	maxWarnings = 20
	maxTrace    = 20
	maxMessage  = 4000 // characters of an error's message
	maxName     = 20   // characters of names
)

// Text writes a run for a terminal.
func (v *View) Text(w io.Writer, o *Options) error { return v.Document(o).Terminal(w, o) }

// Document returns a run: its facts, the tools found for its phrases, its scripts with their calls
// over time, pending calls, and how it ended.
func (v *View) Document(o *Options) Document {
	if o == nil {
		o = &Options{}
	}
	p := newPage(v, o)
	doc := Document{v.heading(), v.facts(p)}
	for _, state := range v.States() {
		doc = append(doc, state)
	}
	doc = append(doc, v.phrases()...)
	most := maxLines
	if o.All {
		most = 0
	}
	l := NewLayout(v, o.Now, most)
	for i, s := range l.Scripts {
		title := "script"
		if i > 0 {
			title = "script " + text.Cut(s.Name, 100) + ", run through RunScript"
		}
		doc = append(doc, titled(title), &Timeline{l, s})
	}
	doc = append(doc, p.asks()...)
	return append(doc, v.ending(o.All, nil)...)
}

func titled(title string) *Heading { return &Heading{Level: 2, Text: Words(Plain, title)} }

func (v *View) heading() *Heading {
	return &Heading{Level: 1, Text: Words(Strong, Visible(v.Run.Begin.ID, maxName, false)).Add(Plain, "  ").
		Add(StatusStyle(v.Status), Visible(StatusWord(v.Status), maxName, false)).Add(Plain, "  ").Add(Dim, v.Took())}
}

// StatusWord returns a status in words for people.
func StatusWord(status string) string {
	if status == "uncertain" {
		return "outcome unknown"
	}
	return status
}

// Took returns how long the run took, or has taken so far.
func (v *View) Took() string {
	end := v.Run.End
	switch {
	case end == nil:
		return Duration(v.Ms) + " so far"
	case end.Ms > 0:
		return Duration(end.Ms)
	}
	return Duration(v.Ms)
}

func (v *View) facts(p *page) Facts {
	b, r := v.Run.Begin, v.Run
	began := TimeText(b.Time).in(p.Zone, time.DateTime)
	if !p.Now.IsZero() {
		began = began.Add(Plain, ", "+Ago(b.Time, p.Now))
	}
	script := fmt.Sprintf("%s, %s", text.Count(lineCount(v.Sources[0].Text), "line"), size(b.Script.Bytes))
	if b.Name != "" {
		script = b.Name + ", " + script
	}
	all := Facts{{Name: "began", Value: began}}
	if n := len(r.Attempts); n > 0 {
		all = append(all, fact("attempts", fmt.Sprintf("%d, %s between them", n+1, Duration(v.Paused))))
	}
	all = append(all, fact("calls", v.counted()), fact("for", b.Subject), fact("session", b.Session), fact("script", script))
	return append(all, v.RunFacts(p.All)...)
}

func fact(name, value string) Fact { return Fact{Name: name, Value: Words(Plain, value)} }

// maxInputs limits the inputs that are shown.
const maxInputs = 100

// RunFacts returns how the run ran: its resources, harness, modes and inputs. If all is set, it also
// returns the attempts.
func (v *View) RunFacts(all bool) (out Facts) {
	b, r := v.Run.Begin, v.Run
	if all {
		for i, a := range r.Attempts[:min(len(r.Attempts), maxInputs)] {
			what := Words(Plain, fmt.Sprintf("%d began ", a.Number))
			what = append(what, TimeText(a.Time)...)
			if a.Who != "" {
				what = what.Add(Plain, " by "+a.Who)
			}
			if a.Live {
				what = what.Add(Plain, ", sends the calls of a dry run")
			}
			if i < len(r.Ended) {
				what = what.Add(Plain, "; the previous attempt ended: "+StatusWord(r.Ended[i].Status))
			}
			out = append(out, Fact{Name: "attempt", Value: what})
		}
	}
	if len(v.Usage) > 0 {
		out = append(out, fact("used", fmt.Sprintf("%s of CPU time, at most %s of memory", Duration(v.CPU), size(int(v.Peak)))))
	}
	out = append(out, fact("harness", strings.Join(slices.DeleteFunc([]string{b.Harness, b.Go, b.OS + "/" + b.Arch},
		func(s string) bool { return s == "" || s == "/" }), ", ")))
	for _, m := range []struct {
		on   bool
		name string
	}{{b.Strict, "strict"}, {b.ReadOnly, "read-only"}} {
		if m.on {
			out = append(out, fact("mode", m.name))
		}
	}
	for i, name := range slices.Sorted(maps.Keys(b.Inputs)) {
		if i == maxInputs {
			out = append(out, fact("input", fmt.Sprintf("and %d more", len(b.Inputs)-i)))
			break
		}
		out = append(out, fact("input", name+" = "+text.Cut(v.shown(b.Inputs[name]), maxMessage)))
	}
	if r.End != nil && r.End.ExitCode != 0 {
		out = append(out, fact("exit code", strconv.Itoa(r.End.ExitCode)))
	}
	return out
}

// States returns remarks about the run: missing parts of its record, whether it is a dry run, and
// whether it can be resumed.
func (v *View) States() (out []*Callout) {
	r := v.Run
	add := func(style Style, title, text string) {
		out = append(out, &Callout{Style: style, Title: title, Text: Words(Plain, text)})
	}
	if r.Damaged != nil {
		add(Bad, "damaged record", r.Damaged.Error()+". Its readable part is shown; the run cannot be resumed.")
	}
	if r.Later != nil {
		add(Warn, "record of a later version", r.Later.Error()+". Parts of it may be missing here.")
	}
	if r.Torn > 0 && r.End == nil && v.Status != record.Running {
		add(Warn, "torn record", size(int(r.Torn))+" at the end are missing: the process died while writing them.")
	}
	if v.Status == record.Died {
		add(Warn, "process died", "The run can be resumed; no call is sent twice.")
	}
	if r.End != nil && r.End.Closed {
		add(Warn, "closed by a person", "The run cannot be resumed.")
	}
	switch {
	case r.Live():
		add(Warn, "resumed dry run", "Its effect calls were sent after approval.")
	case r.Begin.Dry:
		add(Good, "dry run", "Read calls were sent, effect calls were not.")
	}
	none, hidden := 0, 0
	look := func(d record.Data) {
		switch {
		case d.Redacted && d.JSON == nil && d.Shown == "":
			none++
		case d.Redacted:
			hidden++
		}
	}
	look(r.Begin.Script)
	for _, d := range r.Begin.Inputs {
		look(d)
	}
	for _, m := range r.Calls {
		look(m.Line().Args)
		look(m.Result())
	}
	if none > 0 {
		add(Warn, "values not kept", "The record has only size and digest of "+text.Count(none, "value")+".")
	}
	if hidden > 0 {
		add(Warn, "secrets hidden", text.Count(hidden, "value")+" had secrets, which the record does not keep.")
	}
	return out
}

// shown returns a value of the record, or why it is not shown.
func (v *View) shown(d record.Data) string {
	if b := value(v.Run, d); b != nil {
		return string(b)
	}
	if d.IsZero() {
		return "null"
	}
	return absent(d)
}

// counted returns the number of calls: "32: 28 read, 4 effect; 1 failed".
func (v *View) counted() string {
	if v.Calls == 0 {
		return "none"
	}
	if v.Calls == v.NotSent {
		return fmt.Sprintf("none; %d not sent", v.NotSent)
	}
	var classes []string
	for _, c := range []record.Class{record.Read, record.Idempotent, record.Effect} {
		if n := v.Classes[c]; n > 0 {
			classes = append(classes, fmt.Sprintf("%d %s", n, c))
		}
	}
	out := fmt.Sprint(v.Calls - v.NotSent)
	if len(classes) > 0 {
		out += ": " + strings.Join(classes, ", ")
	}
	if v.NotSent > 0 {
		out += fmt.Sprintf("; %d not sent", v.NotSent)
	}
	if v.Failed > 0 {
		out += fmt.Sprintf("; %d failed", v.Failed)
	}
	return out
}

// phrases returns the tools that the phrases of the script found.
func (v *View) phrases() Document {
	if len(v.Phrases) == 0 {
		return nil
	}
	t := &Table{Columns: []Column{{Title: "phrase", Wrap: true}, {Title: "tool"}}, Inset: true}
	for _, ph := range v.Phrases {
		name := "(a name in the script)"
		if ph.Phrase != "" {
			name = `"` + ph.Phrase + `"`
		}
		found := Words(Plain, ph.Tool)
		switch {
		case ph.Tool != "" && ph.By == "phrase":
			found = found.Add(Dim, fmt.Sprintf("  %.2f", ph.Confidence))
		case ph.Tool != "":
			found = found.Add(Dim, "  by "+ph.By)
		default:
			found = Words(Bad, ph.Verdict)
			var near []string
			for _, c := range ph.Candidates {
				near = append(near, c.ID)
			}
			if len(near) > 0 {
				found = found.Add(Bad, ": "+text.List(near, 3))
			}
		}
		t.Rows = append(t.Rows, Row{Cells: []Text{Words(Plain, name), found}})
	}
	return Document{titled("tools"), t}
}

// Received returns the result that the client got: warnings, errors, value and output, shortened if long. href
// returns the address of a line on the page of the run, or "".
func (v *View) Received(href func(line int) string) Document {
	doc := v.ending(false, href)
	if printed := v.Run.Stdout() + v.Run.Stderr(); printed != "" {
		doc = append(append(doc, titled(v.would("printed", "print"))), v.cut(printed, false)...)
	}
	return doc
}

// would returns a title for a part of the ending. In a dry run, that part did not happen.
func (v *View) would(did, would string) string {
	if v.Run.Begin.Dry && !v.Run.Live() {
		return "it would " + would
	}
	return did
}

// ending returns how the run ended: warnings, errors, value.
func (v *View) ending(all bool, href func(line int) string) (doc Document) {
	if len(v.Warnings) > 0 {
		list := &List{Most: maxWarnings, Noun: "warning"}
		for _, w := range v.Warnings {
			list.Items = append(list.Items, Words(Warn, text.Cut(w, maxMessage)))
		}
		doc = append(doc, titled("warnings"), list)
	}
	for i, e := range v.Errors() {
		if i == 0 {
			doc = append(doc, titled("error"))
		}
		page := ""
		if href != nil && e.File == "" && e.Line > 0 {
			page = href(e.Line)
		}
		message, more := firstLine(text.Cut(e.Message, maxMessage))
		doc = append(doc, &Paragraph{Link(Bad, record.Prefix(e.File, e.Line, e.Column), page, "").Add(Bad, message)})
		if more += strings.Join(e.Trace[:min(len(e.Trace), maxTrace)], "\n"); more != "" {
			doc = append(doc, &Quote{Text: more})
		}
		if e.Hint != "" {
			doc = append(doc, &Paragraph{Words(Plain, text.Cut(e.Hint, maxMessage))})
		}
	}
	end := v.Run.End
	if end == nil {
		return doc
	}
	if !end.Value.IsZero() {
		doc = append(doc, titled(v.would("value", "return")))
		if raw := value(v.Run, end.Value); raw == nil {
			doc = append(doc, &Paragraph{Words(Plain, absent(end.Value))})
		} else {
			doc = append(doc, v.cut(string(registry.PrintableJSON([]byte(Indented(raw)))), all)...)
		}
	}
	if end.Truncated {
		doc = append(doc, &Callout{Style: Warn, Text: Words(Warn, "output truncated at the limit")})
	}
	return doc
}

// cut returns the first lines of a text, or all of it.
func (v *View) cut(s string, all bool) Document {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	left := 0
	if len(lines) > maxValue+1 && !all {
		lines, left = lines[:maxValue], len(lines)-maxValue
	}
	doc := Document{&Quote{Text: strings.Join(lines, "\n")}}
	if left > 0 {
		doc = append(doc, &Paragraph{Words(Dim, "and "+text.Count(left, "more line"))})
	}
	return doc
}
