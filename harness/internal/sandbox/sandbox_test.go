package sandbox

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestConfigFillsInDefaults(t *testing.T) {
	want := Config{Policy: Require, Memory: 512 << 20, CPU: time.Minute, Procs: 4, Stack: 128 << 20, Files: 64}
	for _, c := range []*Config{nil, {}} {
		got, err := c.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
}

func TestConfigRefusesNonsense(t *testing.T) {
	for _, c := range []struct {
		config Config
		want   string
	}{
		{Config{Policy: "besteffort"}, `"besteffort"`},
		{Config{Memory: -1}, "memory -1"},
		{Config{CPU: -time.Second}, "cpu -1s"},
		{Config{Procs: -1}, "procs -1"},
		{Config{Stack: -1}, "stack -1"},
		{Config{Files: -1}, "files -1"},
	} {
		if _, err := Apply(&c.config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s in it", c.config, err, c.want)
		}
	}
}

func TestCPUTimeIsRoundedUpToTheKernelsUnit(t *testing.T) {
	for d, want := range map[time.Duration]uint64{
		time.Nanosecond: 1, time.Second: 1, time.Second + 1: 2, 90 * time.Second: 90,
	} {
		if got := (&Config{CPU: d}).cpuSeconds(); got != want {
			t.Errorf("%v: %d s, want %d", d, got, want)
		}
	}
}

func TestAReportHasTheNamesThatResultsShow(t *testing.T) {
	b, err := json.Marshal(Report{Landlock: 7, Seccomp: true, Rlimits: true, NoNewPrivs: true, Missing: []string{"x"}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"landlock":7,"seccomp":true,"rlimits":true,"no_new_privs":true,"missing":["x"]}`
	if string(b) != want {
		t.Errorf("got %s, want %s", b, want)
	}
}

func TestOutOfMemoryIsSeen(t *testing.T) {
	for _, c := range []struct {
		code   int
		stderr string
		want   bool
	}{
		{ExitMemory, "", true},
		{2, "fatal error: runtime: out of memory", true},
		{2, "runtime/cgo: pthread_create failed: Resource temporarily unavailable", true},
		{2, "SIGSEGV: segmentation violation\nPC=0x43a85d m=3 sigcode=1 addr=0x0\n\ngoroutine 0 gp=0x1 m=3 mp=0x2 [idle]:\nruntime.(*spanQueue).tryDrain(0x1)\n", true},
		{2, "panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x4]\n\ngoroutine 1 [running]:\nmain.main()\n", false},
		{2, "fatal error: all goroutines are asleep - deadlock!", false},
		{1, "out of memory", false},
		{0, "", false},
	} {
		if got := OutOfMemory(c.code, c.stderr); got != c.want {
			t.Errorf("code %d, %q: %v", c.code, c.stderr, got)
		}
	}
}
