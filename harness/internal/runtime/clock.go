package runtime

import (
	"sync"
	"time"
)

// A Reading is one time that a script has read from its clock.
type Reading struct {
	Path string // of the goroutine that read it
	Time int64  // ns since 1970
}

// MaxReadings is how many readings of one script are noted.
const MaxReadings = 4096

// A notebook is the clock of a script whose readings are noted. The times have no
// monotonic part: what is noted of one is then all that a script can see of it.
// They go on evenly all the same, also where somebody sets the system's clock.
type notebook struct {
	base   time.Time
	timers *Timers

	mu    sync.Mutex
	fresh []Reading // that nobody has taken yet
	left  int
	lost  bool
}

func (n *notebook) now() time.Time {
	return n.note(n.base.Add(time.Since(n.base)))
}

// received is the time x, which came from a channel.
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

// take returns the readings since the last time, and whether some were not noted.
func (n *notebook) take() (fresh []Reading, lost bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	fresh, n.fresh = n.fresh, nil
	return fresh, n.lost
}

// fromTimer reports whether a time came from a timer's channel: where readings are
// noted or repeated, no other time that a script has got has a monotonic part.
func fromTimer(x time.Time) bool { return x != x.Round(0) }

// Record makes the timers note what the script reads from its clock; see Readings.
// It is called before the script runs.
func (t *Timers) Record() {
	t.notes = &notebook{base: time.Now(), timers: t, left: MaxReadings}
}

// Readings returns what the script has read from its clock since the last call, and
// whether it read more than is noted. There is nothing without Record.
func (t *Timers) Readings() (fresh []Reading, lost bool) {
	if t.notes == nil {
		return nil, false
	}
	return t.notes.take()
}

// clocked reports whether the script has another clock than the world's.
func (t *Timers) clocked() bool { return t.notes != nil || t.replay != nil }

// begin notes when the script begins, as the first reading of its main goroutine, or
// sets the clock of a replay to it, in a script that has to do with time.
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

// now, since and until are those of package time, for a script that is clocked.
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

// noted notes what a script reads in a replay that may become live: the record then
// has all readings of the execution that goes on.
func (t *Timers) noted(x time.Time) time.Time {
	if t.notes != nil {
		return t.notes.note(x)
	}
	return x
}

func (t *Timers) since(x time.Time) time.Duration { return t.now().Sub(x) }
func (t *Timers) until(x time.Time) time.Duration { return x.Sub(t.now()) }

// arrived is the time x as the script gets it, which received it.
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
