package console

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/harness/record"
)

func TestRunsAreDrawn(t *testing.T) {
	s := &period{4, "", "the last 4 hours", "every hour", time.Hour, 2 * time.Hour, "15:04"}
	now := time.Date(2026, 3, 4, 9, 59, 0, 0, time.UTC)
	begin := s.begin(now)
	if want := time.Date(2026, 3, 4, 6, 0, 0, 0, time.UTC); !begin.Equal(want) {
		t.Errorf("it begins %v, want %v", begin, want)
	}
	p := newPlot(s, begin, []bucket{{OK: 40}, {}, {OK: 20, Bad: 20, Wait: 10}, {Bad: 1}})
	want := &plot{
		Label: "Runs of the last 4 hours, every hour: 91 in all, 21 failed, most at 08:00",
		Bars: []plotBar{
			{"ok", "0%", "24.5%", "19.75%", "75.5%"},
			{"ok", "50%", "62.3%", "19.75%", "37.7%"},
			{"bad", "50%", "24.5%", "19.75%", "37.7%"},
			{"wait", "50%", "5.7%", "19.75%", "18.9%"},
			{"bad", "75%", "98.1%", "19.75%", "1.9%"},
		},
		Grid:  []plotLine{{"100%", "0", true}, {"62.3%", "20", false}, {"24.5%", "40", false}},
		Ticks: []plotTick{{"0%", "06:00"}, {"50%", "08:00"}},
	}
	if d := cmp.Diff(want, p); d != "" {
		t.Error(d)
	}
}

// Days begin at midnight also where the clock was put forward or back since.
func TestDaysAreNamedWhereTheClockWasChanged(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones here: ", err)
	}
	week := &periods[2]
	for _, now := range []time.Time{time.Date(2026, 3, 31, 11, 0, 0, 0, berlin), time.Date(2026, 10, 27, 11, 0, 0, 0, berlin)} {
		begin := week.begin(now)
		got, want := week.ticks(begin), []plotTick(nil)
		for day := begin.Day() + 1; ; day++ {
			t := time.Date(now.Year(), now.Month(), day, 0, 0, 0, 0, berlin)
			if x := 100 * t.Sub(begin).Hours() / 168; x < 96 {
				want = append(want, plotTick{percents(x, 2), t.Format("Mon 2")})
				continue
			}
			break
		}
		if d := cmp.Diff(want, got); d != "" || len(got) < 6 {
			t.Errorf("%v: %s", now, d)
		}
	}
}

func TestEveryRunOfAPeriodHasItsPlace(t *testing.T) {
	for _, s := range periods {
		for _, now := range []time.Time{time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC), time.Date(2026, 12, 31, 23, 59, 59, 1, time.UTC)} {
			begin := s.begin(now)
			if i, in := s.at(now, begin); !in || i != s.pieces()-1 {
				t.Errorf("%s: now is in piece %d of %d", s.Name, i, s.pieces())
			}
			if i, in := s.at(begin, begin); !in || i != 0 {
				t.Errorf("%s: the beginning is in piece %d", s.Name, i)
			}
			if _, in := s.at(begin.Add(-1), begin); in {
				t.Errorf("%s: what was before is in it", s.Name)
			}
		}
	}
}

func TestSparks(t *testing.T) {
	none := math.NaN()
	for _, c := range []struct {
		values     []float64
		line, area string
	}{
		{nil, "", ""},
		{[]float64{3, none}, "", ""},
		{[]float64{0, 0}, "M0.0 28.0L100.0 28.0", "M0.0 28.0L100.0 28.0L100.0 30L0.0 30Z"},
		{[]float64{0, 2, 4}, "M0.0 28.0L50.0 15.0L100.0 2.0", "M0.0 28.0L50.0 15.0L100.0 2.0L100.0 30L0.0 30Z"},
		{[]float64{none, 1, none, 2, none}, "M25.0 15.0L75.0 2.0", "M25.0 15.0L75.0 2.0L75.0 30L25.0 30Z"},
	} {
		if line := spark(c.values); line != c.line || area(line) != c.area {
			t.Errorf("%v: %q, %q", c.values, line, area(line))
		}
	}
}

