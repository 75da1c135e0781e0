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

// event is what moves a call from one state to another: a line of the record, or,
// without a line, that a call begins.
type event string

// The events of a call, named after their lines.
const (
	onDenied    event = "done denied"   // by policy
	onNotSent   event = "done not_sent" // arguments, no connection
	onAsk       event = "ask"
	onYes       event = "yes"
	onNo        event = "no"
	onExpired   event = "expired" // the time of an ask or a grant has passed, or the tool has changed
	onCall      event = "call"
	onAgain     event = "call again"          // of a call that does the same however often it is made
	onDone      event = "done"                // answered or unread
	onUncertain event = "done uncertain"      // the script was not told
	onTold      event = "done uncertain told" // the script got an error that says so, for good
	onRound     event = "round"
	onReply     event = "round sent" // our answer to what its server asked
	onLost      event = "lost"       // the process died
	onHappened  event = "settle happened"
	onNot       event = "settle not"
)

// transitions are all that may become of a call. What is not here is refused.
var transitions = map[State]map[event]State{
	Planned: {onCall: Sent, onAsk: Asking, onDenied: Denied, onNotSent: Failed},
	Asking:  {onYes: Granted, onNo: Denied, onExpired: Denied},
	Granted: {onCall: Sent, onExpired: Asking, onNotSent: Failed, onDenied: Denied},
	Sent: {onDone: Ended, onTold: Ended, onNotSent: Failed, onRound: Waiting, onUncertain: Unknown,
		onLost: Unknown},
	Waiting: {onReply: Sent, onRound: Waiting, onDone: Ended, onTold: Ended, onUncertain: Unknown,
		onExpired: Unknown, onLost: Unknown},
	Unknown: {onDone: Ended, onHappened: Ended, onNot: Planned, onAgain: Sent},
	Ended:   {},
	Denied:  {},
	Failed:  {},
}

// After returns the state of a call after an event, or an error where that cannot
// follow.
func (s State) After(e event) (State, error) {
	if next, ok := transitions[s][e]; ok {
		return next, nil
	}
	return s, fmt.Errorf("a call that is %s cannot have %q", s, e)
}

// eventOf is the event that a line is for the call that it is of; "" for a line
// that is none.
func eventOf(l Line) event {
	switch l := l.(type) {
	case *Call:
		return onCall
	case *Ask:
		return onAsk
	case *Answer:
		if l.Yes {
			return onYes
		}
		return onNo
	case *Round:
		if l.Sent {
			return onReply
		}
		return onRound
	case *Settle:
		if l.Happened {
			return onHappened
		}
		return onNot
	case *Done:
		switch {
		case l.Denied:
			return onDenied
		case l.Kind == NotSent:
			return onNotSent
		case l.told():
			return onTold
		case l.Kind == Uncertain:
			return onUncertain
		}
		return onDone
	}
	return ""
}

// told reports whether the script got an error that says that nothing is known of
// the call.
func (d *Done) told() bool { return d.Kind == Uncertain && d.Error != "" && !d.Cut }
