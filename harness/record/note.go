package record

import (
	"iter"
	"slices"
	"time"

	"github.com/usetools/usetools/registry/text"
)

// Printed is text that a line of a script printed.
type Printed struct {
	Line   int // if zero, it is unknown
	Time   time.Time
	Text   string
	Stderr bool
}

// Printed yields the printed text in order.
func (n *Note) Printed() iter.Seq[Printed] {
	return func(yield func(Printed) bool) {
		for _, p := range []Printed{{n.Line, n.Time, n.Stdout, false}, {n.Line, n.Time, n.Stderr, true}} {
			if p.Text == "" {
				continue
			}
			rest := p.Text
			for _, l := range n.Lines { // which are untrusted
				part := p
				part.Line, part.Time = max(0, l[0]), p.Time.Add(min(max(0, time.Duration(l[2])), maxBatch)*time.Microsecond)
				size := min(max(0, l[1]), len(rest))
				if part.Text, rest = rest[:size], rest[size:]; part.Text != "" && !yield(part) {
					return
				}
			}
			if p.Text = rest; rest != "" && !yield(p) {
				return
			}
		}
	}
}

// maxBatch is the longest time within a note, in µs.
const maxBatch = time.Duration(24*time.Hour) / time.Microsecond

// parts returns the lines to write for a line: several for a Note with more than MaxText bytes of
// text. Secrets were hidden in the undivided text.
func parts(l Line) []Line {
	n, ok := l.(*Note)
	if !ok || len(n.Stdout) <= MaxText && len(n.Stderr) <= MaxText {
		return []Line{l}
	}
	stdout, stderr, lines := n.Stdout, n.Stderr, slices.Clone(n.Lines)
	var out []Line
	for part := *n; stdout != "" || stderr != ""; part = (Note{Path: n.Path, Line: n.Line}) {
		next := part
		o, e := text.Start(stdout, MaxText), text.Start(stderr, MaxText)
		next.Stdout, stdout = stdout[:o], stdout[o:]
		next.Stderr, stderr = stderr[:e], stderr[e:]
		next.Lines, lines = cutLines(lines, len(next.Stdout)+len(next.Stderr))
		out = append(out, &next)
	}
	return out
}

// cutLines splits the Lines of a note after n bytes of its text.
func cutLines(lines [][3]int, n int) (part, rest [][3]int) {
	for i, l := range lines {
		if l[1] > n {
			first := append(lines[:i:i], [3]int{l[0], n, l[2]})
			lines[i][1] -= n
			return slices.DeleteFunc(first, func(l [3]int) bool { return l[1] == 0 }), lines[i:]
		}
		n -= l[1]
	}
	return lines, nil
}

// redactedLines returns the Lines of a note after secrets in its text were hidden. It returns nil
// if a secret was printed in several parts.
func redactedLines(was, is *Note, hide func(string) string) [][3]int {
	if was.Stdout == is.Stdout && was.Stderr == is.Stderr {
		return is.Lines
	}
	text := ""
	var lines [][3]int
	for p := range was.Printed() {
		shown := hide(p.Text)
		text += shown
		lines = append(lines, [3]int{p.Line, len(shown), int(p.Time.Sub(was.Time) / time.Microsecond)})
	}
	if text != is.Stdout+is.Stderr {
		return nil
	}
	return lines
}
