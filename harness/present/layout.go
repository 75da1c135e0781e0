package present

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/record"
)

// Limits of a layout of any record.
const (
	maxStacked = 64   // lanes of a line; if all are taken, spans share the last one
	maxPhrases = 100  // shown at lines
	maxErrors  = 50   // errors, and warnings, shown at lines
	maxRoom    = 2000 // lines of a folded script that are shown
	maxFirst   = 5    // lines at the beginning of a script that are never folded
)

// Layout is the picture of a run: its scripts from top to bottom with the events at each line, and
// its time from 0 at the left to 1 at the right. Terminal and console write the same Layout.
type Layout struct {
	*View
	*Axis
	Scripts []*ScriptLayout // in the order of Sources
}

// ScriptLayout is a script of a run, as rows.
type ScriptLayout struct {
	*Source
	// Rows are in reading order: tools that belong to no line, the lines of the script, and a row
	// for calls at lines that the script does not have.
	Rows []*ScriptRow
	// Unplaced are the printed lines that belong to no line of the script.
	Unplaced []*Print

	lines  []string
	prefix string // prefix of row IDs
	at     map[int]*ScriptRow
	kept   []bool // by line - 1: whether the line has its own row
}

// ScriptRow is a line of a script with its events, or a range of folded lines.
type ScriptRow struct {
	ID     string // L12; in the second script s1L12; empty for folded lines
	Line   int    // 1-based; 0 if the script has no such line
	Text   string
	Folded int  // number of folded lines from Line on; 0 for a single line
	Lost   bool // folded lines have events
	Has    bool // the line has events or declares tools

	Places   []*Place
	Prints   []*Print
	Phrases  []Phrase
	Asks     []*record.Asked
	Errors   []Error
	Warnings []string
	Value    json.RawMessage // the run's value, if this line alone returns one
	Spans    []*CallSpan     // calls, and asks before a call, by start
	Lanes    int             // number of lanes for overlapping spans
}

// CallSpan is a call over time, or an ask that no call has used.
type CallSpan struct {
	*Bar            // nil for an ask
	Place    *Place // nil for an ask
	Ask      *record.Asked
	From, To float64 // ms
	X0, X1   float64 // 0…1
	Lane     int     // from 0
}

// NewLayout lays out a run as of now. In scripts with more than mostLines lines it folds lines
// without events. If mostLines is zero, it folds none.
func NewLayout(v *View, now time.Time, mostLines int) *Layout {
	l := &Layout{View: v}
	total, live := v.Ms, v.Status == record.Running && !now.IsZero()
	if live {
		total = max(total, ms(now.Sub(v.Run.Begin.Time))-v.Paused)
	}
	l.Axis = NewAxis(total, live, v.Pauses)
	for i, s := range v.Sources {
		l.Scripts = append(l.Scripts, l.script(i, s, mostLines))
	}
	return l
}

func (l *Layout) script(i int, src *Source, mostLines int) *ScriptLayout {
	s := &ScriptLayout{Source: src, at: map[int]*ScriptRow{}, lines: strings.Split(strings.TrimSuffix(src.Text, "\n"), "\n")}
	if i > 0 {
		s.prefix = "s" + strconv.Itoa(i)
	}
	for _, p := range src.Places {
		r := s.row(p.Line)
		r.Places = append(r.Places, p)
	}
	for _, p := range src.Prints {
		if p.Line < 1 || p.Line > len(s.lines) {
			s.Unplaced = append(s.Unplaced, p)
			continue
		}
		r := s.row(p.Line)
		r.Prints = append(r.Prints, p)
	}
	for _, a := range l.Run.Asks {
		if a.A != record.Ledger && (a.N == 0 || a.Question != nil) && l.SourceOf(a.Path) == src {
			r := s.row(record.PlaceLine(a.Place))
			r.Asks = append(r.Asks, a)
		}
	}
	if i == 0 {
		marks := markScript(src.Text)
		s.addPhrases(marks, l.Phrases)
		s.addEnding(marks, l.View)
	}
	for _, r := range s.at {
		l.addSpans(r)
	}
	s.fold(mostLines)
	return s
}

// row returns the row of a line, and makes it if necessary. Lines that the script does not have
// share the row of line 0.
func (s *ScriptLayout) row(line int) *ScriptRow {
	if line < 1 || line > len(s.lines) {
		line = 0
	}
	if s.at[line] == nil {
		s.at[line] = s.newRow(line)
		s.at[line].Has = true
	}
	return s.at[line]
}

