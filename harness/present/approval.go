package present

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// Limits of the context of a pending call. Arguments are always shown in full.
const (
	maxBefore    = 20 // calls
	around       = 3  // lines of the script before and after that of the call
	maxDeceptive = 10 // warnings about odd characters
	maxExcerpt   = 60 // characters of an odd text
)

// ExpiresIn returns when a pending call expires: "expires in 6 days".
func ExpiresIn(until, now time.Time) string {
	if !until.After(now) {
		return "expired"
	}
	return "expires in " + Duration(max(ms(until.Sub(now)), 1000))
}

// AnswerText returns a person's answer: "approved by ann (approvals), 2026-11-23 09:41:07,
// expires 2026-11-24 09:41:07: word".
func AnswerText(a *record.Answer) Text {
	word, style := "rejected", Warn
	if a.Yes {
		word, style = "approved", Good
	}
	if a.AllCalls {
		word += " for all calls of the tool in this run"
	}
	if a.Who != "" {
		word += " by " + a.Who
	}
	if a.How != "" {
		word += " (" + a.How + ")"
	}
	t := Words(style, word)
	if !a.Time.IsZero() {
		t = append(t.Add(style, ", "), Span{Time: a.Time, Style: style})
	}
	if a.Yes && !a.Until.IsZero() {
		t = append(t.Add(style, ", expires "), Span{Time: a.Until, Style: style})
	}
	if a.Word != "" {
		t = t.Add(style, ": "+a.Word)
	}
	return t
}

// AnswerLine returns an answer as one line that is safe to show, with local times.
func AnswerLine(a *record.Answer, ascii bool) string {
	return Visible(AnswerText(a).in(time.Local, time.DateTime).String(), math.MaxInt, ascii)
}

// Class returns the class of an ask's tool, and why it has that class if the record says so.
func Class(r *record.Run, a *record.Ask) string {
	for t := range r.AllTools() {
		if t.ID == a.Tool && t.Why != "" {
			return fmt.Sprintf("%s: %s", a.Class, t.Why)
		}
	}
	return string(a.Class)
}

// At returns where a run's scripts make a call: "line 12 of the saved script digest". Lines are
// those of the submitted text.
func At(r *record.Run, path, place string) string {
	return record.Where{Script: Script(r, path), Line: record.PlaceLine(place)}.At()
}

// Script returns the name of the saved script that a path of a run belongs to, or "" for the script
// that was sent.
func Script(r *record.Run, path string) string {
	v := &View{Run: r, Sources: []*Source{{}}}
	for _, c := range r.Children[:min(len(r.Children), maxChildren)] {
		v.Sources = append(v.Sources, &Source{Name: c.Name, Path: c.Path})
	}
	return v.SourceOf(path).Name
}

// Short returns arguments as one line of at most limit characters, with long values shortened.
func Short(args record.Data, limit int, ascii bool) string { return brief(args, nil, limit, ascii) }

// Differing is like Short for the arguments that differ from those of another call.
func Differing(args, others record.Data, limit int) string {
	same := map[string]string{}
	for _, l := range Leaves(others.JSON) {
		same[l.Path] = l.JSON
	}
	return brief(args, same, limit, false)
}

// Args returns all arguments of a call, or why they cannot be shown, with warnings about deceptive
// texts. If title is empty, it adds no heading.
func Args(title string, r *record.Run, d record.Data) Document {
	raw := value(r, d)
	if raw == nil && !d.IsZero() {
		return append(section(title), &Callout{Bad, "", Words(Plain,
			absent(d)+": the record does not keep the arguments of this tool, so they cannot be checked here")})
	}
	out := ArgsJSON(title, raw)
	if d.Redacted {
		out = append(out, &Callout{Warn, "", Words(Plain, "secrets of the config are hidden here, but sent")})
	}
	return out
}

// ArgsJSON is Args for a call without a record.
func ArgsJSON(title string, raw json.RawMessage) Document {
	out := section(title)
	if len(raw) == 0 || string(raw) == "{}" {
		return append(out, &Paragraph{Words(Plain, "none")})
	}
	out = append(out, &Quote{Text: string(raw), JSON: true})
	for _, odd := range DeceptiveTexts(raw) {
		out = append(out, &Callout{Warn, "careful", Words(Plain, odd)})
	}
	return out
}

// section returns the heading of a section, if it has a title.
func section(title string) Document {
	if title == "" {
		return nil
	}
	return Document{&Heading{2, Words(Plain, title)}}
}

// bars writes a full text of a script, model or server: each line behind a bar, long lines wrapped.
func (p *page) bars(s string) {
	bar, columns := "│", p.Width-4
	if p.ASCII {
		bar = "|"
	}
	for l := range strings.SplitSeq(strings.TrimRight(s, "\n"), "\n") {
		shown := []rune(p.safe(untabbed(l), math.MaxInt))
		for first := true; first || len(shown) > 0; first = false {
			n := min(len(shown), columns)
			p.line("  %s %s", p.paint(dim, bar), string(shown[:n]))
			shown = shown[n:]
		}
	}
}

