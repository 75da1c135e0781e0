//go:build !linux

package sandbox

// Harden does nothing on this platform.
func Harden() error { return nil }
