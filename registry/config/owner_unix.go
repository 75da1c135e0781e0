//go:build unix

package config

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// writable says who, other than this user and root, can write a file; "" means no one.
func writable(info fs.FileInfo) string { return othersMay(info, 0o022, "write") }

// readable says who, other than this user and root, can read a file; "" means no one.
func readable(info fs.FileInfo) string { return othersMay(info, 0o044, "read") }

// othersMay checks the bits of a mode. It includes the group unless that is the user's own, with
// the same number as the user.
func othersMay(info fs.FileInfo, bits fs.FileMode, do string) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "its owner is unknown"
	}
	if st.Uid != 0 && int(st.Uid) != os.Geteuid() {
		return "it belongs to another user"
	}
	if st.Gid == st.Uid {
		bits &^= 0o070
	}
	if got := info.Mode().Perm(); got&bits != 0 {
		return fmt.Sprintf("others can %s it (its mode is %#o)", do, got)
	}
	return ""
}
