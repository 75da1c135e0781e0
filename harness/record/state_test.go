package record_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// TestEveryPairOfStatesIsAllowedOrRefused holds the table against the paper's: each
// event that is not here is refused in each state.
func TestEveryPairOfStatesIsAllowedOrRefused(t *testing.T) {
	states := []record.State{record.Planned, record.Asking, record.Granted, record.Sent, record.Waiting, record.Unknown, record.Ended, record.Denied, record.Failed}
	events := []record.Event{record.OnDenied, record.OnNotSent, record.OnAsk, record.OnYes, record.OnNo, record.OnExpired, record.OnCall, record.OnAgain, record.OnDone, record.OnUncertain, record.OnTold,
		record.OnRound, record.OnReply, record.OnLost, record.OnHappened, record.OnNot}
	want := map[record.State]string{
		record.Planned: "denied failed asked - - - sent - - - - - - - - -",
		record.Asking:  "- - - granted denied denied - - - - - - - - - -",
		record.Granted: "denied failed - - - asked sent - - - - - - - - -",
		record.Sent:    "- failed - - - - - - done unknown done waiting - unknown - -",
		record.Waiting: "- - - - - unknown - - done unknown done waiting sent unknown - -",
		record.Unknown: "- - - - - - - sent done - - - - - done planned",
		record.Ended:   "- - - - - - - - - - - - - - - -",
		record.Denied:  "- - - - - - - - - - - - - - - -",
		record.Failed:  "- - - - - - - - - - - - - - - -",
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
	ask, call := &record.Ask{A: "1", Until: at(60)}, &record.Call{N: 1}
	asked := &record.Call{N: 1, Ask: "1"}
	yes, no := &record.Answer{A: "1", Yes: true, Until: at(60)}, &record.Answer{A: "1"}
	answered, notSent := &record.Done{N: 1, Kind: record.Answered}, &record.Done{N: 1, Kind: record.NotSent}
	happened, not := &record.Settle{N: 1, Happened: true}, &record.Settle{N: 1}
	uncertain := &record.Done{N: 1, Kind: record.Uncertain}
	told := &record.Done{N: 1, Kind: record.Uncertain, Error: "nobody knows"}
	round, reply := &record.Round{N: 1}, &record.Round{N: 1, Sent: true}
	for _, c := range []struct {
		lines []record.Line // a minute each
		alive bool
		want  record.State
		bad   bool
	}{
		{[]record.Line{call}, true, record.Sent, false},
		{[]record.Line{call}, false, record.Unknown, false},
		{[]record.Line{call, &record.Attempt{}}, true, record.Unknown, false},
		{[]record.Line{call, &record.End{}}, true, record.Unknown, false},
		{[]record.Line{call, answered}, false, record.Ended, false},
		{[]record.Line{call, answered, answered}, false, record.Ended, true},
		{[]record.Line{call, &record.Done{N: 1, Kind: record.Unread}}, false, record.Ended, false},
		{[]record.Line{call, &record.Done{N: 1, Kind: record.NotSent, Denied: true}}, false, record.Denied, false},
		{[]record.Line{call, notSent}, false, record.Failed, false},
		{[]record.Line{call, uncertain}, true, record.Unknown, false},
		{[]record.Line{call, &record.Done{N: 1, Kind: record.Uncertain, Error: "canceled", Cut: true}}, true, record.Unknown, false},
		{[]record.Line{call, uncertain, &record.Attempt{}, answered}, true, record.Ended, false},
		{[]record.Line{call, told}, true, record.Ended, false},
		{[]record.Line{call, told, not}, true, record.Ended, true},
		{[]record.Line{call, &record.End{}, happened}, false, record.Ended, false},
		{[]record.Line{call, &record.End{}, not}, false, record.Planned, false},
		{[]record.Line{call, &record.End{}, not, &record.Attempt{}, call}, true, record.Sent, false},
		{[]record.Line{call, &record.End{}, not, not}, false, record.Planned, true},
		{[]record.Line{call, answered, not}, false, record.Ended, true},
		{[]record.Line{call, happened}, true, record.Ended, false}, // it is another process that says so
		{[]record.Line{call, round}, false, record.Waiting, false},
		{[]record.Line{call, round, &record.End{}, &record.Attempt{}}, true, record.Waiting, false},
		{[]record.Line{call, round, &record.End{}, &record.Attempt{}, reply}, true, record.Sent, false},
		{[]record.Line{call, round, reply}, false, record.Unknown, false},
		{[]record.Line{call, round, reply, round}, false, record.Waiting, false},
		{[]record.Line{call, round, reply, answered}, false, record.Ended, false},
		{[]record.Line{call, reply}, true, record.Sent, true},
		{[]record.Line{call, &record.End{}, &record.Attempt{}, call}, true, record.Unknown, true},
		{[]record.Line{&record.Call{N: 1, Class: record.Idempotent}, &record.Attempt{}, &record.Call{N: 1, Class: record.Idempotent}}, true, record.Sent, false},
		{[]record.Line{ask, yes, asked}, true, record.Sent, false},
		{[]record.Line{ask, yes, asked, answered}, true, record.Ended, false},
		{[]record.Line{ask, asked}, true, record.Asking, true},
		{[]record.Line{ask, no, asked}, true, record.Denied, false},
		{[]record.Line{ask, no, asked, notSent}, true, record.Denied, false},
		{[]record.Line{ask, no, asked, answered}, true, record.Denied, true},
		{[]record.Line{&record.Ask{A: "1", Until: at(1)}, call, asked, notSent}, true, record.Denied, false},
		{[]record.Line{ask, &record.Answer{A: "1", Yes: true, Until: at(2)}, &record.Note{}, asked}, true, record.Sent, false},
		{[]record.Line{&record.Guess{N: 1}}, false, record.Planned, false},
	} {
		r, text := &record.Run{}, ""
		for i, l := range c.lines {
			record.HeadOf(l).Time = at(i + 1)
			text += fmt.Sprintf(" %T", l)
			if l, ok := l.(*record.Call); ok && slices.Contains(c.lines[:i], record.Line(l)) {
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
	seen := map[record.State]map[record.Event]bool{}
	for seed := range uint64(60) {
		w := &walk{t: t, random: rand.New(rand.NewPCG(seed, 8)), s: store.Memory(1, nil), states: map[int]record.State{}, seen: seen,
			asks: map[int]string{}, answered: map[string]*record.Answer{}}
		w.run()
	}
	for s, events := range record.Transitions {
		for e := range events {
			// Without a line: the policy denies before a call has one, and a tool changes.
			if !seen[s][e] && !slices.Contains([]record.Event{record.OnExpired, record.OnLost}, e) &&
				!(s == record.Granted && (e == record.OnDenied || e == record.OnNotSent)) {
				t.Errorf("no run had %q of a call that is %s", e, s)
			}
		}
	}
}

// walk is one such run.
type walk struct {
	t        *testing.T
	random   *rand.Rand
	s        *store.Store
	w        *store.Writer
	states   map[int]record.State // of calls
	asks     map[int]string
	answered map[string]*record.Answer
	seen     map[record.State]map[record.Event]bool
	attempt  int
}

func (w *walk) run() {
	var err error
	if w.w, err = w.s.Begin(&record.Begin{}); err != nil {
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
		s = record.Planned
	}
	events := slices.Sorted(maps.Keys(record.Transitions[s]))
	if len(events) == 0 {
		return
	}
	e := events[w.random.IntN(len(events))]
	call := &record.Call{N: n, Tool: "a.b", Class: record.Idempotent, Ask: w.asks[n], Attempt: w.attempt}
	until := time.Now().Add(time.Hour)
	var lines []record.Line
	switch e {
	case record.OnCall, record.OnAgain:
		lines = []record.Line{call}
	case record.OnDenied:
		lines = []record.Line{call, &record.Done{N: n, Kind: record.NotSent, Denied: true}}
	case record.OnNotSent:
		if s == record.Planned {
			lines = []record.Line{call}
		}
		lines = append(lines, &record.Done{N: n, Kind: record.NotSent})
	case record.OnDone:
		lines = []record.Line{&record.Done{N: n, Kind: []record.Kind{record.Answered, record.Unread}[w.random.IntN(2)]}}
	case record.OnUncertain:
		lines = []record.Line{&record.Done{N: n, Kind: record.Uncertain, Error: "canceled", Cut: true}}
	case record.OnTold:
		lines = []record.Line{&record.Done{N: n, Kind: record.Uncertain, Error: "nobody knows"}}
	case record.OnRound:
		lines = []record.Line{&record.Round{N: n, State: "s"}}
	case record.OnReply:
		lines = []record.Line{&record.Round{N: n, Sent: true}}
	case record.OnAsk:
		w.asks[n] = fmt.Sprint(len(w.answered) + 1)
		w.answered[w.asks[n]] = nil
		lines = []record.Line{&record.Ask{A: w.asks[n], Tool: "a.b", Until: until}}
	case record.OnYes, record.OnNo:
		r, err := w.s.Load(w.w.ID())
		if err != nil {
			w.t.Fatal(err)
		}
		a := &record.Answer{A: w.asks[n], Yes: e == record.OnYes, Until: until, Digest: record.AskOf(r, w.asks[n]).Digest}
		w.answered[a.A] = a
		lines = []record.Line{a}
		if e == record.OnNo {
			lines = append(lines, call, &record.Done{N: n, Kind: record.NotSent, Error: "denied by ann"})
		}
	case record.OnHappened, record.OnNot:
		w.settle(n, s, e)
		return
	default: // it has no line
		return
	}
	if s == record.Granted && (e == record.OnDenied || e == record.OnNotSent) {
		return
	}
	for _, l := range lines {
		if err := w.w.Add(l); err != nil {
			w.t.Fatal(err)
		}
	}
	w.took(n, s, e)
}

func (w *walk) took(n int, s record.State, e record.Event) {
	next, err := s.After(e)
	if err != nil {
		w.t.Fatal(err)
	}
	if w.seen[s] == nil {
		w.seen[s] = map[record.Event]bool{}
	}
	w.seen[s][e] = true
	if w.states[n] = next; next == record.Planned {
		delete(w.asks, n) // a person is asked anew
	}
}

// settle has a person say what became of a call; the process is gone then.
func (w *walk) settle(n int, s record.State, e record.Event) {
	w.end()
	if err := w.s.Settle(w.w.ID(), &record.Settle{N: n, Happened: e == record.OnHappened}, -w.s.SentWithin()-time.Hour); err != nil {
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
		if err := w.w.Add(&record.End{Status: "uncertain"}); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := w.w.Close(); err != nil {
		w.t.Fatal(err)
	}
	for n, s := range w.states {
		if s == record.Sent {
			w.states[n] = record.Unknown
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
		var got record.State
		switch a := record.AskOf(r, w.asks[n]); {
		case a != nil && a.Used == nil:
			got = a.State(now)
		case record.CallOf(r, n) == nil:
			got = record.Planned
		default:
			if got, err = record.CallOf(r, n).State(true); err != nil {
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
		if slices.Contains(unknown, n) != (s == record.Unknown) {
			w.t.Fatalf("call %d is %s; unknown are %v", n, s, unknown)
		}
	}
}
