package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// Locking is for good, so tests run their part in a process of its own: this
// binary again, told by the environment what to do.
const partVar, argVar = "SANDBOX_TEST_PART", "SANDBOX_TEST_ARG"

// parts are what such a process can do, by name. What it prints to stdout is
// the answer; an error is a fault of the test, not a finding.
var parts = map[string]func(arg json.RawMessage) error{}

func TestMain(m *testing.M) {
	name := os.Getenv(partVar)
	if name == "" {
		os.Exit(m.Run())
	}
	part, ok := parts[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "there is no part %q\n", name)
		os.Exit(99)
	}
	if err := part(json.RawMessage(os.Getenv(argVar))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(98)
	}
	os.Exit(0)
}

// command prepares a process that plays a part.
func command(part string, arg any) *exec.Cmd {
	b, err := json.Marshal(arg)
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(testBinary())
	cmd.Env = []string{partVar + "=" + part, argVar + "=" + string(b), "GORACE=atexit_sleep_ms=0"}
	return cmd
}

// testBinary is this program. On Linux the name works for every user, wherever
// the binary lies.
func testBinary() string {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe"
	}
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return exe
}

// ending is how a process ended.
type ending struct {
	stdout, stderr string
	code           int // -1 for a signal
	state          *os.ProcessState
	took           time.Duration
}

func (e *ending) String() string {
	return fmt.Sprintf("%v after %v, stdout %q, stderr %.2000s", e.state, e.took, e.stdout, e.stderr)
}

// play runs a part to its end.
func play(t testing.TB, cmd *exec.Cmd) *ending {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = patience // what it left behind may hold its pipes
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stuck := time.AfterFunc(10*time.Minute, func() { cmd.Process.Kill() })
	defer stuck.Stop()
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return &ending{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode(), cmd.ProcessState, time.Since(begin)}
}
