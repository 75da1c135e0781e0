//go:build !linux

package procgroup

// Observe knows nothing: what others do is to be read in /proc only.
func Observe([]int) (map[int]Work, bool) { return nil, false }
