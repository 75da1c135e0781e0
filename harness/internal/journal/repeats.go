package journal

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/record"
)

// Retry begins another attempt of a resumed run, whose last one has sent nothing.
func (j *Journal) Retry(run *record.Run) error {
	j.number++
	last := run.Attempts[len(run.Attempts)-1]
	err := j.Add(&record.Attempt{Number: j.number, Who: last.Who, Live: last.Live, Harness: last.Harness, Process: last.Process})
	j.again(run)
	return err
}

// again begins another attempt: what the script does anew until it is live is in
// the record already.
func (j *Journal) again(run *record.Run) {
	j.mu.Lock()
	defer j.mu.Unlock()
	clear(j.nested)
	j.readings, j.noted, j.lost = nil, 0, false
	j.repeats = &repeats{}
	j.repeats.stdout, j.repeats.stderr = run.PrintedBytes()
}

// Live reports whether a run that goes on has left its record behind.
func (j *Journal) Live() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.repeats != nil && j.repeats.over.Load()
}

// GoLive lets out what the script has printed and read from its clock that the record
// does not have.
func (j *Journal) GoLive() {
	j.mu.Lock()
	repeats := j.repeats
	j.mu.Unlock()
	if repeats != nil {
		repeats.end()
	}
}

// repeats is printed text of a script that runs again by its record.
type repeats struct {
	stdout, stderr int // bytes of it that the record has, as they were printed

	over    atomic.Bool // the script is live
	mu      sync.Mutex
	streams []*repeated
}

func (r *repeats) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over.Store(true)
	for _, w := range r.streams {
		for _, h := range w.held {
			w.to(time.Now(), h.line, h.text)
		}
		w.held = nil
	}
}

// repeated takes printed text of which so many bytes are known already. What comes
// behind them is held until the script is live.
type repeated struct {
	of   *repeats
	left int
	to   worker.Printed
	held []held
}

// held is text that a line printed, 0: it is not known which.
type held struct {
	line int
	text []byte
}

// repeated is what to gets once that much of it is over.
func (r *repeats) repeated(known int, to worker.Printed) worker.Printed {
	w := &repeated{of: r, left: known, to: to}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.streams = append(r.streams, w)
	return w.print
}

func (w *repeated) print(at time.Time, line int, text []byte) {
	w.of.mu.Lock()
	defer w.of.mu.Unlock()
	n := min(len(text), w.left)
	w.left -= n
	text = text[n:]
	if len(text) == 0 {
		return
	}
	if w.of.over.Load() {
		w.to(at, line, text)
		return
	}
	if len(w.held) >= record.MaxPrints {
		line = 0
	}
	if last := len(w.held) - 1; last < 0 || w.held[last].line != line {
		w.held = append(w.held, held{line: line})
	}
	last := &w.held[len(w.held)-1]
	last.text = append(last.text, text...)
}
