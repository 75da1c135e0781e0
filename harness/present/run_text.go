package present

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry"
	"github.com/usetools/usetools/registry/text"
)

// Bounds of what is shown where not All is asked for.
const (
	maxRows     = 16  // calls of a place that have a row each
	maxAllRows  = 200 // calls of a run, above which none has but failed ones
	maxLanes    = 6   // of calls of a place that share rows
	maxNotable  = 5   // failed calls of a place, beside its lanes
	maxLines    = 60  // of a script, above which those without anything are left out
	maxFirst    = 5   // lines of a script that are always there
	maxPrints   = 5   // printed lines at one line of the script
	maxPrinted  = 40  // printed lines of which the place is not known
	maxValue    = 40  // lines of a value
	maxWarnings = 20
	maxMessage  = 4000 // characters of an error's message
	maxName     = 20   // characters of names
	leastWidth  = 60   // columns
)

// Options say how a view is written; nil is 80 columns of plain UTF-8.
type Options struct {
	Width  int // columns; 0: 80; negative: lines are not cut or wrapped
	Colour bool
	ASCII  bool           // nothing but ASCII
	All    bool           // nothing is left out
	Now    time.Time      // for how long ago something was; zero: that is not said
	Zone   *time.Location // of times; nil: local
	// Command writes commands that find the records. If nil, they are the default ones.
	Command func(args ...string) string
}

func (o *Options) command(args ...string) string {
	if o.Command == nil {
		return registry.Command()(args...)
	}
	return o.Command(args...)
}

// Colours.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

// page is a view that is being written.
type page struct {
	Options
	b     strings.Builder
	marks marks
	view  *View
	bar   int // columns of the time
}

// marks are the signs of a page.
type marks struct {
	fill                  map[record.Class]string
	failed, open, madeUp  string
	tick, printed, folded string
	times                 string
	levels                []string // of density, from none
}

var unicodeMarks = marks{
	fill:   map[record.Class]string{record.Read: "▒", record.Again: "▓", record.Effect: "█"},
	failed: "╳", open: "▶", madeUp: "◌", tick: "╷", printed: "›", folded: "⋮", times: "×",
	levels: strings.Split(" ▁▂▃▄▅▆▇█", ""),
}

var asciiMarks = marks{
	fill:   map[record.Class]string{record.Read: "-", record.Again: "+", record.Effect: "="},
	failed: "x", open: ">", madeUp: "o", tick: "|", printed: ">", folded: ":", times: "x",
	levels: strings.Split(" .:-=+*%@", ""),
}

// margin is the columns before a script's text and the bars.
const margin = 7

// Text writes the view for a terminal: what it was, what the phrases came to, the
// script with its calls in time below the lines that make them and what was printed
// there, and how it ended.
func (v *View) Text(w io.Writer, o *Options) error {
	p := newPage(v, o)
	p.head()
	p.phrases()
	for i, s := range v.Sources {
		p.source(i, s)
	}
	p.add(p.asks())
	p.end()
	_, err := io.WriteString(w, p.b.String())
	return err
}

func newPage(v *View, o *Options) *page {
	p := &page{view: v, marks: unicodeMarks}
	if o != nil {
		p.Options = *o
	}
	switch {
	case p.Width == 0:
		p.Width = 80
	case p.Width < 0:
		p.Width = 1 << 20
	default:
		p.Width = min(max(p.Width, leastWidth), 400)
	}
	if p.Zone == nil {
		p.Zone = time.Local
	}
	if p.ASCII {
		p.marks = asciiMarks
	}
	p.bar = max(10, (p.Width-margin)*2/5)
	return p
}

