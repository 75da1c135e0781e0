package worker

import (
	"encoding/binary"
	"os"

	"golang.org/x/sys/unix"
)

// A worker whose Go runtime dies cannot report the script's line. So it keeps the line number
// in a page of memory shared with its parent, which reads it afterwards. That needs no system
// call while the script runs. Without such a page the line is unknown.

const lineSize = 4096 // of the page

// newLine creates the page as a file in memory. It returns nil if that fails.
func newLine() *os.File {
	fd, err := unix.MemfdCreate("line", unix.MFD_CLOEXEC)
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), "line")
	if err := f.Truncate(lineSize); err != nil {
		f.Close()
		return nil
	}
	return f
}

// mapLine maps the page into the worker, and closes fd.
func mapLine(fd int) *int {
	defer unix.Close(fd)
	page, err := unix.MmapPtr(fd, 0, nil, lineSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil
	}
	return (*int)(page)
}

// readLine returns the number in the page, which is untrusted.
func readLine(f *os.File) int {
	var b [8]byte
	if _, err := f.ReadAt(b[:], 0); err != nil {
		return 0
	}
	return int(int32(binary.NativeEndian.Uint64(b[:]))) // no script has more lines
}
