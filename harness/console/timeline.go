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

// Limits of a timeline of any record.
const (
	maxBars       = 3000 // drawn calls; further calls appear in a density strip and in the table
	manyCalls     = 200  // above, run.js labels the bars, to keep the page small
	maxLanes      = 24   // lanes of a line; above, a strip until zoomed
	leastBar      = .0012
	leastSeen     = .008  // width of a call without duration, if there are many calls
	leastMean     = .0025 // mean width of bars; below, a strip until zoomed
	maxZoom       = 40
	maxCodeLines  = 2000     // lines of a script; above, lines without events are folded
	maxLineText   = 16 << 10 // bytes of a displayed line
	maxPrints     = 5        // texts at a line
	maxPrintMarks = 400      // print times shown at a line
	buckets       = 200      // of a density strip
)

// timeline is the picture of a run: its layout with colours, links and labels.
type timeline struct {
	*present.Layout
	Rows    []*timelineRow
	Servers []timelineServer // servers whose tools were called
	Effects bool
	Many    bool
	Data    *timelineData

	servers []string // in the order of their colours
	page    int      // current page of the table of calls
	now     time.Time
	gonames map[string]string // Go names of tools
	indexes map[*[]string]map[string]int
	drawn   int
}

type timelineServer struct{ Name, Hue string }

// timelineRow is the data of a row in the template.
type timelineRow struct {
	*present.ScriptRow
	T      *timeline
	Child  *childScript // set on the first row of a saved script
	Indent int
	Code   []span
	Warns  []string
	Result []span
	Lane   *lane
	Marks  string // path of the print times, in a 1000 by 20 box
}

// childScript is a saved script that ran. Row and Line are those of the line that ran it.
type childScript struct {
	ID, Name, Row string
	Line          int
}

// timelineData is the data for run.js beyond the page.
type timelineData struct {
	Run    string       `json:"run"`
	Total  int          `json:"total"`  // calls
	Chosen int          `json:"chosen"` // the initially selected call, or 0
	Live   bool         `json:"live"`
	Many   bool         `json:"many"`
	Segs   [][4]float64 `json:"segs"` // from, to in ms, then in percent; without pauses
	Rows   []string     `json:"rows"` // IDs
	Paths  []string     `json:"paths"`
	Looks  []string     `json:"looks"` // class and state of a call: "s1 x|failed"
	Tools  []string     `json:"tools"`
	// Calls are the drawn calls by start: number, index of the row, start and duration in ms,
	// indexes of path and look; if there are many, also lane and index of the tool.
	Calls [][]any `json:"calls"`
}

