package worker

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// conduct leads a replay: whenever nothing in the script moves, it asks the parent
// what is next, an answer or the next timer, and lets just that happen, until the
// replay is live. It ends when over is closed.
//
// The script runs on one processor meanwhile. While this goroutine runs no other
// does, so what the scheduler says of the others holds.
func (c *child) conduct(over <-chan struct{}) {
	w := &stillness{child: c}
	for {
		waiting, next, ok := w.await(over)
		if !ok {
			return
		}
		if err := c.to.writeJSON(kindStill, &still{Next: next, Waiting: waiting, Seen: c.calls().seen}); err != nil {
			c.lost()
			return
		}
		k, b, err := c.next()
		switch {
		case err == nil && k == kindAdvance:
			c.program.Advance()
			continue
		case err == nil && k == kindParked:
			c.park()
			continue
		case err == nil && k == kindLive && c.script.Resume:
			c.program.Live()
			c.attend(over)
			return
		case err == nil && (k == kindResult || k == kindFailed):
			var n uint32
			var r result
			if n, r, err = resultOf(k, b); err == nil {
				c.program.Answered(r.At)
				c.hand(n, r)
				continue
			}
		}
		c.lost()
		return
	}
}

// stillness finds out whether a script moves.
type stillness struct {
	*child
	dump    dump
	samples []metrics.Sample
	// outside is how many goroutines wait for the system while all of the script's
	// are blocked; known: it is.
	outside uint64
	known   bool
}

// Between two looks at a script that waits for the system, or for the collection of
// garbage.
const (
	leastPause = 10 * time.Microsecond
	mostPause  = 2 * time.Millisecond
)

// patience is how long a script may run before the parent is asked all the same: it
// may run in order to wait. A longer time than the scheduler's slice, between two
// looks, is one in which the system ran something else.
const (
	patience  = 200 * time.Millisecond
	timeSlice = 10 * time.Millisecond
)

// await waits until nothing in the script moves, and something could: calls wait for
// answers, or a timer for its time. ok is false when the script is over. It says so
// where the script is in a deadlock.
func (w *stillness) await(over <-chan struct{}) (waiting int, next int64, ok bool) {
	pause, deadlocked := leastPause, false
	var ran time.Duration
	last := time.Now()
	for {
		select {
		case <-over:
			return 0, 0, false
		default:
		}
		now := time.Now()
		ran += min(now.Sub(last), timeSlice)
		last = now
		running := w.running()
		some, still := false, false
		if !running {
			some, still = w.still()
		}
		if still || ran > patience {
			w.mu.Lock()
			waiting = w.held
			w.mu.Unlock()
			next, pending := w.program.Next()
			if waiting > 0 || pending {
				return waiting, next, true
			}
		}
		if running {
			runtime.Gosched()
			continue
		}
		if still {
			if !w.program.Waiting() {
				// To be in a deadlock is for good, so it is worth a closer look.
				some, still = w.dump.stuck()
			}
			if !w.program.Waiting() && still && (some || w.noMain.Load()) {
				if deadlocked && w.stuck != nil {
					w.deadlock(some)
					return 0, 0, false
				}
				deadlocked = true
			}
		}
		select {
		case <-over:
			return 0, 0, false
		case <-time.After(pause):
		}
		pause = min(2*pause, mostPause)
	}
}

// running reports whether another goroutine runs or could.
func (w *stillness) running() bool {
	if w.samples == nil {
		w.samples = []metrics.Sample{{Name: metricRunning}, {Name: metricRunnable}, {Name: "/sched/goroutines/not-in-go:goroutines"},
			{Name: "/gc/heap/goal:bytes"}, {Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}}
	}
	metrics.Read(w.samples[:3])
	return w.sample(0) > 1 || w.sample(1) > 0
}

func (w *stillness) sample(i int) uint64 { return w.samples[i].Value.Uint64() }

// still reports whether all goroutines of the script are blocked, and that there are
// some, of a script of which none runs or could.
func (w *stillness) still() (some, still bool) {
	all, asleep := w.program.Goroutines()
	w.mu.Lock()
	held := w.held
	w.mu.Unlock()
	// The others wait for each other, for the system, or for the collection of
	// garbage. A dump tells, which takes as long as their stacks are deep.
	if held+asleep == all || w.known && w.sample(2) == w.outside && !w.collecting() {
		return true, true
	}
	outside := w.sample(2)
	if some, still = w.dump.stuck(); still {
		w.outside, w.known = outside, true
	}
	return some, still && (some || w.noMain.Load())
}

// collecting reports whether garbage is collected, or could be soon: that begins
// when the heap has grown by 0.7 of what it may until the end of the collection.
func (w *stillness) collecting() bool {
	metrics.Read(w.samples[3:])
	goal, live, now := w.sample(3), w.sample(4), w.sample(5)
	return goal < live || now > live+(goal-live)/2
}
