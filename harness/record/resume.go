package record

import (
	"fmt"
	"strings"
	"time"
)

// againFor is for how long a call that does the same however often it is made is made
// again, where nobody knows what became of it.
const againFor = 5 * time.Minute

// Resume returns the gate of a run that is gone on with. Calls of which nobody knows
// what became are an *UnknownError, and so it goes no further than a record that
// lacks the answer of a call that was made. server is the server of a tool's ID; nil:
// what stands before its first dot.
//
// Calls that were not answered when the run ended go on once it is live (see
// Continues) where their servers wait for an answer of ours, or
// where they do the same however often they are made: those are made again within 5
// minutes, if no other effect call was sent to their server since.
func Resume(r *Run, server func(tool string) string) (*Gate, error) {
	if server == nil {
		server = func(tool string) string { s, _, _ := strings.Cut(tool, "."); return s }
	}
	g := newGate(r)
	g.resume = true
	order, dry := answers(r), r.DryCalls()
	unknown, again := map[*Made]bool{}, r.again(server)
	for _, m := range r.Unknown() {
		unknown[m] = true
	}
	var none []*Made
	for _, m := range r.Calls {
		if m.Call == nil && m.Guess == nil {
			return nil, fmt.Errorf("the record has the answer of call %d and not the call", m.Done.N)
		}
		if m.Call == nil || dry[m.Call] {
			continue
		}
		if unknown[m] && !again(m) {
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
		g.ends(m.Call.Time)
		g.ends(m.when())
	}
	for _, n := range r.Notes {
		g.ends(n.Time)
	}
	if len(none) > 0 {
		return nil, &UnknownError{none}
	}
	return g, g.keepAsks()
}

// ends notes when the script did something.
func (g *Gate) ends(at time.Time) {
	if at.After(g.end) {
		g.end = at
	}
}

// resumed is what a call is to the gate of a run that is gone on with; nil: nothing,
// if the script makes it it is a new one.
func resumed(m *Made) (*gated, error) {
	l := &gated{Made: m, required: m.Class != Read, given: true}
	s, err := m.State(false)
	switch {
	case err != nil:
		return nil, err
	case s == Planned: // a person says that it did not happen
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
		return nil, fmt.Errorf("call %d (%s) happened, but its result has not been given", m.N, m.Tool)
	case m.Class == Read && m.Done != nil && m.Done.Cut:
		return nil, nil
	case m.Class != Read && m.Result().Redacted:
		return nil, redactedError(m)
	}
	return l, nil
}

// again returns whether a call of which nobody knows what became may be made again.
func (r *Run) again(server func(tool string) string) func(m *Made) bool {
	times := map[int]int{}     // that a call was sent
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
		return m.Class == Again && s == Unknown && !now.After(m.sent.Add(againFor)) && times[m.N] == 1 &&
			last[server(m.Tool)] == m
	}
}

// UnknownError says of which calls of a run nobody knows what became: a person must
// say it before the run can go on.
type UnknownError struct{ Calls []*Made }

func (e *UnknownError) Error() string {
	m := e.Calls[0]
	more := ""
	if n := len(e.Calls) - 1; n > 0 {
		more = fmt.Sprintf(", and of %d more", n)
	}
	return fmt.Sprintf("the outcome of call %d is unknown: %s at %s%s", m.N, madeText(m), placeText(m.Place), more)
}

// passes reports whether a run that is gone on with is live, when nothing moves and no
// call waits for an answer that the record has: the script has made all calls that
// were sent and are no reads, and it waits for a call, or for a timer that the record
// does not reach beyond.
func (g *Gate) passes(next time.Time) bool {
	if !g.resume || g.left > 0 {
		return false
	}
	return len(g.held) > 0 || len(g.taken) > 0 || !next.IsZero() && !next.Before(g.end)
}

// Continues returns the call of the record that a call of the script goes on with when
// the run is live: its server waits for our answer
// (Made.Round), or it is made again, with its number and key. nil: it is a new call.
func (g *Gate) Continues(n int) *Made {
	for _, a := range g.taken {
		if a.question.N == n {
			return a.Made
		}
	}
	return nil
}

// asksLeft are the asks of a run that no call has used.
type asksLeft struct {
	list   []*gatedAsk
	ledger *Asked
	calls  map[string]int // that are left of the ledger, by tool and arguments
}

type gatedAsk struct {
	*Asked
	args string
	gone bool
}

// keepAsks finds what has been asked and not been used.
func (g *Gate) keepAsks() error {
	for _, a := range g.run.Asks {
		switch {
		case a.N != 0 || a.A != Ledger && a.Used != nil || a.expired(g.run.Now()): // the person is asked anew
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

// AskFor returns what a person was asked, or said, of a call that is new: the first
// ask that no call has used, with its path, place, tool and arguments, or else with
// its line, tool and arguments; or that for the ledger that has it. nil: nobody was
// asked, or the yes has expired. Each is returned once, and that for a ledger as often
// as the ledger has the call.
func (g *Gate) AskFor(path, place, tool, args string) *Asked {
	for _, exact := range []bool{true, false} {
		for _, a := range g.asks.list {
			if a.gone || a.Tool != tool || !g.asksFor(a, args) {
				continue
			}
			if exact && a.Path == path && a.Place == place || !exact && PlaceLine(a.Place) == PlaceLine(place) {
				a.gone = true
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

// asksFor reports whether an ask is for these arguments, byte for byte: where secrets
// were hidden in it, by the digest of what it was.
func (g *Gate) asksFor(a *gatedAsk, args string) bool {
	if a.args != anyArgs {
		return a.args == args
	}
	same, err := g.run.Same(a.Args, []byte(args))
	return same && err == nil
}
