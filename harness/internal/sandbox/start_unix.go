//go:build unix && !linux

package sandbox

import "syscall"

// job is unused: the process group takes its place.
type job struct{}

func (job) close() {}

// start starts the child in a process group. The child learns of its parent's end by the end of
// file on its pipes.
func (c *Child) start(*Config) error {
	if c.cmd.SysProcAttr == nil {
		c.cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	c.cmd.SysProcAttr.Setpgid = true
	return c.cmd.Start()
}

// waitable returns false, since waiting always reaps the process here.
func waitable(int) bool { return false }

func (c *Child) killGroup() { syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) }

// narrow does nothing: another process's limits cannot be changed.
func (c *Child) narrow(*Config) error { return nil }
