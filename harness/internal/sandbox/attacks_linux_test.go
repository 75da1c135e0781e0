//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"errors"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// now is an attack that needs no preparation.
func now(do func(*scene) error) func(*scene) (func() error, error) {
	return func(s *scene) (func() error, error) { return func() error { return do(s) }, nil }
}

// call makes one system call.
func call(number uintptr, args ...any) func(*scene) (func() error, error) {
	return now(func(*scene) error { return raw(number, args...) })
}

// reach is like call, but has done enough when the kernel looks at its
// arguments, which are wrong.
func reach(number uintptr, args ...any) func(*scene) (func() error, error) {
	return now(func(*scene) error { return reached(raw(number, args...)) })
}

func raw(number uintptr, args ...any) error {
	var a [6]uintptr
	var keep []*byte
	for i, arg := range args {
		switch arg := arg.(type) {
		case int:
			a[i] = uintptr(arg)
		case unsafe.Pointer:
			a[i] = uintptr(arg)
		case string:
			p, err := unix.BytePtrFromString(arg)
			if err != nil {
				return err
			}
			a[i] = uintptr(unsafe.Pointer(p))
			keep = append(keep, p)
		}
	}
	_, _, errno := unix.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5])
	runtime.KeepAlive(args)
	runtime.KeepAlive(keep)
	if errno != 0 {
		return errno
	}
	return nil
}

func reached(err error) error {
	for _, late := range []error{unix.EINVAL, unix.EFAULT, unix.EBADF, unix.ENOENT, unix.ESRCH, unix.ENOTDIR, unix.EBUSY, unix.EAGAIN, unix.ECHILD, unix.ENOTCONN, unix.ENOTTY, unix.EPIPE} {
		if errors.Is(err, late) {
			return nil
		}
	}
	return err
}

func socket(family, kind, protocol int) func(*scene) (func() error, error) {
	return call(unix.SYS_SOCKET, family, kind|unix.SOCK_CLOEXEC, protocol)
}

func open(path string, flags int) error {
	f, err := os.OpenFile(path, flags, 0)
	if err == nil {
		f.Close()
	}
	return err
}

// secret lies at the same address in the attacker and in its parent, which are
// one binary; where it does not, the kernel still says who may look.
var secret = [8]byte{'s', 'e', 'c', 'r', 'e', 't'}

// parent is the attacker's victim. A locked process cannot ask.
var parent = os.Getppid()

