package harness_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/usetools/usetools/harness/internal/worker"
)

// This file is a model of package worker: a script is a Go function, which runs in
// this process, and the Host is told of it what worker.Run would tell it. Real and
// model alike: calls reach the Host side by side, with path and place; what the script
// read from its clock comes before the call behind it; in a replay just one thing
// happens whenever nothing moves, a still that crossed an answer counts for nothing,
// and time is virtual; live, timers have what was left of them; a run ends waiting once
// nothing moves but for parked calls.
//
// Not as the real one: goroutines take turns, in a random order; a script that runs
// for long without waiting is not asked about (patience); calls that were held in a
// replay do not wait for Limits.Parallel when they go out; nothing is measured, cut or
// confined.

// A routine is a goroutine of a script. Its methods are what scripts can do.
type routine struct {
	c      *modelChild
	path   string
	starts map[string]int // by place: goroutines that it has begun
	draws  *rand.Rand     // random numbers from the run's seed
	read   int            // readings of the clock that it has had again
	wake   chan bool
	ready  bool
}

// modelChild is a script that runs, and the parent's end of its conversation.
type modelChild struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	s      *worker.Script
	host   worker.Host
	seen   func(*modelCall) // is told of each call, before the host is
	rng    *rand.Rand       // of the scheduler, and of what nothing records
	steps  int              // until the worker dies; negative: it does not

	// The script's side: whoever has the turn has these.
	all      []*routine
	ready    []*routine
	turn     chan struct{} // back to the scheduler
	timers   []*modelTimer
	virtual  time.Time // in a replay
	live     bool
	waiting  int // calls without an answer
	parked   int // that it was told of
	frames   uint32
	calls    int
	readings []worker.Reading
	value    json.RawMessage
	stdout   []byte
	print    func([]byte)
	over     bool
	crash    string
	said     bool // still, since something moved last

	// The parent's side.
	inbox    chan modelFrame
	mu       sync.Mutex
	replay   bool
	told     uint32
	underWay int
	parkedAt int      // calls that the host parked
	untold   []uint32 // parked in the replay
	hosted   sync.WaitGroup
	slots    chan struct{}
	denied   *worker.DeniedError
	advanced int
	quiet    time.Time // when the run ends that waits for timers alone
	out      *worker.Outcome
}

// modelFrame is what the parent tells the worker.
type modelFrame struct {
	kind string     // result, advance, live, parked
	call *modelCall // of a result
}

// modelCall is a call of a script, and what it came to.
type modelCall struct {
	path, tool, args string

	answer *worker.Answer
	err    error
	ended  bool // the script has its answer
	then   func()
}

type modelTimer struct {
	at   time.Time
	then func()
}

// runModel is worker.Run for a script that is a function.
func runModel(ctx context.Context, s *worker.Script, host worker.Host, o *worker.Options, needs *worker.Needs,
	main func(*routine), seen func(*modelCall), rng *rand.Rand, steps int) (*worker.Outcome, error) {
	s.Limits = s.Limits.WithDefaults()
	c := &modelChild{s: s, host: host, seen: seen, rng: rng, steps: steps, turn: make(chan struct{}),
		inbox: make(chan modelFrame, 10_000), replay: s.Replay != nil, live: s.Replay == nil,
		slots: make(chan struct{}, s.Limits.Parallel), out: &worker.Outcome{}}
	if o != nil && o.Stdout != nil {
		c.print = func(b []byte) { o.Stdout(time.Now(), len(b)%3, b) }
	}
	if s.Replay != nil {
		c.virtual = time.Unix(0, s.Replay.Begin)
	}
	caller := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := time.AfterFunc(s.Limits.Timeout, func() { cancel(context.DeadlineExceeded) })
	defer late.Stop()
	c.ctx, c.cancel = ctx, cancel
	_, ok, err := host.Resolve(caller, needs)
	if err != nil || !ok {
		c.out.Status = worker.Stopped
		return c.out, err
	}
	if !host.Start(ctx, &worker.Plan{}) {
		c.out.Status = worker.Stopped
		return c.out, nil
	}
	c.begin("", main)
	c.drive()
	for _, r := range slices.Clone(c.all) { // they do not come back
		close(r.wake)
		<-c.turn
	}
	ended := context.Cause(ctx)
	if c.out.Status != "" {
		ended = nil
	}
	cancel(nil)
	c.hosted.Wait()
	o2 := c.out
	o2.Calls, o2.Stdout, o2.Value = c.calls, string(c.stdout), c.value
	c.mu.Lock()
	denied := c.denied
	c.mu.Unlock()
	switch {
	case denied != nil:
		o2.Status, o2.Message = worker.Denied, denied.Error()
	case o2.Status == "" && errors.Is(ended, context.DeadlineExceeded):
		o2.Status, o2.Message = worker.Timeout, "the script ran too long"
	case o2.Status == "" && ended != nil:
		o2.Status, o2.Message = worker.Canceled, "the run was canceled"
	case o2.Status == "":
		o2.Status, o2.Message = worker.SandboxError, "the worker died"
	}
	return o2, nil
}

