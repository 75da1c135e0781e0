package serve_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/harness/serve/observe"
)

func TestTheAuditTellsOfRunsAndCallsWithoutValues(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	s, _ := serving(t, &serve.Options{Audit: observe.AuditFile{Path: file}})
	c := connect(t, s, nil)
	c.run("UseTools(\"read a file\")\n_, _ = files.ReadFile(files.ReadFileParams{Path: \"secret-name\"})")
	c.run("not go")
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var lines []map[string]any
	for in := bufio.NewScanner(f); in.Scan(); {
		if strings.Contains(in.Text(), "secret-name") {
			t.Error("a value:", in.Text())
		}
		var m map[string]any
		if err := json.Unmarshal(in.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, m)
	}
	if len(lines) != 3 {
		t.Fatalf("%d lines: %v", len(lines), lines)
	}
	if lines[0]["type"] != "call" || lines[0]["tool"] != "files.read_file" || lines[0]["run"] != lines[1]["run"] {
		t.Error(lines[0])
	}
	if size := lines[0]["args"].(map[string]any)["path"]; size != float64(len(`"secret-name"`)) {
		t.Error(lines[0]["args"])
	}
	if lines[1]["type"] != "run" || lines[1]["status"] != "ok" || lines[1]["session"] != "stdio" ||
		len(lines[1]["script"].(string)) != 64 {
		t.Error(lines[1])
	}
	if lines[2]["status"] != "compile_error" {
		t.Error(lines[2])
	}
}

// A write that fails is reported, and serving goes on.
func TestAFullDiskIsLoudAndServingGoesOn(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	log := make(lineChannel, 100)
	s, _ := serving(t, &serve.Options{Audit: observe.AuditFile{Path: "/dev/full"}, Log: textLog(log)})
	c := connect(t, s, nil)
	for range 2 {
		if got, _ := c.run("Return(1)"); got != "1\n" {
			t.Error(got)
		}
	}
	log.until(t, "AUDIT CANNOT BE WRITTEN")
}

// lineChannel receives the lines of a log.
type lineChannel chan string

func (l lineChannel) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// until waits for a line with a text.
func (l lineChannel) until(t *testing.T, text string) {
	t.Helper()
	for !strings.Contains(receive(t, l), text) {
	}
}

// cable is an io.Writer that fails while it is cut.
type cable struct {
	mu  sync.Mutex
	b   strings.Builder
	cut bool
}

func (w *cable) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut {
		return 0, errors.New("the cable is cut")
	}
	return w.b.Write(p)
}

func (w *cable) setCut(cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = cut
}

// If the audit is required, each run has a line before it begins, and nothing runs
// while a line cannot be written, to the file or to its second place.
func TestARequiredAuditRefusesWhatItCannotRecord(t *testing.T) {
	file, to := filepath.Join(t.TempDir(), "runs.jsonl"), &cable{}
	log := make(lineChannel, 100)
	s, f := serving(t, &serve.Options{Tools: serve.All, Audit: observe.AuditFile{Path: file, To: to, Required: true}, Log: textLog(log)})
	c := connect(t, s, nil)
	c.run("Return(1)")
	b, err := os.ReadFile(file)
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if err != nil || len(lines) != 2 || !strings.HasPrefix(lines[0], `{"type":"begin",`) ||
		!strings.HasPrefix(lines[1], `{"type":"run",`) {
		t.Errorf("%v: %s", err, b)
	}
	if to.b.String() != string(b) {
		t.Errorf("the file has\n%s\nthe second place\n%s", b, to.b.String())
	}
	to.setCut(true)
	reading := map[string]any{"script": `_, _ = files.ReadFile(files.ReadFileParams{Path: "x"})`}
	direct := map[string]any{"tool": "files.read_file", "arguments": map[string]any{"path": "x"}}
	for _, res := range []*mcp.CallToolResult{c.call("execute", reading), c.call("call_tool", direct)} {
		if !res.IsError || !strings.Contains(textOf(res), "nothing has run") || f.calls.Load() > 0 {
			t.Errorf("%d calls; %s", f.calls.Load(), textOf(res))
		}
	}
	log.until(t, "the cable is cut")
	to.setCut(false)
	if got, _ := c.run("Return(2)"); got != "2\n" {
		t.Error(got)
	}
	log.until(t, "the audit is written again")
	if _, err := serve.New(&serve.Options{Audit: observe.AuditFile{Required: true}}); err == nil {
		t.Error("no file is a fine audit")
	}
}
