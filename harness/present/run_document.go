package present

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// Bounds of a run on a terminal. Options.All lifts those of lists and values.
const (
	maxValue    = 40 // lines of a value
	maxWarnings = 20
	maxTrace    = 20
	maxMessage  = 4000 // characters of an error's message
	maxName     = 20   // characters of names
)

// Text writes a run for a terminal.
func (v *View) Text(w io.Writer, o *Options) error { return v.Document(o).Terminal(w, o) }

// Document shows a run: its facts, the tools that its phrases found, its scripts with their
// calls over time, pending calls, and how it ended.
func (v *View) Document(o *Options) Document {
	if o == nil {
		o = &Options{}
	}
	p := newPage(v, o)
	doc := Document{v.heading(), v.facts(p)}
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
	return append(doc, v.ending(o.All)...)
}

func titled(title string) *Heading { return &Heading{Level: 2, Text: Words(Plain, title)} }

func (v *View) heading() *Heading {
	return &Heading{Level: 1, Text: Words(Strong, Visible(v.Run.Begin.ID, maxName, false)).Add(Plain, "  ").
		Add(StatusStyle(v.Status), Visible(StatusWord(v.Status), maxName, false)).Add(Plain, "  ").Add(Dim, v.Took())}
}

// StatusWord returns a status as people read it.
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
	var all Facts
	add := func(name, value string) { all = append(all, Fact{Name: name, Value: Words(Plain, value)}) }
	began := b.Time.In(p.Zone).Format(time.DateTime)
	if !p.Now.IsZero() {
		began += ", " + Ago(b.Time, p.Now)
	}
	add("began", began)
	if n := len(r.Attempts); n > 0 {
		add("attempts", fmt.Sprintf("%d, %s between them", n+1, Duration(v.Paused)))
	}
	if p.All {
		for i, a := range r.Attempts {
			what := fmt.Sprintf("%d began %s", a.Number, a.Time.In(p.Zone).Format(time.DateTime))
			if a.Who != "" {
				what += " by " + a.Who
			}
			if a.Live {
				what += ", sends the calls of a dry run"
			}
			if i < len(r.Ended) {
				what += "; the one before ended: " + StatusWord(r.Ended[i].Status)
			}
			add("attempt", what)
		}
	}
	add("calls", v.counted())
	if len(v.Usage) > 0 {
		add("used", fmt.Sprintf("%s of CPU time, at most %s of memory", Duration(v.CPU), size(int(v.Peak))))
	}
	add("for", b.Subject)
	add("session", b.Session)
	script := fmt.Sprintf("%s, %s", text.Count(lineCount(v.Sources[0].Text), "line"), size(b.Script.Bytes))
	if b.Name != "" {
		script = b.Name + ", " + script
	}
	add("script", script)
	add("harness", strings.Join(slices.DeleteFunc([]string{b.Harness, b.Go, b.OS + "/" + b.Arch},
		func(s string) bool { return s == "" || s == "/" }), ", "))
	add("mode", strings.Join(v.Modes(), ", "))
	for _, name := range slices.Sorted(maps.Keys(b.Inputs)) {
		add("input", name+" = "+v.shown(b.Inputs[name]))
	}
	if r.Damaged != nil {
		all = append(all, Fact{Name: "damaged", Value: Words(Bad, r.Damaged.Error())})
	}
	if r.Later != nil {
		add("version", r.Later.Error())
	}
	if r.Torn > 0 && r.End == nil && v.Status != record.Running {
		add("torn", fmt.Sprintf("%s at the end are left out: the process died while it wrote them", size(int(r.Torn))))
	}
	return all
}

// Modes returns how the run differs from others: dry run, strict, read-only.
func (v *View) Modes() (out []string) {
	b, live := v.Run.Begin, v.Run.Live()
	for _, m := range []struct {
		on   bool
		name string
	}{{b.Dry && !live, "dry run: effects were not sent"}, {live, "resumed dry run: approved effects are sent"}, {b.Strict, "strict"}, {b.ReadOnly, "read-only"}} {
		if m.on {
			out = append(out, m.name)
		}
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

// counted says how many calls there were: "32: 28 read, 4 effect; 1 failed".
func (v *View) counted() string {
	if v.Calls == 0 {
		return "none"
	}
	if v.Calls == v.NotSent {
		return fmt.Sprintf("none; %d not sent", v.NotSent)
	}
	var classes []string
	for _, c := range []record.Class{record.Read, record.Again, record.Effect} {
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

// phrases shows the tools that the phrases of the script found.
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

// ending shows how the run ended: warnings, its error, its value.
func (v *View) ending(all bool) (doc Document) {
	if len(v.Warnings) > 0 {
		list := &List{Most: maxWarnings, Noun: "warning"}
		for _, w := range v.Warnings {
			list.Items = append(list.Items, Words(Warn, text.Cut(w, maxMessage)))
		}
		doc = append(doc, titled("warnings"), list)
	}
	if e := v.Error; e != nil {
		at := ""
		if e.File != "" {
			at = e.File + " "
		}
		if e.Line > 0 {
			at += fmt.Sprintf("line %d", e.Line)
			if e.Column > 0 {
				at += fmt.Sprintf(":%d", e.Column)
			}
			at += ": "
		}
		doc = append(doc, titled("error"), &Paragraph{Words(Bad, text.Cut(at+e.Message, maxMessage))})
		if e.Hint != "" {
			doc = append(doc, &Paragraph{Words(Plain, text.Cut(e.Hint, maxMessage))})
		}
		if len(e.Trace) > 0 {
			doc = append(doc, &Paragraph{Words(Dim, strings.Join(e.Trace[:min(len(e.Trace), maxTrace)], "\n"))})
		}
	}
	end := v.Run.End
	if end == nil {
		return doc
	}
	if end.ExitCode > 0 && v.Status == "script_error" && v.Error == nil {
		doc = append(doc, titled(fmt.Sprintf("exit code %d", end.ExitCode)))
	}
	if !end.Value.IsZero() {
		doc = append(doc, titled("value"))
		if raw := value(v.Run, end.Value); raw == nil {
			doc = append(doc, &Paragraph{Words(Plain, absent(end.Value))})
		} else {
			lines := strings.Split(string(registry.PrintableJSON([]byte(Indented(raw)))), "\n")
			left := 0
			if len(lines) > maxValue+1 && !all {
				lines, left = lines[:maxValue], len(lines)-maxValue
			}
			doc = append(doc, &Quote{Text: strings.Join(lines, "\n")})
			if left > 0 {
				doc = append(doc, &Paragraph{Words(Dim, "and "+text.Count(left, "more line"))})
			}
		}
	}
	if end.Truncated {
		doc = append(doc, &Callout{Style: Warn, Text: Words(Warn, "its output was cut at the limit")})
	}
	return doc
}
