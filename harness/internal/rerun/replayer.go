// Package rerun runs a script again from the record of its run. A replay calls no server. A
// resumed run sends calls after it has repeated those of its record. Until then a record.Gate
// decides which recorded call answers which call of the script, and the script's clock shows
// the times of the record. Compare returns the difference between a replay and its record, and
// Resumable reports whether a run can be resumed.
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

// ErrNothingToReplay is returned if the record has no script, or its script never began.
var ErrNothingToReplay = errors.New("no script began in this run: there is nothing to replay")

// Replayer answers a run, and the saved scripts that it runs, from its record.
type Replayer struct {
	Source   string // of the replayed script
	Parallel int    // maximum number of its concurrent calls
	BindAnew bool   // the script is bound to the current tools

	run      *record.Run
	gate     *record.Gate
	journal  *journal.Journal   // of a resumed run; nil for a replay, which sends no calls
	readings map[string][]int64 // of the clock, by path

	mu       sync.Mutex
	changed  *sync.Cond // signals a change of a Script's fields
	asked    int        // number of calls
	waiting  map[int]*askedCall
	scripts  map[*Script]bool // running scripts
	made     int              // number of calls answered from the record
	diverged *record.Divergence
	over     bool // the script reached the place where its run was killed
	live     bool // the run is past its record
}

// askedCall is a call that waits for its answer.
type askedCall struct {
	by   *Script
	done chan struct{} // closed when the following fields are set
	made *record.Made  // the recorded call, or nil
	live bool          // the call must be sent, and continues made
}

// Script answers one script of the run.
type Script struct {
	of              *Replayer
	path            string
	asked, answered int       // number of calls
	running         int       // number of RunScript calls under way among them
	still           bool      // nothing in the script moves
	next            time.Time // when its next timer fires; zero if none is set
	advance         bool      // that timer must fire
}

// New returns the Replayer of a record. j is the journal of a resumed run, or nil for a replay.
func New(r *record.Run, g *record.Gate, j *journal.Journal) *Replayer {
	p := &Replayer{run: r, gate: g, journal: j, readings: map[string][]int64{}, waiting: map[int]*askedCall{},
		scripts: map[*Script]bool{}}
	p.changed = sync.NewCond(&p.mu)
	older := false
	for _, l := range r.Lines {
		switch l := l.(type) {
		case *record.Attempt:
			older = true // an attempt that goes live records all readings again
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

// Enter adds the script of a starting worker. Unless the run is live, it sets the script's
// replay with its recorded clock readings.
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

// Leave removes the script of a worker that has ended.
func (w *Script) Leave() {
	p := w.of
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.scripts, w)
	for n, c := range p.waiting { // calls that the script did not wait for
		if c.by == w {
			p.gate.Abandon(n)
			delete(p.waiting, n)
		}
	}
}

// Tools returns the recorded packages that the script was compiled with, and their line, which
// may be nil. Both are nil if the script must be bound to the current tools.
func (w *Script) Tools(n *worker.Needs) (*record.Tools, *worker.Tools, error) {
	p := w.of
	var line *record.Tools
	for _, l := range p.run.Lines { // the last of several attempts
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

// Saved returns the saved script that a RunScript call ran. known is false if the record does
// not contain it.
func (w *Script) Saved(path, name string) (s *library.Script, known bool, err error) {
	var child *record.Child
	for _, c := range w.of.run.Children {
		if c.Name == name && (child == nil || c.Path == path) {
			child = c // another path means that another worker of a pool ran it
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

// Ask answers a call of the script. If it returns neither an answer nor an error, the run is
// live and the call must be sent; made is the recorded call that continues, or nil.
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

// answer returns the recorded answer of a call.
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
	case m.Done.Result.Redacted: // the caller repeats the read
		a.At = m.Done.Time
	default:
		a.At = m.Done.Time
		a.Result, err = p.run.Value(m.Done.Result)
	}
	return a, err
}

// reply passes the answer to its waiting call. The caller holds the lock.
func (p *Replayer) reply(r record.Reply) {
	c := p.waiting[r.N]
	delete(p.waiting, r.N)
	p.made++
	c.by.answer()
	c.made = r.Made
	close(c.done)
}

// answer records that a call of the script was answered. The caller holds the lock.
func (w *Script) answer() {
	w.answered++
	w.still = false
	w.of.changed.Broadcast()
}

// RunScript records that the script calls RunScript. Call ended when that returns; answered
// reports whether the script gets an answer.
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

// Live reports whether the run is past its record.
func (w *Script) Live() bool {
	w.of.mu.Lock()
	defer w.of.mu.Unlock()
	return w.of.live
}

// goLive releases all waiting calls to be sent. The caller holds the lock.
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

// Still answers a worker whose script does not move: its next timer fires, the run is live, or
// one of its calls has just been answered.
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

// errOver ends the replay of a run that was killed.
var errOver = errors.New("the run was ended here")

// decide answers one script if no script moves. The caller holds the lock.
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
	m := p.gate.Idle(next)
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