func (s *ScriptLayout) newRow(line int) *ScriptRow {
	r := &ScriptRow{ID: s.prefix + "L" + strconv.Itoa(line), Line: line}
	if line > 0 {
		r.Text = s.lines[line-1]
	}
	return r
}

// fold makes the rows. Of a long script it keeps the first lines, lines with events, and the lines
// next to these.
func (s *ScriptLayout) fold(mostLines int) {
	n, room := len(s.lines), maxRoom
	s.kept = slices.Repeat([]bool{mostLines == 0 || n <= mostLines}, n)
	keep := func(line int) {
		if line >= 1 && line <= n && !s.kept[line-1] && room > 0 {
			s.kept[line-1] = true
			room--
		}
	}
	for line := range maxFirst {
		keep(line + 1)
	}
	lines := slices.Sorted(maps.Keys(s.at))
	for _, beside := range []int{0, -1, 1} { // lines with events take precedence
		for _, line := range lines {
			if line > 0 {
				keep(line + beside)
			}
		}
	}
	for i := 1; i+1 < n; i++ { // do not fold a single line
		if s.kept[i-1] && s.kept[i+1] {
			keep(i + 1)
		}
	}
	for line := 1; line <= n; line++ {
		r := s.at[line]
		if r == nil {
			r = s.newRow(line)
		}
		if !s.kept[line-1] {
			r = &ScriptRow{Line: line}
			for ; line <= n && !s.kept[line-1]; line++ {
				r.Folded++
				r.Lost = r.Lost || s.at[line] != nil
			}
			line--
		}
		s.Rows = append(s.Rows, r)
	}
	if r := s.at[0]; r != nil {
		s.Rows = append(s.Rows, r)
	}
}

// RowOf returns the ID of the row of a line, in the script that a path belongs to. A line that the
// script does not have has the row of line 0. RowOf returns "" if the row is folded.
func (l *Layout) RowOf(path string, line int) string {
	s := l.Scripts[max(slices.Index(l.Sources, l.SourceOf(path)), 0)]
	if line < 1 || line > len(s.lines) {
		line = 0
	}
	if line == 0 && s.at[0] == nil || line > 0 && !s.kept[line-1] {
		return ""
	}
	return s.prefix + "L" + strconv.Itoa(line)
}

// addPhrases adds the tool of each phrase below the UseTools that contains the phrase. Tools added
// by name go below the last UseTools, or at the top.
func (s *ScriptLayout) addPhrases(marks *scriptMarks, all []Phrase) {
	last := 0
	for _, d := range marks.declared {
		for line := d[0]; line < d[1]; line++ { // never folded
			s.row(line)
		}
		last = d[1]
	}
	for _, p := range all[:min(len(all), maxPhrases)] {
		at := last
		if line := marks.literals[p.Phrase]; line > 0 && p.Phrase != "" {
			at = line
			for _, d := range marks.declared {
				if line >= d[0] && line <= d[1] {
					at = d[1]
				}
			}
		}
		if at == 0 {
			if len(s.Rows) == 0 {
				s.Rows = []*ScriptRow{{Has: true}}
			}
			s.Rows[0].Phrases = append(s.Rows[0].Phrases, p)
			continue
		}
		r := s.row(at)
		r.Phrases = append(r.Phrases, p)
	}
}

// addEnding adds the errors of the run, and warnings that begin with a line, to their lines, and
// the value to the only Return.
func (s *ScriptLayout) addEnding(marks *scriptMarks, v *View) {
	for _, e := range v.Errors() {
		if e.Line > 0 && e.File == "" {
			r := s.row(e.Line)
			r.Errors = append(r.Errors, e)
		}
	}
	for _, w := range v.Warnings[:min(len(v.Warnings), maxErrors)] {
		if rest, ok := strings.CutPrefix(w, "line "); ok {
			number, rest, _ := strings.Cut(rest, ": ")
			if n, err := strconv.Atoi(number); err == nil && n > 0 {
				r := s.row(n)
				r.Warnings = append(r.Warnings, rest)
			}
		}
	}
	if end := v.Run.End; end != nil && len(marks.returns) == 1 && end.Value.JSON != nil {
		s.row(marks.returns[0]).Value = end.Value.JSON
	}
}

