//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

const testPid = 4711

// decide runs the filter on a system call as the kernel would.
func decide(t *testing.T, vm *bpf.VM, arch, number uint32, args ...uint32) int {
	t.Helper()
	in := make([]byte, 64) // the VM reads packets: big endian
	binary.BigEndian.PutUint32(in[offsetNumber:], number)
	binary.BigEndian.PutUint32(in[offsetArch:], arch)
	for i, arg := range args {
		binary.BigEndian.PutUint32(in[offsetArgs+8*i:], arg)
	}
	verdict, err := vm.Run(in)
	if err != nil {
		t.Fatal(err)
	}
	return verdict
}

func newVM(t *testing.T) *bpf.VM {
	t.Helper()
	vm, err := bpf.NewVM(filter(testPid))
	if err != nil {
		t.Fatal(err)
	}
	return vm
}

func TestTheFilterAllowsNothingThatIsNotListed(t *testing.T) {
	vm := newVM(t)
	conditional := append([]uint32{unix.SYS_CLONE, unix.SYS_CLONE3, unix.SYS_TGKILL}, mappingCalls...)
	for number := range uint32(4096) {
		got := decide(t, vm, auditArch, number)
		switch {
		case slices.Contains(allowed, number):
			if got != int(allow.Val) {
				t.Errorf("call %d is listed and gets %#x", number, got)
			}
		case slices.Contains(conditional, number):
		case got != int(deny.Val):
			t.Errorf("call %d is not listed and gets %#x", number, got)
		}
	}
	if n := len(allowed); n > 30 {
		t.Errorf("%d calls are allowed without conditions: is each still needed?", n)
	}
}

func TestTheFilterLooksAtArguments(t *testing.T) {
	const goThread = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_SYSVSEM | unix.CLONE_THREAD
	const libcThread = goThread | unix.CLONE_SETTLS | unix.CLONE_PARENT_SETTID | unix.CLONE_CHILD_CLEARTID
	vm := newVM(t)
	for _, c := range []struct {
		name   string
		want   bpf.RetConstant
		number uint32
		args   []uint32
	}{
		{"a thread of Go", allow, unix.SYS_CLONE, []uint32{goThread}},
		{"a thread of glibc", allow, unix.SYS_CLONE, []uint32{libcThread}},
		{"a thread of musl", allow, unix.SYS_CLONE, []uint32{libcThread | 0x400000}},
		{"a process", deny, unix.SYS_CLONE, []uint32{uint32(unix.SIGCHLD)}},
		{"a process that shares memory", deny, unix.SYS_CLONE, []uint32{unix.CLONE_VM | unix.CLONE_VFORK | uint32(unix.SIGCHLD)}},
		{"nothing shared", deny, unix.SYS_CLONE, []uint32{0}},
		{"a thread in a new network", deny, unix.SYS_CLONE, []uint32{goThread | unix.CLONE_NEWNET}},
		{"a thread in a new user namespace", deny, unix.SYS_CLONE, []uint32{goThread | unix.CLONE_NEWUSER}},
		{"a thread in new time", deny, unix.SYS_CLONE, []uint32{goThread | unix.CLONE_NEWTIME}},
		{"a thread whose parent is the parent", deny, unix.SYS_CLONE, []uint32{goThread | unix.CLONE_PARENT}},
		{"a thread with a pidfd", deny, unix.SYS_CLONE, []uint32{goThread | unix.CLONE_PIDFD}},
		{"clone3", unsupported, unix.SYS_CLONE3, nil},
		{"memory", allow, unix.SYS_MMAP, []uint32{0, 4096, unix.PROT_READ | unix.PROT_WRITE}},
		{"reserved memory", allow, unix.SYS_MMAP, []uint32{0, 4096, unix.PROT_NONE}},
		{"executable memory", deny, unix.SYS_MMAP, []uint32{0, 4096, unix.PROT_EXEC}},
		{"executable and writable memory", deny, unix.SYS_MMAP, []uint32{0, 4096, unix.PROT_READ | unix.PROT_WRITE | unix.PROT_EXEC}},
		{"memory made executable", deny, unix.SYS_MPROTECT, []uint32{0, 4096, unix.PROT_READ | unix.PROT_EXEC}},
		{"a signal to its own thread", allow, unix.SYS_TGKILL, []uint32{testPid, 4712, uint32(unix.SIGURG)}},
		{"a signal to another process", deny, unix.SYS_TGKILL, []uint32{testPid - 1, testPid - 1, uint32(unix.SIGKILL)}},
		{"a signal to all", deny, unix.SYS_TGKILL, []uint32{^uint32(0), ^uint32(0), uint32(unix.SIGKILL)}},
	} {
		if got := decide(t, vm, auditArch, c.number, c.args...); got != int(c.want.Val) {
			t.Errorf("%s: %#x, want %#x", c.name, got, c.want.Val)
		}
	}
}

func TestTheFilterKillsForeignArchitectures(t *testing.T) {
	vm := newVM(t)
	for name, arch := range map[string]uint32{
		"i386": unix.AUDIT_ARCH_I386, "amd64": unix.AUDIT_ARCH_X86_64,
		"arm": unix.AUDIT_ARCH_ARM, "arm64": unix.AUDIT_ARCH_AARCH64, "zero": 0,
	} {
		if name == runtime.GOARCH {
			continue
		}
		for _, number := range []uint32{0, unix.SYS_READ, unix.SYS_EXIT_GROUP, 1 << 20} {
			if got := decide(t, vm, arch, number); got != int(kill.Val) {
				t.Errorf("%s, call %d: %#x", name, number, got)
			}
		}
	}
	for _, number := range []uint32{0x40000000, 0x40000000 + unix.SYS_READ, 0x80000000, ^uint32(0)} {
		if got := decide(t, vm, auditArch, number); got != int(kill.Val) {
			t.Errorf("call %#x: %#x", number, got)
		}
	}
}

// FuzzFilter looks for any call that gets through with arguments or numbers
// that nobody thought of.
func FuzzFilter(f *testing.F) {
	f.Add(uint32(auditArch), uint32(unix.SYS_CLONE), uint32(unix.CLONE_THREAD), uint32(0), uint32(0))
	f.Add(uint32(auditArch), uint32(unix.SYS_MMAP), uint32(0), uint32(0), uint32(unix.PROT_EXEC))
	f.Fuzz(func(t *testing.T, arch, number, a0, a1, a2 uint32) {
		if decide(t, newVM(t), arch, number, a0, a1, a2) != int(allow.Val) {
			return
		}
		ok := slices.Contains(allowed, number)
		switch {
		case number == unix.SYS_CLONE:
			ok = a0&unix.CLONE_THREAD != 0 && a0&^uint32(threadFlags) == 0
		case number == unix.SYS_TGKILL:
			ok = a0 == testPid
		case slices.Contains(mappingCalls, number):
			ok = a2&unix.PROT_EXEC == 0
		}
		if !ok || arch != auditArch {
			t.Errorf("allowed: architecture %#x, call %d, arguments %#x %#x %#x", arch, number, a0, a1, a2)
		}
	})
}
