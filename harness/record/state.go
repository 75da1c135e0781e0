package record

import "fmt"

// State is what has become of a call.
type State string

// The states of a call.
const (
	Planned State = "planned" // nothing of it is in the record
	Asking  State = "asked"   // it waits for a person
	Granted State = "granted" // a person has said yes
	Sent    State = "sent"    // it is under way, or its process died
	Waiting State = "waiting" // its server goes on with it later: after an answer of ours
	Unknown State = "unknown" // nobody knows what became of it
	Ended   State = "done"    // its answer is known, or the script was told that it is not
	Denied  State = "denied"  // by policy or a person
	Failed  State = "failed"  // it was not sent
)

// Event is what moves a call from one state to another: a line of the record, or,
// without a line, that a call begins.
type Event string

// The events of a call, named after their lines.
const (
	OnDenied    Event = "done denied"   // by policy
	OnNotSent   Event = "done not_sent" // arguments, no connection
	OnAsk       Event = "ask"
	OnYes       Event = "yes"
	OnNo        Event = "no"
	OnExpired   Event = "expired" // the time of an ask or a grant has passed, or the tool has changed
	OnCall      Event = "call"
	OnAgain     Event = "call again"          // of a call that does the same however often it is made
	OnDone      Event = "done"                // answered or unread
	OnUncertain Event = "done uncertain"      // the script was not told
	OnTold      Event = "done uncertain told" // the script got an error that says so, for good
	OnRound     Event = "round"
	OnReply     Event = "round sent" // our answer to what its server asked
	OnLost      Event = "lost"       // the process died
	OnHappened  Event = "settle happened"
	OnNot       Event = "settle not"
)

// transitions are all that may become of a call. What is not here is refused.
var transitions = map[State]map[Event]State{
	Planned: {OnCall: Sent, OnAsk: Asking, OnDenied: Denied, OnNotSent: Failed},
	Asking:  {OnYes: Granted, OnNo: Denied, OnExpired: Denied},
	Granted: {OnCall: Sent, OnExpired: Asking, OnNotSent: Failed, OnDenied: Denied},
	Sent: {OnDone: Ended, OnTold: Ended, OnNotSent: Failed, OnRound: Waiting, OnUncertain: Unknown,
		OnLost: Unknown},
	Waiting: {OnReply: Sent, OnRound: Waiting, OnDone: Ended, OnTold: Ended, OnUncertain: Unknown,
		OnExpired: Unknown, OnLost: Unknown},
	Unknown: {OnDone: Ended, OnHappened: Ended, OnNot: Planned, OnAgain: Sent},
	Ended:   {},
	Denied:  {},
	Failed:  {},
}

// After returns the state of a call after an event, or an error where that cannot
// follow.
func (s State) After(e Event) (State, error) {
	if next, ok := transitions[s][e]; ok {
		return next, nil
	}
	return s, fmt.Errorf("a call that is %s cannot have %q", s, e)
}

// Final reports whether nothing can follow, whoever says what.
func (s State) Final() bool { return len(transitions[s]) == 0 }

// EventOf is the event that a line is for the call that it is of; "" for a line
// that is none.
func EventOf(l Line) Event {
	switch l := l.(type) {
	case *Call:
		return OnCall
	case *Ask:
		return OnAsk
	case *Answer:
		if l.Yes {
			return OnYes
		}
		return OnNo
	case *Round:
		if l.Sent {
			return OnReply
		}
		return OnRound
	case *Settle:
		if l.Happened {
			return OnHappened
		}
		return OnNot
	case *Done:
		switch {
		case l.Denied:
			return OnDenied
		case l.Kind == NotSent:
			return OnNotSent
		case l.told():
			return OnTold
		case l.Kind == Uncertain:
			return OnUncertain
		}
		return OnDone
	}
	return ""
}

// told reports whether the script got an error that says that nothing is known of
// the call.
func (d *Done) told() bool { return d.Kind == Uncertain && d.Error != "" && !d.Cut }
