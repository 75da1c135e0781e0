//go:build amd64 || arm64

package sandbox

import (
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// applied is what Apply came to.
type applied struct {
	Report  Report
	Refused bool
	Error   string
}

// lack is a kernel that lacks something, played by a filter.
type lack struct {
	Calls  []uint32
	Errno  uint32
	Thread bool // another thread has a filter of its own
	Config *Config
}

func init() {
	parts["lack"] = func(arg json.RawMessage) error {
		var l lack
		if err := json.Unmarshal(arg, &l); err != nil {
			return err
		}
		if l.Thread {
			if err := onThread(func() error { return filterThis(without(unix.SYS_ACCT, uint32(unix.ENOSYS))) }); err != nil {
				return err
			}
		}
		for _, number := range l.Calls {
			var r Report
			runtime.LockOSThread()
			if gainNothing(&r); len(r.Missing) > 0 {
				return errors.New(r.Missing[0])
			}
			if err := install(without(number, l.Errno)); err != nil {
				return err
			}
		}
		r, err := Apply(l.Config)
		a := applied{Report: r}
		if err != nil {
			a.Refused, a.Error = errors.Is(err, ErrUnlocked), err.Error()
		}
		return json.NewEncoder(os.Stdout).Encode(a)
	}
}

// without is a filter for a kernel without one call.
func without(number, errno uint32) []bpf.Instruction {
	return []bpf.Instruction{
		loadWord(offsetNumber),
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: number, SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | errno},
		allow,
	}
}

// onThread does it on a thread that stays.
func onThread(do func() error) error {
	result := make(chan error)
	go func() {
		runtime.LockOSThread()
		result <- do()
		select {}
	}()
	return <-result
}

// filterThis filters the calling thread alone.
func filterThis(p []bpf.Instruction) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_, err := load(p, 0)
	return err
}

func TestAMissingLayerIsNamedAndRefused(t *testing.T) {
	mustHaveLayers(t)
	landlockCalls := []uint32{unix.SYS_LANDLOCK_CREATE_RULESET, unix.SYS_LANDLOCK_RESTRICT_SELF}
	for _, c := range []struct {
		name  string
		lack  lack
		named string
		left  Report
	}{
		{"a kernel without Landlock", lack{Calls: landlockCalls, Errno: uint32(unix.ENOSYS)}, "landlock: function not implemented; Linux 5.13",
			Report{Seccomp: true, Rlimits: true, NoNewPrivs: true}},
		{"Landlock not enabled", lack{Calls: landlockCalls, Errno: uint32(unix.EOPNOTSUPP)}, "landlock: operation not supported",
			Report{Seccomp: true, Rlimits: true, NoNewPrivs: true}},
		{"Landlock that cannot be entered", lack{Calls: landlockCalls[1:], Errno: uint32(unix.EPERM)}, "landlock: ABI",
			Report{Seccomp: true, Rlimits: true, NoNewPrivs: true}},
		{"a container that forbids filters", lack{Calls: []uint32{unix.SYS_SECCOMP}, Errno: uint32(unix.EPERM)}, "seccomp: operation not permitted",
			Report{Landlock: kernelABI(), Rlimits: true, NoNewPrivs: true}},
		{"a thread that cannot be filtered", lack{Thread: true}, "has a filter of its own",
			Report{Landlock: kernelABI(), Rlimits: true, NoNewPrivs: true}},
		{"limits that cannot be set", lack{Calls: []uint32{unix.SYS_PRLIMIT64}, Errno: uint32(unix.EPERM)}, "rlimits: cpu",
			Report{Landlock: kernelABI(), Seccomp: true, NoNewPrivs: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var a applied
			answer(t, command("lack", c.lack), &a)
			if !a.Refused || !strings.Contains(a.Error, c.named) || !strings.Contains(a.Error, `"best-effort"`) {
				t.Errorf("refused %v, %q; want %q in it", a.Refused, a.Error, c.named)
			}
			c.lack.Config = &Config{Policy: BestEffort}
			answer(t, command("lack", c.lack), &a)
			if a.Error != "" {
				t.Errorf("best effort: %s", a.Error)
			}
			if !strings.Contains(strings.Join(a.Report.Missing, "\n"), c.named) {
				t.Errorf("best effort: missing %q, want %q in it", a.Report.Missing, c.named)
			}
			c.left.Missing = a.Report.Missing
			if !equal(a.Report, c.left) {
				t.Errorf("best effort left %+v, want %+v", a.Report, c.left)
			}
		})
	}
}

func equal(a, b Report) bool {
	return a.Landlock == b.Landlock && a.Seccomp == b.Seccomp && a.Rlimits == b.Rlimits && a.NoNewPrivs == b.NoNewPrivs
}
