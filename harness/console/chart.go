package console

import (
	"fmt"
	"math"
	"time"

	"github.com/usetools/usetools/harness/present"
)

// plot shows the number of runs over a period, by the time they began.
type plot struct {
	Label  string // description in words
	Pieces []piece
	Top    float64 // number of runs at the top
	Grid   []int   // numbers of runs with a grid line
	Ticks  []plotTick
}

// Y returns the height of a number of runs, as an SVG attribute.
func (p *plot) Y(runs int) string { return percents(100-100*float64(runs)/p.Top, 1) }

// plotTick is a labelled time below the plot.
type plotTick struct{ X, Label string }

// piece counts the runs that began in a part of the period, by status.
type piece struct{ OK, Bad, Off, Wait int }

// Sum returns the total.
func (b piece) Sum() int { return b.OK + b.Bad + b.Off + b.Wait }

// barPart is a part of a bar.
type barPart struct {
	Class   string
	Y, Runs int
}

// Parts returns the parts of a bar, from the bottom.
func (b piece) Parts() []barPart {
	return []barPart{{"ok", 0, b.OK}, {"bad", b.OK, b.Bad}, {"off", b.OK + b.Bad, b.Off}, {"wait", b.OK + b.Bad + b.Off, b.Wait}}
}

// period is the time range of a plot, divided into pieces.
type period struct {
	Hours int
	Name  string // on a button
	Last  string // "the last hour"
	Every string // the length of a piece, in words
	piece time.Duration
	tick  time.Duration // between labelled times
	clock string        // layout of labels
}

var periods = []period{
	{1, "1 h", "the last hour", "every minute", time.Minute, 10 * time.Minute, "15:04"},
	{24, "24 h", "the last 24 hours", "every 15 minutes", 15 * time.Minute, 4 * time.Hour, "15:04"},
	{168, "7 days", "the last 7 days", "every 2 hours", 2 * time.Hour, 24 * time.Hour, "Mon 2"},
}

// pieces returns the number of pieces.
func (s *period) pieces() int { return int(time.Duration(s.Hours) * time.Hour / s.piece) }

// begin returns the start of the first piece. The last piece contains now. Pieces start at round
// times of the local clock.
func (s *period) begin(now time.Time) time.Time {
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	end := day.Add(now.Sub(day).Truncate(s.piece)).Add(s.piece)
	return end.Add(-time.Duration(s.Hours) * time.Hour)
}

// at returns the piece of a time, and false if the time is outside the period.
func (s *period) at(t, begin time.Time) (int, bool) {
	i := int(math.Floor(float64(t.Sub(begin)) / float64(s.piece)))
	return i, i >= 0 && i < s.pieces()
}

// newPlot returns the plot of a period.
func newPlot(s *period, begin time.Time, pieces []piece) *plot {
	p := &plot{Pieces: pieces, Ticks: s.ticks(begin)}
	most, all, bad, at := 0, 0, 0, 0
	for i, b := range pieces {
		all, bad = all+b.Sum(), bad+b.Bad
		if b.Sum() > most {
			most, at = b.Sum(), i
		}
	}
	p.Label = fmt.Sprintf("Runs of %s, %s: %s in all, %s failed", s.Last, s.Every, thousands(all), thousands(bad))
	if most > 0 {
		layout := "15:04"
		if s.Hours > 24 {
			layout = "Mon 2 Jan, 15:04"
		}
		p.Label += ", most at " + begin.Add(time.Duration(at)*s.piece).Format(layout)
	}
	p.Top = max(float64(most)*1.06, 4)
	step := present.RoundStep(max(float64(most)/4, 1))
	for v := 0.0; v <= p.Top; v += step {
		p.Grid = append(p.Grid, int(v))
	}
	return p
}

// ticks returns the round times of the local clock in a period, even across a clock change.
func (s *period) ticks(begin time.Time) (out []plotTick) {
	length := time.Duration(s.Hours) * time.Hour
	for day := range s.Hours/24 + 2 {
		for at := time.Duration(0); at < 24*time.Hour; at += s.tick {
			on := func(zone *time.Location) time.Time {
				return time.Date(begin.Year(), begin.Month(), begin.Day()+day, 0, int(at/time.Minute), 0, 0, zone)
			}
			x := 100 * float64(on(begin.Location()).Sub(begin)) / float64(length)
			if x >= 0 && x < 96 {
				out = append(out, plotTick{percents(x, 2), on(time.UTC).Format(s.clock)})
			}
		}
	}
	return out
}

// percents formats a percentage as an SVG attribute.
func percents(v float64, digits int) string { return fixed(v, digits) + "%" }

// partOf returns part/total as an SVG attribute.
func partOf(part, total float64) string { return pct(min(part/max(total, 1e-9), 1)) }

// point is a point of a line in a 100 by 30 box.
type point struct{ X, Y string }

// missing is a value that a line skips.
var missing = math.NaN()

// spark returns the line through values, or nil if there are fewer than two.
func spark(values []float64) (line []point) {
	top := 0.0
	for _, v := range values {
		if !math.IsNaN(v) {
			top = max(top, v)
		}
	}
	for i, v := range values {
		if !math.IsNaN(v) {
			line = append(line, point{fixed(100*float64(i)/float64(len(values)-1), 1), fixed(28-26*v/max(top, 1e-9), 1)})
		}
	}
	if len(line) < 2 {
		return nil
	}
	return line
}
