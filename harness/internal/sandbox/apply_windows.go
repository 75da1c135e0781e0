package sandbox

import (
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// mustLock reports whether Require is enforced on this platform.
const mustLock = false

// jobDelay is how long a child waits until its parent has put it into its job. The parent does
// so right after starting it.
const jobDelay = 2 * time.Second

// apply waits for the job object into which [Start] puts a child.
func apply(_ *Config, r *Report) {
	for end := time.Now().Add(jobDelay); !r.Rlimits && time.Now().Before(end); time.Sleep(time.Millisecond) {
		r.Rlimits = inJob()
	}
	if !r.Rlimits {
		r.miss("memory, cpu time and processes: open, this process is in no job object with limits")
	}
	r.miss("files and network: open, windows has no layer that a program can put on itself")
}

// inJob reports whether the process is in a job with our limits.
func inJob() bool {
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	err := windows.QueryInformationJobObject(0, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	return err == nil && info.BasicLimitInformation.LimitFlags&jobLimits == jobLimits
}
