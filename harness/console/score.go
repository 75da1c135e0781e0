package console

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/show"
	"github.com/usetools/usetools/registry/text"
)

// Bounds of a score, which hold whatever a record says.
const (
	maxBars      = 3000 // that are drawn; further calls are a strip of density and rows of the table
	manyCalls    = 200  // above which bars get their words from the module
	maxLanes     = 24   // of a line, above which it is a strip until it is zoomed
	maxStacked   = 64   // lanes that are kept apart; calls that find none free share the last
	leastBar     = 0.12 // percent of the run: the width of a bar
	leastMean    = 0.25 // percent: bars that are narrower in the mean are a strip until zoomed
	mostZoom     = 40
	maxCodeLines = 2000    // of a script, above which lines at which nothing happened are left out
	maxLineText  = 4 << 10 // bytes of a line that is shown
	maxPrints    = 5       // texts at a line
	maxTicks     = 100     // marks in time of what was printed at a line
	buckets      = 200     // of a density
)

// axis is the time of a run as percents of the width.
type axis struct {
	total float64 // ms
	live  bool    // it ends a little after now
	segs  []segment
}

// segment is a stretch of time, in ms, with its percents. Of a pause From is To.
type segment struct {
	From, To, X0, X1 float64
	wait             float64 // ms that are left out; 0: it is none
}

// newAxis cuts out the times in which a run waited: each is a column of at most a fixed
// width.
func newAxis(total float64, live bool, pauses []show.Pause) *axis {
	a := &axis{total: total, live: live}
	if live {
		total *= 1.05
	}
	most, whole := 9.0, total
	if len(pauses) > 3 {
		most = 27 / float64(len(pauses))
	}
	for _, p := range pauses {
		whole += p.Ms
	}
	gaps, room := make([]float64, len(pauses)), 100.0
	for i, p := range pauses {
		gaps[i] = min(most, 100*p.Ms/max(whole, 1e-9))
		room -= gaps[i]
	}
	rate := room / max(total, 1e-9)
	at, x := 0.0, 0.0
	add := func(to float64) {
		s := segment{From: at, To: to, X0: x, X1: x + (to-at)*rate}
		a.segs = append(a.segs, s)
		at, x = to, s.X1
	}
	for i, p := range pauses {
		add(min(max(p.At, at), total))
		a.segs = append(a.segs, segment{From: at, To: at, X0: x, X1: x + gaps[i], wait: max(p.Ms, 1e-6)})
		x += gaps[i]
	}
	add(max(total, at))
	return a
}

// x is where a time is. What is at the beginning of a pause is before it.
func (a *axis) x(t float64) float64 {
	for _, s := range a.segs {
		if s.wait == 0 && t <= s.To {
			if s.To == s.From {
				return s.X0
			}
			return s.X0 + (s.X1-s.X0)*max(0, t-s.From)/(s.To-s.From)
		}
	}
	return 100
}

// ticks are the times that are named, some 100 px apart.
func (a *axis) ticks() (labels, lines template.HTML) {
	var l, g markup
	step := niceStep(a.segs)
	n := 0
	for i, s := range a.segs {
		if s.wait > 0 {
			if s.X1-s.X0 >= 5 {
				l.write(`<text class="w" x="`, pct((s.X0+s.X1)/2), `" y="13" text-anchor="middle">`, briefly(s.wait), `</text>`)
			}
			g.write(`<rect class="brk" x="`, pct(s.X0), `" width="`, pct(s.X1-s.X0), `" height="100%"/>`)
			continue
		}
		for t := 0.0; t < s.To-s.From || t == 0; t += step {
			x := s.X0
			if s.To > s.From {
				x += (s.X1 - s.X0) * t / (s.To - s.From)
			}
			if step <= 0 || t > 0 && s.X1-x < 6 || t == 0 && i > 0 { // after a wait there is no room for the first
				if step <= 0 {
					break
				}
				continue
			}
			odd, sign := "", ""
			if n%2 == 1 {
				odd = ` class="odd"`
			}
			if i > 0 {
				sign = "+"
			}
			n++
			l.write(`<text`, odd, ` x="`, pct(x), `" y="13" dx="4">`, sign, tickText(t, step), `</text>`)
			g.write(`<line x1="`, pct(x), `" x2="`, pct(x), `" y1="0" y2="100%"/>`)
		}
	}
	if a.live {
		x := pct(a.x(a.total))
		g.write(`<line class="now" x1="`, x, `" x2="`, x, `" y1="0" y2="100%"/>`)
	}
	return l.html(), g.html()
}

// niceStep is the distance of ticks in ms: 1, 2 or 5 of a power of ten, at least 12
// percent.
func niceStep(segs []segment) float64 {
	for _, s := range segs {
		if s.To > s.From && s.X1 > s.X0 {
			least := (s.To - s.From) / (s.X1 - s.X0) * 12
			ten := math.Pow(10, math.Floor(math.Log10(least)))
			for _, k := range []float64{1, 2, 5} {
				if k*ten >= least {
					return k * ten
				}
			}
			return 10 * ten
		}
	}
	return 0
}

func tickText(t, step float64) string {
	number := func(f float64) string { return strconv.FormatFloat(f, 'g', 6, 64) }
	switch {
	case t >= 120e3 || step >= 60e3:
		return number(math.Round(t/600)/100) + " min"
	case t >= 1000 || step >= 500:
		return number(math.Round(t)/1000) + " s"
	}
	return number(math.Round(t*1000)/1000) + " ms"
}

// briefly is a long time in a word: 6 min.
func briefly(ms float64) string {
	switch s := ms / 1000; {
	case s < 1:
		return show.Duration(ms)
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

// pct is a share as an attribute of SVG.
func pct(x float64) string {
	s := strconv.FormatFloat(min(max(x, -1e4), 1e4), 'f', 3, 64)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".") + "%"
}

func rem(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) + "rem" }

