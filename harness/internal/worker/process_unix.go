//go:build unix

package worker

import (
	"os"
	"os/exec"
)

// inheritPipes hands pipes to the child and returns the descriptors
// that they have there.
func inheritPipes(cmd *exec.Cmd, files ...*os.File) []int {
	cmd.ExtraFiles = files
	var fds []int
	for i := range files {
		fds = append(fds, 3+i)
	}
	return fds
}
