package console

import (
	"cmp"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry/text"
)

// Bounds of a score, which hold whatever a record says.
const (
	maxBars      = 3000 // that are drawn; further calls are a strip of density and rows of the table
	manyCalls    = 200  // above which run.js labels the bars, to keep the page small
	maxLanes     = 24   // of a line, above which it is a strip until it is zoomed
	maxStacked   = 64   // lanes that are kept apart; calls that find none free share the last
	leastBar     = 0.12 // percent of the run: the width of a bar
	leastMean    = 0.25 // percent: bars that are narrower in the mean are a strip until zoomed
	mostZoom     = 40
	maxCodeLines = 2000    // of a script, above which lines at which nothing happened are left out
	maxLineText  = 4 << 10 // bytes of a line that is shown
	maxPrints    = 5       // texts at a line
	maxTicks     = 400     // marks in time of what was printed at a line
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
	Layout       *layout
}

type scoreServer struct{ Name, Hue string }

// scoreData is what the module needs besides what is drawn.
type scoreData struct {
	Run    string       `json:"run"`
	Total  int          `json:"total"`  // calls
	Chosen int          `json:"chosen"` // the call that is shown at first; 0: there is none
	Live   bool         `json:"live"`
	Many   bool         `json:"many"`
	Segs   [][4]float64 `json:"segs"` // from, to: ms; percents. Pauses are left out
	Rows   []string     `json:"rows"` // IDs
	Paths  []string     `json:"paths"`
	Looks  []string     `json:"looks"` // class and state of a call: "s1 x|failed"
	Tools  []string     `json:"tools"`
	// Calls are those that are drawn, in the order of their beginning: number, index of
	// its row, begin and duration in ms, indexes of its path and look; where there are
	// many, also lane and index of its tool.
	Calls [][]any `json:"calls"`
}

// scoreMaker writes a score.
type scoreMaker struct {
	markup
	view    *present.View
	axis    *axis
	servers []string
	page    int // of the table of calls that is shown
	now     time.Time
	// packages are the classes of the colours of servers, by the name in Go; gonames
	// the names of tools in Go.
	packages, gonames map[string]string
	data              *scoreData
	indexes           map[*[]string]map[string]int // of the lists of data
	drawn             int
	many              bool
}

// newScore draws a run. servers are those whose place says their colour, page is
// that of the table of calls beside it.
func newScore(v *present.View, servers []string, page int, now time.Time) *score {
	m := &scoreMaker{view: v, servers: servers, page: page, now: now, indexes: map[*[]string]map[string]int{}}
	total := v.Ms
	live := v.Status == record.Running
	if live {
		total = max(total, float64(now.Sub(v.Run.Begin.Time).Milliseconds())-v.Paused)
	}
	m.axis = newAxis(total, live, v.Pauses)
	m.many = v.Calls > manyCalls
	m.data = &scoreData{Run: v.Run.Begin.ID, Total: v.Calls, Live: live, Many: m.many, Calls: [][]any{}}
	for _, s := range m.axis.segs {
		if s.wait == 0 {
			m.data.Segs = append(m.data.Segs, [4]float64{round(s.From), round(s.To), round(s.X0), round(s.X1)})
		}
	}
	m.names()
	out := &score{Many: m.many, Data: m.data}
	out.Ticks, out.Lines = m.axis.ticks()
	out.Layout = newLayout(v, func(pkg string) string { return m.packages[pkg] })
	for i, s := range v.Sources {
		m.script(out.Layout, i, s)
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
	for t := range m.view.Run.AllTools() {
		m.gonames[t.ID] = t.Go
		if pkg, _, ok := strings.Cut(t.Go, "."); ok {
			m.packages[pkg] = hue(m.servers, t.ID)
		}
	}
}

func (m *scoreMaker) goName(tool string) string { return cmp.Or(m.gonames[tool], tool) }

// chosen is the first call of which nothing is known, or that failed, or else the
// slowest.
func chosen(v *present.View) int {
	var best *present.Bar
	rank := func(b *present.Bar) int {
		switch {
		case b.State == present.Unknown:
			return 2
		case b.HasFailed():
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

// script writes the lines of a script with what happened at them.
func (m *scoreMaker) script(l *layout, i int, s *present.Source) {
	r := l.scripts[i]
	if i > 0 {
		m.childHead(l, r, s)
	}
	for n := 1; n <= len(r.lines); n++ {
		if r.kept != nil && !r.kept[n-1] {
			from := n
			for n < len(r.lines) && !r.kept[n] {
				n++
			}
			why := " at which nothing happened"
			for line := range r.at {
				if from <= line && line <= n {
					why = " for which there is no room"
				}
			}
			m.write(`<div class="row gap has"><div class="src"><span class="no">⋮</span><span class="t1 dimmer">`,
				text.Count(n-from+1, "line"), why, `</span></div><div class="time"></div></div>`)
			continue
		}
		m.row(r.id(n), n, r.lines[n-1], r.at[n])
	}
	if rest := r.at[0]; rest != nil {
		m.row(r.id(0), 0, codeLine{html: `<span class="c">` + noLine + `</span>`}, rest)
	}
}

// noLine stands for a line that the script does not have.
const noLine = "a line that is not known"

// childHead writes the name of a saved script that ran, and which line ran it.
func (m *scoreMaker) childHead(l *layout, r *scriptRows, s *present.Source) {
	m.write(`<div class="child" id="`, r.prefix, `"><h3>`)
	m.text(present.Visible(s.Name, 100, false))
	m.write(`</h3><span class="t1 dimmer">a saved script, run through RunScript`)
	by, place := "", s.Path
	if i := strings.LastIndexByte(s.Path, '/'); i >= 0 {
		by, place = s.Path[:i], s.Path[i+1:]
	}
	if line := record.PlaceLine(place); line > 0 {
		if row := l.row(by, line); row != "" {
			m.write(` at <a href="#`, row, `">line `, strconv.Itoa(line), `</a>`)
		}
	}
	m.write(`</span></div>`)
}

// row writes a line.
func (m *scoreMaker) row(id string, n int, code codeLine, h *happened) {
	class := "row"
	if h != nil {
		class = "row has"
	}
	m.write(`<div class="`, class, `" id="`, id, `"><div class="src">`)
	if n > 0 {
		number := strconv.Itoa(n)
		m.write(`<a class="no" href="#`, id, `" tabindex="-1" aria-label="line `, number, `">`, number, `</a>`)
	}
	m.write(`<code`)
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
