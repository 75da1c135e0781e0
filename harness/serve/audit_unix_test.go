//go:build unix

package serve_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/usetools/usetools/harness/serve"
	"github.com/usetools/usetools/harness/serve/observe"
)

// SIGHUP reopens the audit file. If that fails, lines still go to the old file.
func TestSIGHUPReopensTheAudit(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "audit")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	file, log := filepath.Join(folder, "runs.jsonl"), make(lineChannel, 100)
	s, _ := serving(t, &serve.Options{Audit: observe.AuditFile{Path: file}, Log: textLog(log)})
	c := connect(t, s, nil)
	lines := func(file string) int {
		b, _ := os.ReadFile(file)
		return strings.Count(string(b), "\n")
	}
	hangUp := func() {
		if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	c.run("Return(1)")
	if err := os.Rename(file, file+".1"); err != nil {
		t.Fatal(err)
	}
	c.run("Return(2)")
	hangUp()
	log.until(t, "the audit file was reopened")
	c.run("Return(3)")
	if old, now := lines(file+".1"), lines(file); old != 2 || now != 1 {
		t.Errorf("%d lines in the file that was moved, %d in the new one", old, now)
	}
	if err := os.Rename(folder, folder+".away"); err != nil {
		t.Fatal(err)
	}
	hangUp()
	log.until(t, "cannot be reopened")
	if got, _ := c.run("Return(4)"); got != "4\n" || lines(filepath.Join(folder+".away", "runs.jsonl")) != 2 {
		t.Error(got)
	}
}

func TestTheAuditIsNoPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := serve.New(&serve.Options{Audit: observe.AuditFile{Path: pipe}}); err == nil || !strings.Contains(err.Error(), "use a file") {
		t.Error(err)
	}
}
