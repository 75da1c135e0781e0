package sandbox

import (
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// mustLock says that Require is meant on this platform.
const mustLock = false

// jobDelay is how long a child waits for its parent to put it into its job,
// which happens right after it was started.
const jobDelay = 2 * time.Second

// apply looks for the job object in which [Start] puts a child.
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
