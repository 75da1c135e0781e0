package runtime

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"maps"
	"math"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"weak"
)

// A replay is the time of a script that is replayed. Nothing in it waits: its clock stands
// still until Answered or Advance moves it, and its timers go off when Advance fires them.
// Once it is live, its clock is the system's, and timers go off when they are due. Timers
// that native code sets use the real clock.
type replay struct {
	cpus int

	mu       sync.Mutex
	base     time.Time          // real; a time derived from it has a monotonic part
	live     bool               // since base
	jump     int64              // ns by which the clock was moved at base
	alarm    *time.Timer        // calls ring when the first event is due; nil until live
	clock    int64              // before live, ns since 1970
	readings map[string][]int64 // remaining, by path
	reads    int                // not in the record, since the clock moved
	events   events             // pending
	set      int                // number of events so far
	asleep   int                // goroutines in Sleep
	// receivers is the number of goroutines that receive from a channel of times, by its
	// address. unknown is set if native code may receive too.
	receivers map[uintptr]int
	unknown   *atomic.Bool
	timers    map[weak.Pointer[time.Timer]]*event
	tickers   map[weak.Pointer[time.Ticker]]*event
}

// An event happens at a time: a send to a channel, or a call.
type event struct {
	due    int64
	period int64 // of a ticker
	number int   // in the order of setting
	index  int   // in the list of events; -1 if it is not set
	c      chan time.Time
	fire   func()
	real   weak.Pointer[time.Timer] // the timer, which native code may have stopped
	ctx    context.Context          // ends at that time, if it has not ended before
}

// Replay makes the timers repeat a run. begin is its start in ns since 1970, readings are
// the clock readings by goroutine path, and cpus is its number of processors. Call it
// before the script runs.
func (t *Timers) Replay(begin int64, readings map[string][]int64, cpus int) {
	t.replay = &replay{
		cpus: cpus,
		base: time.Now(), clock: begin, readings: map[string][]int64{}, receivers: map[uintptr]int{}, unknown: &t.uncounted,
		timers: map[weak.Pointer[time.Timer]]*event{}, tickers: map[weak.Pointer[time.Ticker]]*event{},
	}
	maps.Copy(t.replay.readings, readings)
}

// Answered moves the clock of a replay to the time of an answer, in ns since 1970.
func (t *Timers) Answered(at int64) {
	t.replay.mu.Lock()
	defer t.replay.mu.Unlock()
	t.replay.move(at)
}

// Next returns the time, in ns since 1970, of the next timer of a replay that has a waiting
// receiver or a function to call.
func (t *Timers) Next() (due int64, ok bool) {
	t.replay.mu.Lock()
	defer t.replay.mu.Unlock()
	if e := t.replay.next(); e != nil {
		return e.due, true
	}
	return 0, false
}

// Advance fires the timer that Next reports.
func (t *Timers) Advance() {
	r := t.replay
	r.mu.Lock()
	e := r.next()
	if e == nil {
		r.mu.Unlock()
		return
	}
	r.move(e.due)
	heap.Remove(&r.events, e.index)
	fire := r.fireEvent(e)
	r.mu.Unlock()
	if fire != nil {
		fire()
	}
}

// Live ends a replay: its clock becomes the system's. Pending timers go off after their
// remaining time, as if the machine had slept, and remaining recorded readings are dropped.
// With Record, later readings are recorded.
func (t *Timers) Live() {
	r := t.replay
	r.mu.Lock()
	defer r.mu.Unlock()
	r.base = time.Now()
	r.jump = r.base.UnixNano() - r.clock
	r.live, r.readings = true, nil
	for _, e := range r.events {
		e.due = later(e.due, r.jump)
	}
	heap.Init(&r.events)
	if t.notes != nil {
		t.notes.base = r.base
	}
	r.alarm = time.AfterFunc(never, r.ring)
	r.wind()
}

// ring fires the events that are due.
func (r *replay) ring() {
	r.mu.Lock()
	var fire []func()
	for now := r.now(); len(r.events) > 0 && r.events[0].due <= now; {
		if f := r.fireEvent(heap.Pop(&r.events).(*event)); f != nil {
			fire = append(fire, f)
		}
	}
	r.wind()
	r.mu.Unlock()
	for _, f := range fire {
		f()
	}
}

