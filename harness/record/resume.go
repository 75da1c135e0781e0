package record

import (
	"fmt"
	"strings"
	"time"
)

// repeatWindow is how long an idempotent call with an unknown outcome may be repeated.
const repeatWindow = 5 * time.Minute

// Resume returns the gate of a resumed run. It returns an *UnknownError for effect calls with an
// unknown outcome, and another error if the record lacks a result that the script needs. server
// returns the server of a tool's ID; if nil, it is the part before the first dot.
//
// Two kinds of unanswered calls continue once the run is live (see Continues): calls whose server
// waits for our reply, and idempotent calls. The latter are repeated once, within 5 minutes, if no
// other effect call was sent to their server since.
func Resume(r *Run, server func(tool string) string) (*Gate, error) {
	if server == nil {
		server = func(tool string) string { s, _, _ := strings.Cut(tool, "."); return s }
	}
	g := newGate(r)
	g.resume = true
	order, dry := answers(r), r.DryCalls()
	unknown, repeatable := map[*Made]bool{}, r.repeatable(server)
	for _, m := range r.Unknown() {
		unknown[m] = true
	}
	var none []*Made
	for _, m := range r.Calls {
		if m.Call == nil && m.Guess == nil {
			return nil, fmt.Errorf("the record has the answer of call %d, but not the call", m.Done.N)
		}
		if m.Call == nil || dry[m.Call] {
			continue
		}
		if unknown[m] && !repeatable(m) {
			none = append(none, m)
			continue
		}
		l, err := resumed(m)
		if err != nil {
			return nil, err
		}
		if l == nil {
			continue
		}
		l.order = order[m.N]
		if err := g.add(l); err != nil {
			return nil, err
		}
		g.noteTime(m.Call.Time)
		g.noteTime(m.when())
	}
	for _, n := range r.Notes {
		g.noteTime(n.Time)
	}
	if len(none) > 0 {
		return nil, &UnknownError{none}
	}
	return g, g.collectAsks()
}

// noteTime notes a time at which the script was running.
func (g *Gate) noteTime(at time.Time) {
	if at.After(g.end) {
		g.end = at
	}
}

// resumed returns a call of the record for the gate of a resumed run. If it returns nil, the script's
// call is a new one.
func resumed(m *Made) (*gated, error) {
	l := &gated{Made: m, required: m.Class != Read, given: true}
	s, err := m.State(false)
	switch {
	case err != nil:
		return nil, err
	case s == Planned: // a person reported that it did not happen
		return nil, nil
	case s == Unknown && m.Class == Read:
		return nil, nil
	case s == Waiting, s == Unknown:
		l.given = false
	case s == Failed || s == Denied:
		if l.required = false; m.Done == nil || m.Done.Cut {
			return nil, nil
		}
	case m.Settle != nil && m.Settle.Result.IsZero():
		return nil, fmt.Errorf("call %d (%s) happened, but its result is unknown", m.N, m.Tool)
	case m.Class == Read && m.Done != nil && m.Done.Cut:
		return nil, nil
	case m.Class != Read && m.Result().Redacted:
		return nil, redactedError(m)
	}
	return l, nil
}

// repeatable returns a function that reports whether a call with an unknown outcome may be repeated.
func (r *Run) repeatable(server func(tool string) string) func(m *Made) bool {
	times := map[int]int{}     // how often a call was sent
	last := map[string]*Made{} // the last effect call that was sent to a server
	for _, l := range r.Lines {
		c, ok := l.(*Call)
		if !ok || c.Class == Read {
			continue
		}
		times[c.N]++
		m := r.calls[c.N]
		if s, _ := m.State(false); s != Failed && s != Denied && m.Call == c {
			last[server(c.Tool)] = m
		}
	}
	now := r.Now()
	return func(m *Made) bool {
		s, _ := m.State(false)
		return m.Class == Idempotent && s == Unknown && !now.After(m.sent.Add(repeatWindow)) && times[m.N] == 1 &&
			last[server(m.Tool)] == m
	}
}

