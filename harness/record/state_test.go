package record

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestEveryPairOfStatesIsAllowedOrRefused holds the table against the paper's: each
// event that is not here is refused in each state.
func TestEveryPairOfStatesIsAllowedOrRefused(t *testing.T) {
	states := []State{Planned, Asking, Granted, Sent, Waiting, Unknown, Ended, Denied, Failed}
	events := []event{onDenied, onNotSent, onAsk, onYes, onNo, onExpired, onCall, onAgain, onDone, onUncertain, onTold,
		onRound, onReply, onLost, onHappened, onNot}
	want := map[State]string{
		Planned: "denied failed asked - - - sent - - - - - - - - -",
		Asking:  "- - - granted denied denied - - - - - - - - - -",
		Granted: "denied failed - - - asked sent - - - - - - - - -",
		Sent:    "- failed - - - - - - done unknown done waiting - unknown - -",
		Waiting: "- - - - - unknown - - done unknown done waiting sent unknown - -",
		Unknown: "- - - - - - - sent done - - - - - done planned",
		Ended:   "- - - - - - - - - - - - - - - -",
		Denied:  "- - - - - - - - - - - - - - - -",
		Failed:  "- - - - - - - - - - - - - - - -",
	}
	for _, s := range states {
		got := ""
		for i, e := range events {
			if i > 0 {
				got += " "
			}
			next, err := s.After(e)
			switch {
			case err == nil:
				got += string(next)
			case next != s:
				t.Errorf("%s, refused %s, is %s", s, e, next)
			default:
				got += "-"
			}
		}
		if got != want[s] {
			t.Errorf("%s\ngot  %s\nwant %s", s, got, want[s])
		}
	}
}

func TestTheLinesOfACallGiveItsState(t *testing.T) {
	at := func(minute int) time.Time { return time.Unix(0, 0).Add(time.Duration(minute) * time.Minute) }
	ask, call := &Ask{A: "1", Until: at(60)}, &Call{N: 1}
	asked := &Call{N: 1, Ask: "1"}
	yes, no := &Answer{A: "1", Yes: true, Until: at(60)}, &Answer{A: "1"}
	answered, notSent := &Done{N: 1, Kind: Answered}, &Done{N: 1, Kind: NotSent}
	happened, not := &Settle{N: 1, Happened: true}, &Settle{N: 1}
	uncertain := &Done{N: 1, Kind: Uncertain}
	told := &Done{N: 1, Kind: Uncertain, Error: "nobody knows"}
	round, reply := &Round{N: 1}, &Round{N: 1, Sent: true}
	for _, c := range []struct {
		lines []Line // a minute each
		alive bool
		want  State
		bad   bool
	}{
		{[]Line{call}, true, Sent, false},
		{[]Line{call}, false, Unknown, false},
		{[]Line{call, &Attempt{}}, true, Unknown, false},
		{[]Line{call, &End{}}, true, Unknown, false},
		{[]Line{call, answered}, false, Ended, false},
		{[]Line{call, answered, answered}, false, Ended, true},
		{[]Line{call, &Done{N: 1, Kind: Unread}}, false, Ended, false},
		{[]Line{call, &Done{N: 1, Kind: NotSent, Denied: true}}, false, Denied, false},
		{[]Line{call, notSent}, false, Failed, false},
		{[]Line{call, uncertain}, true, Unknown, false},
		{[]Line{call, &Done{N: 1, Kind: Uncertain, Error: "canceled", Cut: true}}, true, Unknown, false},
		{[]Line{call, uncertain, &Attempt{}, answered}, true, Ended, false},
		{[]Line{call, told}, true, Ended, false},
		{[]Line{call, told, not}, true, Ended, true},
		{[]Line{call, &End{}, happened}, false, Ended, false},
		{[]Line{call, &End{}, not}, false, Planned, false},
		{[]Line{call, &End{}, not, &Attempt{}, call}, true, Sent, false},
		{[]Line{call, &End{}, not, not}, false, Planned, true},
		{[]Line{call, answered, not}, false, Ended, true},
		{[]Line{call, happened}, true, Ended, false}, // it is another process that says so
		{[]Line{call, round}, false, Waiting, false},
		{[]Line{call, round, &End{}, &Attempt{}}, true, Waiting, false},
		{[]Line{call, round, &End{}, &Attempt{}, reply}, true, Sent, false},
		{[]Line{call, round, reply}, false, Unknown, false},
		{[]Line{call, round, reply, round}, false, Waiting, false},
		{[]Line{call, round, reply, answered}, false, Ended, false},
		{[]Line{call, reply}, true, Sent, true},
		{[]Line{call, &End{}, &Attempt{}, call}, true, Unknown, true},
		{[]Line{&Call{N: 1, Class: Again}, &Attempt{}, &Call{N: 1, Class: Again}}, true, Sent, false},
		{[]Line{ask, yes, asked}, true, Sent, false},
		{[]Line{ask, yes, asked, answered}, true, Ended, false},
		{[]Line{ask, asked}, true, Asking, true},
		{[]Line{ask, no, asked}, true, Denied, false},
		{[]Line{ask, no, asked, notSent}, true, Denied, false},
		{[]Line{ask, no, asked, answered}, true, Denied, true},
		{[]Line{&Ask{A: "1", Until: at(1)}, call, asked, notSent}, true, Denied, false},
		{[]Line{ask, &Answer{A: "1", Yes: true, Until: at(2)}, &Note{}, asked}, true, Sent, false},
		{[]Line{&Guess{N: 1}}, false, Planned, false},
	} {
		r, text := &Run{}, ""
		for i, l := range c.lines {
			l.head().Time = at(i + 1)
			text += fmt.Sprintf(" %T", l)
			if l, ok := l.(*Call); ok && slices.Contains(c.lines[:i], Line(l)) {
				again := *l
				r.Add(&again)
				continue
			}
			r.Add(l)
		}
		got, err := r.Calls[0].State(c.alive)
		if got != c.want || (err != nil) != c.bad {
			t.Errorf("%s: %s, %v; want %s", text, got, err, c.want)
		}
	}
}

