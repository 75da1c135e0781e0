package worker

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Budget limits a run and the runs that it starts during a Host's Call together: calls, CPU
// time, output, and the bytes that they send. The first run that uses it is the one that starts
// the others.
type Budget struct {
	limits                          Limits
	calls, stdout, stderr, received allowance

	mu      sync.Mutex
	begun   int        // number of runs
	running []*process // the workers of runs under way
	spent   time.Duration
}

// NewBudget returns a budget with the limits of one run.
func NewBudget(l Limits) *Budget {
	l = l.WithDefaults()
	b := &Budget{limits: l}
	b.calls.left.Store(int64(l.Calls))
	b.stdout.left.Store(int64(l.Stdout))
	b.stderr.left.Store(int64(l.Stdout))
	b.received.left.Store(maxReceived)
	return b
}

// begin records that a run begins, and reports whether another run started it. Such a run may
// use the remaining CPU time.
func (b *Budget) begin(l *Limits) (nested bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.begun++; b.begun == 1 {
		return false
	}
	l.CPU = max(time.Millisecond, min(l.CPU, b.limits.CPU-b.used()))
	return true
}

// add counts the CPU time of a worker until remove, which adds its final CPU time.
func (b *Budget) add(p *process) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running = append(b.running, p)
}

func (b *Budget) remove(p *process) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running = slices.DeleteFunc(b.running, func(x *process) bool { return x == p })
	b.spent += p.child.CPU()
}

// used returns the CPU time used so far. The caller holds the lock.
func (b *Budget) used() time.Duration {
	d := b.spent
	for _, p := range b.running {
		d += p.child.CPU()
	}
	return d
}

// errCPU is the cause of a run's end when its CPU time is used up.
var errCPU = errors.New("the CPU time is over")

// watchEvery is the interval for adding up the CPU time of several processes. The kernel
// enforces the limit of each one.
const watchEvery = 100 * time.Millisecond

// watch calls a function when the runs together have exceeded the CPU time of one. Call stop
// when the first run has ended.
func (b *Budget) watch(over func()) (stop func()) {
	return every(watchEvery, func() time.Duration {
		b.mu.Lock()
		late := b.begun > 1 && b.used() > b.limits.CPU
		b.mu.Unlock()
		if late {
			over()
			return 0
		}
		return watchEvery
	})
}

// Usage is the machine resources that a run and the runs it started use.
type Usage struct {
	At     time.Time
	CPU    time.Duration // since the run began
	Memory int64         // bytes used by their workers now
}

// usageEvery is the first interval between samples of the usage. In a long run the interval is
// a thirtieth of the elapsed time, which is 210 samples in 10 min.
const usageEvery = 50 * time.Millisecond

// sample reports the runs' usage from time to time, if the system provides it. Call stop when
// the first run has ended.
func (b *Budget) sample(tell func(Usage)) (stop func()) {
	begun := time.Now()
	b.mu.Lock()
	before := b.used() // a spare has used CPU time before the run
	b.mu.Unlock()
	return every(usageEvery, func() time.Duration {
		u := Usage{At: time.Now()}
		b.mu.Lock()
		u.CPU = b.used() - before
		for _, p := range b.running {
			u.Memory += p.child.Memory()
		}
		b.mu.Unlock()
		if u.Memory > 0 {
			tell(u)
		}
		return max(usageEvery, time.Since(begun)/30)
	})
}

// every calls a function after first, and then after the durations that it returns, until it
// returns 0 or stop is called. stop waits for a call under way.
func every(first time.Duration, look func() (next time.Duration)) (stop func()) {
	var mu sync.Mutex
	var timer *time.Timer
	ended := false
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(first, func() {
		mu.Lock()
		defer mu.Unlock()
		if ended {
			return
		}
		if next := look(); next > 0 {
			timer.Reset(next)
		}
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		ended = true
		timer.Stop()
	}
}

// subject returns the subject of a message about a limit.
func (b *Budget) subject() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.begun > 1 {
		return "the script and the saved scripts that run with it"
	}
	return "the script"
}

func (b *Budget) cpuMessage() string {
	return fmt.Sprintf("%s used more than %v of CPU time", b.subject(), b.limits.CPU)
}

// An allowance is a number of bytes or calls that can be used once.
type allowance struct{ left atomic.Int64 }

func newAllowance(n int) *allowance {
	a := &allowance{}
	a.left.Store(int64(n))
	return a
}

// take takes up to n from the allowance and returns the number taken.
func (a *allowance) take(n int) int {
	had := a.left.Add(-int64(n)) + int64(n)
	return int(max(0, min(int64(n), had)))
}
