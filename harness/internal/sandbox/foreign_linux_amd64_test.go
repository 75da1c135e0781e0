package sandbox

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

func init() {
	attacks = append(attacks,
		attack{name: "call the kernel as a 32-bit program", signal: syscall.SIGSYS, prepare: getpidBy(0x80, 20)},
		attack{name: "call the kernel as an x32 program", signal: syscall.SIGSYS, prepare: now(func(*scene) error {
			return raw(0x40000000 + unix.SYS_GETPID)
		})},
	)
}

// getpidBy asks for the process's number through a software interrupt.
func getpidBy(interrupt, number byte) func(*scene) (func() error, error) {
	return func(*scene) (func() error, error) {
		page, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			return nil, err
		}
		copy(page, []byte{
			0xb8, number, 0, 0, 0, // mov eax, number
			0xcd, interrupt, // int interrupt
			0xc3, // ret: Go's first result is in rax
		})
		code := unsafe.Pointer(&page[0])
		closure := unsafe.Pointer(&code) // what a func value points to
		getpid := *(*func() int64)(unsafe.Pointer(&closure))
		return func() error {
			if got := getpid(); got != int64(os.Getpid()) {
				return fmt.Errorf("getpid is %d: %w", got, syscall.ENOSYS)
			}
			return nil
		}, nil
	}
}
