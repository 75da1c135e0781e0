package worker

import (
	"os"
	"os/exec"
	"syscall"
)

// inheritPipes passes pipes to the child and returns their handles there.
func inheritPipes(cmd *exec.Cmd, files ...*os.File) []int {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	var handles []int
	for _, f := range files {
		h := syscall.Handle(f.Fd())
		syscall.SetHandleInformation(h, syscall.HANDLE_FLAG_INHERIT, 1)
		cmd.SysProcAttr.AdditionalInheritedHandles = append(cmd.SysProcAttr.AdditionalInheritedHandles, h)
		handles = append(handles, int(h))
	}
	return handles
}