// score is the picture of a run: its scripts, and each call at the line that made it.
type score struct {
	Rows         template.HTML
	Ticks, Lines template.HTML // of the axis; names of times, and lines under the bars
	Flight       template.HTML // calls under way over time, as a path
	AtATime      int
	Tracks       []track
	Servers      []scoreServer // whose tools were called
	Effects      bool
	Many         bool
	Chosen       int // the call that is shown at first; 0: there is none
	Data         *scoreData
	Unplaced     []*show.Print // of which the line is not known
}

// track is something over time, as a path of 1000 by 20.
type track struct {
	Class, Name, Value string
	Path               template.HTML
}

type scoreServer struct{ Name, Hue string }

// scoreData is what the module needs besides what is drawn.
type scoreData struct {
	Run   string       `json:"run"`
	Total int          `json:"total"` // calls
	Live  bool         `json:"live"`
	Many  bool         `json:"many"`
	Segs  [][4]float64 `json:"segs"` // from, to: ms; percents. Pauses are left out
	Rows  []string     `json:"rows"` // IDs
	Paths []string     `json:"paths"`
	// Calls are drawn ones in the order of their beginning: number, row, begin and ms,
	// path, 1 for a failed one; where there are many, also words.
	Calls [][]any `json:"calls"`
}

// happened is what there is at a line of a script.
type happened struct {
	places  []*show.Place
	prints  []*show.Print
	phrases []show.Phrase
	asks    []*record.Asked
	errors  []show.Error
	value   string
	warns   []string
}

// scoreMaker writes a score.
type scoreMaker struct {
	markup
	view    *show.View
	axis    *axis
	servers []string
	page    int // of the table of calls that is shown
	now     time.Time
	// packages are the classes of the colours of servers, by the name in Go; gonames
	// the names of tools in Go.
	packages, gonames map[string]string
	data              *scoreData
	rows              map[string]int
	paths             map[string]int
	drawn             int
	many              bool
}

// newScore draws a run. servers are those whose place says their colour, page is
// that of the table of calls beside it.
func newScore(v *show.View, servers []string, page int, now time.Time) *score {
	m := &scoreMaker{view: v, servers: servers, page: page, now: now, rows: map[string]int{}, paths: map[string]int{}}
	total := v.Ms
	live := v.Status == record.Running
	if live {
		total = max(total, float64(now.Sub(v.Run.Begin.Time).Milliseconds())-v.Paused)
	}
	m.axis = newAxis(total, live, v.Pauses)
	m.many = v.Calls > manyCalls
	m.data = &scoreData{Run: v.Run.Begin.ID, Total: v.Calls, Live: live, Many: m.many, Calls: [][]any{}, Rows: []string{}, Paths: []string{}}
	for _, s := range m.axis.segs {
		if s.wait == 0 {
			m.data.Segs = append(m.data.Segs, [4]float64{round(s.From), round(s.To), round(s.X0), round(s.X1)})
		}
	}
	m.names()
	out := &score{Many: m.many, Data: m.data}
	out.Ticks, out.Lines = m.axis.ticks()
	for i, s := range v.Sources {
		m.source(i, s, out)
	}
	out.Rows = m.html()
	out.Flight, out.AtATime = m.flight()
	out.Tracks = m.tracks()
	out.Chosen = chosen(v)
	seen := map[string]bool{}
	for _, s := range v.Sources {
		for _, p := range s.Places {
			out.Effects = out.Effects || p.Class != record.Read
			if name := serverOf(p.Tool); !seen[name] && len(seen) < 12 {
				seen[name] = true
				out.Servers = append(out.Servers, scoreServer{name, hue(servers, p.Tool)})
			}
		}
	}
	slices.SortStableFunc(m.data.Calls, func(a, b []any) int { return cmp.Compare(a[2].(float64), b[2].(float64)) })
	return out
}

func round(f float64) float64 { return math.Round(f*1000) / 1000 }

// names learns how tools are called in Go.
func (m *scoreMaker) names() {
	m.packages, m.gonames = map[string]string{}, map[string]string{}
	for _, l := range m.view.Run.Lines {
		if l, ok := l.(*record.Tools); ok {
			for _, t := range l.Tools {
				m.gonames[t.ID] = t.Go
				if pkg, _, ok := strings.Cut(t.Go, "."); ok {
					m.packages[pkg] = hue(m.servers, t.ID)
				}
			}
		}
	}
}

func (m *scoreMaker) goName(tool string) string { return cmp.Or(m.gonames[tool], tool) }

// chosen is the first call of which nothing is known, or that failed, or else the
// slowest.
func chosen(v *show.View) int {
	var best *show.Bar
	rank := func(b *show.Bar) int {
		switch {
		case b.State == show.Unknown:
			return 2
		case isFailed(b):
			return 1
		}
		return 0
	}
	for _, s := range v.Sources {
		for _, p := range s.Places {
			for _, b := range p.Calls {
				switch {
				case best == nil, rank(b) > rank(best),
					rank(b) == rank(best) && rank(b) > 0 && b.N < best.N,
					rank(b) == 0 && rank(best) == 0 && b.End-b.Start > best.End-best.Start:
					best = b
				}
			}
		}
	}
	if best == nil {
		return 0
	}
	return best.N
}

func isFailed(b *show.Bar) bool {
	return b.State == show.Failed || b.State == show.NotSent || b.State == show.Unread
}

