//go:build unix

package store

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile makes the caller the only owner of an open file, until that is
// closed. It waits for readers that look whether there is one.
func lockFile(f *os.File) error { return flock(f, unix.LOCK_EX) }

// lockNow is lockFile, but does not wait; false: somebody else has a lock.
func lockNow(f *os.File) (bool, error) {
	err := flock(f, unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// unlock gives up the lock that owned took.
func unlock(f *os.File) error { return flock(f, unix.LOCK_UN) }

// owned reports whether another open file has the lock. Otherwise f has one of a
// reader then, until it is closed.
func owned(f *os.File) (bool, error) {
	err := flock(f, unix.LOCK_SH|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}

// flock retries where a signal came in between.
func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); err != unix.EINTR {
			return err
		}
	}
}

// fileID is the device and inode of an open file.
func fileID(f *os.File) (device, inode uint64, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return 0, 0, err
	}
	return uint64(st.Dev), st.Ino, nil
}

// removed reports whether an open file has no name any more.
func removed(f *os.File) (bool, error) {
	var st unix.Stat_t
	err := unix.Fstat(int(f.Fd()), &st)
	return st.Nlink == 0, err
}
