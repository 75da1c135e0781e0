// Package stack makes room on the stacks of goroutines that are known to need it.
package stack

// Grow gives the calling goroutine a stack of 64 KiB. Otherwise a goroutine begins with
// some KiB, and its stack is copied to one of twice the size five times until then, which
// takes longer than most scripts run.
func Grow() { deep(0) }

// deep has a large frame, which it does not touch if n is 0.
//
//go:noinline
func deep(n int) byte {
	if n == 0 {
		return 0
	}
	var frame [40 << 10]byte
	for i := range frame {
		frame[i] = byte(i * n)
	}
	return frame[n%len(frame)]
}