// paint puts what is safe to show into a colour.
func (p *page) paint(code, s string) string {
	if !p.Colour || code == "" || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// safe is a text in one line of at most so many columns.
func (p *page) safe(s string, most int) string { return Visible(s, most, p.ASCII) }

func (p *page) line(format string, args ...any) {
	p.b.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

// fact is a line of the head.
func (p *page) fact(name, what string) {
	if what != "" {
		p.line("  %s %s", p.paint(dim, fmt.Sprintf("%-9s", name)), p.safe(what, p.Width-12))
	}
}

// facts is a fact of which nothing is left out, in as many lines as it needs.
func (p *page) facts(name, what string) {
	for _, l := range p.wrapped(what, p.Width-12, math.MaxInt) {
		p.fact(name, l)
		name = ""
	}
}

func (p *page) head() {
	v, b := p.view, p.view.Run.Begin
	p.line("%s  %s  %s", p.paint(bold, p.safe(b.ID, maxName)), p.status(), p.paint(dim, p.took()))
	began := b.Time.In(p.Zone).Format("2006-01-02 15:04:05")
	if !p.Now.IsZero() {
		began += ", " + Ago(b.Time, p.Now)
	}
	p.fact("began", began)
	if n := len(v.Run.Attempts); n > 0 {
		p.fact("attempts", fmt.Sprintf("%d, %s between them", n+1, Duration(v.Paused)))
	}
	if p.All {
		p.attempts()
	}
	p.fact("calls", p.counted())
	if len(v.Usage) > 0 {
		p.fact("used", fmt.Sprintf("%s of CPU time, at most %s of memory", Duration(v.CPU), size(int(v.Peak))))
	}
	p.fact("for", b.Subject)
	p.fact("session", b.Session)
	script := fmt.Sprintf("%s, %s", text.Count(lineCount(v.Sources[0].Text), "line"), size(b.Script.Bytes))
	if b.Name != "" {
		script = b.Name + ", " + script
	}
	p.fact("script", script)
	p.fact("harness", strings.Join(slices.DeleteFunc([]string{b.Harness, b.Go, b.OS + "/" + b.Arch},
		func(s string) bool { return s == "" || s == "/" }), ", "))
	live := v.Run.Live()
	var modes []string
	for _, m := range []struct {
		on   bool
		name string
	}{{b.Dry && !live, "dry run: effects were not sent"}, {live, "dry run that went on: after a yes its effects are sent"}, {b.Strict, "strict"}, {b.ReadOnly, "read-only"}} {
		if m.on {
			modes = append(modes, m.name)
		}
	}
	p.fact("mode", strings.Join(modes, ", "))
	for _, name := range slices.Sorted(maps.Keys(b.Inputs)) {
		p.fact("input", name+" = "+p.shown(b.Inputs[name]))
	}
	if v.Run.Damaged != nil {
		p.line("  %s %s", p.paint(red, fmt.Sprintf("%-9s", "damaged")), p.safe(v.Run.Damaged.Error(), p.Width-12))
	}
	if v.Run.Later != nil {
		p.fact("version", v.Run.Later.Error())
	}
	if v.Run.Torn > 0 && v.Run.End == nil && v.Status != record.Running {
		p.fact("torn", fmt.Sprintf("%s at the end are left out: the process died while it wrote them", size(int(v.Run.Torn))))
	}
}

// shown is a value of the record, or in its place why it is not shown.
func (p *page) shown(d record.Data) string {
	if b := value(p.view.Run, d); b != nil {
		return string(b)
	}
	if d.IsZero() {
		return "null"
	}
	return absent(d)
}

func (p *page) status() string {
	return p.paint(colours[StatusStyle(p.view.Status)], p.safe(p.view.Status, maxName))
}

func (p *page) took() string {
	took := Duration(p.view.Ms)
	if end := p.view.Run.End; end != nil && end.Ms > 0 {
		took = Duration(end.Ms)
	}
	if p.view.Run.End == nil {
		took += " so far"
	}
	return took
}

// counted says how many calls there were: "32: 28 read, 4 effect; 1 failed".
func (p *page) counted() string {
	v := p.view
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

func (p *page) phrases() {
	if len(p.view.Phrases) == 0 {
		return
	}
	p.title("tools")
	names, room := make([]string, len(p.view.Phrases)), 0
	for i, ph := range p.view.Phrases {
		names[i] = "(a name in the script)"
		if ph.Phrase != "" {
			names[i] = `"` + ph.Phrase + `"`
		}
		names[i] = p.safe(names[i], (p.Width-4)*6/10)
		room = max(room, utf8.RuneCountInString(names[i]))
	}
	for i, ph := range p.view.Phrases {
		what, colour := ph.Tool, ""
		switch {
		case ph.Tool != "" && ph.By == "phrase":
			what += fmt.Sprintf("  %.2f", ph.Confidence)
		case ph.Tool != "":
			what += "  by " + ph.By
		default:
			what, colour = ph.Verdict, red
			var near []string
			for _, c := range ph.Candidates {
				near = append(near, c.ID)
			}
			if len(near) > 0 {
				what += ": " + text.List(near, 3)
			}
		}
		p.line("  %s%s  %s", names[i], pad(names[i], room), p.paint(colour, p.safe(what, p.Width-room-4)))
	}
}

// event is what a line of a script has below it.
type event struct {
	places []*Place
	prints []*Print
}

// source writes a script with what happened at its lines.
func (p *page) source(i int, s *Source) {
	at := map[int]*event{}
	of := func(line int) *event {
		if at[line] == nil {
			at[line] = &event{}
		}
		return at[line]
	}
	for _, pl := range s.Places {
		of(pl.Line).places = append(of(pl.Line).places, pl)
	}
	for _, pr := range s.Prints {
		of(pr.Line).prints = append(of(pr.Line).prints, pr)
	}
	lines := strings.Split(strings.TrimSuffix(s.Text, "\n"), "\n")
	title := "script"
	if i > 0 {
		title = "script " + p.safe(s.Name, p.Width/2) + ", run through RunScript"
	}
	p.title(title)
	if len(s.Places) > 0 {
		p.axis()
	}
	kept := p.kept(lines, at, i == 0)
	for n := 1; n <= len(lines); n++ {
		if !kept[n-1] {
			from := n
			for n < len(lines) && !kept[n] {
				n++
			}
			p.line("%s", p.paint(dim, fmt.Sprintf("%5s  %s", p.marks.folded, text.Count(n-from+1, "line"))))
			continue
		}
		number := fmt.Sprintf("%5d", n)
		for _, part := range p.whole(lines[n-1], p.Width-margin) {
			p.line("%s  %s", p.paint(dim, number), part)
			number = "     "
		}
		if e := at[n]; e != nil {
			p.places(e.places)
			p.prints(e.prints, maxPrints)
			delete(at, n)
		}
	}
	p.elsewhere(at)
}

// elsewhere writes what happened at no line that the script has.
func (p *page) elsewhere(at map[int]*event) {
	var rest event
	for _, line := range slices.Sorted(maps.Keys(at)) {
		rest.places = append(rest.places, at[line].places...)
		rest.prints = append(rest.prints, at[line].prints...)
	}
	if len(rest.places) > 0 {
		p.line("%*s%s", margin, "", p.paint(bold, "calls of which the line is not known"))
		p.places(rest.places)
	}
	if len(rest.prints) > 0 {
		p.title("printed")
		p.prints(rest.prints, maxPrinted)
	}
}

// kept says which lines of a script are shown: of a long one those with something
// at them, the lines beside these, and the first ones.
func (p *page) kept(lines []string, at map[int]*event, main bool) []bool {
	if p.All || len(lines) <= maxLines {
		return slices.Repeat([]bool{true}, len(lines))
	}
	kept := make([]bool, len(lines))
	mark := func(n int) { // and its neighbours
		for i := n - 2; i <= n; i++ {
			if i >= 0 && i < len(kept) {
				kept[i] = true
			}
		}
	}
	for n := range at {
		mark(n)
	}
	if e := p.view.Error; main && e != nil && e.File == "" {
		mark(e.Line)
	}
	for i := range min(maxFirst, len(kept)) {
		kept[i] = true
	}
	for i := 1; i+1 < len(kept); i++ { // a mark in the place of one line gains nothing
		if !kept[i] && kept[i-1] && kept[i+1] {
			kept[i] = true
		}
	}
	return kept
}

// axis writes the scale of the time over the bars.
func (p *page) axis() {
	total := p.view.Ms
	row := make([]rune, 0, p.bar)
	step := niceStep(total, p.bar)
	for k := 0; ; k++ {
		ms := float64(k) * step
		column := p.column(ms)
		label := []rune(p.marks.tick + tickLabel(ms, step))
		if column < len(row) && k > 0 || column+len(label) > p.bar || ms > total {
			break
		}
		for len(row) < column {
			row = append(row, ' ')
		}
		row = append(row, label...)
		if step <= 0 {
			break
		}
	}
	end := fmt.Sprintf("%*s%8s", p.bar-len(row)+1, "", Duration(total))
	p.line("%*s%s", margin, "", p.paint(dim, string(row)+end))
}

// niceStep is the distance of ticks in ms, so that their labels have room.
func niceStep(total float64, columns int) float64 {
	if total <= 0 {
		return 0
	}
	return RoundStep(total * 11 / float64(columns))
}

// RoundStep is the least number of at least so much that is 1, 2 or 5 times a power of ten.
func RoundStep(least float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(least)))
	for _, f := range []float64{1, 2, 5} {
		if f*unit >= least {
			return f * unit
		}
	}
	return 10 * unit
}

func tickLabel(ms, step float64) string {
	switch {
	case ms == 0:
		return "0"
	case step < 1:
		return fmt.Sprintf("%.3g ms", ms)
	case ms < 1000:
		return fmt.Sprintf("%.0f ms", ms)
	case ms < 120e3:
		return fmt.Sprintf("%.3g s", ms/1000)
	}
	return fmt.Sprintf("%.4g min", ms/60e3)
}

// column is where a time is in the bars.
func (p *page) column(ms float64) int {
	if p.view.Ms <= 0 {
		return 0
	}
	return min(max(int(ms/p.view.Ms*float64(p.bar)), 0), p.bar-1)
}

// places writes the calls that are made at a line.
func (p *page) places(all []*Place) {
	for _, pl := range all {
		name := ""
		if len(all) > 1 || pl.Line == 0 {
			name = pl.Tool
		}
		many := !p.All && (len(pl.Calls) > maxRows || p.view.Calls > maxAllRows && len(pl.Calls) > 1)
		if len(pl.Calls) > 1 {
			p.line("%*s%s", margin, "", p.paint(cyan, p.safe(p.summary(pl, name), p.Width-margin)))
			name = ""
		}
		rows := pl.Calls
		if many {
			p.lanes(pl)
			rows = notable(pl)
		}
		for _, b := range rows {
			p.row(pl, b, name)
		}
		if hidden := pl.Failed - len(rows); many && hidden > 0 {
			p.line("%*s%s", margin, "", p.paint(dim, fmt.Sprintf("%d more failed", hidden)))
		}
	}
}

// notable are the calls of a place that have a row although most have not: those
// that failed, or else the slowest one.
func notable(pl *Place) (out []*Bar) {
	for _, b := range pl.Calls {
		if b.HasFailed() && len(out) < maxNotable {
			out = append(out, b)
		}
	}
	if out == nil {
		out = append(out, slices.MaxFunc(pl.Calls, func(x, y *Bar) int { return cmp.Compare(x.End-x.Start, y.End-y.Start) }))
	}
	return out
}

// summary tells what the calls of a place have in common.
func (p *page) summary(pl *Place, name string) string {
	parts := []string{fmt.Sprintf("%s%d", p.marks.times, len(pl.Calls))}
	if name != "" {
		parts = append([]string{name}, parts...)
	}
	if pl.Class != "" {
		parts = append(parts, string(pl.Class))
	}
	if pl.Slowest > 0 {
		parts = append(parts, "p50 "+Duration(pl.P50), "slowest "+Duration(pl.Slowest))
	}
	if pl.AtATime > 1 {
		parts = append(parts, fmt.Sprintf("%d at a time", pl.AtATime))
	}
	if pl.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", pl.Failed))
	}
	return strings.Join(parts, "  ")
}

