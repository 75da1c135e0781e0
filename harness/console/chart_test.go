package console

import (
	"fmt"
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
	p := newPlot(s, begin, []piece{{OK: 40}, {}, {OK: 20, Bad: 20, Wait: 10}, {Bad: 1}})
	want := &plot{
		Label:  "Runs of the last 4 hours, every hour: 91 in all, 21 failed, most at 08:00",
		Pieces: []piece{{40, 0, 0, 0}, {}, {20, 20, 0, 10}, {0, 1, 0, 0}},
		Top:    53,
		Grid:   []int{0, 20, 40},
		Ticks:  []plotTick{{"0%", "06:00"}, {"50%", "08:00"}},
	}
	if y := p.Y(20); y != "62.3%" {
		t.Errorf("20 runs are at %s", y)
	}
	if d := cmp.Diff([]barPart{{"ok", 0, 20}, {"bad", 20, 20}, {"off", 40, 0}, {"wait", 40, 10}}, want.Pieces[2].Parts()); d != "" {
		t.Error(d)
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
	for _, c := range []struct {
		values []float64
		want   []point
	}{
		{nil, nil},
		{[]float64{3, missing}, nil},
		{[]float64{0, 0}, []point{{"0", "28"}, {"100", "28"}}},
		{[]float64{0, missing, 10}, []point{{"0", "28"}, {"100", "2"}}},
	} {
		if d := cmp.Diff(c.want, spark(c.values)); d != "" {
			t.Errorf("%v: %s", c.values, d)
		}
	}
}

func TestNumbersOfRuns(t *testing.T) {
	now := time.Date(2026, 3, 4, 9, 59, 0, 0, time.UTC)
	run := func(minutes int, status string, ms float64, used ...record.Used) *record.Summary {
		calls := 0
		for _, u := range used {
			calls += u.Calls
		}
		return &record.Summary{ID: fmt.Sprint(minutes), Time: now.Add(-time.Duration(minutes) * time.Minute),
			Status: status, Ms: ms, Calls: calls, Used: used}
	}
	runs := []*record.Summary{
		run(1, "waiting", 5, record.Used{Tool: "mail.send", Calls: 3}),
		run(2, "uncertain", 5),
		run(2, "ok", 10, record.Used{Tool: "shop.get", Calls: 2, Timed: 2, Ms: 30, Max: 20}),
		run(20, "script_error", 30, record.Used{Tool: "shop.get", Calls: 2, Failed: 1, Timed: 2, Ms: 70, Max: 40},
			record.Used{Tool: "shop.list", Calls: 1, Timed: 1, Ms: 100, Max: 100}),
		run(50, "ok", 20, record.Used{Tool: "shop.delete", Calls: 1, Denied: 1}),
		run(200, "ok", 1000),
	}
	s := &periods[0]
	begin := s.begin(now)
	if runs = since(runs, begin); len(runs) != 5 {
		t.Fatalf("%d runs of the last hour", len(runs))
	}
	d := &overviewData{}
	d.count(s, begin, runs)
	if d.Runs != 5 || d.Ended != 3 || d.Well != 2 || d.Share() != "66.7 %" || d.P50 != 20 || d.P95 != 30 || d.Calls != 9 {
		t.Errorf("the numbers are %+v", d)
	}
	d.tools(calledBy(runs, func(id string) string { return id }, now))
	if len(d.Slowest) != 2 || d.Slowest[0].Tool != "shop.list" || d.Slowest[1].Mean() != 25 || d.Slowest[1].Failed != 1 ||
		d.Slowest[1].Runs != 2 || d.Top != 100 || len(d.Refused) != 1 || d.Refused[0].Refused.ID != "50" {
		t.Errorf("the tools are %+v, denied %+v", d.Slowest, d.Refused)
	}
	if shop := calledBy(runs, serverOf, now)["shop"]; shop.Runs != 3 || shop.Calls != 6 || shop.Timed != 5 || shop.Max != 100 {
		t.Errorf("the server has %+v", shop)
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

func TestWhatIsNewInALineIsMarked(t *testing.T) {
	for _, c := range [][]string{{`"a b"`, `"a b c"`, `"a b`, ` c`, `"`}, {"aa", "aaa", "aa", "a", ""}, {"x", "y", "", "y", ""},
		{"ü1", "ü2", "ü", "2", ""}, {"same", "same", "same", "", ""}} {
		begin, mark, end := marked(c[0], c[1])
		if got := strings.Join([]string{begin, mark, end}, "|"); got != strings.Join(c[2:], "|") {
			t.Errorf("%q to %q: %q", c[0], c[1], got)
		}
	}
}
