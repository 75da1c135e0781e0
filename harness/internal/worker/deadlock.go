package worker

import (
	"bytes"
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

// watchTick is how often a quiet worker is looked at.
const watchTick = 50 * time.Millisecond

// watchShare is the part of the time that looking may take, and watchMost the
// time until the next look, also where a busy machine made this one slow.
const (
	watchShare = 20
	watchMost  = time.Second
)

// watch calls stuck once when all goroutines of the script wait for each other:
// twice in a row no tool call is under way, no timer is pending, and every
// goroutine but those of the worker itself is blocked for good; nor was a call
// made in between. It ends when over is closed.
func (c *child) watch(program *exec.Program, over <-chan struct{}) {
	tick := time.NewTicker(watchTick)
	defer tick.Stop()
	var d dump
	quiet, calls := 0, uint32(0)
	for {
		select {
		case <-over:
			return
		case <-tick.C:
		}
		if made, calling := c.calls(); calling || made != calls {
			quiet, calls = 0, made
			continue
		}
		if active() || program.Waiting() {
			quiet = 0
			continue
		}
		begin := time.Now()
		some, all := d.blocked()
		tick.Reset(min(max(watchTick, watchShare*time.Since(begin)), watchMost))
		// What is asked after the dump held at the time of the dump.
		made, calling := c.calls()
		if !all || !some && !c.noMain.Load() || calling || made != calls || program.Waiting() {
			quiet = 0
			continue
		}
		if quiet++; quiet < 2 {
			continue
		}
		c.deadlock(some)
		return
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

// blocked reports whether there are goroutines of the script, and all of those
// are blocked.
func (d *dump) blocked() (some, all bool) {
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
	return true, false
}

// calls says how many tool calls the script made, and whether one is under way.
func (c *child) calls() (made uint32, underWay bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.next, len(c.waiting) > 0
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

// blocked reports whether a dump of all goroutines shows some of the script's,
// and all of those blocked.
func blocked(dump []byte) (some, all bool) {
	for _, g := range bytes.Split(dump, []byte("\n\n")) {
		head, rest, _ := strings.Cut(string(g), "\n")
		_, state, ok := strings.Cut(head, "[")
		if !ok {
			continue
		}
		if slices.ContainsFunc(own, func(f string) bool { return strings.Contains(rest, f) }) {
			continue
		}
		state, _, _ = strings.Cut(strings.TrimRight(state, "]:"), ",")
		switch {
		case strings.HasPrefix(state, "chan "), strings.HasPrefix(state, "select"), strings.HasPrefix(state, "sync."),
			// The runtime waits for its own semaphores too, to begin a collection.
			state == "semacquire" && strings.HasPrefix(rest, "sync."),
			state == "coroutine": // of iter.Pull, until it is called
			some = true
		default:
			return true, false
		}
	}
	return some, true
}