// lanes writes the calls of a place as rows in which they follow each other, or
// where that are too many as how many were under way.
func (p *page) lanes(pl *Place) {
	bars := 0.0
	for _, b := range pl.Calls {
		bars += b.End - b.Start
	}
	mean := bars / float64(len(pl.Calls)) / max(p.view.Ms, 1e-9) * float64(p.bar)
	if pl.Lanes > maxLanes || mean < 1.5 {
		p.line("%*s%s", margin, "", p.density(pl))
		return
	}
	for lane := range pl.Lanes {
		cells := slices.Repeat([]string{" "}, p.bar)
		for _, b := range pl.Calls {
			if b.Lane == lane {
				p.draw(cells, pl, b, true)
			}
		}
		p.line("%*s%s", margin, "", strings.TrimRight(strings.Join(cells, ""), " "))
	}
}

// density is a row that says how many calls of a place were under way.
func (p *page) density(pl *Place) string {
	n := make([]int, p.bar)
	most := 0
	for _, b := range pl.Calls {
		for i := p.column(b.Start); i <= p.lastColumn(b); i++ {
			n[i]++
			most = max(most, n[i])
		}
	}
	var row strings.Builder
	levels := len(p.marks.levels) - 1
	for _, k := range n {
		row.WriteString(p.marks.levels[(k*levels+most-1)/max(most, 1)])
	}
	return strings.TrimRight(row.String(), " ")
}