// Errors returns the errors with which the run ended.
func (v *View) Errors() []Error {
	var all []Error
	if v.Run.End != nil {
		_ = json.Unmarshal(v.Run.End.Errors, &all) // malformed errors have no line
	}
	if v.Error != nil && !slices.ContainsFunc(all, func(e Error) bool { return e.Line == v.Error.Line && e.Message == v.Error.Message }) {
		all = append([]Error{*v.Error}, all...)
	}
	return all[:min(len(all), maxErrors)]
}

// scriptMarks has the positions where a script declares tools and returns a value.
type scriptMarks struct {
	declared [][2]int       // first and last lines of calls of UseTools
	literals map[string]int // the first line of each string
	returns  []int          // lines with a call of Return
}

// markScript scans a script, which may be invalid Go.
func markScript(src string) *scriptMarks {
	out := &scriptMarks{literals: map[string]int{}}
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, []byte(src), func(token.Position, string) {}, 0)
	depth, open, name := 0, false, "" // open: inside a UseTools
	for {
		pos, tok, lit := s.Scan()
		line := file.PositionFor(pos, false).Line
		switch {
		case tok == token.EOF:
			return out
		case tok == token.STRING:
			if text, err := strconv.Unquote(lit); err == nil && out.literals[text] == 0 {
				out.literals[text] = line
			}
		case tok == token.LPAREN && !open && name == "UseTools":
			open, depth = true, 1
			out.declared = append(out.declared, [2]int{line, line})
		case tok == token.LPAREN && name == "Return":
			out.returns = append(out.returns, line)
			depth++
		case tok == token.LPAREN:
			depth++
		case tok == token.RPAREN:
			if depth--; open && depth == 0 {
				out.declared[len(out.declared)-1][1] = line
				open = false
			}
		}
		name = ""
		if tok == token.IDENT {
			name = lit
		}
	}
}

// addSpans puts the calls of a row into time, with asks that no call has used.
func (l *Layout) addSpans(r *ScriptRow) {
	for _, p := range r.Places {
		for _, b := range p.Calls {
			s := &CallSpan{Bar: b, Place: p, From: b.Start, To: b.End}
			if b.State == Running || b.State == Waiting {
				s.To = max(s.To, l.Total)
			}
			r.Spans = append(r.Spans, s)
		}
	}
	for _, a := range r.Asks {
		if a.Used == nil && a.Question == nil { // others are shown with their call
			from := l.clock.at(a.Ask.Time)
			r.Spans = append(r.Spans, &CallSpan{Ask: a, From: from, To: max(l.Total, from)})
		}
	}
	slices.SortStableFunc(r.Spans, func(a, b *CallSpan) int { return cmp.Compare(a.From, b.From) })
	for _, s := range r.Spans {
		s.X0, s.X1 = l.X(s.From), l.X(s.To)
	}
	r.Lanes = stack(r.Spans)
}

// stack puts each span, ordered by start, into the first free lane, and returns the number of
// lanes.
func stack(all []*CallSpan) int {
	var ends []float64
	for _, s := range all {
		lane := slices.IndexFunc(ends, func(end float64) bool { return end <= s.From })
		if lane < 0 && len(ends) < maxStacked {
			lane, ends = len(ends), append(ends, 0)
		}
		if lane < 0 {
			lane = maxStacked - 1
		}
		s.Lane, ends[lane] = lane, max(ends[lane], s.To)
	}
	return len(ends)
}

// MeanWidth returns the mean width of spans, from 0 to 1.
func MeanWidth(all []*CallSpan) float64 {
	sum := 0.0
	for _, s := range all {
		sum += s.X1 - s.X0
	}
	return sum / max(float64(len(all)), 1)
}

// Density returns the number of active spans in each of n equal parts of the axis, and the maximum
// of these numbers, which is at least 1.
func Density(all []*CallSpan, n int) (counts []int, most int) {
	counts, most = make([]int, n), 1
	for _, s := range all {
		first, last := s.parts(n)
		for i := first; i <= last; i++ {
			counts[i]++
			most = max(most, counts[i])
		}
	}
	return counts, most
}

// parts returns the first and last of the n equal parts of the axis that a span covers.
func (s *CallSpan) parts(n int) (first, last int) {
	at := func(x float64) int { return min(max(int(x*float64(n)), 0), n-1) }
	first, last = at(s.X0), at(s.X1)
	if last > first && s.X1*float64(n) == float64(last) {
		last--
	}
	return first, last
}

