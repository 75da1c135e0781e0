package sandbox

import "golang.org/x/sys/unix"

// Harden closes this process to others of the same user: they can no longer attach a debugger
// to it, or read its memory and environment.
//
// A locked child cannot do that anyway; Harden protects against children that run with
// [BestEffort], and against the tools' servers. It disables core dumps and debuggers, and this
// process can no longer start a child in a new user namespace (children that create one
// themselves, like bwrap and browsers, can). So it is for a program's main, not for a library.
func Harden() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