// wind sets the alarm to the first event.
func (r *replay) wind() {
	if len(r.events) > 0 {
		r.alarm.Reset(time.Duration(r.events[0].due - r.now()))
	}
}

// now returns the time in ns since 1970. A live clock advances evenly even if the system's
// clock is set.
func (r *replay) now() int64 {
	if r.live {
		return r.base.Add(time.Since(r.base)).UnixNano()
	}
	return r.clock
}

// Asleep returns the number of sleeping goroutines of a replay.
func (t *Timers) Asleep() int {
	t.replay.mu.Lock()
	defer t.replay.mu.Unlock()
	return t.replay.asleep
}

// Idle reports whether a replay is not live and has no timer set, including timers without
// a receiver.
func (t *Timers) Idle() bool {
	t.replay.mu.Lock()
	defer t.replay.mu.Unlock()
	t.replay.prune()
	return len(t.replay.events) == 0 && !t.replay.live
}

// maxIdleReads is the number of readings of a standing clock after which the script is assumed
// to wait for it. From then on, each reading that is not in the record moves the clock, by
// 1 µs more than the one before.
const maxIdleReads = 1000

// read returns the next reading of a goroutine, or reports that the replay is live.
func (r *replay) read(path string) (x time.Time, live bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.live {
		return x, true
	}
	if x, ok := r.recorded(path); ok {
		return x, false
	}
	if r.reads++; r.reads > maxIdleReads {
		reads := r.reads
		r.move(later(r.clock, int64(time.Duration(reads-maxIdleReads)*time.Microsecond)))
		r.reads = reads
	}
	return time.Unix(0, r.clock), false
}

// recorded returns the next recorded reading of a goroutine.
func (r *replay) recorded(path string) (x time.Time, ok bool) {
	list := r.readings[path]
	if len(list) == 0 {
		return x, false
	}
	r.readings[path] = list[1:]
	r.move(list[0])
	return time.Unix(0, list[0]), true
}

// readOr returns the next recorded reading of a goroutine, or otherwise x, which came from
// a timer. It reports whether the replay is live.
func (r *replay) readOr(path string, x time.Time) (_ time.Time, live bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.live {
		return x, true
	}
	if x, ok := r.recorded(path); ok {
		return x, false
	}
	return time.Unix(0, x.UnixNano()), false
}

// move sets the clock, which never goes back. Timers without a receiver go off meanwhile,
// which changes nothing else.
func (r *replay) move(to int64) {
	if to <= r.clock {
		return
	}
	r.clock, r.reads = to, 0
	var heard []*event
	for len(r.events) > 0 && r.events[0].due <= to {
		if e := heap.Pop(&r.events).(*event); r.isNoticed(e) {
			heard = append(heard, e)
		} else {
			r.fireEvent(e)
		}
	}
	for _, e := range heard {
		heap.Push(&r.events, e)
	}
}

// isNoticed reports whether the event has an immediate effect.
func (r *replay) isNoticed(e *event) bool {
	return e.c == nil || r.unknown.Load() || r.receivers[channelAddress(e.c)] > 0
}

func (r *replay) next() *event {
	r.prune()
	var first *event
	for _, e := range r.events {
		if (first == nil || before(e, first)) && r.isNoticed(e) {
			first = e
		}
	}
	return first
}

// prune drops the deadlines of contexts that have ended.
func (r *replay) prune() {
	for i := 0; i < len(r.events); {
		if e := r.events[i]; e.ctx != nil && e.ctx.Err() != nil {
			heap.Remove(&r.events, i)
			i = 0
		} else {
			i++
		}
	}
}

// fireEvent fires an event, which must have been removed from the pending ones. The caller
// calls the returned function without the lock.
func (r *replay) fireEvent(e *event) (fire func()) {
	if t := e.real.Value(); t != nil && !t.Stop() {
		return nil
	}
	if e.c == nil {
		return e.fire
	}
	at := e.due
	if r.live {
		at = r.now()
	}
	r.send(e.c, at)
	if e.period > 0 {
		e.due = later(e.due, e.period*(1+max(0, r.now()-e.due)/e.period))
		heap.Push(&r.events, e)
	}
	return nil
}

