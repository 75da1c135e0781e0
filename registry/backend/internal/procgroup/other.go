//go:build !unix

package procgroup

import "os/exec"

// Start starts the command. Call release after waiting for it.
func Start(cmd *exec.Cmd) (release func(), err error) { return func() {}, cmd.Start() }

// Terminate ends only the process itself; its children may outlive it.
func Terminate(cmd *exec.Cmd) { cmd.Process.Kill() }

// Kill ends only the process itself; its children may outlive it.
func Kill(cmd *exec.Cmd) { cmd.Process.Kill() }