// begin makes a goroutine of the script, which is ready to run.
func (c *modelChild) begin(path string, f func(*routine)) {
	sum := sha256.Sum256(append(slices.Clip(c.s.Seed), path...))
	r := &routine{c: c, path: path, starts: map[string]int{}, wake: make(chan bool),
		draws: rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])))}
	c.all = append(c.all, r)
	c.makeReady(r)
	go func() {
		defer func() {
			c.all = slices.DeleteFunc(c.all, func(o *routine) bool { return o == r })
			c.turn <- struct{}{}
		}()
		if _, ok := <-r.wake; !ok {
			return
		}
		f(r)
		if path == "" {
			c.over = true
		}
	}()
}

func (c *modelChild) makeReady(r *routine) {
	if !r.ready {
		r.ready = true
		c.ready = append(c.ready, r)
	}
}

// block gives the turn away until somebody makes the goroutine ready.
func (r *routine) block() {
	r.c.turn <- struct{}{}
	if _, ok := <-r.wake; !ok {
		runtime.Goexit()
	}
}

// drive lets the goroutines take turns until the script, or the run, is over.
func (c *modelChild) drive() {
	for {
		for len(c.ready) > 0 && !c.over {
			if c.ctx.Err() != nil {
				return
			}
			if c.live && !c.take(false) {
				return
			}
			if c.steps == 0 {
				return // the worker is dead
			}
			c.steps--
			i := c.rng.IntN(len(c.ready))
			r := c.ready[i]
			c.ready = slices.Delete(c.ready, i, i+1)
			r.ready, c.said = false, false
			r.wake <- true
			<-c.turn
		}
		switch {
		case c.ctx.Err() != nil:
			return
		case c.over && c.crash != "":
			c.tellClock()
			c.out.Status, c.out.Message, c.out.Exit = worker.ScriptError, c.crash, 2
			return
		case c.over:
			c.tellClock()
			c.out.Status = worker.OK
			return
		case c.waiting == 0 && len(c.timers) == 0:
			c.out.Status, c.out.Message, c.out.Exit = worker.ScriptError, "fatal error: all goroutines are asleep - deadlock!", 2
			return
		case !c.live:
			if !c.sayStill() || !c.take(true) {
				return
			}
		case len(c.inbox) == 0 && c.parked > 0 && !c.said:
			c.said = true
			if !c.sayStill() {
				return
			}
		default:
			if !c.take(true) {
				return
			}
		}
	}
}

// sayStill is the worker's still, and what the parent does about it. It reports
// whether the run goes on.
func (c *modelChild) sayStill() bool {
	c.mu.Lock()
	replay, told, underWay, parked := c.replay, c.told, c.underWay, c.parkedAt
	c.mu.Unlock()
	if !c.quiet.IsZero() {
		c.quiet = time.Now().Add(time.Second)
	}
	switch {
	case c.frames != told: // something moves it already
		return true
	case replay:
		var next time.Time
		if t := c.firstTimer(); t != nil {
			next = t.at
		}
		what, err := c.host.Still(c.ctx, next, c.waiting, int(c.frames)-c.advanced)
		if c.ctx.Err() != nil {
			return false
		}
		if err == nil && what == worker.Live && !c.s.Resume {
			err = errors.New("this replay cannot become live")
		}
		if err != nil {
			c.out.Status, c.out.Message = worker.Diverged, err.Error()
			return false
		}
		switch what {
		case worker.Advance:
			c.mu.Lock()
			c.told++
			c.mu.Unlock()
			c.advanced++
			c.inbox <- modelFrame{kind: "advance"}
		case worker.Live:
			c.mu.Lock()
			c.replay = false
			c.told += 1 + uint32(len(c.untold))
			untold := c.untold
			c.untold = nil
			c.mu.Unlock()
			c.inbox <- modelFrame{kind: "live"}
			for range untold {
				c.inbox <- modelFrame{kind: "parked"}
			}
		}
		return true
	case underWay > 0 || c.waiting != parked:
		return true
	case len(c.timers) > 0:
		c.quiet = time.Now().Add(time.Second)
		return true
	}
	c.out.Status, c.out.Message = worker.Waiting, "the script waits for calls that get no answer in this run"
	return false
}