// TestARunsLinesGiveItsStatesBack makes runs of several attempts at random, with
// lines that the table allows, and reads them again: calls and asks are in the states
// that they were in.
func TestARunsLinesGiveItsStatesBack(t *testing.T) {
	seen := map[State]map[event]bool{}
	for seed := range uint64(60) {
		w := &walk{t: t, random: rand.New(rand.NewPCG(seed, 8)), s: Memory(1, nil), states: map[int]State{}, seen: seen,
			asks: map[int]string{}, answered: map[string]*Answer{}}
		w.run()
	}
	for s, events := range transitions {
		for e := range events {
			// Without a line: the policy denies before a call has one, and a tool changes.
			if !seen[s][e] && !slices.Contains([]event{onExpired, onLost}, e) &&
				!(s == Granted && (e == onDenied || e == onNotSent)) {
				t.Errorf("no run had %q of a call that is %s", e, s)
			}
		}
	}
}

// walk is one such run.
type walk struct {
	t        *testing.T
	random   *rand.Rand
	s        *Store
	w        *Writer
	states   map[int]State // of calls
	asks     map[int]string
	answered map[string]*Answer
	seen     map[State]map[event]bool
	attempt  int
}

func (w *walk) run() {
	var err error
	if w.w, err = w.s.Begin(&Begin{}); err != nil {
		w.t.Fatal(err)
	}
	w.attempt = 1
	for range 60 {
		if w.random.IntN(12) == 0 {
			w.reopen()
		} else {
			w.step(1 + w.random.IntN(8))
		}
		w.compare()
	}
}

