package present

import (
	"fmt"
	"io"
	"strings"

	"github.com/usetools/usetools/harness/record"
)

// Follow writes the events of the run from line index from on: one line for each call that begins
// or ends and each printed line, and how the run ended.
func (v *View) Follow(w io.Writer, from int, o *Options) error {
	p := newPage(v, o)
	c := newClock(v.Run)
	steps := map[int]Step{}
	for _, s := range v.Steps() {
		steps[s.N] = s
	}
	for _, l := range v.Run.Lines[min(from, len(v.Run.Lines)):] {
		when := p.paint(dim, fmt.Sprintf("%10s", "+"+Duration(c.at(record.When(l)))))
		switch l := l.(type) {
		case *record.Call:
			what := l.Tool
			if pl := steps[l.N].Place; pl != nil && pl.Line > 0 {
				what += fmt.Sprintf(", line %d", pl.Line)
			}
			p.line("%s %5s %s", when, fmt.Sprintf("#%d", l.N), p.safe(what+"  "+Short(l.Args, p.Width, p.ASCII), p.Width-18))
		case *record.Done:
			b := steps[l.N].Bar
			if b == nil {
				continue
			}
			colour := green
			if b.State != Answered {
				colour = red
			}
			what := strings.TrimSpace(fmt.Sprintf("%s, %s  %s", Duration(l.Ms), size(l.Bytes), b.Error))
			p.line("%s %5s %s %s", when, fmt.Sprintf("#%d", l.N), p.paint(colour, p.safe(string(b.State), maxName)),
				p.safe(what, p.Width-28))
		case *record.Note:
			for _, out := range []struct{ text, colour string }{{l.Stdout, green}, {l.Stderr, yellow}} {
				for line := range strings.Lines(out.text) {
					line = p.safe(untabbed(strings.TrimSuffix(line, "\n")), p.Width-18)
					p.line("%s %5s %s", when, p.paint(out.colour, p.marks.printed), line)
				}
			}
		case *record.Ask:
			p.line("%s       %s", when, p.paint(yellow, p.safe(l.Tool+" needs approval", p.Width-18)))
		}
	}
	if v.Status != record.Running {
		p.line("")
		p.line("%s  %s", p.paint(colours[StatusStyle(v.Status)], p.safe(StatusWord(v.Status), maxName)), p.paint(dim, v.Took()))
		for _, b := range v.ending(p.All, nil) {
			b.terminal(p)
		}
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}
