// Package sandbox locks the process that runs a script, so that the worst
// script harms nothing.
//
// The child calls [Apply] before it reads the first byte of a script. The
// layers go on in this order; each is of use without the others:
//
//	descriptors     what was inherited by accident is closed
//	Landlock        no file, no TCP or UDP port, no signal out, as far as the kernel knows these
//	rlimits         RLIMIT_DATA, CPU, NOFILE, CORE; the runtime's stack and heap limits
//	no_new_privs    no set-user-ID program gives anything back
//	seccomp         an allow-list of the calls that the Go runtime makes once it is up
//
// [Report] says what was obtained. On Linux a process that cannot be locked is
// refused ([Require]), unless [BestEffort] was asked for. Elsewhere Apply does
// what the platform has and names what it lacks:
//
//	           memory             CPU time  files, network, processes
//	linux      watched, kernel    kernel    denied
//	darwin     watched            kernel    open
//	windows    watched, kernel    kernel    processes denied, the rest open
//	others     watched            open      open
//
// "Watched" means that the process ends itself when a garbage collection leaves
// it with too much; one huge allocation may come before.
//
// The parent calls [Start], which ties the child's life to its own, may call
// [Child.Narrow] when a script asks for less than its worker was given, and
// kills and reaps through the same [Child].
//
// # What ends a worker, and how its parent sees it
//
//	out of memory     exit code [ExitMemory], or 2 when it grew too fast; [OutOfMemory] knows the words
//	stack overflow    exit code 2, "goroutine stack exceeds" on stderr
//	CPU time          exit code [ExitCPU]; signal SIGKILL one second later if that is stuck
//	foreign call      signal SIGSYS, for a system call of another architecture
//	parent died       signal SIGKILL
//
// The peak that rusage tells of a child is of no use for that: Linux counts the
// parent's own at the time of the start.
//
// Every other forbidden call fails with "operation not permitted", which a
// script sees as an error.
//
// # Why these libraries
//
// Landlock comes from go-landlock. Before ABI 8 each thread must be restricted
// by itself. The standard library does that only in programs without cgo, and
// every program that imports net is built with cgo where there is a C
// compiler; go-landlock does it in both. Its start-up cost is nil, and it
// follows the kernel's new ABIs. With cgo and before ABI 8 it leaves the
// process its own list of threads in /proc, which the filter denies.
//
// The seccomp filter is written here, over x/net/bpf. The library for it,
// elastic/go-seccomp-bpf 1.6.0, would weaken it: it ignores the thread that
// the kernel returns when a filter could not be put on all threads, and so
// takes an unlocked process for a locked one; and it gives a foreign
// architecture the default action instead of killing. It also inverts five
// tables of system calls at each start of the program (0.1 to 0.2 ms), which a
// worker would pay every time.
//
// # Tests
//
// Each attack is made four times: unlocked, where it must work, else the test
// proves nothing; with Landlock alone; with the filter alone; and with all.
// Where a machine forbids an attack anyway the test is skipped. With the
// variable USETOOLS_SANDBOX_ALL set it fails instead, for a machine that is
// known to have all. Run as root, the tests also attack as an ordinary user.
//
// # What it does not promise
//
// A bug of the kernel, a side channel, or a starved machine is out of scope.
// Tenants who attack one another belong in a VM or gVisor each.
package sandbox
