package worker

import (
	"encoding/binary"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A worker that dies of its Go runtime cannot say where the script was. So it
// keeps the number of the line in a page that it shares with its parent, who
// reads it afterwards: memory in both, which needs no call while the script
// runs. Where there is no such page, the line is not known.

const lineSize = 4096 // of the page

// newLine makes the page, as a file in memory; nil where that cannot be done.
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

// mapLine is the worker's view of the page; fd is closed.
func mapLine(fd int) *int {
	defer unix.Close(fd)
	page, err := unix.Mmap(fd, 0, lineSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil
	}
	return (*int)(unsafe.Pointer(&page[0]))
}

// readLine is what the worker noted last, whatever that is.
func readLine(f *os.File) int {
	var b [8]byte
	if _, err := f.ReadAt(b[:], 0); err != nil {
		return 0
	}
	return int(int32(binary.NativeEndian.Uint64(b[:]))) // no script has more lines
}
