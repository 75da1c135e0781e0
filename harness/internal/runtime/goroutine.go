//go:build amd64 || arm64

package runtime

// goroutine tells the running goroutine from the others: the address of what the
// run-time system keeps of it. A trace of its stack, which would name it too,
// takes as long as the stack is deep, and a panic asks in every function that it
// passes.
func goroutine() uintptr
