// Package stack makes room on the stacks of goroutines that are known to need it.
package stack

// Grow gives the goroutine that calls it a stack of 64 KiB. By itself one begins
// with some KiB, and is copied to one of twice the size five times on its way there,
// which takes longer than most scripts run.
func Grow() { deep(0) }

// deep has a large frame, of which it touches nothing when n is 0.
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
