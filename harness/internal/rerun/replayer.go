// Package rerun runs a script again from the record of its run. A replay asks no server. A
// resumed run sends calls once it has repeated those of its record. Until then a record.Gate
// decides which recorded call answers which call of the script, and the script's clock shows
// the times of the record. Compare reports where a replay differs from its record, Resumable
// whether a run can be resumed.
package rerun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/internal/bridge"
	"github.com/usetools/usetools/harness/internal/journal"
	"github.com/usetools/usetools/harness/internal/worker"
	"github.com/usetools/usetools/harness/library"
	"github.com/usetools/usetools/harness/record"
)

// ErrNothingToReplay is returned for the record of a run whose script did not begin, or that has
// none.
var ErrNothingToReplay = errors.New("no script began in this run: there is nothing to replay")

// Replayer answers a run, and the saved scripts that it runs, from a record.
type Replayer struct {
	Source   string // of the script that is replayed
	Parallel int    // how many of its calls may be under way at once
	BindAnew bool   // it is bound to the tools of today

	run      *record.Run
	gate     *record.Gate
	journal  *journal.Journal   // of a resumed run; nil for a replay, which sends nothing
	readings map[string][]int64 // of the clock, by path

	mu       sync.Mutex
	changed  *sync.Cond // a field of a Script
	asked    int        // calls
	waiting  map[int]*askedCall
	scripts  map[*Script]bool // that run
	made     int              // calls that were answered from the record
	diverged *record.Divergence
	over     bool // the script got to where its run was ended
	live     bool // the run has left its record behind
}

// askedCall is a call that waits for its reply.
type askedCall struct {
	by   *Script
	done chan struct{} // closed when the following are known
	made *record.Made  // the call of the record; nil if it has none
	live bool          // the call is to be made, and made continues
}

// Script answers one script of the run.
type Script struct {
	of              *Replayer
	path            string
	asked, answered int       // calls
	running         int       // of them those of RunScript that are under way
	still           bool      // nothing of it moves
	next            time.Time // when its next timer goes off; zero: none is set
	advance         bool      // that timer is to go off
}

// New returns the Replayer of a record. j is the journal of the run if that is resumed,
// else nil.
func New(r *record.Run, g *record.Gate, j *journal.Journal) *Replayer {
	p := &Replayer{run: r, gate: g, journal: j, readings: map[string][]int64{}, waiting: map[int]*askedCall{},
		scripts: map[*Script]bool{}}
	p.changed = sync.NewCond(&p.mu)
	older := false
	for _, l := range r.Lines {
		switch l := l.(type) {
		case *record.Attempt:
			older = true // an attempt that gets further records all readings again
		case *record.Note:
			if older && len(l.Clock) > 0 {
				older = false
				clear(p.readings)
			}
			for _, c := range l.Clock {
				p.readings[c.Path] = append(p.readings[c.Path], c.At)
			}
		}
	}
	return p
}

// Enter notes that the worker of a script begins. Unless the run is live, the script is told
// what it read from its clock.
func (p *Replayer) Enter(path string, s *worker.Script) *Script {
	w := &Script{of: p, path: path}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live {
		return w
	}
	p.scripts[w] = true
	own := map[string][]int64{}
	for at, readings := range p.readings {
		if rest, ok := strings.CutPrefix(at, path); ok {
			own[rest] = readings
		}
	}
	s.Resume = p.journal != nil
	s.Replay = &worker.Replay{Begin: p.run.Begin.Time.UnixNano(), Readings: own, CPUs: p.run.Begin.CPUs}
	return w
}

// Leave notes that the worker has ended.
func (w *Script) Leave() {
	p := w.of
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.scripts, w)
	for n, c := range p.waiting { // calls that its script did not wait for
		if c.by == w {
			p.gate.Leave(n)
			delete(p.waiting, n)
		}
	}
}

// Tools returns what the script was compiled with, and its line, which may be nil. Both are
// nil if the script is to be bound to the tools of today.
func (w *Script) Tools(n *worker.Needs) (*record.Tools, *worker.Tools, error) {
	p := w.of
	var line *record.Tools
	for _, l := range p.run.Lines { // of several attempts the last
		if l, ok := l.(*record.Tools); ok && l.Path == w.path {
			line = l
		}
	}
	out := &worker.Tools{Go: true}
	switch {
	case p.BindAnew, p.journal != nil && line == nil:
		return nil, nil, nil
	case p.journal == nil && w.path == "" && n.Probe && !n.Broken:
		return nil, nil, ErrNothingToReplay
	case line == nil:
		return nil, out, nil
	}
	for _, u := range line.Units {
		source, err := p.run.Text(u.Source)
		if err != nil {
			return nil, nil, err
		}
		out.Units = append(out.Units, worker.Unit{Path: u.Path, Name: u.Name, Source: source})
	}
	if len(line.Unresolved) > 0 {
		if err := json.Unmarshal(line.Unresolved, &out.Unresolved); err != nil {
			return nil, nil, fmt.Errorf("the record's phrases: %w", err)
		}
	}
	return line, out, nil
}

// Saved returns the saved script that a call of RunScript ran. known is false if the record
// does not have it.
func (w *Script) Saved(path, name string) (s *library.Script, known bool, err error) {
	var child *record.Child
	for _, c := range w.of.run.Children {
		if c.Name == name && (child == nil || c.Path == path) {
			child = c // one of another path is what another worker of a pool ran
		}
	}
	switch {
	case child == nil:
		return nil, false, errors.New("the record does not have this script")
	case child.Error != "":
		return nil, true, errors.New(child.Error)
	}
	source, err := w.of.run.Text(child.Script)
	return &library.Script{Name: name, Source: source}, true, err
}