// source writes the lines of a script with what happened at them.
func (m *scoreMaker) source(i int, s *show.Source, out *score) {
	prefix := ""
	if i > 0 {
		prefix = "s" + strconv.Itoa(i)
		m.write(`<div class="child" id="`, prefix, `"><h3>`)
		m.text(show.Visible(s.Name, 100, false))
		m.write(`</h3><span class="t1 dimmer">a saved script, run through RunScript`)
		if line, at := show.Line(s.Path), strings.LastIndexByte(s.Path, '/'); at >= 0 || line > 0 {
			if line = show.Line(s.Path[at+1:]); line > 0 {
				m.write(` at <a href="#L`, strconv.Itoa(line), `">line `, strconv.Itoa(line), `</a>`)
			}
		}
		m.write(`</span></div>`)
	}
	src := readSource(s.Text, func(pkg string) string { return m.packages[pkg] })
	at := map[int]*happened{}
	of := func(line int) *happened {
		if line < 1 || line > len(src.lines) {
			line = 0
		}
		if at[line] == nil {
			at[line] = &happened{}
		}
		return at[line]
	}
	for _, p := range s.Places {
		of(p.Line).places = append(of(p.Line).places, p)
	}
	for _, p := range s.Prints {
		if p.Line < 1 || p.Line > len(src.lines) {
			out.Unplaced = append(out.Unplaced, p)
		} else {
			of(p.Line).prints = append(of(p.Line).prints, p)
		}
	}
	m.asks(s, of)
	if i == 0 {
		m.phrases(src, of)
		m.endings(src, of)
	}
	kept := keptLines(len(src.lines), at)
	for n := 1; n <= len(src.lines); n++ {
		if kept != nil && !kept[n-1] {
			from := n
			for n < len(src.lines) && !kept[n] {
				n++
			}
			m.write(`<div class="row gap has"><div class="src"><span class="no">⋮</span><span class="t1 dimmer">`,
				text.Count(n-from+1, "line"), ` at which nothing happened</span></div><div class="time"></div></div>`)
			continue
		}
		m.row(prefix+"L"+strconv.Itoa(n), n, src.lines[n-1], at[n])
	}
	if rest := at[0]; rest != nil {
		m.row(prefix+"L0", 0, codeLine{html: `<span class="c">a line that is not known</span>`}, rest)
	}
}

// keptLines says which lines of a long script are shown: those at which something
// happened, and two beside each; nil: all.
func keptLines(n int, at map[int]*happened) []bool {
	if n <= maxCodeLines {
		return nil
	}
	kept := make([]bool, n)
	room := maxCodeLines
	for i := range min(20, n) {
		kept[i] = true
	}
	lines := make([]int, 0, len(at))
	for line := range at {
		lines = append(lines, line)
	}
	slices.Sort(lines)
	for _, line := range lines {
		for k := line - 3; k <= line+1; k++ {
			if k >= 0 && k < n && !kept[k] && room > 0 {
				kept[k] = true
				room--
			}
		}
	}
	return kept
}

// asks puts what people were asked to the lines of a script.
func (m *scoreMaker) asks(s *show.Source, of func(int) *happened) {
	for _, a := range m.view.Run.Asks {
		if a.A == record.Ledger || a.N > 0 && a.Question == nil {
			continue
		}
		if m.view.SourceOf(a.Path) == s {
			h := of(show.Line(a.Place))
			h.asks = append(h.asks, a)
		}
	}
}

// maxPhrases bounds the phrases that are shown.
const maxPhrases = 100

// phrases puts what phrases came to below the UseTools that says them.
func (m *scoreMaker) phrases(src *source, of func(int) *happened) {
	last := 1
	if len(src.declared) > 0 {
		last = src.declared[0][1]
		for line := src.declared[0][0]; line < last; line++ { // it stays whole
			of(line)
		}
	}
	for i, p := range m.view.Phrases {
		if i == maxPhrases {
			break
		}
		at := last
		if line := src.literals[p.Phrase]; line > 0 {
			at = line
			for _, d := range src.declared {
				if line >= d[0] && line <= d[1] {
					at = d[1]
				}
			}
		}
		h := of(at)
		h.phrases = append(h.phrases, p)
	}
}

// maxErrors bounds the errors and warnings that are shown at lines.
const maxErrors = 50

// endings puts the errors of the run to their lines, warnings that begin with one,
// and the value to a lone Return.
func (m *scoreMaker) endings(src *source, of func(int) *happened) {
	v := m.view
	for _, e := range runErrors(v) {
		if e.Line > 0 && e.File == "" {
			h := of(e.Line)
			h.errors = append(h.errors, e)
		}
	}
	for i, w := range v.Warnings {
		if rest, ok := strings.CutPrefix(w, "line "); ok && i < maxErrors {
			number, rest, _ := strings.Cut(rest, ": ")
			if n, err := strconv.Atoi(number); err == nil && n > 0 {
				h := of(n)
				h.warns = append(h.warns, rest)
			}
		}
	}
	if end := v.Run.End; end != nil && len(src.returns) == 1 && !end.Value.IsZero() && end.Value.JSON != nil {
		of(src.returns[0]).value = string(end.Value.JSON)
	}
}

// runErrors are the errors with which a run ended.
func runErrors(v *show.View) []show.Error {
	var all []show.Error
	if v.Run.End != nil {
		_ = json.Unmarshal(v.Run.End.Errors, &all) // what is none has no place
	}
	if v.Error != nil && !slices.ContainsFunc(all, func(e show.Error) bool { return e.Line == v.Error.Line && e.Message == v.Error.Message }) {
		all = append([]show.Error{*v.Error}, all...)
	}
	return all[:min(len(all), maxErrors)]
}

// row writes a line.
func (m *scoreMaker) row(id string, n int, code codeLine, h *happened) {
	class := "row"
	if h != nil {
		class = "row has"
	}
	number := strconv.Itoa(n)
	m.write(`<div class="`, class, `" id="`, id, `"><div class="src"><a class="no" href="#`, id, `" tabindex="-1" aria-label="line `, number, `">`)
	if n > 0 {
		m.write(number)
	}
	m.write(`</a><code`)
	if code.indent > 0 {
		m.write(` class="i`, strconv.Itoa(min(code.indent, 9)), `"`)
	}
	m.write(`>`)
	if len(code.html) > maxLineText*4 {
		m.write(`<span class="c">a line of `, thousands(len(code.html)), ` characters</span>`)
	} else if code.html == "" {
		m.write(" ")
	} else {
		m.write(code.html)
	}
	m.write(`</code>`)
	if h == nil {
		m.write(`</div><div class="time"></div></div>`, "\n")
		return
	}
	m.notes(h)
	m.write(`</div><div class="time">`)
	m.bars(id, n, h)
	m.ticksOf(h.prints)
	m.write("</div></div>\n")
}

