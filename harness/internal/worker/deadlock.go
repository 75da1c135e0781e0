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

// fatalTexts is what Go says when nothing can ever happen again. The runtime
// does not notice it here, because a worker always waits for its parent.
var fatalTexts = map[exec.Code]string{
	exec.CodeDeadlock: "all goroutines are asleep - deadlock!",
	exec.CodeNoMain:   "no goroutines (main called runtime.Goexit) - deadlock!",
}

// watchTick is how often a quiet worker is looked at; parkedTick: one with calls that
// are parked.
const (
	watchTick  = 50 * time.Millisecond
	parkedTick = 5 * time.Millisecond
)

// watchShare is the part of the time that looking may take, and watchMost the
// time until the next look, also where a busy machine made this one slow.
const (
	watchShare = 20
	watchMost  = time.Second
)

// watch calls stuck once when all goroutines of the script wait for each other:
// twice in a row no tool call is under way, no timer is pending, and every
// goroutine but those of the worker itself is blocked for good; nor was a call
// made in between. Where calls are parked, it tells the parent instead, also when
// timers are pending. It ends when over is closed.
func (c *child) watch(over <-chan struct{}) {
	tick := time.NewTicker(watchTick)
	defer tick.Stop()
	var d dump
	quiet, last, said := 0, calls{}, uint64(0)
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
		// A timer that is set now may have gone off before the end of this look, and
		// what it wakes may not have moved by the time of the dump.
		timers := c.program.Waiting()
		if active() || !parked && timers {
			quiet = 0
			continue
		}
		begin := time.Now()
		some, all, asleep := d.blocked()
		tick.Reset(min(max(least, watchShare*time.Since(begin)), watchMost))
		// Another may have been set before the dump.
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
		if s.mark() <= said {
			continue
		}
		said = s.mark()
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

// deadlock says that the script is in one, with or without goroutines.
func (c *child) deadlock(some bool) {
	if some {
		c.stuck(exec.CodeDeadlock)
	} else {
		c.stuck(exec.CodeNoMain)
	}
}

// dumpBytes is what the stacks of a few hundred goroutines take, mostDumpBytes
// what those of more may; a deadlock of still more is ended by the deadline.
const (
	dumpBytes     = 256 << 10
	mostDumpBytes = 16 << 20
)

// A dump has room for the stacks of all goroutines.
type dump struct{ buf []byte }

// stuck reports whether there are goroutines of the script, and all of those are
// blocked for good.
func (d *dump) stuck() (some, all bool) {
	some, all, asleep := d.blocked()
	return some, all && !asleep
}

// blocked reports whether there are goroutines of the script, all of those are
// blocked or asleep, and some are asleep.
func (d *dump) blocked() (some, all, asleep bool) {
	if d.buf == nil { // most scripts are over before
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

// calls is what there is of tool calls at a moment.
type calls struct {
	made, seen      uint32 // calls, and frames from the parent
	waiting, parked int    // calls without an answer, and those of them that will get none
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

// active reports whether a goroutine besides the caller's runs or could. It
// costs far less than a dump.
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

// own are functions at the bottom of the worker's goroutines, whose waiting is
// no deadlock.
var own = []string{
	"worker.(*child).listen", "worker.(*child).watch", "worker.(*child).conduct", "worker.Main(", "sandbox.onCPU", "os/signal.",
}

// blocked reports whether a dump of all goroutines shows some of the script's, all
// of those blocked or asleep, and some asleep.
func blocked(dump []byte) (some, all, asleep bool) {
	for _, g := range bytes.Split(dump, []byte("\n\n")) {
		head, rest, _ := strings.Cut(string(g), "\n")
		_, state, ok := strings.Cut(head, "[")
		if !ok {
			continue
		}
		state, _, _ = strings.Cut(strings.TrimRight(state, "]:"), ",")
		if slices.ContainsFunc(own, func(f string) bool { return strings.Contains(rest, f) }) {
			if strings.Contains(rest, "worker.Main(") && !strings.HasPrefix(state, "chan ") && state != "select" {
				return true, false, false // the script has ended, and it says so
			}
			continue
		}
		switch {
		case strings.HasPrefix(state, "chan "), strings.HasPrefix(state, "select"), strings.HasPrefix(state, "sync."),
			// The runtime waits for its own semaphores too, to begin a collection.
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
