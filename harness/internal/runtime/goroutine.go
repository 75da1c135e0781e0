//go:build amd64 || arm64

package runtime

// goroutine identifies the running goroutine: it returns the address of its descriptor in
// Go's runtime. A stack trace, which has the goroutine's number, takes time in proportion
// to the stack's depth, and a panic asks in every function that it passes.
func goroutine() uintptr