// notes writes what stands below the code of a line.
func (m *scoreMaker) notes(h *happened) {
	for _, e := range h.errors {
		m.write(`<div class="note mark bad">`, icons["bad"], `<span class="theirs">`)
		if e.Column > 0 {
			m.write(strconv.Itoa(e.Line), ":", strconv.Itoa(e.Column), " ")
		}
		m.long(e.Message, 1000)
		m.write(`</span>`)
		if e.Hint != "" {
			m.write(`<span class="hint theirs">`)
			m.long(e.Hint, 1000)
			m.write(`</span>`)
		}
		m.write(`</div>`)
	}
	m.phraseNotes(h.phrases)
	for _, p := range h.places {
		m.sum(p, len(h.places) > 1)
	}
	m.askNotes(h.asks)
	for _, w := range append(h.warns, m.suspects(h.places)...) {
		m.write(`<div class="note warn">`, warnIcon, `<span class="theirs">`)
		m.long(w, 600)
		m.write(`</span></div>`)
	}
	m.printNotes(h.prints)
	if h.value != "" {
		m.write(`<div class="note ret"><pre class="theirs">`)
		m.json(h.value, 300)
		m.write(`</pre><span class="at">the result</span></div>`)
	}
}

const warnIcon = `<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 2.5l6 11H2zM8 6.6v3.4M8 11.3v1" fill="none" stroke="currentColor" stroke-width="1.4"/></svg>`

// long is a text of at most so many characters.
func (m *scoreMaker) long(s string, most int) { m.text(text.Cut(s, most)) }

// json writes JSON in colours, of at most so many bytes.
func (m *markup) json(s string, most int) {
	cut := len(s) > most
	if cut {
		s = strings.ToValidUTF8(s[:most], "")
	}
	for i := 0; i < len(s); {
		j := i
		switch c := s[i]; {
		case c == '"':
			for j++; j < len(s) && s[j] != '"'; j++ {
				if s[j] == '\\' {
					j++
				}
			}
			j = min(j+1, len(s))
			class := "s"
			if rest := strings.TrimLeft(s[j:], " "); rest != "" && rest[0] == ':' {
				class = "t"
			}
			m.span(class, s[i:j])
		case c == '-' || c >= '0' && c <= '9':
			for j++; j < len(s) && strings.IndexByte("0123456789.eE+-", s[j]) >= 0; j++ {
			}
			m.span("n", s[i:j])
		case c >= 'a' && c <= 'z':
			for j++; j < len(s) && s[j] >= 'a' && s[j] <= 'z'; j++ {
			}
			m.span("n", s[i:j])
		case c == '\n':
			m.write("\n")
			j++
		default:
			for j++; j < len(s) && strings.IndexByte("\"-0123456789\n", s[j]) < 0 && (s[j] < 'a' || s[j] > 'z'); j++ {
			}
			m.text(s[i:j])
		}
		i = j
	}
	if cut {
		m.write("…")
	}
}

func (m *markup) span(class, s string) {
	m.write(`<span class="`, class, `">`)
	m.text(s)
	m.write(`</span>`)
}

func (m *scoreMaker) phraseNotes(all []show.Phrase) {
	if len(all) == 0 {
		return
	}
	m.write(`<ul class="note phr" aria-label="what the phrases came to">`)
	for _, p := range all {
		m.write(`<li><q class="theirs" title="`)
		m.long(p.Phrase, 500)
		m.write(`">`)
		if p.Phrase == "" {
			m.write("a name in the script")
		}
		m.long(p.Phrase, 200)
		m.write(`</q>`)
		if p.Tool != "" {
			m.write(`<a class="tool `, hue(m.servers, p.Tool), `" href="`, toolLink(p.Tool), `">`)
			m.text(show.Visible(cmp.Or(p.Go, m.goName(p.Tool)), 120, false))
			m.write(`</a>`)
			if p.By == "phrase" {
				m.meter(p.Confidence)
			} else {
				m.write(`<span></span>`)
			}
			m.write(`<span class="by">`)
			m.long(byWord(p.By), 40)
			m.write(`</span></li>`)
			continue
		}
		m.write(`<span class="is-bad">`)
		m.text(show.Visible(strings.ReplaceAll(p.Verdict, "_", " "), 40, false))
		m.write(`</span>`)
		m.meter(p.Confidence)
		m.write(`<span class="by near">`)
		for i, c := range p.Candidates[:min(3, len(p.Candidates))] {
			if i == 0 {
				m.write("nearest: ")
			} else {
				m.write(", ")
			}
			m.write(`<a class="tool `, hue(m.servers, c.ID), `" href="`, toolLink(c.ID), `">`)
			m.text(show.Visible(c.ID, 120, false))
			m.write(`</a>`)
		}
		m.write(`</span></li>`)
	}
	m.write(`</ul>`)
}

func byWord(by string) string {
	switch by {
	case "name":
		return "your name"
	case "added":
		return "added"
	}
	return by
}

// meter is a confidence as a bar and a number.
func (m *scoreMaker) meter(c float64) {
	c = min(max(c, 0), 1)
	m.write(`<span class="conf" title="confidence"><svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">`,
		`<rect class="tr" width="100" height="6"/><rect class="v" width="`, strconv.Itoa(int(c*100)), `" height="6"/></svg>`,
		strconv.FormatFloat(c, 'f', 2, 64), `</span>`)
}