func (p *page) lastColumn(b *Bar) int {
	last := p.column(b.End)
	if first := p.column(b.Start); last > first && b.End/max(p.view.Ms, 1e-9)*float64(p.bar) == float64(last) {
		last--
	}
	return last
}

// draw puts a call into a row, with a gap behind another one where there is room.
func (p *page) draw(cells []string, pl *Place, b *Bar, gap bool) {
	first, last := p.column(b.Start), p.lastColumn(b)
	fill, colour := p.marks.fill[pl.Class], ""
	if fill == "" {
		fill = p.marks.fill[record.Effect]
	}
	switch {
	case b.State == MadeUp || b.State == Recorded:
		fill = p.marks.madeUp
	case b.HasFailed():
		fill, colour = p.marks.failed, red
	case b.State == Unknown:
		colour = red
	case b.State == Running || b.State == Waiting:
		colour = yellow
	}
	for gap && last > first && (cells[first] != " " || first > 0 && cells[first-1] != " ") {
		first++
	}
	for i := first; i <= last; i++ {
		cells[i] = p.paint(colour, fill)
	}
	if b.State == Running || b.State == Unknown || b.State == Waiting {
		cells[last] = p.paint(colour, p.marks.open)
	}
}

// row writes one call: its number, its time, what came of it, its arguments.
func (p *page) row(pl *Place, b *Bar, name string) {
	cells := slices.Repeat([]string{" "}, p.bar)
	p.draw(cells, pl, b, false)
	number := ""
	if b.N > 0 {
		number = fmt.Sprintf("#%d", b.N)
	}
	took, what, colour := "", "", ""
	if t, ok := b.took(); ok {
		took, what = Duration(t), size(b.Done.Bytes)
	}
	if b.State != Answered {
		what, colour = string(b.State), red
		if b.State == Running || b.State == MadeUp || b.State == Recorded || b.State == Settled || b.State == Waiting {
			colour = yellow
		}
	}
	var label []string
	if name != "" {
		label = append(label, name)
	}
	if len(pl.Calls) == 1 && pl.Class != "" {
		label = append(label, string(pl.Class))
	}
	begin := fmt.Sprintf("%6s ", number)
	fixed := fmt.Sprintf(" %9s ", took)
	columns := max(p.Width-margin-p.bar-len(fixed)-10, 8)
	before := ""
	for _, l := range label {
		before += l + "  "
	}
	differs := pl.Differs(b)
	rest := p.safe(before+brief(b.Made.Line().Args, pl.common, columns-utf8.RuneCountInString(before), p.ASCII), columns)
	p.line("%s%s%s%s  %s", p.paint(dim, begin), strings.Join(cells, ""), fixed,
		p.paint(colour, fmt.Sprintf("%-8s", what)), rest)
	if p.All && utf8.RuneCountInString(before+differs) > columns {
		p.under("", differs)
	}
	if b.Done != nil && b.Done.Start > 0 {
		p.under(dim, "its server took "+Duration(b.Done.Start)+" to start")
	}
	if b.Error != "" {
		p.under(red, b.Error)
	}
	if b.Done != nil && b.Done.Suspect != "" {
		p.under(yellow, b.Done.Suspect)
	}
	if r := b.Round; r != nil && r.Task != "" {
		p.under(yellow, "its server has made the task "+r.Task+" of it")
	} else if r != nil {
		p.under(yellow, "its server asks something before it goes on")
	}
	if b.Settle != nil {
		p.under(yellow, settled(b.Settle))
	}
	if b.Guess != nil && b.Guess.From != "" {
		p.under(dim, b.Guess.Source())
	}
}

