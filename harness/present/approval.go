package present

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// Bounds of the context of an approval. Arguments are always shown whole.
const (
	maxBefore  = 20 // calls
	around     = 3  // lines of the script before and after that of the call
	maxOddOnes = 10 // texts with odd characters
	maxOdd     = 60 // characters of one
	maxAlike   = 20
)

// Ask writes an ask of a run for a terminal, with all that a person decides by: the tool as
// the config names it, its class and why a person is asked, all arguments, what the run did
// before, the line of the script, in what open asks of the same tool differ, and what a server
// asks. Text of the script, the model or a server stands behind a bar, with invisible
// characters escaped; nothing of it is left out.
func Ask(w io.Writer, r *record.Run, a *record.Asked, o *Options) error {
	v := New(r)
	p := newPage(v, o)
	p.line("%s  %s", p.paint(bold, p.safe(record.ApprovalID(r.Begin.ID, a.A), 2*maxName)),
		p.paint(yellow, p.safe(p.stands(a), p.Width)))
	p.asked(a)
	if a.A == record.Ledger {
		p.ledger(v)
	} else {
		title := "arguments, as they will be sent"
		if a.Question != nil {
			title = "arguments, as they were sent"
		}
		p.arguments(title, a.Args)
		p.alike(a)
	}
	p.question(a.Question)
	p.before(v)
	p.context(v, a.Ask)
	_, err := io.WriteString(w, p.b.String())
	return err
}

// stands returns the state of an ask.
func (p *page) stands(a *record.Asked) string {
	if a.Answer != nil {
		return "answered"
	}
	if p.Now.IsZero() {
		return "waits until " + a.Until.In(p.Zone).Format(time.DateTime)
	}
	return Left(a.Until, p.Now)
}

// Left returns how long an ask can still be answered: "waits 6 days more".
func Left(until, now time.Time) string {
	if !until.After(now) {
		return "nobody answered in time"
	}
	return "waits " + Duration(max(ms(until.Sub(now)), 1000)) + " more"
}

// said returns an answer in words: "yes, by ann (approvals), 2026-11-23 09:41:07, good until …".
func said(s *record.Answer, zone *time.Location) string {
	word := "no"
	if s.Yes {
		word = "yes"
	}
	if s.Whole {
		word += " to all calls of the tool in this run"
	}
	if s.Who != "" {
		word += ", by " + s.Who
	}
	if s.How != "" {
		word += " (" + s.How + ")"
	}
	if !s.Time.IsZero() {
		word += ", " + s.Time.In(zone).Format(time.DateTime)
	}
	if s.Yes && !s.Until.IsZero() {
		word += ", good until " + s.Until.In(zone).Format(time.DateTime)
	}
	if s.Word != "" {
		word += ": " + s.Word
	}
	return word
}

// Said returns an answer in words, on one line that is safe to show.
func Said(s *record.Answer, ascii bool) string {
	return Visible(said(s, time.Local), math.MaxInt, ascii)
}

