package journal

import (
	"io"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/registry/text"
)

// printed is the unwritten text of a stream.
type printed struct {
	text  strings.Builder
	parts []part // of text

	known int    // in a resumed run, recorded bytes that the script will print again
	held  []held // text behind them, until the run is live
	to    io.Writer
}

// part is text printed by one line of the script. If line is 0, the line is unknown.
type part struct {
	line, size int
	at         time.Time // of its first byte
}

// held is buffered text printed by a line. If line is 0, the line is unknown.
type held struct {
	line int
	text []byte
}

// partTime is the time within which text of one line belongs to the same part.
const partTime = 10 * time.Millisecond

// print adds printed text. The caller holds the lock.
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

// take returns the text, and a note with its times and lines, or nil without text. It
// leaves an incomplete character at the end, and an incomplete secret, whose length unfinished
// returns. If unfinished is nil, it takes everything.
func (p *printed) take(unfinished func(string) int) (string, *record.Note) {
	all, from := p.text.String(), p.parts
	p.text.Reset()
	last := unfinished == nil
	var later printed
	if !last {
		all, from = later.keep(all, from, unfinished(all))
	}
	raw := len(all)
	var complete strings.Builder
	var parts []part // of complete, which is valid UTF-8
	rest := ""       // an incomplete character
	for i, x := range from {
		s := rest + all[:x.size]
		if all, rest = all[x.size:], ""; i < len(from)-1 || !last {
			s, rest = text.CompleteRunes(s)
		}
		s = strings.ToValidUTF8(s, "\uFFFD") // as in the Result
		complete.WriteString(s)
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
	n := &record.Note{Head: record.Head{Time: parts[0].at}, Line: parts[0].line, More: raw - len(rest) - complete.Len()}
	if len(parts) == 1 {
		return complete.String(), n
	}
	n.Line = 0
	for _, x := range parts {
		n.Lines = append(n.Lines, [3]int{x.line, x.size, int(x.at.Sub(n.Time) / time.Microsecond)})
	}
	return complete.String(), n
}

// keep stores the last n bytes of a text with their parts, and returns the rest.
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

// Stdout and Stderr return functions that receive the script's output and pass it on to w,
// which may be nil.
func (j *Journal) Stdout(w io.Writer) worker.Printed { return j.stream(j.out, w) }
func (j *Journal) Stderr(w io.Writer) worker.Printed { return j.stream(j.err, w) }

func (j *Journal) stream(p *printed, w io.Writer) worker.Printed {
	p.to = w
	switch {
	case j.w != nil && j.attempt > 0:
		return func(at time.Time, line int, text []byte) { j.printAgain(p, at, line, text) }
	case j.w != nil:
		return func(at time.Time, line int, text []byte) { j.pass(p, at, line, text) }
	case w != nil:
		return func(_ time.Time, _ int, text []byte) { w.Write(text) }
	}
	return nil
}

// pass adds printed text and writes it to p.to. It ignores an error of that writer.
func (j *Journal) pass(p *printed, at time.Time, line int, text []byte) {
	j.mu.Lock()
	j.print(p, at, line, text)
	j.mu.Unlock()
	if p.to != nil {
		p.to.Write(text)
	}
}

// printAgain processes text of a resumed run: it drops recorded text, and buffers the rest
// until the run is live.
func (j *Journal) printAgain(p *printed, at time.Time, line int, text []byte) {
	j.repeating.Lock()
	defer j.repeating.Unlock()
	n := min(len(text), p.known)
	p.known -= n
	if text = text[n:]; len(text) == 0 {
		return
	}
	if j.live.Load() {
		j.pass(p, at, line, text)
		return
	}
	if len(p.held) >= record.MaxPrints {
		line = 0
	}
	if last := len(p.held) - 1; last < 0 || p.held[last].line != line {
		p.held = append(p.held, held{line: line})
	}
	last := &p.held[len(p.held)-1]
	last.text = append(last.text, text...)
}