// Ask answers a call of the script. If neither an answer nor an error is returned, the run is
// live and the call is to be made; made is the call of the record that continues, or nil.
func (w *Script) Ask(ctx context.Context, path string, call *worker.Call, args json.RawMessage) (
	a *worker.Answer, made *record.Made, err error) {
	p, c := w.of, &askedCall{by: w, done: make(chan struct{})}
	p.mu.Lock()
	if p.live {
		p.mu.Unlock()
		return nil, nil, nil
	}
	w.asked++
	p.changed.Broadcast()
	p.asked++
	p.waiting[p.asked] = c
	if reply, ok := p.gate.Ask(&record.Question{N: p.asked, Path: path, Place: call.Place, Tool: call.Tool,
		Args: string(args), Alone: call.Alone && len(p.scripts) == 1}); ok {
		p.reply(reply)
	}
	p.mu.Unlock()
	select {
	case <-c.done:
		if !c.live {
			a, err = p.answer(c.made)
		}
		return a, c.made, err
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

// answer returns what the script got for a call.
func (p *Replayer) answer(m *record.Made) (a *worker.Answer, err error) {
	a = &worker.Answer{}
	switch {
	case m.Guess != nil:
		a.At = m.Guess.Time
		a.Result, err = p.run.Value(m.Guess.Result)
	case m.Settle != nil && m.Settle.Happened:
		a.At = m.Settle.Time
		a.Result, err = p.run.Value(m.Settle.Result)
	case m.Done.Error != "":
		a.At, err = m.Done.Time, errors.New(m.Done.Error)
		if m.Done.Kind == record.Uncertain && m.Call.Class != record.Read {
			err = &worker.CallError{Code: bridge.CodeUncertain, Err: err}
		}
	case m.Done.Result.Redacted: // the caller has it read again
		a.At = m.Done.Time
	default:
		a.At = m.Done.Time
		a.Result, err = p.run.Value(m.Done.Result)
	}
	return a, err
}

// reply hands the answer to the call that waits for it. The caller holds the lock.
func (p *Replayer) reply(r record.Reply) {
	c := p.waiting[r.N]
	delete(p.waiting, r.N)
	p.made++
	c.by.answer()
	c.made = r.Made
	close(c.done)
}

// answer notes that a call of the script is answered. The caller holds the lock.
func (w *Script) answer() {
	w.answered++
	w.still = false
	w.of.changed.Broadcast()
}

// RunScript notes that the script calls RunScript. ended is called when that returns, and told
// whether the script gets an answer.
func (w *Script) RunScript() (ended func(answered bool)) {
	p := w.of
	p.mu.Lock()
	defer p.mu.Unlock()
	w.asked++
	w.running++
	p.changed.Broadcast()
	return func(answered bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if w.running--; answered {
			w.answer()
		}
	}
}

// Live reports whether the run has left its record behind.
func (w *Script) Live() bool {
	w.of.mu.Lock()
	defer w.of.mu.Unlock()
	return w.of.live
}

// goLive lets all calls that wait be made. The caller holds the lock.
func (p *Replayer) goLive() {
	p.live = true
	for n, c := range p.waiting {
		c.made, c.live = p.gate.Continues(n), true
		close(c.done)
	}
	clear(p.waiting)
	p.journal.GoLive()
	p.changed.Broadcast()
}

// Still answers a worker in whose script nothing moves: its next timer goes off, or the run is
// live, or one of its calls has just been answered.
func (w *Script) Still(ctx context.Context, next time.Time, waiting, answered int) (worker.Next, error) {
	p := w.of
	defer context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.changed.Broadcast()
	})()
	p.mu.Lock()
	defer p.mu.Unlock()
	for ; ctx.Err() == nil; p.changed.Wait() {
		switch {
		case p.live:
			return worker.Live, nil
		case w.answered > answered: // the answer is on its way
			return worker.Await, nil
		case w.asked < waiting+answered: // a call is on its way
			continue
		case !w.still:
			w.still, w.next = true, next
			if err := p.decide(); err != nil {
				return worker.Await, err
			}
		}
		switch {
		case p.live:
			return worker.Live, nil
		case w.advance:
			w.still, w.advance = false, false
			return worker.Advance, nil
		case w.answered > answered:
			return worker.Await, nil
		}
	}
	return worker.Await, ctx.Err()
}

// errOver ends the replay of a run that was ended.
var errOver = errors.New("the run was ended here")

// decide answers one script if nothing moves in any of them. The caller holds the lock.
func (p *Replayer) decide() error {
	var first *Script
	scripts := 1
	for w := range p.scripts {
		if !w.still {
			return nil
		}
		if w.running > 0 { // one of its saved scripts at a time
			scripts++
		}
		if !w.next.IsZero() && (first == nil || w.next.Before(first.next)) {
			first = w
		}
	}
	if len(p.scripts) < scripts { // a saved script is about to begin, or has just ended
		return nil
	}
	var next time.Time
	if first != nil {
		next = first.next
	}
	m := p.gate.Still(next)
	switch {
	case m.Reply != nil:
		p.reply(*m.Reply)
	case m.Live:
		p.goLive()
	case p.journal == nil && slices.Contains(killed, p.recorded()) && (!m.Advance || next.After(p.run.End.Time)) &&
		(m.Diverged == nil || m.Diverged.Unasked == nil):
		p.over = true
		return errOver
	case m.Diverged != nil:
		p.diverged = m.Diverged
		return m.Diverged
	case m.Advance:
		first.advance = true
		p.changed.Broadcast()
	}
	return nil
}
