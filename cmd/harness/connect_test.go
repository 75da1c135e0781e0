package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// ran is what a command came to.
type ran struct {
	Code           int
	Stdout, Stderr string
}

// inFolder runs this binary as the command, in a folder with a cache and a
// config folder of its own.
func inFolder(t *testing.T, dir string, env []string, stdin string, args ...string) ran {
	t.Helper()
	cmd := asCommand(t, dir, env, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return ran{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

func asCommand(t *testing.T, dir string, env []string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), asHarness+"=1", "USETOOLS_TOKEN=", "HOME="+dir, "LocalAppData="+dir, "AppData="+
		dir,
		"XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "XDG_CONFIG_HOME="+filepath.Join(dir, "settings")), env...)
	return cmd
}

// serving starts harness serve -http in a folder, and ends it with the test.
func serving(t *testing.T, dir string, env []string, args ...string) (url string) {
	t.Helper()
	cmd := asCommand(t, dir, env, append([]string{"serve", "-http", "127.0.0.1:0", "-spares", "0", "-no-watch"},
		args...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
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

const toolsFile = `[{"name": "list_orders", "description": "List the orders of a shop", "inputSchema": {"type": "object"}}]`

func shop(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		".mcp.json":  `{"mcpServers": {"shop": {"type": "snapshot", "path": "tools.json"}}}`,
		"tools.json": toolsFile,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A script on a running server has the same answer as one here.
func TestConnectAnswersAsRunDoes(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	none := inFolder(t, dir, nil, "Return(1)", "run", "-connect", "http://127.0.0.1:1", "-")
	if none.Code != exitInternal || !strings.Contains(none.Stderr, "harness serve -http 127.0.0.1:1 starts one") {
		t.Errorf("without a server: %+v", none)
	}
	url := serving(t, dir, nil)
	for name, script := range map[string]string{
		"value and output": "fmt.Println(\"hello\")\nReturn(map[string]any{\"b\": 1, \"a\": []int{1, 2}})",
		"a long value": "var out []string\nfor i := range 20000 { out = append(out, fmt.Sprint(\"row \", i)) " +
			"}\nReturn(out)",
		"an image":        `Return(map[string]string{"type": "image", "mimeType": "image/png", "data": "aGk="})`,
		"a look-up":       `UseTools("list the orders of a shop")`,
		"a compile error": "x := 1\nReturn(shop.ListOrder())",
		"a panic":         "var m map[string]int\nm[\"a\"] = 1",
		"an exit code":    "os.Exit(3)",
		"a wrong guess":   `v, err := shop.ListOrders(5); Return(v); _ = err`,
		"a dry run":       "fmt.Println(1)\nshop.ListOrders()\nr, err := shop.ListOrders()\nReturn(r.Text())\n_ = err",
		"an input":        "var n int\nif err := Input(\"n\", &n); err != nil { panic(err) }\nReturn(n)",
	} {
		t.Run(name, func(t *testing.T) {
			flags := []string{"run", "-q", "-sandbox", "best-effort", "-input", "n=[7]", "-input", "n2=1"}
			if name == "an input" {
				flags[5] = "n=7"
			}
			if name == "a dry run" {
				flags = append(flags, "-dry-run")
			}
			want := inFolder(t, dir, nil, script, append(flags, "-")...)
			flags = append(flags[:2], flags[4:]...)
			got := inFolder(t, dir, nil, script, append(flags, "-connect", url, "-")...)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, flags := range [][]string{{"-strict"}, {"-state", "kept"}} {
		got := inFolder(t, dir, nil, "Return(1)", append(append([]string{"run", "-connect", url}, flags...), "-")...)
		if got.Code != exitUsage || !strings.Contains(got.Stderr, flags[0]+" does nothing with -connect") {
			t.Errorf("%+v", got)
		}
	}
}

// What a server ran is there for harness runs.
func TestAServerKeepsRecords(t *testing.T) {
	dir := shop(t)
	url := serving(t, dir, nil, "-state", "kept")
	for _, flags := range [][]string{nil, {"-dry-run"}} {
		args := append([]string{"run", "-json", "-connect", url}, append(flags, "-")...)
		got := inFolder(t, dir, nil, `fmt.Println("hello")`, args...)
		var res struct {
			Run string
			Dry bool
		}
		if err := json.Unmarshal([]byte(got.Stdout), &res); err != nil || res.Run == "" || res.Dry != (flags != nil) {
			t.Fatalf("%v: %+v", err, got)
		}
		show := inFolder(t, dir, nil, "", "runs", "show", res.Run, "-state", "kept")
		if show.Code != 0 || !strings.Contains(show.Stdout, "hello") {
			t.Errorf("%+v", show)
		}
	}
}

// Nobody is told to resume a run that its server goes on with, or that has ended.
func TestAServerGoesOnWithItsRuns(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	url := serving(t, dir, nil, "-state", "kept", "-approve", "writes")
	got := inFolder(t, dir, nil, `_, err := shop.ListOrders(); Return(err != nil)`, "run", "-json", "-connect", url, "-dry-run", "-")
	var res struct{ Run, Approval string }
	if err := json.Unmarshal([]byte(got.Stdout), &res); err != nil || res.Approval == "" {
		t.Fatalf("%v: %+v", err, got)
	}
	yes := []string{"approvals", "yes", res.Approval, "-state", "kept"}
	if got := inFolder(t, dir, nil, "", yes...); got.Code != 0 || strings.Contains(got.Stderr, "can go on") {
		t.Errorf("%+v", got)
	}
	for end := time.Now().Add(time.Minute); !strings.Contains(got.Stderr, "has ended") && time.Now().Before(end); {
		got = inFolder(t, dir, nil, "", yes...)
	}
	if got.Code != 1 || !strings.Contains(got.Stderr, "run "+res.Run+" has ended: ok") {
		t.Errorf("%+v", got)
	}
}

func TestConnectSendsTheToken(t *testing.T) {
	dir := shop(t)
	token := []string{"USETOOLS_TOKEN=0123456789abcdef0123"}
	url := serving(t, dir, token)
	if got := inFolder(t, dir, nil, "Return(1)", "run", "-q", "-connect", url, "-"); got.Code == 0 ||
		!strings.Contains(got.Stderr, "USETOOLS_TOKEN") {
		t.Errorf("without the token: %+v", got)
	}
	if got := inFolder(t, dir, token, "Return(1)", "run", "-q", "-connect", url, "-"); got.Code != 0 ||
		got.Stdout != "1\n" {
		t.Errorf("with the token: %+v", got)
	}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if b, err := os.ReadFile(path); err == nil && bytes.Contains(b, []byte("0123456789abcdef0123")) {
			t.Errorf("the token is in %s", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
