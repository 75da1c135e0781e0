package sandbox

import "golang.org/x/sys/unix"

// Harden closes this process to others of the same user: they can no longer
// attach a debugger to it, nor read its memory and environment.
//
// A locked child cannot do that anyway; this is for children that run with
// [BestEffort], and for the tools' servers. It costs core dumps and debuggers,
// and this process can start no child in a user namespace of its own (children
// that make one themselves, like bwrap and browsers, can). So it is for a
// program's main, not for a library.
func Harden() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