// UnknownError lists the effect calls whose outcome is unknown. A person must settle them before
// the run can be resumed.
type UnknownError struct{ Calls []*Made }

func (e *UnknownError) Error() string {
	m := e.Calls[0]
	more := ""
	if n := len(e.Calls) - 1; n > 0 {
		more = fmt.Sprintf(", and of %d more", n)
	}
	return fmt.Sprintf("the outcome of call %d is unknown: %s at %s%s", m.N, madeText(m), placeText(m.Place), more)
}

// opens reports whether a resumed run is live. It is called when the script is idle and no call
// waits for a recorded answer. The script must have repeated all effect calls that were sent, and
// must wait for a call, or for a timer after the end of the record.
func (g *Gate) opens(next time.Time) bool {
	if !g.resume || g.left > 0 {
		return false
	}
	return len(g.held) > 0 || len(g.taken) > 0 || !next.IsZero() && !next.Before(g.end)
}

// Continues returns the call of the record that call n of the script continues when the run is
// live. Its server waits for our reply (Made.Round), or it is repeated with its number and key. If
// nil, call n is new.
func (g *Gate) Continues(n int) *Made {
	for _, a := range g.taken {
		if a.question.N == n {
			return a.Made
		}
	}
	return nil
}

// asksLeft are the Asks of a run that no call has used. ledger is that with A Ledger, or nil.
type asksLeft struct {
	list   []*gatedAsk
	ledger *Asked
	calls  map[string]int // unused calls of the ledger, by tool and arguments
}

type gatedAsk struct {
	*Asked
	args     string
	returned bool
}

// collectAsks collects the unused asks.
func (g *Gate) collectAsks() error {
	for _, a := range g.run.Asks {
		switch {
		case a.N != 0 || a.A != Ledger && a.Used != nil || a.expired(g.run.Now()): // these need a new answer
		case a.A == Ledger:
			g.asks.ledger = a
		default:
			args, err := g.run.Value(a.Args)
			if a.Args.Redacted {
				args, err = []byte(anyArgs), nil
			}
			if err != nil {
				return fmt.Errorf("the arguments of the pending call %s: %w", a.A, err)
			}
			g.asks.list = append(g.asks.list, &gatedAsk{Asked: a, args: string(args)})
		}
	}
	if g.asks.ledger == nil {
		return nil
	}
	g.asks.calls = map[string]int{}
	for _, l := range g.run.Lines {
		switch l := l.(type) {
		case *Guess:
			g.asks.calls[l.Tool+"\x00"+digestOf(l.Args)]++
		case *Call:
			if l.Ask == Ledger {
				g.asks.calls[l.Tool+"\x00"+digestOf(l.Args)]--
			}
		}
	}
	return nil
}

// AskFor returns the record's Ask for a new call, or nil if it has none or its approval has expired.
// It prefers an unused Ask with the same path, place, tool and arguments, then one with the same
// line, tool and arguments, then the Ask for all effect calls of a dry run that has the call. It
// returns each Ask once, and that of a dry run once per call in it.
func (g *Gate) AskFor(path, place, tool, args string) *Asked {
	for _, exact := range []bool{true, false} {
		for _, a := range g.asks.list {
			if a.returned || a.Tool != tool || !g.hasArgs(a, args) {
				continue
			}
			if exact && a.Path == path && a.Place == place || !exact && PlaceLine(a.Place) == PlaceLine(place) {
				a.returned = true
				return a.Asked
			}
		}
	}
	key := tool + "\x00" + digestOf(Raw([]byte(args)))
	if g.asks.ledger != nil && g.asks.calls[key] > 0 {
		g.asks.calls[key]--
		return g.asks.ledger
	}
	return nil
}

// hasArgs reports whether an ask has exactly these arguments. If secrets in them were hidden, it
// compares digests.
func (g *Gate) hasArgs(a *gatedAsk, args string) bool {
	if a.args != anyArgs {
		return a.args == args
	}
	same, err := g.run.Same(a.Args, []byte(args))
	return same && err == nil
}
