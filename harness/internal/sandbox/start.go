package sandbox

import (
	"os/exec"
	"sync"
	"time"
)

// Child is a started process. It dies with its parent, however that ends.
type Child struct {
	cmd *exec.Cmd
	job job

	mu     sync.Mutex
	reaped bool
	used   time.Duration // of CPU time, once it is reaped
	wait   func() error
}

// Start starts cmd as a child that can be killed with all that it may have
// started, and that dies when this process does. On Windows the limits of c
// are put on it as well; elsewhere the child does that itself, by [Apply].
//
// On Linux the kernel kills a child when the thread that started it ends,
// which need not be the end of the process (golang/go#27505); so all children
// are started by one thread that stays.
//
// The caller must Wait.
func Start(cmd *exec.Cmd, c *Config) (*Child, error) {
	conf, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	child := &Child{cmd: cmd}
	if err := child.start(&conf); err != nil {
		return nil, err
	}
	child.wait = sync.OnceValue(child.reap)
	return child, nil
}

// Wait waits for the child and reaps it; it may be called more than once. What
// the child leaves behind in its process group is killed.
func (c *Child) Wait() error { return c.wait() }

func (c *Child) reap() error {
	if waitable(c.cmd.Process.Pid) {
		c.mu.Lock()
		c.killGroup()
		c.reaped = true
		c.mu.Unlock()
	}
	err := c.cmd.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reaped = true
	if state := c.cmd.ProcessState; state != nil {
		c.used = state.UserTime() + state.SystemTime()
	}
	c.job.close()
	return err
}

// Kill kills the child and its process group. It does nothing once the child
// was reaped, when its number may belong to somebody else.
func (c *Child) Kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.reaped {
		c.killGroup()
		c.cmd.Process.Kill() // should its group not exist yet
	}
}

// CPU returns how much CPU time the child has used. Other than on Linux it is 0
// until Wait has returned.
func (c *Child) CPU() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reaped {
		return c.used
	}
	return cpuUsed(c.cmd.Process.Pid)
}

// Memory returns how many bytes of memory the child holds now: 0 when it has ended, and
// where that is not known, which is everywhere but on Linux.
func (c *Child) Memory() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reaped {
		return 0
	}
	return memoryUsed(c.cmd.Process.Pid)
}

// Narrow lowers the memory and CPU limits of a child that has locked itself,
// to those of conf where they are lower. CPU time used so far counts.
// On platforms without such limits it does nothing.
func (c *Child) Narrow(conf *Config) error {
	d, err := conf.withDefaults()
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reaped {
		return nil
	}
	return c.narrow(&d)
}
