package worker

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Budget is what a run and the runs that it starts, while a Host's Call is
// under way, may take together: calls, CPU time, and what they print and send.
// The first run that has it is the one that starts the others.
type Budget struct {
	limits                          Limits
	calls, stdout, stderr, received allowance

	mu      sync.Mutex
	begun   int        // runs
	running []*process // of runs under way
	spent   time.Duration
}

// NewBudget is a budget of one run's limits.
func NewBudget(l Limits) *Budget {
	l = l.WithDefaults()
	b := &Budget{limits: l}
	b.calls.left.Store(int64(l.Calls))
	b.stdout.left.Store(int64(l.Stdout))
	b.stderr.left.Store(int64(l.Stdout))
	b.received.left.Store(maxReceived)
	return b
}

// begin notes that a run begins and reports whether another one has started
// it. Such a run may take the CPU time that is left.
func (b *Budget) begin(l *Limits) (nested bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.begun++; b.begun == 1 {
		return false
	}
	l.CPU = max(time.Millisecond, min(l.CPU, b.limits.CPU-b.used()))
	return true
}

// add counts the CPU time of a worker until remove, which counts what it has
// taken by then.
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

// used is the CPU time that was taken by now. The caller holds the lock.
func (b *Budget) used() time.Duration {
	d := b.spent
	for _, p := range b.running {
		d += p.child.CPU()
	}
	return d
}

// errCPU is the cause of the end of a run whose CPU time is over.
var errCPU = errors.New("the CPU time is over")

// watchEvery is how often the CPU time of several processes is added up. The
// kernel watches over each one.
const watchEvery = 100 * time.Millisecond

// watch calls a function when the runs have taken more CPU time together than
// one may; call stop when the first of them has ended.
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

// Usage is what a run, and those that it has started, take of the machine.
type Usage struct {
	At     time.Time
	CPU    time.Duration // since the run began
	Memory int64         // bytes that their workers hold now
}

// usageEvery is when the usage is looked at first, and how often then. In a long run it
// is less often: after each thirtieth of its time, which are 210 times in 10 min.
const usageEvery = 50 * time.Millisecond

// sample tells what the runs take, from time to time, where the system knows it; call
// stop when the first of them has ended.
func (b *Budget) sample(tell func(Usage)) (stop func()) {
	begun := time.Now()
	b.mu.Lock()
	before := b.used() // a spare has been there for long
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

// every calls a function after a time, and again after the times that it returns, until
// that is 0 or stop is called; stop waits for a call that is under way.
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

// who is whom a limit is about.
func (b *Budget) who() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.begun > 1 {
		return "the script and the saved scripts that run with it"
	}
	return "the script"
}

func (b *Budget) cpuMessage() string {
	return fmt.Sprintf("%s used more than %v of CPU time", b.who(), b.limits.CPU)
}

// allowance is a number of bytes, or calls, that can be taken once.
type allowance struct{ left atomic.Int64 }

func newAllowance(n int) *allowance {
	a := &allowance{}
	a.left.Store(int64(n))
	return a
}

// take takes n, or what is left of it, and returns how much that is.
func (a *allowance) take(n int) int {
	had := a.left.Add(-int64(n)) + int64(n)
	return int(max(0, min(int64(n), had)))
}
