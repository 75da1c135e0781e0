package record

import (
	"fmt"
	"strings"
)

// State is what has become of a call.
type State string

// The states of a call.
const (
	Planned State = "planned" // nothing of it is in the record
	Asked   State = "asked"   // it waits for a person
	Granted State = "granted" // a person has said yes
	Sent    State = "sent"    // it is under way, or its process died
	Waiting State = "waiting" // the server waits for an answer of ours
	Unknown State = "unknown" // nobody knows what became of it
	Ended   State = "done"    // its answer is known
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
	OnDone      Event = "done" // answered or unread
	OnUncertain Event = "done uncertain"
	OnRound     Event = "round"
	OnLost      Event = "lost" // the process died
	OnHappened  Event = "settle happened"
	OnNot       Event = "settle not"
)

// transitions are all that may become of a call. What is not here is refused.
var transitions = map[State]map[Event]State{
	Planned: {OnCall: Sent, OnAsk: Asked, OnDenied: Denied, OnNotSent: Failed},
	Asked:   {OnYes: Granted, OnNo: Denied, OnExpired: Denied},
	Granted: {OnCall: Sent, OnExpired: Asked, OnNotSent: Failed, OnDenied: Denied},
	Sent:    {OnDone: Ended, OnNotSent: Failed, OnRound: Waiting, OnUncertain: Unknown, OnLost: Unknown},
	Waiting: {OnRound: Sent, OnDone: Ended, OnUncertain: Unknown, OnExpired: Unknown, OnLost: Unknown},
	Unknown: {OnDone: Ended, OnHappened: Ended, OnNot: Planned},
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
		case l.Kind == Uncertain:
			return OnUncertain
		}
		return OnDone
	}
	return ""
}

// State is the state of a call by its lines. alive: the process that made it may
// still be at it.
func (m *Made) State(alive bool) (State, error) {
	s := Planned
	var bad []string
	step := func(e Event) {
		next, err := s.After(e)
		if err != nil {
			bad = append(bad, err.Error())
		}
		s = next
	}
	if m.Call != nil && (m.Done == nil || !m.Done.Denied) { // the line of a denied one says what it was
		step(OnCall)
	}
	if m.Done != nil {
		step(EventOf(m.Done))
	}
	if s == Sent && !alive {
		step(OnLost)
	}
	if m.Settle != nil {
		step(EventOf(m.Settle))
	}
	if bad != nil {
		return s, fmt.Errorf("call %d: %s", m.Line().N, strings.Join(bad, "; "))
	}
	return s, nil
}