// settled says who has said what became of a call.
func settled(s *record.Settle) string {
	word := "did not happen"
	if s.Happened {
		word = "happened"
	}
	return strings.TrimSpace(s.Who + " settled that it " + word)
}

// whole is a line of a text: cut, or where nothing is left out in several.
func (p *page) whole(line string, columns int) []string {
	if p.All {
		return p.wrapped(line, columns, 1)
	}
	return []string{p.safe(untabbed(line), columns)}
}

// under writes what is said of a call below it.
func (p *page) under(colour, what string) {
	for _, l := range p.wrapped(what, p.Width-margin-2, 4) {
		p.line("%*s  %s", margin, "", p.paint(colour, l))
	}
}

// wrapped is a text in lines of at most so many columns, at most so many lines.
func (p *page) wrapped(s string, columns, most int) (out []string) {
	columns = max(columns, 10)
	if p.All {
		most = math.MaxInt
	}
	for l := range strings.SplitSeq(strings.TrimRight(s, "\n"), "\n") {
		shown := p.safe(untabbed(l), math.MaxInt)
		for {
			part := text.First(shown, columns)
			if len(part) < len(shown) {
				if at := strings.LastIndexByte(part, ' '); at > len(part)/2 {
					part = part[:at]
				}
			}
			if len(out) == most {
				out[most-1] = p.cut(out[most-1], columns)
				return out
			}
			out = append(out, part)
			if shown = strings.TrimPrefix(shown[len(part):], " "); shown == "" {
				break
			}
		}
	}
	return out
}

