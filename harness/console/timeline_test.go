package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/usetools/usetools/harness/present"
	"github.com/usetools/usetools/harness/record"
)

var tapeBegan = time.Date(2026, 11, 23, 9, 41, 7, 0, time.UTC)

func after(ms float64) time.Time { return tapeBegan.Add(time.Duration(ms * float64(time.Millisecond))) }

// taped is a run of a script with calls, each of which is a place, a tool, when it
// tapeBegan and when it was answered; those that end before they begin are under way.
type taped struct{ *record.Run }

func tape(script string) *taped {
	b := &record.Begin{Head: record.Head{Time: tapeBegan}, V: 1, ID: "7f3k0q2m", Script: record.String(script)}
	return &taped{&record.Run{Begin: b, Lines: []record.Line{b}}}
}

func (r *taped) call(place, path, tool string, class record.Class, from, to float64) *record.Made {
	n := len(r.Calls) + 1
	c := &record.Call{Head: record.Head{Time: after(from)}, N: n, Place: place, Path: path, Tool: tool, Class: class,
		Args: record.Raw(fmt.Appendf(nil, `{"id":%d}`, n))}
	m := &record.Made{Call: c}
	r.Calls, r.Lines = append(r.Calls, m), append(r.Lines, c)
	if to >= from {
		m.Done = &record.Done{Head: record.Head{Time: after(to)}, N: n, Kind: record.Answered, Ms: to - from,
			Result: record.Raw([]byte(`{"structuredContent":{"orders":[1,2]}}`))}
		r.Lines = append(r.Lines, m.Done)
	}
	return m
}

func (r *taped) end(ms float64) {
	r.End = &record.End{Head: record.Head{Time: after(ms)}, Status: "ok", Ms: ms}
	r.Lines = append(r.Lines, r.End)
}

// drawn is a timeline with its parts as HTML.
type drawn struct {
	*timeline
	Rows, Stage string
}

var testPages = sync.OnceValue(func() *pages {
	p := &pages{}
	p.parse()
	return p
})

func (r *taped) draw() *drawn {
	d := &drawn{timeline: newTimeline(present.New(r.Run), []string{"shop", "mail"}, 1, after(1000))}
	page := testPages().all["run.html"]
	var rows, stage strings.Builder
	view := &runView{View: d.View, Timeline: d.timeline}
	if err := errors.Join(page.ExecuteTemplate(&rows, "rows", d.timeline.Rows), page.ExecuteTemplate(&stage, "stage", &Page{Data: view})); err != nil {
		panic(err)
	}
	d.Rows, d.Stage = rows.String(), stage.String()
	return d
}

// elements are the elements of a timeline with a tag, as their attributes.
func elements(t testing.TB, s *drawn, tag string) (out []map[string]string) {
	t.Helper()
	z := html.NewTokenizer(strings.NewReader(s.Rows))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return out
		case html.StartTagToken, html.SelfClosingTagToken:
			if tok := z.Token(); tok.Data == tag {
				a := map[string]string{}
				for _, x := range tok.Attr {
					a[x.Key] = x.Val
				}
				out = append(out, a)
			}
		}
	}
}

func bars(t testing.TB, s *drawn) (out []string) {
	for _, r := range elements(t, s, "rect") {
		if strings.HasPrefix(r["class"], "b ") {
			out = append(out, fmt.Sprintf("%s x %s w %s y %s", strings.TrimPrefix(r["class"], "b "), r["x"], r["width"], r["y"]))
		}
	}
	return out
}

func TestBarsAreInLanesAtTheirLines(t *testing.T) {
	r := tape("a\nb\nc\n")
	r.call("2:1", "", "shop.get", record.Read, 0, 50)
	r.call("2:1", "2:9#1", "shop.get", record.Read, 10, 30)
	r.call("2:1", "2:9#2", "shop.get", record.Read, 40, 60)
	r.call("3:1", "", "mail.send", record.Effect, 60, 100).Done.Failed = true
	r.call("9:1", "", "shop.get", record.Read, 60, 70) // at no line that there is
	r.end(100)
	s := r.draw()
	want := []string{"s1 x 0% w 50% y 0.286rem", "s1 x 10% w 20% y 1.072rem", "s1 x 40% w 20% y 1.072rem",
		"s2 x x 60% w 40% y 0.357rem", "s1 x 60% w 10% y 0.357rem"}
	if diff := cmp.Diff(want, bars(t, s)); diff != "" {
		t.Error(diff)
	}
	var rows []string
	for _, c := range s.Data.Calls {
		rows = append(rows, s.Data.Rows[c[1].(int)])
	}
	if diff := cmp.Diff([]string{"L2", "L2", "L2", "L3", "L0"}, rows); diff != "" {
		t.Error(diff)
	}
	if flight := s.Tracks()[0]; s.Data.Chosen != 4 || flight.Name != "in flight" || flight.Value != "2" {
		t.Errorf("chosen is call %d, %s %s; want the failed call 4 and 2 in flight", s.Data.Chosen, flight.Value, flight.Name)
	}
}

