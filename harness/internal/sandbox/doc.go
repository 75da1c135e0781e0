// Package sandbox locks the process that runs a script, so that even a malicious script does no
// harm.
//
// The child calls [Apply] before it reads the first byte of a script. The layers are applied in
// this order; each is useful without the others:
//
//	descriptors     descriptors inherited by mistake are closed
//	Landlock        no file, no TCP or UDP port, no signal out, as far as the kernel supports it
//	rlimits         RLIMIT_DATA, CPU, NOFILE, CORE; the runtime's stack and heap limits
//	no_new_privs    set-user-ID programs restore no privileges
//	seccomp         an allow-list of the calls that the Go runtime makes once it has started
//
// [Report] lists the applied layers. On Linux a process that cannot be locked is refused
// ([Require]), unless the policy is [BestEffort]. Elsewhere Apply does what the platform
// supports and reports what it lacks:
//
//	           memory             CPU time  files, network, processes
//	linux      watched, kernel    kernel    denied
//	darwin     watched            kernel    open
//	windows    watched, kernel    kernel    processes denied, the rest open
//	others     watched            open      open
//
// "Watched" means that the process exits if it uses too much memory after a garbage collection;
// one huge allocation may happen before.
//
// The parent calls [Start], which ties the child's life to its own. It may call [Child.Narrow]
// if a script requests lower limits than its worker has, and it kills and reaps the worker
// through the same [Child].
//
// # What ends a worker, and how its parent detects it
//
//	out of memory     exit code [ExitMemory], or 2 if memory grew too fast; see [OutOfMemory]
//	stack overflow    exit code 2, "goroutine stack exceeds" on stderr
//	CPU time          exit code [ExitCPU]; signal SIGKILL one second later if that is stuck
//	foreign call      signal SIGSYS, for a system call of another architecture
//	parent died       signal SIGKILL
//
// A child's peak memory in rusage does not help, because on Linux it includes the parent's own
// memory at the time of the start.
//
// Every other forbidden call fails with "operation not permitted", which a script gets as an
// error.
//
// # Why these libraries
//
// Landlock comes from go-landlock. Before ABI 8 each thread must be restricted separately. The
// standard library does that only in programs without cgo, and every program that imports net
// is built with cgo if there is a C compiler; go-landlock does it in both. It adds no start-up
// cost, and it follows the kernel's new ABIs. With cgo and before ABI 8 the process keeps
// access to its own list of threads in /proc, which the filter denies.
//
// The seccomp filter is written here, using x/net/bpf. The existing library,
// elastic/go-seccomp-bpf 1.6.0, would weaken it. It ignores the thread that the kernel returns
// if a filter could not be set on all threads, and so treats an unlocked process as locked. For
// a foreign architecture it uses the default action instead of killing. It also inverts five
// tables of system calls at each start of the program (0.1 to 0.2 ms), which would slow down
// every worker.
//
// # Tests
//
// Each attack is made four times: unlocked, where it must succeed to prove anything; with
// Landlock alone; with the filter alone; and with all layers. If a machine prevents an attack
// anyway, the test is skipped. With the variable USETOOLS_SANDBOX_ALL set it fails instead, for
// a machine that is known to support all layers. When run as root, the tests also attack as an
// ordinary user.
//
// # What it does not promise
//
// Bugs of the kernel, side channels and starved machines are out of scope. Tenants who may
// attack one another need a separate VM or gVisor each.
package sandbox
