//go:build unix

package serve

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A pipe that nobody reads from does not hang, at the start or later; once it is
// read, whole lines come out.
func TestTheAuditMayBeAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if a, err := openAudit(pipe, false, serverLog(t), &metrics{}); err == nil ||
		!strings.Contains(err.Error(), "nobody reads from this pipe") {
		t.Fatal(a, err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	writer, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0) // so that it has no end
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	a, err := openAudit(pipe, false, serverLog(t), &metrics{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	a.max = 1000 // pipes are not rotated
	line := []byte(strings.Repeat("x", 9999) + "\n")
	for range 5 {
		if err := a.write("", line); err != nil {
			t.Fatal(err)
		}
	}
	a.wait = time.Millisecond
	for range 100 {
		if err = a.write("", line); err != nil {
			break
		}
	}
	if err == nil {
		t.Fatal("a pipe holds a million bytes that nobody reads")
	}
	a.wait, a.failed = auditWait, false
	in := bufio.NewReaderSize(reader, 1<<20)
	go a.write("", []byte("the last\n"))
	reader.SetReadDeadline(time.Now().Add(patience))
	for whole := 0; ; whole++ {
		got, err := in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if got == "the last\n" {
			if whole < 5 {
				t.Errorf("%d lines", whole)
			}
			break
		}
		if len(got) != len(line) && whole < 5 {
			t.Errorf("a line of %d bytes", len(got))
		}
	}
}

// What cannot be synced is written all the same.
func TestTheAuditMayBeADevice(t *testing.T) {
	a, err := openAudit(os.DevNull, false, serverLog(t), &metrics{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err := a.write("", []byte("x\n")); err != nil {
		t.Error(err)
	}
}
