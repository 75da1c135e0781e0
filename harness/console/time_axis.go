package console

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"

	"github.com/usetools/usetools/harness/present"
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
func newAxis(total float64, live bool, pauses []present.Pause) *axis {
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
			return present.RoundStep((s.To - s.From) / (s.X1 - s.X0) * 12)
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
		return present.Duration(ms)
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
	return fixed(min(max(x, -1e4), 1e4), 3) + "%"
}

// fixed is a number with at most so many decimals, at least one.
func fixed(x float64, decimals int) string {
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(x, 'f', decimals, 64), "0"), ".")
}

func rem(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) + "rem" }
