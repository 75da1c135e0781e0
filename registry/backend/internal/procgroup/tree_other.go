//go:build !linux

package procgroup

// Adopt does nothing: only Linux lets a program adopt orphans.
func Adopt() (release func()) { return func() {} }
