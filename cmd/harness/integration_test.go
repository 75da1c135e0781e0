//go:build integration

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// binary is the command, with a config and a registry of the examples' server.
func binary(t *testing.T) (harness string, args []string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, pkg := range []string{"./cmd/harness", "./examples/servers/git"} {
		cmd := exec.Command("go", "build", "-o", dir+"/", pkg)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	config := filepath.Join(dir, "mcp.json")
	server := map[string]any{"command": filepath.Join(dir, "git"), "args": []string{"-demo-if-none"}, "cwd": root}
	b, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"git": server}})
	if err == nil {
		err = os.WriteFile(config, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "harness"), []string{"-config", config, "-no-memory", "serve"}
}

// overHTTP starts the command at a port of its own and returns its URL.
func overHTTP(t *testing.T, name string, args []string) string {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, name, append(args, "-http", "127.0.0.1:0")...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); cmd.Wait() })
	in := bufio.NewScanner(stderr)
	for in.Scan() {
		if m := regexp.MustCompile(`url=(\S+)`).FindStringSubmatch(in.Text()); m != nil {
			go io.Copy(io.Discard, stderr)
			return m[1]
		}
	}
	t.Fatal("it did not say where it serves")
	return ""
}

// readmeScript is the script at the top of the README.
func readmeScript(t *testing.T) string {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok1 := strings.Cut(string(readme), "$ echo '")
	script, _, ok2 := strings.Cut(rest, "' | go run ./cmd/harness run")
	if !ok1 || !ok2 {
		t.Fatal("the README does not begin with a script")
	}
	return script
}

// modules is where npm put what stands in PATH.
func modules(t *testing.T) string {
	t.Helper()
	bin, err := exec.LookPath("mcp-inspector")
	if err != nil {
		t.Fatalf("%v; .ci/run says what to install", err)
	}
	return filepath.Dir(filepath.Dir(bin))
}

// TestSDKClientsRunTheReadmesScript with the TypeScript and the Python SDK, and
// the Inspector, over both transports.
func TestSDKClientsRunTheReadmesScript(t *testing.T) {
	script := readmeScript(t)
	name, args := binary(t)
	url := overHTTP(t, name, args)
	t.Setenv("NODE_PATH", modules(t))
	stdio := append([]string{name}, args...)
	inspect := func(server ...string) []string {
		return append(append([]string{"mcp-inspector", "--cli"}, server...), "--method", "tools/call", "--tool-name",
			"execute", "--tool-arg", "script="+script)
	}
	for what, command := range map[string][]string{
		"typescript stdio": append([]string{"node", "testdata/clients/client.cjs", script}, stdio...),
		"typescript http":  {"node", "testdata/clients/client.cjs", script, url},
		"python stdio":     append([]string{"python3", "testdata/clients/client.py", script}, stdio...),
		"python http":      {"python3", "testdata/clients/client.py", script, url},
		"inspector stdio":  inspect(stdio...),
		"inspector http":   inspect(url, "--transport", "http"),
	} {
		t.Run(what, func(t *testing.T) {
			out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput()
			// The answer is a JSON object of authors with their commits.
			if err != nil || !regexp.MustCompile(`\{.*[^\\"]\\*": ?\d+`).Match(out) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	out, err := exec.CommandContext(t.Context(), "mcp-inspector", "--cli", url, "--transport", "http", "--method",
		"tools/list").CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"execute"`) {
		t.Errorf("the Inspector's list: %v\n%s", err, out)
	}
}
