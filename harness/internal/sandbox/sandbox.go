package sandbox

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// Exit codes of a process that exceeded its limits.
const (
	// ExitCPU is the exit code after Config.CPU: 128 and the number of SIGXCPU.
	ExitCPU = 152
	// ExitMemory is the exit code after Config.Memory: 128 and the number of SIGKILL, like
	// after the kernel's own out-of-memory killer. A process that grows very fast hits the
	// kernel's limit first, and the Go runtime exits with 2.
	ExitMemory = 137
)

// Policy decides what happens if a layer is unavailable.
type Policy string

const (
	// Require refuses to run without all layers on Linux. Elsewhere it is like BestEffort,
	// because other platforms never have all of them.
	Require Policy = "require"
	// BestEffort runs with the available layers, which the Report lists.
	BestEffort Policy = "best-effort"
)

// Config configures the lock of a process. If nil, or if a field is zero, defaults apply.
type Config struct {
	// Policy is the policy. If empty, it is Require.
	Policy Policy `json:"policy,omitempty"`
	// Memory limits the process's memory, in bytes, including the Go runtime's own. If zero, it
	// is 512 MiB. The last 96 MiB, or half if that is less, are reserved: see watchMemory.
	// Program text does not count, nor do the stacks of existing C threads; each further thread
	// counts 8 MiB.
	Memory int64 `json:"memory,omitempty"`
	// CPU limits the time on all cores together, rounded up to seconds. If zero, it is a
	// minute.
	CPU time.Duration `json:"cpu,omitempty"`
	// Procs limits the busy cores, up to the number of the machine's. If zero, it is 4.
	Procs int `json:"procs,omitempty"`
	// Stack limits a goroutine's stack, in bytes. If zero, it is a quarter of Memory, but at
	// least 64 MiB: a stack is copied when it grows.
	Stack int `json:"stack,omitempty"`
	// Files limits the open descriptors. If zero, it is 64.
	Files int `json:"files,omitempty"`
	// Keep lists the inherited descriptors above 2 that stay open.
	Keep []int `json:"keep,omitempty"`
	// OnCPU is called in a separate goroutine when the CPU time is used up, a second before the
	// kernel kills the process. If nil, it is os.Exit(ExitCPU).
	OnCPU func() `json:"-"`
}

// withDefaults returns the Config with defaults for zero fields.
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

// cpuSeconds returns the CPU limit in the kernel's unit.
func (c *Config) cpuSeconds() uint64 {
	return max(1, uint64((c.CPU+time.Second-1)/time.Second))
}

// Report lists the layers with which a process was locked.
type Report struct {
	// Landlock is the ABI of the kernel. If 0, Landlock is not applied.
	Landlock int `json:"landlock"`
	// Seccomp reports whether a filter is set on all threads.
	Seccomp bool `json:"seccomp"`
	// Rlimits reports whether the kernel limits memory and CPU time.
	Rlimits bool `json:"rlimits"`
	// NoNewPrivs reports whether no_new_privs is set on all threads.
	NoNewPrivs bool `json:"no_new_privs"`
	// Missing lists each layer that is not applied, with the reason.
	Missing []string `json:"missing,omitempty"`
}

func (r *Report) miss(format string, args ...any) {
	r.Missing = append(r.Missing, fmt.Sprintf(format, args...))
}

// ErrUnlocked is returned by Apply, wrapped, if a layer required by Config.Policy is missing.
var ErrUnlocked = errors.New("this process cannot be locked")

// Apply locks the calling process with all its threads, permanently. Call it once. After an
// error the process may be partly locked and must exit.
//
// Resources that Go would load at first use are loaded before: the poller, and the local time
// zone.
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

// Tune sets the limits of the Go runtime: cores, stack, and the memory from which it collects
// garbage more often. Apply calls it; call it again after a process's limits were narrowed. It
// ignores an invalid Config.
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
