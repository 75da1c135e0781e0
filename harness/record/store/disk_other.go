//go:build !linux

package store

import (
	"os"
	"runtime"
)

func syncData(f *os.File) error { return f.Sync() }

// syncDir makes names durable. Windows has no such call; its file systems log names.
func syncDir(d *os.File) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	return d.Sync()
}

// reserve does nothing: these systems have no call that keeps a file's size.
func reserve(f *os.File, end, n int64) error { return nil }

// release does nothing: nothing was reserved.
func release(f *os.File, end int64) error { return nil }
