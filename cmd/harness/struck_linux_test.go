package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestVerdictsOfWorkersThatAreStruck sends signals while a script runs.
func TestVerdictsOfWorkersThatAreStruck(t *testing.T) {
	for _, c := range []struct {
		name   string
		worker bool
		signal syscall.Signal
		code   int
		say    string
	}{
		{"canceled", false, syscall.SIGINT, 130, "canceled"},
		{"out of CPU time", true, syscall.SIGXCPU, 3, "cpu_limit"},
		{"killed by the system", true, syscall.SIGKILL, 3, "memory_limit"},
		{"broken", true, syscall.SIGABRT, 70, "sandbox_error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cmd := command(t, verdictsDir(t), "run", "-timeout", "10m", "-")
			cmd.Stdin = strings.NewReader("fmt.Println(\"begun\")\nfor {}")
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			begin(t, cmd)
			out := bufio.NewReader(stdout)
			if line, err := out.ReadString('\n'); err != nil || line != "begun\n" {
				t.Errorf("got %q, %v", line, err)
			}
			pid := cmd.Process.Pid
			if c.worker {
				pid = onlyChild(t, pid)
			}
			if err := syscall.Kill(pid, c.signal); err != nil {
				t.Error(err)
			}
			io.Copy(io.Discard, out)
			cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != c.code || !strings.Contains(stderr.String(), c.say) {
				t.Errorf("exit code %d, want %d and %q: %s", got, c.code, c.say, &stderr)
			}
		})
	}
}

// A command that is struck while it asks the servers for their tools was
// canceled; its registry was not at fault.
func TestACommandThatIsStruckWhileItBuildsIsCanceled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := filepath.Join(dir, "mcp.json")
	server := `{"mcpServers":{"silent":{"command":"sh","args":["-c","touch started; exec sleep 600"],"usetools":{"startTimeout":"5m"}}}}`
	if err := os.WriteFile(config, []byte(server), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := command(t, dir, "-config", config, "tools")
	var said strings.Builder
	cmd.Stderr = &said
	begin(t, cmd)
	for late := time.Now().Add(time.Minute); ; <-time.After(10 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "started")); err == nil {
			break
		}
		if time.Now().After(late) {
			t.Fatal("the server was never started")
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 130 || !strings.HasSuffix(said.String(), "harness: canceled\n") {
		t.Errorf("exit code %d, want 130: %s", got, &said)
	}
}

// begin starts a command, and kills it where the test takes too long.
func begin(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	t.Cleanup(func() { late.Stop() })
}

// onlyChild finds the one child of a process.
func onlyChild(t *testing.T, parent int) int {
	t.Helper()
	var children []string
	// A child whose thread ends while this reads is for a moment in no list, or in two.
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); <-time.After(10 * time.Millisecond) {
		tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
		if err != nil {
			t.Fatal(err)
		}
		children = nil
		for _, f := range tasks {
			if b, err := os.ReadFile(f); err == nil {
				children = append(children, strings.Fields(string(b))...)
			}
		}
		if len(children) != 1 {
			continue
		}
		pid, err := strconv.Atoi(children[0])
		if err != nil {
			t.Fatal(err)
		}
		return pid
	}
	t.Fatalf("children %q of %d, want one", children, parent)
	return 0
}
