//go:build unix

package store

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile locks an open file exclusively until it is closed. It waits for readers that check for
// an owner.
func lockFile(f *os.File) error { return flock(f, unix.LOCK_EX) }

// lockNow is lockFile without waiting. It returns false if another open file has a lock.
func lockNow(f *os.File) (bool, error) {
	err := flock(f, unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// unlock releases the lock that owned took.
func unlock(f *os.File) error { return flock(f, unix.LOCK_UN) }

// owned reports whether another open file has the exclusive lock. If not, f holds a shared lock
// until it is closed.
func owned(f *os.File) (bool, error) {
	err := flock(f, unix.LOCK_SH|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}

// flock retries after signals.
func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); err != unix.EINTR {
			return err
		}
	}
}

// fileID returns the device and inode of an open file.
func fileID(f *os.File) (device, inode uint64, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return 0, 0, err
	}
	return uint64(st.Dev), st.Ino, nil
}

// removed reports whether an open file has been deleted.
func removed(f *os.File) (bool, error) {
	var st unix.Stat_t
	err := unix.Fstat(int(f.Fd()), &st)
	return st.Nlink == 0, err
}
