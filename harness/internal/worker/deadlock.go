package worker

import (
	"bytes"
	"encoding/json"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"time"

	"github.com/usetools/usetools/harness/internal/exec"
)

// fatalTexts are Go's messages when no goroutine can ever continue. The runtime does not detect
// this in a worker, because a worker always waits for its parent.
var fatalTexts = map[exec.Code]string{
	exec.CodeDeadlock: "all goroutines are asleep - deadlock!",
	exec.CodeNoMain:   "no goroutines (main called runtime.Goexit) - deadlock!",
}

// watchTick is the interval between checks of a quiet worker, and parkedTick that of one with
// parked calls.
const (
	watchTick  = 50 * time.Millisecond
	parkedTick = 5 * time.Millisecond
)

// watchShare limits checking to 1/watchShare of the time. watchMost is the maximum time until
// the next check, even if a busy machine slowed down this one.
const (
	watchShare = 20
	watchMost  = time.Second
)

// watch calls stuck once when all goroutines of the script wait for each other. In two
// consecutive checks, no tool call may be under way or have been made, no timer may be pending,
// and every goroutine except the worker's own must be blocked permanently. If calls are parked,
// it sends still to the parent instead, even if timers are pending. It ends when over is closed.
func (c *child) watch(over <-chan struct{}) {
	tick := time.NewTicker(watchTick)
	defer tick.Stop()
	var d dump
	quiet, last, reported := 0, calls{}, uint64(0)
	for {
		select {
		case <-over:
			return
		case <-tick.C:
		}
		if now := c.calls(); now.underWay() || now != last {
			quiet, last = 0, now
			if now.parked > 0 {
				tick.Reset(parkedTick)
			}
			continue
		}
		parked, least := last.parked > 0, watchTick
		if parked {
			least = parkedTick
		}
		// A timer that is set now may have fired before the end of this check, and the
		// goroutine that it wakes may not have moved by the time of the dump.
		timers := c.program.Waiting()
		if active() || !parked && timers {
			quiet = 0
			continue
		}
		begin := time.Now()
		some, all, asleep := d.blocked()
		tick.Reset(min(max(least, watchShare*time.Since(begin)), watchMost))
		// Another timer may have been set before the dump.
		timers = timers || asleep || c.program.Waiting()
		if !all || !some && !c.noMain.Load() || c.calls() != last || timers && !parked {
			quiet = 0
			continue
		}
		if quiet++; quiet < 2 {
			continue
		}
		select {
		case <-over: // the worker is about to say how it ended
			return
		default:
		}
		if !parked {
			c.deadlock(some)
			return
		}
		s := &still{Waiting: last.waiting, Seen: last.seen, Timers: timers}
		if s.mark() <= reported {
			continue
		}
		reported = s.mark()
		b, err := json.Marshal(s)
		if err == nil {
			err = c.say(kindStill, b)
		}
		if err != nil {
			c.lost()
			return
		}
	}
}

// deadlock reports a deadlock with or without remaining goroutines.
func (c *child) deadlock(some bool) {
	if some {
		c.stuck(exec.CodeDeadlock)
	} else {
		c.stuck(exec.CodeNoMain)
	}
}

// dumpBytes fits the stacks of a few hundred goroutines, and mostDumpBytes is the maximum for
// more. A deadlock of still more is ended by the deadline.
const (
	dumpBytes     = 256 << 10
	mostDumpBytes = 16 << 20
)

// A dump is a buffer for the stacks of all goroutines.
type dump struct{ buf []byte }

// stuck reports whether the script has goroutines, and whether all of them are blocked permanently.
func (d *dump) stuck() (some, all bool) {
	some, all, asleep := d.blocked()
	return some, all && !asleep
}

// blocked reports whether the script has goroutines, whether all of them are blocked or asleep,
// and whether some are asleep.
func (d *dump) blocked() (some, all, asleep bool) {
	if d.buf == nil { // most scripts end earlier
		d.buf = make([]byte, dumpBytes)
	}
	n := runtime.Stack(d.buf, true)
	if n < len(d.buf) {
		return blocked(d.buf[:n])
	}
	if n < mostDumpBytes {
		d.buf = make([]byte, 4*n)
	}
	return true, false, false
}

// calls is the state of the tool calls at a moment.
type calls struct {
	made, seen      uint32 // calls, and frames from the parent
	waiting, parked int    // calls without an answer, and the parked ones among them
}

func (c calls) underWay() bool { return c.waiting > c.parked }

func (c *child) calls() calls {
	c.mu.Lock()
	defer c.mu.Unlock()
	return calls{c.made, c.seen, len(c.waiting), c.parked}
}

const (
	metricRunning  = "/sched/goroutines/running:goroutines"
	metricRunnable = "/sched/goroutines/runnable:goroutines"
)

// active reports whether a goroutine other than the caller's runs or is runnable. It costs far
// less than a dump.
func active() bool {
	s := []metrics.Sample{{Name: metricRunning}, {Name: metricRunnable}}
	metrics.Read(s)
	for i, most := range []uint64{1, 0} {
		if s[i].Value.Kind() == metrics.KindUint64 && s[i].Value.Uint64() > most {
			return true
		}
	}
	return false
}

// ownFunctions are functions at the bottom of the worker's own goroutines, which may wait without a deadlock.
var ownFunctions = []string{
	"worker.(*child).listen", "worker.(*child).watch", "worker.(*child).conduct", "worker.Main(", "sandbox.onCPU", "os/signal.",
}

// blocked reports whether a dump of all goroutines shows some of the script's, whether all of
// those are blocked or asleep, and whether some are asleep.
func blocked(dump []byte) (some, all, asleep bool) {
	for _, g := range bytes.Split(dump, []byte("\n\n")) {
		head, rest, _ := strings.Cut(string(g), "\n")
		_, state, ok := strings.Cut(head, "[")
		if !ok {
			continue
		}
		state, _, _ = strings.Cut(strings.TrimRight(state, "]:"), ",")
		if slices.ContainsFunc(ownFunctions, func(f string) bool { return strings.Contains(rest, f) }) {
			if strings.Contains(rest, "worker.Main(") && !strings.HasPrefix(state, "chan ") && state != "select" {
				return true, false, false // the script has ended and reports it
			}
			continue
		}
		switch {
		case strings.HasPrefix(state, "chan "), strings.HasPrefix(state, "select"), strings.HasPrefix(state, "sync."),
			// The runtime also waits for its own semaphores, to begin a collection.
			state == "semacquire" && strings.HasPrefix(rest, "sync."),
			state == "coroutine": // of iter.Pull, until it is called
			some = true
		case state == "sleep":
			some, asleep = true, true
		default:
			return true, false, false
		}
	}
	return some, true, asleep
}