// step has something happen to a call.
func (w *walk) step(n int) {
	s := w.states[n]
	if s == "" {
		s = Planned
	}
	events := slices.Sorted(maps.Keys(transitions[s]))
	if len(events) == 0 {
		return
	}
	e := events[w.random.IntN(len(events))]
	call := &Call{N: n, Tool: "a.b", Class: Again, Ask: w.asks[n], Attempt: w.attempt}
	until := time.Now().Add(time.Hour)
	var lines []Line
	switch e {
	case onCall, onAgain:
		lines = []Line{call}
	case onDenied:
		lines = []Line{call, &Done{N: n, Kind: NotSent, Denied: true}}
	case onNotSent:
		if s == Planned {
			lines = []Line{call}
		}
		lines = append(lines, &Done{N: n, Kind: NotSent})
	case onDone:
		lines = []Line{&Done{N: n, Kind: []Kind{Answered, Unread}[w.random.IntN(2)]}}
	case onUncertain:
		lines = []Line{&Done{N: n, Kind: Uncertain, Error: "canceled", Cut: true}}
	case onTold:
		lines = []Line{&Done{N: n, Kind: Uncertain, Error: "nobody knows"}}
	case onRound:
		lines = []Line{&Round{N: n, State: "s"}}
	case onReply:
		lines = []Line{&Round{N: n, Sent: true}}
	case onAsk:
		w.asks[n] = fmt.Sprint(len(w.answered) + 1)
		w.answered[w.asks[n]] = nil
		lines = []Line{&Ask{A: w.asks[n], Tool: "a.b", Until: until}}
	case onYes, onNo:
		r, err := w.s.Load(w.w.ID())
		if err != nil {
			w.t.Fatal(err)
		}
		a := &Answer{A: w.asks[n], Yes: e == onYes, Until: until, Digest: r.asks[w.asks[n]].Digest}
		w.answered[a.A] = a
		lines = []Line{a}
		if e == onNo {
			lines = append(lines, call, &Done{N: n, Kind: NotSent, Error: "denied by ann"})
		}
	case onHappened, onNot:
		w.settle(n, s, e)
		return
	default: // it has no line
		return
	}
	if s == Granted && (e == onDenied || e == onNotSent) {
		return
	}
	for _, l := range lines {
		if err := w.w.Add(l); err != nil {
			w.t.Fatal(err)
		}
	}
	w.took(n, s, e)
}

func (w *walk) took(n int, s State, e event) {
	next, err := s.After(e)
	if err != nil {
		w.t.Fatal(err)
	}
	if w.seen[s] == nil {
		w.seen[s] = map[event]bool{}
	}
	w.seen[s][e] = true
	if w.states[n] = next; next == Planned {
		delete(w.asks, n) // a person is asked anew
	}
}

// settle has a person say what became of a call; the process is gone then.
func (w *walk) settle(n int, s State, e event) {
	w.end()
	if err := w.s.Settle(w.w.ID(), &Settle{N: n, Happened: e == onHappened}, -sentWithin-time.Hour); err != nil {
		w.t.Fatal(err)
	}
	w.took(n, s, e)
	w.begin()
}

func (w *walk) reopen() {
	w.end()
	w.begin()
}

// end ends the attempt, with an End or without: calls that are under way are lost.
func (w *walk) end() {
	if w.random.IntN(2) == 0 {
		if err := w.w.Add(&End{Status: "uncertain"}); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := w.w.Close(); err != nil {
		w.t.Fatal(err)
	}
	for n, s := range w.states {
		if s == Sent {
			w.states[n] = Unknown
		}
	}
}

func (w *walk) begin() {
	var err error
	if w.w, _, err = w.s.Reopen(w.w.ID(), nil); err != nil {
		w.t.Fatal(err)
	}
	w.attempt++
}

// compare reads the run.
func (w *walk) compare() {
	r, err := w.s.Load(w.w.ID())
	if err != nil || r.Damaged != nil || len(r.Forged) > 0 || len(r.Attempts) != w.attempt-1 {
		w.t.Fatal(err, r)
	}
	now := r.Now()
	for n, want := range w.states {
		var got State
		switch a := r.asks[w.asks[n]]; {
		case a != nil && a.Used == nil:
			got = a.State(now)
		case r.calls[n] == nil:
			got = Planned
		default:
			if got, err = r.calls[n].State(true); err != nil {
				w.t.Fatal(err)
			}
		}
		if got != want {
			w.t.Fatalf("call %d is %s, and was %s", n, got, want)
		}
	}
	var unknown []int
	for _, m := range r.Unknown() {
		unknown = append(unknown, m.N)
	}
	for n, s := range w.states {
		if slices.Contains(unknown, n) != (s == Unknown) {
			w.t.Fatalf("call %d is %s; unknown are %v", n, s, unknown)
		}
	}
}
