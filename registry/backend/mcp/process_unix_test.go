//go:build unix

package mcp_test

import (
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/usetools/usetools/registry/backend/mcp/mcptest"
)

// gone reports whether no process with that id runs; a zombie does not run.
// A signal takes effect some time after it was sent.
func gone(t *testing.T, text string) bool {
	pid, err := strconv.Atoi(text)
	if err != nil || pid <= 0 {
		t.Fatalf("the server says its process id is %q", text)
	}
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); <-time.After(time.Millisecond) {
		if syscall.Kill(pid, 0) != nil || zombie(pid) {
			return true
		}
	}
	return false
}

func TestCloseKillsAServerThatIgnoresEverything(t *testing.T) {
	t.Parallel()
	b := open(t, mcptest.Server("s", mcptest.Lingers), nil)
	pid := call(t, b, "pid", "").Text()
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if !gone(t, pid) {
		t.Errorf("process %s still runs", pid)
	}
}

func TestCloseEndsWhatTheServerStarted(t *testing.T) {
	b := open(t, mcptest.Server("s"), nil)
	child := call(t, b, "child", "").Text()
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if !gone(t, child) {
		t.Errorf("child %s still runs", child)
	}
}
