//go:build !unix && !windows

package sandbox

// job is unused on this platform.
type job struct{}

func (job) close() {}

// start starts the child. The child learns of its parent's end by the end of file on its pipes.
func (c *Child) start(*Config) error { return c.cmd.Start() }

func waitable(int) bool { return false }

// killGroup does nothing, since the platform has no process groups.
func (c *Child) killGroup() {}

func (c *Child) narrow(*Config) error { return nil }
