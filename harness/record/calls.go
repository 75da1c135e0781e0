package record

import (
	"fmt"
	"iter"
	"slices"
	"time"
)

// Made is one call of a run with everything that the record has about it.
type Made struct {
	*Call          // nil for a call that a dry run did not send
	Guess  *Guess  // the answer that a dry run made up instead, or nil
	Done   *Done   // nil while it is under way or if its outcome is unknown
	Settle *Settle // a person's report about it, or nil
	// Round is the request for input, or the task, that its server waits for. It is nil if there is
	// neither, or if we have replied since.
	Round *Round

	state State
	bad   error     // the first impossible transition
	sent  time.Time // when its last request was sent
}

// Line returns the line of the call. For a call that was not sent, it is the line that would have
// been written.
func (m *Made) Line() *Call {
	if m.Call != nil {
		return m.Call
	}
	g := m.Guess
	return &Call{Head: g.Head, N: g.N, Path: g.Path, Place: g.Place, Class: g.Class, Tool: g.Tool, Args: g.Args}
}

// AllTools yields the tools of the run's scripts. A tool of several Tools lines is yielded several
// times.
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

// Source describes where the answer of a call in the ledger came from.
func (g *Guess) Source() string {
	if g.From == "" {
		return "answer made up"
	}
	return "answered from run " + g.From
}

// Result returns the result that the script got or a person gave. It is zero if unknown.
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

// State returns the state of a call by its lines, and an error if one of them cannot follow. alive
// reports whether the process that made it may still be running it.
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

// SentAt returns when the call, or our last reply to its server, was sent.
func (m *Made) SentAt() time.Time { return m.sent }

// Lost reports whether the run ended before the script could learn that the call's outcome is
// unknown.
func (m *Made) Lost() bool { return m.Done != nil && m.Done.Kind == Uncertain && m.Done.Cut }

// step applies an event to the call.
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

// made returns call n, and adds it if it is new.
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

// addCall adds the line of a call that begins or is repeated.
func (r *Run) addCall(l *Call) {
	m := r.made(l.N)
	a := r.asks[l.Ask]
	if a != nil {
		if m.state = a.State(l.Time); a.Answer != nil && a.Answer.Yes {
			m.state = Granted // also for all calls of a tool; its time was checked before
		}
		if a.Used == nil {
			a.Used = l
		}
	}
	switch {
	case m.state == Denied && a != nil: // the line has the denied call, and its Done what the script got
	case m.state == Unknown && l.Class == Idempotent:
		m.step(onRepeat)
	default:
		m.step(onCall)
	}
	*m = Made{Call: l, state: m.state, bad: m.bad, sent: l.Time}
	r.track(m)
}

// addToCall adds another line of a call.
func (r *Run) addToCall(n int, l Line) {
	m := r.calls[n]
	if m == nil {
		return
	}
	if m.Call == nil { // a guess
		if l, ok := l.(*Done); ok {
			m.Done = l
		}
		return
	}
	switch l := l.(type) {
	case *Done:
		switch {
		case m.state == Denied && l.Kind == NotSent:
		case m.state == Sent && l.Denied: // by policy
			m.state = Planned
			m.step(onDenied)
		case m.Done != nil && m.Done.reported(): // the error that the script got is final
			return
		default:
			m.step(eventOf(l))
		}
		m.Done = l
		if a := r.asks[m.Call.Ask]; a != nil && a.Used == m.Call && l.Kind == NotSent && l.Cut {
			a.Used = nil // the approval is for the repetition
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

// endProcess handles the end of the process that wrote the lines so far.
func (r *Run) endProcess() {
	for m := range r.sent {
		m.step(onLost)
	}
	clear(r.sent)
}

// Unknown returns the effect calls whose outcome is unknown and was not reported to the script.
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

// Question returns the open question that the server of a call asks a person, or nil.
func (r *Run) Question(m *Made) *Asked {
	if m.Round == nil {
		return nil
	}
	for _, a := range slices.Backward(r.Asks) {
		if a.N == m.N && a.Ask.Time.After(m.Round.Time) { // not of an earlier round
			return a
		}
	}
	return nil
}

// unanswered reports whether the question of a call's server has expired without an answer.
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
