package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_AARCH64
	// foreignNumbers is above every number: arm64 has no second ABI with its audit
	// architecture.
	foreignNumbers = 0x40000000
)