// sum tells what the calls of a place have in common, where there are several.
func (m *scoreMaker) sum(p *show.Place, named bool) {
	if len(p.Calls) < 2 {
		return
	}
	m.write(`<div class="note sum">`)
	if named {
		m.write(`<b class="tool `, hue(m.servers, p.Tool), `">`)
		m.text(show.Visible(p.Tool, 100, false))
		m.write(`</b> `)
	}
	m.write("×", thousands(len(p.Calls)))
	if p.Class != record.Read {
		m.write(", effect")
	}
	took := make([]float64, 0, len(p.Calls))
	for _, b := range p.Calls {
		if b.Done != nil {
			took = append(took, b.Done.Ms)
		}
	}
	if len(took) > 1 {
		m.write(`<span>p50 `, show.Duration(p.P50), `</span>`)
		if len(took) >= 100 {
			slices.Sort(took)
			m.write(`<span>p95 `, show.Duration(took[(len(took)-1)*95/100]), `</span>`)
		}
		m.write(`<span>slowest `, show.Duration(p.Slowest), `</span>`)
	}
	if p.AtATime > 1 {
		m.write(`<span>`, strconv.Itoa(p.AtATime), ` at a time</span>`)
	} else if len(p.Calls) > 2 {
		m.write(`<span>one after another</span>`)
	}
	if p.Failed > 0 {
		m.write(`<span class="is-bad">`, thousands(p.Failed), ` failed</span>`)
	}
	m.write(`</div>`)
	if len(took) >= 100 {
		m.histogram(p, took)
	}
}

// histogram says how many of the calls of a place took how long.
func (m *scoreMaker) histogram(p *show.Place, sorted []float64) {
	const bars = 24
	top := max(sorted[(len(sorted)-1)*99/100], 1e-3)
	var n [bars]int
	most := 1
	for _, t := range sorted {
		k := min(max(int(t/top*bars), 0), bars-1)
		n[k]++
		most = max(most, n[k])
	}
	m.write(`<div class="note histo `, hue(m.servers, p.Tool), `"><svg class="hist" viewBox="0 0 96 22" preserveAspectRatio="none" aria-hidden="true">`)
	for i, k := range n {
		if k > 0 {
			h := max(float64(k)/float64(most)*22, 0.8)
			fmt.Fprintf(m, `<rect x="%d" y="%.1f" width="3.2" height="%.1f"/>`, i*4, 22-h, h)
		}
	}
	m.write(`</svg><span class="at">0 to `, show.Duration(top), ` and more</span></div>`)
}

// askNotes says what people were asked at a line, and what they said, once for
// answers that are alike.
func (m *scoreMaker) askNotes(asks []*record.Asked) {
	type said struct {
		who, word string
		yes       bool
		state     record.State
	}
	type group struct {
		of   said
		asks []*record.Asked
	}
	var all []*group
	for _, a := range asks {
		s := said{state: a.State(m.now)}
		if a.Answer != nil {
			s = said{who: a.Answer.Who, word: a.Answer.Word, yes: a.Answer.Yes}
		}
		i := slices.IndexFunc(all, func(g *group) bool { return g.of == s })
		if i < 0 {
			i, all = len(all), append(all, &group{of: s})
		}
		all[i].asks = append(all[i].asks, a)
	}
	for _, g := range all[:min(len(all), 5)] {
		first := g.asks[0]
		m.write(`<div class="note sum">`)
		switch {
		case first.Answer != nil:
			class, word := "is-bad", "no"
			if g.of.yes {
				class, word = "is-ok", "yes"
			}
			m.write(`waited `, show.Duration(float64(first.Answer.Time.Sub(first.Ask.Time).Milliseconds())), ` for an answer<span class="`, class, `">`)
			m.text(show.Visible(cmp.Or(g.of.who, "somebody"), 60, false))
			m.write(`, `, first.Answer.Time.Local().Format("15:04:05"), `: “`, word, `”`)
			if len(g.asks) > 1 {
				m.write(` to these `, text.Count(len(g.asks), "call"))
			} else if first.Answer.Whole {
				m.write(` to all calls of the tool in this run`)
			}
			m.write(`</span>`)
			if g.of.word != "" {
				m.write(`<span class="theirs">`)
				m.long(g.of.word, 300)
				m.write(`</span>`)
			}
		case g.of.state == record.Asking && !m.closed():
			m.write(`<b class="is-wait">`, waitsFor(len(g.asks)), `</b><span><a href="/approvals/`, link(record.ApprovalID(m.view.Run.Begin.ID, first.A)), `">answer</a></span><span>`)
			m.long(first.Why, 200)
			m.write(`</span>`)
		case m.closed():
			m.write(`<span class="is-bad">nobody answered before the run was closed</span>`)
		default:
			m.write(`<span class="is-bad">nobody answered in time</span>`)
		}
		m.write(`</div>`)
	}
}

func (m *scoreMaker) closed() bool { return m.view.Run.End != nil && m.view.Run.End.Closed }

func waitsFor(n int) string {
	if n == 1 {
		return "waits for a yes"
	}
	return thousands(n) + " wait for a yes"
}

// suspects says of which results it is doubted that they are what they claim.
func (m *scoreMaker) suspects(places []*show.Place) (out []string) {
	n := map[string]int{}
	var order []string
	for _, p := range places {
		for _, b := range p.Calls {
			if b.Done != nil && b.Done.Suspect != "" {
				if n[b.Done.Suspect]++; n[b.Done.Suspect] == 1 {
					order = append(order, b.Done.Suspect)
				}
			}
		}
	}
	for _, why := range order[:min(len(order), 3)] {
		out = append(out, text.Count(n[why], "result")+" may be a failure: "+why)
	}
	return out
}

func (m *scoreMaker) printNotes(all []*show.Print) {
	if len(all) == 0 {
		return
	}
	n := 0
	for _, p := range all {
		n += p.Times
	}
	class := "note out"
	if all[0].Stderr {
		class += " err"
	}
	m.write(`<div class="`, class, `"><pre class="theirs">`)
	shown := all
	if len(all) > maxPrints+1 {
		shown = all[:maxPrints]
	}
	for i, p := range shown {
		if i > 0 {
			m.write("\n")
		}
		m.long(p.Text, 400)
		if p.Times > 1 && len(all) > 1 {
			m.write(` ×`, thousands(p.Times))
		}
	}
	m.write(`</pre><span class="at">`)
	switch more := len(all) - len(shown); {
	case more > 0:
		m.write(`… `, thousands(more), ` more`)
	case n == 1:
		m.write(`+`, show.Duration(all[0].At))
	default:
		m.write(`×`, thousands(n))
	}
	m.write(`</span></div>`)
}

