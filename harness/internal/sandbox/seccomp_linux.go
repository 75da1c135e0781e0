//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// denyCalls sets the filter on all threads.
func denyCalls(r *Report) {
	if err := install(filter(os.Getpid())); err != nil {
		r.miss("seccomp: %v; Linux 3.17 or newer has it, where a container's own filter lets it", err)
		return
	}
	r.Seccomp = true
}

// install loads a filter for all threads. The calling goroutine must be locked to its thread,
// which must have no_new_privs.
func install(filter []bpf.Instruction) error {
	thread, err := load(filter, unix.SECCOMP_FILTER_FLAG_TSYNC)
	if err != nil {
		return err
	}
	if thread != 0 { // nothing was installed, on any thread
		return fmt.Errorf("thread %d has a filter of its own", thread)
	}
	return nil
}

// load passes a filter to the kernel, which may return a thread on which it cannot be set.
func load(filter []bpf.Instruction, flags uintptr) (thread uintptr, err error) {
	raw, err := bpf.Assemble(filter)
	if err != nil {
		return 0, fmt.Errorf("assembling the filter: %w", err)
	}
	code := make([]unix.SockFilter, len(raw))
	for i, in := range raw {
		code[i] = unix.SockFilter{Code: in.Op, Jt: in.Jt, Jf: in.Jf, K: in.K}
	}
	prog := &unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(prog)))
	runtime.KeepAlive(code)
	if errno != 0 {
		return 0, errno
	}
	return thread, nil
}

// Results of a filter (linux/seccomp.h).
var (
	allow       = bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}
	kill        = bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS}
	deny        = bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)}
	unsupported = bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)}
)

// Offsets in struct seccomp_data (linux/seccomp.h): the number, the architecture, the
// instruction pointer, six arguments of 64 bits. Only the lower halves matter here, because the
// kernel ignores the upper ones.
const (
	offsetNumber = 0
	offsetArch   = 4
	offsetArgs   = 16
)

func loadWord(offset uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: offset, Size: 4} }

func loadArg(n uint32) bpf.Instruction { return loadWord(offsetArgs + 8*n) }

// filter returns the filter program for the process pid.
func filter(pid int) []bpf.Instruction {
	p := []bpf.Instruction{
		loadWord(offsetArch),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArch, SkipTrue: 1},
		kill,
		loadWord(offsetNumber),
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: foreignNumbers, SkipTrue: 1},
		kill,
	}
	on := func(number uint32, then ...bpf.Instruction) {
		p = append(p, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: number, SkipTrue: uint8(len(then))})
		p = append(p, then...)
	}
	for _, number := range allowed {
		on(number, allow)
	}
	// Only a thread that shares everything but its stack: no process, no namespace.
	on(unix.SYS_CLONE,
		loadArg(0),
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: ^uint32(threadFlags), SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: unix.CLONE_THREAD, SkipTrue: 1},
		allow,
		deny)
	// Its flags are in memory, which a filter cannot read. If the call is reported as
	// unsupported, the C library falls back to clone.
	on(unix.SYS_CLONE3, unsupported)
	// Executable memory could contain system calls of any kind.
	for _, number := range mappingCalls {
		on(number,
			loadArg(2),
			bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: unix.PROT_EXEC, SkipTrue: 1},
			allow,
			deny)
	}
	// The runtime signals its own threads to preempt them.
	on(unix.SYS_TGKILL,
		loadArg(0),
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: uint32(pid), SkipTrue: 1},
		allow,
		deny)
	return append(p, deny)
}

// threadFlags are the flags with which Go, glibc and musl make a thread.
// 0x400000 is CLONE_DETACHED, which musl still sets and the kernel ignores.
const threadFlags = unix.CLONE_THREAD | unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES |
	unix.CLONE_SIGHAND | unix.CLONE_SYSVSEM | unix.CLONE_SETTLS |
	unix.CLONE_PARENT_SETTID | unix.CLONE_CHILD_CLEARTID | unix.CLONE_CHILD_SETTID | 0x400000

// allowed are the unconditionally allowed calls, the most frequent first. These are omitted on
// purpose: fcntl (F_SETOWN signals any process of the user), prctl (undoes the parent-death
// signal), epoll_create1 and eventfd2 (done by preload), sched_getaffinity and pread64 (Go uses
// them to follow changes of cores and quota, but not with a fixed GOMAXPROCS).
var allowed = append([]uint32{
	unix.SYS_FUTEX,
	unix.SYS_READ,
	unix.SYS_WRITE,
	unix.SYS_EPOLL_PWAIT,
	unix.SYS_NANOSLEEP,
	unix.SYS_SCHED_YIELD,
	unix.SYS_RT_SIGRETURN,
	unix.SYS_RT_SIGPROCMASK,
	unix.SYS_GETPID,
	unix.SYS_GETTID,
	unix.SYS_MADVISE,
	unix.SYS_MUNMAP,
	unix.SYS_CLOCK_GETTIME, // if the vDSO has no clock
	unix.SYS_GETRANDOM,
	unix.SYS_RESTART_SYSCALL,
	unix.SYS_SIGALTSTACK,
	unix.SYS_RT_SIGACTION,
	unix.SYS_EPOLL_CTL,
	unix.SYS_CLOSE,
	unix.SYS_EXIT,
	unix.SYS_EXIT_GROUP,
}, allowedC...)