func TestAWaitIsCutOut(t *testing.T) {
	r := tape("a\nb\n")
	r.call("1:1", "", "shop.get", record.Read, 0, 100)
	first := &record.End{Head: record.Head{Time: after(100)}, Status: "waiting"}
	again := &record.Attempt{Head: record.Head{Time: after(100 + 6*60e3)}, Number: 2}
	r.Ended, r.Attempts, r.Lines = append(r.Ended, first), append(r.Attempts, again), append(r.Lines, first, again)
	r.call("2:1", "", "shop.put", record.Effect, 100+6*60e3+50, 200+6*60e3)
	r.end(200 + 6*60e3)
	s := r.draw()
	// 91 percent are 200 ms; the wait has 9 between them
	want := []string{"s1 x 0% w 45.5% y 0.357rem", "s1 e x 77.25% w 22.75% y 0.357rem"}
	if diff := cmp.Diff(want, bars(t, s)); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(s.Stage, ">6 min</text>") || !strings.Contains(s.Stage, `<rect class="brk" x="45.5%" width="9%"`) {
		t.Errorf("no word of the wait: %s", s.Stage)
	}
	if diff := cmp.Diff([][4]float64{{0, 100, 0, 45.5}, {100, 200, 54.5, 100}}, s.Data.Segs); diff != "" {
		t.Error(diff)
	}
}

func TestTimesKeepTheirOrderOnTheAxis(t *testing.T) {
	for _, pauses := range [][]present.Pause{nil, {{At: 0, Ms: 10}}, {{At: 10, Ms: 1e9}, {At: 10, Ms: 5}, {At: 100, Ms: 5}},
		{{At: 500, Ms: 1}, {At: -1, Ms: 1}, {At: math.MaxFloat64, Ms: 1}, {At: 1, Ms: 0}, {At: 1, Ms: 0}}} {
		for _, total := range []float64{0, 100, 1e12} {
			a := present.NewAxis(total, false, pauses)
			before := 0.0
			for ms := 0.0; ms <= total; ms += max(total/50, 1) {
				x := a.X(ms)
				if math.IsNaN(x) || x < before-1e-6 || x > 1+1e-6 {
					t.Fatalf("total %v, pauses %v: %v ms is at %v, after %v", total, pauses, ms, x, before)
				}
				before = x
			}
			a.Ticks(.12)
		}
	}
}

func TestManyNarrowCallsAreAStripUntilZoomed(t *testing.T) {
	r := tape("a\n")
	for i := range 5000 {
		r.call("1:1", "", "shop.get", record.Read, float64(i), float64(i)+0.5)
	}
	r.end(5000)
	s := r.draw()
	if n := len(elements(t, s, "rect")); n > maxBars {
		t.Errorf("%d bars, want at most %d", n, maxBars)
	}
	if !strings.Contains(s.Rows, `class="z dens s1"`) || len(s.Data.Calls) != 0 {
		t.Errorf("5,000 calls are no strip")
	}
	r = tape("a\n")
	for i := range 1000 {
		r.call("1:1", "", "shop.get", record.Read, float64(i), float64(i)+0.5)
	}
	r.end(1000)
	if s = r.draw(); !strings.Contains(s.Rows, `class="lane strip" height="1.430rem" data-from="5"`) || len(s.Data.Calls) != 1000 {
		t.Errorf("1,000 calls one after another are no strip with bars for a zoom of 5")
	}
}

