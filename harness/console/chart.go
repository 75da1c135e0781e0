package console

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/present"
)

// plot is a picture of counts over time: bars of one colour on another, in percents of
// the picture's width and height.
type plot struct {
	Label string // what it shows, in words
	Bars  []plotBar
	Grid  []plotLine
	Ticks []plotTick
}

// plotBar is a part of a bar.
type plotBar struct{ Class, X, Y, W, H string }

// plotLine is a line of the grid, with its value; the one at 0 is the base.
type plotLine struct {
	Y, Label string
	Base     bool
}

// plotTick is a time below the picture.
type plotTick struct{ X, Label string }

// bucket is how many runs began in a piece of time, by how they ended.
type bucket struct{ OK, Bad, Off, Wait int }

func (b bucket) sum() int { return b.OK + b.Bad + b.Off + b.Wait }

// period is what numbers are of: a time, in pieces.
type period struct {
	Hours int
	Name  string // on a button
	Last  string // "the last hour"
	Every string // a piece, in words
	piece time.Duration
	tick  time.Duration // between the times that are named
	clock string        // their layout
}

var periods = []period{
	{1, "1 h", "the last hour", "every minute", time.Minute, 10 * time.Minute, "15:04"},
	{24, "24 h", "the last 24 hours", "every 15 minutes", 15 * time.Minute, 4 * time.Hour, "15:04"},
	{168, "7 days", "the last 7 days", "every 2 hours", 2 * time.Hour, 24 * time.Hour, "Mon 2"},
}

// pieces are how many there are.
func (s *period) pieces() int { return int(time.Duration(s.Hours) * time.Hour / s.piece) }

// begin is when the first piece begins: the last one has now in it. Pieces begin at
// round times of the clock on the wall.
func (s *period) begin(now time.Time) time.Time {
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	end := day.Add(now.Sub(day).Truncate(s.piece)).Add(s.piece)
	return end.Add(-time.Duration(s.Hours) * time.Hour)
}

// at is the piece of a time; false: it is outside.
func (s *period) at(t, begin time.Time) (int, bool) {
	i := int(math.Floor(float64(t.Sub(begin)) / float64(s.piece)))
	return i, i >= 0 && i < s.pieces()
}

// newPlot draws the runs in each piece of a period that begins at a time.
func newPlot(s *period, begin time.Time, counts []bucket) *plot {
	p := &plot{}
	most, all, bad, at := 0, 0, 0, 0
	for i, b := range counts {
		all, bad = all+b.sum(), bad+b.Bad
		if b.sum() > most {
			most, at = b.sum(), i
		}
	}
	when := func(i int) time.Time { return begin.Add(time.Duration(i) * s.piece) }
	p.Label = fmt.Sprintf("Runs of %s, %s: %s in all, %s failed", s.Last, s.Every, thousands(all), thousands(bad))
	if most > 0 {
		layout := "15:04"
		if s.Hours > 24 {
			layout = "Mon 2 Jan, 15:04"
		}
		p.Label += ", most at " + when(at).Format(layout)
	}
	top := math.Max(float64(most)*1.06, 4)
	y := func(v float64) float64 { return 100 - 100*v/top }
	step := wholeStep(float64(most), 4)
	for v := 0.0; v <= top; v += step {
		p.Grid = append(p.Grid, plotLine{percents(y(v), 1), thousands(int(v)), v == 0})
	}
	width := 100 / float64(len(counts))
	for i, b := range counts {
		up := 0.0
		for _, part := range []struct {
			class string
			n     int
		}{{"ok", b.OK}, {"bad", b.Bad}, {"off", b.Off}, {"wait", b.Wait}} {
			if part.n == 0 {
				continue
			}
			up += float64(part.n)
			p.Bars = append(p.Bars, plotBar{part.class, percents(float64(i)*width, 2), percents(y(up), 1),
				percents(width*0.79, 2), percents(100*float64(part.n)/top, 1)})
		}
	}
	p.Ticks = s.ticks(begin)
	return p
}

// ticks are the round times of the clock on the wall in a period, also where the clock
// was put forward or back in it.
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

// wholeStep is 1, 2 or 5 times a power of ten, at least 1, so that at most so many of it
// are in a value.
func wholeStep(v float64, lines int) float64 { return present.RoundStep(max(v/float64(lines), 1)) }

// shared is a share, 0 to 1, as an attribute of SVG.
func shared(v float64) string { return percents(100*min(max(v, 0), 1), 1) }

// percents are so many as an attribute of SVG.
func percents(v float64, digits int) string { return fixed(v, digits) + "%" }

// spark is the path of a line through values, in a box of 100 by 30; those that are NaN
// are left out. "": there are less than two.
func spark(values []float64) string {
	top, n := 0.0, 0
	for _, v := range values {
		if !math.IsNaN(v) {
			top, n = math.Max(top, v), n+1
		}
	}
	if n < 2 {
		return ""
	}
	var b strings.Builder
	for i, v := range values {
		if math.IsNaN(v) {
			continue
		}
		y := 28.0
		if top > 0 {
			y -= 26 * v / top
		}
		op := byte('L')
		if b.Len() == 0 {
			op = 'M'
		}
		b.WriteByte(op)
		fmt.Fprintf(&b, "%.1f %.1f", 100*float64(i)/float64(len(values)-1), y)
	}
	return b.String()
}

// area is the path of what is below a spark.
func area(line string) string {
	if line == "" {
		return ""
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(line, "M"), " ")
	last := line[strings.LastIndexByte(line, 'L')+1:]
	last, _, _ = strings.Cut(last, " ")
	return line + "L" + last + " 30L" + first + " 30Z"
}

// logScale is a logarithmic axis of milliseconds, between powers of ten.
type logScale struct{ low, high float64 }

// newLogScale is the one that all values are on; what is less than 0.1 is at its begin.
func newLogScale(values ...float64) *logScale {
	s := &logScale{math.Inf(1), math.Inf(-1)}
	for _, v := range values {
		v = math.Log10(math.Max(v, 0.1))
		s.low, s.high = math.Min(s.low, math.Floor(v)), math.Max(s.high, math.Ceil(v))
	}
	if s.low >= s.high {
		s.high = s.low + 1
	}
	return s
}

// at is where a value is, in percents.
func (s *logScale) at(v float64) float64 {
	return 100 * math.Min(math.Max((math.Log10(math.Max(v, 0.1))-s.low)/(s.high-s.low), 0), 1)
}

// Low and High are its ends in milliseconds.
func (s *logScale) Low() float64  { return math.Pow(10, s.low) }
func (s *logScale) High() float64 { return math.Pow(10, s.high) }
