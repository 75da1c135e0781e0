//go:build !linux

package procgroup

// Adopt does nothing: orphans are adopted by programs on Linux only.
func Adopt() (release func()) { return func() {} }
