package runtime

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Timers tracks which timers of a script may still wake it. Go's runtime checks its own
// heap before it reports a deadlock; a worker always has other goroutines, so it must count
// timers. A doubtful case counts as a timer.
type Timers struct {
	waiting atomic.Int64  // goroutines that receive from a channel of time.Time
	started atomic.Int64  // running goroutines of the script, without main's
	notes   *notebook     // if nil, readings of the clock are not recorded
	replay  *replay       // if nil, time is the system's
	path    func() string // of the calling goroutine

	// uncounted reports whether native code may set timers, or wait for them, without being
	// counted.
	uncounted atomic.Bool

	mu       sync.Mutex
	timers   map[*time.Timer]wake
	tickers  map[*time.Ticker]bool
	contexts []context.Context // with a deadline of their own
	sends    time.Time         // end of the last timer of time.After
	ticks    bool              // time.Tick was called
}

// wake is the effect of one timer, and its time.
type wake struct {
	at    time.Time
	calls bool // a function
}

const (
	// pruneEach is the number of new timers after which expired ones are dropped.
	pruneEach = 1000
	// lateness is longer than any timer is late in a running process.
	lateness = time.Second
)

// NewTimers returns the Timers of one script, without timers.
func NewTimers() *Timers {
	return &Timers{timers: map[*time.Timer]wake{}, tickers: map[*time.Ticker]bool{}}
}

// Goroutines returns the number of goroutines of the script.
func (t *Timers) Goroutines() int { return int(t.started.Load()) + 1 }

// Pending reports whether a timer may still go off with an effect. As in Go, a timer that
// only sends on a channel does not count if no goroutine receives there. A sleeping
// goroutine is not a timer.
func (t *Timers) Pending() bool {
	if t.uncounted.Load() {
		return true
	}
	if t.replay != nil {
		_, pending := t.Next()
		return pending
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.prune()
	if len(t.contexts) > 0 {
		return true
	}
	heard := t.waiting.Load() > 0
	if heard && (t.ticks || len(t.tickers) > 0 || due(t.sends)) {
		return true
	}
	for _, w := range t.timers {
		if heard || w.calls {
			return true
		}
	}
	return false
}

func due(at time.Time) bool { return !at.IsZero() && time.Since(at) < lateness }

// prune drops expired timers and contexts.
func (t *Timers) prune() {
	for timer, w := range t.timers {
		if !due(w.at) {
			delete(t.timers, timer)
		}
	}
	kept := t.contexts[:0]
	for _, c := range t.contexts {
		if at, _ := c.Deadline(); c.Err() == nil && due(at) {
			kept = append(kept, c)
		}
	}
	clear(t.contexts[len(kept):])
	t.contexts = kept
}

// note adds a timer, or sets it again.
func (t *Timers) note(timer *time.Timer, d time.Duration, calls bool) *time.Timer {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.timers)%pruneEach == pruneEach-1 {
		t.prune()
	}
	t.timers[timer] = wake{time.Now().Add(d), calls}
	return timer
}

func (t *Timers) afterFunc(d time.Duration, f func()) *time.Timer {
	if t.replay != nil {
		return t.replay.afterFunc(d, f)
	}
	return t.note(time.AfterFunc(d, f), d, true)
}

func (t *Timers) newTimer(d time.Duration) *time.Timer {
	if t.replay != nil {
		return t.replay.newTimer(d)
	}
	return t.note(time.NewTimer(d), d, false)
}

func (t *Timers) after(d time.Duration) <-chan time.Time {
	if t.replay != nil {
		return t.replay.after(d)
	}
	t.mu.Lock()
	if at := time.Now().Add(d); at.After(t.sends) {
		t.sends = at
	}
	t.mu.Unlock()
	return time.After(d)
}

func (t *Timers) stop(timer *time.Timer) bool {
	if t.replay != nil {
		return t.replay.stop(timer)
	}
	stopped := timer.Stop()
	t.mu.Lock()
	delete(t.timers, timer)
	t.mu.Unlock()
	return stopped
}

func (t *Timers) reset(timer *time.Timer, d time.Duration) bool {
	if t.replay != nil {
		return t.replay.reset(timer, d)
	}
	was := timer.Reset(d)
	t.note(timer, d, timer.C == nil)
	return was
}

func (t *Timers) newTicker(d time.Duration) *time.Ticker {
	if t.replay != nil {
		return t.replay.newTicker(d)
	}
	return t.noteTicker(time.NewTicker(d))
}

func (t *Timers) noteTicker(ticker *time.Ticker) *time.Ticker {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tickers[ticker] = true
	return ticker
}

