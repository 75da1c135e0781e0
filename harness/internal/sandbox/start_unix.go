//go:build unix && !linux

package sandbox

import "syscall"

// job is nothing: the process group does its part.
type job struct{}

func (job) close() {}

// start gives the child a process group. That it dies with its parent is left
// to the end of file on its pipes.
func (c *Child) start(*Config) error {
	if c.cmd.SysProcAttr == nil {
		c.cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	c.cmd.SysProcAttr.Setpgid = true
	return c.cmd.Start()
}

// waitable has nothing to wait with that does not reap.
func waitable(int) bool { return false }

func (c *Child) killGroup() { syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) }

// narrow has no call for another process's limits.
func (c *Child) narrow(*Config) error { return nil }
