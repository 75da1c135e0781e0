package record

import "fmt"

// State is how far a call has got.
type State string

// The states of a call.
const (
	Planned State = "planned" // not in the record
	Asking  State = "asked"   // waits for approval
	Granted State = "granted" // approved, not sent yet
	Sent    State = "sent"    // under way, or its process died
	Waiting State = "waiting" // its server waits for our reply
	Unknown State = "unknown" // its outcome is unknown
	Ended   State = "done"    // answered, or the script got an error that its outcome is unknown
	Denied  State = "denied"  // rejected by policy or a person
	Failed  State = "failed"  // could not be sent
)

// event moves a call from one state to another: a line of the record, or something that a missing
// line implies.
type event string

// The events of a call, named after their lines.
const (
	onDenied      event = "done denied"   // by policy
	onNotSent     event = "done not_sent" // invalid arguments, no connection
	onAsk         event = "ask"
	onApproved    event = "yes"
	onRejected    event = "no"
	onExpired     event = "expired" // an ask or approval has expired, or the tool has changed
	onCall        event = "call"
	onRepeat      event = "call again"          // of an idempotent call
	onDone        event = "done"                // answered or unread
	onUncertain   event = "done uncertain"      // not reported to the script
	onReported    event = "done uncertain told" // reported to the script as an error; final
	onRound       event = "round"
	onReply       event = "round sent" // our reply to its server
	onLost        event = "lost"       // the process died
	onHappened    event = "settle happened"
	onNotHappened event = "settle not"
)

// transitions has all transitions of a call. After refuses any other.
var transitions = map[State]map[event]State{
	Planned: {onCall: Sent, onAsk: Asking, onDenied: Denied, onNotSent: Failed},
	Asking:  {onApproved: Granted, onRejected: Denied, onExpired: Denied},
	Granted: {onCall: Sent, onExpired: Asking, onNotSent: Failed, onDenied: Denied},
	Sent: {onDone: Ended, onReported: Ended, onNotSent: Failed, onRound: Waiting, onUncertain: Unknown,
		onLost: Unknown},
	Waiting: {onReply: Sent, onRound: Waiting, onDone: Ended, onReported: Ended, onUncertain: Unknown,
		onExpired: Unknown, onLost: Unknown},
	Unknown: {onDone: Ended, onHappened: Ended, onNotHappened: Planned, onRepeat: Sent},
	Ended:   {},
	Denied:  {},
	Failed:  {},
}

// After returns the state of a call after an event, or an error if the event cannot follow.
func (s State) After(e event) (State, error) {
	if next, ok := transitions[s][e]; ok {
		return next, nil
	}
	return s, fmt.Errorf("a call that is %s cannot have %q", s, e)
}

// eventOf returns the event of a line for its call, or "" if it has none.
func eventOf(l Line) event {
	switch l := l.(type) {
	case *Call:
		return onCall
	case *Ask:
		return onAsk
	case *Answer:
		if l.Yes {
			return onApproved
		}
		return onRejected
	case *Round:
		if l.Sent {
			return onReply
		}
		return onRound
	case *Settle:
		if l.Happened {
			return onHappened
		}
		return onNotHappened
	case *Done:
		switch {
		case l.Denied:
			return onDenied
		case l.Kind == NotSent:
			return onNotSent
		case l.reported():
			return onReported
		case l.Kind == Uncertain:
			return onUncertain
		}
		return onDone
	}
	return ""
}

// reported reports whether the script got an error that the outcome of the call is unknown.
func (d *Done) reported() bool { return d.Kind == Uncertain && d.Error != "" && !d.Cut }
