//go:build unix

package main

import "syscall"

// canFreeze says that processes can be stopped here and go on later.
const canFreeze = true

// freeze stops the process, or has it go on.
func (c *child) freeze(stop bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	sig := syscall.SIGCONT
	if stop {
		sig = syscall.SIGSTOP
	}
	if err := c.cmd.Process.Signal(sig); err != nil {
		c.t.Error(err)
	}
}
