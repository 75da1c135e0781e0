//go:build unix

package registry_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/usetools/usetools/registry"
)

// A pipe in the place of a file is an error, and nothing that is waited for.
func TestAPipeIsNoFile(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), registry.PinsFile)
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	if p := registry.LoadPins(pipe); p.Err == nil || !strings.Contains(p.Err.Error(), "not a regular file") {
		t.Error(p.Err)
	}
	if _, err := registry.Load(pipe); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Error(err)
	}
}
