package examples

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEachExampleRuns runs the scripts of the folders against real servers.
func TestEachExampleRuns(t *testing.T) {
	c := newCommand(t)
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	value := func(t *testing.T, c command, stdin string, args ...string) map[string]any {
		out, code := c.run(t, stdin, append([]string{"-json", "run"}, args...)...)
		var res struct {
			Value map[string]any
			Calls []any
		}
		if err := json.Unmarshal([]byte(out), &res); err != nil || code != 0 {
			t.Fatalf("exit code %d, %v: %s", code, err, out)
		}
		return res.Value
	}
	script := func(name string) string {
		path, err := filepath.Abs(filepath.Join(name, "main.go"))
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	if v := value(t, c, "", script("fan_out")); v["failed"] != 0.0 || v["files"] == 0.0 {
		t.Errorf("fan_out: %v", v)
	}
	if d := cmp.Diff(map[string]any{"refused": true}, value(t, c, "", script("errors"))); d != "" {
		t.Errorf("errors: %s", d)
	}
	if d := cmp.Diff(map[string]any{"missing": "order a pizza with extra cheese"}, value(t, c, "", script("tool_not_found"))); d != "" {
		t.Errorf("tool_not_found: %s", d)
	}
	if d := cmp.Diff(map[string]any{"typed": 1.0, "own": 1.0, "text": true, "raw": true}, value(t, c, "", script("typed_and_text"))); d != "" {
		t.Errorf("typed_and_text: %s", d)
	}
	first := value(t, c, "", script("saved_script"))
	again := value(t, c, `v, err := RunScript("latest-commits", map[string]any{"count": 10}); if err != nil { panic(err) }; Return(v)`, "-")
	if d := cmp.Diff(first, again); d != "" || len(first) == 0 {
		t.Errorf("saved_script: %v (-first +again)\n%s", first, d)
	}
	manifest, err := filepath.Abs("cli_manifest/tools.json")
	if err != nil {
		t.Fatal(err)
	}
	cli := command{c.harness, manifest}
	out, code := cli.run(t, "", "-registry", filepath.Join(t.TempDir(), "tool_registry.json"), "run", script("cli_manifest"))
	if code != 0 || !strings.Contains(out, `"go": true`) {
		t.Errorf("cli_manifest: %s", out)
	}
}
