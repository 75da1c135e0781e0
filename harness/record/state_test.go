package record

import "testing"

// TestEveryPairOfStatesIsAllowedOrRefused holds the table against the paper's: each
// event that is not here is refused in each state.
func TestEveryPairOfStatesIsAllowedOrRefused(t *testing.T) {
	states := []State{Planned, Asked, Granted, Sent, Waiting, Unknown, Ended, Denied, Failed}
	events := []Event{OnDenied, OnNotSent, OnAsk, OnYes, OnNo, OnExpired, OnCall, OnDone, OnUncertain, OnRound, OnLost,
		OnHappened, OnNot}
	want := map[State]string{
		Planned: "denied failed asked - - - sent - - - - - -",
		Asked:   "- - - granted denied denied - - - - - - -",
		Granted: "denied failed - - - asked sent - - - - - -",
		Sent:    "- failed - - - - - done unknown waiting unknown - -",
		Waiting: "- - - - - unknown - done unknown sent unknown - -",
		Unknown: "- - - - - - - done - - - done planned",
		Ended:   "- - - - - - - - - - - - -",
		Denied:  "- - - - - - - - - - - - -",
		Failed:  "- - - - - - - - - - - - -",
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
	call := &Call{N: 1}
	for _, c := range []struct {
		made  Made
		alive bool
		want  State
		bad   bool
	}{
		{Made{Call: call}, true, Sent, false},
		{Made{Call: call}, false, Unknown, false},
		{Made{Call: call, Done: &Done{Kind: Answered}}, false, Ended, false},
		{Made{Call: call, Done: &Done{Kind: Unread}}, false, Ended, false},
		{Made{Call: call, Done: &Done{Kind: NotSent, Denied: true}}, false, Denied, false},
		{Made{Call: call, Done: &Done{Kind: NotSent}}, false, Failed, false},
		{Made{Call: call, Done: &Done{Kind: Uncertain}}, true, Unknown, false},
		{Made{Call: call, Settle: &Settle{Happened: true}}, false, Ended, false},
		{Made{Call: call, Settle: &Settle{}}, false, Planned, false},
		{Made{Call: call, Done: &Done{Kind: Answered}, Settle: &Settle{}}, false, Ended, true},
		{Made{Guess: &Guess{N: 1}}, false, Planned, false},
	} {
		got, err := c.made.State(c.alive)
		if got != c.want || (err != nil) != c.bad {
			t.Errorf("%+v: %s, %v; want %s", c.made, got, err, c.want)
		}
	}
}
