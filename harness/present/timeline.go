package present

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry/text"
)

// Limits of a timeline on a terminal. Options.All lifts them.
const (
	maxRows     = 16  // calls of a place with one row each; more share lanes
	maxAllRows  = 200 // calls of a run; above, places with several calls use lanes
	maxLanes    = 6   // lanes of a place; above, the density is drawn
	maxNotable  = 5   // failed calls of a place that have a row beside its lanes
	maxLines    = 60  // lines of a script; in longer ones, lines without events are folded
	maxPrints   = 5   // printed lines at a line of the script
	maxUnplaced = 40  // printed lines that belong to no line
)

// Timeline is a script of a run with the calls and prints of its lines over time.
type Timeline struct {
	Layout *Layout
	Script *ScriptLayout
}

// Kind returns the name of the template of the block.
func (t *Timeline) Kind() string { return "timeline" }

func (t *Timeline) model(m *modelWriter) {
	for _, r := range t.Script.Rows {
		for _, pl := range r.Places {
			if m.isFull() {
				return
			}
			m.line("line %d: %s  %s", r.Line, m.plain(Words(Plain, pl.Tool)), strings.Join(pl.summary("×"), "  "))
		}
	}
}

func (t *Timeline) terminal(p *page) {
	w := &timelineWriter{page: p, layout: t.Layout, columns: max(10, (p.Width-margin)*2/5)}
	if len(t.Script.Places) > 0 {
		w.axis()
	}
	for _, r := range t.Script.Rows {
		switch {
		case r.Folded > 0:
			why := ""
			if r.Lost {
				why = ", some with calls"
			}
			w.line("%s", w.paint(dim, fmt.Sprintf("%5s  %s%s", w.marks.folded, text.Count(r.Folded, "line"), why)))
			continue
		case r.Line > 0:
			number := fmt.Sprintf("%5d", r.Line)
			for _, part := range w.scriptLine(r.Text, w.Width-margin) {
				w.line("%s  %s", w.paint(dim, number), part)
				number = "     "
			}
		case len(r.Places) > 0:
			w.line("%*s%s", margin, "", w.paint(bold, "calls at unknown lines"))
		}
		w.places(r)
		w.prints(r.Prints, maxPrints)
	}
	if len(t.Script.Unplaced) > 0 {
		(&Heading{Level: 2, Text: Words(Plain, "printed")}).terminal(p)
		w.prints(t.Script.Unplaced, maxUnplaced)
	}
}

// margin is the number of columns before a script's text and the bars.
const margin = 7

// timelineWriter writes a Timeline for a terminal.
type timelineWriter struct {
	*page
	layout  *Layout
	columns int // width of the axis
}

// axis writes the time scale above the bars.
func (w *timelineWriter) axis() {
	var row []rune
	for i, t := range w.layout.Ticks(11 / float64(w.columns)) {
		mark := w.marks.tick
		if t.Width > 0 {
			mark = w.marks.folded
		}
		column, label := int(t.X*float64(w.columns)), []rune(mark+t.Label)
		if column < len(row) && i > 0 || column+len(label) > w.columns {
			continue
		}
		row = append(row, []rune(strings.Repeat(" ", column-len(row)))...)
		row = append(row, label...)
	}
	end := fmt.Sprintf("%*s%8s", w.columns-len(row)+1, "", Duration(w.layout.Total))
	w.line("%*s%s", margin, "", w.paint(dim, string(row)+end))
}

// places writes the calls of a row.
func (w *timelineWriter) places(r *ScriptRow) {
	for _, pl := range r.Places {
		var spans []*CallSpan
		for _, s := range r.Spans {
			if s.Place == pl {
				spans = append(spans, s)
			}
		}
		name := ""
		if len(r.Places) > 1 || r.Line == 0 {
			name = pl.Tool
		}
		many := !w.All && (len(spans) > maxRows || w.layout.Calls > maxAllRows && len(spans) > 1)
		if len(spans) > 1 {
			parts := pl.summary(w.marks.times)
			if name != "" {
				parts = append([]string{name}, parts...)
			}
			w.line("%*s%s", margin, "", w.paint(cyan, w.safe(strings.Join(parts, "  "), w.Width-margin)))
			name = ""
		}
		rows := spans
		if many {
			w.lanes(spans)
			rows = notable(spans)
		}
		for _, s := range rows {
			w.row(s, name)
		}
		if hidden := pl.Failed - len(rows); many && hidden > 0 {
			w.line("%*s%s", margin, "", w.paint(dim, fmt.Sprintf("%d more failed", hidden)))
		}
	}
}

// notable returns the calls that have a row beside the lanes of their place: failed calls, or else
// the slowest one.
func notable(all []*CallSpan) (out []*CallSpan) {
	for _, s := range all {
		if s.HasFailed() && len(out) < maxNotable {
			out = append(out, s)
		}
	}
	if out == nil {
		out = append(out, slices.MaxFunc(all, func(x, y *CallSpan) int { return cmp.Compare(x.To-x.From, y.To-y.From) }))
	}
	return out
}

// summary describes the calls of a place.
func (pl *Place) summary(times string) []string {
	parts := []string{fmt.Sprintf("%s%d", times, len(pl.Calls))}
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
	return parts
}