// ticksOf writes when something was printed at a line.
func (m *scoreMaker) ticksOf(all []*show.Print) {
	if len(all) == 0 {
		return
	}
	m.write(`<svg class="lane prints" height="1.43rem" aria-hidden="true"><svg class="z" x="0" width="100%">`)
	for _, p := range all[:min(len(all), maxTicks)] {
		m.write(`<rect class="pr" x="`, pct(m.axis.x(p.At)), `" y=".43rem" width="3" height=".57rem"/>`)
	}
	m.write(`</svg></svg>`)
}

// barAt is a bar in a row.
type barAt struct {
	*show.Bar
	place *show.Place
	ask   *record.Asked // instead of a call
	start float64
	end   float64
	lane  int
}

// bars writes the calls of a line in lanes.
func (m *scoreMaker) bars(id string, line int, h *happened) {
	var all []barAt
	for _, p := range h.places {
		for _, b := range p.Calls {
			end := b.End
			if b.State == show.Running || b.State == show.Waiting {
				end = max(end, m.axis.total)
			}
			all = append(all, barAt{Bar: b, place: p, start: b.Start, end: end})
		}
	}
	for _, a := range h.asks {
		if a.Used == nil && a.Question == nil { // else there is a call
			start := m.since(a.Ask.Time)
			all = append(all, barAt{ask: a, start: start, end: max(m.axis.total, start)})
		}
	}
	if len(all) == 0 {
		return
	}
	slices.SortStableFunc(all, func(a, b barAt) int { return cmp.Compare(a.start, b.start) })
	lanes := stack(all)
	width := 0.0
	for i := range all {
		width += m.axis.x(all[i].end) - m.axis.x(all[i].start)
	}
	mean := width / float64(len(all))
	strip, from := false, 1
	if len(all) > 60 && (lanes > maxLanes || mean < leastMean) {
		strip = true
		from = 4
		if mean < leastMean {
			from = max(2, min(mostZoom, int(math.Ceil(leastMean/max(mean, 1e-6)))))
		}
	}
	draw := m.drawn+len(all) <= maxBars
	height := 1.43
	if lanes > 8 {
		height = float64(lanes)*0.5 + 0.43
	} else if lanes > 1 {
		height = float64(lanes)*0.786 + 0.43
	}
	m.write(`<svg class="lane`)
	if strip || !draw {
		m.write(` strip`)
	}
	m.write(`" height="`, rem(height), `"`)
	if strip && draw {
		m.write(` data-from="`, strconv.Itoa(from), `"`)
	}
	if m.many {
		m.write(` aria-hidden="true">`)
	} else {
		m.write(` role="group" aria-label="calls of this line">`)
	}
	if strip || !draw {
		m.density(all)
	}
	if draw {
		m.drawn += len(all)
		first := 0
		for first < len(all)-1 && all[first].place == nil {
			first++
		}
		hueOf := ""
		if p := all[first].place; p != nil {
			hueOf = hue(m.servers, p.Tool)
		}
		m.write(`<svg class="z bars`)
		if m.many {
			m.write(" ", hueOf)
			if lanes > 8 {
				m.write(" thin")
			}
		}
		m.write(`" x="0" width="100%">`)
		if m.many {
			m.manyBars(id, all, lanes, hueOf)
		} else {
			m.fewBars(id, line, all, lanes)
		}
		m.write(`</svg>`)
	}
	m.write(`</svg>`)
}

// since is a time in ms since the run began, without its pauses.
func (m *scoreMaker) since(t time.Time) float64 {
	at := float64(t.Sub(m.view.Run.Begin.Time)) / float64(time.Millisecond)
	left := 0.0
	for _, p := range m.view.Pauses {
		if at-left > p.At {
			left += min(p.Ms, at-left-p.At)
		}
	}
	return max(0, at-left)
}

// stack gives each bar, which are in the order of their beginning, the first lane
// whose last one has ended, and returns how many there are.
func stack(all []barAt) int {
	var ends []float64
	for i := range all {
		lane := slices.IndexFunc(ends, func(end float64) bool { return end <= all[i].start })
		if lane < 0 && len(ends) < maxStacked {
			lane, ends = len(ends), append(ends, 0)
		}
		if lane < 0 {
			lane = maxStacked - 1
		}
		all[i].lane, ends[lane] = lane, max(ends[lane], all[i].end)
	}
	return len(ends)
}

// laneAt is where the bars of a lane are and how high, in rem.
func laneAt(lane, lanes int) (y, height float64) {
	switch {
	case lanes > 8:
		return 0.286 + 0.5*float64(lane), 0.357
	case lanes > 1:
		return 0.286 + 0.786*float64(lane), 0.571
	}
	return 0.357, 0.714
}

// look is the class of a bar besides its colour.
func look(b *show.Bar, class record.Class) string {
	switch b.State {
	case show.Failed, show.NotSent, show.Unread:
		return " x"
	case show.Unknown:
		return " lost"
	case show.Running, show.Waiting:
		return " open"
	case show.MadeUp:
		return " made"
	case show.Recorded:
		return " rec"
	}
	if class != record.Read {
		return " e"
	}
	return ""
}

// span is the place of a bar as attributes.
func (m *scoreMaker) spanOf(b barAt) (x, w float64, attrs string) {
	x = m.axis.x(b.start)
	w = max(m.axis.x(b.end)-x, leastBar)
	x = min(x, 100-leastBar)
	attrs = `x="` + pct(x) + `" width="` + pct(w) + `"`
	if b.Bar != nil && (b.State == show.MadeUp || b.State == show.Recorded) && b.end == b.start {
		attrs = `x="` + pct(x) + `" width="10"` // it took no time
	}
	return x, w, attrs
}

