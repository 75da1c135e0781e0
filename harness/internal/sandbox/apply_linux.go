package sandbox

import (
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/landlock-lsm/go-landlock/landlock"
	landlocksys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// mustLock reports whether Require is enforced on this platform.
const mustLock = true

func apply(c *Config, r *Report) {
	preload()
	closeInherited(c.Keep, r)
	denyFiles(r) // before more threads exist, because it has to reach each of them
	<-onCPU(c)
	limit(c, r)
	// no_new_privs and the filter must be set on the same thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	gainNothing(r)
	denyCalls(r)
	gainNothingAnywhere(r)
}

// preload makes the runtime open the descriptors and files now that it would need later. The
// first timer creates the poller; the first local time reads its zone.
func preload() {
	time.AfterFunc(time.Hour, func() {}).Stop()
	_ = time.Now().Local().Hour()
}

// closeInherited closes descriptors that an ancestor left open by mistake. Go marks its own
// descriptors close-on-exec; those that came with exec are not marked.
func closeInherited(keep []int, r *Report) {
	open, err := descriptors()
	if err != nil {
		r.miss("descriptors: inherited ones cannot be found: %v; mount /proc", err)
		return
	}
	for _, fd := range open {
		if fd <= 2 || slices.Contains(keep, fd) {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			unix.Close(fd)
		}
	}
}

// descriptors returns the open descriptors. os.ReadDir would take five times as long.
func descriptors() ([]int, error) {
	dir, err := unix.Open("/proc/self/fd", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(dir)
	var names []string
	buf := make([]byte, 4096)
	for {
		n, err := unix.Getdents(dir, buf)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			break
		}
		_, _, names = unix.ParseDirent(buf[:n], -1, names)
	}
	var open []int
	for _, name := range names {
		if fd, err := strconv.Atoi(name); err == nil {
			open = append(open, fd)
		}
	}
	return open, nil
}

// gainNothing sets no_new_privs on this thread. Installing the filter, which requires it, sets
// it on the others.
func gainNothing(r *Report) {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		r.miss("no_new_privs: %v; Linux 3.5 or newer has it", err)
		return
	}
	r.NoNewPrivs = true
}

// gainNothingAnywhere sets no_new_privs on all threads if neither Landlock nor the filter did.
func gainNothingAnywhere(r *Report) {
	if !r.NoNewPrivs || r.Landlock > 0 || r.Seccomp {
		return
	}
	if err := landlocksys.AllThreadsPrctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		r.NoNewPrivs = false
		r.miss("no_new_privs: on one thread only: %v", err)
	}
}

// denyFiles denies with Landlock everything that the kernel's ABI can deny. With an ABI newer
// than the library, it denies what the library supports.
func denyFiles(r *Report) {
	abi, err := landlocksys.LandlockGetABIVersion()
	if err != nil {
		r.miss("landlock: %v; Linux 5.13 or newer has it, where the boot parameter lsm= names it", err)
		return
	}
	if err := landlock.V11.BestEffort().Restrict(); err != nil {
		r.miss("landlock: ABI %d: %v", abi, err)
		return
	}
	// The library's best effort may have no effect, so test it.
	if fd, err := unix.Open("/", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err == nil {
		unix.Close(fd)
		r.miss("landlock: ABI %d: a directory could still be opened", abi)
		return
	}
	r.Landlock = abi
}
