package console

import (
	"cmp"
	"encoding/json"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

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
	Data         *scoreData
	Unplaced     []*show.Print // of which the line is not known
}

type scoreServer struct{ Name, Hue string }

// scoreData is what the module needs besides what is drawn.
type scoreData struct {
	Run   string `json:"run"`
	Total int    `json:"total"` // calls
	// Chosen is the call that is shown at first; 0: there is none.
	Chosen int          `json:"chosen"`
	Live   bool         `json:"live"`
	Many   bool         `json:"many"`
	Segs   [][4]float64 `json:"segs"` // from, to: ms; percents. Pauses are left out
	Rows   []string     `json:"rows"` // IDs
	Paths  []string     `json:"paths"`
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
	m.data.Chosen = chosen(v)
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