// fewBars writes bars with their words and labels.
func (m *scoreMaker) fewBars(id string, line int, all []barAt, lanes int) {
	for _, b := range all {
		x, w, attrs := m.spanOf(b)
		y, height := laneAt(b.lane, lanes)
		if b.ask != nil {
			m.write(`<a href="/approvals/`, link(record.ApprovalID(m.view.Run.Begin.ID, b.ask.A)), `" aria-label="`)
			m.text(show.Visible(b.ask.Tool, 100, false))
			m.write(`, `, m.askWord(b.ask), `"><rect class="b ask" `, attrs, ` y="`, rem(y), `" height="`, rem(height), `"/></a>`)
			if len(all) == 1 {
				m.label(x, w, m.askWord(b.ask))
			}
			continue
		}
		m.add(id, b)
		m.write(`<a href="`, m.callLink(b.N), `" aria-label="call `, strconv.Itoa(b.N), ` of `, strconv.Itoa(m.data.Total), `, line `, strconv.Itoa(line), `, `)
		m.text(m.words(b))
		m.write(`"><rect class="b `, hue(m.servers, b.place.Tool), look(b.Bar, b.place.Class), `" `, attrs, ` y="`, rem(y), `" height="`, rem(height), `"/></a>`)
		switch {
		case len(all) == 1:
			m.label(x, w, m.came(b.Bar))
		case lanes == 1 && w >= 5:
			m.inner(x, w, b)
		}
	}
}

func (m *scoreMaker) askWord(a *record.Asked) string {
	switch {
	case a.Answer != nil && a.Answer.Yes:
		return "allowed, and not made yet"
	case a.Answer != nil:
		return "a person said no"
	case a.State(m.now) == record.Asking && !m.closed():
		return "waits for a yes"
	}
	return "nobody answered"
}

// words say a call: its tool, what differs, how long, what came of it.
func (m *scoreMaker) words(b barAt) string {
	parts := []string{show.Visible(b.place.Tool, 100, false)}
	if d := show.Visible(b.place.Differs(b.Bar), 40, false); d != "" {
		parts = append(parts, d)
	}
	if b.Done != nil {
		parts = append(parts, show.Duration(b.Done.Ms))
	}
	if b.State != show.Answered {
		parts = append(parts, stateWord(b.State))
	}
	return strings.Join(parts, ", ")
}

func stateWord(s show.State) string {
	switch s {
	case show.Unknown:
		return "nobody knows what became of it"
	case show.Running:
		return "under way"
	case show.MadeUp:
		return "not sent, answer made up"
	case show.Recorded:
		return "not sent, answered from the record"
	case show.Waiting:
		return "its server goes on with it later"
	case show.Settled:
		return "a person said what became of it"
	case show.Answered:
		return "answered"
	}
	return string(s)
}

// label writes a text after a lone bar, before it where there is no room, or else
// into it. A character has some 1.3 percent.
func (m *scoreMaker) label(x, w float64, s string) {
	wide := 2 + 1.3*float64(utf8.RuneCountInString(s))
	switch {
	case x+w+wide <= 100, x < wide && x+w < 50:
		m.write(`<text x="`, pct(x+w), `" dx="6" y="1.01rem">`)
	case x >= wide:
		m.write(`<text x="`, pct(x), `" dx="-6" y="1.01rem" text-anchor="end">`)
	default:
		m.write(`<text class="inn" x="`, pct(x), `" dx="6" y="1.01rem">`)
	}
	m.text(s)
	m.write(`</text>`)
}

// inner writes the argument that differs into a bar, where it fits.
func (m *scoreMaker) inner(x, w float64, b barAt) {
	differs, _, _ := strings.Cut(b.place.Differs(b.Bar), ", ")
	_, value, _ := strings.Cut(differs, " ")
	value = show.Visible(strings.Trim(value, `"`), 40, false)
	if value == "" || float64(len(value)) > w*0.9 {
		return
	}
	class := "inn"
	if look(b.Bar, b.place.Class) != "" {
		class = "inn e"
	}
	m.write(`<text class="`, class, `" x="`, pct(x), `" dx="4" y="0.957rem">`)
	m.text(value)
	m.write(`</text>`)
}

// came says of a lone call how long it took and what came.
func (m *scoreMaker) came(b *show.Bar) string {
	switch b.State {
	case show.Answered, show.Failed:
	case show.Unknown:
		return "nobody knows"
	default:
		return stateWord(b.State)
	}
	out := ""
	if b.Done != nil {
		out = show.Duration(b.Done.Ms)
	}
	if b.Error != "" {
		return out + " · " + show.Visible(b.Error, 60, false)
	}
	if n := counted(b.Result().JSON); n != "" {
		out += " · " + n
	}
	return out
}

// counted is how many things a result has, "61 orders": of one with a single list.
func counted(result json.RawMessage) string {
	if len(result) == 0 || len(result) > 256<<10 {
		return ""
	}
	var r struct {
		Structured map[string]json.RawMessage `json:"structuredContent"`
	}
	if json.Unmarshal(result, &r) != nil {
		return ""
	}
	name, n := "", 0
	for key, raw := range r.Structured {
		var list []json.RawMessage
		if len(raw) > 0 && raw[0] == '[' && json.Unmarshal(raw, &list) == nil {
			if name != "" {
				return ""
			}
			name, n = key, len(list)
		}
	}
	if name == "" || len(name) > 30 {
		return ""
	}
	if name == "result" || name == "items" {
		return text.Count(n, "item")
	}
	return thousands(n) + " " + show.Visible(strings.ReplaceAll(name, "_", " "), 30, false)
}

// manyBars writes bars by lane, each as short as it can be.
func (m *scoreMaker) manyBars(id string, all []barAt, lanes int, hueOf string) {
	for lane := range lanes {
		y, _ := laneAt(lane, lanes)
		m.write(`<svg y="`, rem(y), `">`)
		for _, b := range all {
			if b.lane != lane {
				continue
			}
			_, _, attrs := m.spanOf(b)
			if b.ask != nil {
				m.write(`<a href="/approvals/`, link(record.ApprovalID(m.view.Run.Begin.ID, b.ask.A)), `" tabindex="-1"><rect class="ask" `, attrs, `/></a>`)
				continue
			}
			m.add(id, b)
			class := look(b.Bar, b.place.Class)
			if h := hue(m.servers, b.place.Tool); h != hueOf {
				class += " " + h
			}
			m.write(`<a href="`, m.callLink(b.N), `" tabindex="-1"><rect `)
			if class != "" {
				m.write(`class="`, class[1:], `" `)
			}
			m.write(attrs, `/></a>`)
		}
		m.write(`</svg>`)
	}
}

