//go:build amd64 || arm64

package gotype

const stubCount = 4096

func stub()

var _ = stub // the assembler code speaks of it

// stubBase returns the address of the first stub.
func stubBase() uintptr
