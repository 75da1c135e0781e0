package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_X86_64
	// foreignNumbers is __X32_SYSCALL_BIT, where the numbers of the x32 ABI begin, which has
	// the same audit architecture.
	foreignNumbers = 0x40000000
)