// take takes what comes next: of the parent, or a timer of a live script. wait: it
// waits for it. It reports whether the run goes on.
func (c *modelChild) take(wait bool) bool {
	for {
		select {
		case f := <-c.inbox:
			c.frame(f)
			if wait {
				return true
			}
			continue
		default:
		}
		var due <-chan time.Time
		if c.live {
			if t := c.firstTimer(); t != nil {
				if !time.Now().Before(t.at) {
					c.fire(t)
					return true
				}
				if wait {
					timer := time.NewTimer(time.Until(t.at))
					defer timer.Stop()
					due = timer.C
				}
			}
		}
		if !wait {
			return true
		}
		var quiet <-chan time.Time
		if !c.quiet.IsZero() {
			timer := time.NewTimer(time.Until(c.quiet))
			defer timer.Stop()
			quiet = timer.C
		}
		select {
		case f := <-c.inbox:
			c.frame(f)
			return true
		case <-due:
		case <-quiet:
			c.out.Status, c.out.Message = worker.Waiting, "the script waits for calls that get no answer in this run"
			return false
		case <-c.ctx.Done():
			return false
		}
	}
}

func (c *modelChild) firstTimer() *modelTimer {
	if len(c.timers) == 0 {
		return nil
	}
	return slices.MinFunc(c.timers, func(a, b *modelTimer) int { return a.at.Compare(b.at) })
}

func (c *modelChild) fire(t *modelTimer) {
	c.timers = slices.DeleteFunc(c.timers, func(o *modelTimer) bool { return o == t })
	c.said = false
	t.then()
}

// frame is a frame that the worker reads.
func (c *modelChild) frame(f modelFrame) {
	c.frames++
	c.said = false
	switch f.kind {
	case "advance":
		if t := c.firstTimer(); t != nil {
			if t.at.After(c.virtual) {
				c.virtual = t.at
			}
			c.fire(t)
		}
	case "live":
		now := time.Now()
		for _, t := range c.timers {
			t.at = now.Add(t.at.Sub(c.virtual))
		}
		c.live = true
	case "parked":
		c.parked++
	case "result":
		if !c.live && !f.call.at().IsZero() && f.call.at().After(c.virtual) {
			c.virtual = f.call.at()
		}
		c.waiting--
		f.call.ended = true
		f.call.then()
	}
}

// at is when the answer came, in a replay.
func (m *modelCall) at() time.Time {
	if m.answer == nil {
		return time.Time{}
	}
	return m.answer.At
}

func (c *modelChild) now() time.Time {
	if c.live {
		return time.Now()
	}
	return c.virtual
}

// tellClock tells the host what the script has read from its clock.
func (c *modelChild) tellClock() {
	if c.s.Clock && len(c.readings) > 0 {
		c.host.Clock(c.readings, false)
		c.readings = nil
	}
}

// send makes a call. then is run, by the scheduler, when the script has its answer.
func (r *routine) send(place, tool, args string, then func()) *modelCall {
	c := r.c
	call := &modelCall{path: r.path, tool: tool, args: args, then: then}
	c.calls++
	c.waiting++
	c.seen(call)
	c.tellClock()
	c.mu.Lock()
	c.underWay++
	live := !c.replay
	c.mu.Unlock()
	asked := &worker.Call{N: c.calls, Tool: tool, Args: json.RawMessage(args), Path: r.path, Place: place,
		Alone: c.s.Replay != nil && len(c.all) == 1 && len(c.timers) == 0}
	c.quiet = time.Time{}
	c.hosted.Go(func() {
		if live {
			select {
			case c.slots <- struct{}{}:
				defer func() { <-c.slots }()
			case <-c.ctx.Done():
				return
			}
		}
		ctx, handed := context.WithCancel(c.ctx)
		defer handed()
		answer, err := c.host.Call(ctx, asked)
		c.mu.Lock()
		defer c.mu.Unlock()
		var denied *worker.DeniedError
		switch {
		case errors.As(err, &denied):
			c.denied = denied
			c.cancel(denied)
			return
		case c.ctx.Err() != nil:
			return
		case errors.Is(err, worker.ErrParked):
			c.underWay--
			c.parkedAt++
			if c.replay {
				c.untold = append(c.untold, uint32(asked.N))
				return
			}
			c.told++
			c.inbox <- modelFrame{kind: "parked"}
			return
		}
		call.answer, call.err = answer, err
		c.underWay--
		c.told++
		c.inbox <- modelFrame{kind: "result", call: call}
	})
	return call
}

// What scripts can do.

// call makes a call and waits for its answer.
func (r *routine) call(place, tool, args string) (json.RawMessage, error) {
	call := r.send(place, tool, args, func() { r.c.makeReady(r) })
	r.block()
	if call.err != nil {
		return nil, call.err
	}
	return call.answer.Result, nil
}

// after runs f when so much time has passed.
func (r *routine) after(d time.Duration, f func()) *modelTimer {
	t := &modelTimer{r.c.now().Add(d), f}
	r.c.timers = append(r.c.timers, t)
	return t
}

