package examples

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/examples/internal/built"
)

// startLibrary starts the HTTP service at a port of its own and returns its URL.
func startLibrary(t *testing.T, key string) string {
	t.Helper()
	cmd := exec.Command(built.Program(t, "examples/servers/library"), "-addr", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), "LIBRARY_KEY="+key)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	url, ok := strings.CutSuffix(line, "/openapi.json\n")
	if err != nil || !ok {
		t.Fatalf("it says %q: %v", line, err)
	}
	return url
}

func TestAnHTTPServiceIsToolsLikeAnyOther(t *testing.T) {
	t.Setenv("LIBRARY_URL", startLibrary(t, "a secret of this test"))
	t.Setenv("LIBRARY_KEY", "a secret of this test")
	c := newCommand(t, "openapi/.mcp.json")
	want := map[string]any{"there": 2.0, "read": "The Left Hand of Darkness"}
	if d := cmp.Diff(want, value[map[string]any](t, c, "", script(t, "openapi"))); d != "" {
		t.Error(d)
	}
	out, code := c.run(t, "", "-json", "run", script(t, "openapi"))
	if code != 0 || !strings.Contains(out, "the library says: ") || !strings.Contains(out, "Cy has borrowed it") ||
		strings.Contains(out, "secret") {
		t.Errorf("exit code %d: %s", code, out)
	}
	out, code = c.run(t, "", "-json", "run", "-read-only", script(t, "openapi"))
	if code != 4 || !strings.Contains(out, "library.lend_book") || strings.Contains(out, `library.list_books): `) {
		t.Errorf("read-only: exit code %d: %s", code, out)
	}
	registry, err := os.ReadFile(filepath.Join(c.home, "tool_registry.json"))
	if err != nil || strings.Contains(string(registry), "secret") {
		t.Errorf("the registry holds the key: %v", err)
	}
	t.Setenv("LIBRARY_KEY", "wrong")
	if out, code = c.run(t, "", "-json", "run", script(t, "openapi")); code != 1 ||
		!strings.Contains(out, "want the library's key") {
		t.Errorf("with a wrong key: exit code %d: %s", code, out)
	}
}

// The service ends with the script that it was started for.
func TestAServiceEndsWithItsCommand(t *testing.T) {
	library := built.Program(t, "examples/servers/library")
	for code, command := range map[int][]string{0: {"go", "version"}, 2: {"go", "nonsense"}} {
		out, err := exec.Command(library, append([]string{"-addr", "127.0.0.1:0"}, command...)...).CombinedOutput()
		var exit *exec.ExitError
		if got := 0; errors.As(err, &exit) {
			if got = exit.ExitCode(); got != code {
				t.Errorf("%q: exit code %d, want %d: %s", command, got, code, out)
			}
		} else if err != nil || code != 0 || !strings.HasPrefix(string(out), "go version") {
			t.Errorf("%q: %v, %s", command, err, out)
		}
	}
}
