package record

import "time"

// HeadOf returns the head of a line.
func HeadOf(l Line) *Head { return l.head() }

// SetRunClock sets the clock of a run that was read.
func SetRunClock(r *Run, clock func() time.Time) { r.stored.Clock = clock }

// Unasked returns how many calls of a gate's record the script has not made yet.
func Unasked(g *Gate) int { return g.left }

// CallOf and AskOf return a call and an ask of a run.
func CallOf(r *Run, n int) *Made    { return r.calls[n] }
func AskOf(r *Run, a string) *Asked { return r.asks[a] }

type Event = event

var Transitions = transitions

const (
	OnAgain     = onRepeat
	OnAsk       = onAsk
	OnCall      = onCall
	OnDenied    = onDenied
	OnDone      = onDone
	OnExpired   = onExpired
	OnHappened  = onHappened
	OnLost      = onLost
	OnNo        = onRejected
	OnNot       = onNotHappened
	OnNotSent   = onNotSent
	OnReply     = onReply
	OnRound     = onRound
	OnTold      = onReported
	OnUncertain = onUncertain
	OnYes       = onApproved
)
