//go:build !unix

package procgroup

import "os/exec"

// Own does nothing: this platform has no process groups to signal.
func Own(*exec.Cmd) {}

// Terminate ends the process itself; what it started may outlive it.
func Terminate(cmd *exec.Cmd) { cmd.Process.Kill() }

// Kill ends the process itself; what it started may outlive it.
func Kill(cmd *exec.Cmd) { cmd.Process.Kill() }
