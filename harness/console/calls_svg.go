package console

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry/text"
)

// ticksOf writes when something was printed at a line: a path in a box of 1000 by 20.
func (m *scoreMaker) ticksOf(all []*present.Print) {
	var path strings.Builder
	n, last := 0, ""
	for _, p := range all {
		for _, at := range append([]float64{p.At}, p.Ats...) {
			x := fixed(m.axis.x(at)*10, 1)
			if x == last || n == maxTicks {
				continue
			}
			n, last = n+1, x
			path.WriteString("M" + x + " 6v8")
		}
	}
	if n > 0 {
		m.write(`<svg class="lane prints" height="1.43rem" aria-hidden="true"><svg class="z" x="0" width="100%" viewBox="0 0 1000 20" `,
			`preserveAspectRatio="none"><path class="pr" d="`, path.String(), `"/></svg></svg>`)
	}
}

// barAt is a bar in a row.
type barAt struct {
	*present.Bar
	place *present.Place
	ask   *record.Asked // instead of a call
	start float64       // ms, as end
	end   float64
	lane  int
}

// bars writes the calls of a line in lanes.
func (m *scoreMaker) bars(id string, line int, h *happened) {
	all := m.barsAt(h)
	if len(all) == 0 {
		return
	}
	lanes := stack(all)
	from := m.drawnFrom(all, lanes)
	draw := m.drawn+len(all) <= maxBars
	m.write(`<svg class="lane`)
	if from > 1 || !draw {
		m.write(` strip`)
	}
	m.write(`" height="`, rem(lanesHeight(lanes)), `"`)
	if from > 1 && draw {
		m.write(` data-from="`, strconv.Itoa(from), `"`)
	}
	if m.many {
		m.write(` aria-hidden="true">`)
	} else {
		m.write(` role="group" aria-label="calls of this line">`)
	}
	if from > 1 || !draw {
		m.density(all)
	}
	if draw {
		m.drawn += len(all)
		m.write(`<svg class="z bars" x="0" width="100%">`)
		if m.many {
			m.manyBars(id, all, lanes)
		} else {
			m.fewBars(id, line, all, lanes)
		}
		m.write(`</svg>`)
	}
	m.write(`</svg>`)
}

// barsAt are the calls of a line, and what was asked there before a call, in the order
// of their beginning.
func (m *scoreMaker) barsAt(h *happened) (all []barAt) {
	for _, p := range h.places {
		for _, b := range p.Calls {
			end := b.End
			if b.State == present.Running || b.State == present.Waiting {
				end = max(end, m.axis.total)
			}
			all = append(all, barAt{Bar: b, place: p, start: b.Start, end: end})
		}
	}
	for _, a := range h.asks {
		if a.Used == nil && a.Question == nil { // asks that were used, or belong to a call, are drawn with that call
			start := m.since(a.Ask.Time)
			all = append(all, barAt{ask: a, start: start, end: max(m.axis.total, start)})
		}
	}
	slices.SortStableFunc(all, func(a, b barAt) int { return cmp.Compare(a.start, b.start) })
	return all
}