// Axis maps the time of a run, in ms, to 0…1. Pauses between attempts are columns of limited width.
type Axis struct {
	Total    float64 // ms
	Live     bool    // the run has not ended: the axis ends a little after now
	Segments []Segment
}

// Segment is a stretch of time. If Pause is not zero, it is a pause of that many ms between
// attempts, and From equals To.
type Segment struct{ From, To, X0, X1, Pause float64 }

// Tick is a labelled time on an axis, or a pause with its length and width.
type Tick struct {
	X, Width float64
	Label    string
}

// Mid returns the middle of a pause.
func (t Tick) Mid() float64 { return t.X + t.Width/2 }

// NewAxis returns the axis of a run that took total ms without its pauses.
func NewAxis(total float64, live bool, pauses []Pause) *Axis {
	a := &Axis{Total: total, Live: live}
	if live {
		total *= 1.05
	}
	most, sum := .09, total // of a pause
	if len(pauses) > 3 {
		most = .27 / float64(len(pauses))
	}
	for _, p := range pauses {
		sum += p.Ms
	}
	widths, room := make([]float64, len(pauses)), 1.0
	for i, p := range pauses {
		widths[i] = min(most, p.Ms/max(sum, 1e-9))
		room -= widths[i]
	}
	at, x := 0.0, 0.0
	add := func(to float64) {
		s := Segment{From: at, To: to, X0: x, X1: min(x+(to-at)*room/max(total, 1e-9), 1)}
		a.Segments = append(a.Segments, s)
		at, x = to, s.X1
	}
	for i, p := range pauses {
		add(min(max(p.At, at), total))
		a.Segments = append(a.Segments, Segment{From: at, To: at, X0: x, X1: x + widths[i], Pause: max(p.Ms, 1e-6)})
		x += widths[i]
	}
	add(max(total, at))
	if total > 0 {
		a.Segments[len(a.Segments)-1].X1 = 1
	}
	return a
}

// X returns the position of a time. The start of a pause is at its left edge.
func (a *Axis) X(t float64) float64 {
	for _, s := range a.Segments {
		if s.Pause == 0 && t <= s.To {
			if s.To == s.From {
				return s.X0
			}
			return s.X0 + (s.X1-s.X0)*max(0, t-s.From)/(s.To-s.From)
		}
	}
	return 1
}

// Ticks returns the pauses, and round times at least that far apart, in 0…1. After a pause they
// count from its end.
func (a *Axis) Ticks(least float64) (out []Tick) {
	step := 0.0
	for _, s := range a.Segments {
		if s.To > s.From && s.X1 > s.X0 {
			step = RoundStep((s.To - s.From) / (s.X1 - s.X0) * least)
			break
		}
	}
	for i, s := range a.Segments {
		if s.Pause > 0 {
			out = append(out, Tick{s.X0, s.X1 - s.X0, briefly(s.Pause)})
			continue
		}
		if i == 0 { // after a pause, the first tick has no room
			out = append(out, Tick{X: s.X0, Label: "0"})
		}
		for t := step; step > 0 && t < s.To-s.From; t += step {
			x := s.X0 + (s.X1-s.X0)*t/(s.To-s.From)
			if s.X1-x < least/2 {
				break
			}
			label := tickLabel(t, step)
			if i > 0 {
				label = "+" + label
			}
			out = append(out, Tick{X: x, Label: label})
		}
	}
	return out
}

// RoundStep returns the smallest value of 1, 2 or 5 times a power of ten that is at least that
// large.
func RoundStep(least float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(least)))
	for _, f := range []float64{1, 2, 5} {
		if f*unit >= least {
			return f * unit
		}
	}
	return 10 * unit
}

func tickLabel(t, step float64) string {
	number := func(f float64) string { return strconv.FormatFloat(f, 'g', 6, 64) }
	switch {
	case t >= 120e3 || step >= 60e3:
		return number(math.Round(t/600)/100) + " min"
	case t >= 1000:
		return number(math.Round(t)/1000) + " s"
	}
	return number(math.Round(t*1000)/1000) + " ms"
}

// briefly formats a long time with at most two digits: 6 min.
func briefly(ms float64) string {
	switch s := ms / 1000; {
	case s < 1:
		return Duration(ms)
	case s < 120:
		return fmt.Sprintf("%.0f s", s)
	case s < 2*3600:
		return fmt.Sprintf("%.0f min", s/60)
	case s < 48*3600:
		return fmt.Sprintf("%.0f h", s/3600)
	default:
		return fmt.Sprintf("%.0f days", s/86400)
	}
}

