package store

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// localFile returns an error for an open file on a file system of a network: its
// locks may not count on other machines.
func localFile(f *os.File) error {
	root, err := windows.UTF16PtrFromString(filepath.VolumeName(f.Name()) + `\`)
	if err != nil {
		return err
	}
	if windows.GetDriveType(root) == windows.DRIVE_REMOTE {
		return errNetwork
	}
	return nil
}
