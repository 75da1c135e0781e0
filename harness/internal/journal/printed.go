package journal

import (
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/record"
)

// printed is text of a script that the record does not have yet.
type printed struct {
	text  strings.Builder
	parts []part // of it
}

// part is text that one line of the script printed; 0: it is not known which.
type part struct {
	line, size int
	at         time.Time // of its beginning
}

// partTime is how long a line prints into the same part.
const partTime = 10 * time.Millisecond

// print notes printed text. The caller holds the lock.
func (j *Journal) print(p *printed, at time.Time, line int, text []byte) {
	p.text.Write(text)
	if n := len(p.parts); n > 0 {
		last := &p.parts[n-1]
		if last.line == line && (at.Sub(last.at) < partTime || j.prints >= record.MaxPrints) {
			last.size += len(text)
			return
		}
		if j.prints++; j.prints > record.MaxPrints {
			if line = 0; last.line == 0 {
				last.size += len(text)
				return
			}
		}
	}
	p.parts = append(p.parts, part{line, len(text), at})
}

// take returns what was printed, and a note that says when, and by which lines; nil:
// nothing was. Of a character that is printed in two parts it takes both, and of a secret
// as well, whose beginning unfinished finds at the end of a text; nil: this is the last
// text, and all of it is taken.
func (p *printed) take(unfinished func(string) int) (string, *record.Note) {
	all, from := p.text.String(), p.parts
	p.text.Reset()
	last := unfinished == nil
	var later printed
	if !last {
		all, from = later.keep(all, from, unfinished(all))
	}
	raw := len(all)
	var text strings.Builder
	var parts []part // of text, which is UTF-8
	rest := ""       // the beginning of a character
	for i, x := range from {
		s := rest + all[:x.size]
		if all, rest = all[x.size:], ""; i < len(from)-1 || !last {
			s, rest = wholeCharacters(s)
		}
		s = strings.ToValidUTF8(s, "\uFFFD") // as in the Result
		text.WriteString(s)
		if x.size = len(s); x.size > 0 {
			parts = append(parts, x)
		}
	}
	if p.parts = nil; rest != "" {
		p.text.WriteString(rest)
		x := from[len(from)-1]
		p.parts = append(p.parts, part{x.line, len(rest), x.at})
	}
	p.text.WriteString(later.text.String())
	p.parts = append(p.parts, later.parts...)
	if len(parts) == 0 {
		return "", nil
	}
	n := &record.Note{Head: record.Head{Time: parts[0].at}, Line: parts[0].line, More: raw - len(rest) - text.Len()}
	if len(parts) == 1 {
		return text.String(), n
	}
	n.Line = 0
	for _, x := range parts {
		n.Lines = append(n.Lines, [3]int{x.line, x.size, int(x.at.Sub(n.Time) / time.Microsecond)})
	}
	return text.String(), n
}

// keep takes the last n bytes of a text with their parts, and returns what is before them.
func (p *printed) keep(all string, from []part, n int) (string, []part) {
	p.text.WriteString(all[len(all)-n:])
	i := len(from)
	for rest := n; rest > 0; {
		i--
		x := from[i]
		if x.size > rest {
			from[i].size -= rest
			x.size = rest
			i++
		}
		rest -= x.size
		p.parts = append(p.parts, x)
	}
	slices.Reverse(p.parts)
	return all[:len(all)-n], from[:i]
}

// wholeCharacters returns s without the beginning of a character at its end, and
// that.
func wholeCharacters(s string) (whole, rest string) {
	for i := len(s) - 1; i >= max(0, len(s)-utf8.UTFMax+1); i-- {
		if !utf8.RuneStart(s[i]) {
			continue
		}
		if !utf8.FullRuneInString(s[i:]) {
			return s[:i], s[i:]
		}
		break
	}
	return s, ""
}

// Stdout and stderr note what comes and hand it on to w, which may be nil.
func (j *Journal) Stdout(w io.Writer) worker.Printed { return j.through(&j.out, w) }
func (j *Journal) Stderr(w io.Writer) worker.Printed { return j.through(&j.err, w) }

func (j *Journal) through(p *printed, w io.Writer) worker.Printed {
	if j.w == nil {
		return printedTo(w)
	}
	to := func(at time.Time, line int, text []byte) {
		j.mu.Lock()
		j.print(p, at, line, text)
		j.mu.Unlock()
		if w != nil {
			w.Write(text)
		}
	}
	if j.repeats != nil {
		known := j.repeats.stdout
		if p == &j.err {
			known = j.repeats.stderr
		}
		return j.repeats.repeated(known, to)
	}
	return to
}

// printedTo writes what is printed to w, which may be nil. Whoever listens there may go
// away; the run goes on.
func printedTo(w io.Writer) worker.Printed {
	if w == nil {
		return nil
	}
	return func(_ time.Time, _ int, text []byte) { w.Write(text) }
}