func TestRangesAreOnALogarithmicScale(t *testing.T) {
	s := newLogScale(12, 900, 40)
	if s.Low() != 10 || s.High() != 1000 {
		t.Errorf("the scale is %v to %v", s.Low(), s.High())
	}
	for ms, want := range map[float64]float64{0: 0, 10: 0, 100: 50, 1000: 100, 5000: 100} {
		if got := s.at(ms); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v ms is at %v %%, want %v", ms, got, want)
		}
	}
	if one := newLogScale(100); one.at(100) != 0 || one.High() != 1000 {
		t.Errorf("a single value: %+v", one)
	}
}

func TestStepsOfTheGridAreRound(t *testing.T) {
	for most, want := range map[float64]float64{0: 1, 3: 1, 4: 1, 5: 2, 9: 5, 21: 10, 100: 50, 12_345: 5000} {
		if got := wholeStep(most, 4); got != want {
			t.Errorf("up to %v: %v, want %v", most, got, want)
		}
	}
}

func TestNumbersOfRuns(t *testing.T) {
	now := time.Date(2026, 3, 4, 9, 59, 0, 0, time.UTC)
	run := func(minutes int, status string, ms float64, calls ...toolCalls) *runDigest {
		return &runDigest{Summary: &record.Summary{ID: fmt.Sprint(minutes), Time: now.Add(-time.Duration(minutes) * time.Minute),
			Status: status, Ms: ms, Calls: len(calls)}, read: true, calls: calls}
	}
	n := &numbers{Ready: true, Runs: []*runDigest{
		run(1, "waiting", 5, toolCalls{Tool: "mail.send", Calls: 3}),
		run(2, "uncertain", 5),
		run(2, "ok", 10, toolCalls{Tool: "shop.get", Calls: 2, Ms: []float32{10, 20}}),
		run(20, "script_error", 30, toolCalls{Tool: "shop.get", Calls: 2, Failed: 1, Ms: []float32{30, 40}},
			toolCalls{Tool: "shop.list", Calls: 1, Ms: []float32{100}}),
		run(50, "ok", 20, toolCalls{Tool: "shop.delete", Calls: 1, Denied: 1, Why: "by a rule"}),
		run(200, "ok", 1000),
	}}
	s := &periods[0]
	begin := s.begin(now)
	runs := n.since(begin)
	if len(runs) != 5 {
		t.Fatalf("%d runs of the last hour", len(runs))
	}
	d := &overviewData{}
	d.count(s, begin, runs)
	if d.Runs != 5 || d.Ended != 3 || d.Well != 2 || d.Share != "66.7 %" || d.P50 != 20 || d.P95 != 30 || d.Calls != 5 {
		t.Errorf("the numbers are %+v", d)
	}
	all, read := called(runs, func(id string) string { return id }, now)
	d.tools(all)
	if read != 5 || len(d.Tools) != 2 || d.Tools[0].Name != "shop.list" || d.Tools[1].P50 != 20 || d.Tools[1].Failed != 1 ||
		len(d.Denied) != 1 || d.Denied[0].Why != "by a rule" {
		t.Errorf("the tools are %+v, denied %+v", d.Tools, d.Denied)
	}
}

func TestAShareIsWholeOnlyWhereItIs(t *testing.T) {
	for _, c := range []struct {
		part, of int
		want     string
	}{{0, 3, "0 %"}, {3, 3, "100 %"}, {9999, 10000, "99.9 %"}, {1, 100_000, "0.1 %"}, {2, 3, "66.7 %"}} {
		if got := sharePercents(c.part, c.of); got != c.want {
			t.Errorf("%d of %d is %s, want %s", c.part, c.of, got, c.want)
		}
	}
}

func TestSomeOfManyTimes(t *testing.T) {
	many := make([]float32, 1000)
	for i := range many {
		many[i] = float32(i)
	}
	got := some(many, 4)
	if d := cmp.Diff([]float32{0, 250, 500, 750}, got); d != "" {
		t.Error(d)
	}
}

func TestWhatIsNewInALineIsMarked(t *testing.T) {
	for _, c := range [][]string{{`"a b"`, `"a b c"`, `"a b`, ` c`, `"`}, {"aa", "aaa", "aa", "a", ""}, {"x", "y", "", "y", ""},
		{"ü1", "ü2", "ü", "2", ""}, {"same", "same", "same", "", ""}} {
		begin, mark, end := marked(c[0], c[1])
		if got := strings.Join([]string{begin, mark, end}, "|"); got != strings.Join(c[2:], "|") {
			t.Errorf("%q to %q: %q", c[0], c[1], got)
		}
	}
}
