//go:build !unix

package procgroup

import "os/exec"

// Start starts the command. release is to be called when it has been waited for.
func Start(cmd *exec.Cmd) (release func(), err error) { return func() {}, cmd.Start() }

// Terminate ends the process itself; what it started may outlive it.
func Terminate(cmd *exec.Cmd) { cmd.Process.Kill() }

// Kill ends the process itself; what it started may outlive it.
func Kill(cmd *exec.Cmd) { cmd.Process.Kill() }