// send sends a time to a timer's channel, unless it already has one.
func (r *replay) send(c chan time.Time, at int64) {
	select {
	case c <- r.base.Add(time.Duration(at - r.base.UnixNano())):
	default: // already full
	}
}

// add sets an event.
func (r *replay) add(e *event, d time.Duration) {
	e.due = later(r.now(), int64(max(d, 0)))
	e.number = r.set
	r.set++
	heap.Push(&r.events, e)
	if r.live && e.index == 0 {
		r.wind()
	}
}

// drop cancels an event, and reports whether it was set, or had gone off unseen.
func (r *replay) drop(e *event) bool {
	set := e.index >= 0
	if set {
		heap.Remove(&r.events, e.index)
	}
	select {
	case <-e.c: // never, if it is nil
		set = true
	default:
	}
	return set
}

// sleep is time.Sleep.
func (r *replay) sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	woken := make(chan struct{})
	r.mu.Lock()
	r.asleep++
	r.add(&event{index: -1, fire: func() {
		r.mu.Lock()
		r.asleep--
		r.mu.Unlock()
		close(woken)
	}}, d)
	r.mu.Unlock()
	<-woken
}

// never is the duration of the real timers behind those of a replay.
const never = 100 * 365 * 24 * time.Hour

// newTimer is time.NewTimer. If native code calls the timer's own methods, they use the
// real clock.
func (r *replay) newTimer(d time.Duration) *time.Timer {
	e := &event{index: -1, c: make(chan time.Time, 1)}
	t := time.AfterFunc(never, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.send(e.c, r.now())
	})
	t.C = e.c
	r.track(t, e, d)
	return t
}

// afterFunc is time.AfterFunc.
func (r *replay) afterFunc(d time.Duration, f func()) *time.Timer {
	e := &event{index: -1}
	t := time.AfterFunc(never, f)
	e.fire = func() { go f() }
	r.track(t, e, d)
	return t
}

// track sets a new timer, and keeps its event as long as the timer exists, since it may be
// set again.
func (r *replay) track(t *time.Timer, e *event, d time.Duration) {
	key := weak.Make(t)
	e.real = key
	runtime.AddCleanup(t, func(key weak.Pointer[time.Timer]) {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.timers, key)
	}, key)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.timers[key] = e
	r.add(e, d)
}

func (r *replay) after(d time.Duration) <-chan time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := &event{index: -1, c: make(chan time.Time, 1)}
	r.add(e, d)
	return e.c
}

// stop is t.Stop.
func (r *replay) stop(t *time.Timer) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	real := t.Stop()
	if e := r.timers[weak.Make(t)]; e != nil {
		return r.drop(e)
	}
	return real
}

// reset is t.Reset.
func (r *replay) reset(t *time.Timer, d time.Duration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.timers[weak.Make(t)]
	if e == nil {
		return t.Reset(d)
	}
	set := r.drop(e)
	t.Reset(never)
	r.add(e, d)
	return set
}

// newTicker is time.NewTicker. The ticker's own methods do nothing.
func (r *replay) newTicker(d time.Duration) *time.Ticker {
	if d <= 0 {
		return time.NewTicker(d) // panics
	}
	t := time.NewTicker(never)
	e := &event{index: -1, c: make(chan time.Time, 1), period: int64(d)}
	t.C = e.c
	key := weak.Make(t)
	runtime.AddCleanup(t, func(key weak.Pointer[time.Ticker]) {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.tickers, key)
	}, key)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tickers[key] = e
	r.add(e, d)
	return t
}

func (r *replay) stopTicker(t *time.Ticker) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.tickers[weak.Make(t)]; e != nil {
		r.drop(e)
		return
	}
	t.Stop()
}

func (r *replay) resetTicker(t *time.Ticker, d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.tickers[weak.Make(t)]
	if e == nil || d <= 0 {
		t.Reset(d)
		return
	}
	r.drop(e)
	e.period = int64(d)
	r.add(e, d)
}

// tick is time.Tick.
func (r *replay) tick(d time.Duration) <-chan time.Time {
	if d <= 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	e := &event{index: -1, c: make(chan time.Time, 1), period: int64(d)}
	r.add(e, d)
	return e.c
}