func (r *routine) sleep(d time.Duration) {
	r.after(d, func() { r.c.makeReady(r) })
	r.block()
}

// start begins a goroutine, and calls ended at its end.
func (r *routine) start(place string, f func(*routine), ended func()) {
	r.starts[place]++
	path := fmt.Sprintf("%s#%d", place, r.starts[place])
	if r.path != "" {
		path = r.path + "/" + path
	}
	r.c.begin(path, func(r *routine) {
		f(r)
		ended()
	})
}

// together begins n goroutines and waits for them.
func (r *routine) together(place string, n int, f func(r *routine, i int)) {
	left, waits := n, false
	for i := range n {
		r.start(place, func(r *routine) { f(r, i) }, func() {
			if left--; left == 0 && waits {
				r.c.makeReady(r)
			}
		})
	}
	if left > 0 {
		waits = true
		r.block()
	}
}

// jobs is a channel without room: who takes from it waits for who sends.
type jobs struct {
	takers []*routine
	given  map[*routine]int // -1: it is closed
	queue  []int            // sent, by senders that wait
	sender []*routine
	closed bool
}

// take returns the next job; ok is false when there are no more.
func (j *jobs) take(r *routine) (n int, ok bool) {
	if len(j.queue) > 0 {
		n = j.queue[0]
		r.c.makeReady(j.sender[0])
		j.queue, j.sender = j.queue[1:], j.sender[1:]
		return n, true
	}
	if j.closed {
		return 0, false
	}
	j.takers = append(j.takers, r)
	r.block()
	n = j.given[r]
	return n, n >= 0
}

func (j *jobs) send(r *routine, n int) {
	if len(j.takers) > 0 {
		i := r.c.rng.IntN(len(j.takers))
		t := j.takers[i]
		j.takers = slices.Delete(j.takers, i, i+1)
		j.given[t] = n
		r.c.makeReady(t)
		return
	}
	j.queue, j.sender = append(j.queue, n), append(j.sender, r)
	r.block()
}

func (j *jobs) close(r *routine) {
	j.closed = true
	for _, t := range j.takers {
		j.given[t] = -1
		r.c.makeReady(t)
	}
	j.takers = nil
}

// pool lets workers do jobs that main sends, and waits for them.
func (r *routine) pool(place string, workers, n int, f func(r *routine, job int)) {
	j := &jobs{given: map[*routine]int{}}
	left, waits := workers, false
	for range workers {
		r.start(place, func(r *routine) {
			for job, ok := j.take(r); ok; job, ok = j.take(r) {
				f(r, job)
			}
		}, func() {
			if left--; left == 0 && waits {
				r.c.makeReady(r)
			}
		})
	}
	for i := range n {
		j.send(r, i)
	}
	j.close(r)
	if left > 0 {
		waits = true
		r.block()
	}
}

// callOr makes a call in a goroutine, and waits for it or for so long.
func (r *routine) callOr(place, tool, args string, d time.Duration) (raw json.RawMessage, err error, late bool) {
	decided := false
	t := r.after(d, func() {
		if !decided {
			decided, late = true, true
			r.c.makeReady(r)
		}
	})
	r.start(place, func(g *routine) {
		answer, failed := g.call(place, tool, args)
		if !decided {
			decided, raw, err = true, answer, failed
			r.c.timers = slices.DeleteFunc(r.c.timers, func(o *modelTimer) bool { return o == t })
			r.c.makeReady(r)
		}
	}, func() {})
	r.block()
	return raw, err, late
}

// coin is what no record fixes: the order of a map, a race.
func (r *routine) coin() bool { return r.c.rng.IntN(2) == 0 }

// random draws from the run's seed.
func (r *routine) random(n int) int { return r.draws.IntN(n) }

// now reads the clock.
func (r *routine) now() time.Time {
	c := r.c
	t := c.now()
	if c.s.Replay != nil && !c.live {
		if had := c.s.Replay.Readings[r.path]; r.read < len(had) {
			t = time.Unix(0, had[r.read])
		}
		r.read++
	}
	if c.s.Clock {
		c.readings = append(c.readings, worker.Reading{Path: r.path, Time: t.UnixNano()})
	}
	return t
}

func (r *routine) println(a ...any) {
	b := fmt.Appendln(nil, a...)
	r.c.stdout = append(r.c.stdout, b...)
	if r.c.print != nil {
		r.c.print(b)
	}
}

func (r *routine) give(v any) { r.c.value, _ = json.Marshal(v) }

// panic ends the script.
func (r *routine) panic(a ...any) {
	r.c.crash, r.c.over = "panic: "+fmt.Sprint(a...), true
	r.block()
}
