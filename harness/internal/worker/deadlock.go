package worker

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"time"
)

// deadlockText is what Go says when nothing can ever happen again. The runtime
// does not notice it here, because a worker always waits for its parent.
const deadlockText = "all goroutines are asleep - deadlock!"

// watchTick is how often a quiet worker is looked at.
const watchTick = 50 * time.Millisecond

// timed are the library packages through which a blocked goroutine may still
// wake up by itself: where a script uses one, only the deadline tells.
var timed = []string{"context", "time"}

// watch calls stuck once when all goroutines of the script wait for each other:
// no tool call is under way, no timer can exist, and twice in a row every
// goroutine but those of the worker itself is blocked for good. It ends when
// over is closed.
func (c *child) watch(libraries []string, over <-chan struct{}) {
	if slices.ContainsFunc(timed, func(p string) bool { return slices.Contains(libraries, p) }) {
		return
	}
	tick := time.NewTicker(watchTick)
	defer tick.Stop()
	buf := make([]byte, 256<<10)
	quiet := 0
	for {
		select {
		case <-over:
			return
		case <-tick.C:
		}
		c.mu.Lock()
		calling := len(c.waiting) > 0
		c.mu.Unlock()
		if n := runtime.Stack(buf, true); calling || n == len(buf) || !allBlocked(buf[:n]) {
			quiet = 0
			continue
		}
		if quiet++; quiet == 2 {
			c.stuck()
			return
		}
	}
}

// own are functions at the bottom of the worker's goroutines, whose waiting is
// no deadlock.
var own = []string{
	"worker.(*child).listen", "worker.(*child).watch", "worker.Main(", "os/signal.",
}

// allBlocked reports whether a dump of all goroutines shows at least one of
// the script's, and all of those blocked.
func allBlocked(dump []byte) bool {
	some := false
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
			state == "semacquire" && strings.HasPrefix(rest, "sync."):
			some = true
		default:
			return false
		}
	}
	return some
}
