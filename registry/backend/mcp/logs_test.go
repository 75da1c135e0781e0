package mcp

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/usetools/usetools/registry/config"
)

func TestLogsAreBoundedAndHideSecrets(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "logs", "s.log")
	l := &serverLog{path: path, hide: (&config.Server{Env: config.Secrets{"TOKEN": "hunter2hunter2"}}).Redactor()}
	fmt.Fprint(l, "the token is hunter2")
	fmt.Fprint(l, "hunter2\nand ", strings.Repeat("x", 2*maxLogLine), "\nno end")
	l.note("ended: exit status 1")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if len(lines) != 4 || !strings.HasSuffix(lines[0], " the token is •••") || len(lines[1]) > maxLogLine+30 ||
		!strings.HasSuffix(lines[2], " no end") || !strings.HasSuffix(lines[3], " -- ended: exit status 1") {
		t.Errorf("%.300q", lines)
	}
	if !regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z `).MatchString(lines[0]) {
		t.Errorf("no time: %q", lines[0])
	}
	for n := range 4_000 {
		fmt.Fprintf(l, "line %d %s\n", n, strings.Repeat("y", 690))
	}
	if info, err := os.Stat(path); err != nil || info.Size() < maxLog/2 || info.Size() > maxLog {
		t.Errorf("%d bytes, want %d to %d: %v", info.Size(), maxLog/2, maxLog, err)
	}
	if b, err = os.ReadFile(path); err != nil || !strings.Contains(string(b), "line 3999 ") {
		t.Errorf("the last line is not there: %v", err)
	}
}

func TestLogFilesStayInTheirFolder(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range []string{"git", "../../etc/passwd", "a/b", "a b", ".", "..", strings.Repeat("x", 500), ""} {
		path, err := LogFile("cache", "c.json", name)
		if err != nil {
			t.Fatal(err)
		}
		if dir, _ := LogFile("cache", "c.json", "git"); filepath.Dir(path) != filepath.Dir(dir) ||
			len(filepath.Base(path)) > 100 || seen[path] {
			t.Errorf("%q: %s", name, path)
		}
		seen[path] = true
	}
}
