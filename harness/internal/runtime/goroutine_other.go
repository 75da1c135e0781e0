//go:build !amd64 && !arm64

package runtime

import (
	"bytes"
	"runtime"
	"strconv"
)

// goroutine identifies the running goroutine, by the number in its trace.
func goroutine() uintptr {
	var buf [40]byte
	b := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	if i := bytes.IndexByte(b, ' '); i > 0 {
		n, _ := strconv.ParseUint(string(b[:i]), 10, 64)
		return uintptr(n)
	}
	return 0
}
