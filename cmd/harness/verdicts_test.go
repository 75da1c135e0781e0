package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// command makes `harness ARGS…`, to be run in a folder with a config. Called by
// that name, this binary is the command (see testscript.Main).
func command(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"harness", "testserver"} {
		if err := os.Symlink(exe, filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrExist) {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(filepath.Join(dir, "harness"), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+dir)
	return cmd
}

const twoServers = `{"mcpServers": {"one": {"command": "./testserver"}, "two": {"type": "snapshot", "path": "tools.json"}, "three": {"type": "snapshot", "path": "tools.json"}}}`

const snapshot = `[{"name": "send_letter", "description": "Send a letter by post", "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}}}}]`

func verdictsDir(t *testing.T) string {
	dir := t.TempDir()
	for name, text := range map[string]string{".mcp.json": twoServers, "tools.json": snapshot} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestEveryVerdictFromOutside runs a script for each status through the
// command and looks at what a caller sees: the status and the exit code.
func TestEveryVerdictFromOutside(t *testing.T) {
	dir := verdictsDir(t)
	if out, err := command(t, dir, "tools").CombinedOutput(); err != nil { // writes the registry
		t.Fatalf("%v: %s", err, out)
	}
	for _, c := range []struct {
		status string
		code   int
		script string
		args   []string
	}{
		{"ok", 0, `Return(1)`, nil},
		{"compile_error", 2, `x := "a" + 1; fmt.Println(x)`, nil},
		{"tool_not_found", 2, `UseTools("weigh a whale in its sleep"); fmt.Println(1)`, nil},
		{"ambiguous", 2, `UseTools("send a letter by post"); fmt.Println(1)`, nil},
		{"script_error", 1, `panic("x")`, nil},
		{"script_error", 1, `os.Exit(137)`, nil},
		{"timeout", 3, `for {}`, []string{"-timeout", "1s"}},
		{"memory_limit", 3, `var all [][]byte; for { all = append(all, make([]byte, 1<<22)) }`, []string{"-memory", "192"}},
		{"output_limit", 3, `for { fmt.Println(strings.Repeat("x", 1000)) }`, nil},
		{"call_limit", 3, `UseTools("say a text back"); for { _, err := one.EchoText(one.EchoTextParams{Text: "a"}); _ = err }`, []string{"-timeout", "10m"}},
		{"denied", 4, `UseTools("delete all files of the disk"); _, err := one.DeleteEverything(); fmt.Println(err)`,
			[]string{"-read-only"}},
	} {
		t.Run(c.status, func(t *testing.T) {
			t.Parallel()
			cmd := command(t, dir, append(append([]string{"run", "-json"}, c.args...), "-")...)
			cmd.Stdin = strings.NewReader(c.script)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			var res struct{ Status string }
			if bad := json.Unmarshal(out, &res); bad != nil {
				t.Fatalf("%v, %v: %s%s", err, bad, out, &stderr)
			}
			if got := cmd.ProcessState.ExitCode(); got != c.code || res.Status != c.status {
				t.Errorf("exit code %d, status %s, want %d, %s: %.2000s", got, res.Status, c.code, c.status, out)
			}
		})
	}
}