// asked writes the facts of an ask.
func (p *page) asked(a *record.Asked) {
	r, b := p.view.Run, p.view.Run.Begin
	if a.A == record.Ledger {
		p.fact("what", "all calls of a dry run: a yes has the run go on, and makes them")
	} else {
		p.fact("tool", a.Tool)
		p.fact("class", Class(r, a.Ask))
	}
	p.fact("why", a.Why)
	if a.Answer != nil {
		p.facts("answer", said(a.Answer, p.Zone))
	}
	if a.Whole {
		p.fact("whole", "a yes may be for all calls of this tool in this run (-whole)")
	}
	run := b.ID
	if b.Name != "" && b.Name != "-" {
		run += ", " + b.Name
	}
	run += ", began " + b.Time.In(p.Zone).Format(time.DateTime)
	if !p.Now.IsZero() {
		run += ", " + Ago(b.Time, p.Now)
	}
	p.fact("run", run)
	p.fact("for", b.Subject)
	p.fact("session", b.Session)
	if a.A != record.Ledger {
		p.fact("at", At(r, a.Path, a.Place))
	}
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

// At returns where a run's scripts make a call: "line 12 of the saved script digest, in the
// goroutine 12:3#1". Lines are those of the text as sent.
func At(r *record.Run, path, place string) string {
	at := "a line that is not known"
	if line := record.PlaceLine(place); line > 0 {
		at = fmt.Sprintf("line %d", line)
	}
	prefix, name := childOf(r, path)
	if name != "" {
		at += " of the saved script " + name
	}
	if rest := strings.TrimPrefix(path, prefix); rest != "" {
		at += ", in the goroutine " + strings.TrimLeft(rest, "/ ")
	}
	return at
}

// childOf returns the name of the saved script that a path belongs to, and the prefix of its
// paths. Both are empty for the script that was sent.
func childOf(r *record.Run, path string) (prefix, name string) {
	v := &View{Run: r, Sources: []*Source{{}}}
	for _, c := range r.Children[:min(len(r.Children), maxChildren)] {
		v.Sources = append(v.Sources, &Source{Name: c.Name, Path: c.Path})
	}
	s := v.SourceOf(path)
	return s.Path, s.Name
}

// Script returns the name of the saved script that a path of a run belongs to. It is empty for
// the script that was sent.
func Script(r *record.Run, path string) string {
	_, name := childOf(r, path)
	return name
}

// Short returns arguments on one line of at most so many characters. It cuts the ends of long
// values.
func Short(args record.Data, most int, ascii bool) string {
	return brief(args, nil, most, ascii)
}

// arguments writes all arguments.
func (p *page) arguments(title string, d record.Data) {
	p.title(title)
	raw := value(p.view.Run, d)
	switch {
	case raw == nil:
		p.line("  %s", p.paint(red, absent(d)+": the record does not keep what this tool gets, so that a yes is to what "+
			"nobody can look at here"))
		return
	case string(raw) == "{}":
		p.line("  none")
		return
	}
	p.bars(Indented(raw))
	if d.Redacted {
		p.line("  %s", p.paint(yellow, "secrets of the config are hidden in what is shown; they are sent"))
	}
	for _, odd := range Odd(raw) {
		for _, l := range p.wrapped("careful: "+odd, p.Width-2, math.MaxInt) {
			p.line("  %s", p.paint(yellow, l))
		}
	}
}

// bars writes a text of a script, model or server: all of it, each line behind a bar, long
// lines wrapped.
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

// Bars writes a text of a script, model or server as approvals show it: all of it, each line
// behind a bar, wrapped at so many columns.
func Bars(w io.Writer, text string, columns int, ascii bool) error {
	p := newPage(nil, &Options{Width: columns, ASCII: ascii})
	p.bars(text)
	_, err := io.WriteString(w, p.b.String())
	return err
}

// Odd returns at most 10 sentences about texts of a JSON value that are not what they seem:
// invisible characters, characters that change the direction of text or are not in their
// usual form, and duplicate keys.
func Odd(raw []byte) (out []string) {
	seen := map[string]bool{}
	var open []*object // objects, nil for lists
	for d := json.NewDecoder(bytes.NewReader(raw)); len(out) < maxOddOnes; {
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
				out = append(out, plainly(s)+" is a key of one object twice: readers of JSON differ in which one counts")
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
			out = append(out, fmt.Sprintf("%s has characters that are not visible, or change the direction of text: %s",
				plainly(s), text.List(slices.Sorted(maps.Keys(names)), 5)))
		}
		if !norm.NFC.IsNormalString(s) {
			out = append(out, fmt.Sprintf("%s has characters that are not in their usual form (NFC): it looks like %s, "+
				"and is another text", plainly(s), plainly(norm.NFC.String(s))))
		}
	}
	return out
}

// object is a JSON object that is read.
type object struct {
	has map[string]bool // keys
	key bool            // the last token of it was a key
}

// plainly returns the beginning of a text in ASCII.
func plainly(s string) string { return `"` + Visible(s, maxOdd, true) + `"` }

// alike writes how the other open asks of the tool differ from this one.
func (p *page) alike(a *record.Asked) {
	if a.Question != nil {
		return
	}
	mine := map[string]string{}
	for _, l := range Leaves(a.Args.JSON) {
		mine[l.Path] = l.JSON
	}
	n := 0
	for _, other := range p.view.Run.Open() {
		if other.Tool != a.Tool || other.Question != nil || other.A == a.A {
			continue
		}
		if n++; n == 1 {
			p.title("calls of the same tool that wait too, and what is another in them")
		}
		if n > maxAlike {
			p.line("  %s", p.paint(dim, "and more: "+p.command("approvals")))
			return
		}
		differs := brief(other.Args, mine, p.Width-20, p.ASCII)
		if differs == "" && missing(a.Args, other.Args) {
			differs = "(it leaves some of them out)"
		}
		p.line("  %s  %s", p.safe(record.ApprovalID(p.view.Run.Begin.ID, other.A), 2*maxName),
			p.safe(cmp.Or(differs, "nothing: the same arguments"), p.Width-20))
	}
}

// withArgs returns a text followed by arguments, in at most so many columns.
func (p *page) withArgs(s string, args record.Data, most int) string {
	return p.safe(s+brief(args, nil, most-utf8.RuneCountInString(s), p.ASCII), most)
}