// attacks are what a script might try.
var attacks = []attack{
	// Files.
	{name: "read a file", landlock: 1, prepare: now(func(*scene) error { _, err := os.ReadFile("/etc/passwd"); return err })},
	{name: "list a directory", landlock: 1, prepare: now(func(*scene) error { _, err := os.ReadDir("/"); return err })},
	{name: "create a file", landlock: 1, prepare: now(func(s *scene) error { return os.WriteFile(s.Dir+"/new", nil, 0o666) })},
	{name: "create a nameless file", landlock: 1, prepare: now(func(s *scene) error { return open(s.Dir, unix.O_TMPFILE|unix.O_RDWR) })},
	{name: "write to a file", landlock: 1, prepare: now(func(s *scene) error { return open(s.Dir+"/inherited", os.O_WRONLY) })},
	{name: "truncate a file", landlock: 3, prepare: now(func(s *scene) error { return os.Truncate(s.Dir+"/inherited", 0) })},
	{name: "truncate an inherited file", prepare: call(unix.SYS_FTRUNCATE, keptFile, 0)},
	{name: "delete a file", landlock: 1, prepare: now(func(s *scene) error { return os.Remove(s.Dir + "/inherited") })},
	{name: "rename a file", landlock: 1, prepare: now(func(s *scene) error { return os.Rename(s.Dir+"/inherited", s.Dir+"/renamed") })},
	{name: "link a file", landlock: 1, prepare: now(func(s *scene) error { return os.Link(s.Dir+"/inherited", s.Dir+"/linked") })},
	{name: "make a symbolic link", landlock: 1, prepare: now(func(s *scene) error { return os.Symlink("x", s.Dir+"/symlink") })},
	{name: "make a directory", landlock: 1, prepare: now(func(s *scene) error { return os.Mkdir(s.Dir+"/dir", 0o777) })},
	{name: "make a named pipe", landlock: 1, prepare: now(func(s *scene) error { return unix.Mkfifo(s.Dir+"/fifo", 0o666) })},
	{name: "change a mode", prepare: now(func(s *scene) error { return os.Chmod(s.Dir+"/inherited", 0o600) })},
	{name: "change an inherited file's mode", prepare: call(unix.SYS_FCHMOD, keptFile, 0o600)},
	{name: "change an owner", prepare: now(func(s *scene) error { return os.Chown(s.Dir+"/inherited", os.Getuid(), os.Getgid()) })},
	{name: "change times", prepare: now(func(s *scene) error { return os.Chtimes(s.Dir+"/inherited", time.Now(), time.Now()) })},
	{name: "set an attribute", prepare: now(func(s *scene) error {
		return unix.Setxattr(s.Dir+"/inherited", "user.a", []byte("b"), 0)
	})},
	{name: "look whether a file exists", prepare: now(func(*scene) error { return unix.Access("/etc/passwd", 0) })},
	{name: "stat a file", prepare: now(func(*scene) error { _, err := os.Stat("/etc/passwd"); return err })},
	{name: "read a link", prepare: now(func(*scene) error { _, err := os.Readlink("/proc/self/exe"); return err })},
	{name: "ask for the file system", prepare: now(func(*scene) error { return unix.Statfs("/", &unix.Statfs_t{}) })},
	{name: "change directory", prepare: now(func(*scene) error { return os.Chdir("/") })},
	{name: "ask for the directory", prepare: call(unix.SYS_GETCWD, unsafe.Pointer(&make([]byte, 4096)[0]), 4096)},
	{name: "change root", root: true, prepare: now(func(s *scene) error { return unix.Chroot(s.Dir) })},
	{name: "open below an inherited directory", landlock: 1, prepare: now(func(*scene) error {
		_, err := unix.Openat(keptDir, "passwd", unix.O_RDONLY, 0)
		return err
	})},
	{name: "openat2 below an inherited directory", landlock: 1, prepare: now(func(*scene) error {
		_, err := unix.Openat2(keptDir, "passwd", &unix.OpenHow{})
		return err
	})},
	{name: "reopen an inherited file", landlock: 1, prepare: now(func(*scene) error { return open(path("/proc/self/fd/", keptFile), os.O_RDWR) })},
	{name: "write to a leaked descriptor", errno: syscall.EBADF, prepare: call(unix.SYS_WRITE, leakedFile, "x", 1)},
	{name: "open by handle", root: true, prepare: func(*scene) (func() error, error) {
		h, mount, err := unix.NameToHandleAt(unix.AT_FDCWD, "/etc/passwd", 0)
		_ = mount
		return func() error { _, err := unix.OpenByHandleAt(keptDir, h, unix.O_RDONLY); return err }, err
	}},
	{name: "name a handle", prepare: now(func(*scene) error { _, _, err := unix.NameToHandleAt(unix.AT_FDCWD, "/etc/passwd", 0); return err })},
	{name: "watch files", prepare: call(unix.SYS_INOTIFY_INIT1, 0)},
	{name: "watch all files", root: true, prepare: call(unix.SYS_FANOTIFY_INIT, 0, unix.O_RDONLY)},
	{name: "lock a file", prepare: call(unix.SYS_FLOCK, keptFile, unix.LOCK_EX|unix.LOCK_NB)},
	{name: "send a file", prepare: call(unix.SYS_SENDFILE, keptPipe, keptFile, 0, 1)},
	{name: "splice", prepare: call(unix.SYS_SPLICE, keptFile, 0, keptPipe, 0, 1, unix.SPLICE_F_NONBLOCK)},
	{name: "control a device", prepare: reach(unix.SYS_IOCTL, keptFile, unix.TIOCSTI, 0)},
	{name: "duplicate a descriptor", prepare: call(unix.SYS_DUP, keptFile)},

	// Mounts and namespaces.
	{name: "mount", root: true, landlock: 1, prepare: now(func(s *scene) error {
		err := unix.Mount("none", s.Dir, "tmpfs", 0, "")
		if err == nil {
			unix.Unmount(s.Dir, unix.MNT_DETACH)
		}
		return err
	})},
	{name: "mount in the new way", root: true, prepare: call(unix.SYS_FSOPEN, "tmpfs", 0)},
	{name: "unmount", root: true, prepare: reach(unix.SYS_UMOUNT2, "/nowhere", 0)},
	{name: "pivot the root", root: true, prepare: reach(unix.SYS_PIVOT_ROOT, "/nowhere", "/nowhere")},
	{name: "leave its descriptor table", prepare: call(unix.SYS_UNSHARE, unix.CLONE_FILES)},
	{name: "unshare the network", root: true, prepare: call(unix.SYS_UNSHARE, unix.CLONE_NEWNET)},
	{name: "enter a namespace", root: true, prepare: func(*scene) (func() error, error) {
		fd, err := unix.Open("/proc/self/ns/uts", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		return func() error { return unix.Setns(fd, 0) }, err
	}},
	{name: "fork into a user namespace", prepare: now(func(*scene) error { return fork(unix.CLONE_NEWUSER) })},
	{name: "name the host", root: true, prepare: now(func(*scene) error {
		var u unix.Utsname
		if err := unix.Uname(&u); err != nil {
			return err
		}
		return unix.Sethostname(u.Nodename[:bytes.IndexByte(u.Nodename[:], 0)])
	})},

	// Processes.
	{name: "execute", landlock: 1, prepare: now(func(*scene) error { return unix.Exec("/proc/self/exe", []string{"x"}, []string{partVar + "=nothing"}) })},
	{name: "execute a descriptor", landlock: 1, prepare: func(*scene) (func() error, error) {
		fd, err := unix.Open("/proc/self/exe", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		empty, _ := syscall.BytePtrFromString("")
		argv, _ := syscall.SlicePtrFromStrings([]string{"x"})
		envv, _ := syscall.SlicePtrFromStrings([]string{partVar + "=nothing"})
		return func() error {
			return raw(unix.SYS_EXECVEAT, fd, unsafe.Pointer(empty), unsafe.Pointer(&argv[0]), unsafe.Pointer(&envv[0]), unix.AT_EMPTY_PATH)
		}, err
	}},
	{name: "start a program", landlock: 1, prepare: now(func(*scene) error {
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = []string{partVar + "=nothing"}
		return cmd.Run()
	})},
	{name: "fork", prepare: now(func(*scene) error { return fork(0) })},
	{name: "fork by clone3", errno: syscall.ENOSYS, prepare: reach(unix.SYS_CLONE3, 0, 0)},
	{name: "wait for a process", prepare: reach(unix.SYS_WAIT4, -1, 0, unix.WNOHANG, 0)},

	// Other processes.
	{name: "signal the parent", landlock: 6, prepare: now(func(*scene) error { return unix.Kill(parent, 0) })},
	{name: "signal a thread of the parent", landlock: 6, prepare: now(func(*scene) error { return unix.Tgkill(parent, parent, 0) })},
	{name: "signal any thread", landlock: 6, prepare: now(func(*scene) error { return raw(unix.SYS_TKILL, parent, 0) })},
	{name: "queue a signal", prepare: now(func(*scene) error {
		return raw(unix.SYS_RT_SIGQUEUEINFO, os.Getpid(), 0, unsafe.Pointer(&[16]uint64{}))
	})},
	{name: "signal its group", prepare: now(func(*scene) error { return unix.Kill(0, 0) })},
	{name: "signal by a descriptor", prepare: now(func(*scene) error {
		_, err := unix.FcntlInt(keptPipe, unix.F_SETOWN, parent)
		return err
	})},
	{name: "open the parent by pidfd", prepare: now(func(*scene) error { _, err := unix.PidfdOpen(parent, 0); return err })},
	{name: "signal the parent by pidfd", landlock: 6, prepare: withParent(func(fd int) error { return unix.PidfdSendSignal(fd, 0, nil, 0) })},
	{name: "take the parent's descriptors", landlock: 1, prepare: withParent(func(fd int) error { _, err := unix.PidfdGetfd(fd, 1, 0); return err })},
	{name: "trace the parent", landlock: 1, prepare: now(func(*scene) error {
		runtime.LockOSThread()
		if err := unix.PtraceSeize(parent); err != nil {
			return err
		}
		return nil // its end detaches
	})},
	{name: "be traced", prepare: now(func(*scene) error {
		runtime.LockOSThread()
		// Nobody would let a traced thread go on that a signal has stopped.
		all := unix.Sigset_t{Val: [16]uint64{0: ^uint64(0)}}
		if err := unix.PthreadSigmask(unix.SIG_BLOCK, &all, nil); err != nil {
			return err
		}
		return raw(unix.SYS_PTRACE, unix.PTRACE_TRACEME, 0, 0, 0)
	})},
	{name: "read the parent's memory", landlock: 1, prepare: now(func(*scene) error { return peek(unix.SYS_PROCESS_VM_READV) })},
	{name: "write the parent's memory", landlock: 1, prepare: now(func(*scene) error { return peek(unix.SYS_PROCESS_VM_WRITEV) })},
	{name: "open the parent's memory", landlock: 1, prepare: now(func(*scene) error { return open(path("/proc/", parent, "/mem"), os.O_RDWR) })},
	{name: "open its own memory", landlock: 1, prepare: now(func(*scene) error { return open("/proc/self/mem", os.O_RDWR) })},
	{name: "read the parent's environment", landlock: 1, prepare: now(func(*scene) error {
		b, err := os.ReadFile(path("/proc/", parent, "/environ"))
		if err == nil && !strings.Contains(string(b), "SECRET=of the parent") {
			err = errors.New("no secret in it")
		}
		return err
	})},
	{name: "list the parent's descriptors", landlock: 1, prepare: now(func(*scene) error { _, err := os.ReadDir(path("/proc/", parent, "/fd")); return err })},
	{name: "read the parent's descriptors", landlock: 1, prepare: now(func(*scene) error { return open(path("/proc/", parent, "/fd/0"), os.O_RDONLY) })},
	{name: "compare with the parent", landlock: 1, prepare: now(func(*scene) error {
		return raw(unix.SYS_KCMP, os.Getpid(), parent, 1 /* KCMP_VM */)
	})},
	{name: "change the parent's limits", prepare: now(func(*scene) error {
		var l unix.Rlimit
		if err := unix.Prlimit(parent, unix.RLIMIT_CORE, nil, &l); err != nil {
			return err
		}
		return unix.Prlimit(parent, unix.RLIMIT_CORE, &l, nil)
	})},
	{name: "ask for its own limits", prepare: now(func(*scene) error { return unix.Prlimit(0, unix.RLIMIT_DATA, nil, &unix.Rlimit{}) })},
	{name: "change the parent's priority", prepare: func(*scene) (func() error, error) { // to the one that it has: a lower one would make the attacks after it crawl
		p, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
		return func() error { return unix.Setpriority(unix.PRIO_PROCESS, parent, 20-p) }, err // the kernel says 20 less what is nice
	}},
	{name: "move the parent to a CPU", prepare: now(func(*scene) error {
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(parent, &set); err != nil {
			return err
		}
		return unix.SchedSetaffinity(parent, &set)
	})},
	{name: "leave its process group", prepare: now(func(*scene) error { return unix.Setpgid(0, 0) })},
	{name: "start a session", prepare: now(func(*scene) error { _, err := unix.Setsid(); return err })},
	{name: "ask who the parent is", prepare: call(unix.SYS_GETPPID), errno: syscall.EPERM},

	// Rights.
	{name: "become another user", prepare: call(unix.SYS_SETRESUID, -1, -1, -1)},
	{name: "become another group", prepare: call(unix.SYS_SETRESGID, -1, -1, -1)},
	{name: "set groups", root: true, prepare: call(unix.SYS_SETGROUPS, 0, 0)},
	{name: "set capabilities", prepare: now(func(*scene) error {
		return reached(raw(unix.SYS_CAPSET, unsafe.Pointer(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}), unsafe.Pointer(&[2]unix.CapUserData{})))
	})},
	{name: "outlive the parent", prepare: now(func(*scene) error { return unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0) })},
	{name: "be dumpable", prepare: now(func(*scene) error { return unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) })},
	{name: "change its personality", prepare: call(unix.SYS_PERSONALITY, 0xffffffff)},
	{name: "add a filter", prepare: reach(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, 0)},
	{name: "add a Landlock domain", prepare: call(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, 1)},
	{name: "schedule in real time", prepare: reach(unix.SYS_SCHED_SETSCHEDULER, 0, -1, 0)},

	// Network.
	{name: "TCP", prepare: socket(unix.AF_INET, unix.SOCK_STREAM, 0)},
	{name: "TCP over IPv6", prepare: socket(unix.AF_INET6, unix.SOCK_STREAM, 0)},
	{name: "multipath TCP", prepare: socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP)},
	{name: "UDP", prepare: socket(unix.AF_INET, unix.SOCK_DGRAM, 0)},
	{name: "ICMP", root: true, prepare: socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP)},
	{name: "SCTP", prepare: socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_SCTP)},
	{name: "raw packets", root: true, prepare: socket(unix.AF_PACKET, unix.SOCK_RAW, 0)},
	{name: "unix stream", prepare: socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)},
	{name: "unix datagram", prepare: socket(unix.AF_UNIX, unix.SOCK_DGRAM, 0)},
	{name: "socket pair", prepare: now(func(*scene) error { _, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0); return err })},
	{name: "netlink", prepare: socket(unix.AF_NETLINK, unix.SOCK_RAW, 0)},
	{name: "vsock", prepare: socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)},
	{name: "kernel crypto", prepare: socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0)},
	{name: "Bluetooth", prepare: socket(unix.AF_BLUETOOTH, unix.SOCK_RAW, 1)},
	{name: "listen", prepare: now(func(*scene) error { _, err := net.Listen("tcp", "127.0.0.1:0"); return err })},
	{name: "listen without multipath", landlock: 4, prepare: withSocket(unix.AF_INET, func(_ *scene, fd int) error {
		return unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	})},
	{name: "send from an older socket", prepare: withSocket(unix.AF_INET, func(_ *scene, fd int) error {
		return reached(raw(unix.SYS_SENDTO, fd, "x", 1, 0, 0, 0))
	})},
	{name: "listen on a path", landlock: 1, prepare: withSocket(unix.AF_UNIX, func(s *scene, fd int) error {
		return unix.Bind(fd, &unix.SockaddrUnix{Name: s.Dir + "/socket"})
	})},
	{name: "connect to a name outside", landlock: 6, prepare: func(s *scene) (func() error, error) {
		// A parent would hold such a socket. One that is opened before the
		// lock lies outside of it just as well.
		l, err := net.Listen("unix", path("@sandbox-test-", os.Getpid()))
		if err != nil {
			return nil, err
		}
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		return func() error {
			defer runtime.KeepAlive(l)
			return unix.Connect(fd, &unix.SockaddrUnix{Name: l.Addr().String()})
		}, err
	}},
	{name: "connect", landlock: 4, prepare: func(*scene) (func() error, error) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		return func() error {
			return unix.Connect(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}, Port: l.Addr().(*net.TCPAddr).Port})
		}, err
	}},

	// Memory.
	{name: "memory as a file", prepare: call(unix.SYS_MEMFD_CREATE, "x", 0)},
	{name: "secret memory", prepare: call(unix.SYS_MEMFD_SECRET, 0)},
	{name: "map executable memory", prepare: call(unix.SYS_MMAP, 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANON, -1, 0)},
	{name: "make memory executable", prepare: onPage(unix.SYS_MPROTECT, 4096, unix.PROT_READ|unix.PROT_EXEC)},
	{name: "make memory executable by key", prepare: onPage(unix.SYS_PKEY_MPROTECT, 4096, unix.PROT_READ|unix.PROT_EXEC, -1)},
	{name: "move memory", prepare: onPage(unix.SYS_MREMAP, 4096, 8192, unix.MREMAP_MAYMOVE)},
	{name: "lock memory", prepare: onPage(unix.SYS_MLOCK, 4096)},
	{name: "share memory", prepare: now(func(*scene) error {
		id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, unix.IPC_CREAT|0o600)
		if err == nil {
			unix.SysvShmCtl(id, unix.IPC_RMID, nil)
		}
		return err
	})},
	{name: "message queues", prepare: reach(unix.SYS_MSGGET, 1, 0)},
	{name: "semaphores", prepare: reach(unix.SYS_SEMGET, 1, 0, 0)},
	{name: "POSIX message queues", prepare: reach(unix.SYS_MQ_OPEN, "sandbox-nowhere", 0, 0, 0)},

	// Large parts of the kernel.
	{name: "io_uring", prepare: now(func(*scene) error { return raw(unix.SYS_IO_URING_SETUP, 1, unsafe.Pointer(&[30]uint32{})) })},
	{name: "userfaultfd", prepare: call(unix.SYS_USERFAULTFD, 1 /* UFFD_USER_MODE_ONLY */)},
	{name: "bpf", root: true, prepare: reach(unix.SYS_BPF, 9999, unsafe.Pointer(&[16]uint64{}), 128)},
	{name: "perf events", root: true, prepare: now(func(*scene) error {
		_, err := unix.PerfEventOpen(&unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
			Config: unix.PERF_COUNT_SW_CPU_CLOCK, Bits: unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv}, 0, -1, -1, 0)
		return err
	})},
	{name: "read keys", prepare: now(func(*scene) error {
		return reached(raw(unix.SYS_KEYCTL, unix.KEYCTL_GET_KEYRING_ID, unix.KEY_SPEC_PROCESS_KEYRING, 1))
	})},
	{name: "add a key", prepare: call(unix.SYS_ADD_KEY, "user", "sandbox-test", "x", 1, unix.KEY_SPEC_PROCESS_KEYRING)},
	{name: "request a key", prepare: now(func(*scene) error {
		if err := raw(unix.SYS_REQUEST_KEY, "user", "sandbox-nowhere", 0, 0); err != unix.ENOKEY {
			return err
		}
		return nil
	})},
	{name: "load a module", root: true, prepare: reach(unix.SYS_FINIT_MODULE, -1, "", 0)},
	{name: "read the kernel's log", root: true, prepare: call(unix.SYS_SYSLOG, 10 /* size of the buffer */, 0, 0)},
	{name: "timer descriptors", prepare: call(unix.SYS_TIMERFD_CREATE, unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC)},
	{name: "signal descriptors", prepare: call(unix.SYS_SIGNALFD4, -1, unsafe.Pointer(&[1]uint64{}), 8, 0)},
	{name: "event descriptors", prepare: call(unix.SYS_EVENTFD2, 0, 0)},
	{name: "pollers", prepare: call(unix.SYS_EPOLL_CREATE1, 0)},
	{name: "pipes", prepare: call(unix.SYS_PIPE2, unsafe.Pointer(&[2]int32{}), 0)},
	{name: "timers", prepare: reach(unix.SYS_TIMER_CREATE, unix.CLOCK_MONOTONIC, 0, 0)},
	{name: "the system's name", prepare: now(func(*scene) error { return unix.Uname(&unix.Utsname{}) })},

	// Threads from before the lock.
	{name: "read a file on an older thread", landlock: 1, prepare: onOlderThread(func() error { return open("/etc/passwd", os.O_RDONLY) })},
	{name: "open a socket on an older thread", prepare: onOlderThread(func() error {
		_, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		return err
	})},
}

