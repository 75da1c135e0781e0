//go:build !unix && !windows

package sandbox

// job is nothing on this platform.
type job struct{}

func (job) close() {}

// start starts the child; that it dies with its parent is left to the end of
// file on its pipes.
func (c *Child) start(*Config) error { return c.cmd.Start() }

func waitable(int) bool { return false }

// killGroup has no group to kill.
func (c *Child) killGroup() {}

func (c *Child) narrow(*Config) error { return nil }
