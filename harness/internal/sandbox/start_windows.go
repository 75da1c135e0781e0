package sandbox

import (
	"fmt"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// jobLimits are the limits of every job: memory, no further process, and the end of all
// processes when the parent's handle is closed, which the system does when the parent ends.
const jobLimits = windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY |
	windows.JOB_OBJECT_LIMIT_PROCESS_TIME |
	windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS |
	windows.JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION |
	windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE

// job is the job object of a child.
type job struct{ handle windows.Handle }

func (j job) close() {
	if j.handle != 0 {
		windows.CloseHandle(j.handle)
	}
}

// limit applies the limits of c to the job.
func (j job) limit(c *Config) error {
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags:              jobLimits,
			PerProcessUserTimeLimit: int64(c.CPU / (100 * time.Nanosecond)),
			ActiveProcessLimit:      1,
		},
		ProcessMemoryLimit: uintptr(c.Memory),
	}
	_, err := windows.SetInformationJobObject(j.handle, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	return err
}

// start starts the child and puts it into a new job. In between it runs without limits, but a
// worker does nothing before it gets a script.
func (c *Child) start(conf *Config) error {
	handle, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return fmt.Errorf("making a job object: %w", err)
	}
	c.job = job{handle}
	if err := c.job.limit(conf); err != nil {
		c.job.close()
		return fmt.Errorf("limiting a job object: %w", err)
	}
	if c.cmd.SysProcAttr == nil {
		c.cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	c.cmd.SysProcAttr.CreationFlags |= windows.CREATE_NEW_PROCESS_GROUP
	if err := c.cmd.Start(); err != nil {
		c.job.close()
		return err
	}
	if err := c.assign(); err != nil {
		c.cmd.Process.Kill()
		c.cmd.Wait()
		c.job.close()
		return fmt.Errorf("putting a child into its job object: %w", err)
	}
	return nil
}

func (c *Child) assign() error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(c.cmd.Process.Pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process)
	return windows.AssignProcessToJobObject(c.job.handle, process)
}

// waitable returns false, since closing the job ends its remaining processes.
func waitable(int) bool { return false }

// killGroup ends all processes of the job.
func (c *Child) killGroup() { windows.TerminateJobObject(c.job.handle, 1) }

// narrow lowers the job's limits.
func (c *Child) narrow(conf *Config) error {
	var now windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	if err := windows.QueryInformationJobObject(c.job.handle, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&now)), uint32(unsafe.Sizeof(now)), nil); err != nil {
		return fmt.Errorf("reading the limits of a job object: %w", err)
	}
	lower := *conf
	lower.Memory = min(lower.Memory, int64(now.ProcessMemoryLimit))
	lower.CPU = min(lower.CPU, time.Duration(now.BasicLimitInformation.PerProcessUserTimeLimit)*100*time.Nanosecond)
	if err := c.job.limit(&lower); err != nil {
		return fmt.Errorf("narrowing the limits of a job object: %w", err)
	}
	return nil
}
