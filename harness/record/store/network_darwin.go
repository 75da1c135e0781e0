package store

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// localFile returns an error for an open file on a network file system, because other machines may
// ignore its locks.
func localFile(f *os.File) error {
	var st unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &st); err != nil {
		return err
	}
	if st.Flags&unix.MNT_LOCAL == 0 {
		return fmt.Errorf("%w, %s", errNetwork, unix.ByteSliceToString(st.Fstypename[:]))
	}
	return nil
}
