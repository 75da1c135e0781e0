//go:build unix

package procgroup

import (
	"os/exec"
	"syscall"
)

// Own makes the command start in a process group of its own, so that what it
// starts can be ended with it, and so that the terminal's Ctrl-C reaches this
// program first. Call it before Start.
func Own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// Terminate asks all processes of the group to end.
func Terminate(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// Kill ends all processes of the group.
func Kill(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