// lanes writes calls in rows without overlaps, or their density if there are too many rows or the
// calls are too short.
func (w *timelineWriter) lanes(all []*CallSpan) {
	lanes := stack(all)
	if lanes > maxLanes || MeanWidth(all)*float64(w.columns) < 1.5 {
		counts, most := Density(all, w.columns)
		row, levels := "", len(w.marks.levels)-1
		for _, k := range counts {
			row += w.marks.levels[(k*levels+most-1)/most]
		}
		w.line("%*s%s", margin, "", row)
		return
	}
	for lane := range lanes {
		cells := slices.Repeat([]string{" "}, w.columns)
		for _, s := range all {
			if s.Lane == lane {
				w.draw(cells, s, true)
			}
		}
		w.line("%*s%s", margin, "", strings.Join(cells, ""))
	}
}

// draw draws a call into a row. gap leaves a gap after the previous call if possible.
func (w *timelineWriter) draw(cells []string, s *CallSpan, gap bool) {
	first, last := s.parts(len(cells))
	fill, colour := cmp.Or(w.marks.fill[s.Place.Class], w.marks.fill[record.Effect]), ""
	switch {
	case s.State == MadeUp || s.State == Recorded:
		fill = w.marks.madeUp
	case s.HasFailed():
		fill, colour = w.marks.failed, red
	case s.State == Unknown:
		colour = red
	case s.State == Running || s.State == Waiting:
		colour = yellow
	}
	for gap && last > first && (cells[first] != " " || first > 0 && cells[first-1] != " ") {
		first++
	}
	for i := first; i <= last; i++ {
		cells[i] = w.paint(colour, fill)
	}
	if s.State == Running || s.State == Unknown || s.State == Waiting {
		cells[last] = w.paint(colour, w.marks.open)
	}
}

// row writes one call: its number, bar, time, result and arguments.
func (w *timelineWriter) row(s *CallSpan, name string) {
	pl, b := s.Place, s.Bar
	cells := slices.Repeat([]string{" "}, w.columns)
	w.draw(cells, s, false)
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
		if !b.HasFailed() && b.State != Unknown {
			colour = yellow
		}
	}
	before := ""
	if name != "" {
		before += name + "  "
	}
	if len(pl.Calls) == 1 && pl.Class != "" {
		before += string(pl.Class) + "  "
	}
	fixed := fmt.Sprintf(" %9s ", took)
	columns := max(w.Width-margin-w.columns-len(fixed)-10, 8)
	args := w.safe(before+brief(b.Made.Line().Args, pl.common, columns-utf8.RuneCountInString(before), w.ASCII), columns)
	w.line("%s%s%s%s  %s", w.paint(dim, fmt.Sprintf("%6s ", number)), strings.Join(cells, ""), fixed,
		w.paint(colour, fmt.Sprintf("%-8s", what)), args)
	if differs := pl.Differs(b); w.All && utf8.RuneCountInString(before+differs) > columns {
		w.under("", differs)
	}
	for _, n := range b.notes() {
		w.under(colours[n.Style], n.Text)
	}
}

// notes returns remarks about a call that its state does not show.
func (b *Bar) notes() (out []Span) {
	add := func(style Style, s string) {
		if s != "" {
			out = append(out, Span{Text: s, Style: style})
		}
	}
	if b.Done != nil && b.Done.Start > 0 {
		add(Dim, "its server took "+Duration(b.Done.Start)+" to start")
	}
	add(Bad, b.Error)
	if b.Done != nil {
		add(Warn, b.Done.Suspect)
	}
	if r := b.Round; r != nil && r.Task != "" {
		add(Warn, "its server started task "+r.Task)
	} else if r != nil {
		add(Warn, "its server asks a question before it answers")
	}
	if b.Settle != nil {
		add(Warn, settled(b.Settle))
	}
	if b.Guess != nil && b.Guess.From != "" {
		add(Dim, b.Guess.Source())
	}
	if b.Late {
		add(Warn, "its script was sent after the client could read untrusted text")
	}
	for _, line := range OriginLines(b.Made.Line().Args.JSON, b.Origins) {
		add(Dim, line.String())
	}
	return out
}

// settled returns the reported outcome of a call in words.
func settled(s *record.Settle) string {
	word := "did not happen"
	if s.Happened {
		word = "happened"
	}
	return strings.TrimSpace(s.Who + " reported that it " + word)
}

// scriptLine returns a line of a script, cut to the columns, or with Options.All as several lines.
func (p *page) scriptLine(line string, columns int) []string {
	if p.All {
		return p.wrapped(line, columns, 1)
	}
	return []string{p.safe(untabbed(line), columns)}
}

// under writes a note of a call below it.
func (w *timelineWriter) under(colour, what string) {
	for _, l := range w.wrapped(what, w.Width-margin-2, 4) {
		w.line("%*s  %s", margin, "", w.paint(colour, l))
	}
}

// prints writes the text printed at a line.
func (w *timelineWriter) prints(all []*Print, most int) {
	shown := all
	if !w.All && len(all) > most+1 {
		shown = all[:most]
	}
	for _, pr := range shown {
		when := "+" + Duration(pr.At)
		if pr.Times > 1 {
			when += fmt.Sprintf("  %s%d", w.marks.times, pr.Times)
		}
		colour := green
		if pr.Stderr {
			colour = yellow
		}
		for i, part := range w.scriptLine(pr.Text, w.Width-margin-4-utf8.RuneCountInString(when)) {
			if i > 0 {
				when = ""
			}
			w.line("%*s%s %s  %s", margin-2, "", w.paint(colour, w.marks.printed), part, w.paint(dim, when))
		}
	}
	if n := len(all) - len(shown); n > 0 {
		w.line("%*s  %s", margin-2, "", w.paint(dim, "and "+text.Count(n, "more line")))
	}
}