// DeceptiveTexts returns at most 10 warnings about deceptive texts of a JSON value: invisible characters,
// characters that change the direction of text, characters that are not in normal form (NFC), and
// duplicate keys.
func DeceptiveTexts(raw []byte) (out []string) {
	seen := map[string]bool{}
	var open []*object // objects, nil for lists
	for d := json.NewDecoder(bytes.NewReader(raw)); len(out) < maxDeceptive; {
		t, err := d.Token()
		if err != nil {
			break
		}
		if delim, ok := t.(json.Delim); ok && (delim == '}' || delim == ']') {
			open = open[:len(open)-1]
			continue
		}
		var in *object
		if len(open) > 0 {
			in = open[len(open)-1]
		}
		s, ok := t.(string)
		if in != nil {
			if in.key = !in.key; in.key && in.has[s] {
				out = append(out, plainly(s)+" is a duplicate key of an object: JSON readers differ in which one they use")
			} else if in.key {
				in.has[s] = true
			}
		}
		switch t {
		case json.Delim('{'):
			open = append(open, &object{has: map[string]bool{}})
		case json.Delim('['):
			open = append(open, nil)
		}
		if !ok || seen[s] {
			continue
		}
		seen[s] = true
		names := map[string]bool{}
		for _, r := range s {
			if r > unicode.MaxASCII && (registry.Invisible(r) || !unicode.IsPrint(r)) {
				names[fmt.Sprintf("U+%04X", r)] = true
			}
		}
		if len(names) > 0 {
			out = append(out, fmt.Sprintf("%s has characters that are invisible or change the direction of text: %s",
				plainly(s), text.List(slices.Sorted(maps.Keys(names)), 5)))
		}
		if !norm.NFC.IsNormalString(s) {
			out = append(out, fmt.Sprintf("%s is not in Unicode normal form (NFC): it looks like %s, "+
				"but is another text", plainly(s), plainly(norm.NFC.String(s))))
		}
	}
	return out
}

// object is a JSON object that is being read.
type object struct {
	has map[string]bool // keys
	key bool            // the last token was a key
}

// plainly returns the beginning of a text in ASCII.
func plainly(s string) string { return `"` + Visible(s, maxExcerpt, true) + `"` }

// Questions returns the questions that a server asks during a call, MCP's inputRequests.
func Questions(requests json.RawMessage) Document {
	if requests == nil {
		return nil
	}
	out := Document{&Heading{2, Words(Plain, "question of its server, in the server's words")}}
	var all map[string]struct {
		Params struct {
			Message string          `json:"message"`
			URL     string          `json:"url"`
			Schema  json.RawMessage `json:"requestedSchema"`
		} `json:"params"`
	}
	if json.Unmarshal(requests, &all) != nil {
		return append(out, &Quote{Text: string(requests)})
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		q := all[key].Params
		out = append(out, &Quote{Text: q.Message})
		if q.URL != "" {
			out = append(out, &Paragraph{Words(Plain, "it refers to this page, which was not opened:")}, &Quote{Text: q.URL})
		}
		if len(q.Schema) > 0 {
			out = append(out, &Paragraph{Words(Plain, "it asks for these fields:")}, &Quote{Text: string(q.Schema), JSON: true})
		}
	}
	return out
}

// Step is a call of a run with its place in the script.
type Step struct {
	*Bar
	Place *Place
}

// Steps returns the calls of the run, ordered by number.
func (v *View) Steps() []Step {
	var out []Step
	for _, s := range v.Sources {
		for _, pl := range s.Places {
			for _, b := range pl.Calls {
				out = append(out, Step{b, pl})
			}
		}
	}
	slices.SortFunc(out, func(a, b Step) int { return cmp.Compare(a.N, b.N) })
	return out
}

// sent returns the Steps that were sent.
func (v *View) sent() []Step {
	return slices.DeleteFunc(v.Steps(), func(s Step) bool { return s.Made.Call == nil })
}

// CallsBefore returns the last 20 calls that the run sent, with links to the page of the run.
func (v *View) CallsBefore(page string) Document {
	steps := v.sent()
	if len(steps) == 0 {
		return Document{&Heading{2, Words(Plain, "earlier calls of the run: none")}}
	}
	out := Document{&Heading{2, Words(Plain, "the run sent "+text.Count(len(steps), "call")+" before")}}
	if n := len(steps) - maxBefore; n > 0 {
		out = append(out, &Paragraph{Words(Dim, text.Count(n, "earlier call")+" not shown")})
		steps = steps[n:]
	}
	t := &Table{Columns: Columns("#", "tool", "class", "state", "arguments"), Inset: true}
	t.Columns[0].Number = true
	for _, b := range steps {
		state := string(b.State)
		if b.Settle != nil {
			state = settled(b.Settle)
		}
		t.Rows = append(t.Rows, Row{Cells: []Text{Link(Dim, fmt.Sprint(b.N), page, fmt.Sprint("#c", b.N)), Words(Tool, b.Place.Tool),
			Words(Plain, string(b.Place.Class)), Words(stateStyles[b.State], state), Words(Mono, Short(b.Made.Call.Args, 200, false))}})
	}
	return append(out, t)
}

// stateStyles are the styles of the states of calls that did not succeed.
var stateStyles = map[State]Style{Failed: Bad, Unknown: Warn, Unread: Warn}

// ScriptAround returns the line of a place with three lines before and after it, in the script that a
// path belongs to, or nil if the line is unknown. The heading links to the line on the page of the
// run.
func (v *View) ScriptAround(path, place, page string) Document {
	line := record.PlaceLine(place)
	s := v.SourceOf(path)
	lines := strings.Split(strings.TrimSuffix(s.Text, "\n"), "\n")
	if line < 1 || line > len(lines) {
		return nil
	}
	title := Link(Plain, "script", page, fmt.Sprint("#L", line))
	if s.Path != "" {
		title = Words(Plain, "saved script "+s.Name)
	}
	first := max(1, line-around)
	return Document{&Heading{2, title}, &Code{First: first, Lines: lines[first-1 : min(line+around, len(lines))], Mark: line}}
}
