package examples

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usetools/usetools/examples/internal/built"
)

// script is the script of an example.
func script(t *testing.T, folder string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(folder, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// value runs a script that must go well and returns its value.
func value[T any](t *testing.T, c command, stdin string, args ...string) T {
	t.Helper()
	out, code := c.run(t, stdin, append([]string{"-json", "run"}, args...)...)
	var res struct{ Value T }
	if err := json.Unmarshal([]byte(out), &res); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v: %s", code, err, out)
	}
	return res.Value
}

// TestEachExampleRuns runs the scripts of the folders against real servers.
func TestEachExampleRuns(t *testing.T) {
	t.Parallel()
	c := newCommand(t, ".mcp.json")
	script := func(name string) string { return script(t, name) }
	if v := value[map[string]any](t, c, "", script("fan_out")); v["failed"] != 0.0 || v["files"] == 0.0 {
		t.Errorf("fan_out: %v", v)
	}
	if d := cmp.Diff(map[string]any{"refused": true}, value[map[string]any](t, c, "", script("errors"))); d != "" {
		t.Errorf("errors: %s", d)
	}
	if d := cmp.Diff(map[string]any{"missing": "order a pizza with extra cheese"},
		value[map[string]any](t, c, "", script("tool_not_found"))); d != "" {
		t.Errorf("tool_not_found: %s", d)
	}
	if d := cmp.Diff(map[string]any{"typed": 1.0, "own": 1.0, "text": true, "raw": true},
		value[map[string]any](t, c, "", script("typed_and_text"))); d != "" {
		t.Errorf("typed_and_text: %s", d)
	}
	first := value[map[string]any](t, c, "", script("saved_script"))
	again := value[map[string]any](t, c,
		`v, err := RunScript("latest-commits", map[string]any{"count": 10}); if err != nil { panic(err) }; Return(v)`, "-")
	if d := cmp.Diff(first, again); d != "" || len(first) == 0 {
		t.Errorf("saved_script: %v (-first +again)\n%s", first, d)
	}
	manifest, err := filepath.Abs("cli_manifest/tools.json")
	if err != nil {
		t.Fatal(err)
	}
	// The go command that is called would leave a process behind that writes
	// there.
	telemetry := filepath.Join(c.home, "go", "telemetry")
	if err := errors.Join(os.MkdirAll(telemetry, 0o755),
		os.WriteFile(filepath.Join(telemetry, "mode"), []byte("off"), 0o644)); err != nil {
		t.Fatal(err)
	}
	cli := command{c.harness, manifest, c.home}
	out, code := cli.run(t, "", "-registry", filepath.Join(t.TempDir(), "tool_registry.json"), "run",
		script("cli_manifest"))
	if code != 0 || !strings.Contains(out, `"go": true`) {
		t.Errorf("cli_manifest: %s", out)
	}
}

func TestFilesBecomeAReport(t *testing.T) {
	t.Parallel()
	c := newCommand(t, "files_report/.mcp.json", `"."`, jsonText(t, ".."), `"examples/files_report/report.db"`,
		jsonText(t, filepath.Join(t.TempDir(), "report.db")))
	type row struct {
		Kind         string
		Files, Lines int
	}
	first := value[[]row](t, c, "", script(t, "files_report"))
	if len(first) != 2 || first[0].Kind != "code" || first[1].Kind != "test" || first[0].Files < 10 ||
		first[0].Lines < 1000 {
		t.Errorf("the report: %+v", first)
	}
	if d := cmp.Diff(first, value[[]row](t, c, "", script(t, "files_report"))); d != "" {
		t.Errorf("the second run (-first +second): %s", d)
	}
	if out, code := c.run(t, "", "-json", "run", "-read-only", script(t, "files_report")); code != 4 ||
		!strings.Contains(out, "notes.delete_rows") || strings.Contains(out, `"ms"`) {
		t.Errorf("read-only: exit code %d: %s", code, out)
	}
}

// jsonText is an absolute path as it stands in a config.
func jsonText(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(abs)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestTheHarnessLinksNoDatabase: SQLite is the example's, and large.
func TestTheHarnessLinksNoDatabase(t *testing.T) {
	info, err := buildinfo.ReadFile(built.Program(t, "cmd/harness"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range info.Deps {
		if strings.HasPrefix(m.Path, "modernc.org/") {
			t.Errorf("the harness links %s", m.Path)
		}
	}
}

// TestTheListOfExamplesIsComplete: each folder has a page, the list leads to it
// with its script's command, and to no other.
func TestTheListOfExamplesIsComplete(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, pattern := range []string{"*", "servers/*"} {
		all, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, dir := range all {
			if info, err := os.Stat(dir); err != nil || !info.IsDir() || dir == "servers" || dir == "internal" {
				continue
			}
			dir = filepath.ToSlash(dir)
			want = append(want, dir)
			if _, err := os.Stat(filepath.Join(dir, "README.md")); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil &&
				!strings.Contains(string(page), " examples/"+dir+"/") {
				t.Errorf("the list does not say how to run %s", dir)
			}
		}
	}
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^\| (?:\d+ )?\[[^]]+\]\(([^)]+)\)`).FindAllStringSubmatch(string(page), -1) {
		got = append(got, m[1])
	}
	slices.Sort(want)
	slices.Sort(got)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the list (-folders +list): %s", d)
	}
}