// cut marks a line as one after which something is left out.
func (p *page) cut(line string, columns int) string {
	mark := " …"
	if p.ASCII {
		mark = " ..."
	}
	return text.First(line, columns-len([]rune(mark))) + mark
}

// prints writes what was printed at a line.
func (p *page) prints(all []*Print, most int) {
	shown := all
	if !p.All && len(all) > most+1 {
		shown = all[:most]
	}
	for _, pr := range shown {
		when := "+" + Duration(pr.At)
		if pr.Times > 1 {
			when += fmt.Sprintf("  %s%d", p.marks.times, pr.Times)
		}
		colour := green
		if pr.Stderr {
			colour = yellow
		}
		for i, part := range p.whole(pr.Text, p.Width-margin-4-len([]rune(when))) {
			if i > 0 {
				when = ""
			}
			p.line("%*s%s %s  %s", margin-2, "", p.paint(colour, p.marks.printed), part, p.paint(dim, when))
		}
	}
	if n := len(all) - len(shown); n > 0 {
		p.line("%*s  %s", margin-2, "", p.paint(dim, fmt.Sprintf("and %s", text.Count(n, "more line"))))
	}
}

// end writes how the run ended.
func (p *page) end() {
	v := p.view
	if len(v.Warnings) > 0 {
		p.title("warnings")
		for i, w := range v.Warnings {
			if i == maxWarnings && !p.All {
				p.line("  %s", p.paint(dim, fmt.Sprintf("and %d more", len(v.Warnings)-i)))
				break
			}
			mark := "-"
			for _, l := range p.wrapped(w, p.Width-4, 4) {
				p.line("  %-2s%s", mark, p.paint(yellow, l))
				mark = ""
			}
		}
	}
	if e := v.Error; e != nil {
		p.title("error")
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
		for _, l := range p.wrapped(text.Cut(at+e.Message, maxMessage), p.Width-2, maxWarnings) {
			p.line("  %s", p.paint(red, l))
		}
		for _, l := range p.wrapped(text.Cut(e.Hint, maxMessage), p.Width-2, maxWarnings) {
			p.line("  %s", l)
		}
		for _, t := range e.Trace[:min(len(e.Trace), maxWarnings)] {
			p.line("    %s", p.paint(dim, p.safe(t, p.Width-4)))
		}
	}
	if end := v.Run.End; end != nil {
		if end.ExitCode > 0 && v.Status == "script_error" && v.Error == nil {
			p.line("")
			p.line("exit code %d", end.ExitCode)
		}
		p.value(end.Value)
		if end.Truncated {
			p.line("%s", p.paint(yellow, "what it printed was cut at the limit"))
		}
	}
}

// value writes what the script returned.
func (p *page) value(d record.Data) {
	if d.IsZero() {
		return
	}
	p.title("value")
	raw := value(p.view.Run, d)
	if raw == nil {
		p.line("  %s", absent(d))
		return
	}
	lines := strings.Split(string(registry.PrintableJSON([]byte(Indented(raw)))), "\n")
	for i, l := range lines {
		if i == maxValue && !p.All && len(lines) > maxValue+1 {
			p.line("  %s", p.paint(dim, fmt.Sprintf("and %s", text.Count(len(lines)-i, "more line"))))
			break
		}
		most := p.Width - 2
		if p.All {
			most = math.MaxInt
		}
		p.line("  %s", p.safe(l, most))
	}
}

// Ago says how long ago something was.
func Ago(t, now time.Time) string {
	d := now.Sub(t)
	switch {
	case d < 0:
		return "in the future"
	case d < time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}

func lineCount(s string) int {
	if s == "" {
		return 0
	}
	return strings.Count(strings.TrimSuffix(s, "\n"), "\n") + 1
}

func pad(s string, columns int) string {
	return strings.Repeat(" ", max(columns-utf8.RuneCountInString(s), 0))
}