// Track is a quantity over time, as points from left to right with X and Y in 0…1.
type Track struct {
	Name, Value string
	Points      [][2]float64
}

// maxSamples limits the points of a track.
const maxSamples = 1000

// Tracks returns the calls in flight, CPU and memory over time, as far as they are known.
func (l *Layout) Tracks() (out []Track) {
	if flight := l.inFlight(); flight.Points != nil {
		out = append(out, flight)
	}
	usage := l.Usage
	if len(usage) < 2 {
		return out
	}
	every := (len(usage) + maxSamples - 1) / maxSamples // samples per point
	cores := 1.0
	for _, s := range usage {
		cores = max(cores, s.CPU)
	}
	cpu := Track{Name: "CPU", Value: Duration(l.CPU), Points: [][2]float64{{0, 0}}}
	memory := Track{Name: "memory", Value: strconv.FormatInt(l.Peak>>20, 10) + " MB", Points: [][2]float64{{0, 0}}}
	for part := range slices.Chunk(usage, every) {
		s := slices.MaxFunc(part, func(a, b Sample) int { return cmp.Compare(a.Memory, b.Memory) })
		x, y := l.X(s.At), s.CPU/cores
		cpu.Points = append(cpu.Points, [2]float64{cpu.Points[len(cpu.Points)-1][0], y}, [2]float64{x, y})
		memory.Points = append(memory.Points, [2]float64{x, float64(s.Memory) / float64(max(l.Peak, 1))})
	}
	return append(out, cpu, memory)
}

// inFlight returns the number of concurrent calls over time.
func (l *Layout) inFlight() Track {
	type edge struct {
		x float64
		d int
	}
	var edges []edge
	for _, s := range l.Scripts {
		for _, r := range s.at {
			for _, span := range r.Spans {
				if span.Bar != nil && span.To > span.From {
					edges = append(edges, edge{span.X0, 1}, edge{span.X1, -1})
				}
			}
		}
	}
	if len(edges) == 0 {
		return Track{}
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.d, b.d)) })
	most, k := 1, 0
	for _, e := range edges {
		k += e.d
		most = max(most, k)
	}
	t := Track{Name: "in flight", Value: strconv.Itoa(most), Points: [][2]float64{{0, 0}}}
	last := 0
	step := func(x float64, k int) {
		y := float64(k) / float64(most)
		t.Points = append(t.Points, [2]float64{x, float64(last) / float64(most)}, [2]float64{x, y})
		last = k
	}
	k = 0
	for len(edges) > 0 { // show the peak within each thousandth
		at, peak := int(edges[0].x*1000), k
		for len(edges) > 0 && int(edges[0].x*1000) == at {
			k += edges[0].d
			peak = max(peak, k)
			edges = edges[1:]
		}
		step(float64(at)/1000, peak)
		if peak != k {
			step(float64(at+1)/1000, k)
		}
	}
	t.Points = append(t.Points, [2]float64{1, float64(last) / float64(most)})
	return t
}

// Stroke is a line of a small picture of a run: one call or several overlapping ones.
type Stroke struct {
	Tool      string
	Bad       bool    // a call that failed, or whose outcome is unknown
	X0, X1, Y float64 // 0…1
}

// maxPreviewRows limits the rows of a preview.
const maxPreviewRows = 11

// Preview draws the calls of a run, in one row for each line that made calls.
func (v *View) Preview() (out []Stroke) {
	var places []*Place
	for _, s := range v.Sources {
		places = append(places, s.Places...)
	}
	axis, rows := NewAxis(v.Ms, false, v.Pauses), min(len(places), maxPreviewRows)
	for i, p := range places {
		y := (float64(i*rows/len(places)) + .5) / float64(rows)
		ends := map[bool]float64{} // skip calls within earlier ones
		for _, b := range p.Calls {
			bad := b.HasFailed() || b.State == Unknown
			x0 := min(axis.X(b.Start), .992) // each call is at least .008 wide
			x1 := min(max(axis.X(b.End), x0+.008), 1)
			if x0 = max(x0, ends[bad]); x0 < x1 {
				out = append(out, Stroke{p.Tool, bad, x0, x1, y})
				ends[bad] = x1
			}
		}
	}
	return out
}