// drawnFrom is the zoom from which the calls of a line are drawn as bars, 1 being the
// whole run: many that are narrow, or many at a time, are a strip of density before.
func (m *scoreMaker) drawnFrom(all []barAt, lanes int) int {
	if len(all) <= 60 {
		return 1
	}
	width := 0.0
	for _, b := range all {
		width += m.axis.x(b.end) - m.axis.x(b.start)
	}
	switch mean := width / float64(len(all)); {
	case mean < leastMean:
		return max(2, min(mostZoom, int(math.Ceil(leastMean/max(mean, 1e-6)))))
	case lanes > maxLanes:
		return 4
	}
	return 1
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

// lanesHeight is how high lanes are together, in rem.
func lanesHeight(lanes int) float64 {
	switch {
	case lanes > 8:
		return 0.43 + 0.5*float64(lanes)
	case lanes > 1:
		return 0.43 + 0.786*float64(lanes)
	}
	return 1.43
}

// look is the class of a bar besides its colour.
func look(b *present.Bar, class record.Class) string {
	switch b.State {
	case present.Failed, present.NotSent, present.Unread:
		return " x"
	case present.Unknown:
		return " lost"
	case present.Running, present.Waiting:
		return " open"
	case present.MadeUp:
		return " made"
	case present.Recorded:
		return " rec"
	}
	if class != record.Read {
		return " e"
	}
	return ""
}

// spanOf is where a bar is and how wide, in percent.
func (m *scoreMaker) spanOf(b barAt) (x, width float64) {
	x = m.axis.x(b.start)
	return min(x, 100-leastBar), max(m.axis.x(b.end)-x, leastBar)
}

// timeless reports whether a call took no time, since its answer was made up or recorded.
func (b barAt) timeless() bool {
	return b.Bar != nil && (b.State == present.MadeUp || b.State == present.Recorded) && b.end == b.start
}

// fewBars writes bars with their words and labels.
func (m *scoreMaker) fewBars(id string, line int, all []barAt, lanes int) {
	for _, b := range all {
		x, w := m.spanOf(b)
		y, height := laneAt(b.lane, lanes)
		attrs := `x="` + pct(x) + `" width="` + pct(w) + `"`
		if b.timeless() {
			attrs = `x="` + pct(x) + `" width="10"`
		}
		if b.ask != nil {
			m.write(`<a href="/approvals/`, link(record.ApprovalID(m.view.Run.Begin.ID, b.ask.A)), `" aria-label="`)
			m.text(present.Visible(b.ask.Tool, 100, false))
			m.write(`, `, m.askWord(b.ask), `"><rect class="b ask" `, attrs, ` y="`, rem(y), `" height="`, rem(height), `"/></a>`)
			if len(all) == 1 {
				m.label(x, w, m.askWord(b.ask))
			}
			continue
		}
		m.add(id, b)
		m.write(`<a href="`, callLink(b.N, m.page), `" aria-label="call `, strconv.Itoa(b.N), ` of `, strconv.Itoa(m.data.Total), `, `, lineWord(line), `, `)
		m.text(m.words(b))
		m.write(`"><rect class="b `, m.class(b), `" `, attrs, ` y="`, rem(y), `" height="`, rem(height), `"/></a>`)
		switch {
		case len(all) == 1:
			m.label(x, w, m.came(b.Bar))
		case lanes == 1 && w >= 5:
			m.inner(x, w, b)
		}
	}
}

func lineWord(line int) string {
	if line == 0 {
		return noLine
	}
	return "line " + strconv.Itoa(line)
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
	parts := []string{present.Visible(b.place.Tool, 100, false)}
	if d := present.Visible(b.place.Differs(b.Bar), 40, false); d != "" {
		parts = append(parts, d)
	}
	if b.Done != nil {
		parts = append(parts, present.Duration(b.Done.Ms))
	}
	if b.State != present.Answered {
		parts = append(parts, stateWord(b.State))
	}
	return strings.Join(parts, ", ")
}

func stateWord(s present.State) string {
	switch s {
	case present.Unknown:
		return "nobody knows what became of it"
	case present.Running:
		return "under way"
	case present.MadeUp:
		return "not sent, answer made up"
	case present.Recorded:
		return "not sent, answered from the record"
	case present.Waiting:
		return "its server goes on with it later"
	case present.Settled:
		return "a person said what became of it"
	case present.Answered:
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
	value = present.Visible(strings.Trim(value, `"`), 40, false)
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
func (m *scoreMaker) came(b *present.Bar) string {
	switch b.State {
	case present.Answered, present.Failed:
	case present.Unknown:
		return "nobody knows"
	default:
		return stateWord(b.State)
	}
	out := ""
	if b.Done != nil {
		out = present.Duration(b.Done.Ms)
	}
	if b.Error != "" {
		return out + " · " + present.Visible(b.Error, 60, false)
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
	return thousands(n) + " " + present.Visible(strings.ReplaceAll(name, "_", " "), 30, false)
}

// leastSeen is how wide a bar of no time is where there are many, in percent.
const leastSeen = 0.8

// manyBars writes the bars of a lane that look alike as one path in a box of 1000 by 10.
// The module makes links of those that are pointed at.
func (m *scoreMaker) manyBars(id string, all []barAt, lanes int) {
	for lane := range lanes {
		y, height := laneAt(lane, lanes)
		m.write(`<svg class="l" y="`, rem(y), `" height="`, rem(height), `" viewBox="0 0 1000 10" preserveAspectRatio="none">`)
		paths := map[string]*strings.Builder{}
		var classes []string
		for _, b := range all {
			if b.lane != lane {
				continue
			}
			x, w := m.spanOf(b)
			if b.ask != nil {
				m.write(`<a href="/approvals/`, link(record.ApprovalID(m.view.Run.Begin.ID, b.ask.A)),
					`" tabindex="-1"><rect class="b ask" x="`, pct(x), `" width="`, pct(w), `" height="10"/></a>`)
				continue
			}
			if b.timeless() {
				w = leastSeen
			}
			m.add(id, b)
			class := m.class(b)
			if paths[class] == nil {
				paths[class] = &strings.Builder{}
				classes = append(classes, class)
			}
			wide := fixed(w*10, 2)
			fmt.Fprintf(paths[class], "M%s 0h%sv10h-%sz", fixed(x*10, 2), wide, wide)
		}
		for _, class := range classes {
			m.write(`<path class="b `, class, `" d="`, paths[class].String(), `"/>`)
		}
		m.write(`</svg>`)
	}
}

// class is the class of a bar: its colour and how it looks.
func (m *scoreMaker) class(b barAt) string {
	return hue(m.servers, b.place.Tool) + look(b.Bar, b.place.Class)
}

// callLink is where the row of a call is, from a page of the table of calls.
func callLink(n, from int) string {
	if page := pageOf(n); page != from {
		return "?calls=" + strconv.Itoa(page) + "#c" + strconv.Itoa(n)
	}
	return "#c" + strconv.Itoa(n)
}

// add notes a drawn call for the module.
func (m *scoreMaker) add(id string, b barAt) {
	word := ""
	if b.State != present.Answered {
		word = stateWord(b.State)
	}
	d := m.data
	call := []any{b.N, m.index(&d.Rows, id), round(b.start), round(b.end - b.start), m.index(&d.Paths, text.Cut(b.Path, 200)),
		m.index(&d.Looks, m.class(b)+"|"+word)}
	if m.many {
		call = append(call, b.lane, m.index(&d.Tools, present.Visible(b.place.Tool, 100, false)))
	}
	d.Calls = append(d.Calls, call)
}

// index is where a text is in a list, to which it is added if it is not there.
func (m *scoreMaker) index(list *[]string, s string) int {
	in := m.indexes[list]
	if in == nil {
		in = map[string]int{}
		m.indexes[list] = in
	}
	i, ok := in[s]
	if !ok {
		i = len(*list)
		in[s] = i
		*list = append(*list, s)
	}
	return i
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
