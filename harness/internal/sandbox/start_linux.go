package sandbox

import (
	"fmt"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// job is unused: the process group takes its place.
type job struct{}

func (job) close() {}

// spawner starts processes on a thread that never ends, so that the parent-death signal is sent
// only at the parent's end.
var spawner = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

func (c *Child) start(*Config) error {
	if c.cmd.SysProcAttr == nil {
		c.cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	c.cmd.SysProcAttr.Setpgid = true
	c.cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	started := make(chan error)
	spawner() <- func() { started <- c.cmd.Start() }
	return <-started
}

// waitable waits until a child has ended, without reaping it: until it is reaped, no other
// process gets its number.
func waitable(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err == nil
		}
	}
}

func (c *Child) killGroup() { syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) }

func (c *Child) narrow(conf *Config) error {
	if err := narrow(c.cmd.Process.Pid, conf); err != nil {
		return fmt.Errorf("narrowing the limits of process %d: %w", c.cmd.Process.Pid, err)
	}
	return nil
}