// A long run has a path for the bars of a lane that look alike, not an element for each.
func TestManyCallsAreFewElements(t *testing.T) {
	r := tape("a\nb\n")
	for i := range 900 {
		r.call("1:1", fmt.Sprintf("1:1#%d", i%3), "shop.get", record.Read, float64(i), float64(i)+2.5)
	}
	r.Calls[3].Done.Failed = true
	r.call("2:1", "", "mail.send", record.Effect, 900, 1000)
	r.end(1000)
	s := r.draw()
	if n := len(elements(t, s, "a")); n > 10 {
		t.Errorf("%d links for %d calls", n, len(r.Calls))
	}
	var classes []string
	for _, p := range elements(t, s, "path") {
		classes = append(classes, fmt.Sprintf("%s×%d", p["class"], strings.Count(p["d"], "M")))
	}
	if diff := cmp.Diff([]string{"b s1×299", "b s1 x×1", "b s1×300", "b s1×300", "b s2 e×1"}, slices.DeleteFunc(classes,
		func(s string) bool { return !strings.HasPrefix(s, "b ") })); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"s1|", "s1 x|failed", "s2 e|"}, s.Data.Looks); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]any{4, 0, 3.0, 2.5, 0, 1, 0, 0}, s.Data.Calls[3]); diff != "" {
		t.Error(diff)
	}
}

// Whatever is printed again and again at a line has a mark for each time.
func TestEachTimeOfAPrintHasAMark(t *testing.T) {
	r := tape("a\nb\n")
	for i := range 4 {
		n := &record.Note{Head: record.Head{Time: after(float64(i) * 250)}, Stdout: "again\n", Line: 2}
		r.Notes, r.Lines = append(r.Notes, n), append(r.Lines, n)
	}
	r.end(1000)
	if want := `<path class="pr" d="M0 6v8M250 6v8M500 6v8M750 6v8"/>`; !strings.Contains(r.draw().Rows, want) {
		t.Errorf("no %s in\n%s", want, r.draw().Rows)
	}
}

// A link leads to a row that is there, or is none: of lines that the script does not
// have, and of those that are left out.
func TestRowsThatAreNotShownAreNoLinks(t *testing.T) {
	r := tape(strings.Repeat("x\n", maxCodeLines+500))
	r.call("1:1", "900:2#1", "shop.get", record.Read, 0, 1)
	r.call("99999:1", "", "shop.get", record.Read, 1, 2)
	r.end(3)
	l := r.draw().Layout
	for _, x := range []struct {
		line int
		want string
	}{{1, "L1"}, {900, ""}, {99999, "L0"}, {0, "L0"}, {-1, "L0"}} {
		if got := l.RowOf("", x.line); got != x.want || got != "" && !strings.Contains(r.draw().Rows, ` id="`+got+`"`) {
			t.Errorf("line %d has the row %q, want %q", x.line, got, x.want)
		}
	}
	if c := newShownCall(l, nil, 1); c.Started[0].Row != "" || c.Row != "L1" {
		t.Errorf("%+v", c)
	}
	if strings.Contains(r.draw().Rows, "line 0") {
		t.Error("there is a line 0")
	}
	r = tape("x\n")
	r.end(1)
	if got := present.NewLayout(present.New(r.Run), after(1000), maxCodeLines).RowOf("", 7); got != "" {
		t.Errorf("a line at which nothing is has the row %q", got)
	}
}

// How long a call took is compared with those of its line that have ended.
func TestARankIsAmongCallsThatHaveEnded(t *testing.T) {
	r := tape("x\n")
	for _, ms := range []float64{5, 9, 2} {
		r.call("1:1", "", "shop.get", record.Read, 0, ms)
	}
	r.call("1:1", "", "shop.get", record.Read, 0, -1) // under way
	for n, want := range map[int]string{1: "slower than 1 of 3 at this line", 2: "slowest of 3 at this line", 4: ""} {
		if c := newShownCall(r.draw().Layout, nil, n); c.Rank() != want {
			t.Errorf("call %d: %q, want %q", n, c.Rank(), want)
		}
	}
}

func TestAQuestionWaitsAtItsLine(t *testing.T) {
	r := tape("a\nb\n")
	ask := &record.Ask{Head: record.Head{Time: after(10)}, A: "1", Place: "2:1", Tool: "mail.send", Why: "rule", Until: time.Now().Add(time.Hour)}
	r.Asks, r.Lines = append(r.Asks, &record.Asked{Ask: ask}), append(r.Lines, ask)
	r.end(20)
	s := r.draw()
	if !strings.Contains(s.Rows, `<a href="/approvals/7f3k0q2m.1" aria-label="mail.send, `) ||
		!strings.Contains(s.Rows, `<rect class="b ask" x="50%" width="50%"`) {
		t.Errorf("no bar that leads to the approval:\n%s", s.Rows)
	}
}

