//go:build unix

package worker

import (
	"os"
	"os/exec"
)

// inheritPipes passes pipes to the child and returns their descriptors there.
func inheritPipes(cmd *exec.Cmd, files ...*os.File) []int {
	cmd.ExtraFiles = files
	var fds []int
	for i := range files {
		fds = append(fds, 3+i)
	}
	return fds
}
