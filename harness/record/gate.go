package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/registry"
)

// A Gate answers the calls of a script that runs again from the record of its run.
//
// A call takes the first unused call of the record with the same path, place, tool and arguments. A
// call without such a match is held. When the script is idle, a held call takes one with the same
// line, tool and arguments but another path, because goroutines of a pool may have swapped jobs.
// Answers come in the order of the record; each waits for its turn.
//
// The gate of a resumed run opens when the script has repeated all effect calls that were sent.
// Then the run is live, and calls without an answer are sent. No effect call may be sent earlier,
// because the effect calls of two executions would mix.
//
// The owner of a Gate passes each call to it, and reports when the script is idle. A Gate is not
// safe for concurrent use.
type Gate struct {
	run       *Run
	loose     bool
	resume    bool
	live      bool
	end       time.Time // last time at which the record shows the script running
	lines     []*gated
	byKey     map[string][]*gated // unused calls, in the order of the record
	held      []*Question         // calls without a line, in order of arrival
	taken     []*answer           // calls with a line that are not answered
	abandoned []*Question         // calls without a line that the script abandoned
	left      int                 // required calls that the script has not made
	asks      asksLeft
}

// gated is a call of the record that a Gate can answer a call of the script with.
type gated struct {
	*Made
	line     *Call
	args     string
	order    int  // position of its answer
	required bool // the script must repeat it
	given    bool // the record has its answer
	used     bool
}

type answer struct {
	*gated
	question *Question
}

// Question is a call of the script that runs again.
type Question struct {
	N                 int // number of the call in the script
	Path, Place, Tool string
	Args              string // as they would be sent
	// Alone says that nothing else in the script can move while it waits.
	Alone bool
}

// Reply is the call of the record that answers a question.
type Reply struct {
	N    int // the question's
	Made *Made
}

// Divergence says where a script that runs again departed from its record.
type Divergence struct {
	// Unasked is the first required call of the record that the script did not make, or nil.
	Unasked *Made
	// Asked is the first call of the script that the record does not have, or nil.
	Asked *Question
	// Near is the call of the record that is most like Asked. It is nil if none has the same tool.
	Near *Made
}

func (d *Divergence) Error() string {
	var parts []string
	if q := d.Asked; q != nil {
		parts = append(parts, fmt.Sprintf("the script called %s at %s, which the record does not have",
			callText(q.Tool, q.Args), placeText(q.Place)))
		if d.Near != nil && d.Near != d.Unasked {
			parts = append(parts, fmt.Sprintf("the record has %s at %s", madeText(d.Near), placeText(d.Near.Line().Place)))
		}
	}
	if d.Unasked != nil {
		parts = append(parts, fmt.Sprintf("the record has %s at %s, which the script did not make", madeText(d.Unasked),
			placeText(d.Unasked.Line().Place)))
	}
	return strings.Join(parts, "; ")
}