// newTimeline draws a run. page is the page of the table of calls beside it.
func newTimeline(v *present.View, servers []string, page int, now time.Time) *timeline {
	t := &timeline{Layout: present.NewLayout(v, now, maxCodeLines), Many: v.Calls > manyCalls, servers: servers, page: page, now: now,
		gonames: map[string]string{}, indexes: map[*[]string]map[string]int{}}
	t.Data = &timelineData{Run: v.Run.Begin.ID, Total: v.Calls, Live: t.Live, Many: t.Many, Calls: [][]any{}}
	for _, s := range t.Segments {
		if s.Pause == 0 {
			t.Data.Segs = append(t.Data.Segs, [4]float64{round(s.From), round(s.To), round(s.X0 * 100), round(s.X1 * 100)})
		}
	}
	packages := map[string]string{}
	for tool := range v.Run.AllTools() {
		t.gonames[tool.ID] = tool.Go
		if pkg, _, ok := strings.Cut(tool.Go, "."); ok {
			packages[pkg] = hue(servers, tool.ID)
		}
	}
	for i, s := range t.Scripts {
		code := highlight(strings.TrimSuffix(s.Text, "\n"), func(pkg string) string { return packages[pkg] })
		for k, r := range s.Rows {
			row := t.row(r, code)
			if i > 0 && k == 0 {
				row.Child = t.child(i, s)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	var best present.Step
	for _, s := range t.Steps() {
		if rank := rankOf(s); best.Bar == nil || rank > rankOf(best) || rank+rankOf(best) == 0 && s.End-s.Start > best.End-best.Start {
			best, t.Data.Chosen = s, s.N
		}
		t.Effects = t.Effects || s.Place.Class != record.Read
		one := timelineServer{serverOf(s.Place.Tool), hue(servers, s.Place.Tool)}
		if len(t.Servers) < 12 && !slices.Contains(t.Servers, one) {
			t.Servers = append(t.Servers, one)
		}
	}
	slices.SortStableFunc(t.Data.Calls, func(a, b []any) int { return cmp.Compare(a[2].(float64), b[2].(float64)) })
	return t
}

// rankOf orders calls by importance: unknown outcome, failed, others.
func rankOf(s present.Step) int {
	switch {
	case s.State == present.Unknown:
		return 2
	case s.HasFailed():
		return 1
	}
	return 0
}

func round(f float64) float64 { return math.Round(f*1000) / 1000 }

// noLine stands for a line that the script does not have.
const noLine = "an unknown line"

// child returns the heading of a saved script that ran.
func (t *timeline) child(i int, s *present.ScriptLayout) *childScript {
	by, place := "", s.Path
	if i := strings.LastIndexByte(s.Path, '/'); i >= 0 {
		by, place = s.Path[:i], s.Path[i+1:]
	}
	c := &childScript{ID: "s" + strconv.Itoa(i), Name: s.Name, Line: record.PlaceLine(place)}
	if c.Line > 0 {
		c.Row = t.RowOf(by, c.Line)
	}
	return c
}

func (t *timeline) row(r *present.ScriptRow, code [][]span) *timelineRow {
	row := &timelineRow{ScriptRow: r, T: t}
	if r.Line > 0 && r.Folded == 0 && r.Line <= len(code) {
		row.Code = code[r.Line-1]
		if len(row.Code) > 0 && row.Code[0].Class == "" {
			rest := strings.TrimLeft(row.Code[0].Text, "\t")
			row.Indent = min(len(row.Code[0].Text)-len(rest), 9)
			row.Code[0].Text = rest
		}
		if len(r.Text) > maxLineText {
			row.Code = []span{{"c", "a line of " + thousands(len(r.Text)) + " characters"}}
		}
	} else if r.Line == 0 && r.ID != "" {
		row.Code = []span{{"c", noLine}}
	}
	if !r.Has {
		return row
	}
	row.Warns = append(r.Warnings, suspects(r.Places)...)
	if r.Value != nil {
		if lines := jsonSpans(text.CutBytes(string(r.Value), 300)); len(lines) == 1 {
			row.Result = lines[0]
		}
	}
	row.Lane, row.Marks = t.lane(r), t.marks(r.Prints)
	return row
}

// marks returns a path of the print times.
func (t *timeline) marks(all []*present.Print) string {
	var path strings.Builder
	n, last := 0, ""
	for _, p := range all {
		for _, at := range append([]float64{p.At}, p.PrintTimes...) {
			if x := fixed(t.X(at)*1000, 1); x != last && n < maxPrintMarks {
				n, last = n+1, x
				path.WriteString("M" + x + " 6v8")
			}
		}
	}
	return path.String()
}

// lane has the calls of a row as SVG: labelled bars, or paths if there are many calls, and a
// density strip if bars are shown only when zoomed.
type lane struct {
	Height  string
	Strip   bool
	From    int // minimum zoom for bars, or 0
	Drawn   bool
	Density string // path in a 200 by 20 box
	Hue     string
	Bars    []bar
	Lanes   []pathLane // instead of Bars, if there are many calls
}

// bar is a link drawn as a bar.
type bar struct {
	Href, Label, Class string
	X, W, Y, H         string
	Text               *barText
}

type barText struct{ Class, X, Dx, Y, Anchor, Text string }

// pathLane is a lane with one path for all bars of a class, in a 1000 by 10 box. run.js makes links
// of bars under the pointer.
type pathLane struct {
	Y, H  string
	Asks  []bar
	Paths []barPath
}

type barPath struct{ Class, D string }

func (t *timeline) lane(r *present.ScriptRow) *lane {
	all := r.Spans
	if len(all) == 0 {
		return nil
	}
	l := &lane{Height: rem(lanesHeight(r.Lanes)), Drawn: t.drawn+len(all) <= maxBars}
	from := drawnFrom(all, r.Lanes)
	if l.Strip = from > 1 || !l.Drawn; l.Strip {
		if p := all[0].Place; p != nil {
			l.Hue = hue(t.servers, p.Tool)
		}
		l.Density = density(all)
	}
	if !l.Drawn {
		return l
	}
	if from > 1 {
		l.From = from
	}
	t.drawn += len(all)
	if t.Many {
		l.Lanes = t.pathLanes(r)
		return l
	}
	for _, s := range all {
		l.Bars = append(l.Bars, t.bar(r, s))
	}
	return l
}

// drawnFrom returns the minimum zoom at which calls are drawn as bars; 1 is the full run.
func drawnFrom(all []*present.CallSpan, lanes int) int {
	switch mean := present.MeanWidth(all); {
	case len(all) <= 60:
		return 1
	case mean < leastMean:
		return max(2, min(maxZoom, int(math.Ceil(leastMean/max(mean, 1e-8)))))
	case lanes > maxLanes:
		return 4
	}
	return 1
}

// laneAt returns the position and the height of the bars of a lane, in rem.
func laneAt(lane, lanes int) (y, height float64) {
	switch {
	case lanes > 8:
		return 0.286 + 0.5*float64(lane), 0.357
	case lanes > 1:
		return 0.286 + 0.786*float64(lane), 0.571
	}
	return 0.357, 0.714
}

// lanesHeight returns the total height of lanes, in rem.
func lanesHeight(lanes int) float64 {
	switch {
	case lanes > 8:
		return 0.43 + 0.5*float64(lanes)
	case lanes > 1:
		return 0.43 + 0.786*float64(lanes)
	}
	return 1.43
}

// stateClass returns the class of a call's state.
func stateClass(b *present.Bar, class record.Class) string {
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

// class returns the classes of a call: its colour and its state.
func (t *timeline) class(s *present.CallSpan) string {
	return hue(t.servers, s.Place.Tool) + stateClass(s.Bar, s.Place.Class)
}

// barSpan returns the position and the width of a bar.
func barSpan(s *present.CallSpan) (x, width float64) {
	return min(s.X0, 1-leastBar), max(s.X1-s.X0, leastBar)
}

// hasNoDuration reports whether a call has no duration because its answer is made up or recorded.
func hasNoDuration(s *present.CallSpan) bool {
	return s.Bar != nil && (s.State == present.MadeUp || s.State == present.Recorded) && s.To == s.From
}

// approvalHref returns the address of an approval of the run.
func (t *timeline) approvalHref(a *record.Asked) string {
	return "/approvals/" + link(record.ApprovalID(t.Run.Begin.ID, a.A))
}

// bar returns the labelled bar of a call or an ask.
func (t *timeline) bar(r *present.ScriptRow, s *present.CallSpan) bar {
	x, w := barSpan(s)
	y, height := laneAt(s.Lane, r.Lanes)
	b := bar{X: pct(x), W: pct(w), Y: rem(y), H: rem(height)}
	alone := len(r.Spans) == 1
	if s.Ask != nil {
		b.Href, b.Class = t.approvalHref(s.Ask), "ask"
		b.Label = present.Visible(s.Ask.Tool, 100, false) + ", " + t.askWord(s.Ask)
		if alone {
			b.Text = label(x, w, t.askWord(s.Ask))
		}
		return b
	}
	t.add(r.ID, s)
	if hasNoDuration(s) {
		b.W = "10"
	}
	b.Href, b.Class = callLink(s.N, t.page), t.class(s)
	line := noLine
	if r.Line > 0 {
		line = "line " + strconv.Itoa(r.Line)
	}
	b.Label = fmt.Sprintf("call %d of %d, %s, %s", s.N, t.Calls, line, words(s))
	switch {
	case alone:
		b.Text = label(x, w, outcomeText(s.Bar))
	case r.Lanes == 1 && w >= .05:
		b.Text = inner(x, w, s)
	}
	return b
}

func (t *timeline) askWord(a *record.Asked) string {
	switch {
	case a.Answer != nil && a.Answer.Yes:
		return "approved, not sent yet"
	case a.Answer != nil:
		return "rejected"
	case a.State(t.now) == record.Asking && !t.closed():
		return "needs approval"
	}
	return "not answered"
}

// words describes a call: its tool, the arguments that differ, its duration and state.
func words(s *present.CallSpan) string {
	parts := []string{present.Visible(s.Place.Tool, 100, false)}
	if d := present.Visible(s.Place.Differs(s.Bar), 40, false); d != "" {
		parts = append(parts, d)
	}
	if s.Done != nil {
		parts = append(parts, present.Duration(s.Done.Ms))
	}
	if s.State != present.Answered {
		parts = append(parts, stateWord(s.State))
	}
	return strings.Join(parts, ", ")
}

func stateWord(s present.State) string {
	switch s {
	case present.Unknown:
		return "outcome unknown"
	case present.MadeUp:
		return "not sent, answer made up"
	case present.Recorded:
		return "not sent, answered from the record"
	case present.Waiting:
		return "its server answers later"
	case present.Settled:
		return "outcome reported by a person"
	case present.Answered:
		return "answered"
	}
	return string(s)
}

// label returns a text after a lone bar, or before or in it if the text does not fit. A character takes
// about 1.3 percent.
func label(x, w float64, s string) *barText {
	b := &barText{X: pct(x), Dx: "6", Y: "1.01rem", Text: s}
	wide := .02 + .013*float64(utf8.RuneCountInString(s))
	switch {
	case x+w+wide <= 1, x < wide && x+w < .5:
		b.X = pct(x + w)
	case x >= wide:
		b.Dx, b.Anchor = "-6", "end"
	default:
		b.Class = "inn"
	}
	return b
}

// inner returns the argument that differs, if it fits into the bar.
func inner(x, w float64, s *present.CallSpan) *barText {
	differs, _, _ := strings.Cut(s.Place.Differs(s.Bar), ", ")
	_, value, _ := strings.Cut(differs, " ")
	value = present.Visible(strings.Trim(value, `"`), 40, false)
	if value == "" || float64(len(value)) > w*90 {
		return nil
	}
	class := "inn"
	if stateClass(s.Bar, s.Place.Class) != "" {
		class = "inn e"
	}
	return &barText{Class: class, X: pct(x), Dx: "4", Y: "0.957rem", Text: value}
}

// outcomeText returns the duration and the result of a lone call in words.
func outcomeText(b *present.Bar) string {
	if b.State != present.Answered && b.State != present.Failed {
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

// counted returns the number of items in a result, "61 orders", if it has a single list.
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
	switch {
	case name == "" || len(name) > 30:
		return ""
	case name == "result" || name == "items":
		return text.Count(n, "item")
	}
	return thousands(n) + " " + present.Visible(strings.ReplaceAll(name, "_", " "), 30, false)
}

func (t *timeline) pathLanes(r *present.ScriptRow) []pathLane {
	lanes := make([]pathLane, r.Lanes)
	paths := make([]map[string]*strings.Builder, r.Lanes)
	for i := range lanes {
		y, height := laneAt(i, r.Lanes)
		lanes[i].Y, lanes[i].H, paths[i] = rem(y), rem(height), map[string]*strings.Builder{}
	}
	for _, s := range r.Spans {
		lane, x, w := &lanes[s.Lane], 0.0, 0.0
		x, w = barSpan(s)
		if s.Ask != nil {
			lane.Asks = append(lane.Asks, bar{Href: t.approvalHref(s.Ask), X: pct(x), W: pct(w)})
			continue
		}
		if hasNoDuration(s) {
			w = leastSeen
		}
		t.add(r.ID, s)
		class := t.class(s)
		path := paths[s.Lane][class]
		if path == nil {
			path = &strings.Builder{}
			paths[s.Lane][class] = path
			lane.Paths = append(lane.Paths, barPath{Class: class})
		}
		wide := fixed(w*1000, 2)
		fmt.Fprintf(path, "M%s 0h%sv10h-%sz", fixed(x*1000, 2), wide, wide)
	}
	for i := range lanes {
		for k := range lanes[i].Paths {
			p := &lanes[i].Paths[k]
			p.D = paths[i][p.Class].String()
		}
	}
	return lanes
}

// callLink returns the address of a call's row, seen from a page of the table of calls.
func callLink(n, from int) string {
	if page := pageOf(n); page != from {
		return "?calls=" + strconv.Itoa(page) + "#c" + strconv.Itoa(n)
	}
	return "#c" + strconv.Itoa(n)
}

// add adds a drawn call to the data for run.js.
func (t *timeline) add(id string, s *present.CallSpan) {
	word := ""
	if s.State != present.Answered {
		word = stateWord(s.State)
	}
	d := t.Data
	call := []any{s.N, t.index(&d.Rows, id), round(s.From), round(s.To - s.From), t.index(&d.Paths, text.Cut(s.Path, 200)),
		t.index(&d.Looks, t.class(s)+"|"+word)}
	if t.Many {
		call = append(call, s.Lane, t.index(&d.Tools, present.Visible(s.Place.Tool, 100, false)))
	}
	d.Calls = append(d.Calls, call)
}

// index returns the position of a text in a list, and appends it if necessary.
func (t *timeline) index(list *[]string, s string) int {
	in := t.indexes[list]
	if in == nil {
		in = map[string]int{}
		t.indexes[list] = in
	}
	i, ok := in[s]
	if !ok {
		i = len(*list)
		in[s] = i
		*list = append(*list, s)
	}
	return i
}

// density returns the number of concurrent calls as a path in a 200 by 20 box.
func density(all []*present.CallSpan) string {
	counts, most := present.Density(all, buckets)
	var path strings.Builder
	path.WriteString("M0 20")
	last := -1
	for i, k := range counts {
		if k != last {
			fmt.Fprintf(&path, "H%dV%.1f", i, 20-float64(k)/float64(most)*16)
			last = k
		}
	}
	path.WriteString("H200V20Z")
	return path.String()
}

// TrackPath returns a track as a path in a 1000 by 20 box.
func (t *timeline) TrackPath(track present.Track) string {
	path := "M0 20"
	x, y := "0", "20"
	var b strings.Builder
	b.WriteString(path)
	for _, p := range track.Points {
		nx, ny := fixed(p[0]*1000, 1), fixed(20-18*p[1], 1)
		switch {
		case nx == x && ny != y:
			b.WriteString("V" + ny)
		case nx != x && ny == y:
			b.WriteString("H" + nx)
		case nx != x:
			b.WriteString("L" + nx + " " + ny)
		}
		x, y = nx, ny
	}
	return b.String()
}

// pct formats a share as a percentage for SVG.
func pct(x float64) string { return fixed(100*min(max(x, -100), 100), 3) + "%" }

// fixed formats a number with at most so many decimals.
func fixed(x float64, decimals int) string {
	s := strconv.FormatFloat(x, 'f', decimals, 64)
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

func rem(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) + "rem" }
