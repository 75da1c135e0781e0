//go:build !linux && !darwin && !windows

package store

import (
	"errors"
	"os"
)

// localFile returns an error, because this system has no known way to detect a network file system.
func localFile(f *os.File) error {
	return errors.New("this system does not report whether the record is on a network file system")
}
