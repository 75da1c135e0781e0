package record

import (
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
