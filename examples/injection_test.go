package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/examples/internal/built"
)

// TestInjection runs the program and compares what it prints with its README.
func TestInjection(t *testing.T) {
	config := builtConfig(t, "injection/.mcp.json", false)
	cmd := exec.Command(built.Program(t, "examples/injection"), "-harness", built.Program(t, "cmd/harness"), "-config", config)
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Dir(config), "XDG_CONFIG_HOME="+filepath.Dir(config), "XDG_STATE_HOME="+filepath.Dir(config))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("injection/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, want, _ := strings.Cut(string(page), "```\nscript 1")
	want, _, _ = strings.Cut("script 1"+want, "\n```")
	run := regexp.MustCompile(`run [0-9a-z]{10}`)
	if diff := cmp.Diff(run.ReplaceAllString(want, "run ID"), run.ReplaceAllString(strings.TrimSpace(string(out)), "run ID")); diff != "" {
		t.Error(diff)
	}
}