func (t *Timers) tick(d time.Duration) <-chan time.Time {
	if t.replay != nil {
		return t.replay.tick(d)
	}
	c := time.Tick(d)
	t.mu.Lock()
	t.ticks = t.ticks || c != nil
	t.mu.Unlock()
	return c
}

func (t *Timers) stopTicker(ticker *time.Ticker) {
	if t.replay != nil {
		t.replay.stopTicker(ticker)
		return
	}
	ticker.Stop()
	t.mu.Lock()
	delete(t.tickers, ticker)
	t.mu.Unlock()
}

func (t *Timers) resetTicker(ticker *time.Ticker, d time.Duration) {
	if t.replay != nil {
		t.replay.resetTicker(ticker, d)
		return
	}
	ticker.Reset(d)
	t.noteTicker(ticker)
}

// deadline adds a context that ends by itself.
func (t *Timers) deadline(c context.Context, cancel context.CancelFunc) (context.Context, context.CancelFunc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.contexts)%pruneEach == pruneEach-1 {
		t.prune()
	}
	t.contexts = append(t.contexts, c)
	return c, cancel
}

func (t *Timers) withTimeout(c context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if t.replay != nil {
		return t.replay.withTimeout(c, d, nil)
	}
	return t.deadline(context.WithTimeout(c, d))
}

func (t *Timers) withDeadline(c context.Context, at time.Time) (context.Context, context.CancelFunc) {
	if t.replay != nil {
		return t.replay.withDeadline(c, at, nil)
	}
	return t.deadline(context.WithDeadline(c, at))
}

func (t *Timers) withTimeoutCause(c context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	if t.replay != nil {
		return t.replay.withTimeout(c, d, cause)
	}
	return t.deadline(context.WithTimeoutCause(c, d, cause))
}

func (t *Timers) withDeadlineCause(c context.Context, at time.Time, cause error) (context.Context, context.CancelFunc) {
	if t.replay != nil {
		return t.replay.withDeadline(c, at, cause)
	}
	return t.deadline(context.WithDeadlineCause(c, at, cause))
}

// received is <-c with one result, and receivedOK with two.
func (t *Timers) received(c <-chan time.Time) time.Time {
	x, _ := t.receivedOK(c)
	return x
}

func (t *Timers) receivedOK(c <-chan time.Time) (time.Time, bool) {
	if t.replay != nil {
		at := channelAddress(c)
		t.replay.addReceivers(at, 1)
		defer t.replay.addReceivers(at, -1)
	} else {
		t.waiting.Add(1)
		defer t.waiting.Add(-1)
	}
	x, ok := <-c
	return t.arrived(x), ok
}

// selecting is called before a select, and done after it.
func (t *Timers) selecting(cases []reflect.SelectCase) (done func()) {
	var heard []uintptr
	for _, c := range cases {
		if c.Dir == reflect.SelectRecv && c.Chan.IsValid() && c.Chan.Type().Elem() == reflect.TypeFor[time.Time]() {
			if t.replay == nil {
				t.waiting.Add(1)
				return func() { t.waiting.Add(-1) }
			}
			heard = append(heard, c.Chan.Pointer())
			t.replay.addReceivers(c.Chan.Pointer(), 1)
		}
	}
	return func() {
		for _, c := range heard {
			t.replay.addReceivers(c, -1)
		}
	}
}

// loadLocation is time.LoadLocation. A locked worker may not look for files of time zones:
// a zone that is not built in is unknown, whatever the system's error is.
func loadLocation(name string) (*time.Location, error) {
	l, err := time.LoadLocation(name)
	var system syscall.Errno
	if errors.As(err, &system) {
		err = errors.New("unknown time zone " + name)
	}
	return l, err
}

// symbols returns the functions that replace those of packages time and context.
func (t *Timers) symbols() map[string]any {
	now, since, until, sleep := time.Now, time.Since, time.Until, time.Sleep
	if t.clocked() {
		now, since, until = t.now, t.since, t.until
	}
	if t.replay != nil {
		sleep = t.replay.sleep
	}
	return map[string]any{
		"Now": now, "Since": since, "Until": until, "Sleep": sleep,
		"LoadLocation": loadLocation, "NewTimer": t.newTimer, "After": t.after, "NewTicker": t.newTicker, "Tick": t.tick,
		"TimerStop": t.stop, "TimerReset": t.reset, "TickerStop": t.stopTicker, "TickerReset": t.resetTicker,
		"WithTimeout": t.withTimeout, "WithDeadline": t.withDeadline, "WithTimeoutCause": t.withTimeoutCause, "WithDeadlineCause": t.withDeadlineCause,
		"Received": t.received, "ReceivedOK": t.receivedOK,
	}
}