// fork makes a process that ends at once.
func fork(flags uintptr) error {
	pid, errno := forkAndExit(flags)
	if errno != 0 {
		return errno
	}
	_, err := unix.Wait4(int(pid), nil, 0, nil)
	return err
}

// forkAndExit must not do anything in the child that needs the runtime.
//
//go:norace
//go:nosplit
func forkAndExit(flags uintptr) (uintptr, syscall.Errno) {
	pid, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, flags|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if errno == 0 && pid == 0 {
		syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	return pid, errno
}

// peek reads or writes the parent's memory.
func peek(number uintptr) error {
	var b [8]byte
	local := unix.Iovec{Base: &b[0]}
	local.SetLen(len(b))
	remote := unix.RemoteIovec{Base: uintptr(unsafe.Pointer(&secret)), Len: len(secret)}
	return reached(raw(number, parent, unsafe.Pointer(&local), 1, unsafe.Pointer(&remote), 1, 0))
}

// withParent opens the parent before the lock.
func withParent(do func(pidfd int) error) func(*scene) (func() error, error) {
	return func(*scene) (func() error, error) {
		fd, err := unix.PidfdOpen(parent, 0)
		return func() error { return do(fd) }, err
	}
}

// withSocket opens a socket before the lock.
func withSocket(family int, do func(s *scene, fd int) error) func(*scene) (func() error, error) {
	return func(s *scene) (func() error, error) {
		fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		return func() error { return do(s, fd) }, err
	}
}

// onPage makes a call on a page that was mapped before the lock.
func onPage(number uintptr, args ...any) func(*scene) (func() error, error) {
	return func(*scene) (func() error, error) {
		page, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		return func() error { return raw(number, append([]any{unsafe.Pointer(&page[0])}, args...)...) }, err
	}
}

// onOlderThread does it on a thread that there was before the lock.
func onOlderThread(do func() error) func(*scene) (func() error, error) {
	return func(*scene) (func() error, error) {
		ready, goOn, result := make(chan bool), make(chan bool), make(chan error)
		go func() {
			runtime.LockOSThread()
			ready <- true
			<-goOn
			result <- do()
		}()
		<-ready
		return func() error { goOn <- true; return <-result }, nil
	}
}
