//go:build integration

package examples

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usetools/usetools/examples/internal/built"
)

// TestLogAndDiffThroughAnotherGitServer runs the example against
// @cyanheads/git-mcp-server, which must be in PATH as git-mcp-server.
func TestLogAndDiffThroughAnotherGitServer(t *testing.T) {
	repo := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c",
			"commit.gpgsign=false"}, args...)...)
		cmd.Dir = repo
		if b, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, b)
		}
	}
	git("init", "-q", "-b", "main")
	for _, name := range []string{"one.txt", "two.txt"} {
		if err := os.WriteFile(filepath.Join(repo, name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
		git("add", name)
		git("commit", "-q", "-m", "add "+name)
	}
	cmd := exec.Command(built.Program(t, "cmd/harness"), "-config", "examples/log_and_diff/.mcp.json",
		"-registry", filepath.Join(t.TempDir(), "tool_registry.json"), "run", "examples/log_and_diff/main.go")
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "GIT_REPOSITORY="+repo)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, out.String(), errs.String())
	}
	for _, want := range []string{"add two.txt", "1 files changed", "two.txt", `"commits": 2`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
