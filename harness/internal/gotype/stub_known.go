//go:build amd64 || arm64

package gotype

const stubCount = 4096

func stub()

var _ = stub // used by the assembler code

// stubBase returns the address of the first stub.
func stubBase() uintptr
