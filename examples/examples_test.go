// Package examples shows scripts and servers. Its tests run what the README
// shows, with the programs as they are built.
package examples

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usetools/usetools/examples/internal/built"
)

// command is the harness with a config, and a folder of its own for what runs
// leave behind.
type command struct{ harness, config, home string }

// newCommand is the harness with an example's config, of which pairs of texts
// are replaced. Its servers work in the folder of the one who starts them.
func newCommand(t *testing.T, config string, replace ...string) command {
	t.Helper()
	path := builtConfig(t, config, false, replace...)
	return command{built.Program(t, "cmd/harness"), path, filepath.Dir(path)}
}

// builtConfig is a config of this folder in another folder, with the servers
// that it starts by go run built before, in its folders or without any.
func builtConfig(t *testing.T, file string, folders bool, replace ...string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cfg struct {
		UseTools map[string]any            `json:"usetools,omitempty"`
		Servers  map[string]map[string]any `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(strings.NewReplacer(replace...).Replace(string(b))), &cfg); err != nil {
		t.Fatal(err)
	}
	for _, s := range cfg.Servers {
		if args, _ := s["args"].([]any); s["command"] == "go" {
			s["command"], s["args"] = built.Program(t, strings.TrimPrefix(args[1].(string), "./")), args[2:]
		}
		for _, key := range []string{"path", "cwd"} {
			rel, ok := s[key].(string)
			if !ok {
				continue
			}
			if s[key], err = filepath.Abs(filepath.Join(filepath.Dir(file), rel)); err != nil {
				t.Fatal(err)
			}
		}
		if !folders {
			delete(s, "cwd")
		}
	}
	if b, err = json.Marshal(cfg); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), ".mcp.json")
	if err := os.WriteFile(out, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return out
}

func (c command) run(t *testing.T, stdin string, args ...string) (stdout string, code int) {
	t.Helper()
	cmd := exec.Command(c.harness, append([]string{"-config", c.config}, args...)...)
	cmd.Dir = t.TempDir() // no git repository: the server makes one
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+c.home, "XDG_CONFIG_HOME="+c.home)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if code = cmd.ProcessState.ExitCode(); code != 0 {
		t.Logf("exit code %d\n%s%s", code, out.String(), errs.String())
	}
	return out.String(), code
}

func TestWhatTheReadmeShowsWorks(t *testing.T) {
	t.Parallel()
	c := newCommand(t, ".mcp.json")
	digest, err := filepath.Abs("git_digest/main.go")
	if err != nil {
		t.Fatal(err)
	}
	if out, code := c.run(t, "", "run", digest); code != 0 || !strings.Contains(out, "## Authors") ||
		!strings.Contains(out, `"commits":`) {
		t.Errorf("the digest: %s", out)
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(readme), "echo '")
	piped, _, ok2 := strings.Cut(rest, "' | go run")
	if !ok || !ok2 {
		t.Fatal("the README pipes no script")
	}
	if out, code := c.run(t, piped, "run", "-"); code != 0 || !strings.Contains(out, "{") {
		t.Errorf("the piped script: %s", out)
	}
	for i, block := range strings.Split(string(readme), "```go\n")[1:] {
		script, _, _ := strings.Cut(block, "```")
		if out, code := c.run(t, script, "run", "-"); code != 0 {
			t.Errorf("go block %d: %s", i+1, out)
		}
	}
}

func TestAScriptThatOnlyDeclaresIsAnsweredWithSignatures(t *testing.T) {
	t.Parallel()
	c := newCommand(t, ".mcp.json")
	out, code := c.run(t, `UseTools("who last changed each line of a file", "list the branches")`, "run", "-")
	if code != 0 || !strings.Contains(out, "func git.Blame(") || !strings.Contains(out, "func git.Branches(") {
		t.Errorf("got %s", out)
	}
}

// TestTwoHundredPhrases is what a program does that resolves in bulk.
func TestTwoHundredPhrases(t *testing.T) {
	t.Parallel()
	c := newCommand(t, ".mcp.json")
	var in strings.Builder
	for range 50 {
		in.WriteString("show the commit history of a git repository\nfiles changed between two " +
			"commits\ngit.git_blame\nbake a cake\n")
	}
	out, code := c.run(t, in.String(), "resolve", "-json", "-")
	if code != 2 { // the cake
		t.Errorf("exit code %d", code)
	}
	lines := strings.Split(strings.TrimRight(out, "\n"), "\n")
	if len(lines) != 200 {
		t.Fatalf("%d lines", len(lines))
	}
	want := []string{"git.git_log", "git.git_diff", "git.git_blame", ""}
	for i, l := range lines {
		var r struct{ Phrase, Verdict, Tool, Go string }
		if err := json.Unmarshal([]byte(l), &r); err != nil || r.Tool != want[i%4] {
			t.Fatalf("line %d: %v, %+v", i+1, err, r)
		}
	}
}

func TestTwoRunsAtOnceShareARegistryFile(t *testing.T) {
	t.Parallel()
	c := newCommand(t, ".mcp.json")
	results := make(chan int, 4)
	for range cap(results) {
		go func() {
			cmd := exec.Command(c.harness, "-config", c.config, "-q", "run", "-")
			cmd.Dir = filepath.Dir(c.config)
			cmd.Stdin = strings.NewReader(`UseTools("show the commit history"); l, err := git.Log(git.LogParams{}); if err != nil { panic(err) }; Return(len(l.Commits))`)
			cmd.Run()
			results <- cmd.ProcessState.ExitCode()
		}()
	}
	for range cap(results) {
		if code := <-results; code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(c.config), ".*.tmp"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
