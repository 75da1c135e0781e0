//go:build !linux && !darwin && !windows

package store

import (
	"errors"
	"os"
)

// localFile returns an error: it is not known how this system says whether a file
// system is one of a network.
func localFile(f *os.File) error {
	return errors.New("this system does not report whether the record is on a network file system")
}
