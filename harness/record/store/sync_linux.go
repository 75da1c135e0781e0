package store

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// syncData makes what was written to a file durable, with the size, and without
// the times.
func syncData(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); err != unix.EINTR {
			return err
		}
	}
}

func syncDir(d *os.File) error { return d.Sync() }

// release frees what was reserved behind the end of a file.
func release(f *os.File, end int64) error { return f.Truncate(end) }

// reserve takes space on the disk for n bytes behind the end of a file, where its
// file system can do that. An error says that there is none.
func reserve(f *os.File, end, n int64) error {
	for {
		switch err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, end, n); {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT), errors.Is(err, unix.EFBIG):
			return err
		default:
			return nil
		}
	}
}