// missing reports whether the second arguments lack a value of the first.
func missing(a, b record.Data) bool {
	has := map[string]bool{}
	for _, l := range Leaves(b.JSON) {
		has[l.Path] = true
	}
	return slices.ContainsFunc(Leaves(a.JSON), func(l Leaf) bool { return !has[l.Path] })
}

// ledger writes all calls that a dry run did not make.
func (p *page) ledger(v *View) {
	ledger := v.Run.Ledger()
	for i, g := range ledger {
		p.title(fmt.Sprintf("%d. %s", i+1, p.safe(g.Tool, p.Width-6)))
		p.fact("class", string(g.Class))
		p.fact("at", At(v.Run, g.Path, g.Place))
		p.fact("answer", g.Source())
		p.arguments("arguments, as they will be sent", g.Args)
	}
	if len(ledger) == 0 {
		p.line("  it would change nothing")
	}
}

// question writes the questions of a server.
func (p *page) question(requests json.RawMessage) {
	if requests == nil {
		return
	}
	p.title("its server asks this, in the server's words")
	var all map[string]struct {
		Params Question `json:"params"`
	}
	if json.Unmarshal(requests, &all) != nil {
		p.bars(string(requests))
		return
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		q := all[key].Params
		p.bars(q.Message)
		if q.URL != "" {
			p.line("  it names a page, which is not opened here:")
			p.bars(q.URL)
		}
		if len(q.Schema) > 0 {
			p.line("  it wants these fields:")
			p.bars(Indented(q.Schema))
		}
	}
}

// Question is a question of a server: the params of MCP's elicitation/create.
type Question struct {
	Message string          `json:"message"`
	URL     string          `json:"url"`
	Schema  json.RawMessage `json:"requestedSchema"`
}

// Step is a call of a run, and its place in the script.
type Step struct {
	*Bar
	Place *Place
}

// Steps returns the calls of the run, by their numbers.
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

// Sent returns the Steps that the run has sent.
func (v *View) Sent() []Step {
	return slices.DeleteFunc(v.Steps(), func(s Step) bool { return s.Made.Call == nil })
}

// before writes the calls that the run has made, one line each.
func (p *page) before(v *View) {
	steps := v.Sent()
	if len(steps) == 0 {
		p.title("before it the run made no call")
		return
	}
	p.title("the run made " + text.Count(len(steps), "call") + " before")
	if n := len(steps) - maxBefore; n > 0 {
		p.line("  %s", p.paint(dim, fmt.Sprintf("%d earlier ones are left out", n)))
		steps = steps[n:]
	}
	for _, b := range steps {
		state := string(b.State)
		if b.Settle != nil {
			state = settled(b.Settle)
		}
		p.line("%s %s", p.paint(dim, fmt.Sprintf("%6s", fmt.Sprintf("#%d", b.N))),
			p.withArgs(fmt.Sprintf("%s  %s  %s  ", b.Place.Tool, b.Place.Class, state), b.Made.Call.Args, p.Width-margin))
	}
}

// Excerpt is a line of a script with the lines around it.
type Excerpt struct {
	Name  string // of the saved script; "": it is the one that was sent
	Line  int    // that is meant
	First int    // the number of the first of Lines
	Lines []string
}

// Around returns the line of a place with three lines before and after it, in the script that
// a path belongs to. It returns nil if the place has no line there.
func (v *View) Around(path, place string) *Excerpt {
	line := record.PlaceLine(place)
	s := v.SourceOf(path)
	lines := strings.Split(strings.TrimSuffix(s.Text, "\n"), "\n")
	if line < 1 || line > len(lines) {
		return nil
	}
	x := &Excerpt{Line: line, First: max(1, line-around)}
	if s.Path != "" {
		x.Name = s.Name
	}
	x.Lines = lines[x.First-1 : min(line+around, len(lines))]
	return x
}

// context writes the line of the script that makes the call, with the lines around it.
func (p *page) context(v *View, a *record.Ask) {
	x := v.Around(a.Path, a.Place)
	if x == nil {
		return
	}
	title := "script"
	if x.Name != "" {
		title = "saved script " + p.safe(x.Name, p.Width/2)
	}
	p.title(title)
	digits := utf8.RuneCountInString(fmt.Sprint(x.First + len(x.Lines) - 1))
	for i, l := range x.Lines {
		mark := " "
		if x.First+i == x.Line {
			mark = ">"
		}
		p.line("  %s %s  %s", mark, p.paint(dim, fmt.Sprintf("%*d", digits, x.First+i)),
			p.safe(untabbed(l), p.Width-digits-8))
	}
}
