package record

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestEveryPairOfStatesIsAllowedOrRefused holds the table against the paper's: each
// event that is not here is refused in each state.
func TestEveryPairOfStatesIsAllowedOrRefused(t *testing.T) {
	states := []State{Planned, Asking, Granted, Sent, Waiting, Unknown, Ended, Denied, Failed}
	events := []Event{OnDenied, OnNotSent, OnAsk, OnYes, OnNo, OnExpired, OnCall, OnAgain, OnDone, OnUncertain, OnTold,
		OnRound, OnReply, OnLost, OnHappened, OnNot}
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
		if s.Final() != (s == Ended || s == Denied || s == Failed) {
			t.Errorf("%s is final: %v", s, s.Final())
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
		{[]Line{ask, &Answer{A: "1", Yes: true, Until: at(2)}, &Note{}, asked}, true, Asking, true},
		{[]Line{&Guess{N: 1}}, false, Planned, false},
	} {
		r, text := &Run{}, ""
		for i, l := range c.lines {
			l.head().Time = at(i + 1)
			text += fmt.Sprintf(" %T", l)
			if l, ok := l.(*Call); ok && slices.Contains(c.lines[:i], Line(l)) {
				again := *l
				r.add(&again)
				continue
			}
			r.add(l)
		}
		got, err := r.Calls[0].State(c.alive)
		if got != c.want || (err != nil) != c.bad {
			t.Errorf("%s: %s, %v; want %s", text, got, err, c.want)
		}
	}
}
