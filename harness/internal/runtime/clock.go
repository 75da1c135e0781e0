package runtime

import (
	"sync"
	"time"
)

// A Reading is one reading of a script's clock.
type Reading struct {
	Path string // of the goroutine that read it
	Time int64  // ns since 1970
}

// MaxReadings is the maximum number of readings recorded for one script.
const MaxReadings = 4096

// A notebook is the clock of a script whose readings are recorded. Its times have no
// monotonic part, so that the record has everything that a script can observe. They advance
// evenly even if the system's clock is set.
type notebook struct {
	base   time.Time
	timers *Timers

	mu    sync.Mutex
	fresh []Reading // not taken yet
	left  int
	lost  bool
}

func (n *notebook) now() time.Time {
	return n.note(n.base.Add(time.Since(n.base)))
}

// received returns the time x, which came from a channel, as the script gets it.
func (n *notebook) received(x time.Time) time.Time {
	if !fromTimer(x) {
		return x
	}
	return n.note(n.base.Add(x.Sub(n.base)))
}

func (n *notebook) note(x time.Time) time.Time {
	path := n.timers.path()
	x = x.Round(0)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.left == 0 {
		n.lost = true
		return x
	}
	n.left--
	n.fresh = append(n.fresh, Reading{path, x.UnixNano()})
	return x
}

// take returns the readings since the last call, and whether some were not recorded.
func (n *notebook) take() (fresh []Reading, lost bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	fresh, n.fresh = n.fresh, nil
	return fresh, n.lost
}

// fromTimer reports whether a time came from a timer's channel: where readings are recorded
// or repeated, no other time of a script has a monotonic part.
func fromTimer(x time.Time) bool { return x != x.Round(0) }

// Record makes the timers record the readings of the script's clock; see Readings. Call it
// before the script runs.
func (t *Timers) Record() {
	t.notes = &notebook{base: time.Now(), timers: t, left: MaxReadings}
}

// Readings returns the readings of the script's clock since the last call, and whether it
// read more than were recorded. Without Record it returns no readings.
func (t *Timers) Readings() (fresh []Reading, lost bool) {
	if t.notes == nil {
		return nil, false
	}
	return t.notes.take()
}

// clocked reports whether the script has a clock other than the system's.
func (t *Timers) clocked() bool { return t.notes != nil || t.replay != nil }

// begin reads the clock once, in a script that uses time: it records the script's start as
// the first reading of its main goroutine, or sets the clock of a replay to it.
func (t *Timers) begin(mentions map[string]bool) {
	if !t.clocked() {
		return
	}
	for name := range t.symbols() {
		if mentions == nil || mentions[name] {
			t.now()
			return
		}
	}
}

// now, since and until are those of package time, for a script with its own clock.
func (t *Timers) now() time.Time {
	if t.replay != nil {
		if x, live := t.replay.read(t.path()); !live {
			return t.noted(x)
		}
	}
	if t.notes != nil {
		return t.notes.now()
	}
	return time.Now()
}

// noted records a reading in a replay that may become live, so that the record has all
// readings of the resumed execution.
func (t *Timers) noted(x time.Time) time.Time {
	if t.notes != nil {
		return t.notes.note(x)
	}
	return x
}

func (t *Timers) since(x time.Time) time.Duration { return t.now().Sub(x) }
func (t *Timers) until(x time.Time) time.Duration { return x.Sub(t.now()) }

// arrived returns the received time x as the script gets it.
func (t *Timers) arrived(x time.Time) time.Time {
	if t.replay != nil && fromTimer(x) {
		y, live := t.replay.readOr(t.path(), x)
		if !live {
			return t.noted(y)
		}
	}
	if t.notes != nil {
		return t.notes.received(x)
	}
	return x
}