func TestLinesOfALongScriptAreLeftOut(t *testing.T) {
	t.Parallel()
	r := tape(strings.Repeat("x\n", 100_000))
	r.call("70000:1", "", "shop.get", record.Read, 0, 1)
	r.end(1)
	s := r.draw()
	n := strings.Count(s.Rows, `<div class="row`)
	if n > 100 || !strings.Contains(s.Rows, `id="L70000"`) || !strings.Contains(s.Rows, "lines without calls") {
		t.Errorf("%d rows; want some tens, with line 70000", n)
	}
}

// Whatever a record says, a timeline is HTML of our own making within its bounds.
func FuzzTimeline(f *testing.F) {
	f.Add("shop.Get()\n<script>", "1:3", "a/1:3#1", "shop.<b>", `{"id":"</svg>"}`, "x\"y", 10.0, -5.0, 3)
	f.Add("\xff\u202e`", "-1:99999999999999999999", "~", "", "[", "", math.Inf(1), math.NaN(), 300)
	f.Fuzz(func(t *testing.T, script, place, path, tool, args, word string, from, took float64, n int) {
		bound := func(x float64) float64 {
			if math.IsNaN(x) {
				return 0
			}
			return min(max(x, 0), 1e9)
		}
		r := tape(script)
		r.Begin.Name = word
		for i := range min(max(n, 1), 400) {
			at := bound(from) * float64(i%7)
			m := r.call(place, path, tool, record.Class(word), at, at+bound(took)-float64(i%3))
			m.Call.Args = record.Data{JSON: json.RawMessage(args), Bytes: len(args)}
			if m.Done != nil && i%5 == 0 {
				m.Done.Error, m.Done.Failed, m.Done.Suspect = word, i%2 == 0, word
			}
			note := &record.Note{Head: record.Head{Time: after(at)}, Stdout: word + "\n", Line: i % 4}
			r.Notes, r.Lines = append(r.Notes, note), append(r.Lines, note)
		}
		r.end(bound(from))
		s := r.draw()
		if len(s.Rows) > 4<<20 {
			t.Errorf("%d bytes", len(s.Rows))
		}
		allowed := map[string]bool{"div": true, "a": true, "code": true, "span": true, "ul": true, "li": true, "q": true, "svg": true,
			"rect": true, "path": true, "text": true, "pre": true, "b": true, "h3": true}
		open := 0
		z := html.NewTokenizer(strings.NewReader(s.Rows))
		for {
			tt := z.Next()
			if tt == html.ErrorToken {
				break
			}
			tok := z.Token()
			switch tt {
			case html.StartTagToken:
				open++
			case html.EndTagToken:
				open--
			case html.TextToken:
				if strings.ContainsAny(tok.Data, "\u202e\u2066\x00\x1b") {
					t.Errorf("text with a control character: %q", tok.Data)
				}
				continue
			}
			if !allowed[tok.Data] {
				t.Errorf("an element %q", tok.Data)
			}
			for _, a := range tok.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "href" && !strings.HasPrefix(a.Val, "#") &&
					!strings.HasPrefix(a.Val, "?calls=") && !strings.HasPrefix(a.Val, "/") {
					t.Errorf("an attribute %s=%q", a.Key, a.Val)
				}
			}
		}
		if open != 0 {
			t.Errorf("%d elements are not closed", open)
		}
		if _, err := json.Marshal(s.Data); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkTimeline(b *testing.B) {
	for _, n := range []int{1000, 20_000} {
		r := tape(strings.Repeat("order, err := shop.GetOrder(shop.GetOrderParams{ID: o.ID})\n", 50))
		for i := range n {
			r.call(fmt.Sprintf("%d:15", 1+i%20), fmt.Sprintf("3:1#%d", i), "shop.get_order", record.Read, float64(i/16)*5, float64(i/16)*5+40)
		}
		r.end(float64(n)/16*5 + 40)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			size := 0
			for b.Loop() {
				s := r.draw()
				size = len(s.Rows)
			}
			b.ReportMetric(float64(size), "bytes")
		})
	}
}