// deadline is a context with a deadline in a replay's time.
type deadline struct {
	context.Context
	parent context.Context
	at     time.Time
	live   bool // whether it was made after the replay became live
	in     *replay
}

// String returns the text of Go's own deadline context.
func (d *deadline) String() string {
	at, _ := d.Deadline()
	d.in.mu.Lock()
	defer d.in.mu.Unlock()
	return fmt.Sprintf("%s.WithDeadline(%v [%v])", contextName(d.parent), at, at.Sub(time.Unix(0, d.in.now())))
}

func contextName(c context.Context) string {
	if s, ok := c.(fmt.Stringer); ok {
		return s.String()
	}
	return reflect.TypeOf(c).String()
}

// Deadline returns the deadline, later by the clock's jump if that was after the context
// was made.
func (d *deadline) Deadline() (time.Time, bool) {
	d.in.mu.Lock()
	defer d.in.mu.Unlock()
	if d.in.live && !d.live {
		return d.at.Add(time.Duration(d.in.jump)), true
	}
	return d.at, true
}

// timeless is a context without its deadline, which context.WithDeadline would compare with
// the new one.
type timeless struct{ context.Context }

func (timeless) Deadline() (time.Time, bool) { return time.Time{}, false }

// withDeadline is context.WithDeadlineCause. The context is one of Go's, so that its
// children are too. It ends by a timer of Go's, which the replay fires.
func (r *replay) withDeadline(parent context.Context, at time.Time, cause error) (context.Context, context.CancelFunc) {
	if parent == nil {
		return context.WithDeadlineCause(parent, at, cause) // panics
	}
	if cur, ok := parent.Deadline(); ok && cur.Before(at) {
		return context.WithCancel(parent)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	left := at.Sub(time.Unix(0, r.now()))
	end := time.Now().Add(never)
	if left <= 0 {
		end = time.Time{}
	}
	ctx, cancel := context.WithDeadlineCause(timeless{parent}, end, cause)
	mine := &deadline{ctx, parent, at, r.live, r}
	timer := timerOf(ctx)
	if timer == nil { // it has already ended
		return mine, cancel
	}
	e := &event{index: -1, ctx: ctx, fire: func() {
		timer.Reset(0)
		<-ctx.Done()
	}}
	r.add(e, left)
	return mine, func() {
		cancel()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.drop(e)
	}
}

// timerOf returns the timer that ends a context of Go's, or nil if the context has ended.
func timerOf(c context.Context) *time.Timer {
	f := reflect.ValueOf(c).Elem().FieldByName("timer")
	if !f.IsValid() || f.Type() != reflect.TypeFor[*time.Timer]() {
		panic(plainError("this release of Go keeps the timers of contexts elsewhere"))
	}
	return (*time.Timer)(f.UnsafePointer())
}

func (r *replay) withTimeout(parent context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	r.mu.Lock()
	at := time.Unix(0, later(r.now(), int64(d)))
	r.mu.Unlock()
	return r.withDeadline(parent, at, cause)
}

// addReceivers notes that n more goroutines receive from a channel of times.
func (r *replay) addReceivers(channel uintptr, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.receivers[channel] += n; r.receivers[channel] == 0 {
		delete(r.receivers, channel)
	}
}

func channelAddress(channel any) uintptr { return reflect.ValueOf(channel).Pointer() }

// later returns t+d in ns, at most the maximum time.
func later(t, d int64) int64 {
	if d > 0 && t > math.MaxInt64-d {
		return math.MaxInt64
	}
	return t + d
}

// events is a heap.
type events []*event

func before(a, b *event) bool { return cmp.Or(cmp.Compare(a.due, b.due), a.number-b.number) < 0 }

func (l events) Len() int           { return len(l) }
func (l events) Less(i, j int) bool { return before(l[i], l[j]) }
func (l events) Swap(i, j int) {
	l[i], l[j] = l[j], l[i]
	l[i].index, l[j].index = i, j
}

func (l *events) Push(x any) {
	e := x.(*event)
	e.index = len(*l)
	*l = append(*l, e)
}

func (l *events) Pop() any {
	e := (*l)[len(*l)-1]
	(*l)[len(*l)-1] = nil
	*l = (*l)[:len(*l)-1]
	e.index = -1
	return e
}
