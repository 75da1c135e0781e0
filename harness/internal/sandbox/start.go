package sandbox

import (
	"os/exec"
	"sync"
	"time"
)

// Child is a started process. It dies with its parent, however the parent ends.
type Child struct {
	cmd *exec.Cmd
	job job

	mu     sync.Mutex
	reaped bool
	used   time.Duration // CPU time, once it is reaped
	wait   func() error
}

// Start starts cmd as a child that can be killed together with its own children, and that dies
// when this process does. On Windows Start also applies the limits of c; elsewhere the child
// does that itself with [Apply].
//
// On Linux the kernel kills a child when the thread that started it ends, which need not be the
// end of the process (golang/go#27505). So a permanent thread starts all children.
//
// The caller must call Wait.
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

// Wait waits for the child and reaps it, and kills the rest of its process group. It may be
// called more than once.
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

// Kill kills the child and its process group. It does nothing once the child was reaped,
// because another process may have its number by then.
func (c *Child) Kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.reaped {
		c.killGroup()
		c.cmd.Process.Kill() // in case its group does not exist yet
	}
}

// CPU returns the CPU time that the child has used. On systems other than Linux it is 0 until
// Wait has returned.
func (c *Child) CPU() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reaped {
		return c.used
	}
	return cpuUsed(c.cmd.Process.Pid)
}

// Memory returns the child's current memory in bytes. It is 0 after the child has ended, and on
// systems other than Linux.
func (c *Child) Memory() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reaped {
		return 0
	}
	return memoryUsed(c.cmd.Process.Pid)
}

// Narrow lowers the memory and CPU limits of a locked child to those of conf where these are
// lower. CPU time used so far counts. On platforms without such limits it does nothing.
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
