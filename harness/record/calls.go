package record

import (
	"fmt"
	"iter"
	"slices"
	"time"
)

// Made is one call of a run with all that is known of it.
type Made struct {
	*Call          // nil in a dry run, for a call that was not sent
	Guess  *Guess  // instead
	Done   *Done   // nil: it is under way, or nothing is known of it
	Settle *Settle // nil
	// Round is what its server waits for, or the task that it is; nil: neither, or we
	// have answered since.
	Round *Round

	state State
	bad   error     // why its lines cannot be
	sent  time.Time // when the last of it was
}

// Line is the line of the call; of one that was not sent, what that would have been.
func (m *Made) Line() *Call {
	if m.Call != nil {
		return m.Call
	}
	g := m.Guess
	return &Call{Head: g.Head, N: g.N, Path: g.Path, Place: g.Place, Class: g.Class, Tool: g.Tool, Args: g.Args}
}

// AllTools yields the tools of the run's scripts; one of several lines is there as often.
func (r *Run) AllTools() iter.Seq[*Tool] {
	return func(yield func(*Tool) bool) {
		for _, l := range r.Lines {
			if l, ok := l.(*Tools); ok {
				for i := range l.Tools {
					if !yield(&l.Tools[i]) {
						return
					}
				}
			}
		}
	}
}

// Ledger returns the calls that a dry run did not make, in the order in which the script
// asked for them.
func (r *Run) Ledger() (out []*Guess) {
	for _, m := range r.Calls {
		if m.Guess != nil {
			out = append(out, m.Guess)
		}
	}
	return out
}

// Source says in words where the answer of a call in the ledger came from.
func (g *Guess) Source() string {
	if g.From == "" {
		return "after that an answer was made up"
	}
	return "answered from run " + g.From
}

// Result is what the script got, or what a person says that it would have got; the
// zero Data where nobody knows.
func (m *Made) Result() Data {
	switch {
	case m.Settle != nil && !m.Settle.Result.IsZero():
		return m.Settle.Result
	case m.Done != nil:
		return m.Done.Result
	case m.Guess != nil:
		return m.Guess.Result
	}
	return Data{}
}

// State is the state of a call by its lines; an error says which of them cannot
// follow. alive: the process that made it may still be at it.
func (m *Made) State(alive bool) (State, error) {
	s := m.state
	switch {
	case s == "":
		s = Planned
	case s == Sent && !alive:
		s = Unknown
	}
	if m.bad != nil {
		return s, fmt.Errorf("call %d: %w", m.Line().N, m.bad)
	}
	return s, nil
}

// SentAt returns when the call, or our last answer to its server, was sent.
func (m *Made) SentAt() time.Time { return m.sent }

// Lost reports whether nobody knew what became of the call when its run ended, and
// the script was not told so.
func (m *Made) Lost() bool { return m.Done != nil && m.Done.Kind == Uncertain && m.Done.Cut }

// step is told what happened to the call.
func (m *Made) step(e event) {
	if m.state == "" {
		m.state = Planned
	}
	next, err := m.state.After(e)
	if err != nil && m.bad == nil {
		m.bad = err
	}
	m.state = next
}

// made returns the call of a number, which is new or there already.
func (r *Run) made(n int) *Made {
	if r.calls[n] == nil {
		if r.calls == nil {
			r.calls = map[int]*Made{}
		}
		r.calls[n] = &Made{}
		r.Calls = append(r.Calls, r.calls[n])
	}
	return r.calls[n]
}

// addCall takes the line of a call that begins, or is made again.
func (r *Run) addCall(l *Call) {
	m := r.made(l.N)
	a := r.asks[l.Ask]
	if a != nil {
		if m.state = a.State(l.Time); a.Answer != nil && a.Answer.Yes {
			m.state = Granted // also for all calls of a tool; that it was in time was seen before
		}
		if a.Used == nil {
			a.Used = l
		}
	}
	switch {
	case m.state == Denied && a != nil: // the line says what was denied; its Done, what the script got
	case m.state == Unknown && l.Class == Again:
		m.step(onAgain)
	default:
		m.step(onCall)
	}
	*m = Made{Call: l, state: m.state, bad: m.bad, sent: l.Time}
	r.track(m)
}

// addToCall takes another line of a call.
func (r *Run) addToCall(n int, l Line) {
	m := r.calls[n]
	if m == nil {
		return
	}
	if m.Call == nil { // of a guess
		if l, ok := l.(*Done); ok {
			m.Done = l
		}
		return
	}
	switch l := l.(type) {
	case *Done:
		switch {
		case m.state == Denied && l.Kind == NotSent:
		case m.state == Sent && l.Denied: // by policy: the line of the call says what was denied
			m.state = Planned
			m.step(onDenied)
		case m.Done != nil && m.Done.told(): // what the script was told stays
			return
		default:
			m.step(eventOf(l))
		}
		m.Done = l
		if a := r.asks[m.Call.Ask]; a != nil && a.Used == m.Call && l.Kind == NotSent && l.Cut {
			a.Used = nil // the script makes it again, and the yes was for that
		}
	case *Settle:
		if m.state == Waiting && r.unanswered(m, l.Time) {
			m.step(onExpired)
		}
		m.step(eventOf(l))
		m.Settle = l
	case *Round:
		m.step(eventOf(l))
		m.Round = l
		if l.Sent {
			m.Round, m.sent = nil, l.Time
		}
	}
	r.track(m)
}

// track notes whether a call is under way.
func (r *Run) track(m *Made) {
	if m.state != Sent {
		delete(r.sent, m)
		return
	}
	if r.sent == nil {
		r.sent = map[*Made]bool{}
	}
	r.sent[m] = true
}

// lose is told that the process that wrote the lines before is gone.
func (r *Run) lose() {
	for m := range r.sent {
		m.step(onLost)
	}
	clear(r.sent)
}

// Unknown are the calls that are no reads, of which nobody knows what became, and of
// which the script was not told so.
func (r *Run) Unknown() []*Made {
	now := r.Now()
	var out []*Made
	for _, m := range r.Calls {
		if m.Call == nil || m.Class == Read {
			continue
		}
		s, _ := m.State(r.Running)
		if s == Unknown || s == Waiting && r.unanswered(m, now) {
			out = append(out, m)
		}
	}
	return out
}

// Question is what the server of a call waits for that a person is asked, nil where
// nobody is.
func (r *Run) Question(m *Made) *Asked {
	if m.Round == nil {
		return nil
	}
	for _, a := range slices.Backward(r.Asks) {
		if a.N == m.N && a.Ask.Time.After(m.Round.Time) { // not one of a round before
			return a
		}
	}
	return nil
}

// unanswered reports whether nobody has answered in time what the server of a call
// asked.
func (r *Run) unanswered(m *Made, now time.Time) bool {
	a := r.Question(m)
	return a != nil && a.Answer == nil && a.State(now) == Denied
}

// Now returns the later of the clock and the time of the record's last line.
func (r *Run) Now() time.Time {
	now := time.Now()
	if r.stored.Clock != nil {
		now = r.stored.Clock()
	}
	if last := r.Lines[len(r.Lines)-1].head().Time; last.After(now) {
		return last
	}
	return now
}