// NewGate returns the gate of a replay. If loose, the script is not the record's, and calls are
// matched by tool and arguments alone.
func NewGate(r *Run, loose bool) (*Gate, error) {
	g := newGate(r)
	g.loose = loose
	if r.End != nil {
		g.end = r.End.Time
	}
	order, skipped := answers(r), r.skipped()
	for _, m := range r.Calls {
		if m.Call == nil && m.Guess == nil {
			return nil, fmt.Errorf("the record has the answer of call %d, but not the call", m.Done.N)
		}
		if skipped(m) {
			continue
		}
		if m.Result().Redacted {
			return nil, redactedError(m)
		}
		l := &gated{Made: m, order: order[m.Line().N], given: m.answered()}
		l.required = len(r.Attempts) == 0 || m.Line().Class != Read
		if err := g.add(l); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func newGate(r *Run) *Gate { return &Gate{run: r, byKey: map[string][]*gated{}} }

func redactedError(m *Made) error {
	return fmt.Errorf("the record has no complete answer of call %d (%s): it was redacted or not kept",
		m.Line().N, m.Line().Tool)
}

// skipped returns a function that reports whether the last execution of the script went without a
// call of an earlier attempt.
func (r *Run) skipped() func(m *Made) bool {
	live, dry := r.Live(), r.DryCalls()
	return func(m *Made) bool {
		n := len(r.Attempts)
		switch {
		case m.Settle != nil && !m.Settle.Happened:
			return true
		case n == 0 || m.Line().Attempt == r.Attempts[n-1].Number:
			return false
		case m.Guess != nil:
			return live
		}
		return m.Class == Read && !m.answered() || dry[m.Call]
	}
}

// Live opens the gate. Waiting calls are sent, or continue: see Continues.
func (r *Run) Live() bool {
	return slices.ContainsFunc(r.Attempts, func(a *Attempt) bool { return a.Live })
}

// DryCalls returns the calls of a dry run, later resumed live, that followed its first guess. They
// saw a world without the effects that were not made.
func (r *Run) DryCalls() map[*Call]bool {
	if !r.Live() {
		return nil
	}
	dry, guessed := map[*Call]bool{}, false
	for _, l := range r.Lines {
		switch l := l.(type) {
		case *Guess:
			guessed = true
		case *Call:
			if guessed {
				dry[l] = true
			}
		case *Attempt:
			if l.Live {
				return dry
			}
		}
	}
	return dry
}

// answers returns the positions of calls' answers among the lines.
func answers(r *Run) map[int]int {
	at := map[int]int{}
	for i, l := range r.Lines {
		switch l := l.(type) {
		case *Done:
			at[l.N] = i
		case *Guess:
			at[l.N] = i
		case *Settle:
			at[l.N] = i
		}
	}
	return at
}

// add adds a call of the record.
func (g *Gate) add(l *gated) error {
	l.line = l.Line()
	args, err := g.run.Value(l.line.Args)
	if l.line.Args.Redacted {
		args, err = []byte(anyArgs), nil
	}
	if err != nil {
		return fmt.Errorf("the arguments of call %d: %w", l.line.N, err)
	}
	l.args = string(args)
	g.lines = append(g.lines, l)
	if l.required {
		g.left++
	}
	key := g.key(l.line.Path, l.line.Place, l.line.Tool, l.args)
	g.byKey[key] = append(g.byKey[key], l)
	return nil
}

// Loosen matches calls by tool and arguments alone, in the order of the record: a job that was done
// twice with different outcomes may have gone to two goroutines of a pool. It must be called before
// the first Ask.
func (g *Gate) Loosen() {
	g.loose = true
	clear(g.byKey)
	for _, l := range g.lines {
		key := g.key(l.line.Path, l.line.Place, l.line.Tool, l.args)
		g.byKey[key] = append(g.byKey[key], l)
	}
}

// anyArgs replaces arguments that the record does not have.
const anyArgs = "?"

func (g *Gate) key(path, place, tool, args string) string {
	if g.loose {
		return tool + "\x00" + args
	}
	return path + "\x00" + place + "\x00" + tool + "\x00" + args
}

// Ask takes a call of the script. If ok, reply answers it. Otherwise a later call of Idle may.
func (g *Gate) Ask(q *Question) (reply Reply, ok bool) {
	for _, args := range []string{q.Args, anyArgs} {
		key := g.key(q.Path, q.Place, q.Tool, args)
		lines := g.byKey[key]
		if i := slices.IndexFunc(lines, func(l *gated) bool { return g.fits(l, q.Args) }); i >= 0 {
			l := lines[i]
			g.byKey[key] = slices.Delete(lines, i, i+1)
			a := g.take(l, q)
			if q.Alone && a.given {
				return g.reply(a), true
			}
			return Reply{}, false
		}
	}
	g.held = append(g.held, q)
	return Reply{}, false
}

// fits reports whether a call of the record has these arguments. If secrets in them were hidden, it
// compares digests, and also the redacted texts, since the script's own secrets are hidden too.
// Without the store's key any arguments fit.
func (g *Gate) fits(l *gated, args string) bool {
	if l.args != anyArgs {
		return l.args == args
	}
	if same, err := g.run.Same(l.line.Args, []byte(args)); same || err != nil {
		return true
	}
	shown, err := g.run.Value(l.line.Args)
	return err == nil && string(shown) == args
}

func (g *Gate) take(l *gated, q *Question) *answer {
	l.used = true
	if l.required {
		g.left--
	}
	a := &answer{l, q}
	g.taken = append(g.taken, a)
	return a
}

func (g *Gate) reply(a *answer) Reply {
	g.taken = slices.DeleteFunc(g.taken, func(b *answer) bool { return a == b })
	return Reply{a.question.N, a.Made}
}

// Next says what happens while the script is idle. If zero, the script waits for an answer that its
// record does not have.
type Next struct {
	Reply   *Reply // a call gets its answer
	Advance bool   // the next timer fires
	// Live says that the gate has opened. Waiting calls are sent, or continue: see Continues.
	Live     bool
	Diverged *Divergence // the script has departed from its record
}

// Idle handles a script in which nothing moves. next is when its next timer fires, or zero if none
// is set.
func (g *Gate) Idle(next time.Time) Next {
	a := g.earliest()
	if a == nil {
		for g.swap() {
		}
		a = g.earliest()
	}
	switch {
	case a != nil && (next.IsZero() || !next.Before(a.when())):
		r := g.reply(a)
		return Next{Reply: &r}
	case a != nil:
		return Next{Advance: true}
	case g.opens(next):
		g.live = true
		return Next{Live: true}
	case (len(g.held) > 0 || g.resume) && (next.IsZero() || !g.end.IsZero() && next.After(g.end.Add(pastEnd))):
		return Next{Diverged: g.divergence()}
	case !next.IsZero():
		return Next{Advance: true}
	}
	return Next{}
}

// pastEnd is how long after the end of its record a script may wait for timers while a call waits
// that the record does not have, or while a resumed run has not repeated all its calls.
const pastEnd = time.Minute

// earliest returns the waiting call that was answered first, or nil.
func (g *Gate) earliest() *answer {
	var first *answer
	for _, a := range g.taken {
		if a.given && (first == nil || a.order < first.order) {
			first = a
		}
	}
	return first
}

// swap assigns an equal call of another path to a held call.
func (g *Gate) swap() bool {
	for i, q := range g.held {
		for _, l := range g.lines {
			if l.used || l.line.Tool != q.Tool || PlaceLine(l.line.Place) != PlaceLine(q.Place) || !g.fits(l, q.Args) {
				continue
			}
			key := g.key(l.line.Path, l.line.Place, l.line.Tool, l.args)
			g.byKey[key] = slices.DeleteFunc(g.byKey[key], func(o *gated) bool { return o == l })
			g.held = slices.Delete(g.held, i, i+1)
			g.take(l, q)
			return true
		}
	}
	return false
}

// Abandon handles a call that the script abandoned: it gets no answer. Its line stays used. Without a
// line it still is a call that the record does not have.
func (g *Gate) Abandon(n int) {
	if i := slices.IndexFunc(g.held, func(q *Question) bool { return q.N == n }); i >= 0 {
		g.abandoned = append(g.abandoned, g.held[i])
		g.held = slices.Delete(g.held, i, i+1)
	}
	g.taken = slices.DeleteFunc(g.taken, func(a *answer) bool { return a.question.N == n })
}

// End returns how the script, which has ended, departed from its record. It returns nil if the
// script made all its calls and no others.
func (g *Gate) End() *Divergence {
	if d := g.divergence(); d.Asked != nil || d.Unasked != nil {
		return d
	}
	return nil
}

func (g *Gate) divergence() *Divergence {
	d := &Divergence{}
	if i := slices.IndexFunc(g.lines, func(l *gated) bool { return l.required && !l.used }); i >= 0 {
		d.Unasked = g.lines[i].Made
	}
	if asked := slices.Concat(g.held, g.abandoned); len(asked) > 0 {
		d.Asked = slices.MinFunc(asked, func(a, b *Question) int { return cmp.Compare(a.N, b.N) })
		d.Near = g.near(d.Asked)
	}
	return d
}

// near returns the call of the record that is most like a question, preferably an unused one.
func (g *Gate) near(q *Question) *Made {
	var best *Made
	most := -1
	for _, l := range g.lines {
		if l.line.Tool != q.Tool {
			continue
		}
		like := 0
		for _, same := range []bool{!l.used, !l.used, PlaceLine(l.line.Place) == PlaceLine(q.Place), l.line.Path == q.Path} {
			if same {
				like++
			}
		}
		if like > most {
			best, most = l.Made, like
		}
	}
	return best
}

// answered reports whether the script got an answer, or a person has given it.
func (m *Made) answered() bool {
	return m.Guess != nil || m.Settle != nil && m.Settle.Happened || m.Done != nil && !m.Done.Cut
}

// when returns when the script got its answer.
func (m *Made) when() time.Time {
	switch {
	case m.Settle != nil && m.Settle.Happened:
		return m.Settle.Time
	case m.Done != nil:
		return m.Done.Time
	case m.Guess != nil:
		return m.Guess.Time
	}
	return m.Call.Time
}

// callText returns a call for display.
func callText(tool, args string) string {
	const most = 200 // characters of the arguments
	if args == "{}" {
		args = ""
	}
	return tool + "(" + registry.Printable(args, most) + ")"
}

func madeText(m *Made) string { return callText(m.Line().Tool, string(m.Line().Args.JSON)) }

func placeText(place string) string { return Where{Line: PlaceLine(place)}.At() }
