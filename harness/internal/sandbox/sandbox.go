package sandbox

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// Exit codes of a process that its limits ended.
const (
	// ExitCPU is the exit code after Config.CPU: 128 and the number of SIGXCPU.
	ExitCPU = 152
	// ExitMemory is the exit code after Config.Memory: 128 and the number of
	// SIGKILL, which is what the kernel's own out-of-memory killer leaves. A
	// process that grows very fast meets the kernel's limit first, on which the
	// Go runtime exits with 2.
	ExitMemory = 137
)

// Policy says what happens when a layer is not to be had.
type Policy string

const (
	// Require refuses to go on on Linux. Elsewhere it is like BestEffort:
	// what a platform never has is no reason to refuse.
	Require Policy = "require"
	// BestEffort goes on with what there is; the Report tells.
	BestEffort Policy = "best-effort"
)

// Config is how to lock a process. Nil means defaults, as does each zero field.
type Config struct {
	// Policy; "" means Require.
	Policy Policy `json:"policy,omitempty"`
	// Memory is what the process may hold, in bytes, the Go runtime's own
	// included; 0 means 512 MiB. The last 96 MiB, or half if that is less, are
	// kept back: see watchMemory. Program text does not count, nor do the stacks
	// of the C threads that there are; each further one counts 8 MiB.
	Memory int64 `json:"memory,omitempty"`
	// CPU is the time on all cores together, rounded up to seconds; 0 means a
	// minute.
	CPU time.Duration `json:"cpu,omitempty"`
	// Procs is how many cores may be busy; 0 means 4. There are never more than
	// the machine has.
	Procs int `json:"procs,omitempty"`
	// Stack is what one goroutine's stack may take, in bytes; 0 means a quarter
	// of Memory, and 64 MiB at least: it is copied when it grows.
	Stack int `json:"stack,omitempty"`
	// Files is how many descriptors may be open; 0 means 64.
	Files int `json:"files,omitempty"`
	// Keep lists the inherited descriptors above 2 that stay open.
	Keep []int `json:"keep,omitempty"`
	// OnCPU is called in a goroutine of its own when the CPU time is over, a
	// second before the kernel kills; nil means os.Exit(ExitCPU).
	OnCPU func() `json:"-"`
}

// withDefaults fills in what is zero.
func (c *Config) withDefaults() (Config, error) {
	d := Config{}
	if c != nil {
		d = *c
	}
	if d.Memory == 0 {
		d.Memory = 512 << 20
	}
	if d.CPU == 0 {
		d.CPU = time.Minute
	}
	if d.Procs == 0 {
		d.Procs = 4
	}
	if d.Stack == 0 {
		d.Stack = int(max(64<<20, d.Memory/4))
	}
	if d.Files == 0 {
		d.Files = 64
	}
	switch d.Policy {
	case "":
		d.Policy = Require
	case Require, BestEffort:
	default:
		return d, fmt.Errorf("sandbox policy %q: it is %q or %q", d.Policy, Require, BestEffort)
	}
	if d.Memory < 0 || d.CPU < 0 || d.Procs < 0 || d.Stack < 0 || d.Files < 0 {
		return d, fmt.Errorf("sandbox limits: memory %d, cpu %v, procs %d, stack %d, files %d: none may be negative", d.Memory, d.CPU, d.Procs, d.Stack, d.Files)
	}
	return d, nil
}

// cpuSeconds is the CPU limit in the kernel's unit.
func (c *Config) cpuSeconds() uint64 {
	return max(1, uint64((c.CPU+time.Second-1)/time.Second))
}

// Report is what a process was locked with.
type Report struct {
	// Landlock is the ABI of the kernel; 0 means none.
	Landlock int `json:"landlock"`
	// Seccomp says that a filter is on all threads.
	Seccomp bool `json:"seccomp"`
	// Rlimits says that the kernel limits memory and CPU time.
	Rlimits bool `json:"rlimits"`
	// NoNewPrivs says that it is set on all threads.
	NoNewPrivs bool `json:"no_new_privs"`
	// Missing names each layer that is not on, and why.
	Missing []string `json:"missing,omitempty"`
}

func (r *Report) miss(format string, args ...any) {
	r.Missing = append(r.Missing, fmt.Sprintf(format, args...))
}

// ErrUnlocked is returned by Apply, wrapped, when a layer is missing that
// Config.Policy requires.
var ErrUnlocked = errors.New("this process cannot be locked")

// Apply locks the calling process with all its threads, for good. It is called
// once. After an error the process may be locked in part and must end.
//
// What Go loads when it first needs it is loaded before: the poller, and the
// local time zone.
func Apply(c *Config) (Report, error) {
	var r Report
	conf, err := c.withDefaults()
	if err != nil {
		return r, err
	}
	watchMemory()
	apply(&conf, &r)
	conf.Tune()
	if conf.Policy == Require && len(r.Missing) > 0 && mustLock {
		return r, fmt.Errorf("%w: %s; to run with less, ask for the policy %q", ErrUnlocked, strings.Join(r.Missing, "; "), BestEffort)
	}
	return r, nil
}

// Tune sets the limits that the Go runtime keeps itself: cores, stack, and the
// memory from which on it collects garbage more often. Apply does it; a process
// whose limits were narrowed does it again. Nonsense changes nothing.
func (c *Config) Tune() {
	conf, err := c.withDefaults()
	if err != nil {
		return
	}
	runtime.GOMAXPROCS(min(conf.Procs, runtime.NumCPU()))
	debug.SetMaxStack(conf.Stack)
	watch := conf.watched()
	debug.SetMemoryLimit(watch / 10 * 9)
	watchedLimit.Store(watch)
}