// callLink is where the row of a call is.
func (m *scoreMaker) callLink(n int) string {
	if page := pageOf(n); page != m.page {
		return "?calls=" + strconv.Itoa(page) + "#c" + strconv.Itoa(n)
	}
	return "#c" + strconv.Itoa(n)
}

// add notes a drawn call for the module.
func (m *scoreMaker) add(id string, b barAt) {
	index := func(all *[]string, in map[string]int, s string) int {
		i, ok := in[s]
		if !ok {
			i = len(*all)
			in[s] = i
			*all = append(*all, s)
		}
		return i
	}
	failed := 0
	if isFailed(b.Bar) {
		failed = 1
	}
	call := []any{b.N, index(&m.data.Rows, m.rows, id), round(b.start), round(b.end - b.start),
		index(&m.data.Paths, m.paths, text.Cut(b.Path, 200)), failed}
	if m.many {
		call = append(call, text.Cut(m.words(b), 100))
	}
	m.data.Calls = append(m.data.Calls, call)
}

// density writes how many calls of a line were under way.
func (m *scoreMaker) density(all []barAt) {
	var n [buckets + 1]int
	for _, b := range all {
		from, to := m.bucket(b.start), m.bucket(b.end)
		n[from]++
		n[min(to+1, buckets)]--
	}
	m.write(`<svg class="z dens `)
	if p := all[0].place; p != nil {
		m.write(hue(m.servers, p.Tool))
	}
	m.write(`" x="0" width="100%" height="1.43rem" viewBox="0 0 200 20" preserveAspectRatio="none"><path d="`)
	most, k := 1, 0
	for _, d := range n[:buckets] {
		k += d
		most = max(most, k)
	}
	m.write("M0 20")
	k = 0
	last := -1
	for i, d := range n[:buckets] {
		if k += d; k != last {
			fmt.Fprintf(m, "H%dV%.1f", i, 20-float64(k)/float64(most)*16)
			last = k
		}
	}
	m.write(`H200V20Z"/></svg>`)
}

func (m *scoreMaker) bucket(t float64) int {
	return min(max(int(m.axis.x(t)/100*buckets), 0), buckets-1)
}

// maxSamples is how many samples of a run's use of the machine are drawn.
const maxSamples = 1000

// everySecond keeps one of two samples, the one with more memory.
func everySecond(all []show.Sample) []show.Sample {
	half := make([]show.Sample, 0, len(all)/2+1)
	for i := 0; i < len(all); i += 2 {
		s := all[i]
		if i+1 < len(all) && all[i+1].Memory > s.Memory {
			s = all[i+1]
		}
		half = append(half, s)
	}
	return half
}

// tracks are CPU and memory over time.
func (m *scoreMaker) tracks() []track {
	v := m.view
	if len(v.Usage) < 2 {
		return nil
	}
	most := 1.0 // cores
	for _, s := range v.Usage {
		most = max(most, s.CPU)
	}
	var cpu, memory strings.Builder
	cpu.WriteString("M0 20")
	memory.WriteString("M0 20")
	usage := v.Usage
	for len(usage) > maxSamples { // of a record that the harness did not write
		usage = everySecond(usage)
	}
	for _, s := range usage {
		x := m.axis.x(s.At) * 10
		fmt.Fprintf(&cpu, "V%.1fH%.1f", 20-18*s.CPU/most, x)
		fmt.Fprintf(&memory, "L%.1f %.1f", x, 20-18*float64(s.Memory)/float64(max(v.Peak, 1)))
	}
	draw := func(line string) template.HTML { // of numbers alone
		return template.HTML(fmt.Sprintf(`<path class="area" d="%sV20L0 20Z"/><path d="%s"/>`, line, line))
	}
	return []track{
		{"CPU", "CPU", show.Duration(v.CPU), draw(cpu.String())},
		{"memory", "memory", fmt.Sprintf("%d MB", v.Peak>>20), draw(memory.String())},
	}
}

// flight is how many calls were under way over time, and at most.
func (m *scoreMaker) flight() (template.HTML, int) {
	type edge struct {
		x float64
		d int
	}
	var edges []edge
	for _, s := range m.view.Sources {
		for _, p := range s.Places {
			for _, b := range p.Calls {
				if b.End > b.Start || b.State == show.Running {
					end := b.End
					if b.State == show.Running {
						end = m.axis.total
					}
					edges = append(edges, edge{m.axis.x(b.Start), 1}, edge{m.axis.x(end), -1})
				}
			}
		}
	}
	if len(edges) == 0 {
		return "", 0
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.d, b.d)) })
	most, k := 1, 0
	for _, e := range edges {
		k += e.d
		most = max(most, k)
	}
	// of what happens within a thousandth the most counts
	var path strings.Builder
	path.WriteString("M0 20")
	k = 0
	for i := 0; i < len(edges); {
		x := math.Floor(edges[i].x * 10)
		peak := k
		for i < len(edges) && math.Floor(edges[i].x*10) == x {
			k += edges[i].d
			peak = max(peak, k)
			i++
		}
		if len(edges) <= 400 {
			peak = k
		}
		fmt.Fprintf(&path, "H%.0fV%.1f", x, 20-18*float64(peak)/float64(most))
		if peak != k {
			fmt.Fprintf(&path, "H%.0fV%.1f", x+1, 20-18*float64(k)/float64(most))
		}
	}
	d := path.String()
	return template.HTML(`<path class="area" d="` + d + `H1000V20Z"/><path d="` + d + `"/>`), most
}
