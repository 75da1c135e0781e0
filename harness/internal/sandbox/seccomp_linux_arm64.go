package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_AARCH64
	// foreignNumbers is beyond every number: arm64 has no second ABI behind
	// its audit architecture.
	foreignNumbers = 0x40000000
)
