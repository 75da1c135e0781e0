//go:build unix

package main

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/usetools/usetools/harness/record"
	"github.com/usetools/usetools/harness/record/store"
)

// slowRun is a harness that runs a script whose call, which changes something, is
// under way until the server may answer it.
type slowRun struct {
	cmd    *exec.Cmd
	stderr *bufio.Scanner
	dir    string
}

func startSlowRun(t *testing.T) *slowRun {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		".mcp.json": `{"mcpServers": {"book": {"command": "testserver", "args": ["-notes", "notes"]}}}`,
		"slow.go": `UseTools("book.add_note")
r, err := book.AddNote(book.AddNoteParams{Text: "slow"}); fmt.Println(r, err)`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("harness", "-q", "run", "-state", "state", "slow.go")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	changes, err := fsnotify.NewWatcher()
	if err == nil {
		err = changes.Add(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer changes.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &slowRun{cmd, bufio.NewScanner(out), dir}
	t.Cleanup(func() {
		os.WriteFile(filepath.Join(dir, "notes.go"), nil, 0o600) // for a server that nobody waits for
		cmd.Process.Kill()
		cmd.Wait()
	})
	late := time.After(time.Minute)
	for {
		if b, _ := os.ReadFile(filepath.Join(dir, "notes")); len(b) > 0 {
			return s
		}
		select {
		case <-changes.Events:
		case <-late:
			t.Fatal("the call was not made")
		}
	}
}

// said waits for a line on stderr.
func (s *slowRun) said(t *testing.T, want string) {
	t.Helper()
	for s.stderr.Scan() {
		if strings.Contains(s.stderr.Text(), want) {
			return
		}
	}
	t.Fatalf("it did not say %q", want)
}

// ended is its exit code, and its record.
func (s *slowRun) ended(t *testing.T) (int, *record.Run) {
	t.Helper()
	for s.stderr.Scan() {
	}
	err := s.cmd.Wait()
	var code *exec.ExitError
	if !errors.As(err, &code) {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(s.dir, "state", "*.run.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	r, err := store.LoadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return code.ExitCode(), r
}

func TestCtrlCWaitsForTheAnswerOfAnEffect(t *testing.T) {
	s := startSlowRun(t)
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	s.said(t, "waiting for the answer of 1 call (book.add_note); Ctrl-C again does not wait")
	if err := os.WriteFile(filepath.Join(s.dir, "notes.go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	code, r := s.ended(t)
	if code != 130 || len(r.Calls) != 1 || r.Calls[0].Done == nil || r.Calls[0].Done.Kind != record.Answered ||
		len(r.Unknown()) != 0 || r.End == nil || r.End.Status != "canceled" {
		t.Errorf("exit code %d, %+v, unknown: %v", code, r.End, r.Unknown())
	}
}

func TestTheSecondCtrlCWaitsForNothing(t *testing.T) {
	t.Parallel()
	s := startSlowRun(t)
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	s.said(t, "Ctrl-C again does not wait")
	again := time.NewTicker(100 * time.Millisecond) // those that come with the first one are the same
	defer again.Stop()
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-again.C:
				s.cmd.Process.Signal(syscall.SIGINT) // it may have ended
			case <-done:
				return
			}
		}
	}()
	code, r := s.ended(t)
	close(done)
	if code != 130 || len(r.Unknown()) != 1 || r.Unknown()[0].Tool != "book.add_note" {
		t.Errorf("exit code %d, unknown: %v", code, r.Unknown())
	}
}
