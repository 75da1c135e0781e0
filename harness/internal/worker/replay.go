package worker

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// conduct leads a replay: whenever nothing in the script moves, it asks the parent for the next
// event, an answer or a timer, and lets only that happen, until the replay is live. It ends
// when over is closed.
//
// The script runs on one processor meanwhile. While this goroutine runs, no other does, so the
// scheduler's metrics about the others stay valid.
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

// stillness detects whether a script moves.
type stillness struct {
	*child
	dump    dump
	samples []metrics.Sample
	// outside is the number of goroutines in system calls while all of the script's are
	// blocked, if known.
	outside uint64
	known   bool
}

// Limits of the pause between two checks of a script that waits for the system or for garbage
// collection.
const (
	leastPause = 10 * time.Microsecond
	mostPause  = 2 * time.Millisecond
)

// patience is the running time after which the parent is asked even if the script still runs,
// because it may be polling. Time between two checks beyond timeSlice, the scheduler's slice,
// is not counted: the system ran something else.
const (
	patience  = 200 * time.Millisecond
	timeSlice = 10 * time.Millisecond
)

// await waits until nothing in the script moves while a call waits for an answer or a timer is
// pending. ok is false if the script has ended. It reports a deadlock.
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
				// A deadlock is permanent, so it justifies a closer look.
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

// running reports whether another goroutine runs or is runnable.
func (w *stillness) running() bool {
	if w.samples == nil {
		w.samples = []metrics.Sample{{Name: metricRunning}, {Name: metricRunnable}, {Name: "/sched/goroutines/not-in-go:goroutines"},
			{Name: "/gc/heap/goal:bytes"}, {Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}}
	}
	metrics.Read(w.samples[:3])
	return w.sample(0) > 1 || w.sample(1) > 0
}

func (w *stillness) sample(i int) uint64 { return w.samples[i].Value.Uint64() }

// still reports whether the script has goroutines, and whether all of them are blocked. It
// requires that running returned false.
func (w *stillness) still() (some, still bool) {
	all, asleep := w.program.Goroutines()
	w.mu.Lock()
	held := w.held
	w.mu.Unlock()
	// The others wait for each other, for the system, or for garbage collection. Only a dump
	// can distinguish these; its cost grows with the depth of the stacks.
	if held+asleep == all || w.known && w.sample(2) == w.outside && !w.collecting() {
		return true, true
	}
	outside := w.sample(2)
	if some, still = w.dump.stuck(); still {
		w.outside, w.known = outside, true
	}
	return some, still && (some || w.noMain.Load())
}

// collecting reports whether garbage collection runs or may begin soon. It begins when the heap
// has grown by 0.7 of the distance from the live heap to the goal.
func (w *stillness) collecting() bool {
	metrics.Read(w.samples[3:])
	goal, live, now := w.sample(3), w.sample(4), w.sample(5)
	return goal < live || now > live+(goal-live)/2
}
